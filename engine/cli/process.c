/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.c - see process.h.
 */
#include "cli/process.h"

#include <glib.h>
#include <locale.h>
#include <unistd.h>

#include "base/out-of-memory.h"

/* libgomp's threads wait by spinning, for hundreds of milliseconds by default.  On a busy machine,
 * spinning threads delay the threads they wait for: next to a compiler, training was 18 times
 * slower.  A short spin has no measurable cost on an idle machine. */
#define SPIN_VARIABLE "GOMP_SPINCOUNT"
#define SPIN_COUNT "1000"

void
urb_cli_prepare_process (char **argv, gboolean computes)
{
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
  setlocale (LC_ALL, "");
  /* Files and JSON always use a decimal point. */
  setlocale (LC_NUMERIC, "C");
}
