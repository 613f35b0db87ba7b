/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ogr-private.h - GDAL handles with automatic cleanup, GDAL errors, and the
 * internal interfaces of the .c files in this folder that use GDAL.
 */
#pragma once

#include <gdal.h>
#include <ogr_api.h>
#include <ogr_srs_api.h>

#include "map/address.h"
#include "map/map-private.h"
#include "map/profile-private.h"
#include "map/ring.h"

G_BEGIN_DECLS

typedef GDALDatasetH UrbGdalDataset;
typedef OGRFeatureH UrbOgrFeature;
typedef OGRGeometryH UrbOgrGeometry;
typedef OGRSpatialReferenceH UrbOgrSrs;
typedef OGRCoordinateTransformationH UrbOgrTransform;

G_DEFINE_AUTO_CLEANUP_FREE_FUNC (UrbGdalDataset, GDALClose, NULL)
G_DEFINE_AUTO_CLEANUP_FREE_FUNC (UrbOgrFeature, OGR_F_Destroy, NULL)
G_DEFINE_AUTO_CLEANUP_FREE_FUNC (UrbOgrGeometry, OGR_G_DestroyGeometry, NULL)
G_DEFINE_AUTO_CLEANUP_FREE_FUNC (UrbOgrSrs, OSRRelease, NULL)
G_DEFINE_AUTO_CLEANUP_FREE_FUNC (UrbOgrTransform, OCTDestroyCoordinateTransformation, NULL)

/* Between push and pop, GDAL prints nothing on this thread, and the first failure
 * is kept.  A g_auto(UrbGdalErrors) pops by itself. */
typedef struct
{
  char      *first;   /* (nullable) owned; a sentence */
  gint64     n_failures;
  GPtrArray *skipped; /* owned; of char *: names of objects that GDAL skipped by itself */
} UrbGdalErrors;

void urb_gdal_errors_push  (UrbGdalErrors *self); /* @self must not move until pop */
void urb_gdal_errors_reset (UrbGdalErrors *self);
void urb_gdal_errors_pop   (UrbGdalErrors *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbGdalErrors, urb_gdal_errors_pop)

/* -------- source.c: files, folders, archives -------- */

#define URB_N_SAMPLES 48

/* How a profile's rules would treat a layer; shares of its first objects, points apart. */
typedef struct
{
  double used;    /* become part of the map */
  double proven;  /* of these, by a rule that fits no other kind of map */
  double ignored; /* are left out by a rule for such layers */
} UrbFit;

typedef struct
{
  char       *name, *plain_name; /* owned */
  gboolean    has_geometry;
  gint64      n_features; /* negative: unknown */
  UrbFit     *fits;       /* owned; one per profile, in the order of the profiles */
  double      weight;     /* in recognizing the profile: objects that are not points */
  /* Of the centers of the first objects; NaN if there are none. */
  double      middle_x, middle_y, spread;
  OGRSpatialReferenceH srs; /* (nullable) owned reference */
} UrbSourceLayer;

typedef struct
{
  char          *path;       /* owned; as passed to GDAL; of a server, as shown */
  const UrbMapAddress *address; /* (nullable) borrowed; of a server */
  int            patience_s; /* with that server */
  char          *display_name; /* owned; for messages */
  const char    *crs;        /* (nullable) borrowed; that was chosen for its path */
  char          *plain_stem; /* owned; plain form of the file name without extension */
  UrbGdalDataset dataset;    /* (nullable) owned; reopened on demand */
  char          *driver;     /* owned; GDAL's short name */
  GPtrArray     *layers;     /* owned; of UrbSourceLayer */
  double         stream_x, stream_y; /* of a stream: a point in it */
  char          *trouble;    /* (nullable) owned; what failed when it was opened */
  char          *copy;       /* (nullable) owned; a copy of it that GDAL reads instead */
  gint64         n_mended;   /* nodes without a position */
  gboolean       is_cut;     /* only the part before some damage is in that copy */
  GPtrArray     *warnings;   /* owned; of char *: what that copy lacks */
} UrbSource;

