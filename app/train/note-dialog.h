/* SPDX-License-Identifier: Apache-2.0 */
/*
 * note-dialog.h - the note of a run, whose words that begin with # are tags, in a dialog.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/runs/run.h"

G_BEGIN_DECLS

/* @where: a widget in the window of the dialog */
void urbarium_note_dialog_show (GtkWidget *where, UrbariumRun *run);

G_END_DECLS
