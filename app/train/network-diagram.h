/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network-diagram.h - a network drawn from its input to its output: each box is as high as its values have rows,
 * and as wide as they have channels, both on logarithmic scales.
 */
#pragma once

#include "app/plot/chart-widget.h"
#include "model/net.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_NETWORK_DIAGRAM (urbarium_network_diagram_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumNetworkDiagram, urbarium_network_diagram, URBARIUM, NETWORK_DIAGRAM, UrbariumChartWidget)

/* Layers @first to @end - 1 of @net, which is not used afterwards */
GtkWidget *urbarium_network_diagram_new (const UrbNet *net, int first, int end);

G_END_DECLS