void     urb_source_free (UrbSource *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbSource, urb_source_free)
/* A source that is not open; its layers are unknown. */
UrbSource *urb_source_new  (const char *path);
/* Opens @path and inspects its layers and first objects. */
UrbSource *urb_source_open (const char *path, GPtrArray *profiles, GError **error);
/* The same two for a server, while @address lives. */
UrbSource *urb_source_new_server  (const UrbMapAddress *address, int patience_s);
UrbSource *urb_source_open_server (const UrbMapAddress *address, int patience_s, GPtrArray *profiles, GError **error);
/* Whether such a source interleaves its layers and can be read only once. */
gboolean   urb_driver_is_stream (const char *driver);
gboolean   urb_source_ensure_open (UrbSource *self, GError **error);

/* Whether the name has the extension, ignoring case. */
gboolean   urb_has_ending (const char *path, const char *ending);

/**
 * urb_find_files:
 * @path: a file, folder or archive
 * @files: (element-type utf8): receives the files to open
 * @one: (out): whether @path itself is opened, so that a failure is an error;
 *   otherwise it may just be a file of the folder that is not a map
 */
gboolean urb_find_files (const char *path, GPtrArray *files, gboolean *one, GError **error);

/* -------- drivers.c: what may read a file -------- */

void urb_register_drivers (void);
/* The first call of either decides.  @only: (nullable): of GDAL's drivers just these; %NULL: those for files */
void urb_register_only    (const char *const *only);

/* Besides GDAL's names: models in three dimensions, of which city-model.h makes GeoJSON. */
#define URB_DRIVER_CITY_GML "CityGML"
#define URB_DRIVER_CITY_JSON "CityJSON"
#define URB_DRIVER_INTERLIS_24 "INTERLIS 2.4"

/**
 * urb_find_drivers:
 * @path: as passed to GDAL
 * @name: for messages
 * @drivers: (out) (transfer none) (nullable): GDAL's short names, or one of the above,
 *   zero-terminated; %NULL: none, or the file cannot be read
 *
 * Returns: %FALSE, with an error, for a file that is refused whatever its format
 */
gboolean urb_find_drivers (const char *path, const char *name, const char *const **drivers,
                           GError **error);

/* Whether its root element is that of one format of maps.  Any other XML may be one in GML, or no map at all. */
gboolean urb_is_xml_map (const char *path);

/* -------- classify.c: the class of an object -------- */

typedef struct
{
  const char     *plain_name, *plain_stem, *driver;
  OGRFeatureDefnH defn;
} UrbLayerFacts;

/* The rules that apply to this layer, in order; (transfer container). */
GPtrArray *urb_profile_find_rules (const UrbProfile *profile, const UrbLayerFacts *facts);
/* The layer's first rule if it reads areas by label points (INTERLIS 1); else %NULL. */
const UrbRule *urb_profile_find_label_rule (const UrbProfile *profile, const UrbLayerFacts *facts);

typedef struct _UrbClassifier UrbClassifier;

/* The attributes of one object: a feature's, or texts indexed by the layer's fields. */
typedef struct
{
  OGRFeatureH        feature; /* (nullable) borrowed */
  const char *const *texts;   /* (n_fields) (nullable) borrowed; NULL entry: no value */
} UrbRow;

typedef enum
{
  URB_VERDICT_CLASS,
  URB_VERDICT_SUPERSEDED
} UrbVerdict;

typedef struct
{
  UrbClass class_; /* may be IGNORE */
  guint32  value;  /* of the layer's values */
  double   width_m;
  gboolean closed_lines_are_areas;
  const UrbRule *rule;    /* (nullable) that decided, or superseded it */
  gboolean is_unexpected; /* the layer has a rule, but for another kind of geometry */
} UrbDecision;

/* @profile, @layer and @options must outlive it. */
UrbClassifier *urb_classifier_new  (const UrbProfile *profile, const UrbLayerFacts *facts,
                                    UrbMapLayer *layer, const UrbMapOptions *options);
void           urb_classifier_free (UrbClassifier *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbClassifier, urb_classifier_free)
/* Whether no object of the layer can be part of the map, so it need not be read. */
gboolean       urb_classifier_ignores_all (UrbClassifier *self);
/* Whether its rule is for any layer: it says nothing about this one. */
gboolean       urb_rule_is_for_any_layer (const UrbRule *rule);
/* As urb_map_layer_add_value(), with the override's class if there is one. */
guint32        urb_classify_add_value (UrbMapLayer *layer, const char *value, UrbClass class_,
                                       gboolean known, const UrbMapOptions *options);
