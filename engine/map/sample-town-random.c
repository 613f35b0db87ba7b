/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample-town-random.c - random numbers, and noise as a function of position.
 */
#include "map/sample-town-private.h"

void
town_random_init (TownRandom *self, guint64 seed, guint64 thing, guint32 stream)
{
  self->rng[0] = seed;
  self->rng[1] = thing & 0xffffffff;
  self->stream = stream;
  self->index = (thing >> 32) << 32;
}

double
town_uniform (TownRandom *self, double low, double high)
{
  uint32_t block[4];

  uk_philox (self->rng, self->stream, self->index++, block);
  return low + (high - low) * uk_uniform (block[0]);
}

gboolean
town_chance (TownRandom *self, double probability)
{
  return town_uniform (self, 0, 1) < probability;
}

/* Contribution of the gradient at a lattice point, at offset (dx, dy) from it. */
static double
lattice_slope (guint64 seed, guint32 layer, gint64 col, gint64 row, double dx, double dy)
{
  uint64_t rng[2] = { seed, (uint32_t) row };
  uint32_t block[4];
  double angle;

  uk_philox (rng, 1000 + layer, (uint32_t) col, block);
  angle = 2 * G_PI * uk_uniform (block[0]);
  return dx * cos (angle) + dy * sin (angle);
}

static double
ease (double t)
{
  return t * t * t * (t * (t * 6 - 15) + 10);
}

/* Perlin's gradient noise (SIGGRAPH 1985, with the fade of 2002). */
double
town_noise (guint64 seed, guint32 layer, double x, double y)
{
  gint64 col = (gint64) floor (x), row = (gint64) floor (y);
  double fx = x - col, fy = y - row, u = ease (fx), v = ease (fy);
  double below = (1 - u) * lattice_slope (seed, layer, col, row, fx, fy)
                 + u * lattice_slope (seed, layer, col + 1, row, fx - 1, fy);
  double above = (1 - u) * lattice_slope (seed, layer, col, row + 1, fx, fy - 1)
                 + u * lattice_slope (seed, layer, col + 1, row + 1, fx - 1, fy - 1);

  return 1.5 * ((1 - v) * below + v * above);
}
