/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-kill-commands.c - commands that write files, killed at random moments.
 *
 * Whatever has a name that does not begin with a dot is complete; and the next call that writes into the
 * same folder removes what the killed one left, also in the folder for temporary files.
 * With -m slow each is killed 50 times.
 */
#include <signal.h>
#include <string.h>

#include <glib/gstdio.h>
#include <sqlite3.h>

#include "real-run.h"

enum { N_KILLS = 3, N_KILLS_SLOW = 50, MAX_ARGUMENTS = 20 };

/* "@" stands for the test's folder, "%" for the name of the output without its suffix. */
static const struct { const char *name, *arguments, *output; } commands[] = {
  { "sample", "sample %.gpkg --size-km 0.5", ".gpkg" },
  { "curate", "curate @/town.gpkg --out %.gpkg --resolution 64 --stride-m 25 --threads 1", ".gpkg" },
  { "generate-gpkg", "generate @/run --out %.gpkg --count 6 --threads 1", ".gpkg" },
  { "generate-svg", "generate @/run --out %.svg --count 6 --threads 1", ".svg" },
  { "generate-png", "generate @/run --out % --format png --count 6 --threads 1", "" },
  { "evaluate", "evaluate @/run --dataset @/held-out.gpkg --report % --count 6 --threads 1", "" },
};

typedef struct
{
  RealRun real;
  char   *base, *out, *tmp; /* of the test; where commands write, and their folder for temporary files */
} Fixture;

static void
use_tmp (gint64 fixture)
{
  g_setenv ("TMPDIR", ((Fixture *) (gintptr) fixture)->tmp, TRUE);
}

/* @name: of the output, in self->out */
static pid_t
spawn (Fixture *self, const char *arguments, const char *name)
{
  g_auto(GStrv) words = g_strsplit (arguments, " ", MAX_ARGUMENTS);
  g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (argv, g_strdup (g_getenv ("URBARIUM_ENGINE")));
  for (char **word = words; *word != NULL; word++)
    {
      const char *rest = *word + 1;
      if (**word == '@')
        g_ptr_array_add (argv, g_strconcat (self->base, rest, NULL));
      else if (**word == '%')
        g_ptr_array_add (argv, g_strconcat (self->out, "/", name, rest, NULL));
      else
        g_ptr_array_add (argv, g_strdup (*word));
    }
  g_ptr_array_add (argv, NULL);
  return real_run_spawn (&self->real, (const char *const *) argv->pdata);
}

static void
finish (Fixture *self, const char *arguments, const char *name)
{
  int code = real_run_wait (spawn (self, arguments, name));
  g_autofree char *said = NULL;
  g_assert_true (g_file_get_contents (self->real.said, &said, NULL, NULL));
  if (code != 0)
    g_error ("'%s' ended with %d: %s", arguments, code, said);
}

