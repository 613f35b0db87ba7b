/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resample.cu - upsampling and downsampling by two with the bilinear filter [1 3 3 1] (R3GAN, 2501.05441).
 *
 * The filter is applied along the columns and then along the rows.  A thread handles one column and one
 * chunk of channels of the coarse image, and iterates over a few of its rows: neighbors within a row come
 * from the L1 cache, and values shared between rows stay in registers.
 */
#include "kernels/cuda/chunk.cuh"

enum
{
  THREADS = 256,
  MAX_STRIP = 8,        /* coarse rows per thread */
  MIN_THREADS = 1 << 16 /* in total: strips are shortened to reach this */
};

typedef struct
{
  int       h, w;      /* of the coarse image */
  int       n_chunks;  /* per pixel */
  int       strip;     /* coarse rows per thread */
  int       n_threads; /* per sample */
  UkDivisor by_chunks, by_w, by_parts;
  float     scale;
} Resample;

typedef struct
{
  int chunk, col, row; /* in the coarse image; row: the strip's first */
} Place;

static __device__ __forceinline__ Place
place_of (const Resample &job, int thread)
{
  Place place;
  int column = uk_divide (thread, job.by_chunks, &place.chunk);

  place.row = uk_divide (column, job.by_w, &place.col) * job.strip;
  return place;
}

/* A chunk of a pixel of an image of @h x @w, or zeros outside. */
template <typename T, int WIDTH>
static __device__ __forceinline__ void
read_pixel (const T *image, int h, int w, int n_chunks, int row, int col, int chunk,
            float out[WIDTH])
{
#pragma unroll
  for (int i = 0; i < WIDTH; i++)
    out[i] = 0;
  if ((unsigned) row < (unsigned) h && (unsigned) col < (unsigned) w)
    uk_unpack (uk_read<WIDTH> (image + ((int64_t) (row * w + col) * n_chunks + chunk) * WIDTH),
               out);
}

/* ------------------------------------------------------------------------ */
/* Up                                                                        */

/* Contribution of a coarse row to fine columns 2 col and 2 col + 1. */
template <int WIDTH> struct Pair
{
  float left[WIDTH], right[WIDTH];
};

template <typename T, int WIDTH>
static __device__ __forceinline__ Pair<WIDTH>
upsample_row (const Resample &job, const T *x, int row, int col, int chunk)
{
  float before[WIDTH], here[WIDTH], after[WIDTH], scale = job.scale / 16;
  Pair<WIDTH> pair;

  read_pixel<T, WIDTH> (x, job.h, job.w, job.n_chunks, row, col - 1, chunk, before);
  read_pixel<T, WIDTH> (x, job.h, job.w, job.n_chunks, row, col, chunk, here);
  read_pixel<T, WIDTH> (x, job.h, job.w, job.n_chunks, row, col + 1, chunk, after);
#pragma unroll
  for (int i = 0; i < WIDTH; i++)
    {
      pair.left[i] = scale * (3 * here[i] + before[i]);
      pair.right[i] = scale * (3 * here[i] + after[i]);
    }
  return pair;
}

/* Blends two rows, the nearer one with weight 3. */
template <typename T, int WIDTH>
static __device__ __forceinline__ void
write_fine (T *y, const float near[WIDTH], const float far[WIDTH])
{
  float values[WIDTH];

#pragma unroll
  for (int i = 0; i < WIDTH; i++)
    values[i] = 3 * near[i] + far[i];
  uk_write (y, uk_pack<T, WIDTH> (values));
}

template <typename T, int WIDTH>
static __device__ __forceinline__ void
upsample_strip (const Resample &job, T *__restrict__ y, const T *__restrict__ x, Place place)
{
  int64_t pixel = (int64_t) job.n_chunks * WIDTH, line = 2 * job.w * pixel;
  int end = place.row + job.strip < job.h ? place.row + job.strip : job.h;
  Pair<WIDTH> above, here, below;

  above = upsample_row<T, WIDTH> (job, x, place.row - 1, place.col, place.chunk);
  here = upsample_row<T, WIDTH> (job, x, place.row, place.col, place.chunk);
  for (int row = place.row; row < end; row++)
    {
      T *to = y + 2 * row * line + 2 * place.col * pixel + place.chunk * WIDTH;

      below = upsample_row<T, WIDTH> (job, x, row + 1, place.col, place.chunk);
      write_fine<T, WIDTH> (to, here.left, above.left);
      write_fine<T, WIDTH> (to + pixel, here.right, above.right);
      write_fine<T, WIDTH> (to + line, here.left, below.left);
      write_fine<T, WIDTH> (to + line + pixel, here.right, below.right);
      above = here;
      here = below;
    }
}

/* ------------------------------------------------------------------------ */
/* Down                                                                      */

