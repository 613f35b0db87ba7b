/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conv-direct.cu - any convolution, without libraries: for pointers that are not aligned for them, shapes
 * that they do not support, and builds without them.
 *
 * Each of the three ways is a matrix product whose rows and columns are read from the images in place.  A
 * block computes 64 x 64 outputs, 16 products of each at a time; a thread computes 4 x 4 of them and sums
 * in fp32, taps in order and channels (or pixels) in order within each:
 *
 *            rows            columns      sums over
 *   GATHER   small pixels    s            taps, l
 *   SCATTER  large pixels    l            taps, s
 *   OUTER    s               l (a tap)    small pixels
 *
 * With a stride, only some of the taps reach a given pixel of the large image.  SCATTER's rows are sorted
 * by phase (row and column modulo the stride), so that the same taps reach all rows of a block.
 */
#include "kernels/cuda/conv-private.h"
#include "kernels/cuda/device.cuh"

enum
{
  TILE = 64,  /* rows and columns of a block's outputs */
  DEPTH = 16, /* products of each output between two barriers */
  THREADS = 256,
  EACH = 4, /* rows and columns of a thread's outputs; values that it loads of each factor */
  ROW = TILE + 4,
  /* OUTER has few outputs and long sums.  These are split until there are this many blocks, but not into
   * parts too short to pay. */
  WANTED_BLOCKS = 1024,
  MIN_PIXELS = 512
};

typedef struct
{
  int64_t n;
  int     small_h, small_w, small_c;
  int     large_h, large_w, large_c;
  int     kernel, stride, pad;
} Geometry;

/* The factors of a block's next products, [depth][row or column]. */
typedef struct
{
  float a[DEPTH][ROW], b[DEPTH][ROW];
} Factors;

static __device__ __forceinline__ void
multiply (const Factors &factors, float sums[EACH][EACH])
{
  int row = threadIdx.x / (TILE / EACH) * EACH, column = threadIdx.x % (TILE / EACH) * EACH;

#pragma unroll
  for (int k = 0; k < DEPTH; k++)
#pragma unroll
    for (int i = 0; i < EACH; i++)
#pragma unroll
      for (int j = 0; j < EACH; j++)
        sums[i][j] = fmaf (factors.a[k][row + i], factors.b[k][column + j], sums[i][j]);
}

static __device__ __forceinline__ void
clear (float sums[EACH][EACH])
{
#pragma unroll
  for (int i = 0; i < EACH; i++)
#pragma unroll
    for (int j = 0; j < EACH; j++)
      sums[i][j] = 0;
}

/* Loads four channels of one pixel: four depths of one row (or column).  @at: NULL for a pixel outside the
 * image. */
template <typename T>
static __device__ __forceinline__ void
fetch_along_depth (float factors[DEPTH][ROW], const T *at, int channel, int n_channels)
{
  int row = threadIdx.x / (DEPTH / EACH), depth = threadIdx.x % (DEPTH / EACH) * EACH;

#pragma unroll
  for (int i = 0; i < EACH; i++)
    {
      int c = channel + depth + i;

      factors[depth + i][row] = at != NULL && c < n_channels ? uk_to_float (at[c]) : 0;
    }
}

/* Loads four channels of one pixel: four columns (or rows) of one depth. */
template <typename T>
static __device__ __forceinline__ void
fetch_across_depth (float factors[DEPTH][ROW], const T *at, int channel, int n_channels)
{
  int depth = threadIdx.x / (TILE / EACH), column = threadIdx.x % (TILE / EACH) * EACH;

#pragma unroll
  for (int i = 0; i < EACH; i++)
    {
      int c = channel + column + i;

      factors[depth][column + i] = at != NULL && c < n_channels ? uk_to_float (at[c]) : 0;
    }
}

/* The row (or column) that fetch_along_depth(), and the depth that fetch_across_depth() loads. */
static __device__ __forceinline__ int
row_along (void)
{
  return threadIdx.x / (DEPTH / EACH);
}

static __device__ __forceinline__ int
depth_across (void)
{
  return threadIdx.x / (TILE / EACH);
}

/* Writes one row of a thread's outputs: four adjacent channels of @to. */
template <typename T>
static __device__ __forceinline__ void
store_row (T *to, int channel, int n_channels, const float sums[EACH])
{
  channel += threadIdx.x % (TILE / EACH) * EACH;
#pragma unroll
  for (int j = 0; j < EACH; j++)
    if (channel + j < n_channels)
      to[channel + j] = uk_from_float<T> (sums[j]);
}

typedef struct
{
  int64_t n;
  int     row, col;
} Pixel;

