/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-run-folder.c - run.ini, the folder and its lock, run.db, and the lines of
 * the protocols: valid and hostile input, from disk and socket.
 */
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>
#include <sqlite3.h>

#include "run-test.h"
#include "run/store/channel.h"
#include "run/store/folder.h"
#include "run/store/json-line.h"
#include "run/store/run-db.h"
#include "train/safetensors.h"

/* ------------------------------------------------------------------------ */
/* run.ini                                                                   */

static void
test_config (void)
{
  g_auto(UrbRunConfig) config = { 0 }, back = { 0 };
  g_autoptr(GError) error = NULL;
  g_autofree char *text = NULL;
  urb_run_config_init (&config);
  urb_run_config_init (&back);
  config.name = g_strdup ("Zürich = \"west\"\n#2");
  config.created = 1234567890123;
  config.sample_every = 7;
  config.keep_checkpoints = 2;
  config.hosts = g_strdup ("/etc/hosts of ours");
  config.train.seed = G_MAXUINT64;
  config.train.lr_g = 0.1;
  text = urb_run_config_to_text (&config);
  urb_run_config_from_text (&back, text, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (back.name, ==, config.name);
  g_assert_cmpint (back.created, ==, config.created);
  g_assert_cmpint (back.sample_every, ==, 7);
  g_assert_cmpint (back.keep_checkpoints, ==, 2);
  g_assert_cmpstr (back.hosts, ==, "/etc/hosts of ours");
  g_assert_cmpuint (back.train.seed, ==, G_MAXUINT64);
  g_assert_cmpfloat (back.train.lr_g, ==, 0.1);
}

static void
test_config_damaged (void)
{
  static const char *const texts[] = {
    "", "[run", "[train]\nsteps=1\n", "[run]\nkeep_checkpoints=-1\n", "[run]\nsample_every=often\n",
    "[run]\nkeep_checkpoints=99999999999\n", "[run]\ncreated=yesterday\n", "[run]\ncreated=-1\n",
    "[run]\nname=x\n[train]\nsteps=many\n",
  };
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_auto(UrbRunConfig) config = { 0 };
      g_autoptr(GError) error = NULL;
      urb_run_config_init (&config);
      g_assert_false (urb_run_config_from_text (&config, texts[i], &error));
      g_assert_nonnull (error);
      g_assert_cmpstr (config.engine, ==, URBARIUM_VERSION); /* untouched */
    }
}

/* ------------------------------------------------------------------------ */
/* The folder                                                                */

static void
write_file (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
write_checkpoint (const char *folder, gint64 step)
{
  static const float x[3] = { 1, 2, 3 };
  const UrbTensor tensor = { .name = "x", .n_dims = 1, .shape = { 3 }, .data = x };
  g_autofree char *name = urb_run_checkpoint_name (step);
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, step);
  g_autoptr(GHashTable) metadata = g_hash_table_new (g_str_hash, g_str_equal);
  g_hash_table_insert (metadata, "step", text);
  g_assert_true (urb_safetensors_write (path, &tensor, 1, metadata, NULL));
}

static gboolean
exists (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  return g_file_test (path, G_FILE_TEST_EXISTS);
}

static void
test_create (RunTest *t, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbRunFolder) folder = urb_run_folder_create (t->run, URB_RUN_FOLDER_NEW, &error);
  g_auto(UrbRunConfig) config = { 0 };
  GStatBuf info;
  g_assert_no_error (error);
  g_assert_cmpint (g_stat (t->run, &info), ==, 0);
  g_assert_cmpint (info.st_mode & 0777, ==, 0700);
  urb_run_config_init (&config);
  config.name = g_strdup ("here");
  g_assert_true (urb_run_folder_save_config (folder, &config, &error));
  g_assert_true (urb_run_folder_load_config (t->run, &config, &error));
  g_assert_cmpstr (config.name, ==, "here");
}

static void
assert_cannot_create (const char *path, UrbRunError code)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbRunFolder) folder = urb_run_folder_create (path, URB_RUN_FOLDER_NEW, &error);
  g_assert_error (error, URB_RUN_ERROR, (int) code);
  g_assert_null (folder);
}

static void
test_refused (RunTest *t, gconstpointer data)
{
  g_autofree char *deep = g_build_filename (t->run, "a", "b", NULL);
  g_autofree char *file = g_build_filename (t->base, "file", NULL);
  assert_cannot_create (deep, URB_RUN_ERROR_FOLDER);
  g_assert_true (g_file_set_contents (file, "", 0, NULL));
  assert_cannot_create (file, URB_RUN_ERROR_FOLDER);
  g_assert_cmpint (g_mkdir (t->run, 0755), ==, 0);
  write_file (t->run, "holiday.jpg", "");
  assert_cannot_create (t->run, URB_RUN_ERROR_EXISTS);
}

/* A run without a checkpoint may be started again; one with a checkpoint may not. */
static void
test_reuse (RunTest *t, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_clear_pointer (&t->folder, urb_run_folder_free);
  for (int i = 0; i < 2; i++)
    {
      t->folder = urb_run_folder_create (t->run, URB_RUN_FOLDER_NEW, &error);
      g_assert_no_error (error);
      write_file (t->run, "run.ini", "[run]\nname=x\n");
      g_clear_pointer (&t->folder, urb_run_folder_free);
    }
  write_checkpoint (t->run, 10);
  write_file (t->run, "trace.json", "{}");
  g_assert_false (urb_run_folder_has_others (t->run));
  write_file (t->run, "notes.txt", "mine");
  assert_cannot_create (t->run, URB_RUN_ERROR_EXISTS);
  t->folder = urb_run_folder_create (t->run, URB_RUN_FOLDER_REPLACE, &error);
  g_assert_no_error (error);
  g_assert_false (exists (t->run, "checkpoints/step-000000010.safetensors"));
  g_assert_false (exists (t->run, "run.ini"));
  g_assert_false (exists (t->run, "trace.json"));
  g_assert_true (exists (t->run, "notes.txt"));
}

