/* SPDX-License-Identifier: Apache-2.0 */
#include "app/base/replace.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <string.h>

#include "app/base/format.h"
#include "app/base/message.h"

/* Returns the files that exist, including dangling symbolic links. */
static void
find_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const char *const *files = data;
  GPtrArray *existing = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; files[i] != NULL; i++)
    if (g_file_test (files[i], G_FILE_TEST_EXISTS)
        || g_file_test (files[i], G_FILE_TEST_IS_SYMLINK))
      g_ptr_array_add (existing, g_strdup (files[i]));
  g_task_return_pointer (task, existing, (GDestroyNotify) g_ptr_array_unref);
}

static void
response_cb (AdwMessageDialog *dialog, const char *response)
{
  g_autoptr(GTask) task = g_object_steal_data (G_OBJECT (dialog), "question");
  g_task_return_boolean (task, strcmp (response, "replace") == 0);
}

/* The dialog was destroyed with its window. */
static void
unanswered (gpointer data)
{
  g_autoptr(GTask) task = data;
  g_task_return_boolean (task, FALSE);
}

static void
found_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GTask) task = data;
  g_autoptr(GPtrArray) existing = g_task_propagate_pointer (G_TASK (result), NULL);
  g_autofree char *name = NULL;
  g_autofree char *count = NULL;
  g_autofree char *title = NULL;
  AdwMessageDialog *dialog;
  /* Without a window there is no one to ask. */
  if (existing->len == 0 || gtk_widget_get_root (GTK_WIDGET (source)) == NULL)
    {
      g_task_return_boolean (task, existing->len == 0);
      return;
    }
  name = g_filename_display_basename (existing->pdata[0]);
  count = urbarium_format_count (existing->len);
  if (existing->len == 1)
    /* translators: %s is a file */
    title = g_strdup_printf (_ ("Replace “%s”?"), name);
  else
    /* translators: %s is a number */
    title = g_strdup_printf (ngettext ("Replace %s image?", "Replace %s images?", existing->len),
                             count);
  dialog = ADW_MESSAGE_DIALOG (urbarium_message_dialog_new (
    GTK_WIDGET (source), title,
    existing->len == 1
      ? _ ("A file with this name already exists. Its contents will be overwritten.")
      : _ ("Files with these names already exist. Their contents will be overwritten.")));
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
  g_autoptr(GTask) find = g_task_new (where, NULL, found_cb, question);
  g_task_set_source_tag (question, urbarium_replace_ask);
  g_task_set_task_data (find, g_strdupv ((GStrv) files), (GDestroyNotify) g_strfreev);
  g_task_run_in_thread (find, find_thread);
}

gboolean
urbarium_replace_ask_finish (GtkWidget *where, GAsyncResult *result)
{
  g_return_val_if_fail (g_task_is_valid (result, where), FALSE);
  return g_task_propagate_boolean (G_TASK (result), NULL);
}
