/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.c - urbarium-engine report: a run as one HTML page.
 */
#include <stdio.h>
#include <string.h>

#include "base/atomic-file.h"
#include "base/free-path.h"
#include "cli/cli.h"
#include "report/report.h"

int
urb_cli_report (int argc, char **argv)
{
  g_autofree char *output = NULL, *html = NULL, *folder = NULL, *name = NULL;
  gboolean force = FALSE;
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "The page (RUN-report.html in this folder)", "FILE.html" },
    { "force", 0, 0, G_OPTION_ARG_NONE, &force, "Replace an existing file", NULL },
    G_OPTION_ENTRY_NULL
  };
  GOptionContext *context = urb_cli_options_new (
    "RUN", "Writes a run as one HTML page with its cities, curves, settings and map.  It needs no other file and no\n"
           "network, and can be printed.", entries);
  g_autoptr(GError) error = NULL;

  if (!urb_cli_parse (context, &argc, &argv))
    return URB_EXIT_USAGE;
  if (argc != 2)
    return urb_cli_fail_usage ("specify the folder of a run");
  folder = g_canonicalize_filename (argv[1], NULL);
  if (output == NULL)
    {
      name = g_path_get_basename (folder);
      output = g_strconcat (name, "-report.html", NULL);
    }
  if (!force && !urb_free_path_check (output, "; choose another name with --output, or replace it with --force", &error))
    return urb_cli_fail (error);
  html = urb_report_new (folder, &error);
  if (html == NULL || !urb_atomic_file_set_contents (output, html, strlen (html), &error))
    return urb_cli_fail (error);
  printf ("%s\n", output);
  return URB_EXIT_OK;
}