static void
test_not_a_run (RunTest *t, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_assert_null (urb_run_folder_open (t->run, &error));
  g_assert_error (error, URB_RUN_ERROR, URB_RUN_ERROR_FOLDER);
}

/* Another process holds the lock, and is killed. */
static void
test_lock (RunTest *t, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  int fds[2];
  char byte;
  pid_t pid;
  t->folder = urb_run_folder_create (t->run, URB_RUN_FOLDER_NEW, &error);
  write_file (t->run, "run.ini", "[run]\nname=x\n");
  g_clear_pointer (&t->folder, urb_run_folder_free);
  g_assert_cmpint (pipe (fds), ==, 0);
  pid = fork ();
  if (pid == 0)
    {
      UrbRunFolder *held = urb_run_folder_open (t->run, NULL);
      urb_run_folder_claim (held);
      if (write (fds[1], "", 1) == 1)
        pause ();
      _exit (1);
    }
  g_assert_cmpint (read (fds[0], &byte, 1), ==, 1);
  g_assert_null (urb_run_folder_open (t->run, &error));
  g_assert_error (error, URB_RUN_ERROR, URB_RUN_ERROR_BUSY);
  {
    g_autofree char *number = g_strdup_printf ("process %d", (int) pid);
    g_assert_nonnull (strstr (error->message, number));
  }
  g_clear_error (&error);
  kill (pid, SIGKILL);
  waitpid (pid, NULL, 0);
  t->folder = urb_run_folder_open (t->run, &error);
  g_assert_no_error (error);
  close (fds[0]);
  close (fds[1]);
}

static void
unlink_file (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_assert_cmpint (g_unlink (path), ==, 0);
}

static void
test_checkpoints (RunTest *t, gconstpointer data)
{
  g_autoptr(GArray) steps = NULL;
  g_autoptr(GArray) deleted = NULL;
  g_autoptr(GArray) needed = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autofree char *damaged = NULL;
  gint64 newest, best = 10;
  t->folder = urb_run_folder_create (t->run, URB_RUN_FOLDER_NEW, NULL);
  g_assert_true (urb_run_folder_find_checkpoint (t->folder, &newest, &damaged, NULL));
  g_assert_cmpint (newest, ==, -1);
  for (gint64 step = 5; step <= 25; step += 5)
    write_checkpoint (t->run, step);
  write_file (t->run, "checkpoints/step-000000030.safetensors", "half a checkp");
  write_file (t->run, "checkpoints/step-12.safetensors", "not ours");
  write_file (t->run, "checkpoints/.step-000000035.safetensors.1.tmp", "torn");
  g_assert_true (urb_run_folder_find_checkpoint (t->folder, &newest, &damaged, NULL));
  g_assert_cmpint (newest, ==, 25);
  g_assert_nonnull (strstr (damaged, "step-000000030"));
  g_assert_true (exists (t->run, "checkpoints/step-000000030.safetensors.damaged"));
  g_assert_cmpint (urb_run_folder_get_mark (t->run, URB_RUN_BEST), ==, -1);
  urb_run_folder_mark (t->folder, URB_RUN_BEST, 5);
  urb_run_folder_mark (t->folder, URB_RUN_BEST, best);
  g_assert_cmpint (urb_run_folder_get_mark (t->run, URB_RUN_BEST), ==, best);
  g_array_append_val (needed, best);
  deleted = urb_run_folder_prune_checkpoints (t->folder, 2, needed);
  g_assert_cmpuint (deleted->len, ==, 2);
  steps = urb_run_folder_list_checkpoints (t->run);
  g_assert_cmpuint (steps->len, ==, 3);
  g_assert_cmpint (g_array_index (steps, gint64, 0), ==, best);
  g_assert_cmpint (g_array_index (steps, gint64, 1), ==, 20);
  unlink_file (t->run, "checkpoints/step-000000010.safetensors");
  g_assert_cmpint (urb_run_folder_get_mark (t->run, URB_RUN_BEST), ==, -1);
  urb_run_folder_mark (t->folder, URB_RUN_BEST, -1);
  g_assert_false (exists (t->run, URB_RUN_BEST));
  urb_run_folder_sweep (t->folder);
  g_assert_false (exists (t->run, "checkpoints/.step-000000035.safetensors.1.tmp"));
}

/* A file that cannot be opened temporarily counts as neither damaged nor missing. */
static void
test_checkpoints_out_of_reach (RunTest *t, gconstpointer data)
{
  struct rlimit before, none;
  g_autofree char *damaged = NULL;
  gint64 newest = 0;
  t->folder = urb_run_folder_create (t->run, URB_RUN_FOLDER_NEW, NULL);
  write_checkpoint (t->run, 5);
  g_assert_cmpint (getrlimit (RLIMIT_NOFILE, &before), ==, 0);
  none = (struct rlimit){ 0, before.rlim_max };
  for (int n_free = 0; n_free < 2; n_free++) /* the second time, the folder is readable */
    {
      g_autoptr(GError) error = NULL, unused_error = NULL;
      int fd = dup (0);
      gboolean found, unused;
      none.rlim_cur = (rlim_t) (fd + n_free);
      close (fd);
      g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &none), ==, 0);
      found = urb_run_folder_find_checkpoint (t->folder, &newest, &damaged, &error);
      unused = urb_run_folder_check_unused (t->run, &unused_error);
      g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &before), ==, 0);
      g_assert_false (found && newest < 0);
      g_assert_null (damaged);
      g_assert_false (unused);
      if (n_free == 0)
        g_assert_error (error, URB_RUN_ERROR, URB_RUN_ERROR_FOLDER);
    }
  g_assert_true (exists (t->run, "checkpoints/step-000000005.safetensors"));
}

/* ------------------------------------------------------------------------ */
/* run.db                                                                    */

static UrbRunDb *
open_db (RunTest *t)
{
  g_autofree char *path = g_build_filename (t->base, "run.db", NULL);
  g_autoptr(GError) error = NULL;
  UrbRunDb *db = urb_run_db_open (path, &error);
  g_assert_no_error (error);
  return db;
}

