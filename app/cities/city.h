/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city.h - one generated city, drawn or not.
 *
 * A city is defined by seed, index, truncation, the shares that are asked for, and a turn.  An UrbariumCitySource delivers its levels;
 * threads paint its images.
 */
#pragma once

#include "app/cities/shares.h"
#include "app/cities/tile.h"
#include "city/site.h"
#include "city/turn.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_CITY (urbarium_city_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumCity, urbarium_city, URBARIUM, CITY, GObject)

/* Properties, read-only, with notify: drawn (boolean), raster, vector (GdkPaintable, NULL until
 * painted), favorite (boolean), failure (string, nullable: why it cannot be drawn).
 */
/* @index: from 1, as `generate --first` counts */
UrbariumCity *urbarium_city_new         (gint64 seed, gint64 index, double truncation);
/* An interpolated city; @share: its position between both ends, in [0, 1]. */
UrbariumCity *urbarium_city_new_between (gint64 seed, gint64 index, double truncation,
                                         double share);

/* A proposal for a site.  @place: (nullable): of the site, if it is known */
UrbariumCity *urbarium_city_new_proposal (gint64 seed, gint64 index, const UrbPlace *place);

/* One plan of @n_cols x @n_rows areas. */
UrbariumCity *urbarium_city_new_wide    (gint64 seed, gint64 index, int n_cols, int n_rows);

/* The same city, not drawn yet. */
UrbariumCity *urbarium_city_copy        (UrbariumCity *self);

/* Returns: (nullable): where it is on a map, if it has such a place */
const UrbPlace *urbarium_city_get_place (UrbariumCity *self);
void          urbarium_city_set_place      (UrbariumCity *self, const UrbPlace *place);
gboolean      urbarium_city_is_proposal    (UrbariumCity *self);

/* Before it is wanted. */
void          urbarium_city_set_shares     (UrbariumCity *self, const UrbariumShareWish *shares);
const UrbariumShareWish *urbarium_city_get_shares (UrbariumCity *self);

/* Before it is wanted. */
void          urbarium_city_set_turn       (UrbariumCity *self, const UrbTurn *turn);
const UrbTurn *urbarium_city_get_turn (UrbariumCity *self);
gboolean      urbarium_city_is_turned      (UrbariumCity *self);

gint64        urbarium_city_get_seed       (UrbariumCity *self);
gint64        urbarium_city_get_index      (UrbariumCity *self);
double        urbarium_city_get_truncation (UrbariumCity *self);
int           urbarium_city_get_n_cols     (UrbariumCity *self); /* of areas */
int           urbarium_city_get_n_rows     (UrbariumCity *self);
/* Whether there are cities between both: truncation and shares are those of all. */
gboolean      urbarium_city_can_walk       (UrbariumCity *self, UrbariumCity *other);
/* Whether it is drawn together with others, by one request: a city of a walk, or a proposal. */
gboolean      urbarium_city_is_between     (UrbariumCity *self);
char         *urbarium_city_dup_title      (UrbariumCity *self);
/* Returns: (nullable): what tells a variation from others of the same city: "20 % right, 5 % down, directions 3" */
char         *urbarium_city_dup_turn_text  (UrbariumCity *self);
gboolean      urbarium_city_equal          (UrbariumCity *self, UrbariumCity *other); /* same parameters */

/* Returns: (transfer none) (nullable): NULL until it is drawn */
UrbariumTile *urbarium_city_get_tile   (UrbariumCity *self);
/* Returns: (transfer none) (nullable): the first call starts painting */
GdkPaintable *urbarium_city_get_raster (UrbariumCity *self);
GdkPaintable *urbarium_city_get_vector (UrbariumCity *self);
const char   *urbarium_city_get_failure (UrbariumCity *self);

gboolean      urbarium_city_get_favorite (UrbariumCity *self);
void          urbarium_city_set_favorite (UrbariumCity *self, gboolean favorite);

/* For the source. @tile: (nullable): NULL drops the tile and its images */
void          urbarium_city_set_tile    (UrbariumCity *self, UrbariumTile *tile);
/* The file whose generator drew the tile. */
void          urbarium_city_set_checkpoint (UrbariumCity *self, const char *checkpoint);
const char   *urbarium_city_get_checkpoint (UrbariumCity *self); /* (nullable) */
void          urbarium_city_set_failure (UrbariumCity *self, const char *text);
/* Returns: the number of requests for it */
guint         urbarium_city_add_want    (UrbariumCity *self, int change);

G_END_DECLS
