/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map.h - a classified vector map in memory.
 *
 * Sources may be the usual vector formats, several files, degrees or meters, with
 * curves or broken rings.  The map holds polygons of three classes with plain
 * rings, in meters, in one projected CRS, behind a packed spatial index.
 * Immutable once built, hence safe to read from any number of threads.
 */
#pragma once

#include <gio/gio.h>

#include "base/progress.h"
#include "map/box.h"
#include "map/profile.h"

G_BEGIN_DECLS

/* In paint order from top to bottom: where polygons overlap, the class with the
 * smaller number is visible. */
typedef enum
{
  URB_CLASS_BUILDING,
  URB_CLASS_ROAD,
  URB_CLASS_OTHER,
  URB_N_CLASSES,
  URB_CLASS_IGNORE = URB_N_CLASSES /* recognized, but left out on purpose */
} UrbClass;

const char *urb_class_get_name (UrbClass class_); /* "building", never translated */
/* The class of that name.  Returns: whether there is one */
gboolean    urb_class_find     (const char *name, UrbClass *class_);

#define URB_MAP_ERROR (urb_map_error_quark ())
GQuark urb_map_error_quark (void);

typedef enum
{
  URB_MAP_ERROR_OPEN,    /* no such file, or no driver reads it */
  URB_MAP_ERROR_READ,    /* damaged: opened, then failed */
  URB_MAP_ERROR_EMPTY,   /* contains no areas */
  URB_MAP_ERROR_CRS,     /* unknown or unusable coordinates */
  URB_MAP_ERROR_PROFILE, /* the class profile is invalid or does not fit */
  URB_MAP_ERROR_LIMIT,   /* exceeds a documented limit */
  URB_MAP_ERROR_UNAVAILABLE, /* built with -Dgeo=disabled */
  URB_MAP_ERROR_LARGE    /* does not fit into memory or a map; a part of it may */
} UrbMapError;

/* One polygon: an outer ring and its holes, in any winding; rings are closed
 * (the first vertex is not repeated).  Fill with the even-odd rule. */
typedef struct
{
  guint64 first_ring;
  guint32 n_rings;
  guint8  class_; /* UrbClass */
  guint16 layer;  /* index into urb_map_get_layers () */
} UrbMapPolygon;

typedef struct _UrbMap UrbMap;

UrbMap *urb_map_ref   (UrbMap *self);
void    urb_map_unref (UrbMap *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbMap, urb_map_unref)

/* A class set by hand, applied after the profile to one value of all layers with that
 * name; names and values as urb_map_get_layers() reports them ("(none)" and "(more
 * values)" included).  The value "" stands for all objects of the layer whose value has
 * no override of its own, even where the profile skips the layer.  The last of several
 * overrides for the same value wins.  Objects that a profile drops (expired,
 * underground) stay dropped.  A line that becomes a road has the profile's width, else that of an attribute
 * such as "width", else 6 m. */
typedef struct
{
  const char *layer;
  const char *value;
  UrbClass    class_; /* URB_CLASS_IGNORE to leave out */
} UrbMapOverride;

/* How all layers of that name are read, whatever holds for the rest of the map. */
typedef struct
{
  const char *layer;
  const char *profile; /* name or file; "": the map's */
  const char *crs;     /* "EPSG:2056", even if the file states another; "": as for the map */
} UrbMapLayerOptions;

typedef struct
{
  const char *profile; /* (nullable) name or file; NULL: detect it */
  double      road_width_m; /* of lines whose class is road; 0: the profile's */
  const char *crs;     /* (nullable) "EPSG:2056" for sources that state none; NULL: guess or refuse */
  const char *const *path_crs; /* (nullable) (array zero-terminated=1) the same for each path, instead of @crs; "": as @crs */
  gboolean is_local;    /* coordinates are plain meters, whatever the sources state: a GeoJSON file always
                         * claims degrees */
  /* (nullable) "WEST,SOUTH,EAST,NORTH" in degrees (WGS 84), or in a map without coordinate system in its units: only
   * this part is read.  Objects are cut at the edges of the smallest rectangle along the map's axes that holds it. */
  const char *clip;
  const UrbMapOverride *overrides; /* (@n_overrides) (nullable) */
  gsize       n_overrides;
  const UrbMapLayerOptions *layers; /* (@n_layers) (nullable) */
  gsize       n_layers;
  /* (nullable) Of a server, with its password, as a person typed it (address.h): this alone is the permission to ask a
   * server.  The paths are then the address as shown, alone. */
  const char *address;
  int         patience_s; /* how long a server may be silent; 0: 30 s */
} UrbMapOptions;

int urb_map_options_get_patience_s (const UrbMapOptions *self);

/* Returns: (nullable): those of a layer, if it has any */
const UrbMapLayerOptions *urb_map_options_find_layer (const UrbMapOptions *self, const char *layer);

/* @box: (out): west is min_x, south min_y.  Returns: whether @text is such a part: four numbers, of which east and north
 * are the larger ones */
gboolean urb_map_clip_parse (const char *text, UrbBox *box);

/* A rectangle of the map in meters, as such a part.
 * (transfer full) (nullable): %NULL: the map's coordinate system has no code, or the rectangle no place in it */
char *urb_map_dup_clip (UrbMap *map, UrbBox box);

