/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conv-narrow.cu - convolutions in bfloat16 of which one side has at most four channels, on tensor cores.
 *
 * The libraries pad few channels to 8 or more: they copy the image, and multiply mostly zeros.  These kernels
 * move each image once, which is what limits them.  Each is a matrix product:
 *
 *            rows            columns             sums over
 *   expand   wide pixels     wide channels       the narrow pixels of a patch, and their channels
 *   reduce   wide pixels     narrow channels     the wide pixels around, and their channels
 *   outer    those of a patch    wide channels   wide pixels
 *
 * In expand and outer, one product covers one row of a patch: up to 4 pixels of 4 channels.  In reduce, the
 * STRIDE x STRIDE narrow pixels in the place of a wide one are columns, too.
 */
#include "kernels/cuda/conv-narrow.cuh"

enum
{
  THREADS = 128,
  WARPS = THREADS / UK_WARP,
  GROUP = UK_NARROW_GROUP,
  COLUMNS = 32,     /* of a tile, in all kernels */
  ROWS = 8,         /* of a tile of expand and outer */
  BLOCKS = 1056,    /* of expand and outer, at most; each works on several tiles */
  OUTER_BLOCKS = 528,
  /* reduce: two warps across a tile and two down, each with 8 rows of 16 pixels */
  REDUCE_ROWS = 16,
  WARP_ROWS = 8,
  WARP_COLUMNS = 16,
  HALO_W = COLUMNS + 2
};

static __device__ __forceinline__ int
lane_row (void)
{
  return threadIdx.x % UK_WARP / 4;
}

static __device__ __forceinline__ int
lane_pair (void)
{
  return threadIdx.x % 4 * 2;
}

/* Whether a pixel of a tile is one of the wide image. */
static __device__ __forceinline__ bool
is_inside (const UkNarrow &g, const UkNarrowTile &tile, int row, int column)
{
  return tile.row + row < g.wide_h && tile.column + column < g.wide_w;
}

/* ------------------------------------------------------------------------ */
/* expand: wide = patches * weights, then bias and activation                */

/* The columns of the four products are numbered so that a lane's sums are 8 successive channels. */
static __device__ __forceinline__ int
channel_of_column (int product, int column)
{
  return column / 2 * 8 + product * 2 + column % 2;
}

