/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-energy.c - the energy of processors, from a folder like that of the system's counters.
 */
#include <glib/gstdio.h>
#include <string.h>

#include "run/store/run-db.h"
#include "run/supervisor/rapl.h"
#include "supervised.h"

enum { INTERVAL_MS = 20, RANGE_UJ = 1000000 };

static void
write_file (const char *folder, const char *zone, const char *file, const char *text)
{
  g_autofree char *dir = g_build_filename (folder, zone, NULL), *path = g_build_filename (dir, file, NULL);

  g_mkdir_with_parents (dir, 0700);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
set_energy (const char *folder, const char *zone, int uj)
{
  g_autofree char *text = g_strdup_printf ("%d\n", uj);

  write_file (folder, zone, "energy_uj", text);
}

static void
add_zone (const char *folder, const char *zone, const char *name, int uj)
{
  g_autofree char *range = g_strdup_printf ("%d\n", RANGE_UJ);

  write_file (folder, zone, "name", name);
  write_file (folder, zone, "max_energy_range_uj", range);
  set_energy (folder, zone, uj);
}

/* Two processors, a part of one, and the whole machine, which would count twice. */
static char *
make_counters (RunTest *t)
{
  char *folder = g_build_filename (t->base, "powercap", NULL);

  add_zone (folder, "intel-rapl:0", "package-0\n", 500000);
  add_zone (folder, "intel-rapl:0:0", "core\n", 100000);
  add_zone (folder, "intel-rapl:1", "package-1\n", 900000);
  add_zone (folder, "intel-rapl:2", "psys\n", 0);
  add_zone (folder, "intel-rapl-mmio:0", "package-0\n", 0);
  return folder;
}

static void
test_counters (RunTest *t, gconstpointer data)
{
  g_autofree char *folder = make_counters (t);
  g_autoptr(UrbRapl) rapl = urb_rapl_open (folder);

  g_assert_nonnull (rapl);
  g_assert_cmpfloat (urb_rapl_read (rapl), ==, 0);
  set_energy (folder, "intel-rapl:0", 750000);
  set_energy (folder, "intel-rapl:0:0", 900000);
  set_energy (folder, "intel-rapl:2", 900000);
  g_assert_cmpfloat_with_epsilon (urb_rapl_read (rapl), 0.25, 1e-9);
  set_energy (folder, "intel-rapl:1", 100000); /* began anew */
  g_assert_cmpfloat_with_epsilon (urb_rapl_read (rapl), 0.2, 1e-9);
  write_file (folder, "intel-rapl:0", "energy_uj", "nothing\n");
  set_energy (folder, "intel-rapl:1", 200000);
  g_assert_cmpfloat_with_epsilon (urb_rapl_read (rapl), 0.1, 1e-9);
  set_energy (folder, "intel-rapl:0", 800000); /* counted as soon as it can be read */
  g_assert_cmpfloat_with_epsilon (urb_rapl_read (rapl), 0.05, 1e-9);
}

/* As on most machines, where only root may read. */
static void
test_unreadable (RunTest *t, gconstpointer data)
{
  g_autofree char *folder = g_build_filename (t->base, "powercap", NULL);

  g_assert_null (urb_rapl_open (folder));
  write_file (folder, "intel-rapl:0", "name", "package-0\n");
  write_file (folder, "intel-rapl:0", "max_energy_range_uj", "1000\n");
  g_assert_null (urb_rapl_open (folder));
  write_file (folder, "intel-rapl:0", "energy_uj", "7\n");
  write_file (folder, "intel-rapl:0", "max_energy_range_uj", "0\n");
  g_assert_null (urb_rapl_open (folder));
}

typedef struct
{
  int    n;
  double joules, seconds;
} Sum;

static void
add_record (const UrbRunRecord *record, gpointer user_data)
{
  Sum *sum = user_data;

  if (record->type != URB_RUN_RECORD_ENERGY)
    return;
  sum->n++;
  sum->joules += record->joules;
  sum->seconds += record->seconds;
}

typedef struct
{
  const char *folder;
  int         uj;
} Use;

static gboolean
use_cb (gpointer data)
{
  Use *use = data;

  use->uj = MIN (use->uj + 1000, RANGE_UJ);
  set_energy (use->folder, "intel-rapl:0", use->uj);
  return G_SOURCE_CONTINUE;
}

/* What was used while the run trained: neither before nor after. */
static void
test_recorded (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_auto(UrbRunConfig) config = { 0 };
  g_autofree char *folder = make_counters (t), *path = g_build_filename (t->run, "run.db", NULL);
  UrbSupervisorOptions options = supervised_make_options (f);
  g_autoptr(UrbRunDb) db = NULL;
  Use use = { folder, 500000 };
  Sum sum = { 0 };
  guint id;

  supervised_fill_config (t, &config, "ms=5", 200);
  options.gpu_interval_ms = INTERVAL_MS;
  options.powercap = folder;
  supervised_prepare (f, &config, &options);
  id = g_timeout_add (10, use_cb, &use);
  supervised_finish (f);
  g_source_remove (id);
  db = urb_run_db_open_reader (path, NULL);
  g_assert_cmpint (urb_run_db_read (db, 0, 10000, add_record, &sum, NULL), >, 0);
  g_assert_cmpint (sum.n, >, 1);
  g_assert_cmpfloat (sum.joules, >, 0);
  g_assert_cmpfloat (sum.joules, <=, 1e-6 * (use.uj - 500000) + 1e-9);
  g_assert_cmpfloat (sum.seconds, >, 0.2);
}

int
main (int argc, char **argv)
{
  int code = fake_job_main (argc, argv, &fake_job);

  if (code >= 0)
    return code;
  g_test_init (&argc, &argv, NULL);
  run_test_add ("/energy/counters", test_counters);
  run_test_add ("/energy/unreadable", test_unreadable);
  run_test_add ("/energy/recorded", test_recorded);
  return g_test_run ();
}
