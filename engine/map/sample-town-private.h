/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample-town-private.h - shared by the files of the sample town.
 *
 * The town is built from coarse to fine: sample-town-plan.c places settlements,
 * river, railway and main roads; sample-town-streets.c cuts the districts between
 * them into blocks; sample-town-build.c and sample-town-closed.c fill each block
 * with footprints from sample-town-shapes.c.  Coordinates are meters from the lower
 * left corner of the square; outlines run counter-clockwise.
 */
#pragma once

#include "kernels/uk-random.h"
#include "map/ogr-private.h"
#include "map/sample-town.h"

G_BEGIN_DECLS

typedef struct
{
  double x, y;
} TownPoint;

/* ---- sample-town-random.c ---- */

/* A sequence of random numbers.  Each object has its own, so that a change in one
 * block does not alter the others. */
typedef struct
{
  uint64_t rng[2];
  uint32_t stream;
  uint64_t index;
} TownRandom;

void     town_random_init (TownRandom *self, guint64 seed, guint64 thing, guint32 stream);
double   town_uniform     (TownRandom *self, double low, double high);
gboolean town_chance      (TownRandom *self, double probability);
/* Smooth noise in about [-1, 1] with a wavelength of about 1; layers are independent. */
double   town_noise       (guint64 seed, guint32 layer, double x, double y);

/* ---- sample-town-geometry.c ---- */

/* Rings are GArrays of TownPoint, the first point not repeated. */
GArray   *town_ring_new        (void);
void      town_ring_append     (GArray *ring, double x, double y);
TownPoint town_ring_centroid   (const GArray *ring);
void      town_ring_reverse    (GArray *ring);

/* The smallest rotated rectangle around a ring. */
typedef struct
{
  TownPoint center;
  TownPoint along;  /* unit vector of the longer side */
  double    length, width;
} TownRectangle;

TownRectangle town_ring_rectangle (const GArray *ring);

/* A polygon as rings: the outline and its holes. */
typedef struct
{
  GPtrArray *rings; /* of GArray of TownPoint, owned */
  UrbBox     box;
} TownPolygon;

TownPolygon *town_polygon_new           (GArray *outline); /* takes @outline */
void         town_polygon_free          (TownPolygon *self);
double       town_polygon_area          (const TownPolygon *self);
/* Whether @ring lies inside, at least @clearance_m away from the edges. */
gboolean     town_polygon_contains_ring (const TownPolygon *self, const GArray *ring,
                                         double clearance_m);
/* Whether two rings overlap or are closer than @clearance_m. */
gboolean     town_rings_are_near        (const GArray *one, const GArray *other,
                                         double clearance_m);
double       town_segment_distance      (TownPoint at, TownPoint a, TownPoint b);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TownPolygon, town_polygon_free)

OGRGeometryH town_geometry_from_ring    (const GArray *ring);
/* A line of width @width_m with round ends. */
OGRGeometryH town_geometry_band         (const GArray *points, double width_m);
/* Appends the polygons of @geometry except slivers; takes @geometry. */
void         town_geometry_split        (OGRGeometryH geometry, GPtrArray *polygons);
/* Cuts @band out of @polygon and appends the parts to @inside and @outside (of
 * TownPolygon).  Returns FALSE if they do not meet. */
gboolean     town_cut (const TownPolygon *polygon, OGRGeometryH band, GPtrArray *inside,
                       GPtrArray *outside);
/* Cuts @band out of all @polygons; the parts in it go to @inside. */
void         town_cut_all (GPtrArray **polygons, OGRGeometryH band, GPtrArray *inside);

GPtrArray   *town_polygon_array_new (void); /* of TownPolygon, owned */

/* ---- sample-town-plan.c ---- */

typedef struct
{
  TownPoint center;
  double    radius_m; /* fields begin here */
  double    rank;     /* density of the center: 1 for the town, less for villages */
} TownSettlement;

typedef struct
{
  GArray *points; /* of TownPoint, owned */
  double  width_m;
} TownRoad;

/* One finished polygon. */
typedef struct
{
  TownPolygon *polygon; /* owned */
  UrbTownKind  kind;
} TownPiece;

typedef struct
{
  guint64    seed;
  double     size_m;
  double     margin_m;    /* drawn around the square and clipped at the end, so that
                           * nothing aligns with the map's edge */
  GArray    *settlements; /* of TownSettlement, the town first */
  GArray    *main_roads;  /* of TownRoad */
  GArray    *river;       /* of TownPoint */
  GArray    *railway;     /* of TownPoint */
  GPtrArray *districts;   /* of TownPolygon: between roads, river and railway */
  GArray    *pieces;      /* of TownPiece */
} TownPlan;

/* Incomplete if cancelled. */
TownPlan *town_plan_new  (guint64 seed, double size_m, GCancellable *cancellable);
void      town_plan_free (TownPlan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TownPlan, town_plan_free)

