/* SPDX-License-Identifier: Apache-2.0 */
/*
 * areas-page.h - the page "Areas".
 */
#pragma once

#include <adwaita.h>

#include "app/base/undo.h"
#include "app/map/map-document.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_AREAS_PAGE (urbarium_areas_page_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumAreasPage, urbarium_areas_page, URBARIUM, AREAS_PAGE, AdwBin)

/* Once, before it is shown.  References are kept.
 *
 * Signal "dataset-saved" (string path): for the Train page. */
void urbarium_areas_page_set_document (UrbariumAreasPage *self, UrbariumMapDocument *document,
                                       UrbariumUndo *undo);

G_END_DECLS
