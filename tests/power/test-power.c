/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-power.c - after a power failure at any time, everything that was reported as saved exists.
 *
 * A dataset is written, and a network trained, resumed and exported, while record-writes.c records
 * every change to files.  Power failures are then simulated after random changes: disk-model.c
 * determines what the disk may contain.  Files must be complete, everything reported must exist, and
 * the run must continue to the same end, bit for bit.  `-m slow` simulates 500 failures instead of 30.
 */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "disk-model.h"
#include "run/store/folder.h"
#include "run/store/run-db.h"
#include "train/safetensors.h"

enum { FIRST_STEPS = 12, ALL_STEPS = 24, EXPORTS = 8 };

typedef struct
{
  char      *base, *folder, *log, *after; /* owned; the base folder, and in it: the recorded
                                             folder, its log, and the state after a failure */
  DiskModel *whole;                       /* owned; replayed to the end, for its versions */
} Fixture;

/* ------------------------------------------------------------------------ */
/* Recording                                                                 */

static void
remove_folder (const char *folder)
{
  g_spawn_sync (NULL, (char *[]){ "rm", "-rf", (char *) folder, NULL }, NULL, G_SPAWN_SEARCH_PATH,
                NULL, NULL, NULL, NULL, NULL, NULL);
}

/* Replaces each "@" by @folder. */
static int
call (const Fixture *f, const char *program, const char *arguments, const char *folder,
      gboolean recorded)
{
  g_auto(GStrv) parts = g_strsplit (arguments, "@", -1);
  g_autofree char *joined = g_strjoinv (folder, parts);
  g_autofree char *line = g_strconcat (program, " ", joined, NULL);
  g_auto(GStrv) argv = g_strsplit (line, " ", -1);
  g_autoptr(GSubprocessLauncher) launcher
    = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE
                                 | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr(GSubprocess) process = NULL;
  g_autoptr(GError) error = NULL;
  g_autofree char *err = NULL;
  if (recorded)
    {
      g_subprocess_launcher_setenv (launcher, "LD_PRELOAD", g_getenv ("URBARIUM_RECORD_WRITES"),
                                    TRUE);
      g_subprocess_launcher_setenv (launcher, WRITE_LOG_FOLDER, f->folder, TRUE);
      g_subprocess_launcher_setenv (launcher, WRITE_LOG_FILE, f->log, TRUE);
      /* A sanitizer must be loaded first; this library overrides none of its functions. */
      g_subprocess_launcher_setenv (launcher, "ASAN_OPTIONS", "verify_asan_link_order=0", TRUE);
    }
  process = g_subprocess_launcher_spawnv (launcher, (const char *const *) argv, &error);
  g_assert_no_error (error);
  g_subprocess_communicate_utf8 (process, NULL, NULL, NULL, &err, &error);
  g_assert_no_error (error);
  g_test_message ("%s\n%s", line, err);
  return g_subprocess_get_if_exited (process) ? g_subprocess_get_exit_status (process) : -1;
}

/* The program succeeded: the files that it reported must be on the disk. */
static void
promise (const Fixture *f, const char *path, gint64 step, gint64 seq)
{
  WriteLogEntry entry = { .kind = WRITE_LOG_PROMISE, .path_bytes = (guint32) strlen (path),
                          .size = (guint64) step, .offset = (guint64) seq };
  FILE *log = fopen (f->log, "ab");
  g_assert_nonnull (log);
  g_assert_cmpuint (fwrite (&entry, sizeof entry, 1, log), ==, 1);
  g_assert_cmpuint (fwrite (path, 1, entry.path_bytes, log), ==, entry.path_bytes);
  g_assert_cmpint (fclose (log), ==, 0);
}

static gint64
ask (sqlite3 *db, const char *sql)
{
  sqlite3_stmt *statement;
  gint64 value = -1;
  g_assert_cmpint (sqlite3_prepare_v2 (db, sql, -1, &statement, NULL), ==, SQLITE_OK);
  if (sqlite3_step (statement) == SQLITE_ROW)
    value = sqlite3_column_int64 (statement, 0);
  sqlite3_finalize (statement);
  return value;
}

