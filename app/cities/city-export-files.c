/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cities/city-export-files.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "app/base/format.h"
#include "app/base/message.h"

enum { MAX_NAME_BYTES = 150 }; /* of the run; numbers follow, and most disks allow 255 */

/* As other systems allow it, too. */
static char *
make_safe (const char *name)
{
  char *safe = g_utf8_make_valid (name, -1);
  gsize length = strlen (safe);
  if (length > MAX_NAME_BYTES)
    *g_utf8_find_prev_char (safe, safe + MAX_NAME_BYTES + 1) = '\0';
  for (char *c = safe; *c != '\0'; c++)
    if (g_ascii_iscntrl (*c) || strchr ("/\\:*?\"<>|", *c) != NULL || (c == safe && *c == '.'))
      *c = '_';
  return safe;
}

/* RUN/checkpoints/step-….safetensors is of a run; any other is named by itself. */
static char *
dup_run_name (const char *checkpoint)
{
  g_autofree char *folder = g_path_get_dirname (checkpoint);
  g_autofree char *folder_name = g_path_get_basename (folder);
  g_autofree char *name = NULL;
  if (strcmp (folder_name, "checkpoints") == 0)
    {
      g_autofree char *run = g_path_get_dirname (folder);
      name = g_path_get_basename (run);
    }
  else
    {
      name = g_path_get_basename (checkpoint);
      if (g_str_has_suffix (name, ".safetensors"))
        name[strlen (name) - strlen (".safetensors")] = '\0';
    }
  return make_safe (name);
}

static char *
dup_prefix (const UrbariumCityModel *model)
{
  g_autofree char *run = model != NULL ? dup_run_name (model->checkpoint) : NULL;
  return model != NULL ? g_strdup_printf ("%s-step-%" G_GINT64_FORMAT "-", run, model->step)
                       : g_strdup ("");
}

static char *
dup_picture_name (const char *prefix, UrbariumCity *city)
{
  double truncation = urbarium_city_get_truncation (city);
  g_autoptr(GString) name = g_string_new (prefix);
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append_printf (name, "city-%" G_GINT64_FORMAT "-%04" G_GINT64_FORMAT,
                          urbarium_city_get_seed (city), urbarium_city_get_index (city));
  if (fabs (truncation - 1) > 1e-6) /* favourites can be of several */
    g_string_append_printf (name, "-truncation-%s",
                            g_ascii_formatd (number, sizeof number, "%.4g", truncation));
  g_string_append (name, ".png");
  return g_string_free (g_steal_pointer (&name), FALSE);
}

GStrv
urbarium_city_export_files (UrbariumCitySource *source, GPtrArray *cities, const char *path,
                            gboolean folder)
{
  g_autoptr(GStrvBuilder) files = g_strv_builder_new ();
  g_autofree char *prefix = dup_prefix (urbarium_city_source_get_last_model (source));
  if (!folder)
    g_strv_builder_add (files, path);
  for (guint i = 0; folder && i < cities->len; i++)
    {
      g_autofree char *name = dup_picture_name (prefix, cities->pdata[i]);
      g_autofree char *file = g_build_filename (path, name, NULL);
      g_strv_builder_add (files, file);
    }
  return g_strv_builder_end (files);
}

/* ------------------------------------------------------------------------ */

/* Keeps only those that are there. */
static void
look_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const char *const *files = data;
  GPtrArray *there = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; files[i] != NULL; i++)
    if (g_file_test (files[i], G_FILE_TEST_EXISTS))
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
urbarium_city_export_may_write (GtkWidget *where, const char *const *files,
                                GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *question = g_task_new (where, NULL, callback, user_data);
  g_autoptr(GTask) look = g_task_new (where, NULL, looked_cb, question);
  g_task_set_source_tag (question, urbarium_city_export_may_write);
  g_task_set_task_data (look, g_strdupv ((GStrv) files), (GDestroyNotify) g_strfreev);
  g_task_run_in_thread (look, look_thread);
}

gboolean
urbarium_city_export_may_write_finish (GtkWidget *where, GAsyncResult *result)
{
  g_return_val_if_fail (g_task_is_valid (result, where), FALSE);
  return g_task_propagate_boolean (G_TASK (result), NULL);
}
