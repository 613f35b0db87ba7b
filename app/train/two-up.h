/* SPDX-License-Identifier: Apache-2.0 */
/*
 * two-up.h - two widgets side by side where there is room, one below the other
 * where there is not.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_TWO_UP (urbarium_two_up_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumTwoUp, urbarium_two_up, URBARIUM, TWO_UP, GtkWidget)

/* Properties: start, end (GtkWidget), spacing (int, px), fold-width (int, px: from this width on
 * side by side), share (double: of the width for the start). */

G_END_DECLS
