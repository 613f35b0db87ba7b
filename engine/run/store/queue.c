/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.c - see queue.h.
 *
 * While two runs change places, each may begin at any moment.  The one that was earlier is told first: if it has begun
 * meanwhile, it refuses, and nothing has changed.  From then on it waits for the other one, which still waits for it until
 * it is told, too: neither can begin in between.
 */
#include "run/store/queue.h"

#include <string.h>

#include "run/store/client.h"
#include "run/store/folder.h"
#include "run/store/interrupted.h"
#include "run/store/queue-order.h"

enum { TIMEOUT_MS = 10000 };

static void
queued_run_free (gpointer data)
{
  UrbQueuedRun *self = data;
  g_free (self->folder);
  g_free (self->name);
  g_strfreev (self->after);
  g_free (self->real_folder);
  g_strfreev (self->real_after);
  g_free (self);
}

/* ------------------------------------------------------------------------ */
/* Reading                                                                   */

/* Returns: (transfer full) (nullable): %NULL if it does not wait */
static UrbQueuedRun *
ask (const char *folder)
{
  g_autoptr(UrbRunClient) client = urb_run_client_new (folder, NULL, NULL, NULL);
  g_autoptr(JsonObject) status
    = client != NULL ? urb_run_client_call (client, "status", NULL, 0, TIMEOUT_MS, NULL) : NULL;
  UrbQueuedRun *run;
  if (g_strcmp0 (urb_json_get_string (status, "state", NULL), urb_run_state_name (URB_RUN_QUEUED)) != 0)
    return NULL;
  run = g_new0 (UrbQueuedRun, 1);
  run->folder = g_strdup (urb_json_get_string (status, "run", folder));
  run->real_folder = urb_queue_dup_real_path (folder);
  run->name = g_strdup (urb_json_get_string (status, "name", ""));
  run->after = urb_json_dup_strings (status, "waits_for");
  if (run->after == NULL) /* it waits for the end of its quiet hours */
    run->after = g_new0 (char *, 1);
  run->real_after = g_strdupv (run->after);
  for (guint i = 0; run->real_after[i] != NULL; i++)
    urb_queue_make_real (&run->real_after[i]);
  return run;
}

/* Returns: (transfer full) (element-type filename): those in @place, or @place itself; %NULL with an error */
static GPtrArray *
list_held (const char *place, GError **error)
{
  GPtrArray *held;
  if (!urb_run_folder_check_is_run (place, NULL))
    return g_file_test (place, G_FILE_TEST_IS_DIR) ? urb_run_list_held (place)
           : (g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_FOLDER, "There is no folder of runs '%s'", place), NULL);
  held = g_ptr_array_new_with_free_func (g_free);
  if (urb_run_is_held (place))
    g_ptr_array_add (held, g_strdup (place));
  return held;
}

