/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder-branch.c - see urb_run_folder_branch() in folder.h.
 *
 * The configuration is written last: a folder without it is no run.
 */
#include <unistd.h>

#include <gio/gio.h>

#include "run/store/folder-private.h"
#include "run/store/run-db.h"

/* A hard link, or a copy where there can be none.  Nobody changes these files in place. */
static gboolean
take (const char *from, UrbRunFolder *self, const char *name, GError **error)
{
  g_autofree char *there = g_build_filename (from, name, NULL), *here = urb_run_folder_dup_file (self, name);
  g_autoptr(GFile) source = g_file_new_for_path (there), target = g_file_new_for_path (here);

  return link (there, here) == 0
         || g_file_copy (source, target, G_FILE_COPY_NOFOLLOW_SYMLINKS, NULL, NULL, NULL, error);
}

/* Of older checkpoints and of sample grids, as many as are still there. */
static void
take_older (const char *from, UrbRunFolder *self, GArray *steps, gint64 step, char *(*dup_name) (gint64 step))
{
  for (guint i = 0; i < steps->len && g_array_index (steps, gint64, i) <= step; i++)
    {
      g_autofree char *name = dup_name (g_array_index (steps, gint64, i));

      take (from, self, name, NULL);
    }
}

/* A run that lost its history has a branch without one. */
static gboolean
take_history (const char *from, UrbRunFolder *self, gint64 step, GError **error)
{
  g_autofree char *text = g_strdup_printf ("Branched from step %" G_GINT64_FORMAT " of '%s'", step, from);
  g_autofree char *there = g_build_filename (from, "run.db", NULL), *here = urb_run_folder_dup_file (self, "run.db");
  g_autofree char *rewound = NULL;
  g_autoptr(UrbRunDb) db = NULL, copy = NULL;

  if (!g_file_test (there, G_FILE_TEST_EXISTS))
    return TRUE;
  db = urb_run_db_open_reader (there, error);
  if (db == NULL || !urb_run_db_copy (db, here, error))
    return FALSE;
  copy = urb_run_db_open (here, error);
  return copy != NULL && urb_run_db_rewind (copy, step, &rewound, error)
         && urb_run_db_add_event (copy, "info", "branch", step, text, error);
}

static gboolean
fill (UrbRunFolder *self, const char *from, gint64 step, UrbRunConfig *given, GError **error)
{
  static const char *const marks[] = { URB_RUN_BEST, URB_RUN_GOOD };
  g_autoptr(GArray) checkpoints = urb_run_folder_list_checkpoints (from), samples = urb_run_folder_list_samples (from);
  g_autofree char *checkpoint = urb_run_checkpoint_name (step);
  g_auto(UrbRunConfig) config = { 0 };

  urb_run_config_init (&config);
  if (!urb_run_folder_load_config (from, &config, error) || !take (from, self, checkpoint, error)
      || !take_history (from, self, step, error))
    return FALSE;
  for (guint i = 0; i < checkpoints->len; i++)
    if (g_array_index (checkpoints, gint64, i) == step)
      g_array_remove_index (checkpoints, i);
  take_older (from, self, checkpoints, step, urb_run_checkpoint_name);
  take_older (from, self, samples, step, urb_run_sample_name);
  for (gsize i = 0; i < G_N_ELEMENTS (marks); i++)
    if (urb_run_folder_get_mark (from, marks[i]) <= step)
      urb_run_folder_mark (self, marks[i], urb_run_folder_get_mark (from, marks[i]));
  g_free (config.name);
  config.name = g_path_get_basename (self->path);
  config.created = g_get_real_time () / G_USEC_PER_SEC;
  g_free (given->name);
  given->name = g_strdup (config.name);
  given->created = config.created;
  return urb_run_folder_save_config (self, &config, error)
         && urb_run_folder_restore_preset (self->path, config.train.preset, error);
}

UrbRunFolder *
urb_run_folder_branch (const char *from, gint64 step, const char *to, UrbRunConfig *config, GError **error)
{
  gboolean was_there = g_file_test (to, G_FILE_TEST_EXISTS);
  g_autoptr(UrbRunFolder) self = NULL;

  if (!urb_run_folder_check_checkpoint (from, step, error))
    return NULL;
  self = urb_run_folder_create (to, URB_RUN_FOLDER_NEW, error);
  if (self == NULL)
    return NULL;
  if (fill (self, from, step, config, error))
    return g_steal_pointer (&self);
  urb_run_folder_undo (self, was_there);
  return NULL;
}
