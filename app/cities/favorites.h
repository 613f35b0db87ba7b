/* SPDX-License-Identifier: Apache-2.0 */
/*
 * favorites.h - the starred cities of a run.
 *
 * A favorite is seed, index and truncation, with the shares that were asked for and the turn of a
 * variation, valid for every checkpoint of the run.  Stored in a small file in the user's data folder; an unreadable file counts as empty, and invalid
 * entries are skipped.
 */
#pragma once

#include "app/cities/city.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_FAVORITES (urbarium_favorites_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumFavorites, urbarium_favorites, URBARIUM, FAVORITES, GObject)

/* A GListModel of UrbariumCity, in the order of marking.
 * @folder: (nullable): NULL: "urbarium/favourites" in the user's data folder
 *
 * Signal "failed" (GError): they could not be saved */
UrbariumFavorites *urbarium_favorites_new     (const char *folder);

/* @run: (nullable): a run folder, or a checkpoint file elsewhere.  Reads in the background. */
void               urbarium_favorites_set_run (UrbariumFavorites *self, const char *run);
/* Replaces the cities by new objects, for another model to draw. */
void               urbarium_favorites_renew   (UrbariumFavorites *self);

/* Sets the "favorite" property of @city. */
void               urbarium_favorites_mark    (UrbariumFavorites *self, UrbariumCity *city);
/* Adds or removes @city, sets its property, and writes the file in the background. */
void               urbarium_favorites_set     (UrbariumFavorites *self, UrbariumCity *city,
                                               gboolean favorite);

G_END_DECLS