/* Contribution of a fine row to coarse column @col. */
template <typename T, int WIDTH>
static __device__ __forceinline__ void
downsample_row (const Resample &job, const T *x, int row, int col, int chunk, float sum[WIDTH])
{
  float scale = job.scale / 64, pixels[4][WIDTH];

#pragma unroll
  for (int k = 0; k < 4; k++)
    read_pixel<T, WIDTH> (x, 2 * job.h, 2 * job.w, job.n_chunks, row, 2 * col - 1 + k, chunk,
                          pixels[k]);
#pragma unroll
  for (int i = 0; i < WIDTH; i++)
    sum[i] = scale * (pixels[0][i] + 3 * (pixels[1][i] + pixels[2][i]) + pixels[3][i]);
}

template <typename T, int WIDTH>
static __device__ __forceinline__ void
downsample_strip (const Resample &job, T *__restrict__ y, const T *__restrict__ x, Place place)
{
  int end = place.row + job.strip < job.h ? place.row + job.strip : job.h;
  float rows[4][WIDTH];

  downsample_row<T, WIDTH> (job, x, 2 * place.row - 1, place.col, place.chunk, rows[0]);
  downsample_row<T, WIDTH> (job, x, 2 * place.row, place.col, place.chunk, rows[1]);
  for (int row = place.row; row < end; row++)
    {
      float values[WIDTH];

      downsample_row<T, WIDTH> (job, x, 2 * row + 1, place.col, place.chunk, rows[2]);
      downsample_row<T, WIDTH> (job, x, 2 * row + 2, place.col, place.chunk, rows[3]);
#pragma unroll
      for (int i = 0; i < WIDTH; i++)
        {
          values[i] = rows[0][i] + 3 * (rows[1][i] + rows[2][i]) + rows[3][i];
          rows[0][i] = rows[2][i];
          rows[1][i] = rows[3][i];
        }
      uk_write (y + ((int64_t) (row * job.w + place.col) * job.n_chunks + place.chunk) * WIDTH,
                uk_pack<T, WIDTH> (values));
    }
}

/* ------------------------------------------------------------------------ */

template <typename T, int WIDTH, bool UP>
static __global__ void
resample_kernel (T *y, const T *x, Resample job)
{
  int part, n = uk_divide (blockIdx.x, job.by_parts, &part);
  int thread = part * THREADS + threadIdx.x;
  int64_t coarse = n * ((int64_t) job.h * job.w * job.n_chunks * WIDTH), fine = 4 * coarse;

  if (thread >= job.n_threads)
    return;
  if (UP)
    upsample_strip<T, WIDTH> (job, y + fine, x + coarse, place_of (job, thread));
  else
    downsample_strip<T, WIDTH> (job, y + coarse, x + fine, place_of (job, thread));
}

template <typename T, int WIDTH, bool UP>
static UkStatus
launch_resample (UkCudaOp *op, T *y, const T *x)
{
  UkShape coarse = UP ? op->base.desc.x : op->base.desc.y;
  int64_t n_columns = coarse.w * coarse.c / WIDTH;
  Resample job = {};
  unsigned n_parts;

  job.h = (int) coarse.h;
  job.w = (int) coarse.w;
  job.n_chunks = (int) (coarse.c / WIDTH);
  job.strip = MAX_STRIP;
  while (job.strip > 1 && coarse.n * n_columns * coarse.h / job.strip < MIN_THREADS)
    job.strip /= 2;
  job.n_threads = (int) (n_columns * ((coarse.h + job.strip - 1) / job.strip));
  job.by_chunks = uk_divisor (job.n_chunks);
  job.by_w = uk_divisor (job.w);
  job.scale = op->base.desc.scale;
  n_parts = uk_n_blocks (job.n_threads, THREADS, INT32_MAX);
  job.by_parts = uk_divisor (n_parts);
  return uk_launch (op, resample_kernel<T, WIDTH, UP>, n_parts * (unsigned) coarse.n, THREADS, y,
                    x, job);
}

template <typename T>
static UkStatus
run_resample (UkCudaOp *op, void *const *args, void *scratch)
{
  constexpr int WIDTH = UkLane<T>::N;
  const T *x = (const T *) args[0];
  T *y = (T *) args[1];
  bool is_wide = op->base.desc.x.c % WIDTH == 0 && uk_are_aligned (x, y);

  if (op->base.desc.kind == UK_OP_UPSAMPLE)
    return is_wide ? launch_resample<T, WIDTH, true> (op, y, x) : launch_resample<T, 1, true> (op, y, x);
  return is_wide ? launch_resample<T, WIDTH, false> (op, y, x) : launch_resample<T, 1, false> (op, y, x);
}

static UkStatus
prepare (UkCudaOp *op)
{
  return uk_samples_fit (op->base.desc.x) && uk_samples_fit (op->base.desc.y) ? UK_OK
                                                                              : UK_UNSUPPORTED;
}

const UkCudaKernel uk_cuda_resample = { .prepare = prepare, .run = UK_RUN_ON_VALUES (run_resample) };
