/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emulated-launch.h - uk_launch() for the emulated GPU, included by kernels/cuda/launch.cuh: a kernel and its
 * arguments become a closure that runs as one thread.
 */
#pragma once

#include "emulated-gpu.h"

template <typename... Params, typename... Args>
static inline UkStatus
uk_launch (UkCudaOp *op, void (*kernel) (Params...), dim3 grid, dim3 block, Args... args)
{
  uk_emulated_launch (op->stream, grid, block,
                      [=] { kernel (static_cast<Params> (args)...); });
  return uk_cuda_check (uk_cuda_backend_of (op), cudaGetLastError (), "launching a kernel");
}
