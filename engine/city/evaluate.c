/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evaluate.c - measures real and generated tiles and compares them.
 *
 * Twice: once as a user gets them, as plans, beside real areas at the resolution of the dataset; and
 * once as the generator's pixels, without any cleanup, which would hide its errors.
 */
#include "city/evaluate.h"

#include <math.h>

#include "city/evaluate-private.h"
#include "city/tile-vectors.h"
#include "dataset/places.h"

enum
{
  BATCH = 16,
  MAX_CLOSEST = 16,
  MIN_REAL = 4,
  MAX_PLAN_PX = 256,
  N_UNTRAINED_PLANS = 4 /* noise takes long to draw, and a few show how far from a city it is */
};

typedef struct
{
  UrbEvaluation  *evaluation; /* borrowed */
  GArray         *thumbs[URB_N_GROUPS]; /* UrbThumb; NULL unless neighbors are needed */
  double          area_size_m;
  int             n_threads; /* 0: all cores */
  gint64          n_done, n_total; /* tiles, for the progress */
  UrbProgressFunc progress;
  gpointer        user_data;
  GCancellable   *cancellable;
} Job;

void
urb_evaluation_free (UrbEvaluation *self)
{
  if (self == NULL)
    return;
  urb_comparison_free (self->plans);
  urb_comparison_free (self->pixels);
  g_clear_pointer (&self->closest, g_array_unref);
  urb_sampler_free (self->sampler);
  urb_sampler_free (self->untrained);
  urb_dataset_free (self->dataset);
  g_free (self->dataset_path);
  g_free (self);
}

/* Reports progress.  Returns: FALSE if cancelled */
static gboolean
report_tiles (Job *job, gint64 n_tiles, const char *what, GError **error)
{
  job->n_done += n_tiles;
  if (job->progress != NULL)
    job->progress ((double) job->n_done / (double) MAX (job->n_total, 1), what, job->user_data);
  return !g_cancellable_set_error_if_cancelled (job->cancellable, error);
}

/* @levels: (size_px, size_px, @n_channels) of the generator's resolution */
static void
measure_pixels (Job *job, UrbGroup group, const guint8 *levels, int n_channels)
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
draw_plan (gpointer data, gpointer user_data)
{
  Plan *self = data;

  self->vectors = urb_city_vectors_from_levels (self->levels, self->size_px, self->base_px,
                                                self->n_channels, self->area_size_m, FALSE);
}

/* Generated areas are measured as they are drawn; of real areas the pixels are the truth.
 * @levels: (@n, @size_px, @size_px, @n_channels), at most BATCH tiles; they are drawn in parallel.
 * @base_px: before the refiner */
static void
measure_plans (Job *job, UrbGroup group, const guint8 *levels, gint64 n, int size_px,
               int base_px, int n_channels)
{
  UrbComparison *comparison = job->evaluation->plans;
  gboolean real = group == URB_GROUP_REAL || group == URB_GROUP_TRAIN;
  gsize tile_bytes = (gsize) size_px * (gsize) size_px * (gsize) n_channels;
  int n_threads = job->n_threads > 0 ? job->n_threads : (int) g_get_num_processors ();
  GThreadPool *pool = g_thread_pool_new (draw_plan, NULL, n_threads, FALSE, NULL);
  Plan plans[BATCH];

  for (gint64 i = 0; i < n; i++)
    {
      plans[i] = (Plan) { levels + (gsize) i * tile_bytes, size_px, base_px, n_channels,
                          job->area_size_m };
      g_thread_pool_push (pool, &plans[i], NULL);
    }
  g_thread_pool_free (pool, FALSE, TRUE);
  for (gint64 i = 0; i < n; i++)
    {
      g_autoptr(UrbClassMap) map
        = real ? urb_class_map_new_from_levels (plans[i].levels, size_px, size_px, n_channels,
                                                job->area_size_m)
               : urb_class_map_new_from_vectors (plans[i].vectors, comparison->size_px, NULL, NULL);

      urb_measurements_add (comparison->measured[group], map, NULL, plans[i].vectors);
      urb_city_vectors_free (plans[i].vectors);
    }
}

