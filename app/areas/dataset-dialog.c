/* SPDX-License-Identifier: Apache-2.0 */
#include "app/areas/dataset-dialog.h"

#include <string.h>

#include <adwaita.h>
#include <glib/gi18n.h>

#include "app/base/message.h"

/* "wasseramt_lv03.gpkg" gives "wasseramt_lv03-areas.gpkg". */
static char *
propose_name (UrbariumMapDocument *document)
{
  g_autofree char *title = NULL;
  char *dot;
  g_object_get (document, "title", &title, NULL);
  if (title == NULL)
    return g_strdup ("areas.gpkg");
  dot = strrchr (title, '.');
  if (dot != NULL && dot > title)
    *dot = '\0';
  return g_strdup_printf ("%s-areas.gpkg", title);
}

GtkFileChooserNative *
urbarium_dataset_dialog_new (GtkWidget *where, UrbariumMapDocument *document)
{
  GtkRoot *root = gtk_widget_get_root (where);
  const char *documents = g_get_user_special_dir (G_USER_DIRECTORY_DOCUMENTS);
  g_autoptr(GFile) folder = g_file_new_for_path (documents != NULL ? documents : g_get_home_dir ());
  g_autofree char *name = propose_name (document);
  GtkFileChooserNative *dialog
    = gtk_file_chooser_native_new (_ ("Save dataset"), GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL,
                                   GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Save"), NULL);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (dialog), folder, NULL);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  return dialog;
}

char *
urbarium_dataset_dup_path (const char *path)
{
  const char *const suffixes[] = { ".gpkg", ".urbarium" };
  g_autofree char *name = g_ascii_strdown (path, -1);
  for (gsize i = 0; i < G_N_ELEMENTS (suffixes); i++)
    if (g_str_has_suffix (name, suffixes[i]))
      return g_strdup (path);
  return g_strconcat (path, suffixes[0], NULL);
}

void
urbarium_dataset_toast_saved (GtkWidget *where, const char *path)
{
  g_autofree char *name = g_path_get_basename (path);
  /* translators: %s is a file */
  g_autofree char *text = g_strdup_printf (_ ("“%s” saved"), name);
  urbarium_message_toast_action (where, text, _ ("_Train with it"), "win.show-page::train");
}
