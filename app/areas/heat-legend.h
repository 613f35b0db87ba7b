/* SPDX-License-Identifier: Apache-2.0 */
/* heat-legend.h - the color scale of the heat map, with a mark at the threshold. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_HEAT_LEGEND (urbarium_heat_legend_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumHeatLegend, urbarium_heat_legend, URBARIUM, HEAT_LEGEND, GtkWidget)

void urbarium_heat_legend_set_scale     (UrbariumHeatLegend *self, double max_variance);
void urbarium_heat_legend_set_threshold (UrbariumHeatLegend *self, double threshold);

G_END_DECLS
