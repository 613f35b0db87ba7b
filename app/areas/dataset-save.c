/* SPDX-License-Identifier: Apache-2.0 */
#include "app/areas/dataset-save.h"

#include <glib/gi18n.h>

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

char *
urbarium_dataset_save_finish (UrbariumJob *job, GAsyncResult *result, GError **error)
{
  return urbarium_job_finish (job, result, error);
}
