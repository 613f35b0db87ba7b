/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layer-row.h - a layer with its attribute values, which are made when it is opened.
 */
#pragma once

#include <adwaita.h>

#include "app/map/layer-info.h"
#include "app/map/map-document.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_LAYER_ROW (urbarium_layer_row_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumLayerRow, urbarium_layer_row, URBARIUM, LAYER_ROW, AdwExpanderRow)

GtkWidget *urbarium_layer_row_new (UrbariumMapDocument *document);
/* @info: its values may be put into another order: rows stay where they are. */
void       urbarium_layer_row_set_info (UrbariumLayerRow *self, const UrbariumLayerInfo *info);
/* Classes were changed by hand. */
void       urbarium_layer_row_update   (UrbariumLayerRow *self);

/* "3 repaired, 1 dropped"; NULL: nothing to say. (transfer full) */
char *urbarium_layer_row_make_remark (const UrbariumLayerInfo *info);

G_END_DECLS
