/* SPDX-License-Identifier: Apache-2.0 */
/* recent-maps.h - recently opened maps, from the desktop's list of recent files. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void urbarium_recent_maps_add (const char *const *paths);

/* Lists the maps that still exist, checked in a thread. */
void       urbarium_recent_maps_list_async  (GCancellable *cancellable,
                                             GAsyncReadyCallback callback, gpointer user_data);
/* Returns: (transfer full): of GFile, up to six, latest first; %NULL if cancelled */
GPtrArray *urbarium_recent_maps_list_finish (GAsyncResult *result, GError **error);

G_END_DECLS
