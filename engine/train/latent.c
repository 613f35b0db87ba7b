/* SPDX-License-Identifier: Apache-2.0 */
#include "train/latent.h"

#include <math.h>
#include <string.h>

static double
dot (const float *a, const float *b, int n)
{
  double sum = 0;

  for (int k = 0; k < n; k++)
    sum += (double) a[k] * b[k];
  return sum;
}

/* Spherical interpolation (slerp, Shoemake 1985) of the directions; the lengths, which hardly
 * differ, are interpolated linearly. */
static void
go_along_sphere (const float *from, const float *to, int n, double t, float *z)
{
  double a = sqrt (dot (from, from, n)), b = sqrt (dot (to, to, n)), angle, length, wa, wb;

  if (t <= 0 || t >= 1 || a <= 0 || b <= 0)
    {
      memcpy (z, t < 1 ? from : to, (gsize) n * sizeof *z);
      return;
    }
  angle = acos (CLAMP (dot (from, to, n) / (a * b), -1, 1));
  length = (1 - t) * a + t * b;
  wa = 1 - t;
  wb = t;
  /* Slerp is undefined for parallel and opposite vectors. */
  if (sin (angle) > 1e-6)
    {
      wa = sin ((1 - t) * angle) / sin (angle);
      wb = sin (t * angle) / sin (angle);
    }
  for (int k = 0; k < n; k++)
    z[k] = (float) (length * (wa * from[k] / a + wb * to[k] / b));
}

void
urb_latent_between (const float *from, const float *to, int n_latent, int n_inputs, double t, float *z)
{
  go_along_sphere (from, to, n_latent, t, z);
  for (int k = n_latent; k < n_inputs; k++)
    z[k] = (float) ((1 - t) * from[k] + t * to[k]);
}

/* What of @v is perpendicular to @unit. */
static void
remove_part (float *v, const float *unit, int n)
{
  double part = dot (v, unit, n);

  for (int k = 0; k < n; k++)
    v[k] = (float) (v[k] - part * unit[k]);
}

/* Returns: the length that it had */
static double
make_unit (float *v, int n)
{
  double length = sqrt (dot (v, v, n));

  for (int k = 0; k < n && length > 0; k++)
    v[k] = (float) (v[k] / length);
  return length;
}

void
urb_latent_turn (float *z, int n_latent, float *across, float *up, double x, double y)
{
  double distance = hypot (x, y), angle = G_PI_2 * distance, length;

  if (distance == 0)
    return;
  length = make_unit (z, n_latent);
  remove_part (across, z, n_latent);
  make_unit (across, n_latent);
  remove_part (up, z, n_latent);
  remove_part (up, across, n_latent);
  make_unit (up, n_latent);
  for (int k = 0; k < n_latent; k++)
    z[k] = (float) (length * (cos (angle) * z[k] + sin (angle) * (x * across[k] + y * up[k]) / distance));
}