static __device__ __forceinline__ Pixel
pixel_at (int64_t index, int h, int w)
{
  int64_t line = index / w;
  Pixel pixel;

  pixel.col = (int) (index - line * w);
  pixel.n = line / h;
  pixel.row = (int) (line - pixel.n * h);
  return pixel;
}

template <typename T>
static __device__ __forceinline__ const T *
pixel_of (const T *image, int64_t n, int row, int col, int h, int w, int c)
{
  if (row < 0 || row >= h || col < 0 || col >= w)
    return NULL;
  return image + ((n * h + row) * w + col) * c;
}

/* ------------------------------------------------------------------------ */
/* GATHER                                                                    */

template <typename T>
static __global__ void __launch_bounds__ (THREADS)
gather_kernel (T *small, const T *large, const T *w, Geometry g, int64_t n_pixels, int column_tiles)
{
  __shared__ Factors factors;
  int64_t first = (int64_t) (blockIdx.x / column_tiles) * TILE, own = first + row_along ();
  int column = (int) (blockIdx.x % column_tiles) * TILE, taps = g.kernel * g.kernel;
  int s = column + row_along ();
  Pixel pixel = pixel_at (own < n_pixels ? own : 0, g.small_h, g.small_w);
  float sums[EACH][EACH];

  clear (sums);
  for (int tap = 0; tap < taps; tap++)
    {
      int row = pixel.row * g.stride - g.pad + tap / g.kernel;
      int col = pixel.col * g.stride - g.pad + tap % g.kernel;
      const T *from = own < n_pixels ? pixel_of (large, pixel.n, row, col, g.large_h, g.large_w,
                                                 g.large_c)
                                     : NULL;
      const T *weights = s < g.small_c ? w + ((int64_t) s * taps + tap) * g.large_c : NULL;

      for (int l = 0; l < g.large_c; l += DEPTH)
        {
          fetch_along_depth (factors.a, from, l, g.large_c);
          fetch_along_depth (factors.b, weights, l, g.large_c);
          __syncthreads ();
          multiply (factors, sums);
          __syncthreads ();
        }
    }
  for (int i = 0; i < EACH; i++)
    {
      int64_t at = first + threadIdx.x / (TILE / EACH) * EACH + i;

      if (at < n_pixels)
        store_row (small + at * g.small_c, column, g.small_c, sums[i]);
    }
}

/* ------------------------------------------------------------------------ */
/* SCATTER                                                                   */

/* The large pixels with row and column first_row and first_col modulo the stride. */
typedef struct
{
  int     first_row, first_col;
  int     h, w;
  int64_t n_pixels;
} Phase;

static __device__ __forceinline__ Phase
phase_at (const Geometry &g, int index)
{
  Phase phase;

  phase.first_row = index / g.stride;
  phase.first_col = index % g.stride;
  phase.h = (g.large_h - phase.first_row + g.stride - 1) / g.stride;
  phase.w = (g.large_w - phase.first_col + g.stride - 1) / g.stride;
  phase.h = phase.h > 0 ? phase.h : 0;
  phase.w = phase.w > 0 ? phase.w : 0;
  phase.n_pixels = g.n * phase.h * phase.w;
  return phase;
}

/* The position of a phase's pixel in the large image. */
static __device__ __forceinline__ Pixel
large_pixel (const Geometry &g, const Phase &phase, int64_t index)
{
  Pixel pixel = pixel_at (index, phase.h, phase.w);

  pixel.row = phase.first_row + pixel.row * g.stride;
  pixel.col = phase.first_col + pixel.col * g.stride;
  return pixel;
}

