/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evaluate.c - compares generated tiles with real ones, and looks for copies.
 */
#include "city/evaluate.h"

#include <glib/gi18n.h>
#include <math.h>

#include "city/evaluate-private.h"
#include "dataset/places.h"

enum
{
  MAX_CLOSEST = 16,
  MIN_REAL = 4
};

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
  urb_image_set_free (self->images);
  urb_dataset_free (self->dataset);
  g_free (self->dataset_path);
  g_free (self);
}

/* ------------------------------------------------------------------------ */
/* Neighbors                                                                 */

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
search_training_areas (UrbEvaluateJob *job, const UrbQueries *generated, UrbNearest *of_generated,
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
      if (!urb_evaluate_report_tiles (job, 1, "Looking for copies", error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
find_copies (UrbEvaluateJob *job, GError **error)
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
urb_evaluate_open_dataset (const UrbSamplerInfo *generator, const char *path, char **full_path,
                           gint64 min_test, GError **error)
{
  g_autoptr(UrbDataset) dataset = NULL;
  const UrbDatasetInfo *info;

  path = path != NULL ? path : generator != NULL ? generator->dataset : NULL;
  if (path == NULL)
    {
      g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS, "%s",
                   generator != NULL
                     ? "The checkpoint does not name its dataset; choose one with --dataset."
                     : "Images do not name a dataset; choose the one to compare them with by --dataset.");
      return NULL;
    }
  dataset = urb_dataset_open (path, error);
  if (dataset == NULL)
    return NULL;
  info = urb_dataset_get_info (dataset);
  if (generator != NULL && info->resolution_px < generator->size_px)
    {
      g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_DATASET,
                   N_ ("'%s' has tiles of %d pixels, but the generator makes %d. Curate it again with "
                       "--resolution %d."),
                   path, info->resolution_px, generator->size_px, generator->size_px);
      return NULL;
    }
  if (info->n_split[URB_SPLIT_TEST] < min_test || info->n_split[URB_SPLIT_TRAIN] < 1)
    {
      g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_DATASET,
                   "'%s' has %" G_GINT64_FORMAT " test areas, too few to compare with: at least %" G_GINT64_FORMAT " are needed. "
                   "Curate a larger map, or this one again with a larger --test-share or a smaller --stride-m.",
                   path, info->n_split[URB_SPLIT_TEST], min_test);
      return NULL;
    }
  *full_path = g_canonicalize_filename (path, NULL);
  return g_steal_pointer (&dataset);
}

static gboolean
open_generator (UrbEvaluation *self, const UrbEvaluateOptions *options, GError **error)
{
  const UrbSamplerInfo *info;

  self->sampler = urb_sampler_open (options->checkpoint, &options->on, error);
  if (self->sampler == NULL)
    return FALSE;
  self->untrained = urb_sampler_open_untrained (options->checkpoint, &options->on, error);
  if (self->untrained == NULL)
    return FALSE;
  info = urb_sampler_get_info (self->sampler);
  self->dataset = urb_evaluate_open_dataset (info, options->dataset, &self->dataset_path, MIN_REAL,
                                             error);
  if (self->dataset == NULL)
    return FALSE;
  self->same_dataset = g_strcmp0 (urb_dataset_get_info (self->dataset)->id, info->dataset_id) == 0;
  return TRUE;
}

static gboolean
open_images (UrbEvaluation *self, const UrbEvaluateOptions *options, GError **error)
{
  const UrbImageSetInfo *info;

  self->dataset = urb_evaluate_open_dataset (NULL, options->dataset, &self->dataset_path, MIN_REAL,
                                             error);
  if (self->dataset == NULL)
    return FALSE;
  self->images = urb_image_set_open (options->images,
                                     urb_dataset_get_info (self->dataset)->resolution_px, error);
  if (self->images == NULL)
    return FALSE;
  info = urb_image_set_get_info (self->images);
  if (info->n < MIN_REAL)
    {
      g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_IMAGE,
                   "The folder '%s' has too few images, %" G_GINT64_FORMAT ". Write at least %d to it, "
                   "better 256.", options->images, info->n, MIN_REAL);
      return FALSE;
    }
  return TRUE;
}

static gboolean
open_all (UrbEvaluateJob *job, const UrbEvaluateOptions *options, GError **error)
{
  UrbEvaluation *self = job->evaluation;

  if (options->images != NULL ? !open_images (self, options, error)
                              : !open_generator (self, options, error))
    return FALSE;
  urb_evaluate_prepare (job);
  self->pixels->n_places = self->plans->n_places
    = urb_dataset_count_places (self->dataset, URB_SPLIT_TEST);
  return TRUE;
}

/* The number of generated areas. */
static gint64
choose_count (const UrbEvaluation *self, gint64 count)
{
  if (self->images == NULL)
    return count > 0 ? count : 256;
  return count > 0 ? MIN (count, urb_image_set_get_info (self->images)->n)
                   : urb_image_set_get_info (self->images)->n;
}

static gboolean
run_job (UrbEvaluateJob *job, gint64 count, GError **error)
{
  UrbEvaluation *self = job->evaluation;
  const UrbDatasetInfo *info = urb_dataset_get_info (self->dataset);
  gint64 limit = MAX (4 * count, 1000);

  job->n_total = (self->images != NULL ? 1 : 2) * count + MIN (limit, info->n_split[URB_SPLIT_TEST])
                 + MIN (count, info->n_split[URB_SPLIT_TRAIN]) + info->n_split[URB_SPLIT_TRAIN];
  if (!urb_evaluate_measure_real (job, URB_GROUP_REAL, URB_SPLIT_TEST, limit, "Measuring real areas", error) ||
      !urb_evaluate_measure_real (job, URB_GROUP_TRAIN, URB_SPLIT_TRAIN, count, "Measuring training areas",
                     error) ||
      !urb_evaluate_measure_generated (job, URB_GROUP_GENERATED, count,
                                       self->images != NULL ? "Reading images" : "Generating", error) ||
      (self->untrained != NULL
       && !urb_evaluate_measure_generated (job, URB_GROUP_UNTRAINED, count,
                                           "Generating without training", error)) ||
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
  UrbEvaluateJob job = { .evaluation = self, .progress = progress, .user_data = user_data,
              .cancellable = cancellable, .n_threads = options->on.n_threads };
  gboolean done;

  self->seed = options->seed;
  self->closest = g_array_new (FALSE, FALSE, sizeof (UrbResemblance));
  if (!open_all (&job, options, error))
    return NULL;
  job.thumbs[URB_GROUP_REAL] = g_array_new (FALSE, FALSE, sizeof (UrbThumb));
  job.thumbs[URB_GROUP_GENERATED] = g_array_new (FALSE, FALSE, sizeof (UrbThumb));
  done = run_job (&job, choose_count (self, options->count), error);
  g_array_unref (job.thumbs[URB_GROUP_REAL]);
  g_array_unref (job.thumbs[URB_GROUP_GENERATED]);
  return done ? g_steal_pointer (&self) : NULL;
}
