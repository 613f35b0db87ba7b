/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weights.cu - conversion between stored and packed weights.
 *
 * For each channel s of the small image, stored weights are a matrix (l, taps) and packed ones (taps, l).
 * Taps are few, and both sides should be read and written in whole sectors, so a block moves 64 channels of
 * all taps (up to 32 at once) through shared memory: contiguous on the stored side, contiguous per tap on
 * the packed side.
 */
#include "kernels/cuda/conv-private.h"
#include "kernels/cuda/vector.cuh"

enum
{
  THREADS = 256,
  TILE_CHANNELS = 64,
  TILE_TAPS = 32,
  TILE_ROW = TILE_CHANNELS + 1, /* avoids bank conflicts when a warp iterates over taps */
  EACH = 4,                     /* values per thread where the order is the same */
  MAX_BLOCKS = 1 << 20
};

typedef struct
{
  int64_t n_small;
  int     n_large, taps;
  int     channel_tiles, tap_tiles; /* per channel s */
} Order;

/* The extent of a tile. */
typedef struct
{
  int64_t at;                   /* first weight of its channel s, in either order */
  int     channel, tap;         /* first ones */
  int     n_channels, n_taps;
} Tile;

static __device__ __forceinline__ Tile
tile_at (const Order &order, int64_t index)
{
  int each = order.channel_tiles * order.tap_tiles;
  int64_t small = index / each;
  int within = (int) (index - small * each);
  Tile tile;

  tile.at = small * order.n_large * order.taps;
  tile.tap = within % order.tap_tiles * TILE_TAPS;
  tile.channel = within / order.tap_tiles * TILE_CHANNELS;
  tile.n_channels = min (order.n_large - tile.channel, (int) TILE_CHANNELS);
  tile.n_taps = min (order.taps - tile.tap, (int) TILE_TAPS);
  return tile;
}

static __device__ __forceinline__ int64_t
stored_at (const Order &order, const Tile &tile, int channel, int tap)
{
  return tile.at + (int64_t) (tile.channel + channel) * order.taps + tile.tap + tap;
}

static __device__ __forceinline__ int64_t
packed_at (const Order &order, const Tile &tile, int channel, int tap)
{
  return tile.at + (int64_t) (tile.tap + tap) * order.n_large + tile.channel + channel;
}

/* TAPS: the number of taps if known at compile time, which makes division cheap; 0: any. */
template <typename T, int TAPS>
static __global__ void __launch_bounds__ (THREADS)
pack_kernel (const float *stored, T *packed, Order order, int64_t n_tiles)
{
  __shared__ float weights[TILE_TAPS * TILE_ROW];

  for (int64_t index = blockIdx.x; index < n_tiles; index += gridDim.x)
    {
      Tile tile = tile_at (order, index);
      int n_taps = TAPS > 0 ? TAPS : tile.n_taps;

      for (int i = threadIdx.x; i < tile.n_channels * n_taps; i += THREADS)
        weights[i % n_taps * TILE_ROW + i / n_taps] =
          stored[stored_at (order, tile, i / n_taps, i % n_taps)];
      __syncthreads ();
      for (int i = threadIdx.x; i < TILE_CHANNELS * n_taps; i += THREADS)
        if (i % TILE_CHANNELS < tile.n_channels)
          packed[packed_at (order, tile, i % TILE_CHANNELS, i / TILE_CHANNELS)] =
            uk_from_float<T> (weights[i / TILE_CHANNELS * TILE_ROW + i % TILE_CHANNELS]);
      __syncthreads ();
    }
}

