/* SPDX-License-Identifier: Apache-2.0 */
/*
 * maps-main.c - urbarium-engine-maps, which urbarium-engine runs for map commands; see maps.h.
 */
#include "cli/maps.h"
#include "cli/process.h"

int
main (int argc, char **argv)
{
  urb_cli_prepare_process (argv, TRUE);
  return urb_cli_maps (argc - 1, argv + 1);
}
