/* SPDX-License-Identifier: Apache-2.0 */
/*
 * two-up.h - two widgets side by side if there is room, else stacked.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_TWO_UP (urbarium_two_up_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumTwoUp, urbarium_two_up, URBARIUM, TWO_UP, GtkWidget)

/* Properties: start, end (GtkWidget), spacing (int, px), fold-width (int, px: minimum width for side
 * by side), share (double: the start's share of the width). */

G_END_DECLS
