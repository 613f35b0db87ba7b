/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emulated-gpu.h - control of the emulated GPU by tests, beyond CUDA.
 *
 * Each setting is also an environment variable of the same name, for programs under test.
 */
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum
{
  /* 1: blocks, and the threads of each between barriers, run in reverse order.  A changed result reveals a
   * missing barrier, or a race between blocks. */
  UK_EMULATED_BACKWARD,
  /* 1: a stream's work is deferred until a thread waits for it or queries it (one item per query).  Reveals a
   * missing wait. */
  UK_EMULATED_DEFERRED,
  /* 1: device memory is accessible to device work only.  A host access ends the process by signal. */
  UK_EMULATED_GUARDED,
  UK_EMULATED_MEMORY,     /* of each device, MiB: 2048 */
  UK_EMULATED_DEVICES,    /* from 0 to 8: 1 */
  UK_EMULATED_CAPABILITY, /* major * 10 + minor: 90 */
  UK_EMULATED_N_SETTINGS
} UkEmulatedSetting;

void uk_emulated_set (UkEmulatedSetting setting, long value);

/* Launches after the next @n_launches fail with @error. */
void uk_emulated_fail_launch (long n_launches, cudaError_t error);

/* Objects not yet freed, and the number of launches. */
typedef struct
{
  size_t device_bytes, pinned_bytes;
  int    n_streams, n_events, n_graphs; /* including executable ones */
  long   n_launches; /* kernel launches since the start, including replays */
} UkEmulatedCounts;

UkEmulatedCounts uk_emulated_counts (void);

#ifdef __cplusplus
}

#include <cuda_runtime.h>
#include <functional>

/* Like <<< >>>: enqueues @thread, called once per thread, on @stream. */
cudaError_t uk_emulated_launch (cudaStream_t stream, dim3 grid, dim3 block,
                                std::function<void ()> thread);
#endif