/* Sets the layer's fields that the rules read: @wanted: (n_fields). */
void           urb_classifier_want_fields (UrbClassifier *self, gboolean *wanted);
UrbVerdict     urb_classifier_decide (UrbClassifier *self, const UrbRow *row,
                                      UrbGeometryKind geometry, UrbDecision *decision);

/* -------- recognize.c -------- */

/* Sets the layer's fits and weight. */
void        urb_recognize_layer (UrbSourceLayer *layer, const UrbLayerFacts *facts, GPtrArray *profiles,
                                 OGRFeatureH *samples, int n_samples);
/* The profile with the highest score, and the scores of all for the map; see docs/profiles.md.
 * (transfer none) */
UrbProfile *urb_recognize (GPtrArray *profiles, GPtrArray *sources, UrbMapBuilder *builder);

/* -------- crs.c -------- */

typedef struct _UrbCrs UrbCrs;

/* Opens PROJ's database for this thread. */
void     urb_crs_load (void);
UrbCrs  *urb_crs_new  (const UrbMapOptions *options, UrbMapBuilder *builder, GError **error);
void     urb_crs_free (UrbCrs *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbCrs, urb_crs_free)
/* @profile: the layer's
 * @transform: (out) (nullable): from the layer's coordinates to the map's;
 * NULL if they are the same. */
gboolean urb_crs_begin_layer (UrbCrs *self, const UrbProfile *profile, const UrbSourceLayer *layer,
                              const UrbSource *source, UrbOgrTransform *transform, GError **error);

/* The part of the map that is read, in its meters; known after the first layer with coordinates.  (nullable): all is read */
const UrbBox *urb_crs_get_clip (UrbCrs *self);
/* @box: (inout): in the map's meters; becomes one in the coordinates in which parts are chosen.  FALSE: not possible */
gboolean      urb_crs_unproject (UrbCrs *self, UrbBox *box);

/* How a layer's coordinates fit a profile's country. */
typedef enum
{
  URB_PLACE_UNKNOWN,
  URB_PLACE_OUTSIDE,
  URB_PLACE_GUESSED, /* no coordinate system stated, and the numbers are those of the country's */
  URB_PLACE_INSIDE,
  URB_PLACE_NATIONAL /* in the country's coordinate system */
} UrbPlace;

UrbPlace urb_crs_find_place (const UrbProfile *profile, const UrbSourceLayer *layer);
/* The first CRS guess whose box contains the point; %NULL: none. */
const UrbCrsGuess *urb_profile_find_guess (const UrbProfile *profile, double x, double y);
/* @layer: of INTERLIS 2, which begins with the name of its model
 * Returns: (nullable): the coordinate system that this model prescribes, as a transfer states none */
OGRSpatialReferenceH urb_crs_new_of_model (const char *layer);
/* NULL if @srs is undefined. */
char *urb_crs_dup_wkt (OGRSpatialReferenceH srs);
/* NULL if either is NULL or unknown, if they are equal, or if none exists. */
OGRCoordinateTransformationH urb_crs_transform_between (const char *source_wkt,
                                                        const char *target_wkt);

/* -------- clip.c: a part of the map -------- */

/* @transform: (nullable)
 * @to: (out): the smallest rectangle that holds @box.  FALSE: there is none */
gboolean     urb_clip_transform (UrbBox box, OGRCoordinateTransformationH transform, UrbBox *to);
/* As a part is written, each number by the @format of a double, as "%.6f". (transfer full) */
char        *urb_clip_format    (UrbBox box, const char *format);
/* Where, in a layer's coordinates, objects may reach into the part; @transform: (nullable): from these to the map's. */
UrbBox       urb_clip_find_near (const UrbBox *clip, OGRCoordinateTransformationH transform);
/* Whether this driver finds the objects in a rectangle without reading the others.  That for OpenStreetMap finds none. */
gboolean     urb_clip_is_quick  (const char *driver);
/* What of a valid polygon lies in the part.  (transfer full): NULL: not possible */
OGRGeometryH urb_clip_cut       (const UrbBox *clip, OGRGeometryH polygon);

