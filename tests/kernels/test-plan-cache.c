/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-plan-cache.c - the cuda backend's plan cache: within a process, from one process to the next, from
 * several at once, and with files written by others.
 */
#include "kernels/cuda/plan-cache.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEVICE "Some GPU 9.0 132 SM driver 13000 cuDNN 91900"

typedef struct
{
  char *folder, *path, *lock; /* owned */
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  (void) data;
  self->folder = g_dir_make_tmp ("plan-cache-XXXXXX", NULL);
  g_assert_nonnull (self->folder);
  self->path = g_build_filename (self->folder,
                                 "plans-Some-GPU-9.0-132-SM-driver-13000-cuDNN-91900.txt", NULL);
  self->lock = g_strconcat (self->path, ".lock", NULL);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  (void) data;
  g_unlink (self->path);
  g_unlink (self->lock);
  g_assert_cmpint (g_rmdir (self->folder), ==, 0); /* no other file remains */
  g_free (self->path);
  g_free (self->lock);
  g_free (self->folder);
}

static UkPlanCache *
open_cache (const char *folder)
{
  UkPlanCache *cache = NULL;

  g_assert_cmpint (uk_plan_cache_open (folder, DEVICE, &cache), ==, UK_OK);
  return cache;
}

static void
keep (UkPlanCache *cache, const char *key, const char *value)
{
  uk_plan_cache_lock (cache);
  uk_plan_cache_store (cache, key, value);
  uk_plan_cache_unlock (cache);
}

/* @value: NULL if there is no entry. */
static void
check (UkPlanCache *cache, const char *key, const char *value)
{
  char found[UK_PLAN_CACHE_MAX_TEXT];

  uk_plan_cache_lock (cache);
  if (uk_plan_cache_find (cache, key, found))
    g_assert_cmpstr (found, ==, value);
  else
    g_assert_null (value);
  uk_plan_cache_unlock (cache);
}

static void
write_text (const Fixture *self, const char *text, gssize length)
{
  g_assert_true (g_file_set_contents (self->path, text, length, NULL));
}

static void
test_round_trip (Fixture *self, gconstpointer data)
{
  UkPlanCache *cache = open_cache (self->folder);

  (void) data;
  check (cache, "conv 1", NULL);
  keep (cache, "conv 1", "0 67 2=3");
  keep (cache, "conv 2", "1 0");
  keep (cache, "conv 1", "0 5");
  check (cache, "conv 1", "0 5");
  uk_plan_cache_close (cache);

  cache = open_cache (self->folder);
  check (cache, "conv 1", "0 5");
  check (cache, "conv 2", "1 0");
  check (cache, "conv", NULL);
  uk_plan_cache_close (cache);
}

/* All backends of a process share one cache, with and without a file. */
static void
test_shared (Fixture *self, gconstpointer data)
{
  const char *folders[] = { self->folder, NULL };

  (void) data;
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      UkPlanCache *a = open_cache (folders[i]), *b = open_cache (folders[i]);

      keep (a, "conv", "0 1");
      check (b, "conv", "0 1");
      uk_plan_cache_close (a);
      check (b, "conv", "0 1");
      uk_plan_cache_close (b);
    }
  UkPlanCache *later = open_cache (NULL);

  check (later, "conv", NULL);
  uk_plan_cache_close (later);
}

