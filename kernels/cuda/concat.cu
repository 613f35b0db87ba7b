/* SPDX-License-Identifier: Apache-2.0 */
/* concat.cu - the channels of two tensors side by side: small ones, a network's inputs. */
#include "kernels/cuda/device.cuh"

enum
{
  THREADS = 256,
  MAX_BLOCKS = 4096
};

template <typename T>
static __global__ void
concat_kernel (T *y, const T *a, const T *b, int64_t count, int64_t of_a, int64_t of_y)
{
  for (int64_t i = (int64_t) blockIdx.x * THREADS + threadIdx.x; i < count;
       i += (int64_t) gridDim.x * THREADS)
    {
      int64_t pixel = i / of_y, channel = i - pixel * of_y;

      y[i] = channel < of_a ? a[pixel * of_a + channel] : b[pixel * (of_y - of_a) + channel - of_a];
    }
}

template <typename T>
static UkStatus
run (UkCudaOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  int64_t count = uk_shape_count (desc->y);

  return uk_launch (op, concat_kernel<T>, uk_n_blocks (count, THREADS, MAX_BLOCKS), THREADS,
                    (T *) args[2], (const T *) args[0], (const T *) args[1], count, desc->x.c,
                    desc->y.c);
}

const UkCudaKernel uk_cuda_concat = { .run = UK_RUN_ON_VALUES (run) };
