/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.c - see process.h.
 */
#include "cli/process.h"

#include <glib.h>
#include <locale.h>
#include <unistd.h>

#include "base/out-of-memory.h"

/* libgomp's threads wait for each other by spinning, for hundreds of
 * milliseconds unless told otherwise.  On a machine that does anything else
 * besides, the thread that is waited for then has to wait for the spinning one:
 * training was seen 18 times slower beside a compiler.  A short spin costs
 * nothing measurable when the machine is idle.  libgomp reads its environment
 * before main () begins, so a program that computes starts itself once more; of
 * another, those that it starts know. */
#define SPIN_VARIABLE "GOMP_SPINCOUNT"
#define SPIN_COUNT "1000"

static void
limit_spinning (char **argv, gboolean computes)
{
  if (g_getenv (SPIN_VARIABLE) != NULL || g_getenv ("OMP_WAIT_POLICY") != NULL)
    return;
  g_setenv (SPIN_VARIABLE, SPIN_COUNT, TRUE);
  if (computes)
    execv ("/proc/self/exe", argv);
  /* Without /proc it goes on as it is, only slower on a busy machine. */
}

void
urb_cli_prepare_process (char **argv, gboolean computes)
{
  limit_spinning (argv, computes);
  urb_out_of_memory_prepare ("urbarium-engine", argv[1]);
  setlocale (LC_ALL, "");
  /* Numbers in files and JSON are written with a point everywhere. */
  setlocale (LC_NUMERIC, "C");
}
