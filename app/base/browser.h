/* SPDX-License-Identifier: Apache-2.0 */
/* browser.h - shows pages in the browser of the user. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* @failed: (static): what a toast says if no browser could be started; translated */
void urbarium_browser_open (GtkWidget *where, const char *uri, const char *failed);

G_END_DECLS