static void
add_steps (UrbRunDb *db, gint64 from, gint64 to)
{
  for (gint64 step = from; step <= to; step++)
    {
      UrbStepMetrics metrics = { .step = step, .images = step * 4, .seconds = 0.5 };
      metrics.values[URB_METRIC_LOSS_D] = step == 3 ? NAN : 0.1 * (double) step;
      metrics.values[URB_METRIC_LOSS_G] = step == 3 ? INFINITY : 1;
      g_assert_true (urb_run_db_add_step (db, &metrics, NULL));
    }
}

typedef struct
{
  gint64 last_seq;
  int    n_records;
  GArray *steps; /* gint64, after rollbacks */
} Reader;

static void
read_record (gint64 seq, const char *json, gpointer user_data)
{
  Reader *reader = user_data;
  g_autoptr(GError) error = NULL;
  g_autoptr(JsonObject) record = urb_json_parse_line (json, strlen (json), &error);
  const char *type;
  gint64 step;
  g_assert_no_error (error);
  g_assert_cmpint (seq, >, reader->last_seq);
  g_assert_cmpint (urb_json_get_int (record, "seq", -1), ==, seq);
  g_assert_cmpfloat (urb_json_get_double (record, "time", 0), >, 1e9);
  reader->last_seq = seq;
  reader->n_records++;
  type = urb_json_get_string (record, "type", "");
  step = urb_json_get_int (record, "step", -1);
  if (strcmp (type, "step") == 0)
    g_array_append_val (reader->steps, step);
  if (strcmp (type, "event") == 0
      && strcmp (urb_json_get_string (record, "code", ""), "rewound") == 0)
    while (reader->steps->len > 0
           && g_array_index (reader->steps, gint64, reader->steps->len - 1) > step)
      g_array_set_size (reader->steps, reader->steps->len - 1);
}

static void
read_all (UrbRunDb *db, Reader *reader, int page)
{
  g_autoptr(GError) error = NULL;
  int n;
  do
    {
      n = urb_run_db_replay (db, reader->last_seq, page, read_record, reader, &error);
      g_assert_no_error (error);
    }
  while (n == page);
}

static void
note_details (gint64 seq, const char *json, gpointer user_data)
{
  g_autoptr(JsonObject) record = urb_json_parse_line (json, strlen (json), NULL);
  JsonNode *node = json_object_get_member (record, "details");
  g_autofree char *details = node != NULL ? json_to_string (node, FALSE) : g_strdup ("-");
  g_string_append_printf (user_data, "%s %s\n", urb_json_get_string (record, "code", ""), details);
}