template <typename T>
static __global__ void __launch_bounds__ (THREADS)
scatter_kernel (T *large, const T *small, const T *w, Geometry g, int row_tiles, int column_tiles)
{
  __shared__ Factors factors;
  int row_tile = (int) (blockIdx.x / column_tiles);
  Phase phase = phase_at (g, row_tile / row_tiles);
  int64_t first = (int64_t) (row_tile % row_tiles) * TILE, own = first + row_along ();
  int column = (int) (blockIdx.x % column_tiles) * TILE, taps = g.kernel * g.kernel;
  bool is_own = own < phase.n_pixels;
  Pixel pixel = { 0, 0, 0 };
  float sums[EACH][EACH];

  if (first >= phase.n_pixels) /* the whole block: the grid is sized for the largest phase */
    return;
  if (is_own)
    pixel = large_pixel (g, phase, own);
  clear (sums);
  /* For the taps of this phase, the divisions by the stride are exact. */
  for (int i = (phase.first_row + g.pad) % g.stride; i < g.kernel; i += g.stride)
    for (int j = (phase.first_col + g.pad) % g.stride; j < g.kernel; j += g.stride)
      {
        int row = pixel.row + g.pad - i, col = pixel.col + g.pad - j;
        const T *from = is_own && row >= 0 && col >= 0
                          ? pixel_of (small, pixel.n, row / g.stride, col / g.stride, g.small_h,
                                      g.small_w, g.small_c)
                          : NULL;

        for (int s = 0; s < g.small_c; s += DEPTH)
          {
            int own_s = s + depth_across ();
            const T *weights = own_s < g.small_c
                                 ? w + ((int64_t) own_s * taps + i * g.kernel + j) * g.large_c
                                 : NULL;

            fetch_along_depth (factors.a, from, s, g.small_c);
            fetch_across_depth (factors.b, weights, column, g.large_c);
            __syncthreads ();
            multiply (factors, sums);
            __syncthreads ();
          }
      }
  for (int i = 0; i < EACH; i++)
    {
      int64_t at = first + threadIdx.x / (TILE / EACH) * EACH + i;

      if (at < phase.n_pixels)
        {
          Pixel to = large_pixel (g, phase, at);

          store_row (large + ((to.n * g.large_h + to.row) * g.large_w + to.col) * g.large_c, column,
                     g.large_c, sums[i]);
        }
    }
}

/* ------------------------------------------------------------------------ */
/* OUTER                                                                     */

/* Part blockIdx.y of the sums, over @each small pixels. */
template <typename T>
static __global__ void __launch_bounds__ (THREADS)
outer_kernel (float *parts, const T *small, const T *large, Geometry g, int64_t n_pixels,
              int64_t each, int row_tiles, int column_tiles)
{
  __shared__ Factors factors;
  int taps = g.kernel * g.kernel, row_tile = (int) (blockIdx.x / column_tiles);
  int tap = row_tile / row_tiles;
  int s = row_tile % row_tiles * TILE, l = (int) (blockIdx.x % column_tiles) * TILE;
  int64_t start = blockIdx.y * each;
  int64_t end = start + each < n_pixels ? start + each : n_pixels;
  float sums[EACH][EACH];

  clear (sums);
  for (int64_t at = start; at < end; at += DEPTH)
    {
      int64_t own = at + depth_across ();
      const T *left = NULL, *right = NULL;

      if (own < end)
        {
          Pixel pixel = pixel_at (own, g.small_h, g.small_w);
          int row = pixel.row * g.stride - g.pad + tap / g.kernel;
          int col = pixel.col * g.stride - g.pad + tap % g.kernel;

          left = small + own * g.small_c;
          right = pixel_of (large, pixel.n, row, col, g.large_h, g.large_w, g.large_c);
        }
      fetch_across_depth (factors.a, left, s, g.small_c);
      fetch_across_depth (factors.b, right, l, g.large_c);
      __syncthreads ();
      multiply (factors, sums);
      __syncthreads ();
    }
  parts += (int64_t) blockIdx.y * g.small_c * taps * g.large_c;
  for (int i = 0; i < EACH; i++)
    {
      int own = s + (int) threadIdx.x / (TILE / EACH) * EACH + i;

      if (own < g.small_c)
        store_row (parts + ((int64_t) own * taps + tap) * g.large_c, l, g.large_c, sums[i]);
    }
}

/* to = sum of the parts, in order. */
static __global__ void __launch_bounds__ (THREADS)
add_parts_kernel (float *to, const float *parts, int n_parts, int64_t count)
{
  int64_t i = (int64_t) blockIdx.x * THREADS + threadIdx.x;

  for (; i < count; i += (int64_t) gridDim.x * THREADS)
    {
      float sum = 0;

      for (int part = 0; part < n_parts; part++)
        sum += parts[part * count + i];
      to[i] = sum;
    }
}

/* ------------------------------------------------------------------------ */
/* Launchers                                                                 */

static Geometry
geometry_of (const UkConvShape *shape)
{
  Geometry g = { shape->small.n };

  g.small_h = (int) shape->small.h;
  g.small_w = (int) shape->small.w;
  g.small_c = (int) shape->small.c;
  g.large_h = (int) shape->large.h;
  g.large_w = (int) shape->large.w;
  g.large_c = (int) shape->large.c;
  g.kernel = shape->kernel;
  g.stride = shape->stride;
  g.pad = shape->pad;
  return g;
}

static int64_t
n_tiles (int64_t count)
{
  return (count + TILE - 1) / TILE;
}

