/* SPDX-License-Identifier: Apache-2.0 */
/*
 * favourites.h - the starred cities of a run.
 *
 * A favourite is seed, index and truncation, with the shares that were asked for and the turn of a
 * variation, valid for every checkpoint of the run.  Stored in a small file in the user's data folder; an unreadable file counts as empty, and invalid
 * entries are skipped.
 */
#pragma once

#include "app/cities/city.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_FAVOURITES (urbarium_favourites_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumFavourites, urbarium_favourites, URBARIUM, FAVOURITES, GObject)

/* A GListModel of UrbariumCity, in the order of marking.
 * @folder: (nullable): NULL: "urbarium/favourites" in the user's data folder
 *
 * Signal "failed" (GError): they could not be saved */
UrbariumFavourites *urbarium_favourites_new    (const char *folder);

/* @run: (nullable): a run folder, or a checkpoint file elsewhere.  Reads in the background. */
void                urbarium_favourites_set_run (UrbariumFavourites *self, const char *run);
/* Replaces the cities by new objects, for another model to draw. */
void                urbarium_favourites_renew   (UrbariumFavourites *self);

/* Sets the "favourite" property of @city. */
void                urbarium_favourites_mark   (UrbariumFavourites *self, UrbariumCity *city);
/* Adds or removes @city, sets its property, and writes the file in the background. */
void                urbarium_favourites_set    (UrbariumFavourites *self, UrbariumCity *city,
                                                gboolean favourite);

G_END_DECLS
