/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrap-layout.h - places children in lines like words, each with its natural width.  The rest of a
 * line goes to children that expand; otherwise the line is aligned by the property xalign, centered
 * by default.  (A GtkFlowBox makes columns of equal width.)
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_WRAP_LAYOUT (urbarium_wrap_layout_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumWrapLayout, urbarium_wrap_layout, URBARIUM, WRAP_LAYOUT,
                      GtkLayoutManager)

GtkLayoutManager *urbarium_wrap_layout_new (int spacing);

G_END_DECLS
