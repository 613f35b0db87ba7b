/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "app/plot/plot-area.h"

G_BEGIN_DECLS

/* A toggle button with the curve's line and name.  @curve must outlive it. */
GtkWidget *urbarium_plot_legend_entry_new (UrbariumCurve *curve);

G_END_DECLS
