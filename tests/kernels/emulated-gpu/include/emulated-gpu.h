/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emulated-gpu.h - what a test may ask of the emulated GPU beyond CUDA.
 *
 * Each setting is also an environment variable of its name, for programs that are tested from
 * outside.
 */
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum
{
  /* 1: blocks, and the threads of each between barriers, run from the last to the first.  A result
   * that changes shows a missing barrier, or a race between blocks. */
  UK_EMULATED_BACKWARD,
  /* 1: a stream's work waits until someone waits for it, or looks: a query does one piece.  Shows
   * a missing wait. */
  UK_EMULATED_DEFERRED,
  /* 1: device memory can be touched by device work alone.  A host that follows a device pointer
   * ends by signal. */
  UK_EMULATED_GUARDED,
  UK_EMULATED_MEMORY,     /* of each device, MiB: 2048 */
  UK_EMULATED_DEVICES,    /* from 0 to 8: 1 */
  UK_EMULATED_CAPABILITY, /* major * 10 + minor: 90 */
  UK_EMULATED_N_SETTINGS
} UkEmulatedSetting;

void uk_emulated_set (UkEmulatedSetting setting, long value);

/* The launch after the next @n_launches, and all after it, fail with @error. */
void uk_emulated_fail_launch (long n_launches, cudaError_t error);

/* What is not yet freed, and how much has run. */
typedef struct
{
  size_t device_bytes, pinned_bytes;
  int    n_streams, n_events, n_graphs; /* executable ones too */
  long   n_launches; /* of kernels, since the start; a replay's count each time */
} UkEmulatedCounts;

UkEmulatedCounts uk_emulated_counts (void);

#ifdef __cplusplus
}

#include <cuda_runtime.h>
#include <functional>

/* What <<< >>> does: puts @thread, to be called once by each thread, on @stream. */
cudaError_t uk_emulated_launch (cudaStream_t stream, dim3 grid, dim3 block,
                                std::function<void ()> thread);
#endif
