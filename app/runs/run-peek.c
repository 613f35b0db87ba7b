/* SPDX-License-Identifier: Apache-2.0 */
#include "app/runs/run-peek.h"

#include "run/store/folder.h"

UrbariumRunPeek *
urbarium_run_peek_new (const char *folder)
{
  UrbariumRunPeek *self = g_new0 (UrbariumRunPeek, 1);
  g_autofree char *path = g_build_filename (folder, "run.db", NULL);
  g_autoptr(UrbRunDb) db = NULL;
  urb_run_config_init (&self->config);
  self->has_checkpoint = urb_run_folder_get_newest_checkpoint (folder) >= 0;
  self->has_config = urb_run_folder_load_config (folder, &self->config, NULL);
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return self;
  db = urb_run_db_open_reader (path, NULL);
  self->has_summary = db != NULL && urb_run_db_summarize (db, &self->summary, NULL);
  return self;
}

void
urbarium_run_peek_free (UrbariumRunPeek *self)
{
  urb_run_config_clear (&self->config);
  g_free (self);
}
