/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conv-narrow.cuh - shared by the kernels of convolutions between a wide image, of a multiple of 32 channels,
 * and a narrow one, of at most 4: the image that the discriminator reads and the generator writes.
 *
 * Either may be the input.  The narrow image has STRIDE times as many rows and columns.  A pixel of the wide
 * image and a patch of TAPS x TAPS pixels of the narrow one are in relation: the patch of wide pixel (row,
 * column) begins at narrow pixel (row * STRIDE - 1, column * STRIDE - 1).
 */
#pragma once

#include "kernels/cuda/conv-private.h"
#include "kernels/cuda/tensor-core.cuh"

enum
{
  UK_NARROW_GROUP = 32, /* channels of the wide image that a block works on */
  UK_NARROW_PIXEL = 4   /* channels of a narrow pixel in shared memory; absent ones are 0 */
};

typedef struct
{
  int  n;                         /* images */
  int  wide_h, wide_w, wide_c;
  int  narrow_c;
  bool is_narrow_first; /* of the weights' dimensions: the narrow image is the small one */
} UkNarrow;

/* Where the weight is that relates channel @wide to channel @narrow of pixel (@row, @column) of its patch;
 * negative if the patch has no such pixel or channel. */
template <int STRIDE>
static __device__ __forceinline__ int
uk_narrow_weight_at (const UkNarrow &g, int wide, int row, int column, int narrow)
{
  const int taps = STRIDE + 2;
  int tap = row * taps + column;

  if (row < 0 || row >= taps || column < 0 || column >= taps || narrow >= g.narrow_c)
    return -1;
  if (g.is_narrow_first) /* a tap counts from the other side */
    return (narrow * taps * taps + taps * taps - 1 - tap) * g.wide_c + wide;
  return (wide * taps * taps + tap) * g.narrow_c + narrow;
}

static __device__ __forceinline__ uint32_t
uk_narrow_bits (const __nv_bfloat16 *from, int at)
{
  return at < 0 ? 0 : __bfloat16_as_ushort (from[at]);
}

/* A tile of the wide image. */
typedef struct
{
  int image, row, column;
} UkNarrowTile;

static __device__ __forceinline__ UkNarrowTile
uk_narrow_tile_at (const UkNarrow &g, int index, int rows, int columns)
{
  int across = (g.wide_w + columns - 1) / columns, down = (g.wide_h + rows - 1) / rows;
  UkNarrowTile tile;

  tile.column = index % across * columns;
  tile.row = index / across % down * rows;
  tile.image = index / across / down;
  return tile;
}

static inline int64_t
uk_narrow_n_tiles (const UkNarrow &g, int rows, int columns)
{
  return (int64_t) g.n * ((g.wide_h + rows - 1) / rows) * ((g.wide_w + columns - 1) / columns);
}

/* The patches of a tile of ROWS x COLUMNS wide pixels.  One more column is read than there is, by the fourth
 * tap of three. */
template <int STRIDE, int ROWS, int COLUMNS> struct UkNarrowPatches
{
  static constexpr int H = ROWS * STRIDE + 2, W = COLUMNS * STRIDE + 4 - STRIDE;

  uint16_t pixels[H][W][UK_NARROW_PIXEL];
};

/* All threads of a block of THREADS load @to. */
template <int STRIDE, int ROWS, int COLUMNS, int THREADS>
static __device__ __forceinline__ void
uk_narrow_load (UkNarrowPatches<STRIDE, ROWS, COLUMNS> *to, const __nv_bfloat16 *narrow, const UkNarrow &g,
                const UkNarrowTile &tile)
{
  typedef UkNarrowPatches<STRIDE, ROWS, COLUMNS> Patches;
  int h = g.wide_h * STRIDE, w = g.wide_w * STRIDE;

  for (int i = threadIdx.x; i < Patches::H * Patches::W; i += THREADS)
    {
      int row = tile.row * STRIDE - 1 + i / Patches::W, column = tile.column * STRIDE - 1 + i % Patches::W;
      bool is_inside = row >= 0 && row < h && column >= 0 && column < w;
      const __nv_bfloat16 *from = narrow + (((int64_t) tile.image * h + row) * w + column) * g.narrow_c;

#pragma unroll
      for (int c = 0; c < UK_NARROW_PIXEL; c++)
        to->pixels[i / Patches::W][i % Patches::W][c] =
          (uint16_t) uk_narrow_bits (from, is_inside && c < g.narrow_c ? c : -1);
    }
}

/* Index of a chunk of 8 channels of a pixel in shared memory, where a pixel has 4: no two of eight successive
 * pixels use the same banks. */
static __device__ __forceinline__ int
uk_narrow_chunk_at (int pixel, int chunk)
{
  return pixel * 4 + (chunk ^ (pixel / 2 & 3));
}

/* 8 channels of the wide image, or zeros outside it. */
static __device__ __forceinline__ uint4
uk_narrow_read_wide (const __nv_bfloat16 *wide, const UkNarrow &g, int image, int row, int column, int channel)
{
  if (row < 0 || row >= g.wide_h || column < 0 || column >= g.wide_w)
    return make_uint4 (0, 0, 0, 0);
  return *reinterpret_cast<const uint4 *> (
    wide + (((int64_t) image * g.wide_h + row) * g.wide_w + column) * g.wide_c + channel);
}
