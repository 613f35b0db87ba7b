/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map-page.h - the page "Map".
 */
#pragma once

#include <adwaita.h>

#include "app/base/undo.h"
#include "app/map/map-document.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_MAP_PAGE (urbarium_map_page_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumMapPage, urbarium_map_page, URBARIUM, MAP_PAGE, AdwBin)

/* Once, before it is shown.  References are kept. */
void urbarium_map_page_set_document (UrbariumMapPage *self, UrbariumMapDocument *document);

G_END_DECLS