static int64_t
count_small_pixels (const UkConvShape *shape)
{
  return shape->small.n * shape->small.h * shape->small.w;
}

/* Tile rows in SCATTER's largest phase. */
static int64_t
count_phase_tiles (const UkConvShape *shape)
{
  int64_t stride = shape->stride;
  int64_t h = (shape->large.h + stride - 1) / stride, w = (shape->large.w + stride - 1) / stride;

  return n_tiles (shape->large.n * h * w);
}

/* Computed in doubles, which do not overflow. */
bool
uk_cuda_conv_direct_can (const UkConvShape *shape)
{
  double small = (double) n_tiles (shape->small.c), large = (double) n_tiles (shape->large.c);
  double taps = (double) shape->kernel * shape->kernel;
  double phases = (double) shape->stride * shape->stride;

  switch (shape->way)
    {
    case UK_CONV_GATHER:
      return (double) n_tiles (count_small_pixels (shape)) * small <= INT32_MAX;
    case UK_CONV_SCATTER:
      return phases * (double) count_phase_tiles (shape) * large <= INT32_MAX;
    default:
      return taps * small * large <= INT32_MAX;
    }
}

/* Number of parts of OUTER's sums: a function of the shape alone. */
static int64_t
count_parts (const UkConvShape *shape)
{
  int64_t blocks = n_tiles (shape->small.c) * n_tiles (shape->large.c) * shape->kernel
                   * shape->kernel;
  int64_t wanted = (WANTED_BLOCKS + blocks - 1) / blocks;
  int64_t most = (count_small_pixels (shape) + MIN_PIXELS - 1) / MIN_PIXELS;

  return wanted < most ? wanted : most;
}

size_t
uk_cuda_conv_direct_scratch_bytes (const UkConvShape *shape)
{
  int64_t parts = shape->way == UK_CONV_OUTER ? count_parts (shape) : 1;

  return parts > 1 ? uk_cuda_align ((size_t) (parts * uk_conv_n_weights (shape)) * sizeof (float))
                   : 0;
}

template <typename T>
static UkStatus
outer (UkCudaOp *op, const UkConvShape *shape, const UkConvMemory *memory, float *scratch)
{
  int64_t n_pixels = count_small_pixels (shape), n_parts = count_parts (shape);
  int64_t column_tiles = n_tiles (shape->large.c), count = uk_conv_n_weights (shape);
  int64_t each = (n_pixels + n_parts - 1) / n_parts;
  int64_t row_tiles = n_tiles (shape->small.c);
  dim3 grid ((unsigned) (shape->kernel * shape->kernel * row_tiles * column_tiles),
             (unsigned) n_parts);
  float *parts = n_parts > 1 ? scratch : (float *) memory->w;
  UkStatus status = uk_launch (op, outer_kernel<T>, grid, THREADS, parts,
                               (const T *) memory->small, (const T *) memory->large,
                               geometry_of (shape), n_pixels, each, (int) row_tiles,
                               (int) column_tiles);

  if (status != UK_OK || n_parts == 1)
    return status;
  return uk_launch (op, add_parts_kernel, uk_n_blocks (count, THREADS, 1 << 20), THREADS,
                    (float *) memory->w, (const float *) parts, (int) n_parts, count);
}

template <typename T>
static UkStatus
run (UkCudaOp *op, const UkConvShape *shape, const UkConvMemory *memory, void *scratch)
{
  int64_t column_tiles = n_tiles (shape->way == UK_CONV_GATHER ? shape->small.c : shape->large.c);
  int64_t n_pixels = count_small_pixels (shape), row_tiles = count_phase_tiles (shape);

  switch (shape->way)
    {
    case UK_CONV_GATHER:
      return uk_launch (op, gather_kernel<T>, (unsigned) (n_tiles (n_pixels) * column_tiles), THREADS,
                        (T *) memory->small, (const T *) memory->large, (const T *) memory->w,
                        geometry_of (shape), n_pixels, (int) column_tiles);
    case UK_CONV_SCATTER:
      return uk_launch (op, scatter_kernel<T>,
                        (unsigned) (shape->stride * shape->stride * row_tiles * column_tiles), THREADS,
                        (T *) memory->large, (const T *) memory->small, (const T *) memory->w,
                        geometry_of (shape), (int) row_tiles, (int) column_tiles);
    default:
      return outer<T> (op, shape, memory, (float *) scratch);
    }
}

UkStatus
uk_cuda_conv_direct (UkCudaOp *op, const UkConvShape *shape, const UkConvMemory *memory,
                     void *scratch)
{
  return UK_CALL_ON_VALUES (op->type, run, op, shape, memory, scratch);
}