static void
promise_run (const Fixture *f)
{
  g_autofree char *run = g_build_filename (f->folder, "run", NULL);
  /* Otherwise this process would create unrecorded files there. */
  g_autofree char *uri = g_strdup_printf ("file://%s/run.db?immutable=1", run);
  g_autoptr(GArray) steps = urb_run_folder_list_checkpoints (run);
  g_autofree char *checkpoint = NULL, *below = NULL;
  sqlite3 *db;
  g_assert_cmpint (sqlite3_open_v2 (uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL), ==,
                   SQLITE_OK);
  promise (f, "run/run.db", ask (db, "SELECT max(step) FROM step"),
           ask (db, "SELECT max(seq) FROM event"));
  sqlite3_close (db);
  promise (f, "run/run.ini", 0, 0);
  g_assert_cmpuint (steps->len, >, 0);
  checkpoint = urb_run_checkpoint_name (g_array_index (steps, gint64, steps->len - 1));
  below = g_build_filename ("run", checkpoint, NULL);
  promise (f, below, 0, 0);
}

#define TRAIN "train --dataset @/areas.gpkg --preset @/mini.preset --run @/run --threads 1 " \
              "--schedule-steps 100 --checkpoint-every 3 --keep-checkpoints 2 --sample-every 5 "
#define RESUME "resume @/run --steps 24 --json"

static void
record (const Fixture *f)
{
  const char *engine = g_getenv ("URBARIUM_ENGINE");
  static const char *const exports[EXPORTS]
    = { "wall.png", "cities.svg", "cities.dxf", "cities.geojson", "cities.gpkg", "all", "town.gpkg",
        "report.json" };
  g_assert_cmpint (call (f, g_getenv ("URBARIUM_WRITE_SMALL_DATASET"), "@", f->folder, TRUE), ==, 0);
  promise (f, "areas.gpkg", 0, 0);
  g_assert_cmpint (call (f, engine, TRAIN "--steps 12 --quiet", f->folder, TRUE), ==, 0);
  promise_run (f);
  g_assert_cmpint (call (f, engine, RESUME, f->folder, TRUE), ==, 0);
  promise_run (f);
  /* The second time it replaces an existing file. */
  for (int i = 0; i < 6; i++)
    {
      g_autofree char *arguments
        = g_strconcat ("generate @/run --force --count 2 --threads 1 --out @/", exports[i % 5], NULL);
      if (!URBARIUM_HAVE_GEO && g_str_has_suffix (exports[i % 5], ".gpkg"))
        continue;
      g_assert_cmpint (call (f, engine, arguments, f->folder, TRUE), ==, 0);
      promise (f, exports[i % 5], 0, 0);
    }
  if (URBARIUM_HAVE_GEO)
    {
      g_assert_cmpint (call (f, engine, "sample --seed 7 --size-km 0.5 @/town.gpkg", f->folder, TRUE),
                       ==, 0);
      promise (f, "town.gpkg", 0, 0);
    }
}

/* ------------------------------------------------------------------------ */
/* Checks after a failure                                                    */

static int
find_version (GPtrArray *versions, const char *checksum)
{
  for (int i = (int) versions->len; i-- > 0;)
    if (strcmp (g_ptr_array_index (versions, (guint) i), checksum) == 0)
      return i;
  return -1;
}

