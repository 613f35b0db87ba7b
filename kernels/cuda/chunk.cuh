/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chunk.cuh - values that are read and written by one access, and their positions.
 *
 * A kernel is written once, for chunks of WIDTH values: as many as sixteen bytes hold, where pointers and
 * sizes allow it, or one.  A chunk stays packed until it is used, which halves the registers for sixteen bits,
 * so that several loads can be in flight.
 *
 * It is an integer, packed and unpacked by hand: the compiler split arrays, and even uint4, and wrote them
 * in pieces.
 */
#pragma once

#include "kernels/cuda/device.cuh"

/* (noise generates four values of sixteen bits, eight bytes, at a time) */
template <typename T, int N_BYTES> struct UkWord;
template <typename T> struct UkWord<T, sizeof (T)>
{
  typedef T Type;
};
template <typename T> struct UkWord<T, 8>
{
  typedef uint64_t Type;
};
template <typename T> struct UkWord<T, 16>
{
  __extension__ typedef unsigned __int128 Type;
};

template <typename T, int WIDTH> struct UkChunk
{
  typedef typename UkWord<T, WIDTH * (int) sizeof (T)>::Type Word;
  Word word;
};

template <int WIDTH, typename T>
static __device__ __forceinline__ UkChunk<T, WIDTH>
uk_read (const T *at)
{
  return { *reinterpret_cast<const typename UkChunk<T, WIDTH>::Word *> (at) };
}

template <typename T, int WIDTH>
static __device__ __forceinline__ void
uk_write (T *at, UkChunk<T, WIDTH> chunk)
{
  *reinterpret_cast<typename UkChunk<T, WIDTH>::Word *> (at) = chunk.word;
}

/* Four bytes: one float, or two values of sixteen bits. */
template <typename T>
static __device__ __forceinline__ void
uk_unpack4 (uint32_t bits, float *out)
{
  if constexpr (sizeof (T) == 4)
    out[0] = __uint_as_float (bits);
  else
    {
      float2 both = UkHalf<T>::unpack (bits);

      out[0] = both.x;
      out[1] = both.y;
    }
}

template <typename T>
static __device__ __forceinline__ uint32_t
uk_pack4 (const float *in)
{
  if constexpr (sizeof (T) == 4)
    return __float_as_uint (in[0]);
  else
    return UkHalf<T>::pack (in[0], in[1]);
}

template <typename T, int WIDTH>
static __device__ __forceinline__ void
uk_unpack (UkChunk<T, WIDTH> chunk, float out[WIDTH])
{
  constexpr int PER_PART = 4 / sizeof (T);

  if constexpr (WIDTH == 1)
    out[0] = uk_to_float (chunk.word);
  else
#pragma unroll
    for (int i = 0; i < WIDTH / PER_PART; i++)
      uk_unpack4<T> ((uint32_t) (chunk.word >> 32 * i), out + i * PER_PART);
}

template <typename T, int WIDTH>
static __device__ __forceinline__ UkChunk<T, WIDTH>
uk_pack (const float in[WIDTH])
{
  constexpr int PER_PART = 4 / sizeof (T);
  UkChunk<T, WIDTH> chunk;

  if constexpr (WIDTH == 1)
    chunk.word = uk_from_float<T> (in[0]);
  else
    {
      chunk.word = 0;
#pragma unroll
      for (int i = 0; i < WIDTH / PER_PART; i++)
        chunk.word |= (typename UkChunk<T, WIDTH>::Word) uk_pack4<T> (in + i * PER_PART) << 32 * i;
    }
  return chunk;
}

/* WIDTH parameters.  Their alignment depends on the parameter block, but is the same for all threads, since
 * they are WIDTH apart. */
template <int WIDTH>
static __device__ __forceinline__ void
uk_read_reals (const float *at, float out[WIDTH])
{
  if constexpr (WIDTH % 4 == 0)
    if (reinterpret_cast<uintptr_t> (at) % 16 == 0)
      {
#pragma unroll
        for (int i = 0; i < WIDTH; i += 4)
          {
            float4 four = *reinterpret_cast<const float4 *> (at + i);

            out[i] = four.x;
            out[i + 1] = four.y;
            out[i + 2] = four.z;
            out[i + 3] = four.w;
          }
        return;
      }
#pragma unroll
  for (int i = 0; i < WIDTH; i++)
    out[i] = at[i];
}

/* ------------------------------------------------------------------------ */
/* Division of 0 ... 2^31 - 1 by an invariant: a product and a shift (Granlund & Montgomery 1994, "Division
 * by invariant integers using multiplication").  With 2^(s-1) < d <= 2^s, f = ceil (2^(31+s) / d) fits into
 * 32 bits, and its relative error is below 2^s / 2^(31+s), too small to matter for dividends below 2^31. */

typedef struct
{
  uint32_t divisor, factor, shift;
} UkDivisor;

static inline UkDivisor
uk_divisor (int64_t divisor)
{
  uint32_t s = 0;

  while ((int64_t) 1 << s < divisor)
    s++;
  return UkDivisor { (uint32_t) divisor,
                     (uint32_t) ((((uint64_t) 1 << (31 + s)) + (uint64_t) divisor - 1)
                                 / (uint64_t) divisor),
                     31 + s };
}

static __device__ __forceinline__ int
uk_divide (int x, UkDivisor by, int *rest)
{
  uint32_t quotient = (uint32_t) (((uint64_t) (uint32_t) x * by.factor) >> by.shift);

  *rest = x - (int) (quotient * by.divisor);
  return (int) quotient;
}

/* Position of a value in an image, channels innermost. */
typedef struct
{
  int channel, col, row;
} UkPlace;

/* @by_c, @by_w: divisors for channels and columns. */
static __device__ __forceinline__ UkPlace
uk_place (int at, UkDivisor by_c, UkDivisor by_w)
{
  UkPlace place;

  place.row = uk_divide (uk_divide (at, by_c, &place.channel), by_w, &place.col);
  return place;
}

/* Advances to the next value of an image of @w columns and @c channels. */
static __device__ __forceinline__ void
uk_next_place (UkPlace *place, int w, int c)
{
  if (++place->channel < c)
    return;
  place->channel = 0;
  if (++place->col < w)
    return;
  place->col = 0;
  place->row++;
}

/* On the host: whether int can index @count values, with room for rounding up a block's first index. */
static inline bool
uk_fits_int (int64_t count)
{
  return count <= INT32_MAX - (1 << 16);
}

/* For kernels whose blocks handle one sample each, numbered by sample and then part (blockIdx.x divided by
 * the number of parts is the sample): whether the indices fit, at 256 or more values per block. */
static inline bool
uk_samples_fit (UkShape shape)
{
  int64_t per_sample = shape.h * shape.w * shape.c;

  return uk_fits_int (per_sample) && uk_fits_int (shape.n)
         && uk_fits_int (shape.n * (per_sample / 256 + 1));
}

/* A prepare() for such kernels. */
static inline UkStatus
uk_prepare_samples (UkCudaOp *op)
{
  return uk_samples_fit (op->base.desc.x) ? UK_OK : UK_UNSUPPORTED;
}
