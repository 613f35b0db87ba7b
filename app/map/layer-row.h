/* SPDX-License-Identifier: Apache-2.0 */
/* layer-row.h - a layer with rows for its attribute values, created when it is expanded. */
#pragma once

#include <adwaita.h>

#include "app/map/layer-info.h"
#include "app/map/map-document.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_LAYER_ROW (urbarium_layer_row_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumLayerRow, urbarium_layer_row, URBARIUM, LAYER_ROW, AdwExpanderRow)

GtkWidget *urbarium_layer_row_new (UrbariumMapDocument *document);
/* @info: its values are reordered, so that rows keep their positions */
void       urbarium_layer_row_set_info (UrbariumLayerRow *self, const UrbariumLayerInfo *info);
/* Call it after classes were changed by hand. */
void       urbarium_layer_row_update   (UrbariumLayerRow *self);

/* "3 repaired, 1 dropped"; NULL if there is no remark. (transfer full) */
char *urbarium_layer_row_make_remark (const UrbariumLayerInfo *info);

G_END_DECLS
