/* SPDX-License-Identifier: Apache-2.0 */
/* map-page.h - the page "Map". */
#pragma once

#include <adwaita.h>

#include "app/base/undo.h"
#include "app/canvas/canvas.h"
#include "app/map/map-document.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_MAP_PAGE (urbarium_map_page_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumMapPage, urbarium_map_page, URBARIUM, MAP_PAGE, AdwBin)

/**
 * UrbariumMapPage:
 *
 * Properties: show-panel (boolean): whether the side panel is shown.
 *
 * Actions: "map.open", "map.open-folder", "map.open-sample", "map.open-recent" (s: a URI),
 * "map.choose-part", "map.close".
 *
 * Signal "open-files" (GListModel of GFile): the user has chosen files of any kind.  A handler that
 * opens them returns TRUE; by default they are opened as a map.
 */

/* Call it once, before the page is shown. */
void urbarium_map_page_set_document (UrbariumMapPage *self, UrbariumMapDocument *document);

/* The action "map.open": shows a file chooser. */
void urbarium_map_page_open_dialog (UrbariumMapPage *self);
/* Asks for the address of a map on a server. */
void urbarium_map_page_ask_address (UrbariumMapPage *self);
/* Opens @files as one map. */
void urbarium_map_page_open_files  (UrbariumMapPage *self, GListModel *files);

UrbariumCanvas *urbarium_map_page_get_canvas (UrbariumMapPage *self); /* (transfer none) */

G_END_DECLS
