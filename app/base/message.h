/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message.h - telling the person at the screen what happened, once, in the
 * window where the action began.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A toast: work goes on.  Finds the window's toast overlay from @where. */
void urbarium_message_toast (GtkWidget *where, const char *text);
/* With a button that activates @action, a detailed name: "win.show-page::train". */
void urbarium_message_toast_action (GtkWidget *where, const char *text, const char *button,
                                    const char *action);

/**
 * urbarium_message_error:
 * @title: translated: "This map cannot be opened"
 * @error: its message is a sentence that names the file and the remedy
 *
 * A dialog with @title and the error's text; a notification of the desktop where @where is in no
 * window any more.  Nothing for G_IO_ERROR_CANCELLED.
 */
void urbarium_message_error (GtkWidget *where, const char *title, const GError *error);

/* Whether the subtitle of @row tells what is wrong: it is seen as such. */
void urbarium_message_mark (GtkWidget *row, gboolean is_problem);

/**
 * urbarium_message_dialog_new:
 * @where: in the window that the dialog belongs to
 *
 * Returns: (transfer none): an AdwMessageDialog without responses
 */
GtkWidget *urbarium_message_dialog_new (GtkWidget *where, const char *title, const char *body);

G_END_DECLS
