/* SPDX-License-Identifier: Apache-2.0 */
/*
 * favourites.h - the cities of a run that someone marked with a star.
 *
 * They are numbers (seed, number, truncation), so they stay favourites with
 * every checkpoint of the run.  Kept in a small file of the user's data folder;
 * one that cannot be read is none, and what is wrong in it is skipped.
 */
#pragma once

#include "app/cities/city.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_FAVOURITES (urbarium_favourites_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumFavourites, urbarium_favourites, URBARIUM, FAVOURITES, GObject)

/* A GListModel of UrbariumCity, in the order they were marked.
 * @folder: (nullable): NULL: "urbarium/favourites" in the user's data folder
 *
 * Signal "failed" (GError): they could not be kept */
UrbariumFavourites *urbarium_favourites_new    (const char *folder);

/* @run: (nullable): a run folder, or a checkpoint elsewhere.  Reads in the background. */
void                urbarium_favourites_set_run (UrbariumFavourites *self, const char *run);
/* Cities anew: another model draws them. */
void                urbarium_favourites_renew   (UrbariumFavourites *self);

/* Marks the city, if its numbers are among them. */
void                urbarium_favourites_mark   (UrbariumFavourites *self, UrbariumCity *city);
/* Adds or removes it, marks the city, and writes the file in the background. */
void                urbarium_favourites_set    (UrbariumFavourites *self, UrbariumCity *city,
                                                gboolean favourite);

G_END_DECLS
