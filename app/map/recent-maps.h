/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recent-maps.h - the maps that were opened lately, as the desktop remembers them.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void urbarium_recent_maps_add (const char *const *paths);

/* Looks in a thread which of them are still there. */
void       urbarium_recent_maps_list_async  (GCancellable *cancellable,
                                             GAsyncReadyCallback callback, gpointer user_data);
/* Returns: (transfer full): of GFile, a few, the latest first; %NULL if it was cancelled */
GPtrArray *urbarium_recent_maps_list_finish (GAsyncResult *result, GError **error);

G_END_DECLS