static gboolean
measure_generated (Job *job, UrbGroup group, UrbSampler *sampler, gint64 count, const char *what,
                   GError **error)
{
  const UrbSamplerInfo *info = urb_sampler_get_info (sampler);
  gsize tile_bytes = (gsize) info->size_px * (gsize) info->size_px * (gsize) info->n_channels;
  g_autofree guint8 *levels = g_malloc (tile_bytes * BATCH);

  for (gint64 first = 0; first < count; first += BATCH)
    {
      gint64 n = MIN (BATCH, count - first);

      if (!urb_sampler_generate (sampler, job->evaluation->seed, first, n, levels, error))
        return FALSE;
      for (gint64 i = 0; i < n; i++)
        measure_pixels (job, group, levels + (gsize) i * tile_bytes, info->n_channels);
      if (group != URB_GROUP_UNTRAINED)
        measure_plans (job, group, levels, n, info->size_px, info->base_px, info->n_channels);
      else if (first == 0)
        measure_plans (job, group, levels, MIN (n, N_UNTRAINED_PLANS), info->size_px, info->base_px,
                       info->n_channels);
      if (!report_tiles (job, n, what, error))
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

/* Measures at most @limit areas of a split, chosen by the seed. */
static gboolean
measure_real (Job *job, UrbGroup group, UrbSplit split, gint64 limit, const char *what,
              GError **error)
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
      if (!report_tiles (job, n, what, error))
        return FALSE;
    }
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* Neighbours                                                                */

static int
compare_resemblances (gconstpointer a, gconstpointer b)
{
  const UrbResemblance *x = a, *y = b;

  if (x->repeats != y->repeats)
    return y->repeats - x->repeats;
  if (x->nearest.share != y->nearest.share)
    return x->nearest.share > y->nearest.share ? -1 : 1;
  return (x->generated > y->generated) - (x->generated < y->generated);
}

static void
list_closest (UrbEvaluation *self, const UrbNearest *train, const UrbNearest *test, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    {
      UrbResemblance resemblance
        = { i, train[i], urb_copying_repeats (&self->copying, &train[i], &test[i]) };

      if (train[i].index >= 0)
        g_array_append_val (self->closest, resemblance);
    }
  g_array_sort (self->closest, compare_resemblances);
  g_array_set_size (self->closest, MIN (self->closest->len, MAX_CLOSEST));
}

/* @generated, @real: (inout): the training area nearest to each */
static gboolean
search_training_areas (Job *job, const UrbQueries *generated, UrbNearest *of_generated,
                       const UrbQueries *real, UrbNearest *of_real, GError **error)
{
  UrbEvaluation *self = job->evaluation;
  int n_channels = urb_encoding_get_n_channels (urb_dataset_get_info (self->dataset)->encoding);
  g_autofree guint8 *levels = g_malloc ((gsize) self->size_px * (gsize) self->size_px
                                        * (gsize) n_channels);
  gint64 n;
  const gint64 *areas = urb_dataset_get_split (self->dataset, URB_SPLIT_TRAIN, &n);

  for (gint64 i = 0; i < n; i++)
    {
      g_autoptr(UrbClassMap) map = NULL;
      UrbThumb thumb;

      if (!urb_dataset_read_tile (self->dataset, areas[i], self->size_px, levels, error))
        return FALSE;
      map = urb_class_map_new_from_levels (levels, self->size_px, self->size_px, n_channels,
                                           job->area_size_m);
      urb_thumb_from_class_map (map, &thumb);
      urb_nearest_update (of_generated, generated, &thumb, areas[i]);
      urb_nearest_update (of_real, real, &thumb, areas[i]);
      if (!report_tiles (job, 1, "Looking for copies", error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
find_copies (Job *job, GError **error)
{
  UrbEvaluation *self = job->evaluation;
  const UrbThumb *real_thumbs = (UrbThumb *) (gpointer) job->thumbs[URB_GROUP_REAL]->data;
  gint64 n = job->thumbs[URB_GROUP_GENERATED]->len, n_real = job->thumbs[URB_GROUP_REAL]->len;
  g_autoptr(UrbQueries) generated
    = urb_queries_new ((UrbThumb *) (gpointer) job->thumbs[URB_GROUP_GENERATED]->data, n);
  g_autoptr(UrbQueries) real = urb_queries_new (real_thumbs, n_real);
  g_autofree UrbNearest *train = urb_nearest_new (n), *test = urb_nearest_new (n);
  g_autofree UrbNearest *of_real = urb_nearest_new (n_real);

  if (!search_training_areas (job, generated, train, real, of_real, error))
    return FALSE;
  for (gint64 i = 0; i < n_real; i++)
    if (!urb_copying_is_shared (&of_real[i]))
      urb_nearest_update (test, generated, &real_thumbs[i], i);
  urb_copying_judge (&self->copying, train, test, n, of_real, n_real);
  list_closest (self, train, test, n);
  return TRUE;
}

/* ------------------------------------------------------------------------ */

UrbDataset *
urb_evaluate_open_dataset (UrbSampler *sampler, const char *path, char **full_path, gint64 min_test,
                           GError **error)
{
  const UrbSamplerInfo *generator = urb_sampler_get_info (sampler);
  g_autoptr(UrbDataset) dataset = NULL;
  const UrbDatasetInfo *info;

  path = path != NULL ? path : generator->dataset;
  if (path == NULL)
    {
      g_set_error (
        error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS,
        "The checkpoint does not name its dataset; choose one with --dataset.");
      return NULL;
    }
  dataset = urb_dataset_open (path, error);
  if (dataset == NULL)
    return NULL;
  info = urb_dataset_get_info (dataset);
  if (info->resolution_px < generator->size_px)
    {
      g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_DATASET,
                   "'%s' has tiles of %d pixels, but the generator makes %d. Curate it again with "
                   "--resolution %d.",
                   path, info->resolution_px, generator->size_px, generator->size_px);
      return NULL;
    }
  if (info->n_split[URB_SPLIT_TEST] < min_test || info->n_split[URB_SPLIT_TRAIN] < 1)
    {
      g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_DATASET,
                   "'%s' has %" G_GINT64_FORMAT
                   " test areas, too few to compare with. Curate it again "
                   "with a larger --test-share.",
                   path, info->n_split[URB_SPLIT_TEST]);
      return NULL;
    }
  *full_path = g_canonicalize_filename (path, NULL);
  return g_steal_pointer (&dataset);
}

static gboolean
open_all (UrbEvaluation *self, const UrbEvaluateOptions *options, GError **error)
{
  const UrbSamplerInfo *info;
  const UrbDatasetInfo *dataset_info;

  self->sampler = urb_sampler_open (options->checkpoint, &options->on, error);
  if (self->sampler == NULL)
    return FALSE;
  self->untrained = urb_sampler_open_untrained (options->checkpoint, &options->on, error);
  if (self->untrained == NULL)
    return FALSE;
  self->dataset = urb_evaluate_open_dataset (self->sampler, options->dataset, &self->dataset_path,
                                             MIN_REAL, error);
  if (self->dataset == NULL)
    return FALSE;
  info = urb_sampler_get_info (self->sampler);
  dataset_info = urb_dataset_get_info (self->dataset);
  self->size_px = info->size_px;
  self->same_dataset = g_strcmp0 (dataset_info->id, info->dataset_id) == 0;
  self->pixels = urb_comparison_new (self->size_px);
  self->plans = urb_comparison_new (MIN (MAX (self->size_px, MAX_PLAN_PX),
                                         dataset_info->resolution_px));
  self->pixels->n_places = self->plans->n_places
    = urb_dataset_count_places (self->dataset, URB_SPLIT_TEST);
  return TRUE;
}

static gboolean
run_job (Job *job, gint64 count, GError **error)
{
  UrbEvaluation *self = job->evaluation;
  const UrbDatasetInfo *info = urb_dataset_get_info (self->dataset);
  gint64 limit = MAX (4 * count, 1000);

  job->area_size_m = info->area_size_m;
  job->n_total = 2 * count + MIN (limit, info->n_split[URB_SPLIT_TEST])
                 + MIN (count, info->n_split[URB_SPLIT_TRAIN]) + info->n_split[URB_SPLIT_TRAIN];
  if (!measure_real (job, URB_GROUP_REAL, URB_SPLIT_TEST, limit, "Measuring real areas", error) ||
      !measure_real (job, URB_GROUP_TRAIN, URB_SPLIT_TRAIN, count, "Measuring training areas",
                     error) ||
      !measure_generated (job, URB_GROUP_GENERATED, self->sampler, count, "Generating", error) ||
      !measure_generated (job, URB_GROUP_UNTRAINED, self->untrained, count,
                          "Generating without training", error) ||
      !find_copies (job, error))
    return FALSE;
  urb_comparison_run (self->plans, self->seed);
  urb_comparison_run (self->pixels, self->seed);
  if (self->copying.n_shared > 0)
    self->plans->verdict = self->pixels->verdict = URB_VERDICT_NONE;
  return TRUE;
}

UrbEvaluation *
urb_evaluate (const UrbEvaluateOptions *options, UrbProgressFunc progress, gpointer user_data,
              GCancellable *cancellable, GError **error)
{
  g_autoptr(UrbEvaluation) self = g_new0 (UrbEvaluation, 1);
  Job job = { .evaluation = self, .progress = progress, .user_data = user_data,
              .cancellable = cancellable, .n_threads = options->on.n_threads };
  gboolean done;

  self->seed = options->seed;
  self->closest = g_array_new (FALSE, FALSE, sizeof (UrbResemblance));
  if (!open_all (self, options, error))
    return NULL;
  job.thumbs[URB_GROUP_REAL] = g_array_new (FALSE, FALSE, sizeof (UrbThumb));
  job.thumbs[URB_GROUP_GENERATED] = g_array_new (FALSE, FALSE, sizeof (UrbThumb));
  done = run_job (&job, options->count > 0 ? options->count : 256, error);
  g_array_unref (job.thumbs[URB_GROUP_REAL]);
  g_array_unref (job.thumbs[URB_GROUP_GENERATED]);
  return done ? g_steal_pointer (&self) : NULL;
}
