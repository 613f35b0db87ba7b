/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.c - see process.h.
 */
#include "cli/process.h"

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/out-of-memory.h"
#include "train/memory.h"

/* libgomp's threads wait by spinning, for hundreds of milliseconds by default.  On a busy machine,
 * spinning threads delay the threads they wait for: next to a compiler, training was 18 times
 * slower.  A short spin has no measurable cost on an idle machine. */
#define SPIN_VARIABLE "GOMP_SPINCOUNT"
#define SPIN_COUNT "1000"

/* UCX, of Debian 13's Open MPI, handles SIGHUP from before main () begins: nohup would be in vain, and a closed terminal
 * start a debugger instead of ending a command.  So what SIGHUP did before all libraries is what it does again. */
static struct sigaction hangup;

static void
keep_hangup (int argc, char **argv, char **variables)
{
  sigaction (SIGHUP, NULL, &hangup);
}

__attribute__ ((section (".preinit_array"), used)) static void (*const before_libraries) (int, char **, char **)
  = keep_hangup;

void
urb_cli_prepare_process (char **argv, gboolean computes)
{
  sigaction (SIGHUP, &hangup, NULL);
  if (g_getenv (SPIN_VARIABLE) == NULL && g_getenv ("OMP_WAIT_POLICY") == NULL)
    {
      g_setenv (SPIN_VARIABLE, SPIN_COUNT, TRUE);
      /* libgomp reads its environment before main () begins, so a program that computes executes
       * itself again.  (Without /proc that fails, and it is merely slower on a busy machine.)  Other
       * programs only pass the variable on to their children. */
      if (computes)
        execv ("/proc/self/exe", argv);
    }
  urb_out_of_memory_prepare ("urbarium-engine", argv[1]);
  /* So that a file that would exceed `ulimit -f` is an error with a name, like a full disk. */
  signal (SIGXFSZ, SIG_IGN);
  setlocale (LC_ALL, "");
  /* Files and JSON always use a decimal point, and what the system says is as English as the rest. */
  setlocale (LC_NUMERIC, "C");
  setlocale (LC_MESSAGES, "C");
}

void
urb_cli_bound_memory (void)
{
  gint64 available = urb_memory_get_available ();
  g_autofree char *text = NULL;
  unsigned long long n_pages = 0;
  struct rlimit limit;
  rlim_t bound, used;

  if (available == G_MAXINT64 || getrlimit (RLIMIT_DATA, &limit) != 0)
    return;
  bound = (rlim_t) (available / 4 * 3);
  /* The data size that counts toward the limit, including memory only reserved: terabytes with a
   * sanitizer. */
  if (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    sscanf (text, "%*u %*u %*u %*u %*u %llu", &n_pages);
  used = (rlim_t) n_pages * (rlim_t) sysconf (_SC_PAGESIZE);
  if ((limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= bound) || used > bound)
    return;
  limit.rlim_cur = bound;
  if (setrlimit (RLIMIT_DATA, &limit) != 0)
    g_debug ("Could not limit the memory of this process");
}
