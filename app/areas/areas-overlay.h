/* SPDX-License-Identifier: Apache-2.0 */
/*
 * areas-overlay.h - what the page draws over the map: the variance as a heat map, the
 * places for testing, the chosen areas, and the one that is meant.
 */
#pragma once

#include "app/areas/curation.h"
#include "app/canvas/canvas.h"

G_BEGIN_DECLS

typedef struct _UrbariumAreasOverlay UrbariumAreasOverlay;

/* Both are borrowed and must outlive it. */
UrbariumAreasOverlay *urbarium_areas_overlay_new  (UrbariumCanvas   *canvas,
                                                   UrbariumCuration *curation);
void                  urbarium_areas_overlay_free (UrbariumAreasOverlay *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumAreasOverlay, urbarium_areas_overlay_free)

/* 0: not drawn */
void urbarium_areas_overlay_set_heat   (UrbariumAreasOverlay *self, double opacity);
void urbarium_areas_overlay_set_places (UrbariumAreasOverlay *self, gboolean visible);
/* @square: (nullable): the area under the pointer.  @chosen: else it would be added */
void urbarium_areas_overlay_set_hover    (UrbariumAreasOverlay *self, const UrbSquare *square,
                                          gboolean chosen);
/* @square: (nullable): the one that is selected in the wall */
void urbarium_areas_overlay_set_selected (UrbariumAreasOverlay *self, const UrbSquare *square);

G_END_DECLS