/* Malformed lines are skipped, and omitted by the next write. */
static void
test_hostile_lines (Fixture *self, gconstpointer data)
{
  g_autoptr(GString) text = g_string_new ("urbarium-plans-2\t" DEVICE "\n");
  g_autofree char *written = NULL;
  UkPlanCache *cache;

  (void) data;
  g_string_append (text, "good\t1\n\n\t\nno tab\n\tno key\nno value\t\ntwo\ttabs\there\n");
  g_string_append_len (text, "zero\0\t1\n", 8);
  g_string_append (text, "escape\x1b[31m\t1\nhigh\t\xff\xfe\n");
  g_string_append (text, "long\t");
  for (int i = 0; i < 100000; i++)
    g_string_append_c (text, '7');
  g_string_append (text, "\ngood\t2\nlast\t3\ncut off\t4");
  write_text (self, text->str, (gssize) text->len);

  cache = open_cache (self->folder);
  check (cache, "good", "1");
  check (cache, "last", "3");
  check (cache, "long", NULL);
  check (cache, "zero", NULL);
  check (cache, "two", NULL);
  check (cache, "high", NULL);
  check (cache, "cut off", NULL);
  keep (cache, "new", "5");
  uk_plan_cache_close (cache);
  g_assert_true (g_file_get_contents (self->path, &written, NULL, NULL));
  g_assert_cmpstr (written, ==,
                   "urbarium-plans-2\t" DEVICE "\ngood\t1\nlast\t3\nnew\t5\n");
}

/* A file of another format or device is ignored, whatever its name. */
static void
test_other_files (Fixture *self, gconstpointer data)
{
  static const char *const texts[] = {
    "", "\n", "good\t1\n", "urbarium-plans-1\t" DEVICE "\ngood\t1\n",
    "urbarium-plans-2\tOther GPU\ngood\t1\n", "urbarium-plans-2" DEVICE "\ngood\t1\n",
    "urbarium-plans-2\t" DEVICE,
  };

  (void) data;
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      UkPlanCache *cache;

      write_text (self, texts[i], -1);
      cache = open_cache (self->folder);
      check (cache, "good", NULL);
      uk_plan_cache_close (cache);
    }
}

/* Each is a file; one that belongs to another key or device, or is damaged, is as good as none. */
static void
test_long (Fixture *self, gconstpointer data)
{
#define OWN "urbarium-plans-2\t" DEVICE "\nconv 1\n"
  static const char *const texts[] = {
    "", OWN, OWN "{\0}", "urbarium-plans-2\tOther GPU\nconv 1\n{}", "urbarium-plans-2\t" DEVICE "\nconv 2\n{}",
    "urbarium-plans-2\t" DEVICE "\nconv 1{}",
  };
  static const gssize lengths[] = { 0, -1, sizeof OWN "{\0}" - 1, -1, -1, -1 };
  g_autofree char *text = g_strnfill (300000, '{'), *path = NULL;
  g_autoptr(GDir) folder = NULL;
  UkPlanCache *cache = open_cache (self->folder);
  char *found;

  (void) data;
  g_assert_null (uk_plan_cache_find_long (cache, "conv 1"));
  uk_plan_cache_store_long (cache, "conv 1", text);
  found = uk_plan_cache_find_long (cache, "conv 1");
  g_assert_cmpstr (found, ==, text);
  free (found);
  g_assert_null (uk_plan_cache_find_long (cache, "conv 2"));
  folder = g_dir_open (self->folder, 0, NULL);
  path = g_build_filename (self->folder, g_dir_read_name (folder), NULL);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_assert_true (g_file_set_contents (path, texts[i], lengths[i], NULL));
      g_assert_null (uk_plan_cache_find_long (cache, "conv 1"));
    }
  g_assert_cmpint (g_unlink (path), ==, 0);
  uk_plan_cache_close (cache);
#undef OWN
}

/* A huge file is not read to its end. */
static void
test_many_lines (Fixture *self, gconstpointer data)
{
  g_autoptr(GString) text = g_string_new ("urbarium-plans-2\t" DEVICE "\n");
  UkPlanCache *cache;

  (void) data;
  for (int i = 0; i < 20000; i++)
    g_string_append_printf (text, "key %d\t1\n", i);
  write_text (self, text->str, (gssize) text->len);
  cache = open_cache (self->folder);
  check (cache, "key 0", "1");
  check (cache, "key 19999", NULL);
  keep (cache, "one more", "1"); /* the cache is full, which does no harm */
  uk_plan_cache_close (cache);
}

