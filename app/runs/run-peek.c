/* SPDX-License-Identifier: Apache-2.0 */
#include "app/runs/run-peek.h"

#include "run/store/config-file.h"
#include "run/store/failure.h"
#include "run/store/folder.h"

UrbariumRunPeek *
urbarium_run_peek_new (const char *folder)
{
  UrbariumRunPeek *self = g_new0 (UrbariumRunPeek, 1);
  g_autofree char *path = g_build_filename (folder, "run.db", NULL);
  g_autofree char *ini = g_build_filename (folder, URB_RUN_CONFIG, NULL);
  g_autoptr(UrbRunDb) db = NULL;
  urb_run_config_init (&self->config);
  self->has_checkpoint = urb_run_folder_get_newest_checkpoint (folder) >= 0;
  self->has_config = urb_run_folder_load_config (folder, &self->config, NULL);
  self->exists = g_file_test (ini, G_FILE_TEST_IS_REGULAR);
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return self;
  db = urb_run_db_open_reader (path, NULL);
  self->has_summary = db != NULL && urb_run_db_summarize (db, &self->summary, NULL);
  self->failure = urb_run_find_failure (db, folder);
  return self;
}

void
urbarium_run_peek_free (UrbariumRunPeek *self)
{
  urb_run_config_clear (&self->config);
  g_clear_error (&self->failure);
  g_free (self);
}
