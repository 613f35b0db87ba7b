/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/resume-interrupted.h"

#include <stdio.h>

#include <gio/gio.h>

#include "cli/cli.h"
#include "run/store/interrupted.h"

/* @after: (nullable) (element-type filename): runs to wait for; NULL: it was not queued
 * Returns: the exit code of `resume`, whose complaint is printed */
static int
go_on (const char *folder, GPtrArray *after)
{
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new ();
  g_autoptr(GSubprocess) process = NULL;
  g_autoptr(GError) error = NULL;
  g_auto(GStrv) argv = NULL;

  g_strv_builder_add_many (builder, "/proc/self/exe", "resume", folder, "--detach", "--quiet", NULL);
  if (after != NULL)
    g_strv_builder_add (builder, "--queued");
  for (guint i = 0; after != NULL && i < after->len; i++)
    g_strv_builder_add_many (builder, "--after", after->pdata[i], NULL);
  argv = g_strv_builder_end (builder);
  process = g_subprocess_newv ((const char *const *) argv, G_SUBPROCESS_FLAGS_STDOUT_SILENCE, &error);
  if (process == NULL || !g_subprocess_wait (process, NULL, &error))
    return urb_cli_fail (error);
  return g_subprocess_get_if_exited (process) ? g_subprocess_get_exit_status (process) : URB_EXIT_FAILURE;
}

int
urb_cli_resume_interrupted (const char *place, gboolean quiet)
{
  g_autofree char *absolute = g_canonicalize_filename (place, NULL);
  g_autoptr(GPtrArray) runs = urb_run_list_interrupted (absolute, urb_get_boot_time ());
  int code = URB_EXIT_OK;

  for (guint i = 0; i < runs->len; i++)
    {
      const UrbInterruptedRun *run = runs->pdata[i];
      g_autoptr(GPtrArray) before = run->was_queued ? urb_run_list_held (absolute) : NULL;
      int this_code = go_on (run->folder, before);

      if (this_code != URB_EXIT_OK)
        code = this_code;
      else if (!quiet)
        printf ("%s\n", run->folder);
    }
  return code;
}
