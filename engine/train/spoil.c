/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spoil.c - see spoil.h.
 */
#include "train/spoil.h"

#include <math.h>

#include "kernels/uk-random.h"
#include "model/streams.h"

enum { FIELD = 5 }; /* points of the field of fading along an edge */

/* At most; levels are 0..1. */
#define MAX_NOISE  0.08f /* standard deviation */
#define MAX_WANDER 0.4f  /* the same, of noise that moves edges */

/* How much of each a tile gets. */
typedef struct
{
  float blur;   /* share of the blurred tile */
  float fade;   /* share that is lost where the field is 1 */
  float noise, wander;
  float field[FIELD * FIELD]; /* in [0, 1] */
} Strengths;

static void
draw_strengths (Strengths *self, const guint64 rng[2])
{
  guint32 words[4];

  uk_philox (rng, URB_STREAM_SPOIL, 0, words);
  self->blur = (float) (uk_uniform (words[0]) * uk_uniform (words[0])); /* mostly little */
  self->fade = (float) uk_uniform (words[1]);
  self->noise = MAX_NOISE * (float) (uk_uniform (words[2]) * uk_uniform (words[2]));
  self->wander = MAX_WANDER * (float) uk_uniform (words[3]);
  for (int i = 0; i < FIELD * FIELD; i++)
    {
      uk_philox (rng, URB_STREAM_SPOIL, 1 + (guint64) i, words);
      self->field[i] = (float) uk_uniform (words[0]);
    }
}

/* With the weights [1 2 1] / 4 on each axis; the edge is repeated. */
static float *
blur (const float *values, int size_px, int n_channels)
{
  int row_values = size_px * n_channels;
  g_autofree float *across = g_new (float, size_px * row_values);
  float *out = g_new (float, size_px * row_values);

  for (int row = 0; row < size_px; row++)
    for (int i = 0; i < row_values; i++)
      {
        const float *line = values + row * row_values;
        float left = line[i < n_channels ? i : i - n_channels];
        float right = line[i + n_channels < row_values ? i + n_channels : i];

        across[row * row_values + i] = (left + 2 * line[i] + right) / 4;
      }
  for (int row = 0; row < size_px; row++)
    for (int i = 0; i < row_values; i++)
      {
        float above = across[MAX (row - 1, 0) * row_values + i];
        float below = across[MIN (row + 1, size_px - 1) * row_values + i];

        out[row * row_values + i] = (above + 2 * across[row * row_values + i] + below) / 4;
      }
  return out;
}

/* Bilinear, the corners of the field being those of the tile. */
static float
get_field (const Strengths *self, int row, int col, int size_px)
{
  float scale = (float) (FIELD - 1) / (float) size_px;
  float y = (float) row * scale, x = (float) col * scale;
  const float *at = self->field + (int) y * FIELD + (int) x;
  float down = y - (float) (int) y, across = x - (float) (int) x;
  float top = at[0] + (at[1] - at[0]) * across;
  float bottom = at[FIELD] + (at[FIELD + 1] - at[FIELD]) * across;

  return top + (bottom - top) * down;
}

/* The last of three shares is open land; grey open land is in the middle. */
static void
fade (float *pixel, int n_channels, float share)
{
  if (n_channels == 1)
    {
      pixel[0] += (0.5f - pixel[0]) * share;
      return;
    }
  pixel[2] += (pixel[0] + pixel[1]) * share;
  pixel[0] -= pixel[0] * share;
  pixel[1] -= pixel[1] * share;
}

/* Three shares sum to 1 again. */
static void
write_pixel (float *pixel, int n_channels, guint8 *levels)
{
  float sum = 0;

  for (int c = 0; c < n_channels; c++)
    sum += pixel[c] = CLAMP (pixel[c], 0, 1);
  if (n_channels == 3 && sum == 0)
    sum = pixel[2] = 1;
  for (int c = 0; c < n_channels; c++)
    levels[c] = (guint8) (pixel[c] / (n_channels == 3 ? sum : 1) * 255 + 0.5f);
}

void
urb_spoil (guint8 *levels, int size_px, int n_channels, guint64 seed, guint64 image)
{
  const guint64 rng[2] = { seed, image };
  int n = size_px * size_px * n_channels;
  g_autofree float *values = g_new (float, n), *noise = g_new (float, n);
  g_autofree float *smooth = NULL, *smooth_noise = NULL;
  Strengths strengths;

  draw_strengths (&strengths, rng);
  uk_normals (rng, URB_STREAM_SPOIL, 1 + FIELD * FIELD, 0, n, noise);
  for (int i = 0; i < n; i++)
    values[i] = levels[i] / 255.0f;
  smooth = blur (values, size_px, n_channels);
  smooth_noise = blur (noise, size_px, n_channels);
  for (int i = 0; i < n; i++)
    {
      float share = n_channels == 1 ? fmodf (2 * smooth[i], 1) : smooth[i];
      float edge = 4 * share * (1 - share);         /* 1 on an edge, 0 far from it */
      float unit = 16 / 6.0f * smooth_noise[i];     /* of standard deviation 1 */

      values[i] += strengths.blur * (smooth[i] - values[i]) + strengths.noise * noise[i]
                   + strengths.wander * edge * unit;
    }
  for (int row = 0, i = 0; row < size_px; row++)
    for (int col = 0; col < size_px; col++, i += n_channels)
      {
        fade (values + i, n_channels, strengths.fade * get_field (&strengths, row, col, size_px));
        write_pixel (values + i, n_channels, levels + i);
      }
}
