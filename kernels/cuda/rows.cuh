/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.cuh - values as a matrix, channels across and pixels down, and its distribution to threads.
 *
 * A thread stays with one chunk of channels and iterates over rows: per-channel data (a bias, a sum) stays
 * in registers, and no element needs an index division.  A row is a pixel or, where a pixel is not a whole
 * number of chunks, the least number of pixels that is: for three channels of sixteen bits, eight pixels are
 * three chunks.
 */
#pragma once

#include "kernels/cuda/chunk.cuh"

enum
{
  UK_ROW_THREADS = 256,
  UK_ROW_REPEATS = 4, /* rows per thread with loads in flight at once */
  /* Chunks of a row per block: a warp reads 512 contiguous bytes, and a block adds up several rows before
   * it writes anything. */
  UK_ROW_TILE = 32,
  /* Most blocks that output sums: four for each multiprocessor of a large GPU, which cannot run more at
   * once. */
  UK_ROW_MAX_BLOCKS = 512,
  UK_ROW_MAX_CHANNELS = 1 << 18 /* grid limit in y for tiles of at least 8 chunks */
};

typedef struct
{
  int64_t   n_rows;
  int       c;        /* channels */
  int       folds;    /* pixels per row */
  int       n_chunks; /* per row */
  int       width;    /* values per chunk */
  int       tile;     /* chunks of a row per block */
  int       height;   /* rows that a block reads at once */
  UkDivisor by_tile, by_c;
} UkRows;

/* Least number of pixels that is a whole number of chunks. */
static inline int
uk_row_folds (int64_t c, int width)
{
  int folds = 1;

  while (folds * c % width != 0)
    folds++;
  return folds;
}

/* Whether chunks of @width can be used for @n_pixels (of one sample where that matters). */
static inline bool
uk_rows_fit (int64_t n_pixels, int64_t c, int width)
{
  int folds = uk_row_folds (c, width);

  return n_pixels % folds == 0 && (folds == 1 || folds * c <= UK_ROW_TILE * width);
}

static inline UkRows
uk_rows (int64_t n_pixels, int64_t c, int width, int max_tile)
{
  int folds = uk_row_folds (c, width);
  int64_t n_chunks = folds * c / width, n_tiles = (n_chunks + max_tile - 1) / max_tile;
  int tile = (int) ((n_chunks + n_tiles - 1) / n_tiles);

  return UkRows { n_pixels / folds, (int) c, folds, (int) n_chunks, width, tile,
                  UK_ROW_THREADS / tile, uk_divisor (tile), uk_divisor (c) };
}

static inline unsigned
uk_row_tiles (const UkRows &rows)
{
  return (unsigned) ((rows.n_chunks + rows.tile - 1) / rows.tile);
}

/* Rows per block if it reads each thread's rows at once. */
static __host__ __device__ inline int64_t
uk_row_step (const UkRows &rows)
{
  return (int64_t) rows.height * UK_ROW_REPEATS;
}

/* Rows per block if it outputs sums. */
static inline int64_t
uk_row_span (const UkRows &rows)
{
  int64_t step = uk_row_step (rows), n_steps = (rows.n_rows + step - 1) / step;
  int64_t most = UK_ROW_MAX_BLOCKS / uk_row_tiles (rows);
  int64_t n_blocks = most < 1 ? 1 : n_steps < most ? n_steps : most;

  return (n_steps + n_blocks - 1) / n_blocks * step;
}

static inline unsigned
uk_row_blocks (const UkRows &rows, int64_t span)
{
  return (unsigned) ((rows.n_rows + span - 1) / span);
}

/* A thread's part. */
typedef struct
{
  bool    is_idle; /* no chunk or no row */
  int     chunk;   /* within the row */
  int64_t row;     /* first row */
  int64_t end;     /* end of the rows */
} UkRowPlace;

/* @span: rows per block. */
static __device__ __forceinline__ UkRowPlace
uk_row_place (const UkRows &rows, int64_t span)
{
  UkRowPlace place;
  int column, row = uk_divide (threadIdx.x, rows.by_tile, &column);

  place.chunk = blockIdx.y * rows.tile + column;
  place.is_idle = row >= rows.height || place.chunk >= rows.n_chunks;
  place.row = blockIdx.x * span + row;
  place.end = (blockIdx.x + 1) * span < rows.n_rows ? (blockIdx.x + 1) * span : rows.n_rows;
  return place;
}

/* Adds up each column of a block; the sum of value i of chunk k is in shared[i][k]. */
template <int WIDTH>
static __device__ __forceinline__ void
uk_sum_columns (const UkRows &rows, const float part[WIDTH],
                float shared[WIDTH][UK_ROW_THREADS])
{
  int tid = threadIdx.x;

#pragma unroll
  for (int i = 0; i < WIDTH; i++)
    shared[i][tid] = part[i];
  for (int n = rows.height, half; n > 1; n = half)
    {
      half = (n + 1) / 2;
      __syncthreads ();
      if (tid < (n - half) * rows.tile)
#pragma unroll
        for (int i = 0; i < WIDTH; i++)
          shared[i][tid] += shared[i][tid + half * rows.tile];
    }
  __syncthreads ();
}