static gboolean
is_known (GPtrArray *queue, const UrbQueuedRun *run)
{
  for (guint i = 0; i < queue->len; i++)
    if (strcmp (((UrbQueuedRun *) queue->pdata[i])->real_folder, run->real_folder) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
read_place (GPtrArray *queue, const char *place, GError **error)
{
  g_autoptr(GPtrArray) held = list_held (place, error);
  for (guint i = 0; held != NULL && i < held->len; i++)
    {
      UrbQueuedRun *run = ask (held->pdata[i]);
      if (run != NULL && is_known (queue, run))
        queued_run_free (run);
      else if (run != NULL)
        g_ptr_array_add (queue, run);
    }
  return held != NULL;
}

static double
get_created (const char *folder)
{
  g_auto(UrbRunConfig) config = { 0 };
  urb_run_config_init (&config);
  return urb_run_folder_load_config (folder, &config, NULL) ? (double) config.created : 0;
}

static void
sort (GPtrArray *queue)
{
  g_autofree UrbQueuePlace *places = g_new0 (UrbQueuePlace, queue->len);
  for (guint i = 0; i < queue->len; i++)
    {
      UrbQueuedRun *run = queue->pdata[i];
      places[i] = (UrbQueuePlace) { .folder = run->real_folder, .after = (const char *const *) run->real_after,
                                    .since = get_created (run->folder), .data = run };
    }
  urb_queue_sort (places, queue->len);
  for (guint i = 0; i < queue->len; i++)
    {
      queue->pdata[i] = places[i].data;
      ((UrbQueuedRun *) queue->pdata[i])->turn = places[i].turn;
    }
}

GPtrArray *
urb_queue_read (const char *const *places, GError **error)
{
  g_autoptr(GPtrArray) queue = g_ptr_array_new_with_free_func (queued_run_free);
  for (; *places != NULL; places++)
    if (!read_place (queue, *places, error))
      return NULL;
  sort (queue);
  return g_steal_pointer (&queue);
}

/* ------------------------------------------------------------------------ */
/* Moving                                                                    */

/* Returns: (transfer none) (nullable) */
static UrbQueuedRun *
find (GPtrArray *queue, const char *folder, guint *index)
{
  g_autofree char *real = urb_queue_dup_real_path (folder);
  for (*index = 0; *index < queue->len; (*index)++)
    if (strcmp (((UrbQueuedRun *) queue->pdata[*index])->real_folder, real) == 0)
      return queue->pdata[*index];
  return NULL;
}

/* Returns: (transfer none) (nullable): the nearest one that does not begin in the same turn */
static UrbQueuedRun *
find_neighbour (GPtrArray *queue, guint from, UrbQueueMove move)
{
  const UrbQueuedRun *run = queue->pdata[from];
  guint step = move == URB_QUEUE_EARLIER ? G_MAXUINT : 1; /* -1 or 1; ends below 0, too */
  for (guint i = from + step; i < queue->len; i += step)
    if (((UrbQueuedRun *) queue->pdata[i])->turn != run->turn)
      return queue->pdata[i];
  return NULL;
}

/* Returns: (transfer full): what the run waits for that takes the place of @run when @a and @b change places */
static GStrv
dup_exchanged (const UrbQueuedRun *run, const UrbQueuedRun *a, const UrbQueuedRun *b)
{
  g_autoptr(GStrvBuilder) after = g_strv_builder_new ();
  for (guint i = 0; run->after[i] != NULL; i++)
    {
      const char *real = run->real_after[i];
      g_strv_builder_add (after, strcmp (real, a->real_folder) == 0   ? b->folder
                                 : strcmp (real, b->real_folder) == 0 ? a->folder
                                                                      : run->after[i]);
    }
  return g_strv_builder_end (after);
}

/* Tells the supervisor of @run that it is in the place of @of. */
static gboolean
tell (const UrbQueuedRun *run, const UrbQueuedRun *of, const UrbQueuedRun *a, const UrbQueuedRun *b, GError **error)
{
  g_auto(GStrv) after = dup_exchanged (of, a, b);
  g_autoptr(UrbRunClient) client = NULL;
  g_autoptr(JsonObject) reply = NULL;
  if (g_strv_equal ((const char *const *) after, (const char *const *) run->after))
    return TRUE;
  client = urb_run_client_new (run->folder, NULL, NULL, error);
  if (client != NULL)
    reply = urb_run_client_call_texts (client, "queue", "after", (const char *const *) after, TIMEOUT_MS, error);
  return reply != NULL;
}

static gboolean
change_places (GPtrArray *queue, const UrbQueuedRun *earlier, const UrbQueuedRun *later, GError **error)
{
  gboolean good;
  if (!tell (earlier, later, earlier, later, error))
    return FALSE;
  good = tell (later, earlier, earlier, later, error);
  for (guint i = 0; i < queue->len; i++)
    {
      const UrbQueuedRun *run = queue->pdata[i];
      if (run != earlier && run != later && !tell (run, run, earlier, later, good ? error : NULL))
        good = FALSE;
    }
  return good;
}

gboolean
urb_queue_move (GPtrArray *queue, const char *folder, UrbQueueMove move, GError **error)
{
  guint index;
  UrbQueuedRun *run = find (queue, folder, &index), *other = NULL;
  if (run == NULL)
    {
      g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_STATE, "The run '%s' does not wait in this queue", folder);
      return FALSE;
    }
  other = find_neighbour (queue, index, move);
  if (other == NULL)
    {
      g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_STATE, "No run in the queue begins %s than '%s'",
                   move == URB_QUEUE_EARLIER ? "earlier" : "later", folder);
      return FALSE;
    }
  return move == URB_QUEUE_EARLIER ? change_places (queue, other, run, error) : change_places (queue, run, other, error);
}
