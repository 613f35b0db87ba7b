/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conv-wgrad.cu - weight gradients in 16 bits: of the convolutions of conv-narrow.cu ("narrow"), and of those of
 * 3 x 3 between images of 32, or 32 and 64, channels ("shallow").
 *
 * These have few weights and very many pixels: the libraries split the sums badly.  A block adds up the products of
 * many tiles in registers; then the blocks' sums are added up, in a fixed order.
 */
#include "kernels/cuda/conv-narrow.cuh"

enum
{
  THREADS = 128,
  WARPS = THREADS / UK_WARP,
  ROWS = 8, /* of a tile */
  COLUMNS = 32,
  BLOCKS = 4 * 132, /* at most: parts of the sums, times groups of channels; an H200 runs as many at once */
  /* shallow: */
  TAPS = 3,
  MAX_CHANNELS = 64,
  MAX_BOTH = 96, /* cuDNN reaches 60 to 75 % of the peak for twice as many, 15 % for 32 and 32 */
  LEAST_WIDTH = COLUMNS,
  SHALLOW_THREADS = TAPS * UK_WARP
};

/* ------------------------------------------------------------------------ */
/* narrow: patches, transposed, * wide pixels                                */

/* Adds the products of 16 pixels.  @first: of the patches of the first one; @pixels, @pixel: its channels. */
template <int STRIDE, typename T>
static __device__ __forceinline__ void
add_narrow_products (float sums[STRIDE + 2][4][4], const uint16_t (*first)[UK_NARROW_PIXEL], int row_pixels,
                    const uint4 *pixels, int pixel)
{
  int lane = threadIdx.x % UK_WARP;
  const uint16_t *own = first[uk_lane_pair () * STRIDE] + uk_lane_row ();
  uint32_t right[2][4]; /* of products 0 and 1, 2 and 3 */

#pragma unroll
  for (int i = 0; i < 2; i++)
    uk_read_matrices_transposed (right[i], &pixels[uk_chunk_at (pixel + lane % 16, i * 2 + lane / 16)]);
#pragma unroll
  for (int tap = 0; tap < STRIDE + 2; tap++)
    {
      const uint16_t *row = own + tap * row_pixels * UK_NARROW_PIXEL;
      uint32_t left[4];

#pragma unroll
      for (int i = 0; i < 4; i++) /* i % 2: the second half of the patch's row, i / 2: of the pixels */
        {
          const uint16_t *at = row + i % 2 * 8 + i / 2 * 8 * STRIDE * UK_NARROW_PIXEL;

          left[i] = at[0] | (uint32_t) at[STRIDE * UK_NARROW_PIXEL] << 16;
        }
#pragma unroll
      for (int product = 0; product < 4; product++)
        uk_multiply_add<T> (sums[tap][product], left, right[product / 2] + product % 2 * 2);
    }
}

/* Adds up the warps' sums, in their order, in @total: [place in a patch][channel]. */
template <int STRIDE>
static __device__ __forceinline__ void
add_warps (float total[(STRIDE + 2) * 16][UK_GROUP + 1], const float sums[STRIDE + 2][4][4])
{
  for (int warp = 0; warp < WARPS; warp++)
    {
      __syncthreads ();
      if ((int) threadIdx.x / UK_WARP == warp)
#pragma unroll
        for (int i = 0; i < (STRIDE + 2) * 16; i++)
          {
            int tap = i / 16, product = i / 4 % 4;
            int row = tap * 16 + uk_lane_row () + i % 4 / 2 * 8, column = product * 8 + uk_lane_pair () + i % 2;

            total[row][column] = (warp > 0 ? total[row][column] : 0) + sums[tap][product][i % 4];
          }
    }
  __syncthreads ();
}

