/* SPDX-License-Identifier: Apache-2.0 */
/* test-engine-program.c - the engine as a child process: safe start, errors. */
#include "app-test.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "engine-failure.h"

enum { FORKED = 99 };

static gboolean watching; /* whether a fork is a failure */

static void
forked_cb (void)
{
  if (watching)
    _exit (FORKED);
}

/* A child that runs other libraries' fork handlers may wait forever for a lock of a thread that it
 * does not have, and the window for the child. */
static void
test_runs_no_fork_handlers (void)
{
  const char *const args[] = { "--version", NULL };
  g_autoptr(GError) error = NULL;
  g_autoptr(GAsyncResult) result = NULL;
  g_autofree char *text = NULL;
  watching = TRUE;
  urbarium_engine_program_run_async (args, NULL, NULL, test_finished_cb, &result);
  watching = FALSE;
  test_until (test_has_result, &result);
  text = urbarium_engine_program_run_finish (result, &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (text, "urbarium"));
}

/* A run that outlives the window inherits no file descriptors. */
static void
test_inherits_nothing (void)
{
  int fd = open ("/dev/null", O_RDONLY); /* as libraries open files: without O_CLOEXEC */
  const char *const args[] = { "-c", "ls /proc/self/fd", NULL };
  g_autoptr(GError) error = NULL;
  g_autoptr(GAsyncResult) result = NULL;
  g_autofree char *text = NULL;
  g_autofree char *number = g_strdup_printf ("\n%d\n", fd);
  g_autofree char *before = g_strdup (g_getenv ("URBARIUM_ENGINE"));
  g_assert_cmpint (fd, >, 3); /* 3 is opened by ls itself */
  g_setenv ("URBARIUM_ENGINE", "/bin/sh", TRUE);
  urbarium_engine_program_run_async (args, NULL, NULL, test_finished_cb, &result);
  if (before != NULL)
    g_setenv ("URBARIUM_ENGINE", before, TRUE);
  else
    g_unsetenv ("URBARIUM_ENGINE");
  test_until (test_has_result, &result);
  text = urbarium_engine_program_run_finish (result, &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (text, "0\n1\n2\n"));
  g_assert_null (strstr (text, number));
  close (fd);
}

/* Settings are passed on standard input; a program that does not read it is no error. */
static void
test_input (void)
{
  static const char *const scripts[] = { "cat", "echo '[run]'" };
  g_autofree char *before = g_strdup (g_getenv ("URBARIUM_ENGINE"));
  g_setenv ("URBARIUM_ENGINE", "/bin/sh", TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (scripts); i++)
    {
      const char *const args[] = { "-c", scripts[i], NULL };
      g_autoptr(GError) error = NULL;
      g_autoptr(GAsyncResult) result = NULL;
      g_autofree char *text = NULL;
      watching = TRUE;
      urbarium_engine_program_run_async (args, "[run]\n", NULL, test_finished_cb, &result);
      watching = FALSE;
      test_until (test_has_result, &result);
      text = urbarium_engine_program_run_finish (result, &error);
      g_assert_no_error (error);
      g_assert_cmpstr (text, ==, "[run]\n");
    }
  if (before != NULL)
    g_setenv ("URBARIUM_ENGINE", before, TRUE);
  else
    g_unsetenv ("URBARIUM_ENGINE");
}

/* Domain and code are reported, too, for translation into other messages. */
static void
test_complaint (void)
{
  const char *const args[] = { "resume", "/nowhere/run", NULL };
  const char *const nonsense[] = { "resume", "--fast", NULL };
  g_autoptr(GError) error = test_engine_fail (args), wrong = test_engine_fail (nonsense);
  g_assert_cmpstr (g_quark_to_string (error->domain), ==, "urb-run-error-quark");
  g_assert_cmpint (error->code, ==, 0);
  g_assert_nonnull (strstr (error->message, "/nowhere/run"));
  g_assert_error (wrong, G_OPTION_ERROR, G_OPTION_ERROR_FAILED);
  g_assert_nonnull (strstr (wrong->message, "--fast"));
}

/* A program that reports no error: its last line is used. */
static void
test_last_words (void)
{
  static const char *const scripts[] = {
    "echo one >&2; echo 'urbarium-engine x: two' >&2; exit 1",
    "echo '{\"error\":7}' >&2; echo '{\"error\":{\"code\":3}}' >&2; echo '{\"error\":' >&2; "
    "echo two >&2; exit 1",
  };
  g_autofree char *before = g_strdup (g_getenv ("URBARIUM_ENGINE"));
  g_setenv ("URBARIUM_ENGINE", "/bin/sh", TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (scripts); i++)
    {
      const char *const args[] = { "-c", scripts[i], NULL };
      g_autoptr(GError) error = test_engine_fail (args);
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_FAILED);
      g_assert_cmpstr (error->message, ==, "two");
    }
  if (before != NULL)
    g_setenv ("URBARIUM_ENGINE", before, TRUE);
  else
    g_unsetenv ("URBARIUM_ENGINE");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  pthread_atfork (NULL, NULL, forked_cb);
  g_test_add_func ("/engine-program/no-fork-handlers", test_runs_no_fork_handlers);
  g_test_add_func ("/engine-program/inherits-nothing", test_inherits_nothing);
  g_test_add_func ("/engine-program/input", test_input);
  g_test_add_func ("/engine-program/complaint", test_complaint);
  g_test_add_func ("/engine-program/last-words", test_last_words);
  return g_test_run ();
}
