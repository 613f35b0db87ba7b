/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uk-random.h - counter-based random numbers.
 *
 * Philox4x32-10 (Salmon et al., SC'11, "Parallel random numbers: as easy as 1, 2, 3").  There is no hidden
 * state: the values of a training step depend on (seed, step, stream, index) alone, so they are the same on
 * any backend, with any number of ranks, and after any resume.
 *
 * A `rng` argument is uint64_t[2] = { seed, step }.  The block for an index is
 *   key     = { seed & 0xffffffff, seed >> 32 }
 *   counter = { index & 0xffffffff, index >> 32, step & 0xffffffff, stream }
 *
 * Indices for sample s (s = desc.first_sample + n):
 *   UK_OP_NOISE    element e of a sample: index (s << 20) + e / 4, normal value e % 4 of the block (see
 *                  uk_normal4)
 *   UK_OP_LOAD     index s: D4 element = word 0 & 7 (see uk_dihedral_source)
 *   UK_OP_AUGMENT  index 2 s: translate if uniform (word 0) < p, by floor (uniform (word 1) * (2 m + 1)) - m
 *                  columns, and likewise rows from word 2, with m = edge / 8:
 *                  y (row, col) = x (row - rows, col - columns), or 0 outside of x.
 *                  index 2 s + 1: cut out if uniform (word 0) < p; center column
 *                  floor (uniform (word 1) * edge), row likewise from word 2; the square covers
 *                  [center - edge / 4, center + edge / 4).
 */
#pragma once

#include <math.h>
#include <stdint.h>

/* Some functions also run on a GPU: see kernels/cuda/. */
#ifdef __CUDACC__
#define UK_HOST_DEVICE __host__ __device__
#else
#define UK_HOST_DEVICE
#endif

static UK_HOST_DEVICE inline void
uk_philox (const uint64_t rng[2], uint32_t stream, uint64_t index, uint32_t out[4])
{
  uint32_t k0 = (uint32_t) rng[0], k1 = (uint32_t) (rng[0] >> 32);
  uint32_t c0 = (uint32_t) index, c1 = (uint32_t) (index >> 32);
  uint32_t c2 = (uint32_t) rng[1], c3 = stream;

  for (int round = 0; round < 10; round++)
    {
      uint64_t p0 = (uint64_t) 0xD2511F53u * c0;
      uint64_t p1 = (uint64_t) 0xCD9E8D57u * c2;

      c0 = (uint32_t) (p1 >> 32) ^ c1 ^ k0;
      c2 = (uint32_t) (p0 >> 32) ^ c3 ^ k1;
      c1 = (uint32_t) p1;
      c3 = (uint32_t) p0;
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

/* In [0, 1). */
static UK_HOST_DEVICE inline double
uk_uniform (uint32_t word)
{
  return word * (1.0 / 4294967296.0);
}

/* Four standard normal values from a block, by Box and Muller (1958). */
static inline void
uk_normal4 (const uint32_t block[4], double out[4])
{
  for (int pair = 0; pair < 2; pair++)
    {
      double radius = sqrt (-2.0 * log ((block[2 * pair] + 1.0) * (1.0 / 4294967296.0)));
      double angle = 6.283185307179586 * uk_uniform (block[2 * pair + 1]);

      out[2 * pair] = radius * cos (angle);
      out[2 * pair + 1] = radius * sin (angle);
    }
}

/* @count standard normal values, starting with value @lane (0..3) of block @block. */
static inline void
uk_normals (const uint64_t rng[2], uint32_t stream, uint64_t block, int lane, int64_t count,
            float *out)
{
  for (int64_t i = 0; i < count; lane = 0)
    {
      uint32_t words[4];
      double normal[4];

      uk_philox (rng, stream, block++, words);
      uk_normal4 (words, normal);
      while (lane < 4 && i < count)
        out[i++] = (float) normal[lane++];
    }
}

/* The source of pixel (row, col) of an @edge x @edge sample under element @d4 (0..7) of the dihedral group:
 * first mirrored left to right if bit 2 is set, then rotated by (@d4 & 3) quarter turns. */
static UK_HOST_DEVICE inline void
uk_dihedral_source (int d4, int64_t edge, int64_t row, int64_t col,
                    int64_t *source_row, int64_t *source_col)
{
  int64_t r = row, c = col;

  for (int turn = 0; turn < (d4 & 3); turn++)
    {
      int64_t t = r;

      r = c;
      c = edge - 1 - t;
    }
  if (d4 & 4)
    c = edge - 1 - c;
  *source_row = r;
  *source_col = c;
}
