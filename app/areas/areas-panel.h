/* SPDX-License-Identifier: Apache-2.0 */
/* areas-panel.h - the side panel: number of areas, shares of classes, threshold and options. */
#pragma once

#include <adwaita.h>

#include "app/areas/curation.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_AREAS_PANEL (urbarium_areas_panel_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumAreasPanel, urbarium_areas_panel, URBARIUM, AREAS_PANEL, AdwBin)

/* Call it once.  The panel's buttons activate "areas.save" and "areas.reset". */
void urbarium_areas_panel_set_curation (UrbariumAreasPanel *self, UrbariumCuration *curation);

G_END_DECLS
