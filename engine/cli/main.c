/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - urbarium-engine: finds the sub-command and calls it.
 *
 * Where maps are built in, the commands that write them are in a program of their own: see maps.h.
 */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/maps.h"
#include "cli/process.h"

typedef struct
{
  const char *name;
  int       (*run) (int argc, char **argv);
  const char *summary; /* NULL: internal, not listed */
  gboolean    computes; /* with libgomp's threads, in this process */
} Command;

/* In the order of the work. */
static const Command commands[] = {
  { "sample", urb_cli_maps, "Draw a procedural sample town" },
  { "inspect", urb_cli_inspect, "Show what a map contains and how it is classified" },
  { "curate", urb_cli_curate, "Select the areas of high variance and save them as a dataset", TRUE },
  { "train", urb_cli_train, "Train a generator on a dataset" },
  { "resume", urb_cli_resume, "Continue a run" },
  { "queue", urb_cli_queue, "List the runs that wait, or change their order" },
  { "note", urb_cli_note, "Show the note of a run, or change it" },
  { "generate", urb_cli_maps, "Generate new cities from a checkpoint" },
  { "draw", urb_cli_draw, "Draw cities on request, for another program", TRUE },
  { "vectorize", urb_cli_maps, "Turn class images into clean vectors" },
  { "verify", urb_cli_maps, "Make the cities of a file again, and compare" },
  { "evaluate", urb_cli_evaluate, "Compare generated cities with real ones", TRUE },
  { "report", urb_cli_report, "Write a run as one HTML page" },
  { "figures", urb_cli_figures, "Write the figures of a run as comma-separated values" },
  { "mlflow", urb_cli_mlflow, "Send a run to an MLflow server" },
  { "plan", urb_cli_plan, "Show a preset's parameters, work and exact memory" },
  { "bench", urb_cli_bench, "Measure training against this machine's limits", TRUE },
  { "settings", urb_cli_settings, "List all settings, their defaults and ranges" },
  { "devices", urb_cli_devices, "Show what this machine can compute with", TRUE },
  { "debug-report", urb_cli_debug_report, "Write an archive for a report of a problem" },
  { "worker", urb_cli_worker, NULL, TRUE },
  { "score", urb_cli_score, NULL, TRUE },
};

/* (nullable) */
static const Command *
find_command (const char *name)
{
  for (gsize i = 0; name != NULL && i < G_N_ELEMENTS (commands); i++)
    if (strcmp (name, commands[i].name) == 0)
      return &commands[i];
  return NULL;
}

static void
print_usage (FILE *out)
{
  fprintf (out, "Usage: urbarium-engine COMMAND [OPTIONS]\n\n"
                "Learns a city's morphology from its cadastral map and drafts new cities.\n\n"
                "Commands:\n");
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    if (commands[i].summary != NULL)
      fprintf (out, "  %-12s  %s\n", commands[i].name, commands[i].summary);
  fprintf (out, "\nurbarium-engine COMMAND --help tells more.\n");
}

int
main (int argc, char **argv)
{
  const Command *command = find_command (argv[1]);

  urb_cli_prepare_process (argv, command != NULL && command->computes);
  if (command != NULL)
    return command->run (argc - 1, argv + 1);
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
  fprintf (stderr, "urbarium-engine: there is no command '%s'\n\n", argv[1]);
  print_usage (stderr);
  return URB_EXIT_USAGE;
}
