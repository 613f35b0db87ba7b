/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conv-narrow.cu - convolutions in 16 bits of which one side has at most four channels, and their data gradients.
 *
 * The libraries pad few channels to 8 or more: they copy the image, and multiply mostly zeros.  Both kernels are a
 * matrix product:
 *
 *            rows          columns            sums over
 *   expand   wide pixels   wide channels      the narrow pixels of a patch, and their channels
 *   reduce   wide pixels   narrow channels    the wide pixels around, and their channels
 *
 * In expand, one product covers one row of a patch: up to 4 pixels of 4 channels.  In reduce, the STRIDE x STRIDE
 * narrow pixels in the place of a wide one are columns, too.
 */
#include "kernels/cuda/conv-narrow.cuh"

enum
{
  THREADS = 128,
  WARPS = THREADS / UK_WARP,
  COLUMNS = 32,  /* of a tile */
  ROWS = 8,      /* of one of expand */
  BLOCKS = 8 * 132, /* of expand, at most: eight for each multiprocessor of an H200; each works on several tiles */
  /* reduce: two warps across a tile and two down, each with 8 rows of 16 pixels */
  REDUCE_ROWS = 16,
  WARP_ROWS = 8,
  WARP_COLUMNS = 16,
  HALO_W = COLUMNS + 2,
  /* of the wide image: tiles are full, and a block does not add up too many groups of channels */
  LEAST_WIDTH = COLUMNS,
  MAX_CHANNELS = 128
};

/* ------------------------------------------------------------------------ */
/* expand: wide = patches * weights, then bias and activation                */

/* Four products side by side give 32 channels of 16 pixels.  Their columns are numbered so that a lane's sums are 8
 * successive channels: these, of column @column of product @product. */
static __device__ __forceinline__ int
channel_of_column (int product, int column)
{
  return column / 2 * 8 + product * 2 + column % 2;
}

/* The first of a lane's 8 channels. */
static __device__ __forceinline__ int
lane_channel (void)
{
  return uk_lane_pair () * 4;
}

/* With @slope 0 as ReLU in device.cuh, also of NaN. */
static __device__ __forceinline__ float
rectify (float x, float slope)
{
  return x > 0 ? x : slope == 0 ? 0 : x * slope;
}

/* Adds a lane's 8 biases, multiplies negative values by @slope, and stores the values of 16 pixels side by side,
 * from (@row, @column) of the tile on, in the images' channels from @channel on. */
template <typename T>
static __device__ __forceinline__ void
store_pixels (T *to, const UkImages &images, const UkTile &tile, int row, int column, int channel,
              const float sums[4][4], const float biases[8], float slope)
{
#pragma unroll
  for (int half = 0; half < 2; half++)
    {
      int own = column + half * 8 + uk_lane_row ();
      uint32_t pairs[4];

#pragma unroll
      for (int product = 0; product < 4; product++)
        pairs[product] = UkHalf<T>::pack (rectify (sums[product][half * 2] + biases[product * 2], slope),
                                          rectify (sums[product][half * 2 + 1] + biases[product * 2 + 1], slope));
      if (uk_is_inside (images, tile, row, own))
        *reinterpret_cast<uint4 *> (to + uk_value_at (images, tile, row, own, channel + lane_channel ())) =
          make_uint4 (pairs[0], pairs[1], pairs[2], pairs[3]);
    }
}

/* A lane's biases; zeros if there is none. */
static __device__ __forceinline__ void
read_biases (float biases[8], const float *bias, int channel)
{
#pragma unroll
  for (int i = 0; i < 8; i++)
    biases[i] = bias != NULL ? bias[channel + lane_channel () + i] : 0;
}

