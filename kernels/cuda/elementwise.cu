/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elementwise.cu - sums of whole tensors, and constants.
 *
 * Memory-bound.  A thread reads everything before it writes, since an output may alias an input and the
 * compiler would keep the order.
 */
#include "kernels/cuda/chunk.cuh"

enum
{
  THREADS = 256,
  REPEATS = 2 /* chunks per thread: enough loads in flight without too few, long blocks */
};

/* y = a + b */
template <typename T, int WIDTH>
static __global__ void
add_kernel (T *y, const T *a, const T *b, int64_t n_chunks)
{
  int64_t first = (int64_t) blockIdx.x * (THREADS * REPEATS) + threadIdx.x;
  UkChunk<T, WIDTH> left[REPEATS], right[REPEATS];

#pragma unroll
  for (int k = 0; k < REPEATS; k++)
    if (first + k * THREADS < n_chunks)
      {
        left[k] = uk_read<WIDTH> (a + (first + k * THREADS) * WIDTH);
        right[k] = uk_read<WIDTH> (b + (first + k * THREADS) * WIDTH);
      }
#pragma unroll
  for (int k = 0; k < REPEATS; k++)
    if (first + k * THREADS < n_chunks)
      {
        float of_a[WIDTH], of_b[WIDTH];

        uk_unpack (left[k], of_a);
        uk_unpack (right[k], of_b);
#pragma unroll
        for (int i = 0; i < WIDTH; i++)
          of_a[i] += of_b[i];
        uk_write (y + (first + k * THREADS) * WIDTH, uk_pack<T, WIDTH> (of_a));
      }
}

/* y[n, ...] = c[n] a[n, ...] + k u[n, ...]; a sample has n_chunks and several blocks. */
template <typename T, int WIDTH>
static __global__ void
axpby_kernel (T *y, const T *a, const T *c, const T *u, const float *k, int n_chunks,
            UkDivisor by_parts)
{
  int part, n = uk_divide (blockIdx.x, by_parts, &part);
  int first = part * (THREADS * REPEATS) + threadIdx.x;
  int64_t start = ((int64_t) n * n_chunks + first) * WIDTH;
  float scale_a = uk_to_float (c[n]), scale_u = *k;
  UkChunk<T, WIDTH> left[REPEATS], right[REPEATS];

#pragma unroll
  for (int r = 0; r < REPEATS; r++)
    if (first + r * THREADS < n_chunks)
      {
        left[r] = uk_read<WIDTH> (a + start + r * THREADS * WIDTH);
        right[r] = uk_read<WIDTH> (u + start + r * THREADS * WIDTH);
      }
#pragma unroll
  for (int r = 0; r < REPEATS; r++)
    if (first + r * THREADS < n_chunks)
      {
        float of_a[WIDTH], of_u[WIDTH];

        uk_unpack (left[r], of_a);
        uk_unpack (right[r], of_u);
#pragma unroll
        for (int i = 0; i < WIDTH; i++)
          of_a[i] = scale_a * of_a[i] + scale_u * of_u[i];
        uk_write (y + start + r * THREADS * WIDTH, uk_pack<T, WIDTH> (of_a));
      }
}

template <typename T, int WIDTH>
static __global__ void
fill_kernel (T *y, float value, const float *scale, int64_t n_chunks)
{
  int64_t first = (int64_t) blockIdx.x * (THREADS * REPEATS) + threadIdx.x;
  float values[WIDTH];

#pragma unroll
  for (int i = 0; i < WIDTH; i++)
    values[i] = value * uk_scale_of (scale);
#pragma unroll
  for (int k = 0; k < REPEATS; k++)
    if (first + k * THREADS < n_chunks)
      uk_write (y + (first + k * THREADS) * WIDTH, uk_pack<T, WIDTH> (values));
}

/* ------------------------------------------------------------------------ */

static unsigned
n_blocks_of (int64_t n_chunks)
{
  return uk_n_blocks (n_chunks, THREADS * REPEATS, INT32_MAX);
}

template <typename T>
static UkStatus
run_add (UkCudaOp *op, void *const *args, void *scratch)
{
  constexpr int WIDTH = UkLane<T>::N;
  const T *a = (const T *) args[0], *b = (const T *) args[1];
  T *y = (T *) args[2];
  int64_t count = uk_shape_count (op->base.desc.y);

  if (count % WIDTH == 0 && uk_are_aligned (a, b, y))
    return uk_launch (op, add_kernel<T, WIDTH>, n_blocks_of (count / WIDTH), THREADS, y, a, b,
                      count / WIDTH);
  return uk_launch (op, add_kernel<T, 1>, n_blocks_of (count), THREADS, y, a, b, count);
}

template <typename T, int WIDTH>
static UkStatus
launch_axpby (UkCudaOp *op, T *y, const T *a, const T *c, const T *u, const float *k)
{
  UkShape shape = op->base.desc.x;
  int64_t n_chunks = shape.h * shape.w * shape.c / WIDTH;
  unsigned n_parts = n_blocks_of (n_chunks);

  return uk_launch (op, axpby_kernel<T, WIDTH>, n_parts * (unsigned) shape.n, THREADS, y, a, c, u, k,
                    n_chunks, uk_divisor (n_parts));
}

template <typename T>
static UkStatus
run_axpby (UkCudaOp *op, void *const *args, void *scratch)
{
  const T *a = (const T *) args[0], *c = (const T *) args[1], *u = (const T *) args[2];
  const float *k = (const float *) args[3];
  T *y = (T *) args[4];
  UkShape shape = op->base.desc.x;

  if (shape.h * shape.w * shape.c % UkLane<T>::N == 0 && uk_are_aligned (a, u, y))
    return launch_axpby<T, UkLane<T>::N> (op, y, a, c, u, k);
  return launch_axpby<T, 1> (op, y, a, c, u, k);
}

template <typename T>
static UkStatus
run_fill (UkCudaOp *op, void *const *args, void *scratch)
{
  constexpr int WIDTH = UkLane<T>::N;
  const float *scale = (const float *) args[0];
  T *y = (T *) args[1];
  float value = op->base.desc.scale;
  int64_t count = uk_shape_count (op->base.desc.y);

  if (count % WIDTH == 0 && uk_are_aligned (y))
    return uk_launch (op, fill_kernel<T, WIDTH>, n_blocks_of (count / WIDTH), THREADS, y, value, scale,
                      count / WIDTH);
  return uk_launch (op, fill_kernel<T, 1>, n_blocks_of (count), THREADS, y, value, scale, count);
}

const UkCudaKernel uk_cuda_add = { .run = UK_RUN_ON_VALUES (run_add) };
const UkCudaKernel uk_cuda_axpby = { .prepare = uk_prepare_samples, .run = UK_RUN_ON_VALUES (run_axpby) };
const UkCudaKernel uk_cuda_fill = { .run = UK_RUN_ON_VALUES (run_fill) };
