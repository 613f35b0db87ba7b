/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gallery.h - a grid of cities to scroll, select and open.
 */
#pragma once

#include <adwaita.h>

#include "app/cities/city-source.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_GALLERY (urbarium_gallery_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumGallery, urbarium_gallery, URBARIUM, GALLERY, AdwBin)

/* Properties: vectors (boolean), tile-size (int, pixels).
 *
 * Signals:
 *  "opened" (UrbariumCity): a city was activated
 *  "end-reached": more cities may be added to the model
 *  "selection-changed"
 *  "favorite-toggled" (UrbariumCity, boolean)
 */
/* Draws the visible cities. */
void        urbarium_gallery_set_source (UrbariumGallery *self, UrbariumCitySource *source);
/* @cities: (nullable): of UrbariumCity; a reference is taken */
void        urbarium_gallery_set_model  (UrbariumGallery *self, GListModel *cities);
/* Returns: (transfer full) (element-type UrbariumCity): the selected cities in order */
GPtrArray  *urbarium_gallery_get_selection (UrbariumGallery *self);
void        urbarium_gallery_unselect   (UrbariumGallery *self);
/* Selects a city, scrolls to it and focuses the grid. */
void        urbarium_gallery_show       (UrbariumGallery *self, guint position);
/* Returns: (transfer none): the selection model */
GListModel *urbarium_gallery_get_model  (UrbariumGallery *self);

G_END_DECLS