/* Atomically written files have one of the contents written to them. */
static void
check_whole (const Fixture *f, const char *path)
{
  g_autofree char *full = g_build_filename (f->after, path, NULL);
  g_autoptr(GDir) dir = g_dir_open (full, 0, NULL);
  GPtrArray *versions = disk_model_get_versions (f->whole, path);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = path[0] != '\0' ? g_build_filename (path, name, NULL)
                                               : g_strdup (name);
      /* Temporary files may be incomplete. */
      if (name[0] != '.')
        check_whole (f, child);
    }
  if (dir == NULL && versions != NULL)
    {
      g_autofree char *data = NULL, *checksum = NULL;
      gsize n_bytes;
      g_assert_true (g_file_get_contents (full, &data, &n_bytes, NULL));
      checksum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (guint8 *) data, n_bytes);
      if (find_version (versions, checksum) < 0)
        g_error ("'%s' is incomplete: %" G_GSIZE_FORMAT " bytes", path, n_bytes);
    }
}

/* @model: replayed up to the failure.  Files reported as saved exist, in that version or a later one. */
static void
check_promise (const Fixture *f, DiskModel *model, int cut, const char *path, int i)
{
  g_autofree char *full = g_build_filename (f->after, path, NULL);
  g_autofree char *data = NULL, *checksum = NULL;
  gsize n_bytes;
  for (int k = i + 1; k < cut; k++)
    {
      g_autofree char *gone = NULL;
      WriteLogEntry entry = disk_model_get_entry (model, k, &gone);
      if (entry.kind == WRITE_LOG_UNLINK && strcmp (gone, path) == 0)
        return; /* a checkpoint deleted in favor of newer ones */
    }
  if (!g_file_get_contents (full, &data, &n_bytes, NULL))
    g_error ("'%s' was reported as saved, but is missing", path);
  checksum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (guint8 *) data, n_bytes);
  if (!g_str_has_suffix (path, ".db"))
    {
      g_autoptr(DiskModel) then = disk_model_new (f->log);
      disk_model_play (then, i);
      g_assert_cmpint (find_version (disk_model_get_versions (f->whole, path), checksum), >=,
                       (int) disk_model_get_versions (then, path)->len - 1);
    }
}

/* @step, @seq: reported as saved */
static void
check_database (const Fixture *f, gint64 step, gint64 seq)
{
  g_autofree char *run = g_build_filename (f->after, "run", NULL);
  g_autofree char *path = g_build_filename (run, "run.db", NULL);
  g_autoptr(GArray) steps = urb_run_folder_list_checkpoints (run);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbRunDb) db = NULL;
  gint64 newest = steps->len > 0 ? g_array_index (steps, gint64, steps->len - 1) : 0;
  sqlite3 *raw;
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_assert_cmpint (newest, ==, 0);
      g_assert_cmpint (seq, ==, 0);
      return;
    }
  db = urb_run_db_open (path, &error);
  g_assert_no_error (error);
  g_assert_cmpint (urb_run_db_get_last_seq (db), >=, seq);
  /* If a checkpoint exists, all steps before it are recorded. */
  g_assert_cmpint (urb_run_db_get_last_step (db), >=, MAX (step, newest > 0 ? newest : -1));
  g_assert_cmpint (sqlite3_open (path, &raw), ==, SQLITE_OK);
  g_assert_cmpint (ask (raw, "SELECT count(*) FROM pragma_integrity_check "
                             "WHERE integrity_check = 'ok'"), ==, 1);
  g_assert_cmpint (ask (raw, "SELECT count(*) = ifnull(max(step), 0) FROM step"), ==, 1);
  /* If a checkpoint is recorded, it exists. */
  g_assert_cmpint (ask (raw, "SELECT ifnull(max(step), 0) FROM checkpoint WHERE kept"), <=, newest);
  sqlite3_close (raw);
}

static void
check_checkpoints (const Fixture *f)
{
  g_autofree char *run = g_build_filename (f->after, "run", NULL);
  g_autoptr(GArray) steps = urb_run_folder_list_checkpoints (run);
  for (guint i = 0; i < steps->len; i++)
    {
      g_autofree char *name = urb_run_checkpoint_name (g_array_index (steps, gint64, i));
      g_autofree char *path = g_build_filename (run, name, NULL);
      g_autoptr(GError) error = NULL;
      g_autoptr(UrbSafetensors) file = urb_safetensors_open (path, &error);
      g_assert_no_error (error);
      g_assert_nonnull (file);
    }
}