template <int STRIDE, typename T>
static __device__ __forceinline__ void
read_expand_weights (uint32_t weights[STRIDE + 2][4][2], const T *w, const UkNarrow &g, int group)
{
#pragma unroll
  for (int row = 0; row < STRIDE + 2; row++)
#pragma unroll
    for (int product = 0; product < 4; product++)
#pragma unroll
      for (int half = 0; half < 2; half++)
        {
          int wide = group * UK_GROUP + channel_of_column (product, uk_lane_row ());
          int at = uk_lane_pair () + half * 8, column = at / UK_NARROW_PIXEL, narrow = at % UK_NARROW_PIXEL;

          weights[row][product][half] =
            uk_narrow_bits (w, uk_narrow_weight_at<STRIDE> (g, wide, row, column, narrow))
            | uk_narrow_bits (w, uk_narrow_weight_at<STRIDE> (g, wide, row, column, narrow + 1)) << 16;
        }
}

/* The rows @row of the patches of 16 pixels, from the first one's on. */
template <int STRIDE>
static __device__ __forceinline__ void
read_patches (uint32_t words[4], const uint16_t *first)
{
  const uint32_t *own = reinterpret_cast<const uint32_t *> (first + uk_lane_row () * STRIDE * UK_NARROW_PIXEL
                                                            + uk_lane_pair ());

  words[0] = own[0];
  words[1] = own[8 * STRIDE * UK_NARROW_PIXEL / 2];
  words[2] = own[4];
  words[3] = own[8 * STRIDE * UK_NARROW_PIXEL / 2 + 4];
}

template <int STRIDE, typename T>
static __global__ void __launch_bounds__ (THREADS)
expand_kernel (T *wide, const T *narrow, const T *w, const float *bias, float slope, UkNarrow g, int n_tiles)
{
  __shared__ __align__ (16) UkNarrowPatches<STRIDE, ROWS, COLUMNS> patches;
  uint32_t weights[STRIDE + 2][4][2];
  float biases[8];

  read_expand_weights<STRIDE> (weights, w, g, blockIdx.y);
  read_biases (biases, bias, blockIdx.y * UK_GROUP);
  for (int index = blockIdx.x; index < n_tiles; index += gridDim.x)
    {
      UkTile tile = uk_tile_at (g.wide, index, ROWS, COLUMNS);

      __syncthreads (); /* the last tile's patches are used */
      uk_narrow_load<STRIDE, ROWS, COLUMNS, THREADS> (&patches, narrow, g, tile);
      __syncthreads ();
      for (int i = threadIdx.x / UK_WARP; i < ROWS * COLUMNS / 16; i += WARPS)
        {
          int row = i / 2, column = i % 2 * 16;
          float sums[4][4] = { { 0 } };

          if (!uk_is_inside (g.wide, tile, row, column))
            continue;
#pragma unroll
          for (int tap = 0; tap < STRIDE + 2; tap++)
            {
              uint32_t left[4];

              read_patches<STRIDE> (left, patches.pixels[row * STRIDE + tap][column * STRIDE]);
#pragma unroll
              for (int product = 0; product < 4; product++)
                uk_multiply_add<T> (sums[product], left, weights[tap][product]);
            }
          store_pixels (wide, g.wide, tile, row, column, blockIdx.y * UK_GROUP, sums, biases, slope);
        }
    }
}

/* ------------------------------------------------------------------------ */
/* reduce: narrow = the wide pixels around * weights                         */

/* For the STRIDE x STRIDE narrow pixels in the place of a wide one, the weights of that and its neighbors:
 * words[neighbor][column][pair of channels], in shared memory. */
