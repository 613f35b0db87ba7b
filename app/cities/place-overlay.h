/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place-overlay.h - a plan that lies on a map: drawn, and dragged by its ground or turned by its handle.
 */
#pragma once

#include "app/canvas/canvas.h"
#include "app/cities/placement.h"
#include "app/cities/tile.h"

G_BEGIN_DECLS

typedef struct _UrbariumPlaceOverlay UrbariumPlaceOverlay;

/* @dragged: (nullable): %NULL: the drag has ended; @is_moved: by its ground; else it is turned */
typedef void (*UrbariumPlaceOverlayFunc) (const UrbariumPlacement *dragged, gboolean is_moved, gpointer user_data);

/* @canvas: borrowed; must outlive the overlay.  @func: called while it is dragged, and at the end */
UrbariumPlaceOverlay *urbarium_place_overlay_new  (UrbariumCanvas *canvas, UrbariumPlaceOverlayFunc func,
                                                   gpointer user_data);
void                  urbarium_place_overlay_free (UrbariumPlaceOverlay *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumPlaceOverlay, urbarium_place_overlay_free)

void urbarium_place_overlay_set_picture   (UrbariumPlaceOverlay *self, GdkTexture *picture); /* (nullable) */
/* @placement: (nullable): %NULL: draws nothing */
void urbarium_place_overlay_set_placement (UrbariumPlaceOverlay *self, const UrbariumPlacement *placement);
/* @areas: (nullable) (element-type UrbSquare): where the plan may be put; a reference is taken */
void urbarium_place_overlay_set_areas     (UrbariumPlaceOverlay *self, GArray *areas);

G_END_DECLS
