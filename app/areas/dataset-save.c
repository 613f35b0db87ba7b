/* SPDX-License-Identifier: Apache-2.0 */
#include "app/areas/dataset-save.h"

#include <string.h>

#include <glib/gi18n.h>

#include "app/base/message.h"

typedef struct
{
  UrbariumRanked *ranked; /* owned */
  double          threshold;
  gboolean        soft;
  GStrv           sources; /* owned */
  char           *path;    /* owned */
} Input;

static void
input_free (gpointer data)
{
  Input *self = data;
  urbarium_ranked_unref (self->ranked);
  g_strfreev (self->sources);
  g_free (self->path);
  g_free (self);
}

static gpointer
save_thread (gpointer data, UrbariumJob *job, GCancellable *cancellable, GError **error)
{
  Input *input = data;
  g_autoptr(UrbCuration) curation
    = urb_ranking_to_curation (input->ranked->ranking, input->threshold, error);
  if (curation == NULL)
    return NULL;
  /* This option is not part of the search, whose result may be older. */
  curation->options.soft = input->soft;
  if (!urb_curation_write (curation, input->ranked->search->map,
                           (const char *const *) input->sources, input->path,
                           urbarium_job_progress, job, cancellable, error))
    return NULL;
  return g_strdup (input->path);
}

UrbariumJob *
urbarium_dataset_save (UrbariumCuration *curation, const char *const *sources, const char *path,
                       GAsyncReadyCallback callback, gpointer user_data)
{
  UrbariumRanked *ranked = urbarium_curation_get_ranked (curation);
  UrbariumJob *job;
  Input *input;
  g_return_val_if_fail (ranked != NULL, NULL);
  job = urbarium_job_new (_ ("Saving the dataset"));
  input = g_new0 (Input, 1);
  input->ranked = urbarium_ranked_ref (ranked);
  input->soft = ranked->decisions->options.soft;
  input->threshold = urbarium_curation_get_threshold (curation);
  input->sources = g_strdupv ((GStrv) sources);
  input->path = g_strdup (path);
  urbarium_job_outlive_window (job);
  urbarium_job_run (job, save_thread, input, input_free, g_free, callback, user_data);
  return job;
}

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

GtkFileChooser *
urbarium_dataset_dialog_new (GtkWidget *where, UrbariumMapDocument *document)
{
  const char *documents = g_get_user_special_dir (G_USER_DIRECTORY_DOCUMENTS);
  g_autoptr(GFile) folder = g_file_new_for_path (documents != NULL ? documents : g_get_home_dir ());
  g_autofree char *name = propose_name (document);
  GtkFileChooser *chooser = urbarium_file_chooser_new (where, GTK_FILE_CHOOSER_ACTION_SAVE,
                                                       _ ("Save dataset"), _ ("_Save"));
  gtk_file_chooser_set_current_folder (chooser, folder, NULL);
  gtk_file_chooser_set_current_name (chooser, name);
  return chooser;
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
