/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccl-calls.h - NCCL, loaded on demand: few machines have several GPUs, and it is large.
 */
#pragma once

#include <nccl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The functions in use, without the prefix "nccl". */
#define UK_NCCL_CALLS(X)                                                                           \
  X (GetUniqueId)                                                                                  \
  X (CommInitRankConfig)                                                                           \
  X (CommGetAsyncError)                                                                            \
  X (CommAbort)                                                                                    \
  X (GetErrorString)                                                                               \
  X (GetLastError)                                                                                 \
  X (GroupStart)                                                                                   \
  X (GroupEnd)                                                                                     \
  X (Send)                                                                                         \
  X (Recv)                                                                                         \
  X (Broadcast)                                                                                    \
  X (AllGather)                                                                                    \
  X (Reduce)                                                                                       \
  X (AllReduce)                                                                                    \
  X (ReduceScatter)

typedef struct
{
#define UK_NCCL_CALL(name) __typeof__ (nccl##name) *name;
  UK_NCCL_CALLS (UK_NCCL_CALL)
#undef UK_NCCL_CALL
} UkNccl;

/* NULL, with @why (static, for users), if it cannot be loaded. */
const UkNccl *uk_nccl_load (const char **why);

#ifdef __cplusplus
}
#endif
