/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-tensorboard.c - what a run writes for TensorBoard, read back by TensorBoard.
 */
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/resource.h>

#include <glib/gstdio.h>

#include "run/store/checkpoint-values.h"
#include "run/store/event-file.h"
#include "run/store/earlier-events.h"
#include "run/store/tensorboard.h"
#include "supervised.h"

/* As TensorBoard's own RecordWriter writes it. */
static void
test_frame (RunTest *t, gconstpointer data)
{
  static const guint8 expected[] = { 0x09, 0, 0, 0, 0, 0, 0, 0, 0x37, 0xf9, 0x71, 0x39, '1', '2', '3', '4', '5', '6', '7', '8',
                                     '9', 0xe5, 0xb0, 0x8a, 0xc7 };
  g_autoptr(GByteArray) out = g_byte_array_new ();

  urb_event_file_frame ((const guint8 *) "123456789", 9, out);
  g_assert_cmpmem (out->data, out->len, expected, sizeof expected);
}

static guint
count_events (RunTest *t)
{
  g_autofree char *path = g_build_filename (t->run, "tensorboard", NULL);
  g_autoptr(GDir) dir = g_dir_open (path, 0, NULL);
  guint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

/* A worker dies, so that steps are done twice; the run is resumed.  One file then has all that run.db has. */
static void
test_read (RunTest *t, gconstpointer data)
{
  const char *python = g_getenv ("URBARIUM_TENSORBOARD_PYTHON");
  g_autofree char *script = g_test_build_filename (G_TEST_DIST, "engine", "run", "read-tensorboard.py", NULL);
  const char *argv[] = { python != NULL ? python : "python3", script, t->run, NULL };
  g_autoptr(Supervised) f = supervised_new (t);
  g_autoptr(GError) error = NULL;
  g_autofree char *said = NULL;
  int status;

  for (int n_steps = 30; n_steps <= 45; n_steps += 15)
    {
      g_auto(UrbRunConfig) config = { 0 };
      UrbSupervisorOptions options = supervised_make_options (f);
      g_autoptr(GError) failure = NULL;

      supervised_fill_config (t, &config, "kill=17", n_steps);
      config.train.batch = 4;
      config.tensorboard = TRUE;
      config.hook = g_strdup ("true s3cret");
      config.hook_on = g_strdup ("end");
      supervised_prepare (f, &config, &options);
      g_assert_true (urb_run_folder_save_config (t->folder, &config, &failure));
      supervised_finish (f);
      g_assert_cmpuint (count_events (t), ==, 1);
    }
  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL,
                               &said, &status, &error));
  g_assert_no_error (error);
  if (status == 77 << 8)
    g_test_skip ("there is no TensorBoard: URBARIUM_TENSORBOARD_PYTHON may name a Python that has it");
  else if (status != 0)
    g_error ("%s", said);
}

static UrbTensorboard *
open_again (RunTest *t)
{
  g_autofree char *folder = g_build_filename (t->run, "tensorboard", NULL);
  g_autoptr(GError) error = NULL;
  UrbTensorboard *tensorboard = urb_tensorboard_new (t->run, folder, &error);

  g_assert_no_error (error);
  return tensorboard;
}

/* ------------------------------------------------------------------------ */
/* Histograms of deleted checkpoints, and sample grids that are gone         */

/* Of the checkpoints of a run. */
typedef struct
{
  RunTest            *test;
  UrbEarlierEvents *read;
  GPtrArray          *found; /* (element-type GPtrArray) owned */
  int                 n_missing;
} Kept;

static void
find_cb (const UrbRunRecord *record, gpointer user_data)
{
  Kept *kept = user_data;
  GPtrArray *counts;

  if (record->type != URB_RUN_RECORD_CHECKPOINT)
    return;
  counts = urb_earlier_events_steal_histograms (kept->read, record->time, record->step);
  if (counts != NULL)
    g_ptr_array_add (kept->found, counts);
  else
    kept->n_missing++;
}

