/* SPDX-License-Identifier: Apache-2.0 */
/*
 * maps.c - see maps.h.
 */
#include "cli/maps.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

static const struct
{
  const char *name;
  int       (*run) (int argc, char **argv);
} commands[] = {
  { "sample", urb_cli_sample },
  { "generate", urb_cli_generate },
  { "vectorize", urb_cli_vectorize },
  { "verify", urb_cli_verify },
};

int
urb_cli_maps (int argc, char **argv)
{
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    if (argc > 0 && strcmp (argv[0], commands[i].name) == 0)
      return commands[i].run (argc, argv);
  fprintf (stderr, "urbarium-engine runs this program for commands that write maps, and to read one.\n"
                   "Try: urbarium-engine --help\n");
  return URB_EXIT_USAGE;
}
