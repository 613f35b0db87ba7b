/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map-memory.h - the choices made by hand for each recent map.
 *
 * A map is identified by its files, in order.
 */
#pragma once

#include "app/base/recent.h"
#include "app/map/map-choices.h"

G_BEGIN_DECLS

/* One map: files, road width, classes, profile, coordinate system, part, and profile and coordinate system of layers. */
#define URBARIUM_MAP_STATE_TYPE "(asda(ssi)sssa(sss))"

/* @paths: (nullable).  (transfer full) */
GVariant *urbarium_map_state_new  (const char *const *paths, const UrbariumMapChoices *choices);
/* @paths: (out) (transfer full) (optional).  @choices: without any; the state's are added.
 * Returns: %FALSE if there is no map, or @state is of another type */
gboolean  urbarium_map_state_read (GVariant *state, GStrv *paths, UrbariumMapChoices *choices);

UrbariumRecent *urbarium_map_memory_new (void);
/* @state: replaces the entry of its map; without any choice, the entry is removed */
void      urbarium_map_memory_keep (UrbariumRecent *self, GVariant *state);
/* Adds to @choices, without any, those for the map with these files. */
void      urbarium_map_memory_recall (UrbariumRecent *self, const char *const *paths,
                                      UrbariumMapChoices *choices);
/* Of several files, the coordinate system that was chosen for each alone, which then needs it here, too; "": none.
 * (transfer full) (nullable): %NULL for a single file, and if none was chosen */
char    **urbarium_map_memory_dup_path_crs (UrbariumRecent *self, const char *const *paths);

G_END_DECLS
