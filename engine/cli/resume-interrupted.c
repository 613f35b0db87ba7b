/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/resume-interrupted.h"

#include <stdio.h>
#include <string.h>

#include <gio/gio.h>

#include "base/machine.h"
#include "cli/cli.h"
#include "run/store/folder.h"
#include "run/store/interrupted.h"
#include "run/store/json-line.h"
#include "run/store/run.h"

/* @said: on standard error by a `resume` that failed, with a line of JSON for programs
 * Returns: (transfer full) */
static GError *
parse_error (const char *said)
{
  g_auto(GStrv) lines = g_strsplit (said, "\n", -1);
  GError *error = NULL;

  for (guint i = 0; lines[i] != NULL && error == NULL; i++)
    {
      g_autoptr(JsonObject) line = urb_json_parse_line (lines[i], strlen (lines[i]), NULL);

      error = line != NULL ? urb_json_get_error (line, "error") : NULL;
    }
  return error != NULL ? error : g_error_new (URB_RUN_ERROR, URB_RUN_ERROR_WORKER, "It ended at once: %s", said);
}

/* @after: (nullable) (element-type filename): runs to wait for; NULL: it was not queued */
static gboolean
go_on (const char *folder, GPtrArray *after, GError **error)
{
  g_autoptr(GSubprocessLauncher) launcher
    = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new ();
  g_autoptr(GSubprocess) process = NULL;
  g_autofree char *said = NULL;
  g_auto(GStrv) argv = NULL;

  g_strv_builder_add_many (builder, "/proc/self/exe", "resume", folder, "--detach", "--quiet", NULL);
  if (after != NULL)
    g_strv_builder_add (builder, "--queued");
  for (guint i = 0; after != NULL && i < after->len; i++)
    g_strv_builder_add_many (builder, "--after", after->pdata[i], NULL);
  argv = g_strv_builder_end (builder);
  g_subprocess_launcher_setenv (launcher, "URBARIUM_ERRORS", "json", TRUE);
  process = g_subprocess_launcher_spawnv (launcher, (const char *const *) argv, error);
  if (process == NULL || !g_subprocess_communicate_utf8 (process, NULL, NULL, NULL, &said, error))
    return FALSE;
  if (g_subprocess_get_successful (process))
    return TRUE;
  g_propagate_error (error, parse_error (said));
  return FALSE;
}

/* Another program may go on with the same runs: one that goes on already is no failure. */
static gboolean
is_taken (const char *folder, const GError *error)
{
  return g_error_matches (error, URB_RUN_ERROR, URB_RUN_ERROR_BUSY) || urb_run_is_held (folder);
}

/* The machine has too little memory or disk for it now, or not its device, or cannot start a process. */
static gboolean
may_pass (const GError *cause)
{
  return urb_cli_get_exit (cause) == URB_EXIT_DOES_NOT_FIT || cause->domain == G_SPAWN_ERROR;
}

/* Records that it failed, else it would be an interrupted run for ever; but not for a cause that may pass.
 * @cause: (inout): gets the name of the run
 * Returns: the exit code */
static int
fail (const char *folder, double boot_time, GError **cause)
{
  g_autofree char *name = g_path_get_basename (folder);
  g_autoptr(GError) error = NULL;

  if (!may_pass (*cause) && urb_run_is_interrupted (folder, boot_time) && !urb_run_record_failure (folder, *cause, &error))
    g_debug ("the failure of '%s' was not recorded: %s", folder, error->message);
  g_prefix_error (cause, "%s: ", name);
  return urb_cli_fail (*cause);
}

/* Returns: the exit code */
static int
take_turn (const UrbInterruptedRun *run, const char *place, double boot_time, gboolean quiet)
{
  g_autoptr(GPtrArray) before = run->was_queued ? urb_run_list_held (place) : NULL;
  g_autoptr(GError) error = NULL;

  if (!urb_run_is_interrupted (run->folder, boot_time))
    return URB_EXIT_OK;
  if (!go_on (run->folder, before, &error))
    return is_taken (run->folder, error) ? URB_EXIT_OK : fail (run->folder, boot_time, &error);
  if (!quiet)
    {
      printf ("%s\n", run->folder);
      fflush (stdout);
    }
  return URB_EXIT_OK;
}

int
urb_cli_resume_interrupted (const char *place, gboolean quiet)
{
  g_autofree char *absolute = g_canonicalize_filename (place, NULL);
  double boot_time = urb_machine_get_boot_time ();
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) runs = urb_run_list_interrupted (absolute, boot_time, &error);
  int code = URB_EXIT_OK;

  if (runs == NULL)
    return urb_cli_fail (error);
  for (guint i = 0; i < runs->len; i++)
    {
      const UrbInterruptedRun *run = runs->pdata[i];
      int this_code = run->left_out == NULL ? take_turn (run, absolute, boot_time, quiet) : URB_EXIT_OK;

      if (run->left_out != NULL && !quiet)
        fprintf (stderr, "%s: left out: '%s' %s\n", g_get_prgname (), run->folder, run->left_out);
      if (this_code != URB_EXIT_OK)
        code = this_code;
    }
  return code;
}
