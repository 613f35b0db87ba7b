/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emulated-private.h - shared by the files of the emulated GPU.
 *
 *   fiber.cc    cooperative stacks
 *   block.cc    a grid's blocks, threads, barriers and warps
 *   device.cc   devices, settings, errors
 *   memory.cc   device memory, pinned memory, other processes' memory
 *   stream.cc   streams, copies, launches, events, graphs
 *
 * One lock around each call of the runtime: all GPUs together do one thing at a time.  Work on a stream is a
 * closure, which runs under the lock in the thread that triggers it.
 */
#pragma once

#include "emulated-gpu.h"

#include <cuda_runtime.h>

#include <functional>
#include <mutex>

enum { UK_EMULATED_MAX_DEVICES = 8 };

typedef std::function<void ()> UkEmulatedWork;
typedef std::lock_guard<std::mutex> UkEmulatedLock;

extern std::mutex uk_emulated_mutex;

/* block.cc.  Runs @thread once for each thread of each block. */
void uk_emulated_run_grid (dim3 grid, dim3 block, bool backward, const UkEmulatedWork &thread);

/* device.cc */
typedef struct
{
  long        settings[UK_EMULATED_N_SETTINGS];
  long        n_launches_left; /* until one fails; negative: none fails */
  cudaError_t launch_error;    /* the error of that launch */
  cudaError_t failure;         /* of the failed launch: all later calls return it */
} UkEmulatedState;

extern UkEmulatedState uk_emulated;

size_t      uk_emulated_memory (void); /* of each device, bytes */
int         uk_emulated_device (void); /* this thread's current one */
/* Returns @error, and stores it for cudaGetLastError(). */
cudaError_t uk_emulated_return (cudaError_t error);

/* memory.cc */
typedef enum
{
  UK_EMULATED_PAGEABLE,
  UK_EMULATED_PINNED,
  UK_EMULATED_DEVICE,
  UK_EMULATED_OUTSIDE /* starts in device memory and extends beyond it */
} UkEmulatedPlace;

UkEmulatedPlace uk_emulated_place      (const void *memory, size_t n_bytes);
cudaError_t     uk_emulated_alloc      (void **memory, size_t n_bytes);
cudaError_t     uk_emulated_release    (void *memory);
void            uk_emulated_protect    (bool from_everybody);
void            uk_emulated_count_memory (UkEmulatedCounts *counts);

/* stream.cc */
/* For calls that are forbidden during a capture: true if there is one, which becomes invalid. */
bool            uk_emulated_spoils_capture (void);
void            uk_emulated_finish_all (void);
void            uk_emulated_count_streams (UkEmulatedCounts *counts);
