/* SPDX-License-Identifier: Apache-2.0 */
/* load-noise.c - the networks' inputs: real tiles, and normal noise. */
#include "kernels/reference/reference-private.h"
#include "kernels/uk-random.h"

static int
get_level (const UkOpDesc *desc, const uint8_t *tile, int64_t i)
{
  if (desc->bits)
    return tile[i / 8] >> i % 8 & 1 ? 255 : 0;
  return tile[i];
}

static void
load_sample (const UkOpDesc *desc, const uint8_t *tile, int d4, double *y)
{
  int64_t h = desc->y.h, w = desc->y.w, c = desc->y.c;

  for (int64_t row = 0; row < h; row++)
    for (int64_t col = 0; col < w; col++)
      {
        int64_t from_row = row, from_col = col;

        if (desc->dihedral)
          uk_dihedral_source (d4, h, row, col, &from_row, &from_col);
        for (int64_t i = 0; i < c; i++)
          y[(row * w + col) * c + i]
            = get_level (desc, tile, (from_row * w + from_col) * c + i) / 127.5 - 1;
      }
}

UkStatus
uk_reference_load (const UkOpDesc *desc, void *const *args)
{
  const uint8_t *tiles = args[0];
  const uint64_t *rng = args[1];
  double *y = args[2];
  int64_t per_sample = desc->y.h * desc->y.w * desc->y.c;
  int64_t tile_bytes = uk_op_arg_count (desc, 0) / desc->y.n;

  for (int64_t n = 0; n < desc->y.n; n++)
    {
      uint32_t words[4];

      uk_philox (rng, desc->stream, (uint64_t) (desc->first_sample + n), words);
      load_sample (desc, tiles + n * tile_bytes, words[0] & 7, y + n * per_sample);
    }
  return UK_OK;
}

UkStatus
uk_reference_noise (const UkOpDesc *desc, void *const *args)
{
  const uint64_t *rng = args[0];
  double *y = args[1];
  int64_t per_sample = desc->y.h * desc->y.w * desc->y.c;

  for (int64_t n = 0; n < desc->y.n; n++)
    for (int64_t e = 0; e < per_sample; e++)
      {
        uint64_t sample = (uint64_t) (desc->first_sample + n);
        uint32_t words[4];
        double normal[4];

        uk_philox (rng, desc->stream, (sample << 20) + (uint64_t) e / 4, words);
        uk_normal4 (words, normal);
        y[n * per_sample + e] = normal[e % 4];
      }
  return UK_OK;
}
