/* SPDX-License-Identifier: Apache-2.0 */
#include "map-server.h"

#include <stdlib.h>

enum { NOT_INSTALLED = 77 };

/* @log, @other: (nullable): its arguments */
static GSubprocess *
start (const char *name, const char *log, const char *other, int *port)
{
  g_autofree char *program = g_test_build_filename (G_TEST_DIST, "support", name, NULL), *line = NULL;
  g_autofree char *python = g_find_program_in_path ("python3");
  g_autoptr(GDataInputStream) out = NULL;
  g_autoptr(GSubprocess) server = NULL;
  g_autoptr(GError) error = NULL;

  if (python == NULL)
    return NULL;
  server = g_subprocess_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error, python, program, log,
                             other, NULL);
  g_assert_no_error (error);
  out = g_data_input_stream_new (g_subprocess_get_stdout_pipe (server));
  line = g_data_input_stream_read_line (out, NULL, NULL, &error);
  g_assert_no_error (error);
  if (line == NULL)
    {
      g_subprocess_wait (server, NULL, NULL);
      g_assert_cmpint (g_subprocess_get_exit_status (server), ==, NOT_INSTALLED);
      return NULL;
    }
  *port = atoi (line);
  return g_steal_pointer (&server);
}

GSubprocess *
wfs_start (const char *log, const char *other, int *port)
{
  return start ("wfs-server", log, other, port);
}

GSubprocess *
postgis_start (int *port)
{
  return start ("postgis-server", NULL, NULL, port);
}

void
map_server_stop (GSubprocess *server)
{
  g_output_stream_close (g_subprocess_get_stdin_pipe (server), NULL, NULL);
  g_subprocess_wait (server, NULL, NULL);
  g_object_unref (server);
}
