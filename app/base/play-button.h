/* SPDX-License-Identifier: Apache-2.0 */
/* play-button.h - the looks of a toggle button that plays. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* "Pause" while it is active, else "Play".  Call it whenever it is toggled. */
void urbarium_play_button_update (GtkToggleButton *button);

G_END_DECLS
