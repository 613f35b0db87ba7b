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

#include "kernels/cuda/conv-tile.cuh"

enum { UK_NARROW_PIXEL = 4 }; /* channels of a narrow pixel in shared memory; absent ones are 0 */

typedef struct
{
  UkImages wide;
  int      narrow_c;
  bool     is_narrow_first; /* of the weights' dimensions: the narrow image is the small one */
} UkNarrow;

/* conv-narrow.cu.  False if the shape is another. */
bool uk_narrow_find (const UkConvShape *shape, UkNarrow *out);

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
    return (narrow * taps * taps + taps * taps - 1 - tap) * g.wide.c + wide;
  return (wide * taps * taps + tap) * g.narrow_c + narrow;
}

template <typename T>
static __device__ __forceinline__ uint32_t
uk_narrow_bits (const T *from, int at)
{
  return at < 0 ? 0 : reinterpret_cast<const uint16_t *> (from)[at];
}

/* The patches of a tile of ROWS x COLUMNS wide pixels.  One more column is read than there is, by the fourth
 * tap of three. */
template <int STRIDE, int ROWS, int COLUMNS> struct UkNarrowPatches
{
  static constexpr int H = ROWS * STRIDE + 2, W = COLUMNS * STRIDE + 4 - STRIDE;

  uint16_t pixels[H][W][UK_NARROW_PIXEL];
};

/* All threads of a block of THREADS load @to. */
template <int STRIDE, int ROWS, int COLUMNS, int THREADS, typename T>
static __device__ __forceinline__ void
uk_narrow_load (UkNarrowPatches<STRIDE, ROWS, COLUMNS> *to, const T *narrow, const UkNarrow &g,
                const UkTile &tile)
{
  typedef UkNarrowPatches<STRIDE, ROWS, COLUMNS> Patches;
  int h = g.wide.h * STRIDE, w = g.wide.w * STRIDE;

  for (int i = threadIdx.x; i < Patches::H * Patches::W; i += THREADS)
    {
      int row = tile.row * STRIDE - 1 + i / Patches::W, column = tile.column * STRIDE - 1 + i % Patches::W;
      bool is_inside = row >= 0 && row < h && column >= 0 && column < w;
      const T *from = narrow + (((int64_t) tile.image * h + row) * w + column) * g.narrow_c;

#pragma unroll
      for (int c = 0; c < UK_NARROW_PIXEL; c++)
        to->pixels[i / Patches::W][i % Patches::W][c] =
          (uint16_t) uk_narrow_bits (from, is_inside && c < g.narrow_c ? c : -1);
    }
}
