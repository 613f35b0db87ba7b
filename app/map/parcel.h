/* SPDX-License-Identifier: Apache-2.0 */
/* parcel.h - the objects at a point of the map, with the outline of the topmost polygon. */
#pragma once

#include "map/identify.h"
#include "map/map.h"

G_BEGIN_DECLS

typedef struct
{
  double     x, y;       /* meters */
  GPtrArray *objects;    /* owned; of UrbMapObject, topmost first */
  /* Of the topmost polygon; empty if there is none, or it is too large to draw in a frame. */
  GArray    *outline;    /* owned; of double: x, y pairs, ring after ring */
  GArray    *ring_sizes; /* owned; of guint: vertices */
} UrbariumParcel;

void urbarium_parcel_free (UrbariumParcel *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumParcel, urbarium_parcel_free)

/* Searches in a thread.  @paths, @address (nullable): what @map was opened with. */
void            urbarium_parcel_find_async  (UrbMap *map, const char *const *paths, const char *address,
                                             double x, double y, GCancellable *cancellable,
                                             GAsyncReadyCallback callback, gpointer user_data);
UrbariumParcel *urbarium_parcel_find_finish (GAsyncResult *result, GError **error);

/* All attributes as lines of text, for the clipboard. (transfer full) */
char *urbarium_parcel_make_text (const UrbariumParcel *self);

G_END_DECLS
