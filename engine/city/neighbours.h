/* SPDX-License-Identifier: Apache-2.0 */
/*
 * neighbours.h - finds the training areas nearest to generated cities.
 *
 * Tiles are compared as thumbnails: building and road shares of 32 x 32 cells.  Their
 * distance is the Jaccard distance of built and paved ground, in [0, 1]: the part covered
 * in only one of the two, among the part covered in either; minimized over the eight
 * rotations and reflections.  Open land is ignored, or else empty tiles would be similar
 * to everything.
 */
#pragma once

#include "city/class-map.h"

G_BEGIN_DECLS

enum
{
  URB_THUMB_EDGE = 32,
  URB_THUMB_PLANES = 2, /* URB_CLASS_BUILDING, URB_CLASS_ROAD */
  URB_THUMB_BYTES = URB_THUMB_PLANES * URB_THUMB_EDGE * URB_THUMB_EDGE
};

typedef struct
{
  gint64 index;    /* -1: none yet */
  double distance; /* 1 if none yet */
} UrbNearest;

/* @thumb: (out): (URB_THUMB_PLANES, 32, 32) shares in 255ths.  The map is square. */
void urb_thumb_from_class_map (const UrbClassMap *map, guint8 *thumb);

/* Rotates and reflects by element @d4 (0..7); see uk_dihedral_source(). */
void urb_thumb_turn (const guint8 *thumb, int d4, guint8 *turned);

/* Compares @thumb, number @index, with each query, and updates the query's nearest.
 * @queries: (@n, URB_THUMB_BYTES); @nearest: (inout): (@n) */
void urb_nearest_update (UrbNearest *nearest, const guint8 *queries, gint64 n, const guint8 *thumb,
                         gint64 index);

/* Whether the generator copies training areas; see docs/evaluation.md. */
typedef struct
{
  gint64   n_train, n_test; /* (in) areas compared with */
  double   share_repeats;   /* generated areas close to a training area but to no held-out one */
  double   share_mirrored;  /* the same with training and held-out areas swapped: chance level */
  double   share_real;      /* held-out areas close to a training area: chance level */
  double   z;               /* share_repeats - share_real, in standard deviations */
  gboolean copies;          /* clearly more than chance */
} UrbCopying;

/**
 * urb_copying_judge:
 * @self: (inout): with @n_train and @n_test
 * @train: (@n): the training area nearest to each generated area
 * @test: (@n): the held-out area nearest to each generated area
 * @real: (@n_real): the training area nearest to each held-out area
 */
void urb_copying_judge (UrbCopying *self, const UrbNearest *train, const UrbNearest *test, gint64 n,
                        const UrbNearest *real, gint64 n_real);

G_END_DECLS