template <int STRIDE>
static __device__ __forceinline__ void
read_expand_weights (uint32_t weights[STRIDE + 2][4][2], const __nv_bfloat16 *w, const UkNarrow &g, int group)
{
#pragma unroll
  for (int row = 0; row < STRIDE + 2; row++)
#pragma unroll
    for (int product = 0; product < 4; product++)
#pragma unroll
      for (int half = 0; half < 2; half++)
        {
          int wide = group * GROUP + channel_of_column (product, lane_row ());
          int at = lane_pair () + half * 8, column = at / UK_NARROW_PIXEL, narrow = at % UK_NARROW_PIXEL;

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
  const uint32_t *own = reinterpret_cast<const uint32_t *> (first + lane_row () * STRIDE * UK_NARROW_PIXEL
                                                            + lane_pair ());

  words[0] = own[0];
  words[1] = own[8 * STRIDE * UK_NARROW_PIXEL / 2];
  words[2] = own[4];
  words[3] = own[8 * STRIDE * UK_NARROW_PIXEL / 2 + 4];
}

/* Rectifies negative values by @slope: 1 for no activation. */
static __device__ __forceinline__ uint32_t
finish_pair (float a, float b, const float bias[2], float slope)
{
  a += bias[0];
  b += bias[1];
  a = a > 0 ? a : a * slope;
  b = b > 0 ? b : b * slope;
  return (uint32_t) __bfloat16_as_ushort (__float2bfloat16_rn (a))
         | (uint32_t) __bfloat16_as_ushort (__float2bfloat16_rn (b)) << 16;
}

template <int STRIDE>
static __global__ void __launch_bounds__ (THREADS)
expand_kernel (__nv_bfloat16 *wide, const __nv_bfloat16 *narrow, const __nv_bfloat16 *w, const float *bias,
               float slope, UkNarrow g, int n_tiles)
{
  __shared__ __align__ (16) UkNarrowPatches<STRIDE, ROWS, COLUMNS> patches;
  uint32_t weights[STRIDE + 2][4][2];
  float biases[8];
  int channel = blockIdx.y * GROUP + lane_pair () * 4;

  read_expand_weights<STRIDE> (weights, w, g, blockIdx.y);
#pragma unroll
  for (int i = 0; i < 8; i++)
    biases[i] = bias != NULL ? bias[channel + i] : 0;
  for (int index = blockIdx.x; index < n_tiles; index += gridDim.x)
    {
      UkNarrowTile tile = uk_narrow_tile_at (g, index, ROWS, COLUMNS);

      __syncthreads (); /* the last tile's patches are used */
      uk_narrow_load<STRIDE, ROWS, COLUMNS, THREADS> (&patches, narrow, g, tile);
      __syncthreads ();
      for (int i = threadIdx.x / UK_WARP; i < ROWS * COLUMNS / 16; i += WARPS)
        {
          int row = i / 2, column = i % 2 * 16;
          float sums[4][4] = { { 0 } };

          if (!is_inside (g, tile, row, column))
            continue;
#pragma unroll
          for (int tap = 0; tap < STRIDE + 2; tap++)
            {
              uint32_t left[4];

              read_patches<STRIDE> (left, patches.pixels[row * STRIDE + tap][column * STRIDE]);
#pragma unroll
              for (int product = 0; product < 4; product++)
                uk_multiply_add (sums[product], left, weights[tap][product]);
            }
#pragma unroll
          for (int half = 0; half < 2; half++)
            {
              int x = column + half * 8 + lane_row ();
              int64_t line = (int64_t) tile.image * g.wide_h + tile.row + row;
              uint32_t pairs[4];

#pragma unroll
              for (int product = 0; product < 4; product++)
                pairs[product] = finish_pair (sums[product][half * 2], sums[product][half * 2 + 1],
                                              biases + product * 2, slope);
              if (is_inside (g, tile, row, x))
                *reinterpret_cast<uint4 *> (wide + (line * g.wide_w + tile.column + x) * g.wide_c + channel) =
                  make_uint4 (pairs[0], pairs[1], pairs[2], pairs[3]);
            }
        }
    }
}

/* ------------------------------------------------------------------------ */
/* reduce: narrow = the wide pixels around * weights                         */

/* For the STRIDE x STRIDE narrow pixels in the place of a wide one, the weights of that and its neighbours:
 * words[neighbour][column][pair of channels], in shared memory. */
template <int STRIDE, int PRODUCTS>
static __device__ __forceinline__ void
load_reduce_weights (uint32_t words[9][PRODUCTS * 8][GROUP / 2], const __nv_bfloat16 *w, const UkNarrow &g,
                     int group)
{
  int width = STRIDE * g.narrow_c;

  for (int i = threadIdx.x; i < 9 * PRODUCTS * 8 * GROUP / 2; i += THREADS)
    {
      int wide = group * GROUP + i % (GROUP / 2) * 2, column = i / (GROUP / 2) % (PRODUCTS * 8);
      int neighbour = i / (GROUP / 2 * PRODUCTS * 8);
      int row = column / width + 1 - STRIDE * (neighbour / 3 - 1);
      int col = column % width / g.narrow_c + 1 - STRIDE * (neighbour % 3 - 1);
      int narrow = column / width < STRIDE ? column % g.narrow_c : UK_NARROW_PIXEL;

      words[neighbour][column][i % (GROUP / 2)] =
        uk_narrow_bits (w, uk_narrow_weight_at<STRIDE> (g, wide, row, col, narrow))
        | uk_narrow_bits (w, uk_narrow_weight_at<STRIDE> (g, wide + 1, row, col, narrow)) << 16;
    }
}

/* A group of channels of a tile's pixels and of those around it. */
static __device__ __forceinline__ void
load_halo (uint4 *pixels, const __nv_bfloat16 *wide, const UkNarrow &g, const UkNarrowTile &tile, int group)
{
  for (int i = threadIdx.x; i < (REDUCE_ROWS + 2) * HALO_W * 4; i += THREADS)
    pixels[uk_narrow_chunk_at (i / 4, i % 4)] =
      uk_narrow_read_wide (wide, g, tile.image, tile.row - 1 + i / 4 / HALO_W,
                           tile.column - 1 + i / 4 % HALO_W, group * GROUP + i % 4 * 8);
}

/* Adds the products of one group of channels to the sums of a warp's pixels. */
template <int PRODUCTS>
static __device__ __forceinline__ void
add_products (float sums[WARP_ROWS][PRODUCTS][4], const uint4 *pixels,
              const uint32_t words[9][PRODUCTS * 8][GROUP / 2])
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
              words[below * 3 + aside][product * 8 + lane_row ()][depth * 8 + half * 4 + lane_pair () / 2];
#pragma unroll
      for (int row = 0; row < WARP_ROWS + 2; row++)
        {
          uint32_t left[4];

          uk_read_matrices (left, &pixels[uk_narrow_chunk_at (first + row * HALO_W + aside,
                                                              depth * 2 + lane / 16)]);
#pragma unroll
          for (int below = 0; below < 3; below++)
            if (row - below >= 0 && row - below < WARP_ROWS)
#pragma unroll
              for (int product = 0; product < PRODUCTS; product++)
                uk_multiply_add (sums[row - below][product], left, weights[below][product]);
        }
    }
}

