/* SPDX-License-Identifier: Apache-2.0 */
/* areas-page.h - the page "Areas". */
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
 * Properties: show-panel (boolean): whether the side panel is shown.  run-places (strv, writable,
 * nullable): folders of runs, or of one run, whose test areas a new dataset should not train on.
 *
 * Actions: "areas.save", "areas.reset"; "areas.tool" (s): "point", "add" or "remove".
 *
 * Signals: "dataset-saved" (string path): for the Train page.
 */

/* Call it once, before the page is shown. */
void urbarium_areas_page_set_document (UrbariumAreasPage *self, UrbariumMapDocument *document,
                                       UrbariumUndo *undo);

/* (transfer none) (nullable): %NULL before the document is set */
UrbariumCuration *urbarium_areas_page_get_curation (UrbariumAreasPage *self);

/* Saves to @path, after a question if it would train on test areas of a run; "areas.save" asks for a
 * path first. */
void urbarium_areas_page_save (UrbariumAreasPage *self, const char *path);

G_END_DECLS
