/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrap-layout.h - children in lines like words, each child as wide as it likes to be; what a line
 * leaves goes to those that expand, else the lines are centered, or as the property xalign says.
 * (A GtkFlowBox would make columns of one width.)
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_WRAP_LAYOUT (urbarium_wrap_layout_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumWrapLayout, urbarium_wrap_layout, URBARIUM, WRAP_LAYOUT,
                      GtkLayoutManager)

GtkLayoutManager *urbarium_wrap_layout_new (int spacing);

G_END_DECLS
