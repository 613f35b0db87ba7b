/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz-run-db.c - an untrusted run database.
 */
#include <string.h>

#include "fuzz.h"
#include "run/store/run-db.h"

void
fuzz_add_seeds (GPtrArray *inputs)
{
  const UrbGpu gpu = { .pci = "0000:17:00.0", .name = "GPU", .load = { -1, 80000000000, 97, 400, 61 } };
  const char *path = fuzz_write_file ((const guint8 *) "", 0);
  UrbRunDb *db = urb_run_db_open (path, NULL);
  g_assert_nonnull (db);
  urb_run_db_add_session (db, "[run]\n", 0, 10, NULL);
  for (gint64 i = 1; i <= 20; i++)
    {
      const UrbStepMetrics metrics = { .step = i, .images = i * 8, .seconds = 0.1 };
      urb_run_db_add_step (db, &metrics, NULL);
    }
  urb_run_db_add_sample (db, 20, "samples/step-000000020.png", NULL);
  urb_run_db_add_checkpoint (db, 20, "checkpoints/step-000000020.safetensors", 1234, NULL);
  urb_run_db_add_worker (db, 0, 4711, "started", "at step 0", NULL);
  urb_run_db_add_gpu (db, &gpu, NULL);
  urb_run_db_add_event (db, "info", "state", 20, "finished", NULL);
  urb_run_db_free (db);
  fuzz_add_database (inputs, path);
}

static void
count_bytes (gint64 seq, const char *json, gpointer user_data)
{
  *(gsize *) user_data += strlen (json);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbRunDb) db = urb_run_db_open_reader (fuzz_write_file (data, size), &error);
  gsize n_bytes = 0;
  if (db == NULL)
    g_assert_nonnull (error);
  else if (urb_run_db_replay (db, 0, 100, count_bytes, &n_bytes, &error) < 0)
    g_assert_nonnull (error);
  return 0;
}
