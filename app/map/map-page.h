/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map-page.h - the page "Map".
 */
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
 * Properties: show-panel (boolean): the side panel is seen.
 *
 * Actions: "map.open", "map.open-folder", "map.open-sample", "map.open-recent" (s: a URI),
 * "map.close".
 *
 * Signal "open-files" (GListModel of GFile): they were chosen by the user, and may be anything.  A
 * handler returns TRUE for having opened them; without one they are a map.
 */

/* Once, before it is shown.  References are kept. */
void urbarium_map_page_set_document (UrbariumMapPage *self, UrbariumMapDocument *document);

/* "map.open": asks for files. */
void urbarium_map_page_open_dialog (UrbariumMapPage *self);
/* @files: opened as one map. */
void urbarium_map_page_open_files  (UrbariumMapPage *self, GListModel *files);

UrbariumCanvas *urbarium_map_page_get_canvas (UrbariumMapPage *self); /* (transfer none) */

G_END_DECLS
