/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cities/learned-areas.h"

#include <glib/gi18n.h>

#include "app/cities/real-areas.h"

typedef struct
{
  char *path, *id; /* (nullable) owned */
  UrbMap *map;     /* owned */
} Request;

static void
request_free (gpointer data)
{
  Request *request = data;
  g_free (request->path);
  g_free (request->id);
  urb_map_unref (request->map);
  g_free (request);
}

static gboolean
has_system (const UrbDatasetInfo *info, UrbMap *map)
{
  if (info->epsg > 0 || urb_map_get_epsg (map) > 0)
    return info->epsg == urb_map_get_epsg (map);
  return g_strcmp0 (info->crs_name, urb_map_get_crs_name (map)) == 0;
}

static GArray *
read_areas (const Request *request, GError **error)
{
  g_autoptr(UrbDataset) dataset = urbarium_real_areas_open_dataset (request->path, request->id, error);
  g_autoptr(GArray) areas = g_array_new (FALSE, FALSE, sizeof (UrbSquare));
  UrbBox extent = urb_map_get_extent (request->map);
  const UrbDatasetInfo *info;
  const gint64 *indices;
  gint64 n;
  if (dataset == NULL)
    return NULL;
  info = urb_dataset_get_info (dataset);
  indices = urb_dataset_get_split (dataset, URB_SPLIT_TRAIN, &n);
  for (gint64 i = 0; i < n; i++)
    {
      const UrbArea *area = urb_dataset_get_area (dataset, indices[i]);
      UrbSquare square = { area->center_x, area->center_y, area->angle_deg, info->area_size_m };
      if (urb_square_meets_box (&square, &extent))
        g_array_append_val (areas, square);
    }
  if (has_system (info, request->map) && areas->len > 0)
    return g_steal_pointer (&areas);
  g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_EMPTY,
               _ ("The generator learned from another map than the open one."));
  return NULL;
}

static void
load_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  GArray *areas = read_areas (data, &error);
  if (areas != NULL)
    g_task_return_pointer (task, areas, (GDestroyNotify) g_array_unref);
  else
    g_task_return_error (task, error);
}

void
urbarium_learned_areas_load_async (const char *dataset, const char *id, UrbMap *map, GCancellable *cancellable,
                                   GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  Request *request = g_new0 (Request, 1);
  request->path = g_strdup (dataset);
  request->id = g_strdup (id);
  request->map = urb_map_ref (map);
  g_task_set_task_data (task, request, request_free);
  g_task_set_return_on_cancel (task, TRUE);
  g_task_run_in_thread (task, load_thread);
}

GArray *
urbarium_learned_areas_load_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
