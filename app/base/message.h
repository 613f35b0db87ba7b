/* SPDX-License-Identifier: Apache-2.0 */
/* message.h - messages to the user, each shown once in the window where the action began. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Shows a toast in the toast overlay that contains @where, or in its window's. */
void urbarium_message_toast (GtkWidget *where, const char *text);
/* @action: the detailed action that the button activates: "win.show-page::train" */
void urbarium_message_toast_action (GtkWidget *where, const char *text, const char *button,
                                    const char *action);

/* @undo: (scope notified): called with @object, unless that was freed, if the user clicks Undo */
void urbarium_message_toast_undo (GtkWidget *where, const char *text, GCallback undo, gpointer object);

/* It stays until the user clicks @button, translated, or closes it; one at a time.  Other toasts are shown in front of it.
 * @accepted: (scope notified): called with @object, unless that was freed, if the user clicks @button */
void urbarium_message_toast_offer (GtkWidget *where, const char *text, const char *button, GCallback accepted,
                                   gpointer object);

/**
 * urbarium_message_error:
 * @title: translated: "This map cannot be opened"
 * @error: with a message that names the file and the remedy
 *
 * Shows a dialog with @title and the error's message, or a desktop notification if @where is no
 * longer in a window.  Ignores G_IO_ERROR_CANCELLED.
 *
 * Returns: (transfer none) (nullable): the dialog; destroy it if the error no longer matters
 */
GtkWidget *urbarium_message_error (GtkWidget *where, const char *title, const GError *error);

/* @is_problem: whether to style the subtitle of @row as an error */
void urbarium_message_mark (GtkWidget *row, gboolean is_problem);

/**
 * urbarium_message_dialog_new:
 * @where: a widget in the dialog's parent window
 *
 * Returns: (transfer none): an AdwMessageDialog without responses
 */
GtkWidget *urbarium_message_dialog_new (GtkWidget *where, const char *title, const char *body);

/**
 * urbarium_message_ask:
 * @accept: translated label of the button that goes on: "_Replace"
 * @question: (transfer full): returns a boolean: whether that button was clicked; %FALSE if the dialog is
 *   destroyed with its window
 *
 * Asks whether to do what cannot be undone.  The responses are "cancel" and "accept".
 */
void urbarium_message_ask (GtkWidget *where, const char *title, const char *body, const char *accept,
                           GTask *question);

G_END_DECLS