/* The details of an event are returned with it, except invalid JSON; old runs have none. */
static void
test_db_details (RunTest *t, gconstpointer data)
{
  g_autofree char *path = g_build_filename (t->base, "run.db", NULL);
  g_autoptr(UrbRunDb) db = urb_run_db_open (path, NULL), reader = NULL;
  g_autoptr(GString) seen = g_string_new (NULL), old = g_string_new (NULL);
  sqlite3 *raw = NULL;
  g_assert_true (urb_run_db_add_event (db, "info", "a", 1, "text", NULL)
                 && urb_run_db_add_details (db, "{\"x\":[1,2]}", NULL)
                 && urb_run_db_add_event (db, "info", "b", 2, "text", NULL)
                 && urb_run_db_add_event (db, "info", "c", 3, "text", NULL)
                 && urb_run_db_add_details (db, "{\"x\":", NULL) && urb_run_db_commit (db, NULL));
  g_assert_cmpint (urb_run_db_replay (db, 0, 100, note_details, seen, NULL), ==, 3);
  g_assert_cmpstr (seen->str, ==, "a {\"x\":[1,2]}\nb -\nc -\n");
  g_clear_pointer (&db, urb_run_db_free);
  g_assert_cmpint (sqlite3_open_v2 (path, &raw, SQLITE_OPEN_READWRITE, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (raw, "DROP TABLE detail", NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (raw);
  reader = urb_run_db_open_reader (path, NULL);
  g_assert_cmpint (urb_run_db_replay (reader, 0, 100, note_details, old, NULL), ==, 3);
  g_assert_cmpstr (old->str, ==, "a -\nb -\nc -\n");
  db = urb_run_db_open (path, NULL);
  g_assert_nonnull (db);
  g_assert_true (urb_run_db_add_event (db, "info", "d", 4, "text", NULL)
                 && urb_run_db_add_details (db, "{}", NULL) && urb_run_db_commit (db, NULL));
}

static void
test_db_records (RunTest *t, gconstpointer data)
{
  g_autoptr(UrbRunDb) db = open_db (t);
  for (int page = 1; page <= 100; page *= 7)
    {
      Reader reader = { .steps = g_array_new (FALSE, FALSE, sizeof (gint64)) };
      gint64 before = urb_run_db_get_last_seq (db);
      reader.last_seq = before;
      g_assert_true (urb_run_db_add_session (db, "[run]\n", 0, 10, NULL));
      g_assert_true (urb_run_db_add_worker (db, 0, 4711, "started", "at step 0", NULL));
      add_steps (db, page * 100 + 1, page * 100 + 5);
      g_assert_true (urb_run_db_add_sample (db, page * 100 + 5, "samples/x \"ä\"\n.png", NULL));
      g_assert_true (urb_run_db_add_checkpoint (db, page * 100 + 5, "c", 12, NULL));
      g_assert_true (urb_run_db_add_checkpoint (db, page * 100 + 5, "c", 12, NULL)); /* known */
      g_assert_true (urb_run_db_add_event (db, "info", "x", 5, "bad \xff bytes", NULL));
      g_assert_true (urb_run_db_commit (db, NULL));
      read_all (db, &reader, page);
      g_assert_cmpint (reader.n_records, ==, 10);
      g_assert_cmpint (reader.last_seq, ==, urb_run_db_get_last_seq (db));
      g_assert_cmpuint (reader.steps->len, ==, 5);
      g_array_unref (reader.steps);
    }
}

typedef struct
{
  UrbRunDb *db;
  GArray   *seqs; /* owned; gint64, as replayed */
  guint     n;
} BothWays;

static void
note_seq (gint64 seq, const char *json, gpointer user_data)
{
  g_array_append_val (((BothWays *) user_data)->seqs, seq);
}

static void
compare_record (const UrbRunRecord *record, gpointer user_data)
{
  BothWays *both = user_data;
  static const UrbRunRecordType types[] = {
    URB_RUN_RECORD_EVENT,      URB_RUN_RECORD_STEP,  URB_RUN_RECORD_SAMPLE,
    URB_RUN_RECORD_CHECKPOINT, URB_RUN_RECORD_WORKER, URB_RUN_RECORD_SESSION,
    URB_RUN_RECORD_GPU,        URB_RUN_RECORD_SCORE, URB_RUN_RECORD_ENERGY,
  };
  g_assert_cmpint (record->seq, ==, g_array_index (both->seqs, gint64, both->n));
  g_assert_cmpint (record->type, ==, types[both->n]);
  if (record->type == URB_RUN_RECORD_STEP)
    {
      g_assert_cmpint (record->step, ==, 7);
      g_assert_cmpint (record->metrics.images, ==, 70);
      g_assert_cmpfloat (record->metrics.seconds, ==, 0.5);
      g_assert_cmpfloat (record->metrics.values[URB_METRIC_LOSS_D], ==, 1.25);
      g_assert_true (isnan (record->metrics.values[URB_METRIC_LOSS_G]));
      g_assert_cmpfloat (record->metrics.values[URB_METRIC_LR_G], ==, 1e-3);
    }
  if (record->type == URB_RUN_RECORD_CHECKPOINT)
    {
      g_assert_cmpint (record->n_bytes, ==, 1000);
      g_assert_true (record->kept);
      g_assert_cmpstr (record->texts[0], ==, "c");
      g_assert_null (record->texts[1]);
    }
  if (record->type == URB_RUN_RECORD_WORKER)
    {
      g_assert_cmpint (record->rank, ==, 2);
      g_assert_cmpint (record->pid, ==, 99);
      g_assert_cmpstr (record->texts[1], ==, "at step 0");
    }
  if (record->type == URB_RUN_RECORD_EVENT)
    g_assert_cmpstr (record->texts[1], ==, "state");
  if (record->type == URB_RUN_RECORD_GPU)
    {
      g_assert_cmpint (record->device, ==, 1);
      g_assert_cmpstr (record->texts[0], ==, "Test GPU");
      g_assert_cmpstr (record->texts[1], ==, "0000:17:00.0");
      g_assert_cmpint (record->load.memory_used_bytes, ==, 5000000000);
      g_assert_cmpint (record->load.memory_bytes, ==, 80000000000);
      g_assert_cmpfloat (record->load.utilization_percent, ==, 97);
      g_assert_true (isnan (record->load.power_w));
      g_assert_cmpfloat (record->load.temperature_c, ==, 0);
    }
  if (record->type == URB_RUN_RECORD_ENERGY)
    {
      g_assert_cmpfloat (record->joules, ==, 12.5);
      g_assert_cmpfloat (record->seconds, ==, 5);
    }
  if (record->type == URB_RUN_RECORD_SCORE)
    {
      g_assert_cmpint (record->scores.step, ==, 7);
      g_assert_cmpfloat (record->scores.seconds, ==, 4);
      g_assert_cmpfloat (record->scores.values[URB_SCORE_PIXELS], ==, 2.5);
      g_assert_cmpuint (record->scores.flaws, ==, 3);
    }
  both->n++;
}

/* A negative temperature, and an unknown power. */
static UrbGpu
make_gpu (void)
{
  return (UrbGpu){ .index = 1, .pci = "0000:17:00.0", .name = "Test GPU",
                   .load = { 5000000000, 80000000000, 97, NAN, 0 } };
}

static void
note_json (gint64 seq, const char *json, gpointer user_data)
{
  g_string_append_printf (user_data, "%s\n", json);
}

/* Unknown values are null, not 0.  Old runs have no such table: a reader works without it, a writer
 * adds it. */
static void
test_db_gpu (RunTest *t, gconstpointer data)
{
  g_autofree char *path = g_build_filename (t->base, "run.db", NULL);
  g_autoptr(UrbRunDb) db = urb_run_db_open (path, NULL), reader = NULL;
  g_autoptr(GString) seen = g_string_new (NULL), old = g_string_new (NULL);
  UrbGpu known = make_gpu (), unknown = make_gpu ();
  sqlite3 *raw = NULL;
  unknown.load = URB_GPU_LOAD_UNKNOWN;
  g_assert_true (urb_run_db_add_event (db, "info", "a", 1, "text", NULL)
                 && urb_run_db_add_gpu (db, &known, NULL) && urb_run_db_add_gpu (db, &unknown, NULL)
                 && urb_run_db_commit (db, NULL));
  g_assert_cmpint (urb_run_db_replay (db, 1, 100, note_json, seen, NULL), ==, 2);
  g_assert_nonnull (strstr (seen->str, "\"type\":\"gpu\",\"seq\":2,"));
  g_assert_nonnull (strstr (seen->str,
    ",\"device\":1,\"pci\":\"0000:17:00.0\",\"name\":\"Test GPU\",\"memory_used_bytes\":5000000000,"
    "\"memory_bytes\":80000000000,\"utilization_percent\":97.0,\"power_w\":null,"
    "\"temperature_c\":0.0}\n"));
  g_assert_nonnull (strstr (seen->str,
    "\"memory_used_bytes\":null,\"memory_bytes\":null,\"utilization_percent\":null,"
    "\"power_w\":null,\"temperature_c\":null}\n"));
  g_clear_pointer (&db, urb_run_db_free);
  db = urb_run_db_open (path, NULL);
  g_assert_cmpint (urb_run_db_get_last_seq (db), ==, 3); /* the last record was a GPU's */
  g_clear_pointer (&db, urb_run_db_free);
  g_assert_cmpint (sqlite3_open_v2 (path, &raw, SQLITE_OPEN_READWRITE, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (raw, "DROP TABLE gpu; DROP TABLE detail", NULL, NULL, NULL), ==,
                   SQLITE_OK);
  sqlite3_close (raw);
  reader = urb_run_db_open_reader (path, NULL);
  g_assert_cmpint (urb_run_db_get_last_seq (reader), ==, 1);
  g_assert_cmpint (urb_run_db_replay (reader, 0, 100, note_json, old, NULL), ==, 1);
  db = urb_run_db_open (path, NULL);
  g_assert_true (urb_run_db_add_gpu (db, &known, NULL) && urb_run_db_commit (db, NULL));
}

/* Scores as records; the best whose checkpoint exists; and a rewind. */
static void
test_db_scores (RunTest *t, gconstpointer data)
{
  g_autofree char *path = g_build_filename (t->base, "run.db", NULL), *text = NULL;
  g_autoptr(UrbRunDb) db = urb_run_db_open (path, NULL);
  g_autoptr(GString) seen = g_string_new (NULL);
  g_autoptr(GArray) steps = g_array_new (FALSE, FALSE, sizeof (gint64));
  const gint64 kept[] = { 20, 30, 40 };
  const double values[] = { 1, 3, 2, 2.5, NAN }; /* of steps 10, 20, … */
  UrbScoreSummary summary;
  g_array_append_vals (steps, kept, G_N_ELEMENTS (kept));
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      UrbScores scores = { .step = 10 * (i + 1), .seconds = 4, .flaws = 2 };
      scores.values[URB_SCORE_PLANS] = values[i];
      scores.values[URB_SCORE_RECALL] = 0.5;
      g_assert_true (urb_run_db_add_score (db, &scores, NULL));
    }
  g_assert_true (urb_run_db_commit (db, NULL));
  g_assert_true (urb_run_db_summarize_scores (db, steps, &summary, NULL));
  g_assert_cmpint (summary.last_step, ==, 50);
  g_assert_cmpint (summary.best_step, ==, 30);
  g_assert_cmpfloat (summary.best, ==, 2);
  g_assert_cmpint (summary.n_since_best, ==, 2);
  g_assert_cmpint (urb_run_db_replay (db, 0, 100, note_json, seen, NULL), ==, 5);
  g_assert_nonnull (strstr (seen->str, "\"type\":\"score\",\"seq\":1,"));
  g_assert_nonnull (strstr (seen->str, ",\"step\":10,\"seconds\":4.0,\"score\":1.0,\"pixels\":0.0,"));
  g_assert_nonnull (strstr (seen->str, ",\"recall\":0.5,\"flaws\":2}\n"));
  g_assert_nonnull (strstr (seen->str, ",\"step\":50,\"seconds\":4.0,\"score\":null,"));
  g_assert_true (urb_run_db_rewind (db, 20, &text, NULL));
  g_assert_true (urb_run_db_summarize_scores (db, steps, &summary, NULL));
  g_assert_cmpint (summary.last_step, ==, 20);
  g_assert_cmpint (summary.best_step, ==, 20);
}

/* With and without JSON; and the summary. */
static void
test_db_read (RunTest *t, gconstpointer data)
{
  g_autofree char *path = g_build_filename (t->base, "run.db", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbRunDb) db = urb_run_db_open (path, &error);
  UrbStepMetrics metrics = { .step = 7, .images = 70, .seconds = 0.5 };
  const UrbGpu gpu = make_gpu ();
  const UrbScores scores = { .step = 7, .seconds = 4, .values = { 1.5, 2.5 }, .flaws = 3 };
  BothWays both = { db, g_array_new (FALSE, FALSE, sizeof (gint64)), 0 };
  UrbRunDbSummary summary;
  g_assert_true (urb_run_db_summarize (db, &summary, &error));
  g_assert_false (summary.has_state);
  g_assert_cmpint (summary.step, ==, 0);
  g_assert_true (isnan (summary.score));
  g_assert_cmpfloat (summary.images_per_s, ==, 0);
  metrics.values[URB_METRIC_LOSS_D] = 1.25;
  metrics.values[URB_METRIC_LOSS_G] = INFINITY;
  metrics.values[URB_METRIC_LR_G] = 1e-3;
  g_assert_true (urb_run_db_add_event (db, "info", "state", 0, "paused", NULL)
                 && urb_run_db_add_step (db, &metrics, NULL)
                 && urb_run_db_add_sample (db, 7, "s", NULL)
                 && urb_run_db_add_checkpoint (db, 7, "c", 1000, NULL)
                 && urb_run_db_add_worker (db, 2, 99, "started", "at step 0", NULL)
                 && urb_run_db_add_session (db, "config", 7, 9, NULL)
                 && urb_run_db_add_gpu (db, &gpu, NULL) && urb_run_db_add_score (db, &scores, NULL)
                 && urb_run_db_add_energy (db, 12.5, 5, NULL)
                 && urb_run_db_commit (db, NULL));
  g_assert_cmpint (urb_run_db_replay (db, 0, 100, note_seq, &both, &error), ==, 9);
  g_assert_cmpint (urb_run_db_read (db, 0, 100, compare_record, &both, &error), ==, 9);
  g_assert_no_error (error);
  both.n = 2;
  g_assert_cmpint (urb_run_db_read (db, 2, 3, compare_record, &both, &error), ==, 3);
  g_assert_true (urb_run_db_summarize (db, &summary, &error));
  g_assert_cmpint (summary.step, ==, 7);
  g_assert_cmpint (summary.images, ==, 70);
  g_assert_true (summary.has_state);
  g_assert_cmpint (summary.state, ==, URB_RUN_PAUSED);
  g_assert_cmpfloat (summary.time, >, 1e9);
  g_assert_cmpfloat (summary.score, ==, 1.5);
  g_assert_cmpfloat (summary.images_per_s, ==, 0); /* one step alone does not tell */
  g_array_unref (both.seqs);
}

static void
note_score (const UrbRunRecord *record, gpointer seen)
{
  g_string_append_printf (seen, "%d: %.2f%s\n", (int) record->scores.step, record->scores.values[URB_SCORE_PLANS],
                          record->is_best ? ", best" : "");
}

static void
note_subject (const UrbRunRecord *record, gpointer seen)
{
  g_string_append_printf (seen, "%s: %s\n", record->texts[1], record->texts[3] != NULL ? record->texts[3] : "none");
}

/* What an event is about is in its details, by the name that is of its code. */
static void
test_db_read_subject (RunTest *t, gconstpointer data)
{
  static const struct { const char *code, *details; } rows[] = {
    { "queued", "{\"run\":\"/runs/a\"}" }, { "device", "{\"device\":\"2 threads\"}" }, { "device", NULL },
    { "queued", "{\"device\":\"2 threads\"}" }, { "queued", "{\"run\":5}" }, { "device", "[" }, { "log", "{\"run\":\"a\"}" },
  };
  g_autofree char *path = g_build_filename (t->base, "run.db", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbRunDb) db = urb_run_db_open (path, &error);
  g_autoptr(GString) seen = g_string_new (NULL);

  g_assert_no_error (error);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_assert_true (urb_run_db_add_event (db, "info", rows[i].code, 0, "A sentence", &error));
      g_assert_true (rows[i].details == NULL || urb_run_db_add_details (db, rows[i].details, &error));
    }
  g_assert_true (urb_run_db_commit (db, NULL));
  g_assert_cmpint (urb_run_db_read (db, 0, 100, note_subject, seen, &error), ==, (int) G_N_ELEMENTS (rows));
  g_assert_cmpstr (seen->str, ==, "queued: /runs/a\ndevice: 2 threads\ndevice: none\nqueued: none\nqueued: none\n"
                                  "device: none\nlog: none\n");
}

/* An event tells a score by its details; those of older engines, and damaged ones, have none. */
static void
test_db_read_score (RunTest *t, gconstpointer data)
{
  static const char *const details[] = { "{\"step\":20,\"score\":1.25,\"best\":true}", "{\"step\":30,\"score\":null}", NULL,
                                         "{\"step\":", "[]", "{\"step\":\"x\",\"score\":{}}" };
  g_autofree char *path = g_build_filename (t->base, "run.db", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbRunDb) db = urb_run_db_open (path, &error);
  g_autoptr(GString) seen = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (details); i++)
    {
      g_assert_true (urb_run_db_add_event (db, "info", "score", 99, "The cities score 7.00", &error));
      if (details[i] != NULL)
        g_assert_true (urb_run_db_add_details (db, details[i], &error));
    }
  g_assert_true (urb_run_db_commit (db, NULL));
  g_assert_cmpint (urb_run_db_read (db, 0, 100, note_score, seen, &error), ==, 6);
  g_assert_no_error (error);
  g_assert_cmpstr (seen->str, ==, "20: 1.25, best\n30: nan\n99: nan\n99: nan\n99: nan\n99: nan\n");
}

/* The speed of the last steps, not of all; the best score, not the last. */
static void
test_db_summary (RunTest *t, gconstpointer data)
{
  g_autoptr(UrbRunDb) db = open_db (t);
  static const double scores[] = { 3, 1.25, NAN, 2 };
  g_autoptr(GError) error = NULL;
  UrbRunDbSummary summary;
  for (int step = 1; step <= 300; step++)
    {
      UrbStepMetrics metrics = { .step = step, .images = 8 * step, .seconds = step <= 150 ? 4 : 0.5 };
      g_assert_true (urb_run_db_add_step (db, &metrics, &error));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (scores); i++)
    {
      UrbScores values = { .step = 10 * (gint64) i, .values = { scores[i] } };
      g_assert_true (urb_run_db_add_score (db, &values, &error));
    }
  g_assert_true (urb_run_db_commit (db, &error) && urb_run_db_summarize (db, &summary, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat_with_epsilon (summary.images_per_s, 16, 1e-9);
  g_assert_cmpfloat (summary.score, ==, 1.25);
}

static void
test_db_rewind (RunTest *t, gconstpointer data)
{
  g_autoptr(UrbRunDb) db = open_db (t);
  Reader early = { .steps = g_array_new (FALSE, FALSE, sizeof (gint64)) };
  Reader late = { .steps = g_array_new (FALSE, FALSE, sizeof (gint64)) };
  g_autofree char *text = NULL, *nothing = NULL;
  gint64 before;
  add_steps (db, 1, 20);
  g_assert_true (urb_run_db_commit (db, NULL));
  read_all (db, &early, 7);
  before = urb_run_db_get_last_seq (db);
  g_assert_true (urb_run_db_rewind (db, 12, &text, NULL));
  g_assert_cmpstr (text, ==, "8 steps after step 12 will be done again");
  g_assert_cmpint (urb_run_db_get_last_seq (db), >, before);
  g_assert_cmpint (urb_run_db_get_last_step (db), ==, 12);
  add_steps (db, 13, 30);
  g_assert_true (urb_run_db_commit (db, NULL));
  read_all (db, &early, 7);
  read_all (db, &late, 100);
  /* Clients that saw the old steps and those that did not have the same history. */
  g_assert_cmpuint (early.steps->len, ==, 30);
  g_assert_cmpmem (early.steps->data, 30 * sizeof (gint64), late.steps->data,
                   late.steps->len * sizeof (gint64));
  for (gint64 i = 0; i < 30; i++)
    g_assert_cmpint (g_array_index (late.steps, gint64, i), ==, i + 1);
  before = urb_run_db_get_last_seq (db);
  g_assert_true (urb_run_db_rewind (db, 30, &nothing, NULL));
  g_assert_null (nothing);
  g_assert_cmpint (urb_run_db_get_last_seq (db), ==, before); /* nothing to roll back */
  g_array_unref (early.steps);
  g_array_unref (late.steps);
}

/* Uncommitted records are not shown, since a kill could still undo them. */
static void
test_db_reader (RunTest *t, gconstpointer data)
{
  g_autofree char *path = g_build_filename (t->base, "run.db", NULL);
  g_autoptr(UrbRunDb) db = open_db (t);
  g_autoptr(UrbRunDb) other = urb_run_db_open_reader (path, NULL);
  Reader reader = { .steps = g_array_new (FALSE, FALSE, sizeof (gint64)) };
  g_assert_nonnull (other);
  add_steps (db, 1, 5);
  read_all (other, &reader, 10);
  g_assert_cmpint (reader.n_records, ==, 0);
  g_assert_true (urb_run_db_sync (db, NULL));
  read_all (other, &reader, 10);
  g_assert_cmpint (reader.n_records, ==, 5);
  g_assert_false (urb_run_db_add_sample (other, 1, "x", NULL));
  g_array_unref (reader.steps);
}

static void
touch_record (gint64 seq, const char *json, gpointer user_data)
{
  *(gsize *) user_data += strlen (json);
}

static void
test_db_hostile (RunTest *t, gconstpointer data)
{
  g_autofree char *path = g_build_filename (t->base, "bad.db", NULL);
  g_autofree char *good = g_build_filename (t->base, "run.db", NULL);
  g_autofree char *bytes = NULL;
  gsize n;
  g_assert_true (
    g_file_set_contents (path, "this is no database, but long enough to look at", -1, NULL));
  for (int i = 0; i < 2; i++)
    {
      g_autoptr(GError) error = NULL;
      g_assert_null (i == 0 ? urb_run_db_open (path, &error)
                            : urb_run_db_open_reader (path, &error));
      g_assert_error (error, URB_RUN_ERROR, URB_RUN_ERROR_DATABASE);
    }
  {
    g_autoptr(UrbRunDb) db = open_db (t);
    add_steps (db, 1, 50);
    g_assert_true (urb_run_db_sync (db, NULL));
  }
  g_assert_true (g_file_get_contents (good, &bytes, &n, NULL));
  for (gsize i = 0; i < n; i += 97)
    {
      g_autoptr(UrbRunDb) db = NULL;
      gsize n_touched = 0;
      char kept = bytes[i];
      bytes[i] = (char) (kept ^ 0x55);
      g_assert_true (g_file_set_contents (path, bytes, (gssize) n, NULL));
      bytes[i] = kept;
      db = urb_run_db_open_reader (path, NULL);
      if (db != NULL) /* any result is fine, as long as it does not crash */
        urb_run_db_replay (db, 0, 100, touch_record, &n_touched, NULL);
    }
}

/* ------------------------------------------------------------------------ */
/* Lines                                                                     */

static void
test_json (void)
{
  JsonBuilder *json = urb_json_new ();
  g_autofree char *text = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(JsonObject) object = NULL;
  urb_json_add_string (json, "s", "a \"b\" \\ \n\t\x01 ä");
  urb_json_add_int (json, "i", G_MININT64);
  urb_json_add_double (json, "d", 0.1);
  urb_json_add_double (json, "n", NAN);
  urb_json_add_bool (json, "b", TRUE);
  text = urb_json_end (json);
  object = urb_json_parse_line (text, strlen (text), &error);
  g_assert_no_error (error);
  g_assert_cmpstr (urb_json_get_string (object, "s", NULL), ==, "a \"b\" \\ \n\t\x01 ä");
  g_assert_cmpint (urb_json_get_int (object, "i", 0), ==, G_MININT64);
  g_assert_cmpfloat (urb_json_get_double (object, "d", 0), ==, 0.1);
  g_assert_cmpfloat (urb_json_get_double (object, "n", 7), ==, 7);
  g_assert_true (urb_json_get_bool (object, "b", FALSE));
  g_assert_cmpint (urb_json_get_int (object, "s", 3), ==, 3); /* of another type */
  g_assert_null (urb_json_get_string (object, "absent", NULL));
}

static void
test_json_hostile (void)
{
  g_autofree char *deep = g_strnfill (50000, '[');
  g_autofree char *deep_object = g_strdup_printf ("{\"a\":%s", deep);
  /* Each hides from a count of brackets what json-glib would descend into. */
  g_autofree char *comment = g_strdup_printf ("{\"a\":/*\"*/%s", deep);
  g_autofree char *line_comment = g_strdup_printf ("{\"a\"://\"\n%s", deep);
  g_autofree char *closing = g_strdup_printf ("/*]]]]]]]]]]]]]]]]]]]]*/%s", deep);
  g_autofree char *single = g_strdup_printf ("{'\"':%s", deep);
  g_autofree char *hash = g_strdup_printf ("#\"\n%s", deep);
  const char *const lines[] = {
    "",
    " ",
    "{",
    "}",
    "[]",
    "1",
    "null",
    "\"x\"",
    "{\"a\":1}{\"b\":2}x",
    "{a}",
    "{\"a\":\xff}",
    deep,
    deep_object,
    comment,
    line_comment,
    closing,
    single,
    hash,
    "{\"a\":1 /* a comment */}",
    "{'a':1}",
  };
  for (gsize i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_autoptr(GError) error = NULL;
      g_assert_null (urb_json_parse_line (lines[i], strlen (lines[i]), &error));
      g_assert_error (error, URB_RUN_ERROR, URB_RUN_ERROR_PROTOCOL);
    }
  g_assert_null (urb_json_parse_line ("{\0}", 3, NULL));
}

static void
test_json_error (void)
{
  static const char foreign_text[] = "{\"error\":{\"domain\":\"of-nobody\",\"code\":9}}";
  g_autoptr(GError) error = g_error_new (URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED, "oh \"no\"");
  JsonBuilder *builder = urb_json_new ();
  g_autofree char *json = (urb_json_add_error (builder, "error", error), urb_json_end (builder));
  g_autoptr(JsonObject) object = urb_json_parse_line (json, strlen (json), NULL);
  g_autoptr(GError) back = urb_json_get_error (object, "error");
  g_autoptr(JsonObject) strange = urb_json_parse_line (foreign_text, strlen (foreign_text), NULL);
  g_autoptr(GError) foreign = urb_json_get_error (strange, "error");
  g_assert_error (back, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED);
  g_assert_cmpstr (back->message, ==, "oh \"no\"");
  g_assert_error (foreign, URB_RUN_ERROR, URB_RUN_ERROR_WORKER);
}

typedef struct
{
  GString *lines;
  gboolean closed, too_long;
} Heard;

static void
heard_line (UrbChannel *channel, const char *line, gsize length, gpointer user_data)
{
  Heard *heard = user_data;
  g_assert_cmpuint (strlen (line), ==, length);
  g_string_append_printf (heard->lines, "<%s>", line);
}

static void
heard_closed (UrbChannel *channel, gboolean too_long, gpointer user_data)
{
  Heard *heard = user_data;
  heard->closed = TRUE;
  heard->too_long = too_long;
}

static const UrbChannelOps heard_ops = { .line = heard_line, .closed = heard_closed };

static void
say (int fd, const char *text)
{
  g_assert_cmpint (write (fd, text, strlen (text)), ==, (gssize) strlen (text));
  while (g_main_context_iteration (NULL, FALSE))
    ;
}

static void
test_channel (void)
{
  Heard heard = { .lines = g_string_new (NULL) };
  g_autoptr(UrbChannel) channel = NULL;
  char bytes[64];
  int fds[2];
  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), ==, 0);
  channel = urb_channel_new (fds[0], 10, &heard_ops, &heard);
  say (fds[1], "on");
  say (fds[1], "e\ntwo\n\nthr");
  say (fds[1], "ee\n0123456789\n");
  g_assert_cmpstr (heard.lines->str, ==, "<one><two><three><0123456789>");
  urb_channel_send (channel, "hello");
  urb_channel_send (channel, "you");
  g_assert_cmpuint (urb_channel_get_pending (channel), ==, 10);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpuint (urb_channel_get_pending (channel), ==, 0);
  g_assert_cmpint (read (fds[1], bytes, sizeof bytes), ==, 10);
  g_assert_false (heard.closed);
  say (fds[1], "0123456789a");
  g_assert_true (heard.closed && heard.too_long);
  g_assert_cmpint (read (fds[1], bytes, sizeof bytes), ==, 0);
  close (fds[1]);
  g_string_free (heard.lines, TRUE);
}

/* Grids at even intervals, thinned after each. */
static void
test_samples (RunTest *t, gconstpointer data)
{
  enum { N = 3000, EVERY = 10, N_NEW = 60 };
  g_autoptr(GError) error = NULL;
  g_autoptr(GArray) kept = g_array_new (FALSE, FALSE, sizeof (gint64));
  t->folder = urb_run_folder_create (t->run, URB_RUN_FOLDER_NEW, &error);
  g_assert_no_error (error);
  for (gint64 i = 0; i < N; i++)
    {
      g_autofree char *name = urb_run_sample_name (i * EVERY);
      g_autoptr(GArray) deleted = NULL;
      write_file (t->run, name, "");
      deleted = urb_run_folder_thin_samples (t->folder);
      g_assert_cmpuint (deleted->len, <=, 3);
      for (guint d = 0; d < deleted->len; d++)
        g_assert_cmpint (g_array_index (deleted, gint64, d), <=, (i - N_NEW) * EVERY);
    }
  for (gint64 i = 0; i < N; i++)
    {
      g_autofree char *name = urb_run_sample_name (i * EVERY);
      if (exists (t->run, name))
        g_array_append_val (kept, i);
    }
  g_test_message ("%u of %d stay", kept->len, N);
  g_assert_cmpint (g_array_index (kept, gint64, 0), ==, 0);
  g_assert_cmpint (g_array_index (kept, gint64, kept->len - N_NEW), ==, N - N_NEW);
  g_assert_cmpint (kept->len, <=, urb_run_count_kept_samples (N));
  g_assert_cmpint (kept->len, >, urb_run_count_kept_samples (N) / 2);
  /* No gap is longer than a sixteenth of its age. */
  for (guint k = 1; k < kept->len; k++)
    {
      gint64 older = g_array_index (kept, gint64, k - 1), next = g_array_index (kept, gint64, k);
      g_assert_cmpint (next - older, <=, (N - 1 - older) / 16 + 1);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run/config/round-trip", test_config);
  g_test_add_func ("/run/config/damaged", test_config_damaged);
  run_test_add ("/run/folder/create", test_create);
  run_test_add ("/run/folder/refused", test_refused);
  run_test_add ("/run/folder/reuse", test_reuse);
  run_test_add ("/run/folder/not-a-run", test_not_a_run);
  run_test_add ("/run/folder/lock", test_lock);
  run_test_add ("/run/folder/checkpoints", test_checkpoints);
  run_test_add ("/run/folder/samples", test_samples);
  run_test_add ("/run/folder/checkpoints-out-of-reach", test_checkpoints_out_of_reach);
  run_test_add ("/run/db/records", test_db_records);
  run_test_add ("/run/db/details", test_db_details);
  run_test_add ("/run/db/gpu", test_db_gpu);
  run_test_add ("/run/db/scores", test_db_scores);
  run_test_add ("/run/db/read", test_db_read);
  run_test_add ("/run/db/read-score", test_db_read_score);
  run_test_add ("/run/db/read-subject", test_db_read_subject);
  run_test_add ("/run/db/summary", test_db_summary);
  run_test_add ("/run/db/rewind", test_db_rewind);
  run_test_add ("/run/db/reader", test_db_reader);
  run_test_add ("/run/db/hostile", test_db_hostile);
  g_test_add_func ("/run/json/round-trip", test_json);
  g_test_add_func ("/run/json/hostile", test_json_hostile);
  g_test_add_func ("/run/json/error", test_json_error);
  g_test_add_func ("/run/channel", test_channel);
  return g_test_run ();
}
