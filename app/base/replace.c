/* SPDX-License-Identifier: Apache-2.0 */
#include "app/base/replace.h"

#include <glib/gi18n.h>

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
found_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GTask) task = data;
  g_autoptr(GPtrArray) existing = g_task_propagate_pointer (G_TASK (result), NULL);
  g_autofree char *name = NULL;
  g_autofree char *count = NULL;
  g_autofree char *title = NULL;
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
  urbarium_message_ask (
    GTK_WIDGET (source), title,
    existing->len == 1
      ? _ ("A file with this name already exists. Its contents will be overwritten.")
      : _ ("Files with these names already exist. Their contents will be overwritten."),
    _ ("_Replace"), g_steal_pointer (&task));
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
