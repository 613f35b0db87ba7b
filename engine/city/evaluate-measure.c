/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evaluate-measure.c - measures real and generated tiles.
 *
 * Twice: once as a user gets them, as plans, beside real areas at the resolution of the dataset; and
 * once as the generator's pixels, without any cleanup, which would hide its errors.
 */
#include "city/evaluate-private.h"

#include "base/parallel-for.h"
#include "city/tile-vectors.h"

enum
{
  BATCH = 16,
  MAX_PLAN_PX = 256,
  N_UNTRAINED_PLANS = 4 /* noise takes long to draw, and a few show how far from a city it is */
};

void
urb_evaluate_prepare (UrbEvaluateJob *job)
{
  UrbEvaluation *self = job->evaluation;
  const UrbDatasetInfo *info = urb_dataset_get_info (self->dataset);

  if (self->images != NULL)
    {
      self->size_px = self->base_px = urb_image_set_get_info (self->images)->size_px;
      self->n_channels = urb_image_set_get_info (self->images)->n_channels;
    }
  else
    {
      const UrbSamplerInfo *generator = urb_sampler_get_info (self->sampler);

      self->size_px = generator->size_px;
      self->base_px = generator->base_px;
      self->n_channels = generator->n_channels;
    }
  self->pixels = urb_comparison_new (self->size_px);
  self->plans = urb_comparison_new (MIN (MAX (self->size_px, MAX_PLAN_PX), info->resolution_px));
  job->area_size_m = info->area_size_m;
}

/* Reports progress.  Returns: FALSE if cancelled */
gboolean
urb_evaluate_report_tiles (UrbEvaluateJob *job, gint64 n_tiles, const char *what, GError **error)
{
  job->n_done += n_tiles;
  if (job->progress != NULL)
    job->progress ((double) job->n_done / (double) MAX (job->n_total, 1), what, job->user_data);
  return !g_cancellable_set_error_if_cancelled (job->cancellable, error);
}

/* @levels: (size_px, size_px, @n_channels) of the generator's resolution */
static void
measure_pixels (UrbEvaluateJob *job, UrbGroup group, const guint8 *levels, int n_channels)
{
  int size_px = job->evaluation->size_px;
  g_autoptr(UrbClassMap) map
    = urb_class_map_new_from_levels (levels, size_px, size_px, n_channels, job->area_size_m);
  g_autoptr(UrbSoftMap) soft
    = urb_soft_map_new_from_levels (levels, size_px, size_px, n_channels, job->area_size_m, 1);

  urb_measurements_add (job->evaluation->pixels->measured[group], map, soft, NULL);
  if (job->thumbs[group] != NULL)
    {
      UrbThumb thumb;

      urb_thumb_from_class_map (map, &thumb);
      g_array_append_val (job->thumbs[group], thumb);
    }
}

/* A tile to draw as a plan. */
typedef struct
{
  const guint8   *levels; /* borrowed */
  int             size_px, base_px, n_channels;
  double          area_size_m;
  UrbCityVectors *vectors; /* owned; (out) */
} Plan;

static void
draw_plan (gint64 i, gpointer plans)
{
  Plan *self = &((Plan *) plans)[i];

  self->vectors = urb_city_vectors_from_levels (self->levels, self->size_px, self->base_px,
                                                self->n_channels, self->area_size_m, FALSE);
}

/* Generated areas are measured as they are drawn; of real areas the pixels are the truth.
 * @levels: (@n, @size_px, @size_px, @n_channels), at most BATCH tiles; they are drawn in parallel.
 * @base_px: before the refiner */
static void
measure_plans (UrbEvaluateJob *job, UrbGroup group, const guint8 *levels, gint64 n, int size_px,
               int base_px, int n_channels)
{
  UrbComparison *comparison = job->evaluation->plans;
  gboolean real = group == URB_GROUP_REAL || group == URB_GROUP_TRAIN;
  gsize tile_bytes = (gsize) size_px * (gsize) size_px * (gsize) n_channels;
  Plan plans[BATCH];

  for (gint64 i = 0; i < n; i++)
    plans[i] = (Plan) { levels + (gsize) i * tile_bytes, size_px, base_px, n_channels, job->area_size_m };
  urb_parallel_for (n, job->n_threads, draw_plan, plans);
  for (gint64 i = 0; i < n; i++)
    {
      g_autoptr(UrbClassMap) map
        = real ? urb_class_map_new_from_levels (plans[i].levels, size_px, size_px, n_channels,
                                                job->area_size_m)
               : urb_class_map_new_from_vectors (plans[i].vectors, comparison->size_px, NULL, NULL);

      urb_measurements_add (comparison->measured[group], map, NULL, plans[i].vectors);
      job->evaluation->n_missing += plans[i].vectors->quality.n_missing;
      urb_city_vectors_free (plans[i].vectors);
    }
}