template <typename T, int TAPS>
static __global__ void __launch_bounds__ (THREADS)
unpack_kernel (const T *packed, float *stored, Order order, int64_t n_tiles, bool adds)
{
  __shared__ float weights[TILE_TAPS * TILE_ROW];

  for (int64_t index = blockIdx.x; index < n_tiles; index += gridDim.x)
    {
      Tile tile = tile_at (order, index);
      int n_taps = TAPS > 0 ? TAPS : tile.n_taps;

      for (int i = threadIdx.x; i < TILE_CHANNELS * n_taps; i += THREADS)
        if (i % TILE_CHANNELS < tile.n_channels)
          weights[i / TILE_CHANNELS * TILE_ROW + i % TILE_CHANNELS] =
            uk_to_float (packed[packed_at (order, tile, i % TILE_CHANNELS, i / TILE_CHANNELS)]);
      __syncthreads ();
      for (int i = threadIdx.x; i < tile.n_channels * n_taps; i += THREADS)
        {
          int64_t at = stored_at (order, tile, i / n_taps, i % n_taps);
          float weight = weights[i % n_taps * TILE_ROW + i / n_taps];

          stored[at] = adds ? stored[at] + weight : weight;
        }
      __syncthreads ();
    }
}

/* ------------------------------------------------------------------------ */
/* Whole tiles, sixteen bytes at a time                                      */

/* The same for whole tiles of aligned weights with TAPS taps: @n_tiles of 64 channels. */
template <typename T, int TAPS>
static __global__ void __launch_bounds__ (THREADS)
pack_whole_kernel (const float *stored, T *packed, Order order, int64_t n_tiles)
{
  __shared__ float weights[TAPS * TILE_ROW];
  constexpr int N = UkLane<T>::N;

  for (int64_t index = blockIdx.x; index < n_tiles; index += gridDim.x)
    {
      Tile tile = tile_at (order, index);

      for (int i = threadIdx.x * 4; i < TILE_CHANNELS * TAPS; i += THREADS * 4)
        {
          float four[4];

          uk_load_vector<4> (stored + stored_at (order, tile, 0, i), four);
#pragma unroll
          for (int k = 0; k < 4; k++)
            weights[(i + k) % TAPS * TILE_ROW + (i + k) / TAPS] = four[k];
        }
      __syncthreads ();
      for (int i = threadIdx.x * N; i < TILE_CHANNELS * TAPS; i += THREADS * N)
        uk_store_vector<N> (packed + packed_at (order, tile, i % TILE_CHANNELS, i / TILE_CHANNELS),
                            weights + i / TILE_CHANNELS * TILE_ROW + i % TILE_CHANNELS);
      __syncthreads ();
    }
}

template <typename T, int TAPS>
static __global__ void __launch_bounds__ (THREADS)
unpack_whole_kernel (const T *packed, float *stored, Order order, int64_t n_tiles, bool adds)
{
  __shared__ float weights[TAPS * TILE_ROW];
  constexpr int N = UkLane<T>::N;

  for (int64_t index = blockIdx.x; index < n_tiles; index += gridDim.x)
    {
      Tile tile = tile_at (order, index);

      for (int i = threadIdx.x * N; i < TILE_CHANNELS * TAPS; i += THREADS * N)
        uk_load_vector<N> (packed + packed_at (order, tile, i % TILE_CHANNELS, i / TILE_CHANNELS),
                           weights + i / TILE_CHANNELS * TILE_ROW + i % TILE_CHANNELS);
      __syncthreads ();
      for (int i = threadIdx.x * 4; i < TILE_CHANNELS * TAPS; i += THREADS * 4)
        {
          float *to = stored + stored_at (order, tile, 0, i), four[4] = { 0 };

          if (adds)
            uk_load_vector<4> (to, four);
#pragma unroll
          for (int k = 0; k < 4; k++)
            four[k] += weights[(i + k) % TAPS * TILE_ROW + (i + k) / TAPS];
          uk_store_vector<4> (to, four);
        }
      __syncthreads ();
    }
}

