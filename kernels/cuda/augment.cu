/* SPDX-License-Identifier: Apache-2.0 */
/*
 * augment.cu - DiffAugment's translation and cut-out (Zhao et al. 2020, 2006.10738), and their
 * adjoint.
 *
 * Both select which pixel, if any, becomes an output pixel: forward by a shift, backward by the opposite
 * shift, with the cut-out shifted too.  Both write every pixel once, so one kernel serves for both.
 */
#include "kernels/cuda/chunk.cuh"
#include "kernels/uk-random.h"

enum
{
  THREADS = 256,
  REPEATS = 4 /* chunks per thread, since each block repeats the sample's random draw */
};

/* In the coordinates of the output pixel. */
typedef struct
{
  int shift_rows, shift_cols;      /* from the output pixel to its source */
  int cut_top, cut_left, cut_edge; /* cut_edge 0: no cut-out */
} Draw;

typedef struct
{
  int       edge, c, n_chunks; /* per sample */
  UkDivisor by_c, by_edge, by_parts;
  bool      is_adjoint;
  uint32_t  stream;
  int64_t   first_sample;
} Augment;

/* Random draws as in uk-random.h. */
static __device__ Draw
draw_sample (const Augment &job, const uint64_t *rng, float p, int64_t n)
{
  uint64_t sample = (uint64_t) (job.first_sample + n);
  int m = job.edge / 8;
  uint32_t words[4];
  Draw draw = { 0, 0, 0, 0, 0 };

  uk_philox (rng, job.stream, 2 * sample, words);
  if (uk_uniform (words[0]) < p)
    {
      draw.shift_cols = m - (int) (uk_uniform (words[1]) * (2 * m + 1));
      draw.shift_rows = m - (int) (uk_uniform (words[2]) * (2 * m + 1));
    }
  uk_philox (rng, job.stream, 2 * sample + 1, words);
  if (uk_uniform (words[0]) < p)
    {
      draw.cut_left = (int) (uk_uniform (words[1]) * job.edge) - job.edge / 4;
      draw.cut_top = (int) (uk_uniform (words[2]) * job.edge) - job.edge / 4;
      draw.cut_edge = 2 * (job.edge / 4);
    }
  if (job.is_adjoint) /* the cut-out is in y, the source of dx */
    {
      draw.cut_left += draw.shift_cols;
      draw.cut_top += draw.shift_rows;
      draw.shift_cols = -draw.shift_cols;
      draw.shift_rows = -draw.shift_rows;
    }
  return draw;
}

/* Whether x <= at < x + n, for n >= 0. */
static __device__ __forceinline__ bool
is_within (int at, int x, int n)
{
  return (unsigned) (at - x) < (unsigned) n;
}

/* WIDTH values of the sample, starting at @at. */
template <typename T, int WIDTH>
static __device__ __forceinline__ UkChunk<T, WIDTH>
augment_chunk (const Augment &job, const T *src, const Draw &draw, int at)
{
  int shift = (draw.shift_rows * job.edge + draw.shift_cols) * job.c;
  UkPlace place = uk_place (at, job.by_c, job.by_edge);
  float values[WIDTH];

#pragma unroll
  for (int i = 0; i < WIDTH; i++)
    {
      bool is_there = is_within (place.row + draw.shift_rows, 0, job.edge)
                      && is_within (place.col + draw.shift_cols, 0, job.edge)
                      && !(is_within (place.row, draw.cut_top, draw.cut_edge)
                           && is_within (place.col, draw.cut_left, draw.cut_edge));

      values[i] = is_there ? uk_to_float (src[at + i + shift]) : 0;
      uk_next_place (&place, job.edge, job.c);
    }
  return uk_pack<T, WIDTH> (values);
}

template <typename T, int WIDTH>
static __global__ void
augment_kernel (T *dst, const T *src, const uint64_t *rng, const float *p, Augment job)
{
  __shared__ Draw drawn;
  int part, n = uk_divide (blockIdx.x, job.by_parts, &part);
  int64_t start = (int64_t) n * job.n_chunks * WIDTH;

  if (threadIdx.x == 0)
    drawn = draw_sample (job, rng, *p, n);
  __syncthreads ();
  for (int k = 0; k < REPEATS; k++)
    {
      int chunk = (part * REPEATS + k) * THREADS + threadIdx.x;

      if (chunk < job.n_chunks)
        uk_write (dst + start + chunk * WIDTH,
                  augment_chunk<T, WIDTH> (job, src + start, drawn, chunk * WIDTH));
    }
}

template <typename T, int WIDTH>
static UkStatus
launch_augment (UkCudaOp *op, T *dst, const T *src, const uint64_t *rng, const float *p)
{
  const UkOpDesc *desc = &op->base.desc;
  UkShape shape = desc->x;
  Augment job = {};
  unsigned n_parts;

  job.edge = (int) shape.h;
  job.c = (int) shape.c;
  job.n_chunks = (int) (shape.h * shape.w * shape.c / WIDTH);
  job.by_c = uk_divisor (shape.c);
  job.by_edge = uk_divisor (shape.h);
  job.is_adjoint = desc->kind == UK_OP_AUGMENT_GRAD;
  job.stream = desc->stream;
  job.first_sample = desc->first_sample;
  n_parts = uk_n_blocks (job.n_chunks, THREADS * REPEATS, INT32_MAX);
  job.by_parts = uk_divisor (n_parts);
  return uk_launch (op, augment_kernel<T, WIDTH>, n_parts * (unsigned) shape.n, THREADS, dst, src,
                    rng, p, job);
}

template <typename T>
static UkStatus
run_augment (UkCudaOp *op, void *const *args, void *scratch)
{
  constexpr int WIDTH = UkLane<T>::N;
  const T *src = (const T *) args[0];
  const uint64_t *rng = (const uint64_t *) args[1];
  const float *p = (const float *) args[2];
  T *dst = (T *) args[3];
  UkShape shape = op->base.desc.x;

  if (shape.h * shape.w * shape.c % WIDTH == 0 && uk_are_aligned (dst))
    return launch_augment<T, WIDTH> (op, dst, src, rng, p);
  return launch_augment<T, 1> (op, dst, src, rng, p);
}

const UkCudaKernel uk_cuda_augment = { .prepare = uk_prepare_samples, .run = UK_RUN_ON_VALUES (run_augment) };
