/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softmax.cu - y = 2 softmax (x + b) - 1 over a pixel's channels, and the reduction that its gradient needs.
 *
 * Land-cover maps have few channels, so a pixel is handled by one thread, or by a group of 2, 4 ... 32
 * threads with up to four channels each: all of it stays in registers and is read once.  With more channels
 * it is read three times, mostly from the cache.
 */
#include "kernels/cuda/softmax.cuh"

#include "kernels/cuda/device.cuh"

enum
{
  THREADS = 256,
  PER_LANE = 4, /* channels per thread */
  REPEATS = 4,  /* pixels per thread */
  MAX_NARROW = PER_LANE * UK_WARP
};

static __device__ __forceinline__ float
group_sum (float x, int group)
{
  for (int step = group / 2; step > 0; step /= 2)
    x += __shfl_xor_sync (0xffffffffu, x, step);
  return x;
}

static __device__ __forceinline__ float
group_max (float x, int group)
{
  for (int step = group / 2; step > 0; step /= 2)
    x = fmaxf (x, __shfl_xor_sync (0xffffffffu, x, step));
  return x;
}

/* A thread's pixels: the first, and the distance to the next. */
typedef struct
{
  int64_t first, stride;
  int     lane; /* in the group */
} Place;

static __device__ __forceinline__ Place
place_of (int group_bits)
{
  Place place;

  place.lane = threadIdx.x & ((1 << group_bits) - 1);
  place.stride = THREADS >> group_bits;
  place.first = blockIdx.x * place.stride * REPEATS + (threadIdx.x >> group_bits);
  return place;
}

/* With p_i = exp (x_i - max x) / sum_j exp (x_j - max x), y_i = 2 p_i - 1; -infinity stands for no channel. */
static __device__ __forceinline__ void
softmax_lane (float x[PER_LANE], int group)
{
  float largest = x[0], sum = 0;

#pragma unroll
  for (int j = 1; j < PER_LANE; j++)
    largest = fmaxf (largest, x[j]);
  largest = group_max (largest, group);
#pragma unroll
  for (int j = 0; j < PER_LANE; j++)
    {
      x[j] = expf (x[j] - largest);
      sum += x[j];
    }
  sum = 2 / group_sum (sum, group);
#pragma unroll
  for (int j = 0; j < PER_LANE; j++)
    x[j] = x[j] * sum - 1;
}

template <typename T>
static __global__ void
softmax_narrow_kernel (T *y, const T *x, const float *b, int64_t n_pixels, int c, int group_bits)
{
  Place place = place_of (group_bits);
  float values[REPEATS][PER_LANE];

#pragma unroll
  for (int j = 0; j < PER_LANE; j++)
    {
      int channel = place.lane + (j << group_bits);
      float bias = b != NULL && channel < c ? b[channel] : 0;

#pragma unroll
      for (int k = 0; k < REPEATS; k++)
        values[k][j] = channel < c && place.first + k * place.stride < n_pixels
                         ? uk_to_float (x[(place.first + k * place.stride) * c + channel]) + bias
                         : -INFINITY;
    }
#pragma unroll
  for (int k = 0; k < REPEATS; k++)
    {
      softmax_lane (values[k], 1 << group_bits);
#pragma unroll
      for (int j = 0; j < PER_LANE; j++)
        if (place.lane + (j << group_bits) < c && place.first + k * place.stride < n_pixels)
          y[(place.first + k * place.stride) * c + place.lane + (j << group_bits)]
            = uk_from_float<T> (values[k][j]);
    }
}

/* One warp per pixel. */
template <typename T>
static __global__ void
softmax_wide_kernel (T *y, const T *x, const float *b, int64_t n_pixels, int c)
{
  int64_t pixel = (blockIdx.x * (int64_t) THREADS + threadIdx.x) / UK_WARP;
  float largest = -INFINITY, sum = 0;

  if (pixel >= n_pixels)
    return; /* the whole warp */
  x += pixel * c;
  y += pixel * c;
  for (int i = threadIdx.x % UK_WARP; i < c; i += UK_WARP)
    largest = fmaxf (largest, uk_to_float (x[i]) + (b != NULL ? b[i] : 0));
  largest = group_max (largest, UK_WARP);
  for (int i = threadIdx.x % UK_WARP; i < c; i += UK_WARP)
    sum += expf (uk_to_float (x[i]) + (b != NULL ? b[i] : 0) - largest);
  sum = 2 / group_sum (sum, UK_WARP);
  for (int i = threadIdx.x % UK_WARP; i < c; i += UK_WARP)
    y[i] = uk_from_float<T> (expf (uk_to_float (x[i]) + (b != NULL ? b[i] : 0) - largest) * sum
                             - 1);
}

/* One group per pixel, for any number of channels. */
template <typename T>
static __global__ void
softmax_means_kernel (float *means, const T *dy, const T *y, int64_t n_pixels, int c,
                      int group_bits)
{
  int group = 1 << group_bits, lane = threadIdx.x & (group - 1);
  int64_t pixel = (blockIdx.x * (int64_t) THREADS + threadIdx.x) >> group_bits;
  float mean = 0;

  if (pixel < n_pixels)
#pragma unroll 4
    for (int i = lane; i < c; i += group)
      mean += (uk_to_float (y[pixel * c + i]) + 1) * 0.5f * uk_to_float (dy[pixel * c + i]);
  mean = group_sum (mean, group);
  if (pixel < n_pixels && lane == 0)
    means[pixel] = mean;
}

/* ------------------------------------------------------------------------ */

/* log2 of the threads per pixel. */
static int
group_bits_of (int64_t c)
{
  int bits = 0;

  while (PER_LANE << bits < c && 1 << bits < UK_WARP)
    bits++;
  return bits;
}

template <typename T>
UkStatus
uk_cuda_softmax (UkCudaOp *op, T *y, const T *x, const float *b)
{
  int64_t c = op->base.desc.y.c, n_pixels = uk_shape_count (op->base.desc.y) / c;
  int bits = group_bits_of (c);

  if (c > MAX_NARROW)
    return uk_launch (op, softmax_wide_kernel<T>,
                      uk_n_blocks (n_pixels, THREADS / UK_WARP, INT32_MAX), THREADS, y, x, b,
                      n_pixels, c);
  return uk_launch (op, softmax_narrow_kernel<T>,
                    uk_n_blocks (n_pixels, (THREADS >> bits) * REPEATS, INT32_MAX), THREADS, y, x,
                    b, n_pixels, c, bits);
}

template <typename T>
UkStatus
uk_cuda_softmax_means (UkCudaOp *op, float *means, const T *dy, const T *y)
{
  int64_t c = op->base.desc.y.c, n_pixels = uk_shape_count (op->base.desc.y) / c;
  int bits = group_bits_of (c);

  return uk_launch (op, softmax_means_kernel<T>,
                    uk_n_blocks (n_pixels, THREADS >> bits, INT32_MAX), THREADS, means, dy, y,
                    n_pixels, c, bits);
}

#define INSTANTIATE(T)                                                                             \
  template UkStatus uk_cuda_softmax<T> (UkCudaOp *, T *, const T *, const float *);                \
  template UkStatus uk_cuda_softmax_means<T> (UkCudaOp *, float *, const T *, const T *);

INSTANTIATE (float)
INSTANTIATE (__nv_bfloat16)
INSTANTIATE (__half)