/* For shapes with the same order on both sides. */
template <typename From, typename To>
static __global__ void __launch_bounds__ (THREADS)
convert_kernel (const From *from, To *to, int64_t count, bool adds)
{
  int64_t start = (int64_t) blockIdx.x * THREADS * EACH + threadIdx.x;

  for (; start < count; start += (int64_t) gridDim.x * THREADS * EACH)
#pragma unroll
    for (int i = 0; i < EACH; i++)
      {
        int64_t at = start + i * THREADS;

        if (at < count)
          to[at] = uk_from_float<To> (uk_to_float (from[at]) + (adds ? uk_to_float (to[at]) : 0));
      }
}

static Order
order_of (const UkConvShape *shape)
{
  Order order = { shape->small.c, (int) shape->large.c, shape->kernel * shape->kernel, 0, 0 };

  order.channel_tiles = (order.n_large + TILE_CHANNELS - 1) / TILE_CHANNELS;
  order.tap_tiles = (order.taps + TILE_TAPS - 1) / TILE_TAPS;
  return order;
}

template <typename From, typename To>
static UkStatus
convert (UkCudaOp *op, const From *from, To *to, int64_t count, bool adds)
{
  return uk_launch (op, convert_kernel<From, To>, uk_n_blocks (count, THREADS * EACH, MAX_BLOCKS),
                    THREADS, from, to, count, adds);
}

/* Whether the kernels for whole tiles can be used. */
static bool
are_tiles_whole (const Order &order, const void *stored, const void *packed)
{
  return (order.taps == 9 || order.taps == 16) && order.n_large % TILE_CHANNELS == 0 && uk_are_aligned (stored, packed);
}

template <typename T>
static UkStatus
pack (UkCudaOp *op, const UkConvShape *shape, const float *stored, void *memory)
{
  T *packed = (T *) memory;
  Order order = order_of (shape);
  int64_t n_tiles = order.n_small * order.channel_tiles * order.tap_tiles;
  unsigned n_blocks = uk_n_blocks (n_tiles, 1, MAX_BLOCKS);
  bool are_whole = are_tiles_whole (order, stored, packed);
  auto *kernel = order.taps == 9    ? are_whole ? pack_whole_kernel<T, 9> : pack_kernel<T, 9>
                 : order.taps == 16 ? are_whole ? pack_whole_kernel<T, 16> : pack_kernel<T, 16>
                                    : pack_kernel<T, 0>;

  if (uk_conv_keeps_order (shape))
    return convert (op, stored, packed, uk_conv_n_weights (shape), false);
  return uk_launch (op, kernel, n_blocks, THREADS, stored, packed, order, n_tiles);
}

template <typename T>
static UkStatus
unpack (UkCudaOp *op, const UkConvShape *shape, const void *memory, float *stored)
{
  const T *packed = (const T *) memory;
  Order order = order_of (shape);
  int64_t n_tiles = order.n_small * order.channel_tiles * order.tap_tiles;
  unsigned n_blocks = uk_n_blocks (n_tiles, 1, MAX_BLOCKS);
  bool are_whole = are_tiles_whole (order, stored, packed);
  auto *kernel = order.taps == 9    ? are_whole ? unpack_whole_kernel<T, 9> : unpack_kernel<T, 9>
                 : order.taps == 16 ? are_whole ? unpack_whole_kernel<T, 16> : unpack_kernel<T, 16>
                                    : unpack_kernel<T, 0>;
  bool adds = op->base.desc.accumulate;

  if (uk_conv_keeps_order (shape))
    return convert (op, packed, stored, uk_conv_n_weights (shape), adds);
  return uk_launch (op, kernel, n_blocks, THREADS, packed, stored, order, n_tiles, adds);
}

UkStatus
uk_cuda_weights_pack (UkCudaOp *op, const UkConvShape *shape, const float *stored, void *packed)
{
  return UK_CALL_ON_VALUES (op->type, pack, op, shape, stored, packed);
}

UkStatus
uk_cuda_weights_unpack (UkCudaOp *op, const UkConvShape *shape, const void *packed, UkDataType type,
                        float *stored)
{
  return UK_CALL_ON_VALUES (type, unpack, op, shape, packed, stored);
}