static char *
dup_event_file (RunTest *t)
{
  g_autofree char *folder = g_build_filename (t->run, "tensorboard", NULL);
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);

  return g_build_filename (folder, g_dir_read_name (dir), NULL);
}

/* Returns: (transfer full) (element-type GPtrArray): of each checkpoint; @n_missing: of how many there are none */
static GPtrArray *
read_kept (RunTest *t, int *n_missing)
{
  g_autofree char *db_path = g_build_filename (t->run, "run.db", NULL), *path = dup_event_file (t);
  g_autoptr(UrbRunDb) db = urb_run_db_open_reader (db_path, NULL);
  g_autoptr(UrbEarlierEvents) read = urb_earlier_events_new ();
  Kept kept = { t, read, g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref), 0 };

  urb_earlier_events_read (read, path);
  g_assert_cmpint (urb_run_db_read (db, 0, 100000, find_cb, &kept, NULL), >, 0);
  *n_missing = kept.n_missing;
  return kept.found;
}

static void
assert_same (GPtrArray *a, GPtrArray *b)
{
  g_assert_cmpuint (a->len, ==, b->len);
  for (guint i = 0; i < a->len; i++)
    {
      GPtrArray *first = a->pdata[i], *second = b->pdata[i];

      g_assert_cmpuint (first->len, ==, second->len);
      for (guint k = 0; k < first->len; k++)
        {
          const UrbValueCounts *x = first->pdata[k], *y = second->pdata[k];

          g_assert_cmpstr (x->tag, ==, y->tag);
          g_assert_true (x->min == y->min && x->max == y->max);
          g_assert_cmpmem (x->counts, sizeof x->counts, y->counts, sizeof y->counts);
        }
    }
}

/* Follows the run until all checkpoints are counted. */
static GPtrArray *
count_all (RunTest *t)
{
  g_autoptr(UrbTensorboard) tensorboard = open_again (t);
  GPtrArray *found = NULL;
  int n_missing = 1;

  while (n_missing > 0)
    {
      g_clear_pointer (&found, g_ptr_array_unref);
      g_assert_true (urb_tensorboard_follow (tensorboard, NULL));
      g_usleep (10000);
      found = read_kept (t, &n_missing);
    }
  return found;
}

static void
follow_once (RunTest *t)
{
  g_autoptr(UrbTensorboard) tensorboard = open_again (t);

  g_assert_true (urb_tensorboard_follow (tensorboard, NULL));
}

static void
delete_checkpoints (RunTest *t)
{
  g_autofree char *folder = g_build_filename (t->run, "checkpoints", NULL);
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_assert_cmpint (g_unlink (path), ==, 0);
    }
}

/* Those of checkpoints that are gone are taken from the file before; not from one that is cut off. */
static void
test_kept (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autoptr(GPtrArray) counted = NULL, kept = NULL, again = NULL, cut = NULL;
  g_autofree char *path = NULL, *bytes = NULL;
  gsize n;
  int n_missing;

  g_assert_true (supervised_run (f, "", 30));
  counted = count_all (t);
  g_assert_cmpuint (counted->len, ==, 3);
  delete_checkpoints (t);
  follow_once (t);
  kept = read_kept (t, &n_missing);
  assert_same (kept, counted);
  follow_once (t);
  again = read_kept (t, &n_missing);
  assert_same (again, counted);
  path = dup_event_file (t);
  g_assert_true (g_file_get_contents (path, &bytes, &n, NULL));
  g_assert_true (g_file_set_contents (path, bytes, (gssize) n / 2, NULL));
  follow_once (t);
  cut = read_kept (t, &n_missing);
  g_assert_cmpint (n_missing, >, 0);
  g_assert_cmpuint (cut->len + (guint) n_missing, ==, 3);
}

static void
look_cb (const UrbRunRecord *record, gpointer user_data)
{
  Kept *kept = user_data;
  g_autofree char *bytes = NULL;
  gsize n;

  if (record->type != URB_RUN_RECORD_SAMPLE)
    return;
  bytes = urb_earlier_events_read_image (kept->read, record->time, record->step, &n);
  if (bytes == NULL)
    kept->n_missing++;
  else
    g_ptr_array_add (kept->found, g_strndup (bytes, n));
}

