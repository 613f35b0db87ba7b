/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identify.h - the objects at a point of the map, with their source attributes.
 *
 * The map knows class, layer and area; attributes are read from the map's files, or asked of its server.
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
  char      *layer;      /* owned; as in urb_map_get_layers() */
  char      *source;     /* owned; file name */
  UrbClass   class_;     /* URB_CLASS_IGNORE: in the source, but not in the map */
  double     area_m2;    /* of the part at the point, less holes */
  gboolean   is_read;    /* found in its source in time */
  char      *problem;    /* (nullable) owned; else why its server did not tell, a sentence without passwords */
  GPtrArray *attributes; /* of UrbMapAttribute, owned; those that have a value */
} UrbMapObject;

void urb_map_object_free (UrbMapObject *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbMapObject, urb_map_object_free)

#define URB_MAP_MAX_IDENTIFIED 20

/**
 * urb_map_identify:
 * @paths: (array zero-terminated=1): the paths that @map was opened with
 * @address: (nullable): the address that @map was opened with, with its password: the permission to ask its server
 * @x: meters in the map's CRS, as @y
 *
 * Finds the objects that contain the point: first those of the map, topmost
 * first, then those left out of the map, smallest first; at most
 * %URB_MAP_MAX_IDENTIFIED.  A file without a spatial index is scanned for 8 seconds at most, or for
 * $URBARIUM_IDENTIFY_S.  Objects of the map not found in that time, or whose file is
 * gone, come without attributes; others are missing.  A server is asked only for layers that have an object of
 * the map at the point, so objects left out of the map are found in these alone.
 *
 * Blocks, but returns at once when cancelled.  Thread-safe.
 *
 * Returns: (transfer full) (element-type UrbMapObject): frees its elements; empty
 *   if nothing is there; or %NULL with G_IO_ERROR_CANCELLED, or with
 *   URB_MAP_ERROR_UNAVAILABLE
 */
GPtrArray *urb_map_identify (UrbMap *map, const char *const *paths, const char *address, double x, double y,
                             GCancellable *cancellable, GError **error);

G_END_DECLS