/* Part blockIdx.x of the sums, of group blockIdx.y. */
template <int STRIDE, typename T>
static __global__ void __launch_bounds__ (THREADS, 4)
narrow_kernel (float *parts, const T *wide, const T *narrow, UkNarrow g, int n_tiles, int n_weights)
{
  typedef UkNarrowPatches<STRIDE, ROWS, COLUMNS> Patches;
  __shared__ __align__ (16) Patches patches;
  __shared__ __align__ (16) uint4 pixels[ROWS * COLUMNS * 4];
  __shared__ float total[(STRIDE + 2) * 16][UK_GROUP + 1];
  float sums[STRIDE + 2][4][4] = { { { 0 } } };

  for (int index = blockIdx.x; index < n_tiles; index += gridDim.x)
    {
      UkTile tile = uk_tile_at (g.wide, index, ROWS, COLUMNS);

      __syncthreads (); /* the last tile is used */
      uk_load_tile<ROWS, COLUMNS, 0, THREADS> (pixels, wide, g.wide, tile, blockIdx.y);
      uk_narrow_load<STRIDE, ROWS, COLUMNS, THREADS> (&patches, narrow, g, tile);
      __syncthreads ();
      for (int i = threadIdx.x / UK_WARP; i < ROWS * COLUMNS / 16; i += WARPS)
        if (uk_is_inside (g.wide, tile, i / 2, i % 2 * 16))
          add_narrow_products<STRIDE, T> (sums, &patches.pixels[i / 2 * STRIDE][i % 2 * 16 * STRIDE], Patches::W,
                                          pixels, i * 16);
    }
  add_warps<STRIDE> (total, sums);
  parts += (int64_t) blockIdx.x * n_weights;
  for (int i = threadIdx.x; i < (STRIDE + 2) * 16 * UK_GROUP; i += THREADS)
    {
      int place = i / UK_GROUP % 16, channel = i % UK_GROUP;
      int at = uk_narrow_weight_at<STRIDE> (g, blockIdx.y * UK_GROUP + channel, i / UK_GROUP / 16,
                                            place / UK_NARROW_PIXEL, place % UK_NARROW_PIXEL);

      if (at >= 0)
        parts[at] = total[i / UK_GROUP][channel];
    }
}

/* to = the sum of all parts.  A block adds up 32 weights, each in 4 sums of every fourth part. */
static __global__ void __launch_bounds__ (THREADS)
add_parts_kernel (float *to, const float *parts, int n_parts, int n_weights)
{
  __shared__ float sums[WARPS][UK_WARP];
  int lane = threadIdx.x % UK_WARP, warp = threadIdx.x / UK_WARP, at = blockIdx.x * UK_WARP + lane;
  float sum = 0;

  if (at < n_weights)
    for (int part = warp; part < n_parts; part += WARPS)
      sum += parts[(int64_t) part * n_weights + at];
  sums[warp][lane] = sum;
  __syncthreads ();
  if (warp == 0 && at < n_weights)
    to[at] = sums[0][lane] + sums[1][lane] + (sums[2][lane] + sums[3][lane]);
}

/* ------------------------------------------------------------------------ */
/* shallow: small pixels, transposed, * large pixels, for each tap           */

/* Adds the products of 16 pixels for the taps of one row.  @first_small, @first_large: the first pixel in @small, and
 * for the first tap in @large. */
template <typename T>
static __device__ __forceinline__ void
add_shallow_products (float sums[TAPS][2][4][4], const uint4 *small, int first_small, const uint4 *large,
                      int first_large)
{
  int lane = threadIdx.x % UK_WARP;
  uint32_t left[2][4];

#pragma unroll
  for (int i = 0; i < 2; i++) /* 16 channels each */
    uk_read_matrices_transposed (left[i], &small[uk_chunk_at (first_small + lane % 8 + lane / 16 * 8,
                                                              i * 2 + lane / 8 % 2)]);
#pragma unroll
  for (int tap = 0; tap < TAPS; tap++)
    {
      uint32_t right[2][4]; /* of products 0 and 1, 2 and 3 */

#pragma unroll
      for (int i = 0; i < 2; i++)
        uk_read_matrices_transposed (right[i], &large[uk_chunk_at (first_large + tap + lane % 16, i * 2 + lane / 16)]);
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int product = 0; product < 4; product++)
          uk_multiply_add<T> (sums[tap][i][product], left[i], right[product / 2] + product % 2 * 2);
    }
}

/* Part blockIdx.x of the sums, of groups blockIdx.y of the small and blockIdx.z of the large image.  A warp has one
 * row of taps. */
template <typename T>
static __global__ void __launch_bounds__ (SHALLOW_THREADS)
shallow_kernel (float *parts, const T *small, const T *large, UkImages images, int n_large, int n_tiles)
{
  __shared__ __align__ (16) uint4 small_pixels[ROWS * COLUMNS * 4];
  __shared__ __align__ (16) uint4 large_pixels[(ROWS + 2) * (COLUMNS + 2) * 4];
  int warp = threadIdx.x / UK_WARP;
  UkImages large_images = images;
  float sums[TAPS][2][4][4] = { { { { 0 } } } };

  large_images.c = n_large;
  for (int index = blockIdx.x; index < n_tiles; index += gridDim.x)
    {
      UkTile tile = uk_tile_at (images, index, ROWS, COLUMNS);

      __syncthreads (); /* the last tile is used */
      uk_load_tile<ROWS, COLUMNS, 0, SHALLOW_THREADS> (small_pixels, small, images, tile, blockIdx.y);
      uk_load_tile<ROWS, COLUMNS, 1, SHALLOW_THREADS> (large_pixels, large, large_images, tile, blockIdx.z);
      __syncthreads ();
#pragma unroll 1
      for (int i = 0; i < ROWS * COLUMNS / 16; i++)
        if (uk_is_inside (images, tile, i / 2, i % 2 * 16))
          add_shallow_products<T> (sums, small_pixels, i * 16, large_pixels,
                                   (i / 2 + warp) * (COLUMNS + 2) + i % 2 * 16);
    }
  parts += (int64_t) blockIdx.x * images.c * TAPS * TAPS * n_large;
#pragma unroll
  for (int i = 0; i < TAPS * 32; i++)
    {
      int tap = i / 32, half = i / 16 % 2, product = i / 4 % 4;
      int own_small = blockIdx.y * UK_GROUP + half * 16 + uk_lane_row () + i % 4 / 2 * 8;
      int own_large = blockIdx.z * UK_GROUP + product * 8 + uk_lane_pair () + i % 2;

      parts[(own_small * TAPS * TAPS + warp * TAPS + tap) * n_large + own_large] = sums[tap][half][product][i % 4];
    }
}

