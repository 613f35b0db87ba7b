/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.c - `urbarium-engine queue`: the runs that wait, in their order, and another order.
 */
#include <stdio.h>

#include "base/json-build.h"
#include "base/show-text.h"
#include "cli/cli.h"
#include "run/store/folder.h"
#include "run/store/queue.h"

enum { NAME_WIDTH = 20 };

typedef enum { QUIET, TEXT, JSON } Output;

static void
print (GPtrArray *queue)
{
  if (queue->len == 0)
    g_print ("No run waits.\n");
  for (guint i = 0; i < queue->len; i++)
    {
      const UrbQueuedRun *run = queue->pdata[i];
      g_autofree char *name = urb_show_text (run->name);

      g_print ("%2u  %s%*s  %s\n", i + 1, name, (int) MAX (0, NAME_WIDTH - g_utf8_strlen (name, -1)), "", run->folder);
    }
  if (urb_queue_is_circular (queue))
    g_printerr ("Some of these runs wait for each other, since a change was killed; --earlier or --later gives them an order.\n");
}

static void
print_json (GPtrArray *queue)
{
  JsonBuilder *json = json_builder_new ();

  urb_json_begin_array (json, NULL);
  for (guint i = 0; i < queue->len; i++)
    {
      const UrbQueuedRun *run = queue->pdata[i];

      urb_json_begin_object (json, NULL);
      urb_json_add_string (json, "name", run->name);
      urb_json_add_string (json, "run", run->folder);
      urb_json_add_strings (json, "after", (const char *const *) run->after);
      urb_json_end_object (json);
    }
  urb_cli_print_json_array (json);
}

/* @places: (nullable): NULL: there was no run yet
 * @moved: (nullable) */
static int
work (const char *const *places, const char *moved, UrbQueueMove move, Output output)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) queue = NULL;

  if (moved != NULL && !urb_queue_move (places, moved, move, &error))
    return urb_cli_fail (error);
  if (output == QUIET)
    return URB_EXIT_OK;
  queue = places != NULL ? urb_queue_read (places, &error) : g_ptr_array_new ();
  if (queue == NULL)
    return urb_cli_fail (error);
  if (output == JSON)
    print_json (queue);
  else
    print (queue);
  return URB_EXIT_OK;
}

int
urb_cli_queue (int argc, char **argv)
{
  g_autofree char *earlier = NULL, *later = NULL, *place = NULL;
  gboolean quiet = FALSE, json = FALSE, is_new;
  const GOptionEntry entries[] = {
    { "earlier", 0, 0, G_OPTION_ARG_FILENAME, &earlier, "Let the run in RUN change places with the one before it", "RUN" },
    { "later", 0, 0, G_OPTION_ARG_FILENAME, &later, "Let it change places with the one behind it", "RUN" },
    { "quiet", 'q', 0, G_OPTION_ARG_NONE, &quiet, "Print nothing but errors", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, "Print the runs as JSON", NULL },
    G_OPTION_ENTRY_NULL
  };
  GOptionContext *context = urb_cli_options_new (
    "[DIR...]", "Lists the runs in the folders DIR that wait for others, in the order in which they will begin, and changes "
                "this order.", entries);
  g_autofree char *moved = NULL;

  if (!urb_cli_parse (context, &argc, &argv))
    return URB_EXIT_USAGE;
  if (earlier != NULL && later != NULL)
    return urb_cli_fail_usage ("--earlier and --later exclude each other");
  if (earlier != NULL || later != NULL)
    moved = g_canonicalize_filename (earlier != NULL ? earlier : later, NULL);
  place = moved != NULL ? g_path_get_dirname (moved) : urb_run_dup_usual_place ();
  is_new = argc < 2 && moved == NULL && !g_file_test (place, G_FILE_TEST_EXISTS);
  return work (is_new     ? NULL
               : argc > 1 ? (const char *const *) argv + 1
                          : (const char *const[]){ place, NULL },
               moved, later != NULL ? URB_QUEUE_LATER : URB_QUEUE_EARLIER, quiet ? QUIET : json ? JSON : TEXT);
}
