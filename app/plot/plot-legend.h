/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "app/plot/plot-area.h"

G_BEGIN_DECLS

/* A switch with the curve's line and name; the plot listens to its "toggled". @curve must outlive
 * it. */
GtkWidget *urbarium_plot_legend_entry_new (UrbariumCurve *curve);

G_END_DECLS
