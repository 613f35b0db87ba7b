/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ground.h - the open map, on which cities are placed, and the areas selected on it.
 *
 * The window that opens maps keeps it up to date; this room knows nothing of the pages Map and Areas.
 */
#pragma once

#include <glib-object.h>

#include "app/cities/placement.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_GROUND (urbarium_ground_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumGround, urbarium_ground, URBARIUM, GROUND, GObject)

/* Returns: (transfer full) (nullable) (element-type UrbSquare): the areas selected now; %NULL while they are looked
 *   for */
typedef GArray *(*UrbariumGroundFunc) (gpointer data);

/**
 * UrbariumGround:
 *
 * Signals:
 *  "map-changed"
 *  "areas-changed": urbarium_ground_find_areas() may find others
 *  "areas-released": nobody asks for them any more
 */
/* @find_areas: called with @data while there is a map */
UrbariumGround *urbarium_ground_new           (UrbariumGroundFunc find_areas, gpointer data);

/* @map: (nullable)
 * @paths: (array zero-terminated=1): its files; %NULL without a map */
void            urbarium_ground_set_map       (UrbariumGround *self, UrbMap *map, const char *const *paths);
UrbMap         *urbarium_ground_get_map       (UrbariumGround *self); /* (transfer none) (nullable) */

/* Returns: (transfer full) (nullable) (element-type UrbSquare): none without a map; %NULL while they are looked for */
GArray         *urbarium_ground_find_areas    (UrbariumGround *self);
/* Who finds areas holds them, and releases them at the end: counted. */
void            urbarium_ground_hold_areas    (UrbariumGround *self);
void            urbarium_ground_release_areas (UrbariumGround *self);
void            urbarium_ground_change_areas  (UrbariumGround *self); /* emits "areas-changed" */

/* Where a plan was put last on this map, even if it is read anew with other classes: the next begins there. */
void            urbarium_ground_set_last      (UrbariumGround *self, const UrbariumPlacement *placement);
/* Returns: (nullable) */
const UrbariumPlacement *urbarium_ground_get_last (UrbariumGround *self);

G_END_DECLS
