/* SPDX-License-Identifier: Apache-2.0 */
/* map-panel.h - the side panel: facts about the map, its classes and its layers. */
#pragma once

#include <adwaita.h>

#include "app/map/map-document.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_MAP_PANEL (urbarium_map_panel_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumMapPanel, urbarium_map_panel, URBARIUM, MAP_PANEL, AdwBin)

/* Call it once.
 * Signal "class-visible" (UrbClass as int, gboolean): show or hide the class on the map. */
void urbarium_map_panel_set_document (UrbariumMapPanel *self, UrbariumMapDocument *document);

G_END_DECLS
