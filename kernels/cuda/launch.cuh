/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch.cuh - kernel launches and grid sizes.
 *
 * The only place with <<< >>>: tests/kernels/emulated-gpu/ compiles the same files for the processor, with
 * a uk_launch() of its own.
 */
#pragma once

#include "kernels/cuda/cuda-private.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#ifdef UK_EMULATED_GPU
#include "emulated-launch.h"
#else
/* Enqueues @kernel on @op's stream.  Shared memory is static. */
template <typename... Params, typename... Args>
static inline UkStatus
uk_launch (UkCudaOp *op, void (*kernel) (Params...), dim3 grid, dim3 block, Args... args)
{
  kernel<<<grid, block, 0, op->stream>>> (static_cast<Params> (args)...);
  return uk_cuda_check (uk_cuda_backend_of (op), cudaGetLastError (), "launching a kernel");
}
#endif

/* Blocks for @count at @each per block, at most @most: kernels then loop with a grid stride. */
static inline unsigned
uk_n_blocks (int64_t count, int64_t each, int64_t most)
{
  int64_t n = (count + each - 1) / each;

  return (unsigned) (n < 1 ? 1 : n < most ? n : most);
}

/* Calls @function<T, …> (…), T being the type of values @type, and the rest arguments. */
#define UK_CALL_ON_HALVES(type, function, ...)                                                     \
  ((type) == UK_DATA_F16 ? function<__half> (__VA_ARGS__) : function<__nv_bfloat16> (__VA_ARGS__))
#define UK_CALL_ON_VALUES(type, function, ...)                                                     \
  ((type) == UK_DATA_F32 ? function<float> (__VA_ARGS__) : UK_CALL_ON_HALVES (type, function, __VA_ARGS__))

/* Runs @function<T> (op, args, scratch), T being the type of the operation's values. */
#define UK_RUN_ON_VALUES(function)                                                                 \
  [] (UkCudaOp *op, void *const *args, void *scratch) -> UkStatus {                                \
    return UK_CALL_ON_VALUES (op->type, function, op, args, scratch);                              \
  }
