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
template <int ROWS, int COLUMNS, int MARGIN, int THREADS>
static __device__ __forceinline__ void
uk_load_tile (uint4 *to, const __nv_bfloat16 *from, const UkImages &images, const UkTile &tile, int group)
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

/* Four products side by side give 32 channels of 16 pixels.  Their columns are numbered so that a lane's sums are 8
 * successive channels: these, of column @column of product @product. */
static __device__ __forceinline__ int
uk_channel_of_column (int product, int column)
{
  return column / 2 * 8 + product * 2 + column % 2;
}

/* The first of a lane's 8 channels. */
static __device__ __forceinline__ int
uk_lane_channel (void)
{
  return uk_lane_pair () * 4;
}

/* x, or x * slope if that is negative. */
static __device__ __forceinline__ uint32_t
uk_finish_pair (float a, float b, const float bias[2], float slope)
{
  a += bias[0];
  b += bias[1];
  a = a > 0 ? a : a * slope;
  b = b > 0 ? b : b * slope;
  return (uint32_t) __bfloat16_as_ushort (__float2bfloat16_rn (a))
         | (uint32_t) __bfloat16_as_ushort (__float2bfloat16_rn (b)) << 16;
}

/* Adds a lane's 8 biases, multiplies negative values by @slope, and stores the values of 16 pixels side by side,
 * from (@row, @column) of the tile on, in the images' channels from @channel on. */
static __device__ __forceinline__ void
uk_store_pixels (__nv_bfloat16 *to, const UkImages &images, const UkTile &tile, int row, int column, int channel,
                 const float sums[4][4], const float biases[8], float slope)
{
#pragma unroll
  for (int half = 0; half < 2; half++)
    {
      int own = column + half * 8 + uk_lane_row ();
      uint32_t pairs[4];

#pragma unroll
      for (int product = 0; product < 4; product++)
        pairs[product] = uk_finish_pair (sums[product][half * 2], sums[product][half * 2 + 1], biases + product * 2,
                                         slope);
      if (uk_is_inside (images, tile, row, own))
        *reinterpret_cast<uint4 *> (to + uk_value_at (images, tile, row, own, channel + uk_lane_channel ())) =
          make_uint4 (pairs[0], pairs[1], pairs[2], pairs[3]);
    }
}

/* A lane's biases; zeros if there is none. */
static __device__ __forceinline__ void
uk_read_biases (float biases[8], const float *bias, int channel)
{
#pragma unroll
  for (int i = 0; i < 8; i++)
    biases[i] = bias != NULL ? bias[channel + uk_lane_channel () + i] : 0;
}

/* ------------------------------------------------------------------------ */
/* conv-narrow.cu, conv-shallow.cu, conv-wgrad.cu: see conv-tiled.cu.  @slope multiplies negative values. */

/* Whether a kernel reads the narrow image and writes the wide one; not OUTER. */
bool     uk_narrow_is_expanded       (const UkConvShape *shape);
UkStatus uk_narrow_run               (UkCudaOp *op, const UkConvShape *shape, const UkConvMemory *memory,
                                      const float *bias, float slope);

bool     uk_shallow_can              (const UkConvShape *shape);
UkStatus uk_shallow_run              (UkCudaOp *op, const UkConvShape *shape, const UkConvMemory *memory,
                                      const float *bias, float slope);

size_t   uk_conv_wgrad_scratch_bytes (const UkConvShape *shape);
UkStatus uk_conv_wgrad_run           (UkCudaOp *op, const UkConvShape *shape, const UkConvMemory *memory,
                                      float *parts);