static void
assert_whole_database (const char *path)
{
  sqlite3 *db = NULL;
  sqlite3_stmt *statement = NULL;
  g_assert_cmpint (sqlite3_open_v2 (path, &db, SQLITE_OPEN_READONLY, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_prepare_v2 (db, "PRAGMA integrity_check", -1, &statement, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_step (statement), ==, SQLITE_ROW);
  g_assert_cmpstr ((const char *) sqlite3_column_text (statement, 0), ==, "ok");
  sqlite3_finalize (statement);
  sqlite3_close (db);
}

/* The ends of files that are written from front to back. */
static void
assert_whole_file (const char *path)
{
  static const struct { const char *suffix, *end; } ends[] = {
    { ".svg", "</svg>\n" }, { ".png", "IEND\xae\x42\x60\x82" }, { ".json", "}" },
  };
  g_autofree char *bytes = NULL;
  gsize n;
  if (g_str_has_suffix (path, ".gpkg"))
    assert_whole_database (path);
  g_assert_true (g_file_get_contents (path, &bytes, &n, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (ends); i++)
    if (g_str_has_suffix (path, ends[i].suffix))
      {
        gsize n_end = strlen (ends[i].end);
        g_assert_cmpuint (n, >, n_end);
        g_assert_cmpmem (bytes + n - n_end, n_end, ends[i].end, n_end);
      }
}

/* Returns: how many hidden files there are, in folders below, too; the others are whole */
static int
check_folder (const char *folder)
{
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  int n = 0;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      if (*name == '.')
        n++;
      else if (g_file_test (path, G_FILE_TEST_IS_DIR))
        n += check_folder (path);
      else
        assert_whole_file (path);
    }
  return n;
}

static gboolean
is_empty (const char *folder)
{
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);
  return g_dir_read_name (dir) == NULL;
}

/* Returns: how many hidden files the killed ones left, each time */
static int
kill_command (Fixture *self, gsize which, GRand *rand)
{
  int n_kills = g_test_slow () ? N_KILLS_SLOW : N_KILLS, n_left = 0;
  gint64 begin_us = g_get_monotonic_time ();
  double took_s;
  finish (self, commands[which].arguments, "reference");
  took_s = (double) (g_get_monotonic_time () - begin_us) / G_USEC_PER_SEC;
  for (int i = 0; i < n_kills; i++)
    {
      /* Half of the folders exist already. */
      g_autofree char *name = g_strdup_printf ("killed-%d", i / 2);
      g_autofree char *output = g_strconcat (self->out, "/", name, commands[which].output, NULL);
      pid_t pid;
      run_test_delete (output);
      pid = spawn (self, commands[which].arguments, name);
      g_usleep ((gulong) (g_rand_double (rand) * took_s * G_USEC_PER_SEC));
      kill (pid, SIGKILL);
      real_run_wait (pid);
      run_test_assert_no_process ();
      n_left += check_folder (self->out);
      run_test_delete (output);
      finish (self, commands[which].arguments, name);
      g_assert_cmpint (check_folder (self->out), ==, 0);
      g_assert_true (is_empty (self->tmp));
    }
  g_test_message ("%s: %.1f s, %d kills, %d files left and swept", commands[which].name, took_s, n_kills, n_left);
  run_test_delete (self->out);
  g_assert_cmpint (g_mkdir (self->out, 0700), ==, 0);
  return n_left;
}

static void
test_kill (RunTest *t, gconstpointer data)
{
  g_autofree char *out = g_build_filename (t->base, "out", NULL), *tmp = g_build_filename (t->base, "tmp", NULL);
  g_autofree char *town = g_build_filename (t->base, "town.gpkg", NULL);
  g_autofree char *made = g_build_filename (out, "town.gpkg", NULL);
  g_autofree char *held_out = g_build_filename (t->base, "held-out.gpkg", NULL);
  g_autofree char *made_areas = g_build_filename (out, "held-out.gpkg", NULL);
  g_autoptr(GRand) rand = g_rand_new_with_seed (3);
  Fixture self = { .base = t->base, .out = out, .tmp = tmp };
  int n_left = 0;
  if (!real_run_init (&self.real, t, 4))
    return;
  real_run_finish (&self.real, t->run, 4);
  g_assert_cmpint (g_mkdir (out, 0700) + g_mkdir (tmp, 0700), ==, 0);
  self.real.prepare = use_tmp;
  self.real.value = (gint64) (gintptr) &self;
  finish (&self, "sample %.gpkg --size-km 1", "town");
  g_assert_cmpint (g_rename (made, town), ==, 0);
  finish (&self, "curate @/town.gpkg --out %.gpkg --resolution 16 --area-size-m 100 --stride-m 50 --top 60 "
                 "--test-share 0.4 --threads 1", "held-out");
  g_assert_cmpint (g_rename (made_areas, held_out), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    n_left += kill_command (&self, i, rand);
  /* Otherwise the moments were the wrong ones. */
  if (g_test_slow ())
    g_assert_cmpint (n_left, >, 0);
  real_run_clear (&self.real);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  run_test_add ("/kill-commands/random-moments", test_kill);
  return g_test_run ();
}