/* Returns: (transfer full) (element-type utf8): the sample grids in the file of events; @n_missing: those that it lacks */
static GPtrArray *
read_images (RunTest *t, int *n_missing)
{
  g_autofree char *db_path = g_build_filename (t->run, "run.db", NULL), *path = dup_event_file (t);
  g_autoptr(UrbRunDb) db = urb_run_db_open_reader (db_path, NULL);
  g_autoptr(UrbEarlierEvents) read = urb_earlier_events_new ();
  Kept kept = { t, read, g_ptr_array_new_with_free_func (g_free), 0 };

  urb_earlier_events_read (read, path);
  g_assert_cmpint (urb_run_db_read (db, 0, 100000, look_cb, &kept, NULL), >, 0);
  *n_missing = kept.n_missing;
  return kept.found;
}

/* All that is there begins as an image of 3 x 2. */
static void
draw_samples (RunTest *t)
{
  static const char head[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\3\0\0\0\2";
  g_autofree char *folder = g_build_filename (t->run, "samples", NULL);
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_assert_true (g_file_set_contents (path, head, sizeof head - 1, NULL));
    }
}

/* Sample grids that were thinned since are taken from the file before. */
static void
test_thinned (RunTest *t, gconstpointer data)
{
  g_autoptr(Supervised) f = supervised_new (t);
  g_autoptr(GPtrArray) drawn = NULL, kept = NULL, none = NULL;
  g_autofree char *samples = g_build_filename (t->run, "samples", NULL), *away = g_build_filename (t->run, "away", NULL);
  g_autofree char *path = NULL;
  int n_missing;

  g_assert_true (supervised_run (f, "", 30));
  draw_samples (t);
  follow_once (t);
  drawn = read_images (t, &n_missing);
  g_assert_cmpint (n_missing, ==, 0);
  g_assert_cmpuint (drawn->len, ==, 7); /* also before the first step */
  g_assert_cmpint (g_rename (samples, away), ==, 0);
  for (int i = 0; i < 2; i++)
    {
      follow_once (t);
      g_clear_pointer (&kept, g_ptr_array_unref);
      kept = read_images (t, &n_missing);
      g_assert_cmpint (n_missing, ==, 0);
      for (guint k = 0; k < drawn->len; k++)
        g_assert_cmpstr (kept->pdata[k], ==, drawn->pdata[k]);
    }
  path = dup_event_file (t);
  g_assert_cmpint (g_unlink (path), ==, 0);
  follow_once (t);
  none = read_images (t, &n_missing);
  g_assert_cmpuint (none->len, ==, 0);
}

/* With right checksums. */
static void
read_bytes (RunTest *t, const guint8 *bytes, gsize n)
{
  g_autofree char *path = g_build_filename (t->base, "events", NULL);
  g_autoptr(GByteArray) file = g_byte_array_new ();
  g_autoptr(UrbEarlierEvents) read = urb_earlier_events_new ();

  urb_event_file_frame (bytes, n, file);
  g_assert_true (g_file_set_contents (path, (const char *) file->data, file->len, NULL));
  urb_earlier_events_read (read, path);
}

/* A file of a stranger is read no farther than it goes. */
static void
test_strange (RunTest *t, gconstpointer data)
{
  g_autofree char *path = g_build_filename (t->base, "source", NULL);
  g_autofree char *bytes = NULL;
  g_autoptr(UrbEventFile) file = urb_event_file_new (path, 1, NULL);
  const gint64 counts[URB_N_VALUE_BINS] = { 3 };
  gsize before, n;

  g_assert_true (urb_event_file_flush (file, NULL));
  g_assert_true (g_file_get_contents (path, &bytes, &before, NULL));
  g_clear_pointer (&bytes, g_free);
  urb_event_file_begin (file, 2, 10);
  urb_event_file_add_histogram (file, "weights/g.0.weight", -1, 1, counts, URB_N_VALUE_BINS);
  urb_event_file_end (file);
  g_assert_true (urb_event_file_flush (file, NULL));
  g_assert_true (g_file_get_contents (path, &bytes, &n, NULL));
  for (gsize at = before + 12; at + 4 < MIN (n, before + 160); at++)
    for (int flip = 1; flip < 256; flip *= 4)
      {
        bytes[at] = (char) (bytes[at] ^ flip);
        read_bytes (t, (const guint8 *) bytes + before + 12, n - before - 16);
        bytes[at] = (char) (bytes[at] ^ flip);
      }
  for (gsize length = 0; length < 60; length++)
    read_bytes (t, (const guint8 *) bytes + before + 12, length);
}