/* Of @from without the address of a server, which may have a password.  @to: (out): owns its texts; cleared by
 * urb_map_options_clear() */
void urb_map_options_copy_choices (UrbMapOptions *to, const UrbMapOptions *from);
/* Frees all texts, which @self must own. */
void urb_map_options_clear (UrbMapOptions *self);

/**
 * urb_map_open:
 * @paths: (array zero-terminated=1): files or folders, read as one map
 * @options: (nullable): NULL for all defaults
 * @progress: (nullable): called while reading
 *
 * Reads, classifies, reprojects, repairs and indexes.  Another process does the reading
 * (open.c), with bounds on its time and memory.  Blocks; memory and time are linear in
 * the vertices.  Holds at most 2^31 vertices and 65,535 layers.
 *
 * Returns: (transfer full): the map, or %NULL with a %URB_MAP_ERROR that names
 *   the file and the remedy, or with G_IO_ERROR_CANCELLED
 */
UrbMap *urb_map_open (const char *const   *paths,
                      const UrbMapOptions *options,
                      UrbProgressFunc      progress,
                      gpointer             user_data,
                      GCancellable        *cancellable,
                      GError             **error);

/* What urb_map_open() found, for `inspect` and the map page. */
typedef struct
{
  char    *value;      /* owned; attribute value, or "" if the layer determines the class */
  UrbClass class_;     /* in effect */
  UrbClass profile_class; /* according to the profile */
  gboolean by_hand;    /* class_ comes from an override */
  gboolean known;      /* FALSE: not in the profile, hence "other" */
  gint64   n_features;
  double   area_m2;
} UrbMapValue;

typedef struct
{
  char      *name;      /* owned; layer name */
  char      *source;    /* owned; file name */
  char      *crs_wkt;   /* (nullable) owned; of the source's coordinates; NULL: the map's */
  char      *attribute; /* (nullable) owned; attributes that determined the classes: "a, b" */
  GPtrArray *values;    /* of UrbMapValue, owned */
  /* Objects in the file; the other two count the points and lines among them. */
  gint64     n_features, n_points_ignored, n_lines;
  gint64     n_unreadable; /* damaged in the file, and left out */
  GPtrArray *unreadable;   /* of char *, owned; names of the first of these, where they have one */
  gint64     n_unexpected; /* lines where the profile expects areas, or the reverse; left out */
  gint64     n_repaired;   /* invalid polygons made valid */
  gint64     n_dropped;    /* lost a polygon that has no area, is damaged, or far from all others */
  gint64     n_superseded; /* expired or hidden by the profile's rules, or duplicates */
} UrbMapLayer;

GPtrArray  *urb_map_get_layers   (UrbMap *self); /* (transfer none) of UrbMapLayer */
GPtrArray  *urb_map_get_warnings (UrbMap *self); /* (transfer none) of char *: sentences */
const char *urb_map_get_profile  (UrbMap *self); /* name of the profile used */
/* The options of urb_map_open(), without the address of a server. (transfer none) */
const UrbMapOptions *urb_map_get_choices (UrbMap *self);

/* Licence and attribution on one line, as the sources or the profile tell them; never guessed.
 * Returns: (nullable): %NULL if none does */
const char *urb_map_get_licence  (UrbMap *self);

/* How well a profile fits the map, 0 to 100: see docs/profiles.md. */
typedef struct
{
  char  *profile; /* owned; name */
  double score;
} UrbMapFit;

/* Best first; empty if the profile was not recognized but chosen.
 * (transfer none) (element-type UrbMapFit) */
GPtrArray  *urb_map_get_fits     (UrbMap *self);
const char *urb_map_get_crs_wkt  (UrbMap *self); /* projected, meters */
const char *urb_map_get_crs_name (UrbMap *self); /* "EPSG:21781 CH1903 / LV03" */
int         urb_map_get_epsg     (UrbMap *self); /* 0 if none is known */
/* Sum of the areas of the class's polygons (outer ring less holes).  Overlaps count
 * once per polygon, so this is the area in the source, not the painted one; in a
 * partition such as a land cover the two are equal. */
double      urb_map_get_class_area_m2 (UrbMap *self, UrbClass class_);

UrbBox               urb_map_get_extent   (UrbMap *self);
gint64               urb_map_get_n_polygons (UrbMap *self);
gint64               urb_map_get_n_vertices (UrbMap *self);
gsize                urb_map_get_n_bytes  (UrbMap *self); /* memory of vertices and index */
const UrbMapPolygon *urb_map_get_polygon  (UrbMap *self, gint64 index);
/* @n_vertices: (out); returns (transfer none) x, y pairs in meters. */
const double        *urb_map_get_ring     (UrbMap *self, guint64 ring, gint64 *n_vertices);
UrbBox               urb_map_get_box      (UrbMap *self, gint64 index);

/* Whether the polygon contains the point; not in its holes. */
gboolean             urb_map_polygon_contains (UrbMap *self, gint64 index, double x, double y);

/**
 * urb_map_query:
 * @found: (element-type gint64): emptied, then filled with the polygons whose
 *   boxes meet @box, in paint order: other first, buildings last, source order
 *   within a class.  Complete; may include polygons outside by less than 2^-23
 *   of the map's extent.
 *
 * Thread-safe; allocates only to grow @found.
 */
void urb_map_query (UrbMap *self, UrbBox box, GArray *found);

G_END_DECLS
