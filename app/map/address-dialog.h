/* SPDX-License-Identifier: Apache-2.0 */
/* address-dialog.h - asks for the address of a map on a server, and opens it. */
#pragma once

#include <adwaita.h>

#include "app/map/map-document.h"

G_BEGIN_DECLS

/* @where: a widget in the dialog's parent window; the map is opened in @document */
void urbarium_address_dialog_show (GtkWidget *where, UrbariumMapDocument *document);

G_END_DECLS
