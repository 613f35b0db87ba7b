/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map-memory.h - what was chosen by hand about the classes of each map that was open lately.
 *
 * A map is known by its files, in their order.
 */
#pragma once

#include "app/base/recent.h"
#include "app/map/map-classes.h"

G_BEGIN_DECLS

/* Of one map: files, width of roads, classes. */
#define URBARIUM_MAP_STATE_TYPE "(asda(ssi))"

/* @paths: (nullable).  (transfer full) */
GVariant *urbarium_map_state_new  (const char *const *paths, double road_width_m,
                                   const UrbariumMapClasses *classes);
/* @paths: (out) (transfer full) (optional).  @classes: to which they are added.  FALSE: no map, or
 * of another kind */
gboolean  urbarium_map_state_read (GVariant *state, GStrv *paths, double *road_width_m,
                                   UrbariumMapClasses *classes);

UrbariumRecent *urbarium_map_memory_new (void);
/* @state: instead of what was kept of its map; where nothing was chosen it is forgotten. */
void      urbarium_map_memory_keep (UrbariumRecent *self, GVariant *state);
/* The state of the map with these files. (transfer none) (nullable) */
GVariant *urbarium_map_memory_find (UrbariumRecent *self, const char *const *paths);

G_END_DECLS
