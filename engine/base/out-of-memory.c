/* SPDX-License-Identifier: Apache-2.0 */
/*
 * out-of-memory.c - see out-of-memory.h.
 *
 * The hard part: nothing here may allocate, and a signal handler may do hardly anything.
 * Whether a shortage caused a crash cannot be known, but asking the kernel for a little
 * memory tells whether there is one.
 */
#include "base/out-of-memory.h"

#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Memory is short below this: a kernel compiler requests as much at once. */
enum { SHORT_BYTES = 16 * 1024 * 1024, STACK_BYTES = 64 * 1024 };

static char program_name[64];

static void
say (const char *text)
{
  if (write (STDERR_FILENO, text, strlen (text)) < 0)
    return; /* stderr is closed */
}

G_GNUC_NORETURN static void
end_with (const char *what, const char *detail)
{
  say (program_name);
  say (what);
  say (detail);
  say ("\n");
  _exit (URB_OUT_OF_MEMORY_EXIT_CODE);
}

/* ------------------------------------------------------------------------ */
/* Errors of GLib                                                            */

/* Skips the source location of "../../../glib/gmem.c:136: failed to allocate 6488064 bytes". */
static const char *
skip_location (const char *text)
{
  const char *end = strstr (text, ".c:");
  const char *rest = end != NULL ? strstr (end, ": ") : NULL;
  return rest != NULL ? rest + 2 : text;
}

static void
glib_error_cb (const char *domain, GLogLevelFlags level, const char *text, gpointer user_data)
{
  if (strstr (text, "failed to allocate") != NULL)
    end_with (": out of memory: ", skip_location (text));
  if (strstr (text, "creating thread") != NULL)
    end_with (": out of memory, or of threads (see “ulimit -v” and “ulimit -u”): ", text);
  if (strstr (text, g_strerror (EMFILE)) != NULL || strstr (text, g_strerror (ENFILE)) != NULL)
    end_with (": too many files are open (see “ulimit -n”): ", text);
  g_log_default_handler (domain, level, text, user_data);
}

/* ------------------------------------------------------------------------ */
/* Crashes                                                                   */

static void
crash_cb (int number)
{
  void *memory = mmap (NULL, SHORT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (memory == MAP_FAILED)
    end_with (": out of memory: crashed with less than 16 MiB available",
              " (see “ulimit -v”; use less memory, or free some)");
  munmap (memory, SHORT_BYTES);
  /* SA_RESETHAND: this time the signal ends the process as usual. */
  raise (number);
}

void
urb_out_of_memory_prepare (const char *program, const char *command)
{
  static const int signals[] = { SIGSEGV, SIGBUS, SIGABRT, SIGTRAP };
  static char stack[STACK_BYTES]; /* for handlers when the stack cannot grow */
  static gboolean prepared;
  const stack_t other = { .ss_sp = stack, .ss_size = sizeof stack };
  struct sigaction action = { .sa_handler = crash_cb, .sa_flags = SA_RESETHAND | SA_ONSTACK }, old;
  void *frame;
  g_snprintf (program_name, sizeof program_name, "%s%s%s", program, command != NULL ? " " : "",
              command != NULL ? command : "");
  if (prepared)
    return;
  prepared = TRUE;
  /* Loads libgcc_s now: a thread that ends when memory is short would abort loading it. */
  backtrace (&frame, 1);
  g_log_set_handler ("GLib", (GLogLevelFlags) (G_LOG_LEVEL_ERROR | G_LOG_FLAG_FATAL), glib_error_cb,
                     NULL);
  sigaltstack (&other, NULL);
  sigemptyset (&action.sa_mask);
  for (gsize i = 0; i < G_N_ELEMENTS (signals); i++)
    if (sigaction (signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
      sigaction (signals[i], &action, NULL);
}
