/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch-norm-grad.cu - batch norm backward, through its activation, in two passes.
 *
 * With g = dy act' (gamma xhat + beta), N values of a channel and xhat = (x - mean) inv_std:
 *
 *   dbeta = sum g,  dgamma = sum g xhat
 *   dx = gamma inv_std (g - dbeta / N - xhat dgamma / N)
 *
 * Both passes compute g from x and dy, which they read anyway: the output y is not read, which makes five
 * accesses of memory instead of seven.
 */
#include "kernels/cuda/batch-norm.cuh"

/* The forward pass of a thread's channels: y = act ((x - mean) scale + beta). */
template <int V>
struct Affine
{
  float mean[V], scale[V], beta[V];
};

typedef float Slots[UK_NORM_THREADS];

/* @slots: three, in shared memory; contains a __syncthreads (). */
template <int V>
static __device__ __forceinline__ void
read_affine (const UkNormBackward &args, const UkNormTiling &t, const UkNormPlace &p, Slots *slots,
             Affine<V> &out)
{
  if (uk_norm_has_slot<V> (t))
    {
      unsigned channel = uk_norm_channel_of_slot<V> (t, p);

      slots[0][threadIdx.x] = args.mean[channel];
      slots[1][threadIdx.x] = args.gamma[channel] * args.inv_std[channel];
      slots[2][threadIdx.x] = args.beta[channel];
    }
  __syncthreads ();
  uk_norm_read_slots<V> (slots[0], p, out.mean);
  uk_norm_read_slots<V> (slots[1], p, out.scale);
  uk_norm_read_slots<V> (slots[2], p, out.beta);
}

/* Loads one vector of g and of x - mean.  The fmaf() is that of the forward pass, so that both agree on the
 * sign. */
template <typename T, int V, UkAct ACT>
static __device__ __forceinline__ void
load_gradient (const T *x, const T *dy, const Affine<V> &affine, float slope, float centered[V], float g[V])
{
  uk_load_vector<V> (x, centered);
  uk_load_vector<V> (dy, g);
#pragma unroll
  for (int j = 0; j < V; j++)
    {
      centered[j] -= affine.mean[j];
      if (ACT != UK_ACT_NONE)
        g[j] *= uk_act_slope<ACT> (uk_act<ACT> (fmaf (centered[j], affine.scale[j], affine.beta[j]), slope), slope);
    }
}

typedef struct
{
  UkNormBackward args;
  UkNormTiling   tiling;
  float          slope;
} Job;

/* ------------------------------------------------------------------------ */
/* Sums                                                                      */

/* Sums of g and of g (x - mean), each (bands, columns, V). */
template <typename T, int V, UkAct ACT>
static __global__ void
__launch_bounds__ (UK_NORM_THREADS, 3)
sum_bands (Job job, float *sums_g, float *sums_gx)
{
  enum { AT_ONCE = 2 };

  __shared__ float room[2 * V * UK_NORM_THREADS];
  __shared__ __align__ (16) Slots slots[3];
  const UkNormTiling &t = job.tiling;
  const UkNormPlace p = uk_norm_place<V> (t, false);
  const T *x = (const T *) job.args.x, *dy = (const T *) job.args.dy;
  Affine<V> affine;
  float sums[2 * V] = { 0 };
  int64_t at = p.first, i = 0;

  read_affine<V> (job.args, t, p, slots, affine);
  for (; i + AT_ONCE <= p.count; i += AT_ONCE, at += AT_ONCE * p.step)
    {
      float centered[AT_ONCE][V], g[AT_ONCE][V];

#pragma unroll
      for (int r = 0; r < AT_ONCE; r++)
        load_gradient<T, V, ACT> (x + at + r * p.step, dy + at + r * p.step, affine, job.slope, centered[r],
                                  g[r]);
#pragma unroll
      for (int r = 0; r < AT_ONCE; r++)
#pragma unroll
        for (int j = 0; j < V; j++)
          {
            sums[j] += g[r][j];
            sums[V + j] = fmaf (g[r][j], centered[r][j], sums[V + j]);
          }
    }
  for (; i < p.count; i++, at += p.step)
    {
      float centered[V], g[V];

      load_gradient<T, V, ACT> (x + at, dy + at, affine, job.slope, centered, g);
#pragma unroll
      for (int j = 0; j < V; j++)
        {
          sums[j] += g[j];
          sums[V + j] = fmaf (g[j], centered[j], sums[V + j]);
        }
    }

  uk_norm_column_sums<2 * V, UK_NORM_THREADS> (sums, room, t.width, t.height);
  if (p.y == 0 && p.count > 0)
    {
      int64_t to = (p.band * t.columns + p.column) * V;

#pragma unroll
      for (int j = 0; j < V; j++)
        {
          sums_g[to + j] = sums[j];
          sums_gx[to + j] = sums[V + j];
        }
    }
}

