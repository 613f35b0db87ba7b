/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identify-private.h - shared by identify.c and the source reader identify-read.c.
 */
#pragma once

#include "map/identify.h"

G_BEGIN_DECLS

/* A polygon of the map that contains the point. */
typedef struct
{
  gint64 polygon;
  guint  layer; /* index into urb_map_get_layers () */
  UrbBox box;   /* metres */
} UrbMapHit;

/* An object of a source: one of the hits, or left out of the map. */
typedef struct
{
  guint      layer;
  UrbBox     box;         /* metres in the map's CRS; of the part at the point */
  double     area_m2;
  gint64     polygon;     /* its hit, if known; -1: match by box */
  gboolean   is_area;     /* else a line: ignored unless it matches a hit */
  GPtrArray *attributes;  /* of UrbMapAttribute; owned */
} UrbMapFind;

UrbMapFind *urb_map_find_new  (guint layer); /* without attributes */
void        urb_map_find_free (UrbMapFind *self);

/* Shared by the caller, who may give up waiting, and the reader thread. */
typedef struct
{
  gatomicrefcount ref_count;
  UrbMap   *map;   /* owned */
  char    **paths; /* owned */
  double    x, y;
  GArray   *hits;  /* of UrbMapHit, topmost first; owned; read-only */
  gint      stop;  /* atomic: stop reading */
  GMutex    mutex;
  GCond     changed;
  gboolean   is_done; /* under the mutex */
  GPtrArray *finds;   /* of UrbMapFind; owned; under the mutex */
} UrbMapQuestion;

/* Adds objects to @question->finds until @question->stop is set. */
void urb_map_question_read (UrbMapQuestion *question);

gboolean urb_map_polygon_contains (UrbMap *map, gint64 polygon, double x, double y);

G_END_DECLS
