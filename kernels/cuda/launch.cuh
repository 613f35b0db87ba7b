/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch.cuh - starting a kernel, and how large a grid is.
 *
 * The one place with <<< >>>: tests/kernels/emulated-gpu/ compiles the same files for the
 * processor, and has a uk_launch() of its own.
 */
#pragma once

#include "kernels/cuda/cuda-private.h"

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#ifdef UK_EMULATED_GPU
#include "emulated-launch.h"
#else
/* Enqueues @kernel on @op's stream.  No dynamic shared memory: what a block shares is declared. */
template <typename... Params, typename... Args>
static inline UkStatus
uk_launch (UkCudaOp *op, void (*kernel) (Params...), dim3 grid, dim3 block, Args... args)
{
  kernel<<<grid, block, 0, op->stream>>> (static_cast<Params> (args)...);
  return uk_cuda_check (uk_cuda_backend_of (op), cudaGetLastError (), "a kernel's launch");
}
#endif

/* Blocks that cover @count with @each, at most @most: the kernel strides over the rest. */
static inline unsigned
uk_n_blocks (int64_t count, int64_t each, int64_t most)
{
  int64_t n = (count + each - 1) / each;

  return (unsigned) (n < 1 ? 1 : n < most ? n : most);
}

/* Runs @function<T> (op, args, scratch), T being the type of the operation's values. */
#define UK_RUN_ON_VALUES(function)                                                                 \
  [] (UkCudaOp *op, void *const *args, void *scratch) -> UkStatus {                                \
    return op->is_bf16 ? function<__nv_bfloat16> (op, args, scratch)                               \
                       : function<float> (op, args, scratch);                                      \
  }
