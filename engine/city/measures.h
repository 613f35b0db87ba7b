/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measures.h - what a planner counts and measures on a tile.
 *
 * Each measure gives a tile no, one or many values: one share of buildings,
 * one area per building.  What cannot be said (the orientation of a tile
 * without buildings) gives none.
 */
#pragma once

#include "city/class-map.h"

G_BEGIN_DECLS

typedef enum
{
  URB_MEASURE_BUILDING_SHARE,    /* of the tile's area */
  URB_MEASURE_ROAD_SHARE,
  URB_MEASURE_OTHER_SHARE,
  URB_MEASURE_BUILDING_COUNT,    /* components (4-connected) of at least 20 m² */
  URB_MEASURE_FOOTPRINT_AREA,    /* of each building off the border: log2 of m² */
  URB_MEASURE_RECTANGULARITY,    /* of each building off the border of at least 6 pixels: its
                                  * area, of its smallest rectangle's */
  URB_MEASURE_ORIENTATION_ENTROPY, /* of the buildings' directions mod 90°, by length: 36 bins,
                                    * 0 for one direction, ln 36 for all alike */
  URB_MEASURE_BUILDING_SPACING,  /* of each building: metres to the nearest other one's centre */
  URB_MEASURE_ROAD_CONNECTIVITY, /* share of the road's pixels in its largest (8-connected) part */
  URB_MEASURE_DEAD_ENDS,         /* of the road's skeleton, off the border */
  URB_MEASURE_JUNCTIONS,         /* places where three or more of its branches meet */
  URB_MEASURE_BLOCKS,            /* parts between the roads of at least 400 m² */
  URB_N_MEASURES
} UrbMeasure;

typedef struct
{
  const char *name;  /* of the JSON key: "building_share" */
  const char *title; /* for people: "Built-up share" */
  const char *unit;  /* "%", "m²", "" */
} UrbMeasureInfo;

extern const UrbMeasureInfo urb_measure_info[URB_N_MEASURES];

/* A value as people read it: shares in percent, areas in m². */
double  urb_measure_to_display (UrbMeasure measure, double value);

/* The values of many tiles, by measure. */
typedef struct
{
  gint64  n_tiles;
  GArray *values[URB_N_MEASURES]; /* double, owned; those of tile 0, then tile 1, … */
  GArray *ends[URB_N_MEASURES];   /* guint, owned; per tile, where its values end */
} UrbMeasurements;

UrbMeasurements *urb_measurements_new  (void);
void             urb_measurements_free (UrbMeasurements *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbMeasurements, urb_measurements_free)

/* Measures a tile and appends it. */
void             urb_measurements_add  (UrbMeasurements *self, const UrbClassMap *map);

/* The values of some tiles together, sorted. @tiles: (nullable): all if NULL */
GArray          *urb_measurements_pool (const UrbMeasurements *self, UrbMeasure measure,
                                        const guint *tiles, guint n_tiles);

/**
 * urb_measurements_thin:
 * @max: how many values may remain
 * @ends: (element-type guint) (out): where the values of each tile end that has any left
 *
 * Every so many values of all, in the order of the tiles, those of a tile ascending: so each
 * tile keeps its share of the values, and its small and large ones, and what is said of the
 * whole distribution is the same.
 *
 * Returns: (transfer full) (element-type double): all, if they are not more than @max
 */
GArray          *urb_measurements_thin (const UrbMeasurements *self, UrbMeasure measure, guint max,
                                        GArray *ends);

/* Direction entropy of @n directions (radians, mod 90°) with weights; -1 if they
 * have no weight. */
double           urb_orientation_entropy (const double *angles, const double *weights, guint n);

G_END_DECLS
