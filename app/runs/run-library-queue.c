/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-library-queue.c - the runs that wait, in the order in which they will begin.  The engine changes it.
 */
#include "app/base/engine-program.h"
#include "app/runs/run-library-private.h"
#include "app/runs/run-private.h"
#include "run/store/queue-order.h"

/* (element-type UrbQueuePlace) (transfer full): of those that wait, sorted; each has its run as data */
static GArray *
list_waiting (UrbariumRunLibrary *self)
{
  GListModel *runs = G_LIST_MODEL (self);
  GArray *places = g_array_new (FALSE, TRUE, sizeof (UrbQueuePlace));
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr(UrbariumRun) run = g_list_model_get_item (runs, i); /* the library keeps it */
      UrbQueuePlace place = { .folder = run->folder, .after = (const char *const *) run->waits_for,
                              .since = (double) run->config.created, .data = run };
      if (urbarium_run_get_state (run) == URB_RUN_QUEUED)
        g_array_append_val (places, place);
    }
  urb_queue_sort ((UrbQueuePlace *) (gpointer) places->data, places->len);
  return places;
}

static gboolean
is_active (UrbariumRun *run)
{
  UrbRunState state = urbarium_run_get_state (run);
  return state == URB_RUN_STARTING
         || (urbarium_run_get_live (run) && state <= URB_RUN_STOPPING && state != URB_RUN_PAUSED && state != URB_RUN_QUEUED);
}

GPtrArray *
urbarium_run_library_dup_queue (UrbariumRunLibrary *self)
{
  GPtrArray *queue = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GArray) waiting = NULL;
  g_return_val_if_fail (URBARIUM_IS_RUN_LIBRARY (self), queue);
  for (guint i = g_list_model_get_n_items (G_LIST_MODEL (self)); i-- > 0;) /* oldest first */
    {
      g_autoptr(UrbariumRun) run = g_list_model_get_item (G_LIST_MODEL (self), i);
      if (is_active (run))
        g_ptr_array_add (queue, g_steal_pointer (&run));
    }
  waiting = list_waiting (self);
  for (guint i = 0; i < waiting->len; i++)
    g_ptr_array_add (queue, g_object_ref (g_array_index (waiting, UrbQueuePlace, i).data));
  return queue;
}

void
urbarium_run_library_update_places (UrbariumRunLibrary *self)
{
  g_autoptr(GArray) waiting = list_waiting (self);
  const UrbQueuePlace *places = (const UrbQueuePlace *) (gpointer) waiting->data;
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self)); i++)
    {
      g_autoptr(UrbariumRun) run = g_list_model_get_item (G_LIST_MODEL (self), i);
      if (urbarium_run_get_state (run) != URB_RUN_QUEUED)
        urbarium_run_set_queue_place (run, 0, FALSE, FALSE);
    }
  for (guint i = 0; i < waiting->len; i++)
    urbarium_run_set_queue_place (places[i].data, (int) i + 1, places[i].turn > places[0].turn,
                                  places[i].turn < places[waiting->len - 1].turn);
}

/* ------------------------------------------------------------------------ */
/* Moving                                                                    */

static void
moved_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr(GTask) task = user_data;
  UrbariumRunLibrary *self = g_task_get_source_object (task);
  g_autoptr(GError) error = NULL;
  g_autofree char *out = urbarium_engine_program_run_finish (result, &error);
  g_autoptr(GArray) waiting = list_waiting (self);
  for (guint i = 0; i < waiting->len; i++) /* more than two may wait for other runs now */
    urbarium_run_ask_status (g_array_index (waiting, UrbQueuePlace, i).data);
  urbarium_run_end_verb (g_task_get_task_data (task), URBARIUM_VERB_MOVE, error);
}

void
urbarium_run_library_move (UrbariumRunLibrary *self, UrbariumRun *run, UrbQueueMove move)
{
  g_autoptr(GStrvBuilder) args = g_strv_builder_new ();
  g_auto(GStrv) places = NULL, argv = NULL;
  GTask *task;
  g_return_if_fail (URBARIUM_IS_RUN_LIBRARY (self) && URBARIUM_IS_RUN (run));
  g_object_get (self, "places", &places, NULL);
  g_strv_builder_add_many (args, "queue", "--quiet", move == URB_QUEUE_EARLIER ? "--earlier" : "--later", run->folder, NULL);
  for (guint i = 0; places[i] != NULL; i++)
    if (g_file_test (places[i], G_FILE_TEST_IS_DIR)) /* a disk may be gone */
      g_strv_builder_add (args, places[i]);
  argv = g_strv_builder_end (args);
  task = g_task_new (self, NULL, NULL, NULL);
  g_task_set_task_data (task, g_object_ref (run), g_object_unref);
  urbarium_run_set_busy (run, URBARIUM_VERB_MOVE);
  urbarium_engine_program_run_async ((const char *const *) argv, NULL, NULL, moved_cb, task);
}
