/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adam.cu - Adam (Kingma & Ba, 1412.6980), the moving average of the weights and their packed copy, in one pass
 * over the flat block of all parameters.
 *
 * Memory-bound: w, g, m, v and ema are read once, all but g and the packed copy written once.  Each combination of m
 * and ema has a kernel of its own.
 */
#include "kernels/cuda/vector.cuh"

enum
{
  THREADS = 256,
  AT_ONCE = 2,         /* vectors of each array */
  MAX_BLOCKS = 16 * 132
};

template <typename T> struct Job
{
  float       *w;
  const float *g;
  float       *m, *v, *ema; /* m, ema: (nullable) */
  T           *packed;      /* (nullable) */
  const float *hyper, *norm;
  int64_t      count;
};

typedef struct
{
  float scale;                /* of the gradient */
  float beta1, beta2;
  float kept;                 /* of a weight: 1 - lr * decay */
  float rate;                 /* lr / correction1 */
  float inv_sqrt_correction2;
  float eps;
  float ema_beta;
} Rates;

/* V elements of each array. */
template <int V> struct Lanes
{
  float w[V], g[V], m[V], v[V], ema[V];
};

template <int V, bool HAS_M, bool HAS_EMA, typename T>
static __device__ __forceinline__ void
load (const Job<T> &job, int64_t at, Lanes<V> *x)
{
  uk_load_vector<V> (job.g + at, x->g);
  uk_load_vector<V> (job.v + at, x->v);
  uk_load_vector<V> (job.w + at, x->w);
  if (HAS_M)
    uk_load_vector<V> (job.m + at, x->m);
  if (HAS_EMA)
    uk_load_vector<V> (job.ema + at, x->ema);
}

/* Explicit fused multiply-adds, so that an element's result does not depend on whether it is part of a
 * vector. */
template <int V, bool HAS_M, bool HAS_EMA, typename T>
static __device__ __forceinline__ void
update (const Job<T> &job, const Rates &k, int64_t at, Lanes<V> *x)
{
#pragma unroll
  for (int j = 0; j < V; j++)
    {
      float g = k.scale * x->g[j], first = (1 - k.beta1) * g, root;

      if (HAS_M)
        first = x->m[j] = fmaf (k.beta1, x->m[j], first);
      x->v[j] = fmaf (k.beta2, x->v[j], (1 - k.beta2) * g * g);
      root = fmaf (sqrtf (x->v[j]), k.inv_sqrt_correction2, k.eps);
      x->w[j] = fmaf (k.kept, x->w[j], -(k.rate * first / root));
      if (HAS_EMA)
        x->ema[j] = fmaf (k.ema_beta, x->ema[j], (1 - k.ema_beta) * x->w[j]);
    }
  uk_store_vector<V> (job.w + at, x->w);
  uk_store_vector<V> (job.v + at, x->v);
  if (HAS_M)
    uk_store_vector<V> (job.m + at, x->m);
  if (HAS_EMA)
    uk_store_vector<V> (job.ema + at, x->ema);
  if (job.packed != NULL)
    uk_store_vector<V> (job.packed + at, x->w);
}

template <int V, bool HAS_M, bool HAS_EMA, typename T>
static __global__ void
__launch_bounds__ (THREADS)
adam (Job<T> job)
{
  int64_t n_vectors = job.count / V, step = (int64_t) gridDim.x * THREADS;
  int64_t thread = (int64_t) blockIdx.x * THREADS + threadIdx.x, i = thread;

  if (job.norm[1] == 0)
    return; /* a non-finite gradient: skip this step */

  const float *hyper = job.hyper;
  const Rates k = {
    job.norm[1],
    hyper[UK_HYPER_BETA1],
    hyper[UK_HYPER_BETA2],
    1 - hyper[UK_HYPER_LR] * hyper[UK_HYPER_WEIGHT_DECAY],
    hyper[UK_HYPER_LR] / hyper[UK_HYPER_CORRECTION1],
    1 / sqrtf (hyper[UK_HYPER_CORRECTION2]),
    hyper[UK_HYPER_EPS],
    hyper[UK_HYPER_EMA_BETA],
  };

  for (; i + (AT_ONCE - 1) * step < n_vectors; i += AT_ONCE * step)
    {
      Lanes<V> lanes[AT_ONCE];

#pragma unroll
      for (int r = 0; r < AT_ONCE; r++)
        load<V, HAS_M, HAS_EMA> (job, (i + r * step) * V, &lanes[r]);
#pragma unroll
      for (int r = 0; r < AT_ONCE; r++)
        update<V, HAS_M, HAS_EMA> (job, k, (i + r * step) * V, &lanes[r]);
    }
  for (; i < n_vectors; i += step)
    {
      Lanes<V> lanes;

      load<V, HAS_M, HAS_EMA> (job, i * V, &lanes);
      update<V, HAS_M, HAS_EMA> (job, k, i * V, &lanes);
    }
  if (n_vectors * V + thread < job.count)
    {
      Lanes<1> last;

      load<1, HAS_M, HAS_EMA> (job, n_vectors * V + thread, &last);
      update<1, HAS_M, HAS_EMA> (job, k, n_vectors * V + thread, &last);
    }
}

template <int V, typename T>
static UkStatus
run_with (UkCudaOp *op, const Job<T> &job)
{
  static void (*const kernels[2][2]) (Job<T>) = {
    { adam<V, false, false, T>, adam<V, false, true, T> },
    { adam<V, true, false, T>, adam<V, true, true, T> },
  };

  return uk_launch (op, kernels[job.m != NULL][job.ema != NULL],
                    dim3 (uk_n_blocks (job.count, (int64_t) THREADS * AT_ONCE * V, MAX_BLOCKS)),
                    dim3 (THREADS), job);
}

template <typename T>
static UkStatus
run (UkCudaOp *op, void *const *args, void *scratch)
{
  Job<T> job = {
    (float *) args[0], (const float *) args[1], (float *) args[2], (float *) args[3], (float *) args[4],
    (T *) args[7], (const float *) args[5], (const float *) args[6], op->base.desc.x.n,
  };
  bool is_aligned = uk_are_aligned (job.w, job.g, job.m, job.v, job.ema)
                    && (uintptr_t) job.packed % (4 * sizeof (T)) == 0;

  return is_aligned ? run_with<4> (op, job) : run_with<1> (op, job);
}

const UkCudaKernel uk_cuda_adam = { .run = UK_RUN_ON_VALUES (run) };
