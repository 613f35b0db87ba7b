/* SPDX-License-Identifier: Apache-2.0 */
/*
 * areas-panel.h - the side panel of the page: how many areas, of what, above which variance.
 */
#pragma once

#include <adwaita.h>

#include "app/areas/curation.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_AREAS_PANEL (urbarium_areas_panel_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumAreasPanel, urbarium_areas_panel, URBARIUM, AREAS_PANEL, AdwBin)

/* Once.  Its buttons activate "areas.save" and "areas.reset". */
void urbarium_areas_panel_set_curation (UrbariumAreasPanel *self, UrbariumCuration *curation);

G_END_DECLS
