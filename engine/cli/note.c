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

typedef struct
{
  gboolean done;
  GError  *error; /* owned, nullable */
} Reply;

static void
reply_cb (JsonObject *object, const GError *error, gpointer user_data)
{
  Reply *reply = user_data;

  reply->done = TRUE;
  reply->error = error != NULL ? g_error_copy (error) : NULL;
}

static gboolean
ask_supervisor (const char *run, const char *note, GError **error)
{
  static const UrbRunClientOps ops = { 0 };
  g_autoptr(UrbRunClient) client = urb_run_client_new (run, &ops, NULL, error);
  Reply reply = { 0 };

  if (client == NULL)
    return FALSE;
  urb_run_client_request_text (client, "note", "note", note, reply_cb, &reply);
  while (!reply.done)
    g_main_context_iteration (NULL, TRUE);
  if (reply.error == NULL)
    return TRUE;
  g_propagate_error (error, reply.error);
  return FALSE;
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
