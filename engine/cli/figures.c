/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figures.c - urbarium-engine figures: the figures of a run as CSV.
 */
#include <errno.h>
#include <stdio.h>

#include "base/atomic-file.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "report/figures.h"
#include "run/store/folder.h"

static gboolean
print_cb (const char *text, gsize n_bytes, gpointer user_data, GError **error)
{
  if (fwrite (text, 1, n_bytes, stdout) == n_bytes && fflush (stdout) == 0)
    return TRUE;
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), "The figures cannot be printed: %s", g_strerror (errno));
  return FALSE;
}

static gboolean
write_cb (const char *text, gsize n_bytes, gpointer user_data, GError **error)
{
  return urb_atomic_file_write (user_data, text, n_bytes, error);
}

static gboolean
write_file (UrbRunDb *db, const UrbCliOutput *output, GError **error)
{
  g_autoptr(UrbAtomicFile) file = NULL;

  if (!urb_cli_output_check (output, error))
    return FALSE;
  file = urb_atomic_file_open (output->path, error);
  if (file == NULL || !urb_figures_write (db, write_cb, file, error) || !urb_atomic_file_commit (file, error))
    return FALSE;
  printf ("%s\n", output->path);
  return TRUE;
}

int
urb_cli_figures (int argc, char **argv)
{
  g_auto(UrbCliOutput) output = { 0 };
  GOptionContext *context = urb_cli_options_new (
    "RUN", "Writes the metrics and scores of each step of a run as comma-separated values.", NULL);
  g_autofree char *path = NULL;
  g_autoptr(UrbRunDb) db = NULL;
  g_autoptr(GError) error = NULL;

  urb_cli_output_add_options (&output, context, "The table (standard output)", "FILE.csv");
  if (!urb_cli_parse (context, &argc, &argv))
    return URB_EXIT_USAGE;
  if (argc != 2)
    return urb_cli_fail_usage ("specify the folder of a run");
  if (!urb_run_folder_check_is_run (argv[1], &error))
    return urb_cli_fail (error);
  path = g_build_filename (argv[1], "run.db", NULL);
  db = urb_run_db_open_reader (path, &error);
  if (db == NULL
      || !(output.path != NULL ? write_file (db, &output, &error) : urb_figures_write (db, print_cb, NULL, &error)))
    return urb_cli_fail (error);
  return URB_EXIT_OK;
}