/* ------------------------------------------------------------------------ */
/* Launchers                                                                 */

bool
uk_shallow_wgrad_can (const UkConvShape *shape)
{
  const UkShape *small = &shape->small, *large = &shape->large;

  return shape->kernel == TAPS && shape->stride == 1 && shape->pad == 1 && small->c % UK_GROUP == 0
         && large->c % UK_GROUP == 0 && small->c <= MAX_CHANNELS && large->c <= MAX_CHANNELS
         && small->c + large->c <= MAX_BOTH && small->w >= LEAST_WIDTH;
}

/* The image whose tiles are worked on, and the products of a tile's groups of channels. */
static UkImages
tiled_images (const UkConvShape *shape, int *n_groups)
{
  UkNarrow g;

  if (!uk_narrow_find (shape, &g))
    {
      *n_groups = (int) (shape->small.c / UK_GROUP * (shape->large.c / UK_GROUP));
      return uk_images_of (&shape->small);
    }
  *n_groups = g.wide.c / UK_GROUP;
  return g.wide;
}

/* Number of parts of the sums: a function of the shape alone. */
static unsigned
count_parts (const UkConvShape *shape)
{
  int n_groups;
  UkImages images = tiled_images (shape, &n_groups);

  return uk_n_blocks (uk_n_tiles (images, ROWS, COLUMNS), 1, uk_n_blocks (BLOCKS, n_groups, BLOCKS));
}

size_t
uk_conv_wgrad_scratch_bytes (const UkConvShape *shape)
{
  return uk_cuda_align ((size_t) count_parts (shape) * (size_t) uk_conv_n_weights (shape) * sizeof (float));
}

template <typename T>
static UkStatus
run_narrow (UkCudaOp *op, const UkConvShape *shape, const UkNarrow &g, const UkConvMemory *memory, float *parts)
{
  const T *wide = (const T *) (g.is_narrow_first ? memory->large : memory->small);
  const T *narrow = (const T *) (g.is_narrow_first ? memory->small : memory->large);
  dim3 grid (count_parts (shape), (unsigned) (g.wide.c / UK_GROUP));
  int n_tiles = (int) uk_n_tiles (g.wide, ROWS, COLUMNS), n_weights = (int) uk_conv_n_weights (shape);

  if (shape->stride == 1)
    return uk_launch (op, narrow_kernel<1, T>, grid, THREADS, parts, wide, narrow, g, n_tiles, n_weights);
  return uk_launch (op, narrow_kernel<2, T>, grid, THREADS, parts, wide, narrow, g, n_tiles, n_weights);
}

template <typename T>
static UkStatus
run_shallow (UkCudaOp *op, const UkConvShape *shape, const UkConvMemory *memory, float *parts)
{
  UkImages images = uk_images_of (&shape->small);
  dim3 grid (count_parts (shape), (unsigned) (shape->small.c / UK_GROUP), (unsigned) (shape->large.c / UK_GROUP));

  return uk_launch (op, shallow_kernel<T>, grid, SHALLOW_THREADS, parts, (const T *) memory->small,
                    (const T *) memory->large, images, (int) shape->large.c, (int) uk_n_tiles (images, ROWS, COLUMNS));
}

UkStatus
uk_conv_wgrad_run (UkCudaOp *op, const UkConvShape *shape, const UkConvMemory *memory, float *parts)
{
  int n_weights = (int) uk_conv_n_weights (shape);
  UkNarrow g;
  UkStatus status = uk_narrow_find (shape, &g) ? UK_CALL_ON_HALVES (op->type, run_narrow, op, shape, g, memory, parts)
                                               : UK_CALL_ON_HALVES (op->type, run_shallow, op, shape, memory, parts);

  if (status != UK_OK)
    return status;
  return uk_launch (op, add_parts_kernel, uk_n_blocks (n_weights, UK_WARP, INT32_MAX), THREADS, (float *) memory->w,
                    (const float *) parts, (int) count_parts (shape), n_weights);
}
