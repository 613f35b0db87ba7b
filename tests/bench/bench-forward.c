/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench-forward.c - measures a checkpoint's generator alone: latent vectors in, bytes out, without
 * image files or vectors.
 *
 * Prints wall and processor seconds per image.  Loading, folding and the first BATCH images are
 * not counted.  Not a test: it only measures (bench-generate calls it).
 *
 *   bench-forward RUN [IMAGES 320] [BATCH 64] [THREADS 1]
 */
#include <stdio.h>
#include <time.h>

#include "train/sampler.h"

static gint64
number (int argc, char **argv, int index, gint64 standard)
{
  return argc > index ? MAX (g_ascii_strtoll (argv[index], NULL, 10), 1) : standard;
}

int
main (int argc, char **argv)
{
  gint64 n_images = number (argc, argv, 2, 320), batch = number (argc, argv, 3, 64);
  gint64 n_batches = MAX (n_images / batch, 1);
  UrbSamplerPlace place = { 0 };
  g_autoptr(UrbSampler) sampler = NULL;
  g_autoptr(GError) error = NULL;
  g_autofree guint8 *levels = NULL;
  const UrbSamplerInfo *info;
  gint64 begin_us = 0;
  clock_t begin = 0;

  place.n_threads = (int) number (argc, argv, 4, 1);
  sampler = argc < 2 ? NULL : urb_sampler_open (argv[1], &place, &error);
  if (sampler == NULL)
    {
      fprintf (stderr, "%s\n", error != NULL ? error->message
                                             : "usage: bench-forward RUN [IMAGES [BATCH [THREADS]]]");
      return 1;
    }
  info = urb_sampler_get_info (sampler);
  levels = g_malloc ((gsize) (batch * info->size_px * info->size_px * info->n_channels));
  for (gint64 i = 0; i <= n_batches; i++)
    {
      if (i == 1)
        {
          begin_us = g_get_monotonic_time ();
          begin = clock ();
        }
      if (!urb_sampler_generate (sampler, 1, i * batch, batch, levels, &error))
        {
          fprintf (stderr, "%s\n", error->message);
          return 1;
        }
    }
  printf ("%.9f %.9f\n",
          1e-6 * (double) (g_get_monotonic_time () - begin_us) / (double) (n_batches * batch),
          (double) (clock () - begin) / CLOCKS_PER_SEC / (double) (n_batches * batch));
  return 0;
}
