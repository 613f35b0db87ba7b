/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy-diagram.h - a small diagram of a strategy: networks are boxes, batches are bars, and
 * communication is arrows.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/train/strategy.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_STRATEGY_DIAGRAM (urbarium_strategy_diagram_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumStrategyDiagram, urbarium_strategy_diagram, URBARIUM,
                      STRATEGY_DIAGRAM, GtkWidget)

/* @strategy: an index into urbarium_strategies */
GtkWidget *urbarium_strategy_diagram_new (guint strategy);

G_END_DECLS