/* Takes @polygon. */
void town_plan_add_piece (TownPlan *self, TownPolygon *polygon, UrbTownKind kind);
/* Moves all @polygons (of TownPolygon) to the plan and empties the array. */
void town_plan_add_pieces (TownPlan *self, GPtrArray *polygons, UrbTownKind kind);
/* 1 in the middle of the town, 0 at the edge of the fields, negative beyond; not
 * radially symmetric. */
double town_plan_urbanity (const TownPlan *self, TownPoint point);
/* Displacement of streets at @point. */
TownPoint town_plan_bend (const TownPlan *self, TownPoint point);
double town_line_distance (const GArray *line, TownPoint point);

/* ---- sample-town-streets.c ---- */

/* The use of a block. */
typedef enum
{
  TOWN_USE_OLD_TOWN,
  TOWN_USE_PERIMETER,
  TOWN_USE_SLABS,
  TOWN_USE_ROWS,
  TOWN_USE_DETACHED,
  TOWN_USE_INDUSTRY,
  TOWN_USE_CAMPUS,
  TOWN_USE_PARK,
  TOWN_USE_SQUARE,
  TOWN_USE_FARM,
  TOWN_USE_FIELD,
  TOWN_USE_WOOD,
  TOWN_N_USES
} TownUse;

typedef struct
{
  TownPolygon *polygon; /* owned; with rounded corners */
  GArray      *outline; /* owned; with sharp corners, which separate the block's sides */
  TownUse      use;
  double       urbanity;
} TownBlock;

GPtrArray *town_block_array_new (void); /* of TownBlock, owned */
/* Cuts a district into blocks and adds its streets to @plan.  Takes @district;
 * incomplete if cancelled. */
void town_cut_blocks (TownPlan *plan, TownPolygon *district, guint64 thing, GPtrArray *blocks,
                      GCancellable *cancellable);

/* ---- sample-town-shapes.c ---- */

/* Footprints.  @at: middle of the front; @along: unit vector along the front, with the
 * lot to its left; @w: width along the front; @d: depth. */
GArray *town_shape_rectangle (TownPoint at, TownPoint along, double w, double d);
GArray *town_shape_house (TownPoint at, TownPoint along, double w, double d, TownRandom *random);
GArray *town_shape_row       (TownPoint at, TownPoint along, double unit_w, double d, int n_units,
                              double stagger, TownRandom *random);
GArray *town_shape_slab (TownPoint at, TownPoint along, double w, double d, TownRandom *random);
GArray *town_shape_hall (TownPoint at, TownPoint along, double w, double d, TownRandom *random);
GArray *town_shape_u         (TownPoint at, TownPoint along, double w, double d, double wing);
GArray *town_shape_church    (TownPoint at, TownPoint along, double length);
GArray *town_shape_pond      (TownPoint center, double radius, TownRandom *random);

/* ---- sample-town-sides.c ---- */

/* One side of a block, from corner to corner. */
typedef struct
{
  GArray *points; /* of TownPoint, owned */
  double  length;
} TownSide;

GArray   *town_find_sides     (const GArray *outline); /* of TownSide */
TownPoint town_side_point     (const TownSide *side, double s);
/* The direction of the side around @s, averaged over @reach to either side. */
TownPoint town_side_direction (const TownSide *side, double s, double reach);
/* @p moved by @u along @along and @v to its left. */
TownPoint town_moved          (TownPoint p, TownPoint along, double u, double v);
TownPoint town_turned         (TownPoint v, double angle);
/* The turn at corner @i in radians; positive to the left. */
double    town_corner_turn    (const GArray *ring, guint i);

/* ---- sample-town-builder.c ---- */

typedef struct
{
  GArray     *ring; /* owned; NULL once moved to the plan */
  UrbTownKind kind;
} TownFootprint;

typedef struct
{
  TownPlan     *plan;       /* borrowed */
  TownBlock    *block;      /* borrowed */
  TownRectangle around;
  GArray     *footprints; /* of TownFootprint: buildings so far */
  TownRandom    random;
} TownBuilder;

void town_builder_init  (TownBuilder *self, TownPlan *plan, TownBlock *block, guint64 thing);
void town_builder_clear (TownBuilder *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TownBuilder, town_builder_clear)

/* Takes @ring; keeps it only if it has the clearances. */
gboolean town_builder_place (TownBuilder *self, GArray *ring, UrbTownKind kind, double from_edge_m,
                             double from_others_m);
/* Moves @ground to the plan, with the footprints inside it as holes, and these
 * footprints too.  Takes @ground. */
void     town_builder_finish_ground (TownBuilder *self, TownPolygon *ground, UrbTownKind kind);
/* The same for the block's polygon. */
void     town_builder_finish_block (TownBuilder *self, UrbTownKind kind);

/* ---- sample-town-closed.c ---- */

void town_build_old_town  (TownBuilder *self);
void town_build_perimeter (TownBuilder *self);

/* ---- sample-town-build.c ---- */

/* Fills a block with buildings and ground, adds them to @plan, and clears the
 * block's polygon. */
void town_build_block (TownPlan *plan, TownBlock *block, guint64 thing);

G_END_DECLS
