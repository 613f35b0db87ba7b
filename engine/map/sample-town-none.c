/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample-town-none.c - reports that this build cannot draw maps (-Dgeo=disabled).
 */
#include "map/sample-town.h"

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
