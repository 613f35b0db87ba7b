/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - urbarium-engine: finds the sub-command and calls it.
 */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

typedef struct
{
  const char *name;
  int       (*run) (int argc, char **argv);
  const char *summary; /* NULL: internal, not listed */
} Command;

/* In the order of the work. */
static const Command commands[] = {
  { "sample", urb_cli_sample, "Draw a procedural sample town" },
  { "inspect", urb_cli_inspect, "Show what a map contains and how it is classified" },
  { "curate", urb_cli_curate, "Pick the areas of high variance and save them as a dataset" },
  { "train", urb_cli_train, "Train a generator on a dataset" },
  { "resume", urb_cli_resume, "Go on with a run" },
  { "generate", urb_cli_generate, "Draft new cities from a checkpoint" },
  { "draw", urb_cli_draw, "Draw cities on request, for another program" },
  { "vectorize", urb_cli_vectorize, "Turn class images into clean vectors" },
  { "evaluate", urb_cli_evaluate, "Compare generated cities with real ones" },
  { "plan", urb_cli_plan, "Show a preset's parameters, work and exact memory" },
  { "bench", urb_cli_bench, "Measure training against this machine's limits" },
  { "devices", urb_cli_devices, "Show what this machine can compute with" },
  { "worker", urb_cli_worker, NULL },
};

static int
run_command (const Command *command, int argc, char **argv)
{
  gboolean wants_help = urb_cli_wants_help (argc, argv); /* before argv is taken apart */
  int code = command->run (argc, argv);

  return wants_help && code == URB_EXIT_USAGE ? URB_EXIT_OK : code;
}

static void
print_usage (FILE *out)
{
  fprintf (out, "Usage: urbarium-engine COMMAND [OPTIONS]\n\n"
                "Learns a city's morphology from its cadastral map and drafts new cities.\n\n"
                "Commands:\n");
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    if (commands[i].summary != NULL)
      fprintf (out, "  %-10s  %s\n", commands[i].name, commands[i].summary);
  fprintf (out, "\nurbarium-engine COMMAND --help tells more.\n");
}

/* libgomp's threads wait for each other by spinning, for hundreds of
 * milliseconds unless told otherwise.  On a machine that does anything else
 * besides, the thread that is waited for then has to wait for the spinning one:
 * training was seen 18 times slower beside a compiler.  A short spin costs
 * nothing measurable when the machine is idle.  libgomp reads its environment
 * before main () begins, so this program starts itself once more. */
#define SPIN_VARIABLE "GOMP_SPINCOUNT"
#define SPIN_COUNT "1000"

static void
limit_spinning (char **argv)
{
  if (g_getenv (SPIN_VARIABLE) != NULL || g_getenv ("OMP_WAIT_POLICY") != NULL)
    return;
  g_setenv (SPIN_VARIABLE, SPIN_COUNT, TRUE);
  execv ("/proc/self/exe", argv);
  /* Without /proc it goes on as it is, only slower on a busy machine. */
}

int
main (int argc, char **argv)
{
  limit_spinning (argv);
  setlocale (LC_ALL, "");
  /* Numbers in files and JSON are written with a point everywhere. */
  setlocale (LC_NUMERIC, "C");

  if (argc < 2)
    {
      print_usage (stderr);
      return URB_EXIT_USAGE;
    }
  if (strcmp (argv[1], "--help") == 0 || strcmp (argv[1], "-h") == 0 ||
      strcmp (argv[1], "help") == 0)
    {
      print_usage (stdout);
      return URB_EXIT_OK;
    }
  if (strcmp (argv[1], "--version") == 0)
    {
      printf ("urbarium-engine %s\n", URBARIUM_VERSION);
      return URB_EXIT_OK;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    if (strcmp (argv[1], commands[i].name) == 0)
      return run_command (&commands[i], argc - 1, argv + 1);
  fprintf (stderr, "urbarium-engine: there is no command '%s'\n\n", argv[1]);
  print_usage (stderr);
  return URB_EXIT_USAGE;
}