template <int STRIDE, int PRODUCTS>
static __device__ __forceinline__ void
store_narrow (__nv_bfloat16 *narrow, const UkNarrow &g, const UkNarrowTile &tile,
              const float sums[WARP_ROWS][PRODUCTS][4])
{
  int warp = threadIdx.x / UK_WARP, width = STRIDE * g.narrow_c;

#pragma unroll
  for (int row = 0; row < WARP_ROWS; row++)
#pragma unroll
    for (int i = 0; i < PRODUCTS * 4; i++)
      {
        int y = warp / 2 * WARP_ROWS + row;
        int x = warp % 2 * WARP_COLUMNS + lane_row () + i % 4 / 2 * 8;
        int column = i / 4 * 8 + lane_pair () + i % 2;
        int64_t line = ((int64_t) tile.image * g.wide_h + tile.row + y) * STRIDE + column / width;

        if (is_inside (g, tile, y, x) && column < STRIDE * width)
          narrow[(line * g.wide_w + tile.column + x) * width + column % width] =
            __float2bfloat16_rn (sums[row][i / 4][i % 4]);
      }
}

template <int STRIDE>
static __global__ void __launch_bounds__ (THREADS)
reduce_kernel (__nv_bfloat16 *narrow, const __nv_bfloat16 *wide, const __nv_bfloat16 *w, UkNarrow g)
{
  constexpr int PRODUCTS = STRIDE; /* 8 columns each, for STRIDE * STRIDE * 4 channels at most */
  __shared__ __align__ (16) uint4 pixels[(REDUCE_ROWS + 2) * HALO_W * 4];
  __shared__ uint32_t words[9][PRODUCTS * 8][GROUP / 2];
  UkNarrowTile tile = uk_narrow_tile_at (g, blockIdx.x, REDUCE_ROWS, COLUMNS);
  float sums[WARP_ROWS][PRODUCTS][4] = { { { 0 } } };

  for (int group = 0; group < g.wide_c / GROUP; group++)
    {
      __syncthreads (); /* the last group is used */
      load_reduce_weights<STRIDE, PRODUCTS> (words, w, g, group);
      load_halo (pixels, wide, g, tile, group);
      __syncthreads ();
      add_products<PRODUCTS> (sums, pixels, words);
    }
  store_narrow<STRIDE, PRODUCTS> (narrow, g, tile, sums);
}

/* ------------------------------------------------------------------------ */
/* outer: the gradient of the weights = patches transposed * wide            */

/* Adds the products of 16 pixels.  @first: of the patches of the first one; @pixels, @pixel: its channels. */
template <int STRIDE>
static __device__ __forceinline__ void
add_outer_products (float sums[STRIDE + 2][4][4], const uint16_t (*first)[UK_NARROW_PIXEL], int row_pixels,
                    const uint4 *pixels, int pixel)
{
  int lane = threadIdx.x % UK_WARP;
  const uint16_t *own = first[lane_pair () * STRIDE] + lane_row ();
  uint32_t right[2][4]; /* of products 0 and 1, 2 and 3 */

#pragma unroll
  for (int i = 0; i < 2; i++)
    uk_read_matrices_transposed (right[i], &pixels[uk_narrow_chunk_at (pixel + lane % 16, i * 2 + lane / 16)]);
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
        uk_multiply_add (sums[tap][product], left, right[product / 2] + product % 2 * 2);
    }
}

