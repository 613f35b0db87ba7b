/* SPDX-License-Identifier: Apache-2.0 */
/*
 * building-private.h - the steps from soft shares to buildings; building-plan.c composes them.
 *
 * Coordinates are pixels of the soft map, x to the right, y down.  A true pixel is one of the map
 * before interpolation: zoom x zoom pixels.
 */
#pragma once

#include "city/building-plan.h"

G_BEGIN_DECLS

/* Where the buildings of a tile are. */
typedef struct
{
  int width_px, height_px;
  int zoom; /* pixels per true pixel, in each direction */
  double pixel_m;
  float *coverage; /* owned; (height_px / zoom, width_px / zoom): of the true pixels */
  float *sharp;    /* owned; (height_px, width_px) in [0, 1]: the shares with the blur of the
                    * interpolation removed; walls are at 1/2 */
  gint32 *labels;  /* owned; (height_px, width_px): an index of parts, or -1 */
  GArray *parts;   /* UrbBuildingPart, owned */
} UrbBuildingField;

/* A connected part of the sharp share above 1/2. */
typedef struct
{
  int min_col, min_row, max_col, max_row; /* inclusive */
  gint64 n_pixels;
  double mass_px; /* the sum of its sharp shares */
} UrbBuildingPart;

UrbBuildingField *urb_building_field_new (const UrbSoftMap *map);
void urb_building_field_free (UrbBuildingField *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbBuildingField, urb_building_field_free)

/* Numbers the connected parts of the sharp share above 1/2. */
void urb_building_field_find_parts (UrbBuildingField *self);
/* Separates parts below @most_m2 where their share sinks between two houses.  Only for a zoom of 1. */
void urb_building_field_split (UrbBuildingField *self, double most_m2);

/* Averages over true pixels.  @coarse: (out) (height_px / zoom, width_px / zoom) */
void urb_building_field_shrink (const UrbBuildingField *self, const float *fine, float *coarse);
/* Interpolates bilinearly between true pixels. */
void urb_building_field_enlarge (const UrbBuildingField *self, const float *coarse, float *fine);

/* The direction of the walls of a part. */
typedef struct
{
  double angle;  /* radians in [0, pi/2) */
  double own;    /* the same before neighbors and streets pulled it */
  double axis;   /* along the longest extent, or across it */
  double weight; /* how sure: near 0 for round buildings; 0: ignored */
} UrbBuildingDirection;

UrbBuildingDirection urb_building_field_find_direction (const UrbBuildingField *self, guint part);

/**
 * urb_building_directions_agree:
 * @directions: (n): of the parts, overwritten
 *
 * Pulls neighbors of nearly the same direction, and buildings along a street, to a common one.
 * @streets: (nullable)
 */
void urb_building_directions_agree (const UrbBuildingField *field, const UrbStreetGraph *streets,
                                    const UrbBuildingOptions *options, UrbBuildingDirection *directions);

/* A corner of a rectilinear ring: the crossing of two grid lines. */
typedef struct
{
  int ix, iy; /* of UrbBuildingDraft.xs and .ys */
} UrbBuildingCorner;

/* A building that is still to be fitted.  Outer rings have a positive urb_ring_area(). */
typedef struct
{
  guint part;
  UrbPoint center; /* of rotation, and the origin of xs and ys */
  double angle;
  double slack_px;    /* how far the grid lines may be off */
  guint n_rectangles; /* 0: a free outline of points; xs, ys and corners are empty */
  GArray *xs, *ys;    /* double, ascending: the grid lines of the walls; owned */
  GArray *corners;    /* UrbBuildingCorner, of all rings; owned */
  GArray *sizes;      /* guint, of the rings, the outer one first; owned */
  GArray *points;     /* UrbPoint, of all rings; owned */
} UrbBuildingDraft;

UrbBuildingDraft *urb_building_draft_new (void);
void urb_building_draft_free (UrbBuildingDraft *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbBuildingDraft, urb_building_draft_free)

/* Computes the points from the grid lines. */
void urb_building_draft_place (UrbBuildingDraft *self);
/* In pixels; courtyards subtracted. */
double urb_building_draft_area (const UrbBuildingDraft *self);

/* A wall of a composed building and the grid line it lies on. */
typedef struct
{
  UrbPoint a, b;
  UrbPoint out;   /* the outward unit normal */
  GArray  *lines; /* of the draft */
  int      line;
  int      sign;  /* of the outward direction along the axis */
} UrbBuildingWall;

/* The walls of a composed building; an outline has none.
 * @walls: (element-type UrbBuildingWall): emptied, then filled, ring by ring */
void urb_building_draft_collect_walls (const UrbBuildingDraft *self, GArray *walls);

/* The longest flight of stairs: the notches that follow each other along a ring with one corner
 * between two of them.  1 for an L or a T, 0 for a rectangle. */
guint urb_building_draft_count_steps (const UrbBuildingDraft *self);

/* Traces the borders of set cells with the cells on the left: the algebraic area of outer rings is
 * positive.  Cells that touch only at a corner are not connected.
 * @cells: (@ny, @nx); @corners: (out) (element-type UrbBuildingCorner); @sizes: (out)
 * (element-type guint): of the rings */
void urb_building_trace (const guint8 *cells, int nx, int ny, GArray *corners, GArray *sizes);

typedef struct
{
  double part_px2; /* a wing or notch must explain this area, */
  double court_px2; /* a courtyard this one, */
  double wall_px;  /* and leave this much building around it */
  double jog_px;   /* parallel walls nearer than this become one */
} UrbBuildingGrain;

/* Composes a part of rectangles.  Returns: (transfer full) (nullable): NULL if nothing is left */
UrbBuildingDraft *urb_building_compose (const UrbBuildingField *field, guint part, double angle,
                                        const UrbBuildingGrain *grain);

/* The same in that of the part's directions which explains it with the fewest corners. */
UrbBuildingDraft *urb_building_compose_turned (const UrbBuildingField *field, guint part,
                                               const UrbBuildingDirection *direction,
                                               const UrbBuildingGrain *grain);

/* The simplified outline of a part.  Returns: (transfer full) (nullable) */
UrbBuildingDraft *
urb_building_outline (const UrbBuildingField *field, guint part, double angle, double tolerance_px);

/* The area that a draft explains wrongly, in pixels. */
double urb_building_draft_misfit (const UrbBuildingDraft *draft, const UrbBuildingField *field);

/* Moves walls until they explain the coverage of the true pixels best.
 * @drafts: (element-type UrbBuildingDraft) */
void urb_building_drafts_fit (const UrbBuildingField *field, GPtrArray *drafts, double jog_px);

/* Gives neighbors of one direction a common wall where the gap is at most @gap_px, and moves walls
 * that are inside another building out of it. */
void urb_building_drafts_part (GPtrArray *drafts, double gap_px);

/* Moves walls that stand on a street off it.
 * @streets: (nullable); @most: the share of its area that a building gives up at the most */
void urb_building_drafts_leave (GPtrArray *drafts, const UrbStreetGraph *streets, double pixel_m,
                                double most);

/* Removes what is narrower than @least_px of a composed building, which may fall apart or vanish. */
void urb_building_draft_drop_slivers (UrbBuildingDraft *self, double least_px);

/* Cuts rings at the edge of the tile, in place.
 * @rings: (element-type UrbPoint); @sizes: (element-type guint) */
void urb_building_clip (GArray *rings, GArray *sizes, double width, double height);

G_END_DECLS