static void
test_no_folder (void)
{
  UkPlanCache *cache = open_cache ("/nonexistent/folder");
  UkPlanCache *none = NULL;

  keep (cache, "conv", "0 1");
  check (cache, "conv", "0 1");
  uk_plan_cache_close (cache);
  g_assert_cmpint (uk_plan_cache_open (NULL, "a\nb", &none), ==, UK_BAD_ARGUMENT);
}

enum { N_WRITERS = 4, N_KEYS = 40 };

static void
write_many (const Fixture *self, int writer)
{
  UkPlanCache *cache = open_cache (self->folder);

  for (int i = 0; i < N_KEYS; i++)
    {
      g_autofree char *key = g_strdup_printf ("writer %d key %d", writer, i);

      keep (cache, key, "0 67 2=3");
    }
  uk_plan_cache_close (cache);
}

/* Every line is complete, and none is missing. */
static void
test_writers (Fixture *self, gconstpointer data)
{
  pid_t children[N_WRITERS];
  g_autofree char *text = NULL;
  g_auto(GStrv) lines = NULL;
  int n_lines = 0;

  (void) data;
  for (int i = 0; i < N_WRITERS; i++)
    if ((children[i] = fork ()) == 0)
      {
        write_many (self, i);
        _exit (0);
      }
  for (int i = 0; i < N_WRITERS; i++)
    {
      int status = -1;

      g_assert_cmpint (waitpid (children[i], &status, 0), ==, children[i]);
      g_assert_cmpint (status, ==, 0);
    }
  g_assert_true (g_file_get_contents (self->path, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  g_assert_cmpstr (lines[0], ==, "urbarium-plans-2\t" DEVICE);
  for (guint i = 1; lines[i] != NULL && lines[i][0] != '\0'; i++)
    {
      int writer = -1, key = -1, end = 0;

      g_assert_cmpint (sscanf (lines[i], "writer %d key %d\t0 67 2=3%n", &writer, &key, &end), ==,
                       2);
      g_assert_cmpint (end, ==, (int) strlen (lines[i]));
      g_assert_cmpint (writer, >=, 0);
      g_assert_cmpint (writer, <, N_WRITERS);
      n_lines++;
    }
  g_assert_cmpint (n_lines, ==, N_WRITERS * N_KEYS);
}

/* While one process times a problem, another waits for the result. */
static void
test_turns (Fixture *self, gconstpointer data)
{
  UkPlanCache *cache = open_cache (self->folder);
  int ends[2], status = -1;
  pid_t child;
  char signal;

  (void) data;
  g_assert_cmpint (pipe (ends), ==, 0);
  if ((child = fork ()) == 0)
    {
      uk_plan_cache_lock (cache);
      if (write (ends[1], "", 1) != 1)
        _exit (1);
      g_usleep (200000);
      uk_plan_cache_store (cache, "conv", "0 5");
      uk_plan_cache_unlock (cache);
      _exit (0);
    }
  g_assert_cmpint (read (ends[0], &signal, 1), ==, 1);
  check (cache, "conv", "0 5");
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
  close (ends[0]);
  close (ends[1]);
  uk_plan_cache_close (cache);
}

int
main (int argc, char *argv[])
{
  static const struct
  {
    const char *name;
    void      (*run) (Fixture *self, gconstpointer data);
  } tests[] = {
    { "/plan-cache/round-trip", test_round_trip },
    { "/plan-cache/shared", test_shared },
    { "/plan-cache/hostile-lines", test_hostile_lines },
    { "/plan-cache/other-files", test_other_files },
    { "/plan-cache/many-lines", test_many_lines },
    { "/plan-cache/long", test_long },
    { "/plan-cache/writers", test_writers },
    { "/plan-cache/turns", test_turns },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].name, Fixture, NULL, set_up, tests[i].run, tear_down);
  g_test_add_func ("/plan-cache/no-folder", test_no_folder);
  return g_test_run ();
}