/* Partial sums of the bands, as matrices of c columns. */
typedef struct
{
  const float *sums_g, *sums_gx;
  unsigned     c;
  int64_t      n_rows;
  const float *inv_std;
  float       *sums, *dgamma, *dbeta; /* the latter (nullable) */
  bool         accumulate;
} Bands;

static __device__ __forceinline__ void
store_gradient (float *gradient, unsigned channel, float value, bool accumulate)
{
  if (gradient != NULL)
    gradient[channel] = (accumulate ? gradient[channel] : 0) + value;
}

static __global__ void
__launch_bounds__ (UK_NORM_SUM_THREADS)
add_bands (Bands bands, int width)
{
  __shared__ float room[2 * UK_NORM_SUM_THREADS];
  int height = UK_NORM_SUM_THREADS / width, y = (int) threadIdx.x / width;
  unsigned channel = blockIdx.x * width + threadIdx.x % width;
  bool is_there = channel < bands.c && y < height;
  float sums[2] = { 0 };

#pragma unroll 4
  for (int64_t i = is_there ? y : bands.n_rows; i < bands.n_rows; i += height)
    {
      sums[0] += bands.sums_g[i * bands.c + channel];
      sums[1] += bands.sums_gx[i * bands.c + channel];
    }
  uk_norm_column_sums<2, UK_NORM_SUM_THREADS> (sums, room, width, height);
  if (is_there && y == 0)
    {
      float dgamma = sums[1] * bands.inv_std[channel], dbeta = sums[0];

      bands.sums[channel] = dgamma;
      bands.sums[bands.c + channel] = dbeta;
      store_gradient (bands.dgamma, channel, dgamma, bands.accumulate);
      store_gradient (bands.dbeta, channel, dbeta, bands.accumulate);
    }
}

template <typename T, int V>
static UkStatus
find_sums (UkCudaOp *op, const UkNormBackward *args, float *dgamma, float *dbeta, float *room)
{
  static void (*const kernels[]) (Job, float *, float *) = {
    sum_bands<T, V, UK_ACT_NONE>, sum_bands<T, V, UK_ACT_RELU>, sum_bands<T, V, UK_ACT_LEAKY_RELU>,
    sum_bands<T, V, UK_ACT_TANH>, sum_bands<T, V, UK_ACT_SIGMOID>,
  };
  const UkOpDesc *desc = &op->base.desc;
  Job job = { *args, uk_norm_tiling (desc, V), desc->slope };
  unsigned c = job.tiling.c;
  int64_t n_rows = uk_norm_sum_rows (&job.tiling, V);
  int width = c < UK_NORM_SUM_WIDTH ? 1 : UK_NORM_SUM_WIDTH;
  float *sums_gx = room + n_rows * c;
  Bands bands = { room, sums_gx, c, n_rows, args->inv_std, args->sums, dgamma, dbeta,
                  desc->accumulate };
  UkStatus status = uk_launch (op, kernels[desc->act], UK_NORM_GRID (job.tiling),
                               dim3 (UK_NORM_THREADS), job, room, sums_gx);

  if (status != UK_OK)
    return status;
  return uk_launch (op, add_bands, dim3 ((unsigned) uk_norm_divide_up (c, width)),
                    dim3 (UK_NORM_SUM_THREADS), bands, width);
}

UkStatus
uk_norm_find_sums (UkCudaOp *op, const UkNormBackward *args, float *dgamma, float *dbeta,
                   void *room)
{
  return UK_NORM_RUN (find_sums, op, uk_are_aligned (args->x, args->dy), args, dgamma, dbeta,
                      (float *) room);
}

/* ------------------------------------------------------------------------ */
/* The data gradient                                                         */

/* One vector of dx = scale (g - b - (x - mean) d). */
template <typename T, int V>
static __device__ __forceinline__ void
store_dx (T *dx, const float centered[V], const float g[V], const float scale[V], const float b[V],
          const float d[V])
{
  float out[V];

#pragma unroll
  for (int j = 0; j < V; j++)
    out[j] = scale[j] * (g[j] - fmaf (centered[j], d[j], b[j]));
  uk_store_vector<V> (dx, out);
}

