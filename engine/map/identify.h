/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identify.h - what lies at a point of the map, with all that the source says of it.
 *
 * The map itself knows class, layer and area; the attributes are fetched from the
 * files it was read from.
 */
#pragma once

#include "map/map.h"

G_BEGIN_DECLS

typedef struct
{
  char *name, *value; /* owned; as text, UTF-8 */
} UrbMapAttribute;

typedef struct
{
  char      *layer;      /* owned; as urb_map_get_layers() has it */
  char      *source;     /* owned; file it came from */
  UrbClass   class_;     /* URB_CLASS_IGNORE: in the source, and left out of the map */
  double     area_m2;    /* of the part at the point, less holes */
  gboolean   is_read;    /* whether it was found in its source, in time */
  GPtrArray *attributes; /* of UrbMapAttribute, owned; those that have a value */
} UrbMapObject;

void urb_map_object_free (UrbMapObject *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbMapObject, urb_map_object_free)

#define URB_MAP_MAX_IDENTIFIED 20

/**
 * urb_map_identify:
 * @paths: (array zero-terminated=1): those that @map was opened with
 * @x: metres in the map's CRS, as @y
 *
 * Finds the objects that contain the point: first those of the map, the topmost
 * first, then those that were left out of it, the smallest first; at most
 * %URB_MAP_MAX_IDENTIFIED.  A file without a spatial index is read through, for
 * some seconds at most: what is not found in that time, or in a file that is gone,
 * comes without attributes, and what was left out of the map not at all.
 *
 * Blocks, but returns at once when it is cancelled, whatever a file takes.
 * Thread-safe.
 *
 * Returns: (transfer full) (element-type UrbMapObject): frees its elements; empty
 *   if nothing is there; or %NULL with G_IO_ERROR_CANCELLED, or with
 *   URB_MAP_ERROR_UNAVAILABLE
 */
GPtrArray *urb_map_identify (UrbMap *map, const char *const *paths, double x, double y,
                             GCancellable *cancellable, GError **error);

G_END_DECLS