static UrbSafetensors *
open_last (const char *folder)
{
  g_autofree char *name = urb_run_checkpoint_name (ALL_STEPS);
  g_autofree char *path = g_build_filename (folder, "run", name, NULL);
  g_autoptr(GError) error = NULL;
  UrbSafetensors *file = urb_safetensors_open (path, &error);
  g_assert_no_error (error);
  return file;
}

/* Bit-identical to an uninterrupted run. */
static void
check_end (const Fixture *f)
{
  g_autoptr(UrbSafetensors) straight = open_last (f->folder), after = open_last (f->after);
  gsize n = urb_safetensors_get_n_tensors (straight);
  g_assert_cmpuint (n, ==, urb_safetensors_get_n_tensors (after));
  for (gsize i = 0; i < n; i++)
    {
      const UrbTensor *a = urb_safetensors_get_tensor (straight, i);
      const UrbTensor *b = urb_safetensors_lookup (after, a->name);
      gsize n_bytes = a->type == URB_TENSOR_F32 ? 4 : 8;
      for (int k = 0; k < a->n_dims; k++)
        n_bytes *= (gsize) a->shape[k];
      g_assert_nonnull (b);
      g_assert_cmpmem (a->data, n_bytes, b->data, n_bytes);
    }
}

static void
fail_power (const Fixture *f, DiskModel *model, int cut, DiskLoss loss, guint32 seed)
{
  g_autofree char *config = g_build_filename (f->after, "run", "run.ini", NULL);
  gint64 step = -1, seq = 0;
  g_test_message ("power failure after %d changes, loss %d, seed %u", cut, loss, seed);
  remove_folder (f->after);
  g_assert_cmpint (g_mkdir (f->after, 0700), ==, 0);
  disk_model_play (model, cut);
  disk_model_write (model, loss, seed, f->after);
  check_whole (f, "");
  for (int i = 0; i < cut; i++)
    {
      g_autofree char *path = NULL;
      WriteLogEntry entry = disk_model_get_entry (model, i, &path);
      if (entry.kind != WRITE_LOG_PROMISE)
        continue;
      check_promise (f, model, cut, path, i);
      if (strcmp (path, "run/run.db") == 0)
        {
          step = (gint64) entry.size;
          seq = (gint64) entry.offset;
        }
    }
  check_checkpoints (f);
  check_database (f, step, seq);
  /* Before that there is nothing to resume, and nothing was reported. */
  if (!g_file_test (config, G_FILE_TEST_EXISTS))
    {
      g_assert_cmpint (step, ==, -1);
      return;
    }
  g_assert_cmpint (call (f, g_getenv ("URBARIUM_ENGINE"), RESUME, f->after, FALSE), ==, 0);
  check_end (f);
}

/* ------------------------------------------------------------------------ */

static Fixture *
fixture_new (void (*make_record) (const Fixture *))
{
  Fixture *f = g_new0 (Fixture, 1);
  g_autofree char *made = g_dir_make_tmp ("urbarium-power-XXXXXX", NULL);
  f->base = realpath (made, NULL);
  f->folder = g_build_filename (f->base, "disk", NULL);
  f->log = g_build_filename (f->base, "log", NULL);
  f->after = g_build_filename (f->base, "after", NULL);
  g_assert_cmpint (g_mkdir (f->folder, 0700), ==, 0);
  make_record (f);
  f->whole = disk_model_new (f->log);
  disk_model_play (f->whole, disk_model_get_n_entries (f->whole));
  return f;
}

static void
fixture_free (Fixture *f)
{
  remove_folder (f->base);
  disk_model_free (f->whole);
  free (f->base);
  g_free (f->folder);
  g_free (f->log);
  g_free (f->after);
  g_free (f);
}

