/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value-row.h - one attribute value of a layer, or a layer that has one class: how much
 * of it there is, and its class, to be changed.
 */
#pragma once

#include <adwaita.h>

#include "app/map/layer-info.h"
#include "app/map/map-document.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_VALUE_ROW (urbarium_value_row_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumValueRow, urbarium_value_row, URBARIUM, VALUE_ROW, AdwActionRow)

/* @layer: name; the title where the value is "" */
GtkWidget *urbarium_value_row_new (UrbariumMapDocument *document, const char *layer);
/* What the map has read. */
void urbarium_value_row_set_info (UrbariumValueRow *self, const UrbariumValueInfo *info);
/* What was chosen by hand since. */
void urbarium_value_row_update   (UrbariumValueRow *self);

G_END_DECLS