/* -------- geometry.c: shapes to rings -------- */

typedef struct _UrbNest UrbNest;

typedef struct
{
  UrbMapBuilder  *builder;     /* borrowed */
  UrbMapLayer    *layer;       /* borrowed */
  guint16         layer_index;
  UrbOgrTransform transform;   /* (nullable) borrowed */
  UrbNest        *nest;        /* borrowed; collects closed lines that are areas */
  gboolean        all_closed_lines_are_areas; /* as in drawings, whatever the rule */
  gboolean        areas_only; /* the object has an area, which its lines only describe */
  gint64          n_lines_left_out; /* lines without a width */
  const UrbBox   *clip;        /* (nullable) borrowed; the part of the map that is read */
  gboolean        is_cut;      /* the pending polygon lies in it already */
  gint64          n_polygons_outside; /* of all objects */
  gint64          n_outside;   /* objects of which nothing lies in the part */
} UrbSink;

/* Commits or drops the polygon whose rings are pending; @state: of its last ring. */
gboolean urb_sink_end_polygon (UrbSink *self, UrbRingState state, const UrbDecision *decision,
                               gboolean is_repaired);
/* FALSE: the map is full.  @geometry is modified, not freed. */
gboolean urb_sink_add (UrbSink *self, OGRGeometryH geometry, const UrbDecision *decision);
/* Turns the pending rings, which are valid, into a polygon, or into those of its parts that are read. */
gboolean urb_sink_commit_valid (UrbSink *self, const UrbDecision *decision);
/* Turns the pending rings into a polygon, repaired if necessary. */
gboolean urb_sink_commit (UrbSink *self, const UrbDecision *decision);
/* Keeps the pending rings if they are valid, else replaces them by repaired polygons. */
gboolean urb_sink_make_valid (UrbSink *self, const UrbDecision *decision);
/* Whether a plain line ends within a millimeter of its start. */
gboolean        urb_line_is_closed (OGRGeometryH line);
UrbGeometryKind urb_geometry_get_kind (OGRGeometryH geometry); /* 0: points */
/* Whether a polygon without arcs contains the point; not in its holes. */
gboolean        urb_geometry_contains (OGRGeometryH polygon, double x, double y);
UrbBox          urb_geometry_get_box (OGRGeometryH geometry); /* not empty */
/* The object's first area, in whichever of its fields for geometries; else its first geometry.
 * (transfer none) (nullable) */
OGRGeometryH    urb_feature_get_shape (OGRFeatureH feature);
/* (transfer full): a copy with arcs as chords; NULL: not possible */
OGRGeometryH    urb_geometry_linearize (OGRGeometryH geometry);
/* FALSE: there is no such field, or no finite number in it. */
gboolean        urb_feature_read_number (OGRFeatureH feature, int field, double *number);

/* -------- wkb.c: areas in well-known binary -------- */

/* Whether it is a complete little-endian polygon or multipolygon without arcs, as
 * urb_sink_add_areas() needs.  @n_points: (out): of all rings. */
gboolean urb_wkb_is_areas   (const guint8 *wkb, gsize n_bytes, guint64 *n_points);
/* As urb_sink_add() without a transform; FALSE: the map is full. */
gboolean urb_sink_add_areas (UrbSink *self, const guint8 *wkb, gsize n_bytes,
                             const UrbDecision *decision);

/* -------- geopackage-rows.c: rows of a GeoPackage table -------- */

typedef struct _UrbGeopackageRows UrbGeopackageRows;

/* NULL if the layer must be read through GDAL: it is not a plain table, or a wanted
 * field is neither text nor an integer.  @wanted: (n_fields). */
UrbGeopackageRows *urb_geopackage_rows_open (const UrbSource *source, OGRLayerH layer,
                                             const gboolean *wanted);
void               urb_geopackage_rows_free (UrbGeopackageRows *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbGeopackageRows, urb_geopackage_rows_free)

typedef enum
{
  URB_ROWS_ONE,
  URB_ROWS_END,
  URB_ROWS_ODD /* not plain: leave it to GDAL */
} UrbRowsState;

