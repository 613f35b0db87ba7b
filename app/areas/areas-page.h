/* SPDX-License-Identifier: Apache-2.0 */
/*
 * areas-page.h - the page "Areas".
 */
#pragma once

#include <adwaita.h>

#include "app/areas/curation.h"
#include "app/base/undo.h"
#include "app/map/map-document.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_AREAS_PAGE (urbarium_areas_page_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumAreasPage, urbarium_areas_page, URBARIUM, AREAS_PAGE, AdwBin)

/**
 * UrbariumAreasPage:
 *
 * Properties: show-panel (boolean): the side panel is seen.
 *
 * Actions: "areas.save", "areas.reset"; "areas.tool" (s): "point", "add" or "remove".
 *
 * Signals: "dataset-saved" (string path): for the Train page.
 */

/* Once, before it is shown.  References are kept. */
void urbarium_areas_page_set_document (UrbariumAreasPage *self, UrbariumMapDocument *document,
                                       UrbariumUndo *undo);

/* Once the document is set. (transfer none) */
UrbariumCuration *urbarium_areas_page_get_curation (UrbariumAreasPage *self);

/* Writes to a place that was chosen already; "areas.save" asks for one. */
void urbarium_areas_page_save (UrbariumAreasPage *self, const char *path);

G_END_DECLS
