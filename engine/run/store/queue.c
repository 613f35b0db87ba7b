/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.c - see queue.h.
 *
 * While two runs change places, each may begin at any moment.  The one that was earlier is told first: if it has begun
 * meanwhile, it refuses, and nothing has changed.  From then on it waits for the other one, which still waits for it until
 * it is told, too: neither can begin in between.
 *
 * Two changes at once, or half a change, could leave runs waiting for each other.  So changes lock the folders of the runs, and
 * one that fails is taken back.
 */
#include "run/store/queue.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "run/store/client.h"
#include "run/store/folder.h"
#include "run/store/interrupted.h"
#include "run/store/queue-order.h"

enum { TIMEOUT_MS = 10000, LOCK_MS = 60000, LOCK_STEP_MS = 20 };

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
find_neighbor (GPtrArray *queue, guint from, UrbQueueMove move)
{
  const UrbQueuedRun *run = queue->pdata[from];
  int step = move == URB_QUEUE_EARLIER ? -1 : 1;
  for (int i = (int) from + step; i >= 0 && i < (int) queue->len; i += step)
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

/* Tells the supervisor of @run what it waits for. */
static gboolean
tell (const UrbQueuedRun *run, const char *const *after, GError **error)
{
  g_autoptr(UrbRunClient) client = urb_run_client_new (run->folder, NULL, NULL, error);
  g_autoptr(JsonObject) reply
    = client != NULL ? urb_run_client_call_texts (client, "queue", "after", after, TIMEOUT_MS, error) : NULL;
  return reply != NULL;
}

/* @run gets the place of @of while @a and @b change places. */
static gboolean
give_place (const UrbQueuedRun *run, const UrbQueuedRun *of, const UrbQueuedRun *a, const UrbQueuedRun *b, GError **error)
{
  g_auto(GStrv) after = dup_exchanged (of, a, b);
  return g_strv_equal ((const char *const *) after, (const char *const *) run->after)
         || tell (run, (const char *const *) after, error);
}

static gboolean
change_places (GPtrArray *queue, const UrbQueuedRun *earlier, const UrbQueuedRun *later, GError **error)
{
  gboolean good = TRUE;
  if (!give_place (earlier, later, earlier, later, error))
    return FALSE;
  if (!give_place (later, earlier, earlier, later, error))
    {
      tell (earlier, (const char *const *) earlier->after, NULL);
      return FALSE;
    }
  for (guint i = 0; i < queue->len; i++)
    {
      const UrbQueuedRun *run = queue->pdata[i];
      if (run != earlier && run != later && !give_place (run, run, earlier, later, good ? error : NULL))
        good = FALSE;
    }
  return good;
}

static gboolean
move_in (GPtrArray *queue, const char *folder, UrbQueueMove move, GError **error)
{
  guint index;
  UrbQueuedRun *run = find (queue, folder, &index), *other = NULL;
  if (run == NULL)
    {
      g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_STATE, N_ ("The run '%s' does not wait in this queue"), folder);
      return FALSE;
    }
  other = find_neighbor (queue, index, move);
  if (other == NULL)
    {
      g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_STATE, "No run in the queue begins %s than '%s'",
                   move == URB_QUEUE_EARLIER ? "earlier" : "later", folder);
      return FALSE;
    }
  return move == URB_QUEUE_EARLIER ? change_places (queue, other, run, error) : change_places (queue, run, other, error);
}

/* ------------------------------------------------------------------------ */
/* Circles                                                                   */

/* No chain without a circle is as long as the queue. */
static gboolean
is_circular (GPtrArray *queue, const UrbQueuedRun *run)
{
  return run->turn >= queue->len;
}

gboolean
urb_queue_is_circular (GPtrArray *queue)
{
  for (guint i = 0; i < queue->len; i++)
    if (is_circular (queue, queue->pdata[i]))
      return TRUE;
  return FALSE;
}

