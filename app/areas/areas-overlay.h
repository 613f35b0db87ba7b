/* SPDX-License-Identifier: Apache-2.0 */
/*
 * areas-overlay.h - draws over the map: the variance as a heat map, the test regions, the chosen
 * areas, and the hovered and selected areas.
 */
#pragma once

#include "app/areas/curation.h"
#include "app/canvas/canvas.h"

G_BEGIN_DECLS

typedef struct _UrbariumAreasOverlay UrbariumAreasOverlay;

/* Both are borrowed and must outlive the overlay. */
UrbariumAreasOverlay *urbarium_areas_overlay_new  (UrbariumCanvas   *canvas,
                                                   UrbariumCuration *curation);
void                  urbarium_areas_overlay_free (UrbariumAreasOverlay *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumAreasOverlay, urbarium_areas_overlay_free)

/* @opacity: 0: not drawn */
void urbarium_areas_overlay_set_heat    (UrbariumAreasOverlay *self, double opacity);
void urbarium_areas_overlay_set_regions (UrbariumAreasOverlay *self, gboolean visible);
/* @square: (nullable): the area under the pointer.  @chosen: %FALSE for one that could be added */
void urbarium_areas_overlay_set_hover    (UrbariumAreasOverlay *self, const UrbSquare *square,
                                          gboolean chosen);
/* @square: (nullable): the area selected in the grid */
void urbarium_areas_overlay_set_selected (UrbariumAreasOverlay *self, const UrbSquare *square);

G_END_DECLS
