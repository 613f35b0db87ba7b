/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measures.h - urban form measures of a tile.
 *
 * Each measure gives zero or more values per tile: one building share, one area per
 * building.  Undefined measures (such as the orientation of a tile without buildings) give
 * no value.
 */
#pragma once

#include "city/vectorize.h"

G_BEGIN_DECLS

/* Those with a plan need one; see urb_measurements_add(). */
typedef enum
{
  URB_MEASURE_BUILDING_SHARE,    /* of the tile's area */
  URB_MEASURE_ROAD_SHARE,
  URB_MEASURE_OTHER_SHARE,
  URB_MEASURE_HALF_TONES,        /* soft map: share of the pixels of which no class has 90 %, among
                                  * at least 7 such pixels of 3 x 3 */
  URB_MEASURE_BUILDING_COUNT,    /* components (4-connected) of at least 20 m² */
  URB_MEASURE_FOOTPRINT_AREA,    /* per building not touching the border: log2 of m² */
  URB_MEASURE_RECTANGULARITY,    /* per building not touching the border, of at least 6 pixels:
                                  * area / area of its smallest enclosing rectangle */
  URB_MEASURE_ORIENTATION_ENTROPY, /* of building directions mod 90°, weighted by perimeter: 36
                                    * bins, from 0 (one direction) to ln 36 (uniform) */
  URB_MEASURE_BUILDING_SPACING,  /* per building: meters to the nearest other building's center */
  URB_MEASURE_HALL_WALLS,        /* per building not touching the border, of at least 600 m²: share
                                  * of its walls within 5° of their main directions */
  URB_MEASURE_STREET_DISTANCE,   /* plan; per building: meters to the nearest road */
  URB_MEASURE_STREET_ANGLE,      /* plan; per building not touching the border: degrees between its
                                  * walls and the nearest center line, 0 to 45 */
  URB_MEASURE_ROAD_CONNECTIVITY, /* share of road pixels in the largest (8-connected) part */
  URB_MEASURE_STREET_WIDTH,      /* plan; per 25 m of center line, at least one per street: meters */
  URB_MEASURE_STREET_BENDS,      /* plan; likewise, of streets of at least 25 m: degrees by which the
                                  * center line turns to either side, per 100 m */
  URB_MEASURE_DEAD_ENDS,         /* of the road skeleton, away from the border */
  URB_MEASURE_JUNCTIONS,         /* points where three or more of its branches meet */
  URB_MEASURE_DEAD_END_SHARE,    /* plan: dead ends / (dead ends and junctions) of center lines */
  URB_MEASURE_FOUR_WAY_SHARE,    /* plan: of the junctions, those of four streets or more */
  URB_MEASURE_BLOCKS,            /* areas between roads of at least 400 m² */
  URB_MEASURE_BLOCK_AREA,        /* plan; per block not touching the border: log2 of m² */
  URB_MEASURE_BLOCK_COVERAGE,    /* plan; per block: built share */
  URB_N_MEASURES
} UrbMeasure;

typedef struct
{
  const char *name;  /* the JSON key: "building_share" */
  const char *title; /* for display: "Built-up share" */
  const char *unit;  /* "%", "m²", "" */
  const char *group; /* for display: "Land"; measures of a group follow each other */
} UrbMeasureInfo;

extern const UrbMeasureInfo urb_measure_info[URB_N_MEASURES];

/* Converts a value for display: shares to percent, areas to m². */
double  urb_measure_to_display (UrbMeasure measure, double value);

/* The values of many tiles, by measure. */
typedef struct
{
  gint64  n_tiles;
  GArray *values[URB_N_MEASURES]; /* double, owned; those of tile 0, then tile 1, … */
  GArray *ends[URB_N_MEASURES];   /* guint, owned; per tile, the end of its values */
} UrbMeasurements;

UrbMeasurements *urb_measurements_new  (void);
void             urb_measurements_free (UrbMeasurements *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbMeasurements, urb_measurements_free)

/**
 * urb_measurements_add:
 * @map: the class of each pixel
 * @soft: (nullable): its shares of the classes, before one was chosen
 * @plan: (nullable): the tile as vectors
 *
 * Measures a tile and appends it; what needs a missing input gets no value.
 */
void             urb_measurements_add  (UrbMeasurements *self, const UrbClassMap *map,
                                        const UrbSoftMap *soft, const UrbCityVectors *plan);

/* The pooled values of some tiles, sorted.  @tiles: (nullable): NULL: all */
GArray          *urb_measurements_pool (const UrbMeasurements *self, UrbMeasure measure,
                                        const guint *tiles, guint n_tiles);

/**
 * urb_measurements_thin:
 * @max: maximum number of values to keep
 * @ends: (element-type guint) (out): the end of the values of each tile that keeps any
 *
 * Samples values at regular intervals, in the order of the tiles, and ascending within a
 * tile.  So each tile keeps its share of the values, small and large ones, and the
 * distribution as a whole is preserved.
 *
 * Returns: (transfer full) (element-type double): all values if at most @max
 */
GArray          *urb_measurements_thin (const UrbMeasurements *self, UrbMeasure measure, guint max,
                                        GArray *ends);

/* The entropy of @n weighted directions (radians, mod 90°); -1 if the total weight is 0. */
double           urb_orientation_entropy (const double *angles, const double *weights, guint n);

G_END_DECLS