template <int STRIDE, int PRODUCTS, typename T>
static __device__ __forceinline__ void
load_reduce_weights (uint32_t words[9][PRODUCTS * 8][UK_GROUP / 2], const T *w, const UkNarrow &g, int group)
{
  int width = STRIDE * g.narrow_c;

  for (int i = threadIdx.x; i < 9 * PRODUCTS * 8 * UK_GROUP / 2; i += THREADS)
    {
      int wide = group * UK_GROUP + i % (UK_GROUP / 2) * 2, column = i / (UK_GROUP / 2) % (PRODUCTS * 8);
      int neighbor = i / (UK_GROUP / 2 * PRODUCTS * 8);
      int row = column / width + 1 - STRIDE * (neighbor / 3 - 1);
      int col = column % width / g.narrow_c + 1 - STRIDE * (neighbor % 3 - 1);
      int narrow = column / width < STRIDE ? column % g.narrow_c : UK_NARROW_PIXEL;

      words[neighbor][column][i % (UK_GROUP / 2)] =
        uk_narrow_bits (w, uk_narrow_weight_at<STRIDE> (g, wide, row, col, narrow))
        | uk_narrow_bits (w, uk_narrow_weight_at<STRIDE> (g, wide + 1, row, col, narrow)) << 16;
    }
}

/* Adds the products of one group of channels to the sums of a warp's pixels. */
template <int PRODUCTS, typename T>
static __device__ __forceinline__ void
add_products (float sums[WARP_ROWS][PRODUCTS][4], const uint4 *pixels,
              const uint32_t words[9][PRODUCTS * 8][UK_GROUP / 2])
{
  int warp = threadIdx.x / UK_WARP, lane = threadIdx.x % UK_WARP;
  int first = warp / 2 * WARP_ROWS * HALO_W + warp % 2 * WARP_COLUMNS + lane % 16;

#pragma unroll 1
  for (int i = 0; i < 6; i++)
    {
      int depth = i / 3, aside = i % 3;
      uint32_t weights[3][PRODUCTS][2];

#pragma unroll
      for (int below = 0; below < 3; below++)
#pragma unroll
        for (int product = 0; product < PRODUCTS; product++)
#pragma unroll
          for (int half = 0; half < 2; half++)
            weights[below][product][half] =
              words[below * 3 + aside][product * 8 + uk_lane_row ()][depth * 8 + half * 4 + uk_lane_pair () / 2];
#pragma unroll
      for (int row = 0; row < WARP_ROWS + 2; row++)
        {
          uint32_t left[4];

          uk_read_matrices (left, &pixels[uk_chunk_at (first + row * HALO_W + aside,
                                                       depth * 2 + lane / 16)]);
#pragma unroll
          for (int below = 0; below < 3; below++)
            if (row - below >= 0 && row - below < WARP_ROWS)
#pragma unroll
              for (int product = 0; product < PRODUCTS; product++)
                uk_multiply_add<T> (sums[row - below][product], left, weights[below][product]);
        }
    }
}

template <int STRIDE, int PRODUCTS, typename T>
static __device__ __forceinline__ void
store_narrow (T *narrow, const UkNarrow &g, const UkTile &tile,
              const float sums[WARP_ROWS][PRODUCTS][4])
{
  int warp = threadIdx.x / UK_WARP, width = STRIDE * g.narrow_c;

#pragma unroll
  for (int row = 0; row < WARP_ROWS; row++)
#pragma unroll
    for (int i = 0; i < PRODUCTS * 4; i++)
      {
        int y = warp / 2 * WARP_ROWS + row;
        int x = warp % 2 * WARP_COLUMNS + uk_lane_row () + i % 4 / 2 * 8;
        int column = i / 4 * 8 + uk_lane_pair () + i % 2;
        int64_t line = ((int64_t) tile.image * g.wide.h + tile.row + y) * STRIDE + column / width;

        if (uk_is_inside (g.wide, tile, y, x) && column < STRIDE * width)
          narrow[(line * g.wide.w + tile.column + x) * width + column % width] =
            uk_from_float<T> (sums[row][i / 4][i % 4]);
      }
}

