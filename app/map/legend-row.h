/* SPDX-License-Identifier: Apache-2.0 */
/* legend-row.h - a class of the map with its color, share, and visibility switch. */
#pragma once

#include <adwaita.h>

#include "map/map.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_LEGEND_ROW (urbarium_legend_row_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumLegendRow, urbarium_legend_row, URBARIUM, LEGEND_ROW, AdwActionRow)

GtkWidget *urbarium_legend_row_new (UrbClass class_);
void       urbarium_legend_row_set_area (UrbariumLegendRow *self, double area_m2,
                                         double total_m2);
/* The visibility switch; notify::active. */
GtkSwitch *urbarium_legend_row_get_switch (UrbariumLegendRow *self);

G_END_DECLS
