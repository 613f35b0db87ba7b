/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map-private.h - building a map, for the readers in this folder.
 *
 * A builder takes rings in meters one by one; finishing it drops outliers and
 * duplicates, sorts into paint order and packs the index.
 */
#pragma once

#include "map/map.h"

G_BEGIN_DECLS

#define URB_MAP_MAX_VERTICES ((gint64) 1 << 31)
#define URB_MAP_MAX_LAYERS 65535
#define URB_MAP_MAX_NAMED 5 /* objects or values that a warning names */
/* No projected CRS in use has larger coordinates on Earth. */
#define URB_MAP_MAX_COORDINATE 1e8

typedef struct _UrbMapBuilder UrbMapBuilder;

UrbMapBuilder *urb_map_builder_new  (void);
/* Before the first ring: the vertices are in @xy, or will be, for at most @capacity of them; with
 * urb_vertex_block_close() for its end.  (transfer full) */
void           urb_map_builder_use_block (UrbMapBuilder *self, double *xy, gint64 capacity);
void           urb_map_builder_free (UrbMapBuilder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbMapBuilder, urb_map_builder_free)

/* Adds a layer and returns it (transfer none); its index is the number of
 * layers before it.  The strings are copied. */
UrbMapLayer *urb_map_builder_add_layer (UrbMapBuilder *self, const char *name,
                                        const char *source);
guint16      urb_map_builder_get_n_layers (UrbMapBuilder *self);
/* Counts an object that the file has and nobody can read.  @name: (nullable) */
void         urb_map_layer_add_unreadable (UrbMapLayer *layer, const char *name);
/* Adds a value to @layer and returns its index in layer->values. */
guint32      urb_map_layer_add_value (UrbMapLayer *layer, const char *value, UrbClass class_,
                                      gboolean known);

/* Ignored if the same warning was given before. */
void urb_map_builder_warn (UrbMapBuilder *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
void urb_map_builder_set_crs (UrbMapBuilder *self, const char *wkt, const char *name, int epsg);
void urb_map_builder_set_profile (UrbMapBuilder *self, const char *name);
/* Terms of one of the sources.  Ignored if they are told already. */
void urb_map_builder_add_licence (UrbMapBuilder *self, const char *text);
/* To be added best first. */
void urb_map_builder_add_fit (UrbMapBuilder *self, const char *profile, double score);

/* Space for @n_vertices at the end of the vertices: (transfer none), valid until
 * the next call; %NULL beyond %URB_MAP_MAX_VERTICES or without memory. */
double *urb_map_builder_reserve (UrbMapBuilder *self, gint64 n_vertices);
/* Turns the first @n_vertices reserved into the next ring. */
void    urb_map_builder_commit_ring (UrbMapBuilder *self, gint64 n_vertices);
/* Turns the rings since the last polygon into a polygon; @value indexes the values
 * of the layer. */
void    urb_map_builder_commit_polygon (UrbMapBuilder *self, UrbClass class_, guint16 layer,
                                        guint32 value);
/* Discards the rings since the last polygon. */
void    urb_map_builder_rollback (UrbMapBuilder *self);

/* The rings since the last polygon. */
guint64       urb_map_builder_get_n_pending (UrbMapBuilder *self);
const double *urb_map_builder_get_pending   (UrbMapBuilder *self, guint64 index,
                                             gint64 *n_vertices);

gint64 urb_map_builder_get_n_polygons (UrbMapBuilder *self);

/* State of a map under construction, taken between polygons. */
typedef struct
{
  gint64  n_vertices, n_polygons;
  guint64 n_rings;
  guint   n_layers;
} UrbMapMark;

UrbMapMark urb_map_builder_mark   (UrbMapBuilder *self);
/* Discards the layers and polygons since @mark; warnings stay. */
void       urb_map_builder_rewind (UrbMapBuilder *self, const UrbMapMark *mark);

typedef enum
{
  URB_MAP_CLEAN_NOTHING = 0,
  URB_MAP_CLEAN_DUPLICATES = 1 << 0,
  URB_MAP_CLEAN_OUTLIERS = 1 << 1,
  URB_MAP_CLEAN_SEAMS = 1 << 3, /* of files, see seams.c */
  URB_MAP_TO_SEND = 1 << 2 /* without what urb_map_receive() computes: areas, paint order, index */
} UrbMapClean;

/**
 * urb_map_builder_finish:
 * @self: (transfer full)
 *
 * Returns: (transfer full): the map, even if it is empty
 */
UrbMap *urb_map_builder_finish (UrbMapBuilder *self, UrbMapClean clean);

/* Contents of a map; for map.c, builder.c, clean.c and report.c. */
struct _UrbMap
{
  gatomicrefcount ref_count;
  double         *xy;          /* owned; (n_vertices, 2) meters */
  gint64          block_capacity; /* vertices in the block that has them (vertex-block.h); 0: allocated */
  guint64        *ring_starts; /* owned; (n_rings + 1) vertices */
  UrbMapPolygon  *polygons;    /* owned; (n_polygons), in paint order */
  guint32        *values;      /* (nullable) owned; (n_polygons) index into the layer's values; of a map to send */
  gint64          n_vertices, n_polygons;
  guint64         n_rings;
  GPtrArray      *layers;      /* owned; of UrbMapLayer */
  GPtrArray      *warnings;    /* owned; of char * */
  GPtrArray      *fits;        /* owned; of UrbMapFit */
  char           *profile, *crs_wkt, *crs_name; /* owned */
  char           *licence;     /* (nullable) owned */
  int             epsg;
  double          class_areas_m2[URB_N_CLASSES];
  UrbBox          extent;
  struct _UrbRtree *index;     /* owned */
  UrbMapOptions   choices;     /* owned */
};

/* clean.c: flags polygons to drop and counts them in their layer; @boxes, @drop:
 * (n_polygons).  The first of equal polygons stays. */
void urb_map_mark_outliers   (UrbMap *map, const UrbBox *boxes, guint8 *drop);
void urb_map_mark_duplicates (UrbMap *map, guint8 *drop);

/* seams.c: @boxes: of the polygons as they are before.  TRUE: polygons have changed. */
gboolean urb_map_close_seams (UrbMap *map, const UrbBox *boxes);

/* report.c: turns the layers' counts into warnings, or into the error for a map
 * without polygons. */
void urb_map_report_layers (UrbMap *map);
void urb_map_explain_empty (UrbMap *map, const char *path, GError **error);

/* report-areas.c: of a map with areas, so not of one to send. */
void urb_map_report_areas  (UrbMap *map);

double urb_map_compute_area_m2 (UrbMap *self, gint64 index);

G_END_DECLS
