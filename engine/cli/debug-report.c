/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug-report.c - urbarium-engine debug-report: one archive for who looks into a problem.
 *
 * Devices are looked at by a process of its own, since a driver that hangs or crashes may be the problem.
 */
#include "cli/cli.h"
#include "cli/output.h"
#include "report/debug-report.h"

/* Drivers of GPUs take some seconds to load. */
enum { TIMEOUT_S = 60 };

typedef struct
{
  GMainLoop *loop; /* owned */
  char      *text; /* owned, nullable */
} Answer;

static void
answered_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Answer *self = user_data;
  g_autoptr(GError) error = NULL;
  g_autofree char *out = NULL, *err = NULL;

  if (!g_subprocess_communicate_utf8_finish (G_SUBPROCESS (source), result, &out, &err, &error))
    self->text = g_strdup_printf ("devices: %s\n", error->message);
  else if (!g_subprocess_get_successful (G_SUBPROCESS (source)))
    self->text = g_strdup_printf ("devices failed: %s%s\n", out, err);
  else
    self->text = g_steal_pointer (&out);
  g_main_loop_quit (self->loop);
}

static gboolean
timeout_cb (gpointer user_data)
{
  g_cancellable_cancel (user_data);
  return G_SOURCE_CONTINUE;
}

/* Returns: (transfer full): or why there is none */
static char *
ask_devices (void)
{
  Answer answer = { g_main_loop_new (NULL, FALSE), NULL };
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(GError) error = NULL;
  g_autoptr(GSubprocess) process
    = g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE, &error, "/proc/self/exe", "devices",
                        "--json", NULL);
  guint timeout = g_timeout_add_seconds (TIMEOUT_S, timeout_cb, cancellable);

  if (process == NULL)
    answer.text = g_strdup_printf ("devices: %s\n", error->message);
  else
    {
      g_subprocess_communicate_utf8_async (process, NULL, cancellable, answered_cb, &answer);
      g_main_loop_run (answer.loop);
      g_subprocess_force_exit (process); /* if it hangs */
    }
  g_source_remove (timeout);
  g_main_loop_unref (answer.loop);
  return answer.text;
}

int
urb_cli_debug_report (int argc, char **argv)
{
  g_auto(UrbCliOutput) output = { 0 };
  GOptionContext *context = urb_cli_options_new (
    "[RUN]", "Writes one archive for a report of a problem: versions, devices and, of a run, settings, events and the end of\n"
             "its log.  It has no map, tile or network, and hides secrets, folders and the user's name.", NULL);
  g_autofree char *run = NULL, *devices = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = NULL;

  urb_cli_output_add_options (&output, context, "The archive (urbarium-debug-report.tar.gz)", "FILE.tar.gz");
  if (!urb_cli_parse (context, &argc, &argv))
    return URB_EXIT_USAGE;
  if (argc > 2)
    return urb_cli_fail_usage ("specify one run, or none");
  if (output.path == NULL)
    output.path = g_strdup ("urbarium-debug-report.tar.gz");
  if (!urb_cli_output_check (&output, &error))
    return urb_cli_fail (error);
  run = argc == 2 ? g_canonicalize_filename (argv[1], NULL) : NULL;
  devices = ask_devices ();
  bytes = urb_debug_report_new (run, devices, &error);
  if (bytes == NULL
      || !urb_cli_output_write (&output, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), &error))
    return urb_cli_fail (error);
  return URB_EXIT_OK;
}
