/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-place.c - the folder of the real program's run is moved, deleted or made
 * another's while it trains, or its folders are links to those of another run.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "real-run.h"

enum { ENDLESS = 100000000 };

static void
write_file (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_assert_true (g_file_set_contents (path, name, -1, NULL));
}

/* Asserts that it has what write_file() wrote. */
static void
assert_untouched (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *text = NULL;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, name);
}

static void
rename_in (const char *folder, const char *from, const char *to)
{
  g_autofree char *old = g_build_filename (folder, from, NULL), *new = g_build_filename (folder, to, NULL);
  g_assert_cmpint (g_rename (old, new), ==, 0);
}

/* What was done is saved where the folder is now, and what took its place stays as it is. */
static void
test_moved (RunTest *t, gconstpointer data)
{
  static const char *const another[] = { "run.ini", "checkpoints/step-000000002.safetensors",
                                         "checkpoints/.step-000000002.safetensors.1.tmp",
                                         "samples/step-999999999.png" };
  g_auto(RealRun) f = { .more = data };
  g_autofree char *moved = g_build_filename (t->base, "moved", NULL);
  g_autofree char *checkpoints = g_build_filename (t->run, "checkpoints", NULL);
  g_autofree char *samples = g_build_filename (t->run, "samples", NULL);
  g_autofree char *said = NULL;
  gint64 newest;
  pid_t supervisor;
  if (!real_run_init (&f, t, ENDLESS))
    return;
  supervisor = real_run_start (&f, t->run, ENDLESS);
  real_run_wait_for_steps (t->run);
  g_assert_cmpint (g_rename (t->run, moved), ==, 0);
  g_assert_cmpint (g_mkdir (t->run, 0700), ==, 0);
  g_assert_cmpint (g_mkdir (checkpoints, 0700), ==, 0);
  g_assert_cmpint (g_mkdir (samples, 0700), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (another); i++)
    write_file (t->run, another[i]);
  said = real_run_fail (&f, supervisor);
  g_assert_nonnull (strstr (said, "was moved while it trained"));
  g_assert_nonnull (strstr (said, moved));
  run_test_assert_no_process ();
  for (gsize i = 0; i < G_N_ELEMENTS (another); i++)
    assert_untouched (t->run, another[i]);
  real_run_assert_nothing_left (moved);
  real_run_assert_nothing_torn (moved);
  newest = urb_run_folder_get_newest_checkpoint (moved);
  g_assert_cmpint (newest, >, 0);
  g_assert_cmpint (newest, ==, real_run_query (moved, "SELECT max(step) FROM step"));
  real_run_finish (&f, moved, (int) newest + 5);
}

static void
test_deleted (RunTest *t, gconstpointer data)
{
  g_auto(RealRun) f = { 0 };
  g_autofree char *said = NULL;
  pid_t supervisor;
  if (!real_run_init (&f, t, ENDLESS))
    return;
  supervisor = real_run_start (&f, t->run, ENDLESS);
  real_run_wait_for_steps (t->run);
  /* It goes on to write there for a moment. */
  while (g_file_test (t->run, G_FILE_TEST_EXISTS))
    run_test_delete (t->run);
  said = real_run_fail (&f, supervisor);
  g_assert_nonnull (strstr (said, "was deleted or replaced while it trained"));
  run_test_assert_no_process ();
  g_assert_false (g_file_test (t->run, G_FILE_TEST_EXISTS));
}

/* Its files are deleted or replaced one by one. */
static void
test_replaced (RunTest *t, gconstpointer data)
{
  static const struct { const char *name; gboolean again; } files[] = {
    { "lock", FALSE }, { "lock", TRUE }, { "run.db", FALSE }, { "run.db", TRUE }, { "checkpoints", TRUE },
  };
  g_auto(RealRun) f = { 0 };
  if (!real_run_init (&f, t, ENDLESS))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *run = g_strdup_printf ("%s-%u", t->run, (guint) i), *said = NULL;
      pid_t supervisor = real_run_start (&f, run, ENDLESS);
      real_run_wait_for_steps (run);
      rename_in (run, files[i].name, "before");
      if (files[i].again)
        write_file (run, files[i].name);
      said = real_run_fail (&f, supervisor);
      g_assert_nonnull (strstr (said, "was deleted or replaced while it trained"));
      run_test_assert_no_process ();
      if (files[i].again)
        assert_untouched (run, files[i].name);
    }
}

static gint64
count_checkpoints (const char *run)
{
  g_autoptr(GArray) steps = urb_run_folder_list_checkpoints (run);
  return steps->len;
}

/* Otherwise a run would delete the other's checkpoints when it is resumed, or begun again. */
static void
test_links (RunTest *t, gconstpointer data)
{
  static const char *const names[] = { "checkpoints", "samples" };
  g_auto(RealRun) f = { 0 };
  g_autofree char *other = g_build_filename (t->base, "other", NULL);
  gint64 n_before;
  if (!real_run_init (&f, t, 20))
    return;
  real_run_finish (&f, other, 12);
  n_before = count_checkpoints (other);
  g_assert_cmpint (n_before, >, 1);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *run = g_strdup_printf ("%s-%u", t->run, (guint) i);
      g_autofree char *name = g_build_filename (run, names[i], NULL);
      g_autofree char *target = g_build_filename (other, names[i], NULL);
      g_autofree char *begun = NULL, *resumed = NULL;
      const char *const again[] = { g_getenv ("URBARIUM_ENGINE"), "train", "--dataset", f.dataset, "--run", run,
                                    "--preset", f.preset, "--steps", "4", "--force", NULL };
      real_run_finish (&f, run, 4);
      run_test_delete (name);
      g_assert_cmpint (symlink (target, name), ==, 0);
      resumed = real_run_fail (&f, real_run_start (&f, run, 6));
      g_assert_nonnull (strstr (resumed, "is a link or a file"));
      begun = real_run_fail (&f, real_run_spawn (&f, again));
      g_assert_nonnull (strstr (begun, "is a link or a file"));
      g_assert_cmpint (count_checkpoints (other), ==, n_before);
    }
  real_run_finish (&f, other, 20);
}

int
main (int argc, char **argv)
{
  static const char *const team[] = { "--strategy", "hogwild:2", NULL };
  g_test_init (&argc, &argv, NULL);
  run_test_add ("/place/moved/single", test_moved);
  run_test_add_with ("/place/moved/hogwild", test_moved, team);
  run_test_add ("/place/deleted", test_deleted);
  run_test_add ("/place/replaced", test_replaced);
  run_test_add ("/place/links", test_links);
  return g_test_run ();
}
