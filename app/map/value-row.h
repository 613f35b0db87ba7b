/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value-row.h - the amount and class of one attribute value, or of a layer with one class; the
 * class can be changed.
 */
#pragma once

#include <adwaita.h>

#include "app/map/layer-info.h"
#include "app/map/map-document.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_VALUE_ROW (urbarium_value_row_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumValueRow, urbarium_value_row, URBARIUM, VALUE_ROW, AdwActionRow)

/* @layer: its name is the title if the value is "" */
GtkWidget *urbarium_value_row_new (UrbariumMapDocument *document, const char *layer);
/* @info: the value as read from the map */
void urbarium_value_row_set_info (UrbariumValueRow *self, const UrbariumValueInfo *info);
/* Call it after classes were changed by hand. */
void urbarium_value_row_update   (UrbariumValueRow *self);

G_END_DECLS
