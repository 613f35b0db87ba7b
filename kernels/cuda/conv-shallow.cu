/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conv-shallow.cu - convolutions of 3 x 3 in bfloat16 between images of 32 or 64 channels, and their data gradients.
 *
 * The images of the last and first layers are large and have few channels.  The kernels of the libraries are made for
 * many channels, and waste most of a tile of products on them.  Here a block has all weights in shared memory, and
 * reads each pixel once for all nine taps.
 *
 * A warp has 4 rows of 16 pixels.  It reads a row of pixels, displaced by one tap, for all three output rows that it is
 * above, at or below of.
 */
#include "kernels/cuda/conv-tile.cuh"

enum
{
  THREADS = 128, /* two warps across a tile and two down */
  ROWS = 8,      /* of a tile */
  COLUMNS = 32,
  WARP_ROWS = ROWS / 2,
  WARP_COLUMNS = COLUMNS / 2,
  HALO_W = COLUMNS + 2,
  TAPS = 9,
  BLOCKS = 528, /* at most; each works on several tiles */
  MAX_CHANNELS = 64,
  MAX_BOTH = 96, /* with more, the libraries are faster */
  LEAST_WIDTH = COLUMNS
};

/* Images and groups of their channels. */
typedef struct
{
  UkImages from, to;
  int      n_small, n_large; /* channels */
} Shallow;

/* All threads load the weights between two groups of channels, as rows of 32: GATHER's of an output channel,
 * SCATTER's of an input channel.  SCATTER's output channels are in the order of columns. */
template <bool IS_SCATTER>
static __device__ __forceinline__ void
load_weights (uint4 *to, const __nv_bfloat16 *w, const Shallow &g, int group_from, int group_to)
{
  int small = (IS_SCATTER ? group_from : group_to) * UK_GROUP, large = (IS_SCATTER ? group_to : group_from) * UK_GROUP;

  for (int i = threadIdx.x; i < TAPS * UK_GROUP * 4; i += THREADS)
    {
      int row = i / 4, tap = row / UK_GROUP, chunk = i % 4;
      const __nv_bfloat16 *from = w + ((int64_t) (small + row % UK_GROUP) * TAPS + tap) * g.n_large + large + chunk * 8;
      uint4 words = *reinterpret_cast<const uint4 *> (from);

      if (IS_SCATTER)
        {
          /* pair p of channels is pair p / 4 of product p % 4 */
          uint32_t *at = reinterpret_cast<uint32_t *> (to);

          at[uk_chunk_at (row, 0) * 4 + chunk] = words.x;
          at[uk_chunk_at (row, 1) * 4 + chunk] = words.y;
          at[uk_chunk_at (row, 2) * 4 + chunk] = words.z;
          at[uk_chunk_at (row, 3) * 4 + chunk] = words.w;
        }
      else
        to[uk_chunk_at (row, chunk)] = words;
    }
}

/* The weights of one tap, for 16 of the channels that are summed over, as right factors of four products. */
template <bool IS_SCATTER>
static __device__ __forceinline__ void
read_weights (uint32_t right[2][4], const uint4 *weights, int tap, int depth)
{
  int lane = threadIdx.x % UK_WARP, matrix = lane / 8, row = lane % 8;

#pragma unroll
  for (int i = 0; i < 2; i++)
    {
      int product = i * 2 + matrix / 2;

      if (IS_SCATTER)
        uk_read_matrices_transposed (
          right[i], &weights[uk_chunk_at (tap * UK_GROUP + depth * 16 + matrix % 2 * 8 + row, product)]);
      else
        uk_read_matrices (right[i], &weights[uk_chunk_at (tap * UK_GROUP + uk_channel_of_column (product, row),
                                                          depth * 2 + matrix % 2)]);
    }
}

