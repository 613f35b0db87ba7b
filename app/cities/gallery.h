/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gallery.h - a wall of cities to scroll, choose from and open.
 */
#pragma once

#include <adwaita.h>

#include "app/cities/city-source.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_GALLERY (urbarium_gallery_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumGallery, urbarium_gallery, URBARIUM, GALLERY, AdwBin)

/**
 * UrbariumGallery:
 *
 * Properties: vectors (boolean), tile-size (int, pixels).
 *
 * Signals:
 *  "opened" (UrbariumCity): it was activated
 *  "end-reached": more cities may be added to the model
 *  "selection-changed"
 *  "favourite-toggled" (UrbariumCity, boolean)
 */
GtkWidget  *urbarium_gallery_new        (void);

/* Cities that are in sight are wanted from it. */
void        urbarium_gallery_set_source (UrbariumGallery *self, UrbariumCitySource *source);
/* @cities: (nullable): of UrbariumCity; a reference is taken */
void        urbarium_gallery_set_model  (UrbariumGallery *self, GListModel *cities);
/* (transfer full) (element-type UrbariumCity): those that are selected, in order */
GPtrArray  *urbarium_gallery_get_selection (UrbariumGallery *self);
void        urbarium_gallery_unselect   (UrbariumGallery *self);
/* Selects a city, scrolls to it and gives it the focus. */
void        urbarium_gallery_show       (UrbariumGallery *self, guint position);
/* (transfer none): its cities with their selection: a GListModel */
GListModel *urbarium_gallery_get_model  (UrbariumGallery *self);

G_END_DECLS
