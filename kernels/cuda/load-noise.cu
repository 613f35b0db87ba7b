/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load-noise.cu - the networks' inputs: real tiles, and normal noise.
 *
 * The random words are those of uk-random.h, bit for bit.  Box and Muller's logarithm and circle functions
 * are in single precision, accurate to a few ulp: their arguments are reduced as integers, before rounding.
 */
#include "kernels/cuda/chunk.cuh"
#include "kernels/uk-random.h"

enum
{
  THREAD_BITS = 8,
  THREADS = 1 << THREAD_BITS,
  LOAD_REPEATS = 4 /* chunks per thread, since each block repeats the sample's random draw */
};

/* ------------------------------------------------------------------------ */
/* Tiles                                                                     */

/* A D4 element reads the source with constant steps. */
typedef struct
{
  int start, of_row, of_col; /* source pixels: the first, and steps per row and column of y */
} Walk;

typedef struct
{
  int       w, c, n_chunks; /* per sample */
  UkDivisor by_c, by_w, by_parts;
  bool      dihedral;
  uint32_t  stream;
  int64_t   first_sample, tile_bytes;
} Load;

static __device__ Walk
draw_walk (const Load &job, const uint64_t *rng, int64_t n)
{
  Walk walk = { 0, job.w, 1 };
  uint32_t words[4];
  int64_t row, col;

  if (!job.dihedral)
    return walk;
  uk_philox (rng, job.stream, (uint64_t) (job.first_sample + n), words);
  uk_dihedral_source (words[0] & 7, job.w, 0, 0, &row, &col);
  walk.start = (int) (row * job.w + col);
  uk_dihedral_source (words[0] & 7, job.w, 1, 0, &row, &col);
  walk.of_row = (int) (row * job.w + col) - walk.start;
  uk_dihedral_source (words[0] & 7, job.w, 0, 1, &row, &col);
  walk.of_col = (int) (row * job.w + col) - walk.start;
  return walk;
}

/* WIDTH values of y, starting at @at.  The fmaf() rounds once, for bits too, where a compiler would
 * evaluate the constants with two roundings. */
template <typename T, int WIDTH, bool BITS>
static __device__ __forceinline__ UkChunk<T, WIDTH>
load_chunk (const Load &job, const uint8_t *tile, Walk walk, int at)
{
  float values[WIDTH];
  UkPlace place = uk_place (at, job.by_c, job.by_w);

#pragma unroll
  for (int i = 0; i < WIDTH; i++)
    {
      int64_t pixel = walk.start + place.row * walk.of_row + place.col * walk.of_col;
      int64_t from = pixel * job.c + place.channel;
      float level = BITS ? (tile[from >> 3] >> (from & 7) & 1 ? 255 : 0) : tile[from];

      values[i] = fmaf (level, 1 / 127.5f, -1);
      uk_next_place (&place, job.w, job.c);
    }
  return uk_pack<T, WIDTH> (values);
}

template <typename T, int WIDTH, bool BITS>
static __global__ void
load_kernel (T *y, const uint8_t *tiles, const uint64_t *rng, Load job)
{
  __shared__ Walk drawn;
  int part, n = uk_divide (blockIdx.x, job.by_parts, &part);
  int64_t start = (int64_t) n * job.n_chunks * WIDTH;

  if (threadIdx.x == 0)
    drawn = draw_walk (job, rng, n);
  __syncthreads ();
  for (int k = 0; k < LOAD_REPEATS; k++)
    {
      int chunk = (part * LOAD_REPEATS + k) * THREADS + threadIdx.x;

      if (chunk < job.n_chunks)
        uk_write (y + start + chunk * WIDTH,
                  load_chunk<T, WIDTH, BITS> (job, tiles + n * job.tile_bytes, drawn,
                                              chunk * WIDTH));
    }
}

template <typename T, int WIDTH, bool BITS>
static UkStatus
launch_load (UkCudaOp *op, T *y, const uint8_t *tiles, const uint64_t *rng)
{
  const UkOpDesc *desc = &op->base.desc;
  UkShape shape = desc->y;
  Load job = {};
  unsigned n_parts;

  job.w = (int) shape.w;
  job.c = (int) shape.c;
  job.n_chunks = (int) (shape.h * shape.w * shape.c / WIDTH);
  job.by_c = uk_divisor (shape.c);
  job.by_w = uk_divisor (shape.w);
  job.dihedral = desc->dihedral;
  job.stream = desc->stream;
  job.first_sample = desc->first_sample;
  job.tile_bytes = uk_op_arg_count (desc, 0) / shape.n;
  n_parts = uk_n_blocks (job.n_chunks, THREADS * LOAD_REPEATS, INT32_MAX);
  job.by_parts = uk_divisor (n_parts);
  return uk_launch (op, load_kernel<T, WIDTH, BITS>, n_parts * (unsigned) shape.n, THREADS, y, tiles,
                    rng, job);
}

template <typename T, bool BITS>
static UkStatus
load (UkCudaOp *op, T *y, const uint8_t *tiles, const uint64_t *rng)
{
  constexpr int WIDTH = UkLane<T>::N;
  UkShape shape = op->base.desc.y;

  if (shape.h * shape.w * shape.c % WIDTH == 0 && uk_are_aligned (y))
    return launch_load<T, WIDTH, BITS> (op, y, tiles, rng);
  return launch_load<T, 1, BITS> (op, y, tiles, rng);
}

