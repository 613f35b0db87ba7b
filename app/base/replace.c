/* SPDX-License-Identifier: Apache-2.0 */
#include "app/base/replace.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <string.h>

#include "app/base/format.h"
#include "app/base/message.h"

/* Keeps only those that are there; a link that leads nowhere is, too. */
static void
look_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const char *const *files = data;
  GPtrArray *there = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; files[i] != NULL; i++)
    if (g_file_test (files[i], G_FILE_TEST_EXISTS)
        || g_file_test (files[i], G_FILE_TEST_IS_SYMLINK))
      g_ptr_array_add (there, g_strdup (files[i]));
  g_task_return_pointer (task, there, (GDestroyNotify) g_ptr_array_unref);
}

static char *
dup_title (GPtrArray *there)
{
  g_autofree char *name = g_filename_display_basename (there->pdata[0]);
  g_autofree char *count = urbarium_format_count (there->len);
  if (there->len == 1)
    /* translators: %s is a file */
    return g_strdup_printf (_ ("Replace “%s”?"), name);
  /* translators: %s is a number */
  return g_strdup_printf (ngettext ("Replace %s picture?", "Replace %s pictures?", there->len),
                          count);
}

static void
response_cb (AdwMessageDialog *dialog, const char *response)
{
  g_autoptr(GTask) task = g_object_steal_data (G_OBJECT (dialog), "question");
  g_task_return_boolean (task, strcmp (response, "replace") == 0);
}

/* The dialog went with its window. */
static void
unanswered (gpointer data)
{
  g_autoptr(GTask) task = data;
  g_task_return_boolean (task, FALSE);
}

static void
looked_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GTask) task = data; /* the question's */
  g_autoptr(GPtrArray) there = g_task_propagate_pointer (G_TASK (result), NULL);
  g_autofree char *title = NULL;
  AdwMessageDialog *dialog;
  if (there->len == 0)
    {
      g_task_return_boolean (task, TRUE);
      return;
    }
  if (gtk_widget_get_root (GTK_WIDGET (source)) == NULL) /* nobody is left to answer */
    {
      g_task_return_boolean (task, FALSE);
      return;
    }
  title = dup_title (there);
  dialog = ADW_MESSAGE_DIALOG (urbarium_message_dialog_new (
    GTK_WIDGET (source), title,
    there->len == 1
      ? _ ("A file of this name is already there. What is in it will be lost.")
      : _ ("Files of these names are already there. What is in them will be lost.")));
  adw_message_dialog_add_responses (dialog, "cancel", _ ("_Cancel"), "replace", _ ("_Replace"),
                                    NULL);
  adw_message_dialog_set_response_appearance (dialog, "replace", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_default_response (dialog, "cancel");
  adw_message_dialog_set_close_response (dialog, "cancel");
  g_object_set_data_full (G_OBJECT (dialog), "question", g_steal_pointer (&task), unanswered);
  g_signal_connect (dialog, "response", G_CALLBACK (response_cb), NULL);
  gtk_window_present (GTK_WINDOW (dialog));
}

void
urbarium_replace_ask (GtkWidget *where, const char *const *files, GAsyncReadyCallback callback,
                      gpointer user_data)
{
  GTask *question = g_task_new (where, NULL, callback, user_data);
  g_autoptr(GTask) look = g_task_new (where, NULL, looked_cb, question);
  g_task_set_source_tag (question, urbarium_replace_ask);
  g_task_set_task_data (look, g_strdupv ((GStrv) files), (GDestroyNotify) g_strfreev);
  g_task_run_in_thread (look, look_thread);
}

gboolean
urbarium_replace_ask_finish (GtkWidget *where, GAsyncResult *result)
{
  g_return_val_if_fail (g_task_is_valid (result, where), FALSE);
  return g_task_propagate_boolean (G_TASK (result), NULL);
}
