/* SPDX-License-Identifier: Apache-2.0 */
#include "app/base/message.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "app/base/engine-texts.h"

void
urbarium_message_toast (GtkWidget *where, const char *text)
{
  urbarium_message_toast_action (where, text, NULL, NULL);
}

/* (nullable) (transfer none): NULL if nothing can be shown */
static AdwToastOverlay *
find_overlay (GtkWidget *where)
{
  GtkWidget *overlay = gtk_widget_get_ancestor (where, ADW_TYPE_TOAST_OVERLAY);
  GtkRoot *root = gtk_widget_get_root (where);
  if (overlay == NULL && ADW_IS_APPLICATION_WINDOW (root))
    overlay = adw_application_window_get_content (ADW_APPLICATION_WINDOW (root));
  return ADW_IS_TOAST_OVERLAY (overlay) ? ADW_TOAST_OVERLAY (overlay) : NULL;
}

static void
offer_dismissed_cb (AdwToastOverlay *overlay)
{
  g_object_set_data (G_OBJECT (overlay), "offer", NULL);
}

/* One without a time limit must not keep the others waiting. */
static void
add_toast (AdwToastOverlay *overlay, AdwToast *toast)
{
  if (g_object_get_data (G_OBJECT (overlay), "offer") != NULL)
    adw_toast_set_priority (toast, ADW_TOAST_PRIORITY_HIGH);
  adw_toast_overlay_add_toast (overlay, toast);
}

/* Not shown yet: what its button does must be known before. */
static AdwToast *
new_toast (const char *text, const char *button)
{
  /* A toast's title is markup; only libadwaita 1.4 can switch that off. */
  g_autofree char *markup = g_markup_escape_text (text, -1);
  AdwToast *toast = adw_toast_new (markup);
  adw_toast_set_button_label (toast, button);
  return toast;
}

void
urbarium_message_toast_action (GtkWidget *where, const char *text, const char *button,
                               const char *action)
{
  AdwToastOverlay *overlay = find_overlay (where);
  AdwToast *toast;
  if (overlay == NULL)
    return;
  toast = new_toast (text, button);
  adw_toast_set_detailed_action_name (toast, action);
  add_toast (overlay, toast);
}

void
urbarium_message_toast_undo (GtkWidget *where, const char *text, GCallback undo, gpointer object)
{
  AdwToastOverlay *overlay = find_overlay (where);
  AdwToast *toast;
  if (overlay == NULL)
    return;
  toast = new_toast (text, _ ("Undo"));
  g_signal_connect_object (toast, "button-clicked", undo, object, G_CONNECT_SWAPPED);
  add_toast (overlay, toast);
}

void
urbarium_message_toast_offer (GtkWidget *where, const char *text, const char *button, GCallback accepted,
                              gpointer object)
{
  AdwToastOverlay *overlay = find_overlay (where);
  AdwToast *toast;
  if (overlay == NULL)
    return;
  toast = new_toast (text, button);
  adw_toast_set_timeout (toast, 0);
  g_signal_connect_object (toast, "button-clicked", accepted, object, G_CONNECT_SWAPPED);
  g_signal_connect_object (toast, "dismissed", G_CALLBACK (offer_dismissed_cb), overlay, G_CONNECT_SWAPPED);
  add_toast (overlay, toast);
  g_object_set_data (G_OBJECT (overlay), "offer", toast);
}

void
urbarium_message_mark (GtkWidget *row, gboolean is_problem)
{
  if (is_problem)
    gtk_widget_add_css_class (row, "problem");
  else
    gtk_widget_remove_css_class (row, "problem");
}

/* Makes all labels with @text large and wrapping. */
static void
wrap_labels (GtkWidget *widget, const char *text)
{
  if (GTK_IS_LABEL (widget) && g_strcmp0 (gtk_label_get_text (GTK_LABEL (widget)), text) == 0)
    {
      gtk_label_set_wrap (GTK_LABEL (widget), TRUE);
      gtk_label_set_wrap_mode (GTK_LABEL (widget), PANGO_WRAP_WORD_CHAR);
      gtk_label_set_justify (GTK_LABEL (widget), GTK_JUSTIFY_CENTER);
      gtk_widget_remove_css_class (widget, "title-4");
      gtk_widget_add_css_class (widget, "title-2");
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    wrap_labels (child, text);
}

GtkWidget *
urbarium_message_dialog_new (GtkWidget *where, const char *title, const char *body)
{
  GtkRoot *root = gtk_widget_get_root (where);
  GtkWidget *dialog
    = adw_message_dialog_new (GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL, title, body);
  /* The dialog has two title labels: a large one without wrapping and a small one with.  GTK 4.18
   * warns when it measures the first for a smaller width. */
  wrap_labels (dialog, title);
  return dialog;
}

static void
response_cb (AdwMessageDialog *dialog, const char *response)
{
  g_autoptr(GTask) question = g_object_steal_data (G_OBJECT (dialog), "question");
  g_task_return_boolean (question, g_str_equal (response, "accept"));
}

/* The dialog was destroyed with its window. */
static void
unanswered (gpointer data)
{
  g_autoptr(GTask) question = data;
  g_task_return_boolean (question, FALSE);
}

void
urbarium_message_ask (GtkWidget *where, const char *title, const char *body, const char *accept,
                      GTask *question)
{
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG (urbarium_message_dialog_new (where, title, body));
  adw_message_dialog_add_responses (dialog, "cancel", _ ("_Cancel"), "accept", accept, NULL);
  adw_message_dialog_set_response_appearance (dialog, "accept", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_default_response (dialog, "cancel");
  adw_message_dialog_set_close_response (dialog, "cancel");
  g_object_set_data_full (G_OBJECT (dialog), "question", question, unanswered);
  g_signal_connect (dialog, "response", G_CALLBACK (response_cb), NULL);
  gtk_window_present (GTK_WINDOW (dialog));
}

GtkWidget *
urbarium_message_error (GtkWidget *where, const char *title, const GError *error)
{
  GApplication *application = g_application_get_default ();
  g_autoptr(GError) shown = NULL;
  GtkWidget *dialog;
  if (error == NULL || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return NULL;
  shown = g_error_copy (error);
  urbarium_engine_texts_translate_error (shown);
  if (gtk_widget_get_root (where) == NULL)
    {
      g_autoptr(GNotification) notification = g_notification_new (title);
      g_notification_set_body (notification, shown->message);
      if (application != NULL)
        g_application_send_notification (application, NULL, notification);
      return NULL;
    }
  dialog = urbarium_message_dialog_new (where, title, shown->message);
  adw_message_dialog_add_response (ADW_MESSAGE_DIALOG (dialog), "close", _ ("_Close"));
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "close");
  gtk_window_present (GTK_WINDOW (dialog));
  return dialog;
}
