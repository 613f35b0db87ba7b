/* SPDX-License-Identifier: Apache-2.0 */
/*
 * maps-elsewhere.c - runs the map commands in their own program; see maps.h.
 */
#include "cli/maps.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/cli.h"

#define PROGRAM "urbarium-engine-maps"

/* In the build tree, the program is in the same folder, wherever that was moved to. */
static char *
find_program (void)
{
  static const char *const places[] = { PROGRAM, "../libexec/urbarium/" PROGRAM };
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = self != NULL ? g_path_get_dirname (self) : NULL;

  for (gsize i = 0; folder != NULL && i < G_N_ELEMENTS (places); i++)
    {
      g_autofree char *path = g_build_filename (folder, places[i], NULL);

      if (g_file_test (path, G_FILE_TEST_IS_EXECUTABLE))
        return g_steal_pointer (&path);
    }
  return g_strdup (URBARIUM_LIBEXECDIR "/" PROGRAM);
}

int
urb_cli_maps (int argc, char **argv)
{
  g_autofree char *program = find_program ();
  g_autofree char **all = g_new0 (char *, (gsize) argc + 2);

  all[0] = program;
  for (int i = 0; i < argc; i++)
    all[i + 1] = argv[i];
  execv (program, all);
  fprintf (stderr, "urbarium-engine %s: could not start '%s': %s. Reinstall Urbarium.\n", argv[0],
           program, g_strerror (errno));
  return URB_EXIT_FAILURE;
}
