/* SPDX-License-Identifier: Apache-2.0 */
/*
 * learned-areas.h - the places that a generator learned from: the training areas of its dataset.
 */
#pragma once

#include <gio/gio.h>

#include "dataset/square.h"
#include "map/map.h"

G_BEGIN_DECLS

/* Reads them in a thread.
 * @dataset, @id: (nullable): the generator's
 * @map: whose coordinate system they must have */
void    urbarium_learned_areas_load_async (const char *dataset, const char *id, UrbMap *map, GCancellable *cancellable,
                                           GAsyncReadyCallback callback, gpointer user_data);

/* Returns: (transfer full) (element-type UrbSquare): or %NULL, with an error that says why there are none on
 *   this map */
GArray *urbarium_learned_areas_load_finish (GAsyncResult *result, GError **error);

G_END_DECLS
