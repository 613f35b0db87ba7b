/* SPDX-License-Identifier: Apache-2.0 */
/*
 * maps-elsewhere.c - runs the map commands in their own program; see maps.h.
 */
#include "cli/maps.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/cli.h"
#include "map/reader-process.h"

int
urb_cli_maps (int argc, char **argv)
{
  g_autofree char *program = urb_reader_process_find_program ();
  g_autofree char **all = g_new0 (char *, (gsize) argc + 2);

  all[0] = program;
  for (int i = 0; i < argc; i++)
    all[i + 1] = argv[i];
  execv (program, all);
  fprintf (stderr, "urbarium-engine %s: could not start '%s': %s. Reinstall Urbarium.\n", argv[0],
           program, g_strerror (errno));
  return URB_EXIT_FAILURE;
}
