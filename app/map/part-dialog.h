/* SPDX-License-Identifier: Apache-2.0 */
/* part-dialog.h - asks which part of the map is read. */
#pragma once

#include <adwaita.h>

#include "app/map/map-document.h"

G_BEGIN_DECLS

/* @where: a widget in the dialog's parent window
 * @document: with a map, which is then read again
 * @visible: what of it is shown, in its meters */
void urbarium_part_dialog_show (GtkWidget *where, UrbariumMapDocument *document, UrbBox visible);

/* The same for a map that was not opened: see urbarium_map_document_can_open_part(). */
void urbarium_part_dialog_show_refused (GtkWidget *where, UrbariumMapDocument *document);

G_END_DECLS
