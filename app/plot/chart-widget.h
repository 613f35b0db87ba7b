/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chart-widget.h - base class of widgets with a cached drawing, which is redrawn when the size, the
 * theme or the font changes, or on urbarium_chart_widget_changed().
 */
#pragma once

#include "app/plot/chart-style.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_CHART_WIDGET (urbarium_chart_widget_get_type ())
G_DECLARE_DERIVABLE_TYPE (UrbariumChartWidget, urbarium_chart_widget, URBARIUM, CHART_WIDGET,
                          GtkWidget)

struct _UrbariumChartWidgetClass
{
  GtkWidgetClass parent_class;
  void (*draw) (UrbariumChartWidget *self, const UrbariumChartStyle *style, cairo_t *cr, int width,
                int height);
};

void urbarium_chart_widget_changed (UrbariumChartWidget *self);

G_END_DECLS
