/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccl.h - the part of NCCL that the project uses, for the emulated GPU; names and values are NCCL's.
 * ../README.md lists the differences from NCCL's documentation.
 */
#pragma once

#include <cuda_runtime_api.h>
#include <limits.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ncclComm *ncclComm_t;

typedef struct
{
  char internal[128];
} ncclUniqueId;

typedef enum
{
  ncclSuccess = 0,
  ncclUnhandledCudaError = 1,
  ncclSystemError = 2,
  ncclInternalError = 3,
  ncclInvalidArgument = 4,
  ncclInvalidUsage = 5,
  ncclRemoteError = 6,
  ncclInProgress = 7
} ncclResult_t;

typedef enum
{
  ncclUint8 = 1,
  ncclFloat16 = 6,
  ncclFloat32 = 7,
  ncclFloat64 = 8,
  ncclBfloat16 = 9
} ncclDataType_t;

typedef enum { ncclSum = 0 } ncclRedOp_t;

typedef struct
{
  int blocking; /* 0: calls may return before they have taken effect */
} ncclConfig_t;

#define NCCL_CONFIG_INITIALIZER { INT_MIN }

ncclResult_t ncclGetUniqueId        (ncclUniqueId *id);
ncclResult_t ncclCommInitRankConfig (ncclComm_t *comm, int n_ranks, ncclUniqueId id, int rank,
                                     ncclConfig_t *config);
ncclResult_t ncclCommGetAsyncError  (ncclComm_t comm, ncclResult_t *result);
ncclResult_t ncclCommAbort          (ncclComm_t comm);
const char  *ncclGetErrorString     (ncclResult_t result);
const char  *ncclGetLastError       (ncclComm_t comm);
ncclResult_t ncclGroupStart         (void);
ncclResult_t ncclGroupEnd           (void);

ncclResult_t ncclSend          (const void *in, size_t count, ncclDataType_t type, int peer,
                                ncclComm_t comm, cudaStream_t stream);
ncclResult_t ncclRecv          (void *out, size_t count, ncclDataType_t type, int peer,
                                ncclComm_t comm, cudaStream_t stream);
ncclResult_t ncclBroadcast     (const void *in, void *out, size_t count, ncclDataType_t type, int root,
                                ncclComm_t comm, cudaStream_t stream);
ncclResult_t ncclAllGather     (const void *in, void *out, size_t count, ncclDataType_t type,
                                ncclComm_t comm, cudaStream_t stream);
ncclResult_t ncclReduce        (const void *in, void *out, size_t count, ncclDataType_t type,
                                ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream);
ncclResult_t ncclAllReduce     (const void *in, void *out, size_t count, ncclDataType_t type,
                                ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream);
ncclResult_t ncclReduceScatter (const void *in, void *out, size_t count, ncclDataType_t type,
                                ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
