/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench-shares.c - how well a generator keeps to the shares that it is given.
 *
 *   bench-shares RUN|CHECKPOINT [CITIES]
 *
 * For each share over all cities: the correlation of asked and measured values, the mean difference,
 * and the mean of its magnitude; first with shares as in the data, then with each share alone asked for
 * at five values across the range of the data.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "train/sampler.h"

enum { BATCH = 16, N_VALUES = 5 };

typedef struct
{
  UrbSampler *sampler;
  const UrbSamplerInfo *info;
  int    n;
  float *asked, *measured; /* (n, 3) */
} Bench;

/* Averages pixels of the refiner's image: shares are measured at the generator's resolution. */
static void
reduce (const UrbSamplerInfo *info, const guint8 *levels, guint8 *out)
{
  int s = info->base_px, c = info->n_channels, factor = info->size_px / s;

  for (int row = 0; row < s; row++)
    for (int k = 0; k < s * c; k++)
      {
        int sum = 0;

        for (int y = 0; y < factor; y++)
          for (int x = 0; x < factor; x++)
            sum += levels[((row * factor + y) * info->size_px + k / c * factor + x) * c + k % c];
        out[row * s * c + k] = (guint8) ((sum + factor * factor / 2) / (factor * factor));
      }
}

static void
run (Bench *self, const UrbShareWish *wish)
{
  const UrbSamplerInfo *info = self->info;
  gsize tile = (gsize) info->size_px * (gsize) info->size_px * (gsize) info->n_channels;
  gsize small = (gsize) info->base_px * (gsize) info->base_px * (gsize) info->n_channels;
  g_autofree guint8 *levels = g_malloc (BATCH * tile), *reduced = g_malloc (BATCH * small);
  g_autofree float *z = g_new (float, BATCH * info->n_inputs);
  g_autoptr(GError) error = NULL;

  if (!urb_sampler_ask (self->sampler, wish, NULL, &error))
    g_error ("%s", error->message);
  for (int first = 0; first < self->n; first += BATCH)
    {
      int n = MIN (BATCH, self->n - first);

      for (int i = 0; i < n; i++)
        {
          float *input = z + i * info->n_inputs;

          urb_sampler_get_input (self->sampler, 1, first + i, input);
          for (int k = 0; k < UK_N_SHARES; k++)
            self->asked[(first + i) * UK_N_SHARES + k]
              = (float) (info->conditions->mean[k]
                         + input[info->n_latent + k] / MAX (info->conditions->inv_std[k], 1e-9));
        }
      if (!urb_sampler_generate_from (self->sampler, z, n, levels, &error))
        g_error ("%s", error->message);
      for (int i = 0; i < n; i++)
        reduce (info, levels + (gsize) i * tile, reduced + (gsize) i * small);
      if (!urb_conditions_measure_images (reduced, n, info->base_px, info->n_channels, info->area_size_m,
                                          self->measured + first * UK_N_SHARES, &error))
        g_error ("%s", error->message);
    }
}

static void
print (const Bench *self, int share, const char *title)
{
  double a = 0, m = 0, aa = 0, mm = 0, am = 0, error = 0, n = self->n;

  for (int i = 0; i < self->n; i++)
    {
      double x = self->asked[i * UK_N_SHARES + share], y = self->measured[i * UK_N_SHARES + share];

      a += x / n;
      m += y / n;
      aa += x * x / n;
      mm += y * y / n;
      am += x * y / n;
      error += fabs (y - x) / n;
    }
  g_print ("%-14s asked %5.1f %%  measured %5.1f %%  mean error %4.1f %%", title, 100 * a, 100 * m,
           100 * error);
  if (aa - a * a > 1e-9)
    g_print ("  correlation %.3f", (am - a * m) / sqrt (MAX ((aa - a * a) * (mm - m * m), 1e-18)));
  g_print ("\n");
}

int
main (int argc, char **argv)
{
  const UrbSamplerPlace place = { .n_threads = 1 };
  UrbShareWish wish = URB_SHARES_AS_IN_DATA;
  g_autoptr(GError) error = NULL;
  Bench bench = { .n = argc > 2 ? atoi (argv[2]) : 256 };

  if (argc < 2 || bench.n < 1)
    {
      g_printerr ("bench-shares RUN|CHECKPOINT [CITIES]\n");
      return 2;
    }
  bench.sampler = urb_sampler_open (argv[1], &place, &error);
  if (bench.sampler == NULL)
    {
      g_printerr ("%s\n", error->message);
      return 1;
    }
  bench.info = urb_sampler_get_info (bench.sampler);
  if (bench.info->conditions == NULL)
    {
      g_printerr ("This generator has no shares.\n");
      return 1;
    }
  bench.asked = g_new (float, bench.n * UK_N_SHARES);
  bench.measured = g_new (float, bench.n * UK_N_SHARES);
  g_print ("%d cities, shares as in the data:\n", bench.n);
  run (&bench, &wish);
  for (int share = 0; share < UK_N_SHARES; share++)
    print (&bench, share, urb_share_names[share]);
  for (int share = 0; share < UK_N_SHARES; share++)
    {
      double low = bench.info->conditions->low[share], high = bench.info->conditions->high[share];

      g_print ("%s alone:\n", urb_share_names[share]);
      wish = URB_SHARES_AS_IN_DATA;
      for (int i = 0; i < N_VALUES; i++)
        {
          wish.share[share] = low + (high - low) * i / (N_VALUES - 1);
          run (&bench, &wish);
          print (&bench, share, "");
        }
    }
  g_free (bench.asked);
  g_free (bench.measured);
  urb_sampler_free (bench.sampler);
  return 0;
}
