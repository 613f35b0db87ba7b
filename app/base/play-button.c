/* SPDX-License-Identifier: Apache-2.0 */
#include "app/base/play-button.h"

#include <glib/gi18n.h>

void
urbarium_play_button_update (GtkToggleButton *button)
{
  gboolean is_playing = gtk_toggle_button_get_active (button);
  gtk_button_set_icon_name (GTK_BUTTON (button), is_playing ? "media-playback-pause-symbolic"
                                                            : "media-playback-start-symbolic");
  gtk_widget_set_tooltip_text (GTK_WIDGET (button), is_playing ? _ ("Pause") : _ ("Play"));
}
