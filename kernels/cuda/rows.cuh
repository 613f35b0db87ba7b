/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.cuh - values as a matrix, channels across and pixels down, and who reads what of it.
 *
 * A thread keeps to one chunk of channels and walks down the rows: what belongs to its channels
 * (a bias, a sum) stays in registers, and no element is divided by anything.  A row is a pixel,
 * or, where a pixel is no whole number of chunks, as many pixels as are one: of three channels
 * of bfloat16, eight pixels are three chunks.
 */
#pragma once

#include "kernels/cuda/chunk.cuh"

enum
{
  UK_ROW_THREADS = 256,
  UK_ROW_REPEATS = 4, /* rows of a thread that are on their way at once */
  /* Chunks of a row in a block: a warp reads 512 bytes in a row, and several rows of a block are
   * added up before anything is written. */
  UK_ROW_TILE = 32,
  /* Of all blocks that leave sums: four for each multiprocessor of a large GPU, which has room for
   * no more of them at once. */
  UK_ROW_MAX_BLOCKS = 512,
  UK_ROW_MAX_CHANNELS = 1 << 18 /* in tiles of at least 8, as many as fit a grid in y */
};

typedef struct
{
  int64_t   n_rows;
  int       c;        /* channels */
  int       folds;    /* pixels per row */
  int       n_chunks; /* per row */
  int       width;    /* values per chunk */
  int       tile;     /* chunks of a row that are a block's */
  int       height;   /* rows that a block reads at once */
  UkDivisor by_tile, by_c;
} UkRows;

/* How many pixels are a whole number of chunks. */
static inline int
uk_row_folds (int64_t c, int width)
{
  int folds = 1;

  while (folds * c % width != 0)
    folds++;
  return folds;
}

/* Whether chunks of @width can be used for @n_pixels (of one sample, where it counts). */
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

/* How many rows a block walks down if it reads each thread's at once. */
static __host__ __device__ inline int64_t
uk_row_step (const UkRows &rows)
{
  return (int64_t) rows.height * UK_ROW_REPEATS;
}

/* How many rows a block walks down if it leaves sums. */
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

/* What a thread reads. */
typedef struct
{
  bool    is_idle; /* has no chunk, or no row */
  int     chunk;   /* of the row */
  int64_t row;     /* its first */
  int64_t end;     /* no row from here on */
} UkRowPlace;

/* @span rows for each block. */
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

/* Adds up each column of a block: column i of the block's chunk k is then shared[i][k]. */
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
