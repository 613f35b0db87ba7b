/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dialog-fields.h - rows to type into, in a dialog, and what is wrong with them.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Adds @row, an AdwEntryRow, to @group, an AdwPreferencesGroup; Return accepts the dialog. @title: translated
 * Returns: (transfer none): @row */
GtkEditable *urbarium_dialog_fields_add   (GtkWidget *group, GtkWidget *row, const char *title, const char *text);
/* A label for a sentence that says what is wrong. */
GtkLabel    *urbarium_dialog_fields_new_problem (void);
/* @problem: (nullable): %NULL: nothing is wrong, and the label is hidden */
void         urbarium_dialog_fields_show_problem (GtkLabel *label, const char *problem);
/* What is typed in a row, without spaces around it. (transfer full) */
char        *urbarium_dialog_fields_dup_text (GtkEditable *row);

G_END_DECLS