/* The record must not miss a change: replaying it yields the actual files. */
static void
check_record (const Fixture *f)
{
  g_autofree char *arguments
    = g_strdup_printf ("-r -x log -x *-wal -x *-shm -x run.db -x lock %s %s", f->folder, f->after);
  g_assert_cmpint (g_mkdir (f->after, 0700), ==, 0);
  disk_model_write (f->whole, DISK_LOSS_NONE, 0, f->after);
  g_assert_cmpint (call (f, "diff", arguments, "", FALSE), ==, 0);
}

static int
compare (gconstpointer a, gconstpointer b)
{
  return *(const int *) a - *(const int *) b;
}

static void
test_power (void)
{
  int n_cuts = g_test_slow () ? 500 : 30;
  Fixture *f = fixture_new (record);
  g_autoptr(DiskModel) model = disk_model_new (f->log);
  g_autofree int *cuts = g_new (int, n_cuts);
  int n_entries = disk_model_get_n_entries (model);
  check_record (f);
  for (int i = 0; i < n_cuts; i++)
    cuts[i] = g_test_rand_int_range (0, n_entries + 1);
  cuts[0] = n_entries;
  qsort (cuts, (gsize) n_cuts, sizeof *cuts, compare);
  for (int i = 0; i < n_cuts; i++)
    fail_power (f, model, cuts[i], (DiskLoss) (i % DISK_N_LOSSES), (guint32) i);
  fixture_free (f);
}

/* ------------------------------------------------------------------------ */
/* With a concurrent reader of the database, such as the window               */

enum { SEEN = 10, SYNCED = 20 };

static void
add_steps (UrbRunDb *db, gint64 last)
{
  for (gint64 step = MAX (urb_run_db_get_last_step (db), 0) + 1; step <= last; step++)
    g_assert_true (urb_run_db_add_step (db, &(UrbStepMetrics){ .step = step }, NULL));
}

/* In a separate, recorded process that ends as if killed. */
static void
write_beside_reader (const char *path)
{
  g_autoptr(UrbRunDb) db = urb_run_db_open (path, NULL);
  sqlite3 *reader;
  g_assert_cmpint (sqlite3_open_v2 (path, &reader, SQLITE_OPEN_READONLY, NULL), ==, SQLITE_OK);
  add_steps (db, 1);
  g_assert_true (urb_run_db_sync (db, NULL));
  g_assert_cmpint (sqlite3_exec (reader, "BEGIN; SELECT count(*) FROM step", NULL, NULL, NULL), ==,
                   SQLITE_OK);
  add_steps (db, SEEN);
  g_assert_true (urb_run_db_sync (db, NULL));
  add_steps (db, SYNCED);
  g_assert_true (urb_run_db_sync (db, NULL));
  _exit (0);
}

static void
record_beside_reader (const Fixture *f)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_assert_cmpint (call (f, self, "--beside-reader @/run.db", f->folder, TRUE), ==, 0);
}

static void
test_reader (void)
{
  Fixture *f = fixture_new (record_beside_reader);
  for (DiskLoss loss = 0; loss < DISK_N_LOSSES; loss++)
    {
      g_autofree char *path = g_build_filename (f->after, "run.db", NULL);
      g_autoptr(UrbRunDb) db = NULL;
      remove_folder (f->after);
      g_assert_cmpint (g_mkdir (f->after, 0700), ==, 0);
      disk_model_write (f->whole, loss, 0, f->after);
      db = urb_run_db_open_reader (path, NULL);
      g_assert_nonnull (db);
      g_assert_cmpint (urb_run_db_get_last_step (db), ==, SYNCED);
    }
  fixture_free (f);
}

int
main (int argc, char **argv)
{
  if (argc == 3 && strcmp (argv[1], "--beside-reader") == 0)
    write_beside_reader (argv[2]);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/power/fails", test_power);
  g_test_add_func ("/power/beside-reader", test_reader);
  return g_test_run ();
}
