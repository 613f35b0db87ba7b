/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-gpus.c - a supervisor whose workers train on GPUs: their values are recorded, and the run
 * continues whatever happens to them.  The driver's library is fake-nvml.c.
 */
#include <string.h>

#include "fake-gpus.h"
#include "run/store/run-db.h"
#include "supervised.h"

/* The script says "gpu=23": 0x17. */
#define SECOND_PCI "0000:18:00.0"
#define SECOND "gpu " SECOND_PCI " NVIDIA Fake 8\nmemory 1 2\nutilization 0\n"

enum { INTERVAL_MS = 20, ENOUGH = 3 };

static void
prepare (Supervised *f, UrbRunConfig *config)
{
  UrbSupervisorOptions options = supervised_make_options (f);
  options.gpu_interval_ms = INTERVAL_MS;
  supervised_prepare (f, config, &options);
}

static void
run (Supervised *f, const char *script, gint64 n_steps)
{
  g_auto(UrbRunConfig) config = { 0 };
  supervised_fill_config (f->test, &config, script, n_steps);
  prepare (f, &config);
  supervised_finish (f);
  supervised_assert_complete (f->test, n_steps);
}

typedef struct
{
  GString *lines;     /* owned; one record per GPU */
  int      n_gpus;
  gboolean is_paused; /* while no worker runs */
} Records;

static void
read_record (const UrbRunRecord *record, gpointer user_data)
{
  Records *records = user_data;
  const UrbGpuLoad *load = &record->load;
  /* No records after the last worker has ended. */
  if (record->type == URB_RUN_RECORD_WORKER && record->rank == 0)
    records->is_paused = g_str_equal (record->texts[0], "ended");
  if (record->type != URB_RUN_RECORD_GPU)
    return;
  g_assert_false (records->is_paused);
  records->n_gpus++;
  g_string_append_printf (records->lines, "%d %s %s %d %d %g %g %g\n", (int) record->device,
                          record->texts[1], record->texts[0], (int) load->memory_used_bytes,
                          (int) load->memory_bytes, load->utilization_percent, load->power_w,
                          load->temperature_c);
}

static void
read_records (RunTest *t, Records *records)
{
  g_autofree char *path = g_build_filename (t->run, "run.db", NULL);
  g_autoptr(UrbRunDb) db = urb_run_db_open_reader (path, NULL);
  *records = (Records){ .lines = g_string_new (NULL) };
  g_assert_cmpint (urb_run_db_read (db, 0, 10000, read_record, records, NULL), >, 0);
}

static void
records_clear (Records *records)
{
  g_string_free (records->lines, TRUE);
}

static void
assert_recorded (Records *records, const char *line)
{
  if (strstr (records->lines->str, line) == NULL)
    g_error ("there is no '%s' among\n%s", line, records->lines->str);
}

/* Each reading was recorded. */
static void
test_recorded (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  Records records;
  fake_gpus_init (t->base, "gpu " FAKE_GPU_PCI " NVIDIA Fake 9\nmemory 5000 80000\n"
                           "utilization 97\npower 412500\n" SECOND);
  run (f, "ms=5,gpu=23", 100);
  read_records (t, &records);
  g_assert_cmpint (f->n_gpus, >, 1);
  g_assert_cmpint (records.n_gpus, ==, f->n_gpus);
  assert_recorded (&records, "0 " FAKE_GPU_PCI " NVIDIA Fake 9 5000 80000 97 412.5 nan\n");
  g_assert_null (strstr (records.lines->str, SECOND_PCI));
  records_clear (&records);
}

/* A run on the processor, or without a driver, has no records of GPUs. */
static void
test_nothing (RunTest *t, gconstpointer script)
{
  g_autoptr(Supervised) f = supervised_new (t);
  fake_gpus_init (t->base, strstr (script, "gpu") == NULL ? FAKE_GPU : "init! 9\n");
  run (f, script, 60);
  g_assert_cmpint (f->n_gpus, ==, 0);
  g_assert_null (strstr (f->events->str, "GPU"));
}

static void
lose (Supervised *f, const UrbGpu *gpu)
{
  if (f->n_gpus == ENOUGH)
    fake_gpus_set (FAKE_GPU "gpu! 15\n" SECOND);
}

/* Reported once; the last record has no values. */
static void
test_lost (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  const char *said;
  Records records;
  f->gpu = lose;
  fake_gpus_init (t->base, FAKE_GPU SECOND);
  run (f, "ms=10,gpu=23", 200);
  supervised_assert_said (f, "warning: The GPU NVIDIA Fake 9 (" FAKE_GPU_PCI ") does not respond "
                             "any more: GPU is lost\n");
  said = strstr (f->events->str, "The GPU");
  g_assert_null (strstr (said + 1, "The GPU"));
  g_assert_null (strstr (f->events->str, "restart"));
  read_records (t, &records);
  g_assert_true (g_str_has_suffix (records.lines->str,
                                   "0 " FAKE_GPU_PCI " NVIDIA Fake 9 -1 -1 nan nan nan\n"));
  records_clear (&records);
}

static void
hang (Supervised *f, const UrbGpu *gpu)
{
  fake_gpus_set ("hang\n");
}

/* A driver that does not answer delays no step. */
static void
test_hangs (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  f->gpu = hang;
  fake_gpus_init (t->base, FAKE_GPU);
  run (f, "ms=5,gpu=23", 100);
  g_assert_cmpint (f->n_gpus, >=, 1);
}

/* Dead workers are replaced, and the GPU is monitored again. */
static void
test_restarted (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  Records records;
  fake_gpus_init (t->base, FAKE_GPU);
  run (f, "ms=5,gpu=23,kill=25", 60);
  supervised_assert_said (f, "was killed by signal 9");
  read_records (t, &records); /* none in between */
  g_assert_cmpint (records.n_gpus, >, 1);
  records_clear (&records);
}

/* Each worker reports its GPU. */
static void
test_team (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_auto(UrbRunConfig) config = { 0 };
  Records records;
  fake_gpus_init (t->base, FAKE_GPU SECOND);
  supervised_fill_config (t, &config, "ms=10,gpu=23", 200);
  config.train.strategy = URB_STRATEGY_HOGWILD;
  config.train.n_ranks = 2;
  prepare (f, &config);
  supervised_finish (f);
  read_records (t, &records);
  assert_recorded (&records, "0 " FAKE_GPU_PCI);
  assert_recorded (&records, "1 " SECOND_PCI " NVIDIA Fake 8 1 2 0 nan nan\n");
  records_clear (&records);
}

int
main (int argc, char **argv)
{
  int code = fake_job_main (argc, argv, &fake_job);
  if (code >= 0)
    return code;
  g_test_init (&argc, &argv, NULL);
  run_test_add ("/gpus/recorded", test_recorded);
  run_test_add_with ("/gpus/on-a-processor", test_nothing, "ms=2");
  run_test_add_with ("/gpus/no-driver", test_nothing, "ms=2,gpu=23");
  run_test_add ("/gpus/lost", test_lost);
  run_test_add ("/gpus/restarted", test_restarted);
  run_test_add ("/gpus/team", test_team);
  run_test_add ("/gpus/hangs", test_hangs); /* last, because it leaves a thread behind */
  return g_test_run ();
}
