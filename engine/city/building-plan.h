/* SPDX-License-Identifier: Apache-2.0 */
/*
 * building-plan.h - the buildings of a tile as unions of rectangles.
 *
 * Coordinates are pixels of the soft map; see street-graph.h.
 */
#pragma once

#include "city/soft-map.h"
#include "city/street-graph.h"

G_BEGIN_DECLS

/* A building: a simple polygon with courtyards.  If it was composed of rectangles, all corners but
 * those where the tile cuts it are right; the others (towers, bent rows) have slanting walls. */
typedef struct
{
  guint  first_ring, n_rings; /* of UrbBuildingPlan.rings; the outer ring, then courtyards */
  double angle;               /* of its walls, radians in [0, pi/2) */
  guint  n_rectangles;        /* that it was composed of; 0: a free outline */
} UrbBuilding;

typedef struct
{
  guint first_point, n_points; /* of UrbBuildingPlan.points; the first is not repeated */
} UrbBuildingRing;

typedef struct
{
  GArray *buildings; /* UrbBuilding, owned */
  GArray *rings;     /* UrbBuildingRing, owned */
  GArray *points;    /* UrbPoint, owned */
} UrbBuildingPlan;

typedef struct
{
  double min_area_m2;  /* smaller buildings are merged into a neighbor or dropped */
  double min_width_m;  /* narrower buildings are dropped, except at the tile's edge */
  double part_m2;      /* a wing, notch or courtyard must explain this area, */
  double part_share;   /* and this share of the building, */
  double court_m2;     /* but a courtyard no more than this area */
  double jog_m;        /* parallel walls of a building nearer than this are put in line */
  double stairs_jog_m; /* the same for a building that otherwise becomes a flight of stairs; 0: none does */
  double street_pull;  /* a building whose walls show their direction with weight 1 takes that of its
                        * street up to this turn, radians; others up to this over their weight */
  double agree_m;      /* buildings of nearly the same direction pull each other's direction up to this distance */
  double turn_m2;      /* from this area on, a building may leave the direction of its walls, neighbors
                        * and street for one that needs far fewer corners; 0: never */
  double split_m2;     /* smaller buildings are divided where their share sinks between two houses; 0: never.
                        * For maps that a refiner drew */
  gboolean free_outlines; /* buildings that rectangles explain badly keep their outline; not for
                           * generators, which do not know slanting walls */
} UrbBuildingOptions;

/* The defaults for a map of this true resolution. */
void             urb_building_options_init (UrbBuildingOptions *options, double detail_m);

/* @streets: (nullable): buildings near a street of nearly their direction take its direction, and
 * keep off streets.  Buildings of rectangles do not overlap each other; free outlines may, by a
 * fraction of a true pixel.  The same input gives the same plan.  Returns: (transfer full) */
UrbBuildingPlan *urb_building_plan_new     (const UrbSoftMap *map, const UrbStreetGraph *streets,
                                            const UrbBuildingOptions *options);
void             urb_building_plan_free    (UrbBuildingPlan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbBuildingPlan, urb_building_plan_free)

G_END_DECLS
