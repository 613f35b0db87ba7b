/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-out-of-memory.c - processes that die when memory, threads or descriptors run
 * out report it; others die as usual.
 */
#include "base/out-of-memory.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGES_LEFT = 1000 };

static void
set_limit (int what, rlim_t value)
{
  const struct rlimit limit = { value, value };
  g_assert_cmpint (setrlimit (what, &limit), ==, 0);
}

/* Current memory plus a little more. */
static void
limit_memory (void)
{
  g_autofree char *text = NULL;
  g_assert_true (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
  set_limit (RLIMIT_AS, (rlim_t) ((g_ascii_strtoll (text, NULL, 10) + PAGES_LEFT)
                                  * sysconf (_SC_PAGESIZE)));
}

static gpointer
nothing (gpointer data)
{
  return data;
}

static void
die (const char *how)
{
  void *volatile memory = NULL;
  urb_out_of_memory_prepare ("program", NULL);
  if (strcmp (how, "allocation") == 0)
    memory = g_malloc (G_MAXSIZE / 4);
  else if (strcmp (how, "files") == 0)
    {
      set_limit (RLIMIT_NOFILE, 3);
      memory = g_main_context_new ();
    }
  else if (strstr (how, "short") != NULL)
    limit_memory ();
  if (strstr (how, "thread") != NULL)
    memory = g_thread_new ("thread", nothing, NULL);
  else if (strstr (how, "crash") != NULL)
    raise (SIGSEGV);
  else if (strstr (how, "abort") != NULL)
    raise (SIGABRT);
  _exit (memory != NULL);
}

static gboolean
is_sanitized (void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return TRUE; /* a sanitizer reserves terabytes and installs its own handlers */
#else
  return FALSE;
#endif
}

/* Returns: its output; g_free() it */
static char *
spawn (const char *how, int *status)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  char *said = NULL;
  g_autoptr(GError) error = NULL;
  g_spawn_sync (NULL, (char *[]){ self, (char *) how, NULL }, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL,
                &said, status, &error);
  g_assert_no_error (error);
  return said;
}

static void
test_said (void)
{
  static const struct { const char *how, *says; } ends[] = {
    { "allocation", "program: out of memory: failed to allocate " },
    { "files", "program: too many files are open" },
    { "short-thread", "program: out of memory, or of threads" },
    { "short-crash", "program: out of memory: crashed with less than" },
    { "short-abort", "program: out of memory: crashed with less than" },
  };
  if (is_sanitized ())
    {
      g_test_skip ("a sanitizer handles this itself");
      return;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (ends); i++)
    {
      int status = 0;
      g_autofree char *said = spawn (ends[i].how, &status);
      g_test_message ("%s: %s", ends[i].how, said);
      g_assert_true (WIFEXITED (status));
      g_assert_cmpint (WEXITSTATUS (status), ==, URB_OUT_OF_MEMORY_EXIT_CODE);
      g_assert_true (g_str_has_prefix (said, ends[i].says));
    }
}

/* With enough memory, a crash is left unchanged. */
static void
test_left_alone (void)
{
  static const struct { const char *how; int signal; } ends[]
    = { { "crash", SIGSEGV }, { "abort", SIGABRT } };
  if (is_sanitized ())
    {
      g_test_skip ("a sanitizer handles this itself");
      return;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (ends); i++)
    {
      int status = 0;
      g_autofree char *said = spawn (ends[i].how, &status);
      g_assert_true (WIFSIGNALED (status));
      g_assert_cmpint (WTERMSIG (status), ==, ends[i].signal);
      g_assert_cmpstr (said, ==, "");
    }
}

int
main (int argc, char **argv)
{
  if (argc == 2 && argv[1][0] != '-')
    die (argv[1]);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/out-of-memory/said", test_said);
  g_test_add_func ("/out-of-memory/left-alone", test_left_alone);
  return g_test_run ();
}
