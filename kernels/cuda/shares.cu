/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shares.cu - the shares of an image that are built, road and large buildings, and their gradient.
 *
 * One block per sample, which passes over its pixels several times: box averages are sums along rows, then
 * along columns, of planes in scratch memory.  Such an average is its own adjoint.
 */
#include "kernels/cuda/device.cuh"

enum
{
  THREADS = 512,
  BUILT = 0,
  ROAD = 1,
  LARGE = 2
};

typedef struct
{
  int64_t n_pixels, w, h;
  int     c, half;
  float   level, per_box; /* 1 / pixels of a box */
} Shares;

/* The coverage of a pixel by buildings, or by roads: see uk.h. */
template <typename T>
static __device__ __forceinline__ float
get_coverage (const Shares &job, const T *x, int64_t pixel, int of)
{
  float value = uk_to_float (x[pixel * job.c + (job.c == 1 ? 0 : of)]);

  if (job.c > 1)
    return 0.5f * value + 0.5f;
  return fmaxf (of == BUILT ? value : -value, 0.0f);
}

/* The sum of @plane along a column of a box. */
static __device__ __forceinline__ float
sum_column (const Shares &job, const float *plane, int64_t pixel)
{
  int64_t row = pixel / job.w, col = pixel - row * job.w;
  int64_t first = row < job.half ? 0 : row - job.half;
  float sum = 0;

  for (int64_t r = first; r <= row + job.half && r < job.h; r++)
    sum += plane[r * job.w + col];
  return sum;
}

/* Likewise along a row of the buildings' coverage. */
template <typename T>
static __device__ __forceinline__ float
sum_row_of_built (const Shares &job, const T *x, int64_t pixel)
{
  int64_t row = pixel / job.w, col = pixel - row * job.w;
  int64_t first = col < job.half ? 0 : col - job.half;
  float sum = 0;

  for (int64_t q = first; q <= col + job.half && q < job.w; q++)
    sum += get_coverage (job, x, row * job.w + q, BUILT);
  return sum;
}

static __device__ __forceinline__ float
sum_row (const Shares &job, const float *plane, int64_t pixel)
{
  int64_t row = pixel / job.w, col = pixel - row * job.w;
  int64_t first = col < job.half ? 0 : col - job.half;
  float sum = 0;

  for (int64_t q = first; q <= col + job.half && q < job.w; q++)
    sum += plane[row * job.w + q];
  return sum;
}

/* @rows: (n_samples, n_pixels), room */
template <typename T>
static __global__ void
__launch_bounds__ (THREADS)
shares_kernel (T *y, const T *x, const float *scale, float *rows, Shares job)
{
  __shared__ float room[THREADS / UK_WARP];
  float built = 0, road = 0, large = 0;

  x += blockIdx.x * job.n_pixels * job.c;
  rows += blockIdx.x * job.n_pixels;
  for (int64_t p = threadIdx.x; p < job.n_pixels; p += THREADS)
    {
      rows[p] = sum_row_of_built (job, x, p);
      built += get_coverage (job, x, p, BUILT);
      road += get_coverage (job, x, p, ROAD);
    }
  __syncthreads ();
  for (int64_t p = threadIdx.x; p < job.n_pixels; p += THREADS)
    large += fmaxf (sum_column (job, rows, p) * job.per_box - job.level, 0.0f);
  built = uk_block_sum<THREADS> (built, room);
  road = uk_block_sum<THREADS> (road, room);
  large = uk_block_sum<THREADS> (large, room) / (1.0f - job.level);
  if (threadIdx.x < UK_N_SHARES)
    {
      int i = threadIdx.x;
      float sum = i == BUILT ? built : i == ROAD ? road : large;

      y[blockIdx.x * UK_N_SHARES + i]
        = uk_from_float<T> ((sum / (float) job.n_pixels - scale[i]) * scale[UK_N_SHARES + i]);
    }
}

/* @rows, @masks: (n_samples, n_pixels), room */
template <typename T>
static __global__ void
__launch_bounds__ (THREADS)
shares_grad_kernel (T *dx, const T *x, const T *dy, const float *scale, float *rows, float *masks,
                    Shares job)
{
  float g[UK_N_SHARES], of_box;

  x += blockIdx.x * job.n_pixels * job.c;
  dx += blockIdx.x * job.n_pixels * job.c;
  rows += blockIdx.x * job.n_pixels;
  masks += blockIdx.x * job.n_pixels;
#pragma unroll
  for (int i = 0; i < UK_N_SHARES; i++)
    g[i] = uk_to_float (dy[blockIdx.x * UK_N_SHARES + i]) * scale[UK_N_SHARES + i]
           / (float) job.n_pixels;
  of_box = g[LARGE] * job.per_box / (1.0f - job.level);

  for (int64_t p = threadIdx.x; p < job.n_pixels; p += THREADS)
    rows[p] = sum_row_of_built (job, x, p);
  __syncthreads ();
  for (int64_t p = threadIdx.x; p < job.n_pixels; p += THREADS)
    masks[p] = sum_column (job, rows, p) * job.per_box > job.level ? 1.0f : 0.0f;
  __syncthreads ();
  for (int64_t p = threadIdx.x; p < job.n_pixels; p += THREADS)
    rows[p] = sum_row (job, masks, p);
  __syncthreads ();
  for (int64_t p = threadIdx.x; p < job.n_pixels; p += THREADS)
    {
      float of_built = g[BUILT] + of_box * sum_column (job, rows, p);

      if (job.c == 1)
        {
          float value = uk_to_float (x[p]);

          dx[p] = uk_from_float<T> (value > 0 ? of_built : value < 0 ? -g[ROAD] : 0.0f);
          continue;
        }
      dx[p * job.c + BUILT] = uk_from_float<T> (0.5f * of_built);
      dx[p * job.c + ROAD] = uk_from_float<T> (0.5f * g[ROAD]);
      dx[p * job.c + 2] = uk_from_float<T> (0.0f);
    }
}

/* ------------------------------------------------------------------------ */

static size_t
plane_bytes (const UkOpDesc *desc)
{
  return uk_cuda_align ((size_t) (desc->x.n * desc->x.h * desc->x.w) * sizeof (float));
}

static UkStatus
prepare (UkCudaOp *op)
{
  int n_planes = op->base.desc.kind == UK_OP_SHARES ? 1 : 2;

  op->base.scratch_bytes = (size_t) n_planes * plane_bytes (&op->base.desc);
  return op->base.desc.x.n <= INT32_MAX ? UK_OK : UK_UNSUPPORTED;
}

template <typename T>
static UkStatus
run (UkCudaOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  Shares job = {};
  float *rows = (float *) scratch;

  job.n_pixels = desc->x.h * desc->x.w;
  job.w = desc->x.w;
  job.h = desc->x.h;
  job.c = (int) desc->x.c;
  job.half = desc->kernel / 2;
  job.level = desc->target;
  job.per_box = 1.0f / ((float) desc->kernel * (float) desc->kernel);
  if (desc->kind == UK_OP_SHARES)
    return uk_launch (op, shares_kernel<T>, (unsigned) desc->x.n, THREADS, (T *) args[2],
                      (const T *) args[0], (const float *) args[1], rows, job);
  return uk_launch (op, shares_grad_kernel<T>, (unsigned) desc->x.n, THREADS, (T *) args[3],
                    (const T *) args[0], (const T *) args[1], (const float *) args[2], rows,
                    (float *) ((char *) scratch + plane_bytes (desc)), job);
}

const UkCudaKernel uk_cuda_shares = { .prepare = prepare, .run = UK_RUN_ON_VALUES (run) };