/* Adds up the warps' sums, in their order, in @total: [place in a patch][channel]. */
template <int STRIDE>
static __device__ __forceinline__ void
add_warps (float total[(STRIDE + 2) * 16][GROUP + 1], const float sums[STRIDE + 2][4][4])
{
  for (int warp = 0; warp < WARPS; warp++)
    {
      __syncthreads ();
      if ((int) threadIdx.x / UK_WARP == warp)
#pragma unroll
        for (int i = 0; i < (STRIDE + 2) * 16; i++)
          {
            int tap = i / 16, product = i / 4 % 4;
            int row = tap * 16 + lane_row () + i % 4 / 2 * 8, column = product * 8 + lane_pair () + i % 2;

            total[row][column] = (warp > 0 ? total[row][column] : 0) + sums[tap][product][i % 4];
          }
    }
  __syncthreads ();
}

/* Part blockIdx.x of the sums, of group blockIdx.y. */
template <int STRIDE>
static __global__ void __launch_bounds__ (THREADS, 4)
outer_kernel (float *parts, const __nv_bfloat16 *wide, const __nv_bfloat16 *narrow, UkNarrow g, int n_tiles,
              int n_weights)
{
  typedef UkNarrowPatches<STRIDE, ROWS, COLUMNS> Patches;
  __shared__ __align__ (16) Patches patches;
  __shared__ __align__ (16) uint4 pixels[ROWS * COLUMNS * 4];
  __shared__ float total[(STRIDE + 2) * 16][GROUP + 1];
  float sums[STRIDE + 2][4][4] = { { { 0 } } };

  for (int index = blockIdx.x; index < n_tiles; index += gridDim.x)
    {
      UkNarrowTile tile = uk_narrow_tile_at (g, index, ROWS, COLUMNS);

      __syncthreads (); /* the last tile is used */
#pragma unroll
      for (int i = threadIdx.x; i < ROWS * COLUMNS * 4; i += THREADS)
        pixels[uk_narrow_chunk_at (i / 4, i % 4)] =
          uk_narrow_read_wide (wide, g, tile.image, tile.row + i / 4 / COLUMNS, tile.column + i / 4 % COLUMNS,
                               blockIdx.y * GROUP + i % 4 * 8);
      uk_narrow_load<STRIDE, ROWS, COLUMNS, THREADS> (&patches, narrow, g, tile);
      __syncthreads ();
      for (int i = threadIdx.x / UK_WARP; i < ROWS * COLUMNS / 16; i += WARPS)
        if (is_inside (g, tile, i / 2, i % 2 * 16))
          add_outer_products<STRIDE> (sums, &patches.pixels[i / 2 * STRIDE][i % 2 * 16 * STRIDE], Patches::W, pixels,
                                      i * 16);
    }
  add_warps<STRIDE> (total, sums);
  parts += (int64_t) blockIdx.x * n_weights;
  for (int i = threadIdx.x; i < (STRIDE + 2) * 16 * GROUP; i += THREADS)
    {
      int place = i / GROUP % 16, channel = i % GROUP;
      int at = uk_narrow_weight_at<STRIDE> (g, blockIdx.y * GROUP + channel, i / GROUP / 16,
                                            place / UK_NARROW_PIXEL, place % UK_NARROW_PIXEL);

      if (at >= 0)
        parts[at] = total[i / GROUP][channel];
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
/* Launchers                                                                 */

static bool
is_narrow (int64_t n_channels)
{
  return n_channels <= UK_NARROW_PIXEL;
}

static bool
is_wide (int64_t n_channels)
{
  return n_channels % GROUP == 0;
}

static bool
find_geometry (const UkConvShape *shape, UkNarrow *out)
{
  bool is_narrow_first = is_narrow (shape->small.c);
  const UkShape *wide = is_narrow_first ? &shape->large : &shape->small;
  const UkShape *narrow = is_narrow_first ? &shape->small : &shape->large;
  int64_t stride = shape->stride;

  if (shape->kernel != stride + 2 || shape->pad != 1 || !is_wide (wide->c) || !is_narrow (narrow->c)
      || (stride != 1 && (stride != 2 || is_narrow_first)) || narrow->h != wide->h * stride
      || narrow->w != wide->w * stride)
    return false;
  *out = (UkNarrow) { (int) wide->n, (int) wide->h, (int) wide->w, (int) wide->c, (int) narrow->c, is_narrow_first };
  return uk_narrow_n_tiles (*out, ROWS, COLUMNS) <= INT32_MAX && uk_conv_n_weights (shape) <= INT32_MAX
         && wide->c / GROUP <= UINT16_MAX;
}

bool
uk_cuda_conv_narrow_can (const UkConvShape *shape)
{
  UkNarrow g;

  return find_geometry (shape, &g);
}

bool
uk_cuda_conv_narrow_fuses (const UkConvShape *shape, UkAct act)
{
  bool is_narrow_first = is_narrow (shape->small.c);

  return (act == UK_ACT_NONE || act == UK_ACT_RELU || act == UK_ACT_LEAKY_RELU)
         && shape->way == (is_narrow_first ? UK_CONV_SCATTER : UK_CONV_GATHER);
}

/* Number of parts of outer's sums: a function of the shape alone. */
static int
count_parts (const UkNarrow &g)
{
  int n_groups = g.wide_c / GROUP;
  int64_t n_tiles = uk_narrow_n_tiles (g, ROWS, COLUMNS), most = (OUTER_BLOCKS + n_groups - 1) / n_groups;

  return (int) (n_tiles < most ? n_tiles : most);
}

size_t
uk_cuda_conv_narrow_scratch_bytes (const UkConvShape *shape)
{
  UkNarrow g;

  if (shape->way != UK_CONV_OUTER || !find_geometry (shape, &g))
    return 0;
  return uk_cuda_align ((size_t) count_parts (g) * (size_t) uk_conv_n_weights (shape) * sizeof (float));
}

template <int STRIDE>
static UkStatus
outer (UkCudaOp *op, const UkNarrow &g, const __nv_bfloat16 *wide, const __nv_bfloat16 *narrow, float *dw,
       int n_weights, float *parts)
{
  int n_parts = count_parts (g);
  UkStatus status = uk_launch (op, outer_kernel<STRIDE>, dim3 ((unsigned) n_parts, (unsigned) (g.wide_c / GROUP)),
                               THREADS, parts, wide, narrow, g, (int) uk_narrow_n_tiles (g, ROWS, COLUMNS),
                               n_weights);

  if (status != UK_OK)
    return status;
  return uk_launch (op, add_parts_kernel, (unsigned) ((n_weights + UK_WARP - 1) / UK_WARP), THREADS, dw,
                    (const float *) parts, n_parts, n_weights);
}

template <int STRIDE>
static UkStatus
run (UkCudaOp *op, const UkConvShape *shape, const UkNarrow &g, const UkConvMemory *memory, const float *bias,
     float *scratch)
{
  __nv_bfloat16 *wide = (__nv_bfloat16 *) (g.is_narrow_first ? memory->large : memory->small);
  __nv_bfloat16 *narrow = (__nv_bfloat16 *) (g.is_narrow_first ? memory->small : memory->large);
  const __nv_bfloat16 *w = (const __nv_bfloat16 *) memory->w;
  UkAct act = op->base.desc.act;
  float slope = act == UK_ACT_RELU ? 0 : act == UK_ACT_LEAKY_RELU ? op->base.desc.slope : 1;
  int64_t n_tiles = uk_narrow_n_tiles (g, ROWS, COLUMNS);
  dim3 grid (uk_n_blocks (n_tiles, 1, BLOCKS * GROUP / g.wide_c), (unsigned) (g.wide_c / GROUP));

  if (shape->way == UK_CONV_OUTER)
    return outer<STRIDE> (op, g, wide, narrow, (float *) memory->w, (int) uk_conv_n_weights (shape), scratch);
  if (shape->way == (g.is_narrow_first ? UK_CONV_SCATTER : UK_CONV_GATHER))
    return uk_launch (op, expand_kernel<STRIDE>, grid, THREADS, wide, (const __nv_bfloat16 *) narrow, w, bias,
                      op->base.desc.kind == UK_OP_CONV ? slope : 1.0f, g, (int) n_tiles);
  return uk_launch (op, reduce_kernel<STRIDE>, (unsigned) uk_narrow_n_tiles (g, REDUCE_ROWS, COLUMNS), THREADS,
                    narrow, (const __nv_bfloat16 *) wide, w, g);
}

UkStatus
uk_cuda_conv_narrow (UkCudaOp *op, const UkConvShape *shape, const UkConvMemory *memory, const float *bias,
                     void *scratch)
{
  UkNarrow g;

  if (!find_geometry (shape, &g))
    return UK_BAD_ARGUMENT;
  return shape->stride == 1 ? run<1> (op, shape, g, memory, bias, (float *) scratch)
                            : run<2> (op, shape, g, memory, bias, (float *) scratch);
}