/* @row, @wkb: (out): valid until the next call; @wkb is %NULL for a row without shape. */
UrbRowsState urb_geopackage_rows_next (UrbGeopackageRows *self, UrbRow *row,
                                       const guint8 **wkb, gsize *n_bytes);

/* -------- nest.c: closed lines that are areas -------- */

UrbNest *urb_nest_new  (void);
void     urb_nest_free (UrbNest *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbNest, urb_nest_free)
/* FALSE: more than 2^30 vertices of closed lines. */
gboolean urb_nest_add  (UrbNest *self, const double *xy, gint64 n, const UrbDecision *decision);
/* Gives each ring the rings directly inside it as holes; FALSE: the map is full. */
gboolean urb_nest_finish (UrbNest *self, UrbSink *sink);

/* -------- itf.c: INTERLIS 1 without its model -------- */

/* Whether the file is complete: it ends with its last line, or cannot be read. */
gboolean urb_itf_is_whole (const char *path);
/* @rule: with label fields; @outlines: the table of lines */
gboolean urb_itf_read_areas (UrbSink *sink, OGRLayerH table, OGRLayerH outlines,
                             const UrbRule *rule, UrbClassifier *classifier, const char *file,
                             GCancellable *cancellable, GError **error);

/* -------- osm-mend.c: OpenStreetMap's XML with nodes that lie nowhere -------- */

/**
 * urb_osm_mend:
 * @path: as passed to GDAL
 * @n_nodes: (out): nodes without a position on Earth
 *
 * Returns: (transfer full) (nullable): a copy in memory to read instead, with these nodes at 1° N 1° E, far
 *   from the map; remove it with VSIUnlink().  %NULL: the file can be read as it is
 */
char *urb_osm_mend (const char *path, gint64 *n_nodes);

/**
 * urb_interlis_24_copy:
 * @shown: the path as it is shown
 * @is_cut: (out): whether the file is damaged, so that only the part before is copied
 *
 * Returns: (transfer full) (nullable): a copy in memory that GDAL's driver for INTERLIS 2 reads
 */
char *urb_interlis_24_copy (const char *path, const char *shown, gboolean *is_cut, GError **error);

/* -------- unpack-bz2.c -------- */

/* Unpacks the file, which GDAL calls @path, into GDAL's memory for as long as the process lives, as @inner in it.
 * Returns: (nullable) (transfer full): what GDAL calls it; %NULL: it cannot be read, or is damaged */
char *urb_unpack_bz2 (const char *path, const char *inner);

/* -------- read-source.c -------- */

typedef struct
{
  GPtrArray           *profiles, *sources; /* owned */
  UrbProfile          *profile;            /* borrowed from profiles */
  GHashTable          *layer_profiles;     /* owned; of layers that have their own: name (borrowed) to UrbProfile (owned) */
  const UrbMapOptions *options;            /* borrowed */
  UrbMapAddress       *address;            /* (nullable) owned; of a server, instead of files */
  UrbMapBuilder       *builder;            /* owned */
  UrbCrs              *crs;                /* owned */
  UrbGdalErrors       *errors;             /* borrowed */
  UrbProgressFunc      progress;           /* (nullable) */
  gpointer             progress_data;
  GCancellable        *cancellable;        /* (nullable) borrowed */
  gint64               n_total, n_done, last_progress_us;
  gint64               n_inside, n_outside; /* objects in the part that is read, and others */
  UrbBox               outside;            /* of the others in layers without any of the first, in the map's meters */
  char                *damage; /* (nullable) owned; the first: "'town.gml' is damaged: …" */
} UrbReader;

/* Remembers the first damage, which explains a map without any polygon.  @reason: (nullable) */
void     urb_reader_note_damage (UrbReader *self, const UrbSource *source, const char *reason);

gboolean urb_reader_read_source (UrbReader *self, UrbSource *source, GError **error);

/* -------- read-map.c -------- */

/* As urb_map_open(), in this process, whose rights a hostile map may use.  @purpose: 0 or
 * URB_MAP_TO_SEND; @block: for the vertices (vertex-block.h), or -1 */
UrbMap *urb_map_read (const char *const *paths, const UrbMapOptions *options, UrbMapClean purpose, int block,
                      UrbProgressFunc progress, gpointer user_data, GCancellable *cancellable,
                      GError **error);

G_END_DECLS
