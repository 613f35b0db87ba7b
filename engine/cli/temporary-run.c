/* SPDX-License-Identifier: Apache-2.0 */
/*
 * temporary-run.c - see temporary-run.h.
 */
#include "cli/temporary-run.h"

#include "base/temporary.h"
#include "cli/child-run.h"
#include "cli/cli.h"
#include "run/store/folder.h"
#include "train/trainer.h"

char *
urb_temporary_run_make (GError **error)
{
  g_autofree char *parent = g_dir_make_tmp ("urbarium-run-XXXXXX", error);

  return parent != NULL ? g_build_filename (parent, "run", NULL) : NULL;
}

void
urb_temporary_run_delete (const char *folder)
{
  static const char *const inside[] = { "checkpoints", "samples", NULL };
  g_autofree char *parent = g_path_get_dirname (folder);

  for (gsize i = 0; inside[i] != NULL; i++)
    {
      g_autofree char *path = g_build_filename (folder, inside[i], NULL);

      urb_temporary_remove_folder (path);
    }
  urb_temporary_remove_folder (folder);
  urb_temporary_remove_folder (parent);
}

gboolean
urb_temporary_run_train (const char *folder, const UrbRunConfig *config, const char *name,
                         GCancellable *cancellable, double *images_per_s, GError **error)
{
  const char *const arguments[] = { "resume", folder, NULL };
  g_auto(UrbRunConfig) copy = { 0 }; /* it gets the name of the copy of its preset */
  g_autoptr(UrbRunFolder) made = NULL;
  g_autoptr(UrbChildRun) child = NULL;
  const UrbChildState *end;

  urb_run_config_copy (&copy, config);
  made = urb_run_folder_begin (folder, URB_RUN_FOLDER_REPLACE, &copy, error);
  if (made == NULL)
    return FALSE;
  g_clear_pointer (&made, urb_run_folder_free); /* the child locks it */
  child = urb_child_run_new (name, arguments, NULL, NULL, error);
  if (child == NULL)
    return FALSE;
  urb_child_run_wait (child, cancellable);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  end = urb_child_run_get_state (child);
  if (images_per_s != NULL)
    *images_per_s = end->images_per_s;
  if (end->code == URB_EXIT_OK)
    return TRUE;
  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS, "The short run failed: %s",
               end->complaint != NULL ? end->complaint : "no reason was given");
  return FALSE;
}
