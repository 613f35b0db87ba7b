/* SPDX-License-Identifier: Apache-2.0 */
#include "app/base/file-chooser.h"

#include <glib/gi18n.h>

#include "app/base/message.h"

#define OPEN_KEY "urbarium-file-chooser" /* of a widget: its open dialog, owned */

typedef void (*ChosenFunc) (gpointer data, const char *path, GListModel *files);

typedef struct
{
  GtkWidget     *where; /* borrowed */
  ChosenFunc     chosen;
  gpointer       data;
  GDestroyNotify free_data; /* (nullable) */
} Question;

GtkFileChooser *
urbarium_file_chooser_new (GtkWidget *where, GtkFileChooserAction action, const char *title,
                           const char *accept)
{
  GtkRoot *root = gtk_widget_get_root (where);
  GtkFileChooserNative *dialog
    = gtk_file_chooser_native_new (title, GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL, action,
                                   accept, _ ("_Cancel"));
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  return GTK_FILE_CHOOSER (dialog);
}

void
urbarium_file_chooser_add_filter (GtkFileChooser *self, const char *name, ...)
{
  g_autoptr(GtkFileFilter) filter = gtk_file_filter_new ();
  const char *ending;
  va_list endings;
  gtk_file_filter_set_name (filter, name);
  va_start (endings, name);
  ending = va_arg (endings, const char *);
  if (ending == NULL)
    gtk_file_filter_add_pattern (filter, "*");
  for (; ending != NULL; ending = va_arg (endings, const char *))
    gtk_file_filter_add_suffix (filter, ending);
  va_end (endings);
  gtk_file_chooser_add_filter (self, filter);
}

static void
response_cb (GtkNativeDialog *dialog, int response, Question *question)
{
  g_autoptr(GListModel) files = gtk_file_chooser_get_files (GTK_FILE_CHOOSER (dialog));
  g_autoptr(GFile) file = g_list_model_get_item (files, 0);
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;
  /* The signal keeps the dialog and the question until its end. */
  g_object_set_data (G_OBJECT (question->where), OPEN_KEY, NULL);
  if (response != GTK_RESPONSE_ACCEPT || file == NULL)
    return;
  if (path != NULL)
    question->chosen (question->data, path, files);
  else
    {
      g_autofree char *name = g_file_get_parse_name (file);
      g_autoptr(GError) error = g_error_new (G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                                             _ ("“%s” is not on this computer."), name);
      urbarium_message_error (question->where, _ ("This file cannot be used"), error);
    }
}

static void
question_free (gpointer data, GClosure *closure)
{
  Question *self = data;
  if (self->free_data != NULL)
    self->free_data (self->data);
  g_free (self);
}

void
urbarium_file_chooser_show (GtkFileChooser *self, GtkWidget *where, GCallback chosen, gpointer data,
                            GDestroyNotify free_data)
{
  GtkNativeDialog *open = g_object_get_data (G_OBJECT (where), OPEN_KEY);
  Question *question = g_new (Question, 1);
  *question = (Question) { where, (ChosenFunc) chosen, data, free_data };
  g_signal_connect_data (self, "response", G_CALLBACK (response_cb), question, question_free, 0);
  /* An open dialog is not replaced: GTK 4.18 crashes when one is destroyed while it reads a
   * folder. */
  if (open != NULL)
    {
      gtk_native_dialog_show (open);
      g_object_unref (self);
      return;
    }
  g_object_set_data_full (G_OBJECT (where), OPEN_KEY, self, g_object_unref);
  g_signal_connect_object (where, "destroy", G_CALLBACK (gtk_native_dialog_destroy), self,
                           G_CONNECT_SWAPPED);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self));
}