template <int STRIDE, typename T>
static __global__ void __launch_bounds__ (THREADS)
reduce_kernel (T *narrow, const T *wide, const T *w, UkNarrow g)
{
  constexpr int PRODUCTS = STRIDE; /* 8 columns each, for STRIDE * STRIDE * 4 channels at most */
  __shared__ __align__ (16) uint4 pixels[(REDUCE_ROWS + 2) * HALO_W * 4];
  __shared__ uint32_t words[9][PRODUCTS * 8][UK_GROUP / 2];
  UkTile tile = uk_tile_at (g.wide, blockIdx.x, REDUCE_ROWS, COLUMNS);
  float sums[WARP_ROWS][PRODUCTS][4] = { { { 0 } } };

  for (int group = 0; group < g.wide.c / UK_GROUP; group++)
    {
      __syncthreads (); /* the last group is used */
      load_reduce_weights<STRIDE, PRODUCTS> (words, w, g, group);
      uk_load_tile<REDUCE_ROWS, COLUMNS, 1, THREADS> (pixels, wide, g.wide, tile, group);
      __syncthreads ();
      add_products<PRODUCTS, T> (sums, pixels, words);
    }
  store_narrow<STRIDE, PRODUCTS> (narrow, g, tile, sums);
}

/* ------------------------------------------------------------------------ */
/* Launchers                                                                 */

bool
uk_narrow_find (const UkConvShape *shape, UkNarrow *out)
{
  bool is_narrow_first = shape->small.c <= UK_NARROW_PIXEL;
  const UkShape *wide = is_narrow_first ? &shape->large : &shape->small;
  const UkShape *narrow = is_narrow_first ? &shape->small : &shape->large;
  int64_t stride = shape->stride;

  if (shape->kernel != stride + 2 || shape->pad != 1 || wide->c % UK_GROUP != 0 || wide->c > MAX_CHANNELS
      || wide->w < LEAST_WIDTH || narrow->c > UK_NARROW_PIXEL
      || (stride != 1 && (stride != 2 || is_narrow_first)) || narrow->h != wide->h * stride
      || narrow->w != wide->w * stride)
    return false;
  *out = (UkNarrow) { uk_images_of (wide), (int) narrow->c, is_narrow_first };
  return true;
}

bool
uk_narrow_is_expanded (const UkConvShape *shape)
{
  return shape->way == (shape->small.c <= UK_NARROW_PIXEL ? UK_CONV_SCATTER : UK_CONV_GATHER);
}

template <int STRIDE, typename T>
static UkStatus
run_with_stride (UkCudaOp *op, const UkConvShape *shape, const UkNarrow &g, const UkConvMemory *memory,
                 const float *bias, float slope)
{
  T *wide = (T *) (g.is_narrow_first ? memory->large : memory->small);
  T *narrow = (T *) (g.is_narrow_first ? memory->small : memory->large);
  const T *w = (const T *) memory->w;
  int64_t n_tiles = uk_n_tiles (g.wide, ROWS, COLUMNS);
  int n_groups = g.wide.c / UK_GROUP;
  dim3 grid (uk_n_blocks (n_tiles, 1, uk_n_blocks (BLOCKS, n_groups, BLOCKS)), (unsigned) n_groups);

  if (uk_narrow_is_expanded (shape))
    return uk_launch (op, expand_kernel<STRIDE, T>, grid, THREADS, wide, (const T *) narrow, w, bias, slope, g,
                      (int) n_tiles);
  return uk_launch (op, reduce_kernel<STRIDE, T>, (unsigned) uk_n_tiles (g.wide, REDUCE_ROWS, COLUMNS), THREADS, narrow,
                    (const T *) wide, w, g);
}

template <typename T>
static UkStatus
run (UkCudaOp *op, const UkConvShape *shape, const UkNarrow &g, const UkConvMemory *memory, const float *bias,
     float slope)
{
  return shape->stride == 1 ? run_with_stride<1, T> (op, shape, g, memory, bias, slope)
                            : run_with_stride<2, T> (op, shape, g, memory, bias, slope);
}

UkStatus
uk_narrow_run (UkCudaOp *op, const UkConvShape *shape, const UkConvMemory *memory, const float *bias, float slope)
{
  UkNarrow g;

  if (!uk_narrow_find (shape, &g))
    return UK_BAD_ARGUMENT;
  return UK_CALL_ON_HALVES (op->type, run, op, shape, g, memory, bias, slope);
}
