/* SPDX-License-Identifier: Apache-2.0 */
/*
 * neighbours.h - which training area does a generated city resemble most?
 *
 * Tiles are compared as thumbnails: 32 x 32 places with the shares of buildings
 * and roads.  The distance of two is the share of all that is built or paved in
 * either which is not so in both, in [0, 1] (the distance of Jaccard), for the
 * best of the eight ways to turn and mirror one.  Open land counts nothing, or
 * empty tiles would resemble each other and everything.
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

/* Turned and mirrored by element @d4 (0..7); see uk_dihedral_source(). */
void urb_thumb_turn (const guint8 *thumb, int d4, guint8 *turned);

/* Compares @thumb, which is number @index, with each of the queries, and keeps
 * the nearest of each. @queries: (@n, URB_THUMB_BYTES); @nearest: (inout): (@n) */
void urb_nearest_update (UrbNearest *nearest, const guint8 *queries, gint64 n, const guint8 *thumb,
                         gint64 index);

/* Do the generated areas repeat training areas?  See docs/evaluation.md. */
typedef struct
{
  gint64   n_train, n_test; /* (in) areas that were compared with */
  double   share_repeats;   /* of the generated, nearly a training area and no held-out one */
  double   share_mirrored;  /* the same with training and held-out areas exchanged: chance */
  double   share_real;      /* of the held-out areas, nearly a training area: chance */
  double   z;               /* share_repeats above share_real, in standard deviations */
  gboolean copies;          /* clearly more than chance */
} UrbCopying;

/**
 * urb_copying_judge:
 * @self: (inout): with @n_train and @n_test
 * @train: (@n): of each generated area, the nearest training area
 * @test: (@n): and the nearest held-out area
 * @real: (@n_real): of each held-out area, the nearest training area
 */
void urb_copying_judge (UrbCopying *self, const UrbNearest *train, const UrbNearest *test, gint64 n,
                        const UrbNearest *real, gint64 n_real);

G_END_DECLS
