/* SPDX-License-Identifier: Apache-2.0 */
/* share-bar.h - a stacked bar of the shares of building, road and other, with percentages. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_SHARE_BAR (urbarium_share_bar_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumShareBar, urbarium_share_bar, URBARIUM, SHARE_BAR, GtkWidget)

/* @share: indexed by UrbClass; all 0: an empty bar */
void urbarium_share_bar_set_shares (UrbariumShareBar *self, const double share[3]);

G_END_DECLS
