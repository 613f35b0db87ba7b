/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open-none.c - replaces the readers and the sample town in builds without GDAL.
 */
#include "map/identify.h"
#include "map/sample-town.h"

UrbMap *
urb_map_open (const char *const *paths, const UrbMapOptions *options, UrbProgressFunc progress,
              gpointer user_data, GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (paths != NULL && paths[0] != NULL, NULL);
  g_set_error (
    error, URB_MAP_ERROR, URB_MAP_ERROR_UNAVAILABLE,
    "'%s' cannot be read: this program was built without GDAL (-Dgeo=disabled). Create the "
    "dataset on another machine, and train from it here.",
    paths[0]);
  return NULL;
}

char *
urb_map_dup_clip (UrbMap *map, UrbBox box)
{
  return NULL;
}

GPtrArray *
urb_map_identify (UrbMap *map, const char *const *paths, const char *address, double x, double y,
                  GCancellable *cancellable, GError **error)
{
  g_set_error_literal (error, URB_MAP_ERROR, URB_MAP_ERROR_UNAVAILABLE,
                       "Objects cannot be looked up: this program was built without GDAL "
                       "(-Dgeo=disabled).");
  return NULL;
}

/* Without urb_map_identify() there are no objects. */
void
urb_map_object_free (UrbMapObject *self)
{
}

UrbSampleTown *
urb_sample_town_new (guint64 seed, double size_m, UrbProgressFunc progress, gpointer user_data,
                     GCancellable *cancellable, GError **error)
{
  g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_UNAVAILABLE,
               "This urbarium-engine was built without maps (-Dgeo=disabled), so it cannot draw a "
               "sample town. It can train from a dataset file created elsewhere");
  return NULL;
}

void
urb_sample_town_free (UrbSampleTown *self)
{
}

gboolean
urb_sample_town_write (UrbSampleTown *self, const char *path, GError **error)
{
  g_return_val_if_reached (FALSE); /* no town can exist */
}