/* What the run at @index waits for, without those in a circle that are listed behind it. (transfer full) */
static GStrv
dup_without_circle (GPtrArray *queue, guint index)
{
  const UrbQueuedRun *run = queue->pdata[index];
  g_autoptr(GStrvBuilder) after = g_strv_builder_new ();
  for (guint i = 0; run->after[i] != NULL; i++)
    {
      guint of;
      const UrbQueuedRun *other = find (queue, run->after[i], &of);
      if (other == NULL || of < index || !is_circular (queue, other))
        g_strv_builder_add (after, run->after[i]);
    }
  return g_strv_builder_end (after);
}

static gboolean
break_circles (GPtrArray *queue, GError **error)
{
  for (guint i = 0; i < queue->len; i++)
    {
      const UrbQueuedRun *run = queue->pdata[i];
      g_auto(GStrv) after = dup_without_circle (queue, i);
      if (is_circular (queue, run) && !g_strv_equal ((const char *const *) after, (const char *const *) run->after)
          && !tell (run, (const char *const *) after, error))
        return FALSE;
    }
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* One change at a time                                                      */

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* @fd: of a folder.  A file system without locks is no reason to refuse. */
static gboolean
lock (int fd, const char *folder, GError **error)
{
  for (int waited_ms = 0; flock (fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK; waited_ms += LOCK_STEP_MS)
    {
      if (waited_ms >= LOCK_MS)
        {
          g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_STATE,
                       N_ ("Another command has been changing the queue in '%s' for a minute; end it, and try again"), folder);
          return FALSE;
        }
      g_usleep (LOCK_STEP_MS * 1000);
    }
  return TRUE;
}

/* In the order of their paths, so that no two calls wait for each other.
 * Returns: (transfer full) (element-type int) (nullable): closing them unlocks */
static GArray *
lock_places (const char *const *places, GError **error)
{
  g_autoptr(GPtrArray) folders = g_ptr_array_new_with_free_func (g_free);
  GArray *fds = g_array_new (FALSE, FALSE, sizeof (int));
  for (; *places != NULL; places++)
    {
      g_autofree char *real = urb_queue_dup_real_path (*places);
      g_ptr_array_add (folders, urb_run_folder_check_is_run (real, NULL) ? g_path_get_dirname (real) : g_strdup (real));
    }
  g_ptr_array_sort (folders, compare_texts);
  for (guint i = 0; i < folders->len; i++)
    {
      const char *folder = folders->pdata[i];
      gboolean again = i > 0 && strcmp (folder, folders->pdata[i - 1]) == 0;
      int fd = again ? -1 : open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      if (fd < 0)
        continue; /* reading it tells why */
      g_array_append_val (fds, fd);
      if (!lock (fd, folder, error))
        return fds;
    }
  return fds;
}

static void
unlock_places (GArray *fds)
{
  for (guint i = 0; i < fds->len; i++)
    close (g_array_index (fds, int, i));
  g_array_unref (fds);
}

static gboolean
change (const char *const *places, const char *folder, UrbQueueMove move, GError **error)
{
  g_autoptr(GPtrArray) queue = urb_queue_read (places, error);
  if (queue != NULL && urb_queue_is_circular (queue))
    {
      if (!break_circles (queue, error))
        return FALSE;
      g_ptr_array_unref (queue);
      queue = urb_queue_read (places, error);
    }
  return queue != NULL && move_in (queue, folder, move, error);
}

gboolean
urb_queue_move (const char *const *places, const char *folder, UrbQueueMove move, GError **error)
{
  GError *failure = NULL;
  GArray *locks = lock_places (places, &failure);
  sigset_t ends, before;
  sigemptyset (&ends);
  sigaddset (&ends, SIGINT);
  sigaddset (&ends, SIGTERM);
  sigaddset (&ends, SIGHUP);
  pthread_sigmask (SIG_BLOCK, &ends, &before);
  if (failure == NULL)
    change (places, folder, move, &failure);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  unlock_places (locks);
  if (failure != NULL)
    g_propagate_error (error, failure);
  return failure == NULL;
}