gboolean
urb_evaluation_read_generated (UrbEvaluation *self, gint64 first, gint64 count, guint8 *levels,
                               GError **error)
{
  return self->images != NULL
           ? urb_image_set_read (self->images, first, count, levels, error)
           : urb_sampler_generate (self->sampler, self->seed, first, count, levels, error);
}

gboolean
urb_evaluate_measure_generated (UrbEvaluateJob *job, UrbGroup group, gint64 count, const char *what,
                                GError **error)
{
  UrbEvaluation *self = job->evaluation;
  gsize tile_bytes = (gsize) self->size_px * (gsize) self->size_px * (gsize) self->n_channels;
  g_autofree guint8 *levels = g_malloc (tile_bytes * BATCH);

  for (gint64 first = 0; first < count; first += BATCH)
    {
      gint64 n = MIN (BATCH, count - first);
      gint64 n_plans = group != URB_GROUP_UNTRAINED ? n : first == 0 ? MIN (n, N_UNTRAINED_PLANS) : 0;

      if (group == URB_GROUP_UNTRAINED
            ? !urb_sampler_generate (self->untrained, self->seed, first, n, levels, error)
            : !urb_evaluation_read_generated (self, first, n, levels, error))
        return FALSE;
      for (gint64 i = 0; i < n; i++)
        measure_pixels (job, group, levels + (gsize) i * tile_bytes, self->n_channels);
      measure_plans (job, group, levels, n_plans, self->size_px, self->base_px, self->n_channels);
      if (!urb_evaluate_report_tiles (job, n, what, error))
        return FALSE;
    }
  return TRUE;
}

/* Reads @n areas into @levels: (@n, @size_px, @size_px, channels).  @order: of the areas */
static gboolean
read_tiles (const UrbEvaluation *self, const gint64 *areas, const guint *order, gint64 n,
            int size_px, guint8 *levels, GError **error)
{
  int n_channels = urb_encoding_get_n_channels (urb_dataset_get_info (self->dataset)->encoding);
  gsize tile_bytes = (gsize) size_px * (gsize) size_px * (gsize) n_channels;

  for (gint64 i = 0; i < n; i++)
    if (!urb_dataset_read_tile (self->dataset, areas[order[i]], size_px,
                                levels + (gsize) i * tile_bytes, error))
      return FALSE;
  return TRUE;
}

gboolean
urb_evaluate_measure_real (UrbEvaluateJob *job, UrbGroup group, UrbSplit split, gint64 limit,
                           const char *what, GError **error)
{
  UrbEvaluation *self = job->evaluation;
  int n_channels = urb_encoding_get_n_channels (urb_dataset_get_info (self->dataset)->encoding);
  int plan_px = self->plans->size_px;
  gsize tile_bytes = (gsize) self->size_px * (gsize) self->size_px * (gsize) n_channels;
  gsize plan_bytes = (gsize) plan_px * (gsize) plan_px * (gsize) n_channels;
  g_autofree guint8 *levels = g_malloc (BATCH * MAX (tile_bytes, plan_bytes));
  gint64 n;
  const gint64 *areas = urb_dataset_get_split (self->dataset, split, &n);
  g_autofree guint *order = urb_shuffle ((guint) MIN (n, G_MAXUINT32), self->seed, 1000 + split);

  limit = MIN (n, limit);
  for (gint64 first = 0; first < limit; first += BATCH)
    {
      n = MIN (BATCH, limit - first);
      if (!read_tiles (self, areas, order + first, n, self->size_px, levels, error))
        return FALSE;
      for (gint64 i = 0; i < n; i++)
        measure_pixels (job, group, levels + (gsize) i * tile_bytes, n_channels);
      if (!read_tiles (self, areas, order + first, n, plan_px, levels, error))
        return FALSE;
      measure_plans (job, group, levels, n, plan_px, plan_px, n_channels);
      if (!urb_evaluate_report_tiles (job, n, what, error))
        return FALSE;
    }
  return TRUE;
}
