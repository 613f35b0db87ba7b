/* SPDX-License-Identifier: Apache-2.0 */
/*
 * maps-main.c - urbarium-engine-maps, which urbarium-engine runs for commands that write maps (maps.h),
 * and which reads maps for everybody else (map/serve.h).
 */
#include <string.h>
#include <unistd.h>

#include "cli/maps.h"
#include "cli/process.h"
#include "map/reader-fd.h"
#include "map/serve.h"

int
main (int argc, char **argv)
{
  /* Without the handlers that libraries run at exit, which need rights that it has given up. */
  if (argc == 2 && strcmp (argv[1], URB_READER_COMMAND) == 0)
    _exit (urb_map_serve (STDIN_FILENO, URB_READER_FD, URB_READER_BLOCK_FD));
  urb_cli_prepare_process (argv, TRUE);
  return urb_cli_maps (argc - 1, argv + 1);
}
