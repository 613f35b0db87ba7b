/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cities/real-areas.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "city/distance.h"
#include "dataset/dataset.h"

/* Measuring 200 evenly spread areas is enough for a median. */
enum { MAX_MEASURED = 200, MAX_THUMBS = 50000 };

struct _UrbariumRealAreas
{
  gatomicrefcount ref_count;
  char           *path;    /* owned */
  int             size_px; /* of the generator: areas are read at its resolution */
  GArray         *thumbs;  /* UrbThumb, owned; (n_areas) */
  GArray         *indices; /* gint64, owned; (n_areas) in the dataset */
  double          medians[URB_N_MEASURES];
  double          rose[URBARIUM_ROSE_SECTORS];
};

UrbariumRealAreas *
urbarium_real_areas_ref (UrbariumRealAreas *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
urbarium_real_areas_unref (UrbariumRealAreas *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_free (self->path);
  g_array_unref (self->thumbs);
  g_array_unref (self->indices);
  g_free (self);
}

/* ------------------------------------------------------------------------ */
/* Loading                                                                   */

typedef struct
{
  char *path, *id; /* (nullable) owned */
  int   size_px;
} Request;

static void
request_free (gpointer data)
{
  Request *request = data;
  g_free (request->path);
  g_free (request->id);
  g_free (request);
}

static gboolean
read_areas (UrbariumRealAreas *self, UrbDataset *dataset, UrbMeasurements *measured,
            UrbariumJob *job, GCancellable *cancellable, GError **error)
{
  gint64 n;
  const gint64 *areas = urb_dataset_get_split (dataset, URB_SPLIT_TRAIN, &n);
  gint64 step, every;
  n = MIN (n, MAX_THUMBS);
  step = MAX (n / 50, 1);
  every = MAX (n / MAX_MEASURED, 1);
  for (gint64 i = 0; i < n; i++)
    {
      g_autoptr(UrbariumTile) tile = urbarium_tile_read (dataset, areas[i], self->size_px, error);
      g_autoptr(UrbClassMap) map = NULL;
      UrbThumb thumb;
      if (tile == NULL || g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      map = urbarium_tile_make_class_map (tile);
      urb_thumb_from_class_map (map, &thumb);
      g_array_append_val (self->thumbs, thumb);
      g_array_append_val (self->indices, areas[i]);
      if (i % every == 0)
        {
          urb_measurements_add (measured, map, NULL, NULL);
          urbarium_tile_add_rose (tile, self->rose);
        }
      if (i % step == 0)
        urbarium_job_progress ((double) i / (double) n, NULL, job);
    }
  return TRUE;
}

UrbDataset *
urbarium_real_areas_open_dataset (const char *path, const char *id, GError **error)
{
  g_autoptr(UrbDataset) dataset = NULL;
  if (path == NULL)
    {
      g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_OPEN,
                   _ ("This checkpoint does not record its training dataset."));
      return NULL;
    }
  dataset = urb_dataset_open (path, error);
  if (dataset == NULL || id == NULL || strcmp (id, urb_dataset_get_info (dataset)->id) == 0)
    return g_steal_pointer (&dataset);
  g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_OPEN,
               _ ("“%s” is no longer the dataset that this checkpoint was trained on."), path);
  return NULL;
}

static gpointer
load_thread (gpointer input, UrbariumJob *job, GCancellable *cancellable, GError **error)
{
  const Request *request = input;
  g_autoptr(UrbDataset) dataset = urbarium_real_areas_open_dataset (request->path, request->id, error);
  g_autoptr(UrbMeasurements) measured = urb_measurements_new ();
  g_autoptr(UrbariumRealAreas) self = NULL;
  if (dataset == NULL)
    return NULL;
  self = g_new0 (UrbariumRealAreas, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->path = g_strdup (request->path);
  self->size_px = MIN (request->size_px, urb_dataset_get_info (dataset)->resolution_px);
  self->thumbs = g_array_new (FALSE, FALSE, sizeof (UrbThumb));
  self->indices = g_array_new (FALSE, FALSE, sizeof (gint64));
  if (!read_areas (self, dataset, measured, job, cancellable, error))
    return NULL;
  for (int m = 0; m < URB_N_MEASURES; m++)
    {
      g_autoptr(GArray) values = urb_measurements_pool (measured, (UrbMeasure) m, NULL, 0);
      self->medians[m] = urb_quantile (values, 0.5);
    }
  return g_steal_pointer (&self);
}

void
urbarium_real_areas_load_async (const UrbariumCityModel *model, UrbariumJob *job,
                                GAsyncReadyCallback callback, gpointer user_data)
{
  Request *request = g_new0 (Request, 1);
  request->path = g_strdup (model->dataset);
  request->id = g_strdup (model->dataset_id);
  request->size_px = model->size_px;
  urbarium_job_run (job, load_thread, request, request_free,
                    (GDestroyNotify) urbarium_real_areas_unref, callback, user_data);
}

double
urbarium_real_areas_get_median (UrbariumRealAreas *self, UrbMeasure measure)
{
  return self->medians[measure];
}

const double *
urbarium_real_areas_get_rose (UrbariumRealAreas *self)
{
  return self->rose;
}

/* ------------------------------------------------------------------------ */
/* Comparing                                                                 */

void
urbarium_comparison_free (UrbariumComparison *self)
{
  g_clear_pointer (&self->nearest_tile, urbarium_tile_unref);
  g_free (self);
}

static void
find_nearest (UrbariumComparison *self, const UrbClassMap *map, UrbariumRealAreas *areas)
{
  UrbThumb thumb;
  g_autoptr(UrbQueries) query = NULL;
  g_autoptr(UrbDataset) dataset = NULL;
  urb_thumb_from_class_map (map, &thumb);
  query = urb_queries_new (&thumb, 1);
  for (guint i = 0; i < areas->indices->len; i++)
    urb_nearest_update (&self->nearest, query, &g_array_index (areas->thumbs, UrbThumb, i),
                        g_array_index (areas->indices, gint64, i));
  /* A dataset needs one reader per thread, so open one for this area. */
  dataset = self->nearest.index >= 0 ? urb_dataset_open (areas->path, NULL) : NULL;
  if (dataset != NULL)
    self->nearest_tile = urbarium_tile_read_nearest (dataset, &self->nearest, areas->size_px, NULL);
}

UrbariumComparison *
urbarium_comparison_new (UrbariumTile *tile, UrbariumRealAreas *areas)
{
  UrbariumComparison *self = g_new0 (UrbariumComparison, 1);
  g_autoptr(UrbClassMap) map = urbarium_tile_make_class_map (tile);
  g_autoptr(UrbMeasurements) measured = urb_measurements_new ();
  self->nearest = (UrbNearest) { .index = -1 };
  urb_measurements_add (measured, map, NULL, NULL);
  for (int m = 0; m < URB_N_MEASURES; m++)
    {
      g_autoptr(GArray) values = urb_measurements_pool (measured, (UrbMeasure) m, NULL, 0);
      self->values[m] = urb_quantile (values, 0.5);
    }
  urbarium_tile_add_rose (tile, self->rose);
  if (areas != NULL)
    find_nearest (self, map, areas);
  return self;
}
