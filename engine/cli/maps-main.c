/* SPDX-License-Identifier: Apache-2.0 */
/*
 * maps-main.c - urbarium-engine-maps, which urbarium-engine runs for map commands; see maps.h.
 */
#include "cli/cli.h"
#include "cli/maps.h"
#include "cli/process.h"

int
main (int argc, char **argv)
{
  gboolean wants_help = urb_cli_wants_help (argc, argv); /* before parsing, which modifies argv */
  int code;

  urb_cli_prepare_process (argv, TRUE);
  code = urb_cli_maps (argc - 1, argv + 1);
  return wants_help && code == URB_EXIT_USAGE ? URB_EXIT_OK : code;
}
