/* SPDX-License-Identifier: Apache-2.0 */
/* style.h - loads the program's style, for tests without an application. */
#pragma once

#include <adwaita.h>

#include "app/base/ui-path.h"

G_BEGIN_DECLS

/* As the application does. */
static inline void
test_add_style (void)
{
  g_autoptr(GtkCssProvider) provider = gtk_css_provider_new ();
  gtk_css_provider_load_from_resource (provider, URBARIUM_RESOURCE_PATH "style.css");
  gtk_style_context_add_provider_for_display (gdk_display_get_default (),
                                              GTK_STYLE_PROVIDER (provider),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
}

G_END_DECLS