/* A named pipe, to which nobody writes, is no such file. */
static void
test_pipe (RunTest *t, gconstpointer data)
{
  g_autofree char *path = g_build_filename (t->base, "pipe", NULL);
  g_autoptr(UrbEarlierEvents) found = urb_earlier_events_new ();

  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  urb_earlier_events_read (found, path);
  g_assert_null (urb_earlier_events_steal_histograms (found, 1, 10));
}

/* ------------------------------------------------------------------------ */
/* Errors                                                                    */

/* Fails at each call with the same reason, and does nothing worse. */
static void
assert_fails (UrbTensorboard *tensorboard, const char *why)
{
  for (int i = 0; i < 3; i++)
    {
      g_autoptr(GError) error = NULL;

      g_assert_false (urb_tensorboard_follow (tensorboard, &error));
      g_assert_nonnull (strstr (error->message, why));
    }
}

/* No more room for the events. */
static void
check_full (RunTest *t)
{
  g_autoptr(UrbTensorboard) tensorboard = open_again (t);
  struct rlimit before, small;

  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &before), ==, 0);
  small = (struct rlimit) { .rlim_cur = 100, .rlim_max = before.rlim_max };
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &small), ==, 0);
  assert_fails (tensorboard, "File too large");
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
}

/* A checkpoint that cannot be read is left out. */
static void
check_damaged_checkpoint (RunTest *t)
{
  g_autofree char *checkpoint = g_build_filename (t->run, "checkpoints", "step-000000012.safetensors", NULL);
  g_autofree char *noise = g_strnfill (1 << 16, '?');
  g_autoptr(UrbTensorboard) tensorboard = open_again (t);
  g_autoptr(GError) error = NULL;

  g_assert_true (g_file_test (checkpoint, G_FILE_TEST_IS_REGULAR));
  g_assert_true (g_file_set_contents (checkpoint, noise, -1, NULL));
  g_assert_true (urb_tensorboard_follow (tensorboard, &error));
  g_assert_no_error (error);
}

static void
check_damaged_database (RunTest *t)
{
  g_autofree char *db = g_build_filename (t->run, "run.db", NULL), *noise = g_strnfill (1 << 16, '?');
  g_autoptr(UrbTensorboard) tensorboard = open_again (t);

  /* In place, as by a failing disk. */
  g_assert_true (g_file_set_contents_full (db, noise, 1 << 16, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
  assert_fails (tensorboard, "run.db");
}

static void
test_errors (RunTest *t, gconstpointer data)
{
  void (*before) (int) = signal (SIGXFSZ, SIG_IGN);
  g_autoptr(Supervised) f = supervised_new (t);

  g_assert_true (supervised_run (f, "", 12));
  check_full (t);
  check_damaged_checkpoint (t);
  check_damaged_database (t);
  signal (SIGXFSZ, before);
}

int
main (int argc, char **argv)
{
  int code = fake_job_main (argc, argv, &fake_job);

  if (code >= 0)
    return code;
  g_test_init (&argc, &argv, NULL);
  run_test_add ("/tensorboard/frame", test_frame);
  run_test_add ("/tensorboard/read", test_read);
  run_test_add ("/tensorboard/kept", test_kept);
  run_test_add ("/tensorboard/thinned", test_thinned);
  run_test_add ("/tensorboard/strange", test_strange);
  run_test_add ("/tensorboard/pipe", test_pipe);
  run_test_add ("/tensorboard/errors", test_errors);
  return g_test_run ();
}
