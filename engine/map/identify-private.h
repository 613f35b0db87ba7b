/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identify-private.h - shared by identify.c, the reader identify-read.c, and what they send each other.
 */
#pragma once

#include "map/address.h"
#include "map/identify.h"
#include "map/stream.h"

G_BEGIN_DECLS

#define URB_MAP_MAX_FINDS 200

/* A polygon of the map that contains the point. */
typedef struct
{
  gint64 polygon;
  guint  layer; /* index into urb_map_get_layers () */
  UrbBox box;   /* meters */
} UrbMapHit;

/* An object of a source: one of the hits, or left out of the map. */
typedef struct
{
  guint      layer;
  UrbBox     box;         /* meters in the map's CRS; of the part at the point */
  double     area_m2;
  gint64     polygon;     /* its hit, if known; -1: match by box */
  gboolean   is_area;     /* else a line: ignored unless it matches a hit */
  GPtrArray *attributes;  /* of UrbMapAttribute; owned */
} UrbMapFind;

UrbMapFind *urb_map_find_new  (guint layer); /* without attributes */
void        urb_map_find_free (UrbMapFind *self);

/* In the process that reads maps. */
typedef struct
{
  UrbMap *map;   /* borrowed; only the polygons at the point, and all layers */
  char  **paths; /* borrowed */
  const UrbMapAddress *address; /* (nullable) borrowed; of a server to ask instead */
  int     patience_s;           /* with that server */
  double  x, y;
  GArray *hits;  /* of UrbMapHit, topmost first; borrowed */
  void  (*found) (UrbMapFind *find, gpointer data); /* (transfer full) */
  gpointer data;
  int     n_found;
} UrbMapQuestion;

/* The map's polygons that contain the point, topmost first: (transfer full) of UrbMapHit. */
GArray *urb_map_find_hits (UrbMap *map, double x, double y);

/* identify-stream.c */
void        urb_map_find_send    (const UrbMapFind *find, UrbStreamOut *out);
/* @n_layers, @n_polygons: of the map that was sent; NULL with an error */
UrbMapFind *urb_map_find_receive (UrbStreamIn *in, guint64 n_bytes, guint n_layers, gint64 n_polygons,
                                  GError **error);
/* A map of the hits, in their order from below, and of all layers without their values. */
UrbMap     *urb_map_around_hits  (UrbMap *map, const GArray *hits);

/* identify-read.c: in the process that reads maps.  Sends what it finds: ends with the files, or with the process.
 * @question: its map, paths, server and point; FALSE: the server did not tell all */
gboolean    urb_map_answer_identify (UrbMapQuestion *question, UrbStreamOut *out, GError **error);

G_END_DECLS