/* Adds the products of one group of channels to the sums of a warp's pixels. */
template <bool IS_SCATTER>
static __device__ __forceinline__ void
add_products (float sums[WARP_ROWS][4][4], const uint4 *pixels, const uint4 *weights)
{
  int warp = threadIdx.x / UK_WARP, lane = threadIdx.x % UK_WARP;
  int first = warp / 2 * WARP_ROWS * HALO_W + warp % 2 * WARP_COLUMNS + lane % 16;

#pragma unroll 1
  for (int i = 0; i < 6; i++)
    {
      int depth = i / 3, aside = i % 3;
      uint32_t right[3][2][4];

#pragma unroll
      for (int below = 0; below < 3; below++)
        {
          int tap = below * 3 + aside;

          read_weights<IS_SCATTER> (right[below], weights, IS_SCATTER ? TAPS - 1 - tap : tap, depth);
        }
#pragma unroll
      for (int row = 0; row < WARP_ROWS + 2; row++)
        {
          uint32_t left[4];

          uk_read_matrices (left, &pixels[uk_chunk_at (first + row * HALO_W + aside, depth * 2 + lane / 16)]);
#pragma unroll
          for (int below = 0; below < 3; below++)
            if (row - below >= 0 && row - below < WARP_ROWS)
#pragma unroll
              for (int product = 0; product < 4; product++)
                uk_multiply_add (sums[row - below][product], left, right[below][product / 2] + product % 2 * 2);
        }
    }
}

template <bool IS_SCATTER>
static __global__ void __launch_bounds__ (THREADS, 4)
shallow_kernel (__nv_bfloat16 *to, const __nv_bfloat16 *from, const __nv_bfloat16 *w, const float *bias, float slope,
                Shallow g, int n_tiles)
{
  __shared__ __align__ (16) uint4 pixels[(ROWS + 2) * HALO_W * 4];
  __shared__ __align__ (16) uint4 weights[TAPS * UK_GROUP * 4];
  int warp = threadIdx.x / UK_WARP, n_groups = g.from.c / UK_GROUP;
  float biases[8];

  uk_read_biases (biases, bias, blockIdx.y * UK_GROUP);
  for (int index = blockIdx.x; index < n_tiles; index += gridDim.x)
    {
      UkTile tile = uk_tile_at (g.to, index, ROWS, COLUMNS);
      float sums[WARP_ROWS][4][4] = { { { 0 } } };

      for (int group = 0; group < n_groups; group++)
        {
          __syncthreads (); /* the last pixels and weights are used */
          if (n_groups > 1 || index == (int) blockIdx.x)
            load_weights<IS_SCATTER> (weights, w, g, group, blockIdx.y);
          uk_load_tile<ROWS, COLUMNS, 1, THREADS> (pixels, from, g.from, tile, group);
          __syncthreads ();
          add_products<IS_SCATTER> (sums, pixels, weights);
        }
#pragma unroll
      for (int row = 0; row < WARP_ROWS; row++)
        uk_store_pixels (to, g.to, tile, warp / 2 * WARP_ROWS + row, warp % 2 * WARP_COLUMNS, blockIdx.y * UK_GROUP,
                         sums[row], biases, slope);
    }
}

/* ------------------------------------------------------------------------ */

bool
uk_shallow_can (const UkConvShape *shape)
{
  const UkShape *small = &shape->small, *large = &shape->large;

  return shape->kernel == 3 && shape->stride == 1 && shape->pad == 1 && small->c % UK_GROUP == 0
         && large->c % UK_GROUP == 0 && small->c <= MAX_CHANNELS && large->c <= MAX_CHANNELS
         && small->c + large->c <= MAX_BOTH && small->w >= LEAST_WIDTH;
}

UkStatus
uk_shallow_run (UkCudaOp *op, const UkConvShape *shape, const UkConvMemory *memory, const float *bias, float slope)
{
  bool is_scatter = shape->way == UK_CONV_SCATTER;
  const UkShape *from = is_scatter ? &shape->small : &shape->large, *to = is_scatter ? &shape->large : &shape->small;
  Shallow g = { uk_images_of (from), uk_images_of (to), (int) shape->small.c, (int) shape->large.c };
  int64_t n_tiles = uk_n_tiles (g.to, ROWS, COLUMNS);
  int n_groups = g.to.c / UK_GROUP;
  dim3 grid (uk_n_blocks (n_tiles, 1, BLOCKS / n_groups), (unsigned) n_groups);

  return uk_launch (op, is_scatter ? shallow_kernel<true> : shallow_kernel<false>, grid, THREADS,
                    (__nv_bfloat16 *) (is_scatter ? memory->large : memory->small),
                    (const __nv_bfloat16 *) (is_scatter ? memory->small : memory->large),
                    (const __nv_bfloat16 *) memory->w, bias, slope, g, (int) n_tiles);
}