/* From the last row to the first: the sums ran from the first to the last, so that the last rows are
 * still in the cache.  dx may be dy. */
template <typename T, int V, UkAct ACT>
static __global__ void
__launch_bounds__ (UK_NORM_THREADS, 3)
apply (Job job, float inv_n, T *dx)
{
  enum { AT_ONCE = 2 };

  __shared__ __align__ (16) Slots slots[5];
  const UkNormTiling &t = job.tiling;
  const UkNormPlace p = uk_norm_place<V> (t, true);
  const T *x = (const T *) job.args.x, *dy = (const T *) job.args.dy;
  Affine<V> affine;
  float b[V], d[V];
  int64_t left = p.count, at = p.first + (p.count - 1) * p.step;

  if (uk_norm_has_slot<V> (t))
    {
      unsigned channel = uk_norm_channel_of_slot<V> (t, p);

      slots[3][threadIdx.x] = job.args.sums[t.c + channel] * inv_n;
      slots[4][threadIdx.x] = job.args.sums[channel] * inv_n * job.args.inv_std[channel];
    }
  read_affine<V> (job.args, t, p, slots, affine);
  uk_norm_read_slots<V> (slots[3], p, b);
  uk_norm_read_slots<V> (slots[4], p, d);

  for (; left >= AT_ONCE; left -= AT_ONCE, at -= AT_ONCE * p.step)
    {
      float centered[AT_ONCE][V], g[AT_ONCE][V];

#pragma unroll
      for (int r = 0; r < AT_ONCE; r++)
        load_gradient<T, V, ACT> (x + at - r * p.step, dy + at - r * p.step, affine, job.slope, centered[r],
                                  g[r]);
#pragma unroll
      for (int r = 0; r < AT_ONCE; r++)
        store_dx<T, V> (dx + at - r * p.step, centered[r], g[r], affine.scale, b, d);
    }
  if (left > 0)
    {
      float centered[V], g[V];

      load_gradient<T, V, ACT> (x + at, dy + at, affine, job.slope, centered, g);
      store_dx<T, V> (dx + at, centered, g, affine.scale, b, d);
    }
}

template <typename T, int V>
static UkStatus
find_dx (UkCudaOp *op, const UkNormBackward *args, double n_values, void *dx)
{
  static void (*const kernels[]) (Job, float, T *) = {
    apply<T, V, UK_ACT_NONE>, apply<T, V, UK_ACT_RELU>, apply<T, V, UK_ACT_LEAKY_RELU>,
    apply<T, V, UK_ACT_TANH>, apply<T, V, UK_ACT_SIGMOID>,
  };
  const UkOpDesc *desc = &op->base.desc;
  Job job = { *args, uk_norm_tiling (desc, V), desc->slope };

  return uk_launch (op, kernels[desc->act], UK_NORM_GRID (job.tiling), dim3 (UK_NORM_THREADS), job,
                    (float) (1 / n_values), (T *) dx);
}

UkStatus
uk_norm_find_dx (UkCudaOp *op, const UkNormBackward *args, double n_values, void *dx)
{
  return UK_NORM_RUN (find_dx, op, uk_are_aligned (args->x, args->dy, dx), args, n_values, dx);
}

/* ------------------------------------------------------------------------ */
/* The operation                                                             */

/* Scratch: partial sums of the bands, then sums (2, c). */
static UkStatus
prepare (UkCudaOp *op)
{
  UkStatus status = uk_norm_prepare<UK_NORM_N_SUMS> (op);

  if (status == UK_OK)
    op->base.scratch_bytes += 2 * (size_t) op->base.desc.x.c * sizeof (float);
  return status;
}

static UkStatus
run (UkCudaOp *op, void *const *args, void *scratch)
{
  UkShape x = op->base.desc.x;
  UkNormBackward backward = {
    args[0], args[1],
    (const float *) args[2], (const float *) args[3], (const float *) args[4], (const float *) args[5],
    (float *) ((char *) scratch + uk_norm_sums_bytes (op, UK_NORM_N_SUMS)),
  };
  UkStatus status = uk_norm_find_sums (op, &backward, (float *) args[7], (float *) args[8],
                                       scratch);

  if (status != UK_OK)
    return status;
  return uk_norm_find_dx (op, &backward, (double) (x.n * x.h * x.w), args[6]);
}

const UkCudaKernel uk_cuda_batch_norm_grad = { .prepare = prepare, .run = run };
