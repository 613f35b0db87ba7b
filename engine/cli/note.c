/* SPDX-License-Identifier: Apache-2.0 */
/*
 * note.c - `urbarium-engine note`: the note of a run, shown or changed.
 *
 * run.ini of a live run belongs to its supervisor, which is asked to write it.
 */
#include "base/show-text.h"
#include "cli/cli.h"
#include "run/store/client.h"
#include "run/store/folder.h"
#include "settings/note.h"

enum { TIMEOUT_MS = 10000 };

static gboolean
ask_supervisor (const char *run, const char *note, GError **error)
{
  g_autoptr(UrbRunClient) client = urb_run_client_new (run, NULL, NULL, error);
  g_autoptr(JsonObject) reply = NULL;

  if (client != NULL)
    reply = urb_run_client_call_text (client, "note", "note", note, TIMEOUT_MS, error);
  return reply != NULL;
}

/* @note: "": none */
static gboolean
change (const char *run, const char *note, GError **error)
{
  g_autoptr(GError) cause = NULL;

  if (!urb_note_check (note, error))
    return FALSE;
  if (urb_run_folder_note (run, note, &cause))
    return TRUE;
  if (g_error_matches (cause, URB_RUN_ERROR, URB_RUN_ERROR_BUSY))
    return ask_supervisor (run, note, error);
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

static gboolean
show (const char *run, GError **error)
{
  g_auto(UrbRunConfig) config = { 0 };

  urb_run_config_init (&config);
  if (!urb_run_folder_load_config (run, &config, error))
    return FALSE;
  if (config.note != NULL)
    {
      g_autofree char *shown = urb_show_text (config.note); /* the run may be a stranger's */

      g_print ("%s\n", shown);
    }
  return TRUE;
}

int
urb_cli_note (int argc, char **argv)
{
  const GOptionEntry entries[] = { G_OPTION_ENTRY_NULL };
  GOptionContext *context
    = urb_cli_options_new ("RUN [TEXT]", "Shows the note of a run, or changes it, also while the run trains. Words "
                                         "that begin with # can serve as tags; “none” or an empty text removes the note.",
                           entries);
  g_autoptr(GError) error = NULL;
  gboolean good;

  if (!urb_cli_parse (context, &argc, &argv))
    return URB_EXIT_USAGE;
  if (argc < 2 || argc > 3)
    return urb_cli_fail_usage (argc < 2 ? "which run?" : "the text of a note is one argument; put it in quotes");
  good = argc == 2 ? show (argv[1], &error)
                   : change (argv[1], g_str_equal (argv[2], "none") ? "" : g_strstrip (argv[2]), &error);
  return good ? URB_EXIT_OK : urb_cli_fail (error);
}
