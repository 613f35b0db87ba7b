/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diversity.c - see diversity.h.
 */
#include "train/diversity.h"

#include <math.h>

#include "dataset/dataset.h"

enum { GRID = 8 };

/* (GRID, GRID, channels) means of a tile. */
static void
reduce (const guint8 *tile, int size_px, int n_channels, float *means)
{
  int block = size_px / GRID;

  for (int i = 0; i < GRID * GRID * n_channels; i++)
    means[i] = 0;
  for (int y = 0; y < size_px; y++)
    for (int x = 0; x < size_px; x++)
      for (int c = 0; c < n_channels; c++)
        means[(y / block * GRID + x / block) * n_channels + c]
          += tile[((gsize) y * size_px + x) * n_channels + c];
  for (int i = 0; i < GRID * GRID * n_channels; i++)
    means[i] /= (float) (block * block);
}

static double
distance2 (const float *a, const float *b, int n)
{
  float sum = 0;

  for (int i = 0; i < n; i++)
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  return (double) sum / n;
}

double
urb_diversity_measure (const guint8 *levels, gint64 n, int size_px, int n_channels)
{
  int n_means = GRID * GRID * n_channels;
  g_autofree float *means = NULL;
  double sum = 0;

  g_return_val_if_fail (n >= 2 && size_px > 0, NAN);
  if (size_px % GRID != 0)
    return NAN;
  means = g_new (float, n * n_means);
  for (gint64 i = 0; i < n; i++)
    reduce (levels + (gsize) i * size_px * size_px * n_channels, size_px, n_channels,
            means + i * n_means);
  for (gint64 i = 0; i < n; i++)
    {
      double nearest = INFINITY;

      for (gint64 j = 0; j < n; j++)
        if (j != i)
          nearest = MIN (nearest, distance2 (means + i * n_means, means + j * n_means, n_means));
      sum += sqrt (nearest);
    }
  return sum / (double) n;
}

gboolean
urb_diversity_measure_dataset (const char *path, gint64 n, int size_px, double *out, GError **error)
{
  g_autoptr(UrbDataset) dataset = urb_dataset_open (path, error);
  g_autofree guint8 *levels = NULL;
  const gint64 *areas;
  gsize n_bytes;
  gint64 n_areas;
  int n_channels;

  if (dataset == NULL)
    return FALSE;
  n_channels = urb_encoding_get_n_channels (urb_dataset_get_info (dataset)->encoding);
  n_bytes = (gsize) size_px * (gsize) size_px * (gsize) n_channels;
  areas = urb_dataset_get_split (dataset, URB_SPLIT_TRAIN, &n_areas);
  if (n_areas < n)
    {
      g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_EMPTY,
                   "The dataset '%s' has fewer than %" G_GINT64_FORMAT " training areas.", path, n);
      return FALSE;
    }
  levels = g_malloc (n_bytes * (gsize) n);
  for (gint64 i = 0; i < n; i++)
    if (!urb_dataset_read_tile (dataset, areas[i * n_areas / n], size_px, levels + (gsize) i * n_bytes, error))
      return FALSE;
  *out = urb_diversity_measure (levels, n, size_px, n_channels);
  return TRUE;
}