template <typename T>
static UkStatus
run_load (UkCudaOp *op, void *const *args, void *scratch)
{
  const uint8_t *tiles = (const uint8_t *) args[0];
  const uint64_t *rng = (const uint64_t *) args[1];
  T *y = (T *) args[2];

  return op->base.desc.bits ? load<T, true> (op, y, tiles, rng)
                            : load<T, false> (op, y, tiles, rng);
}

/* ------------------------------------------------------------------------ */
/* Noise                                                                     */

/* sqrt (-2 log ((word + 1) / 2^32)).  Near 1 the distance from 1 matters, and is exact. */
static __device__ __forceinline__ float
normal_radius (uint32_t word)
{
  float logarithm = word >> 31 ? log1pf (-0x1p-32f * (float) ~word)
                               : logf (0x1p-32f * (float) (word + 1));

  return sqrtf (-2 * logarithm);
}

/* Sine and cosine of word / 2^32 turns: the nearest quarter turn, plus at most an eighth. */
static __device__ __forceinline__ void
normal_angle (uint32_t word, float *sine, float *cosine)
{
  uint32_t quarter = (word + (1u << 29)) >> 30;
  float s, c;

  sincospif (0x1p-31f * (float) (int32_t) (word - (quarter << 30)), &s, &c);
  *sine = quarter & 1 ? c : s;
  *cosine = quarter & 1 ? s : c;
  *sine = quarter & 2 ? -*sine : *sine;
  *cosine = (quarter + 1) & 2 ? -*cosine : *cosine;
}

/* uk_normal4() in single precision. */
static __device__ __forceinline__ void
normal4 (const uint32_t words[4], float out[4])
{
#pragma unroll
  for (int pair = 0; pair < 2; pair++)
    {
      float radius = normal_radius (words[2 * pair]), sine, cosine;

      normal_angle (words[2 * pair + 1], &sine, &cosine);
      out[2 * pair] = radius * cosine;
      out[2 * pair + 1] = radius * sine;
    }
}

typedef struct
{
  int       per_sample;  /* values */
  int       sample_bits; /* log2 of the samples per block */
  UkDivisor by_parts;
  uint32_t  stream;
  int64_t   first_sample, n_samples;
} Noise;

/* A thread generates four values.  WHOLE: they can be written at once. */
template <typename T, bool WHOLE>
static __global__ void
noise_kernel (T *y, const uint64_t *rng, Noise job)
{
  int width_bits = THREAD_BITS - job.sample_bits;
  int part, group = uk_divide (blockIdx.x, job.by_parts, &part);
  int block = (part << width_bits) + (threadIdx.x & ((1 << width_bits) - 1));
  int64_t n = ((int64_t) group << job.sample_bits) + (threadIdx.x >> width_bits);
  T *to = y + n * job.per_sample + 4 * block;
  uint32_t words[4];
  float normal[4];

  if (n >= job.n_samples || 4 * block >= job.per_sample)
    return;
  uk_philox (rng, job.stream, ((uint64_t) (job.first_sample + n) << 20) + block, words);
  normal4 (words, normal);
  if (WHOLE)
    uk_write (to, uk_pack<T, 4> (normal));
  else
#pragma unroll
    for (int i = 0; i < 4; i++)
      if (4 * block + i < job.per_sample)
        to[i] = uk_from_float<T> (normal[i]);
}

template <typename T>
static UkStatus
run_noise (UkCudaOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  const uint64_t *rng = (const uint64_t *) args[0];
  T *y = (T *) args[1];
  Noise job = {};
  unsigned n_parts, n_groups;

  job.per_sample = (int) (desc->y.h * desc->y.w * desc->y.c);
  job.stream = desc->stream;
  job.first_sample = desc->first_sample;
  job.n_samples = desc->y.n;
  while (job.sample_bits < THREAD_BITS && 2 * THREADS >> job.sample_bits >= job.per_sample)
    job.sample_bits++;
  n_parts = uk_n_blocks (job.per_sample, 4 * THREADS >> job.sample_bits, INT32_MAX);
  n_groups = uk_n_blocks (desc->y.n, 1 << job.sample_bits, INT32_MAX);
  job.by_parts = uk_divisor (n_parts);
  if (job.per_sample % 4 == 0 && uk_are_aligned (y))
    return uk_launch (op, noise_kernel<T, true>, n_parts * n_groups, THREADS, y, rng, job);
  return uk_launch (op, noise_kernel<T, false>, n_parts * n_groups, THREADS, y, rng, job);
}

static UkStatus
prepare (UkCudaOp *op)
{
  return uk_samples_fit (op->base.desc.y) ? UK_OK : UK_UNSUPPORTED;
}

const UkCudaKernel uk_cuda_load = { .prepare = prepare, .run = UK_RUN_ON_VALUES (run_load) };
const UkCudaKernel uk_cuda_noise = { .prepare = prepare, .run = UK_RUN_ON_VALUES (run_noise) };
