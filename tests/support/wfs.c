/* SPDX-License-Identifier: Apache-2.0 */
#include "wfs.h"

#include <stdlib.h>

GSubprocess *
wfs_start (const char *log, const char *other, int *port)
{
  g_autofree char *program = g_test_build_filename (G_TEST_DIST, "support", "wfs-server", NULL), *line = NULL;
  g_autofree char *python = g_find_program_in_path ("python3");
  g_autoptr(GDataInputStream) out = NULL;
  g_autoptr(GError) error = NULL;
  GSubprocess *server;

  if (python == NULL)
    return NULL;
  server = g_subprocess_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error, python, program, log,
                             other, NULL);
  g_assert_no_error (error);
  out = g_data_input_stream_new (g_subprocess_get_stdout_pipe (server));
  line = g_data_input_stream_read_line (out, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (line);
  *port = atoi (line);
  return server;
}

void
wfs_stop (GSubprocess *server)
{
  g_output_stream_close (g_subprocess_get_stdin_pipe (server), NULL, NULL);
  g_subprocess_wait (server, NULL, NULL);
  g_object_unref (server);
}
