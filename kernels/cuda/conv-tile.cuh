/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conv-tile.cuh - images in pieces, for convolutions on tensor cores: tiles, and groups of 32 channels in
 * shared memory.
 */
#pragma once

#include "kernels/cuda/conv-private.h"
#include "kernels/cuda/tensor-core.cuh"

enum { UK_GROUP = 32 };

/* An image in memory. */
typedef struct
{
  int n, h, w, c;
} UkImages;

static inline UkImages
uk_images_of (const UkShape *shape)
{
  UkImages images = { (int) shape->n, (int) shape->h, (int) shape->w, (int) shape->c };

  return images;
}

typedef struct
{
  int image, row, column; /* the first ones */
} UkTile;

static __device__ __forceinline__ UkTile
uk_tile_at (const UkImages &images, int index, int rows, int columns)
{
  int across = (images.w + columns - 1) / columns, down = (images.h + rows - 1) / rows;
  UkTile tile;

  tile.column = index % across * columns;
  tile.row = index / across % down * rows;
  tile.image = index / across / down;
  return tile;
}

static inline int64_t
uk_n_tiles (const UkImages &images, int rows, int columns)
{
  return (int64_t) images.n * ((images.h + rows - 1) / rows) * ((images.w + columns - 1) / columns);
}

/* Whether a pixel of a tile is one of the image. */
static __device__ __forceinline__ bool
uk_is_inside (const UkImages &images, const UkTile &tile, int row, int column)
{
  return tile.row + row < images.h && tile.column + column < images.w;
}

/* Index of the value of a pixel of a tile. */
static __device__ __forceinline__ int64_t
uk_value_at (const UkImages &images, const UkTile &tile, int row, int column, int channel)
{
  return (((int64_t) tile.image * images.h + tile.row + row) * images.w + tile.column + column) * images.c
         + channel;
}

/* Index of a chunk of 8 channels in shared memory, where a pixel (or a row of weights) has 4: no two of eight
 * successive pixels use the same banks. */
static __device__ __forceinline__ int
uk_chunk_at (int pixel, int chunk)
{
  return pixel * 4 + (chunk ^ (pixel / 2 & 3));
}

/* All THREADS of a block load a group of channels of a tile's pixels and of MARGIN pixels around it; zeros outside
 * the image.  @from is aligned to 16 bytes. */
template <int ROWS, int COLUMNS, int MARGIN, int THREADS, typename T>
static __device__ __forceinline__ void
uk_load_tile (uint4 *to, const T *from, const UkImages &images, const UkTile &tile, int group)
{
  constexpr int H = ROWS + 2 * MARGIN, W = COLUMNS + 2 * MARGIN;

#pragma unroll
  for (int i = threadIdx.x; i < H * W * 4; i += THREADS)
    {
      int row = i / 4 / W - MARGIN, column = i / 4 % W - MARGIN, chunk = i % 4;
      bool is_outside = tile.row + row < 0 || tile.column + column < 0 || !uk_is_inside (images, tile, row, column);

      to[uk_chunk_at (i / 4, chunk)] =
        is_outside ? make_uint4 (0, 0, 0, 0)
                   : *reinterpret_cast<const uint4 *> (
                       from + uk_value_at (images, tile, row, column, group * UK_GROUP + chunk * 8));
    }
}

/* Of the elements of a lane, see tensor-core.cuh. */
static __device__ __forceinline__ int
uk_lane_row (void)
{
  return threadIdx.x % UK_WARP / 4;
}

static __device__ __forceinline__ int
uk_lane_pair (void)
{
  return threadIdx.x % 4 * 2;
}

/* ------------------------------------------------------------------------ */
/* conv-narrow.cu and conv-wgrad.cu: see conv-tiled.cu.  @slope multiplies negative values. */

/* Whether the narrow image is read and the wide one written. */
bool     uk_narrow_is_expanded       (const UkConvShape *shape);
UkStatus uk_narrow_run               (UkCudaOp *op, const UkConvShape *shape, const UkConvMemory *memory,
                                      const float *bias, float slope);

bool     uk_shallow_wgrad_can        (const UkConvShape *shape);
size_t   uk_conv_wgrad_scratch_bytes (const UkConvShape *shape);
UkStatus uk_conv_wgrad_run           (UkCudaOp *op, const UkConvShape *shape, const UkConvMemory *memory,
                                      float *parts);
