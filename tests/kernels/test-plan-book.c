/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-plan-book.c - the cuda backend's plan cache: within a process, from one process to the next, from
 * several at once, and with files written by others.
 */
#include "kernels/cuda/plan-book.h"

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
  self->folder = g_dir_make_tmp ("plan-book-XXXXXX", NULL);
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

static UkPlanBook *
open_book (const char *folder)
{
  UkPlanBook *book = NULL;

  g_assert_cmpint (uk_plan_book_open (folder, DEVICE, &book), ==, UK_OK);
  return book;
}

static void
keep (UkPlanBook *book, const char *key, const char *value)
{
  uk_plan_book_lock (book);
  uk_plan_book_keep (book, key, value);
  uk_plan_book_unlock (book);
}

/* @value: NULL if there is no entry. */
static void
check (UkPlanBook *book, const char *key, const char *value)
{
  char found[UK_PLAN_BOOK_MAX_TEXT];

  uk_plan_book_lock (book);
  if (uk_plan_book_find (book, key, found))
    g_assert_cmpstr (found, ==, value);
  else
    g_assert_null (value);
  uk_plan_book_unlock (book);
}

static void
write_text (const Fixture *self, const char *text, gssize length)
{
  g_assert_true (g_file_set_contents (self->path, text, length, NULL));
}

static void
test_round_trip (Fixture *self, gconstpointer data)
{
  UkPlanBook *book = open_book (self->folder);

  (void) data;
  check (book, "conv 1", NULL);
  keep (book, "conv 1", "0 67 2=3");
  keep (book, "conv 2", "1 0");
  keep (book, "conv 1", "0 5");
  check (book, "conv 1", "0 5");
  uk_plan_book_close (book);

  book = open_book (self->folder);
  check (book, "conv 1", "0 5");
  check (book, "conv 2", "1 0");
  check (book, "conv", NULL);
  uk_plan_book_close (book);
}

/* All backends of a process share one cache, with and without a file. */
static void
test_shared (Fixture *self, gconstpointer data)
{
  const char *folders[] = { self->folder, NULL };

  (void) data;
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      UkPlanBook *a = open_book (folders[i]), *b = open_book (folders[i]);

      keep (a, "conv", "0 1");
      check (b, "conv", "0 1");
      uk_plan_book_close (a);
      check (b, "conv", "0 1");
      uk_plan_book_close (b);
    }
  UkPlanBook *later = open_book (NULL);

  check (later, "conv", NULL);
  uk_plan_book_close (later);
}

/* Malformed lines are skipped, and omitted by the next write. */
static void
test_hostile_lines (Fixture *self, gconstpointer data)
{
  g_autoptr(GString) text = g_string_new ("urbarium-plans-1\t" DEVICE "\n");
  g_autofree char *written = NULL;
  UkPlanBook *book;

  (void) data;
  g_string_append (text, "good\t1\n\n\t\nno tab\n\tno key\nno value\t\ntwo\ttabs\there\n");
  g_string_append_len (text, "zero\0\t1\n", 8);
  g_string_append (text, "escape\x1b[31m\t1\nhigh\t\xff\xfe\n");
  g_string_append (text, "long\t");
  for (int i = 0; i < 100000; i++)
    g_string_append_c (text, '7');
  g_string_append (text, "\ngood\t2\nlast\t3\ncut off\t4");
  write_text (self, text->str, (gssize) text->len);

  book = open_book (self->folder);
  check (book, "good", "1");
  check (book, "last", "3");
  check (book, "long", NULL);
  check (book, "zero", NULL);
  check (book, "two", NULL);
  check (book, "high", NULL);
  check (book, "cut off", NULL);
  keep (book, "new", "5");
  uk_plan_book_close (book);
  g_assert_true (g_file_get_contents (self->path, &written, NULL, NULL));
  g_assert_cmpstr (written, ==,
                   "urbarium-plans-1\t" DEVICE "\ngood\t1\nlast\t3\nnew\t5\n");
}

/* A file of another format or device is ignored, whatever its name. */
static void
test_other_files (Fixture *self, gconstpointer data)
{
  static const char *const texts[] = {
    "", "\n", "good\t1\n", "urbarium-plans-2\t" DEVICE "\ngood\t1\n",
    "urbarium-plans-1\tOther GPU\ngood\t1\n", "urbarium-plans-1" DEVICE "\ngood\t1\n",
    "urbarium-plans-1\t" DEVICE,
  };

  (void) data;
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      UkPlanBook *book;

      write_text (self, texts[i], -1);
      book = open_book (self->folder);
      check (book, "good", NULL);
      uk_plan_book_close (book);
    }
}

/* A huge file is not read to its end. */
static void
test_many_lines (Fixture *self, gconstpointer data)
{
  g_autoptr(GString) text = g_string_new ("urbarium-plans-1\t" DEVICE "\n");
  UkPlanBook *book;

  (void) data;
  for (int i = 0; i < 20000; i++)
    g_string_append_printf (text, "key %d\t1\n", i);
  write_text (self, text->str, (gssize) text->len);
  book = open_book (self->folder);
  check (book, "key 0", "1");
  check (book, "key 19999", NULL);
  keep (book, "one more", "1"); /* the cache is full, which does no harm */
  uk_plan_book_close (book);
}

static void
test_no_folder (void)
{
  UkPlanBook *book = open_book ("/nonexistent/folder");
  UkPlanBook *none = NULL;

  keep (book, "conv", "0 1");
  check (book, "conv", "0 1");
  uk_plan_book_close (book);
  g_assert_cmpint (uk_plan_book_open (NULL, "a\nb", &none), ==, UK_BAD_ARGUMENT);
}

enum { N_WRITERS = 4, N_KEYS = 40 };

static void
write_many (const Fixture *self, int writer)
{
  UkPlanBook *book = open_book (self->folder);

  for (int i = 0; i < N_KEYS; i++)
    {
      g_autofree char *key = g_strdup_printf ("writer %d key %d", writer, i);

      keep (book, key, "0 67 2=3");
    }
  uk_plan_book_close (book);
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
  g_assert_cmpstr (lines[0], ==, "urbarium-plans-1\t" DEVICE);
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
  UkPlanBook *book = open_book (self->folder);
  int ends[2], status = -1;
  pid_t child;
  char signal;

  (void) data;
  g_assert_cmpint (pipe (ends), ==, 0);
  if ((child = fork ()) == 0)
    {
      uk_plan_book_lock (book);
      if (write (ends[1], "", 1) != 1)
        _exit (1);
      g_usleep (200000);
      uk_plan_book_keep (book, "conv", "0 5");
      uk_plan_book_unlock (book);
      _exit (0);
    }
  g_assert_cmpint (read (ends[0], &signal, 1), ==, 1);
  check (book, "conv", "0 5");
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
  close (ends[0]);
  close (ends[1]);
  uk_plan_book_close (book);
}

int
main (int argc, char *argv[])
{
  static const struct
  {
    const char *name;
    void      (*run) (Fixture *self, gconstpointer data);
  } tests[] = {
    { "/plan-book/round-trip", test_round_trip },
    { "/plan-book/shared", test_shared },
    { "/plan-book/hostile-lines", test_hostile_lines },
    { "/plan-book/other-files", test_other_files },
    { "/plan-book/many-lines", test_many_lines },
    { "/plan-book/writers", test_writers },
    { "/plan-book/turns", test_turns },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].name, Fixture, NULL, set_up, tests[i].run, tear_down);
  g_test_add_func ("/plan-book/no-folder", test_no_folder);
  return g_test_run ();
}
