/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-take.c - what a record changes.
 *
 * What is hard: one reads the past and the present at once.  The lists and
 * curves follow the records in their order; the state and the progress that are
 * shown are those of now: told by the supervisor, or by a peek at the end.
 */
#include <math.h>
#include <string.h>

#include "app/runs/run-private.h"

static void
flush_events (UrbariumRun *self)
{
  if (self->new_events->len == 0)
    return;
  g_list_store_splice (self->events, g_list_model_get_n_items (G_LIST_MODEL (self->events)), 0,
                       self->new_events->pdata, self->new_events->len);
  g_ptr_array_set_size (self->new_events, 0);
}

void
urbarium_run_freeze (UrbariumRun *self)
{
  for (int i = 0; i < URB_N_METRICS; i++)
    urbarium_series_freeze (self->metrics[i]);
  urbarium_series_freeze (self->speed);
}

void
urbarium_run_thaw (UrbariumRun *self)
{
  flush_events (self);
  for (int i = 0; i < URB_N_METRICS; i++)
    urbarium_series_thaw (self->metrics[i]);
  urbarium_series_thaw (self->speed);
}

static gint64
get_item_step (GListModel *model, guint i)
{
  g_autoptr(GObject) item = g_list_model_get_item (model, i);
  return URBARIUM_IS_RUN_SAMPLE (item)
           ? urbarium_run_sample_get_step (URBARIUM_RUN_SAMPLE (item))
           : urbarium_run_checkpoint_get_step (URBARIUM_RUN_CHECKPOINT (item));
}

/* Items come in the order of their steps. */
static void
remove_after (GListStore *list, gint64 step)
{
  GListModel *model = G_LIST_MODEL (list);
  guint n = g_list_model_get_n_items (model), keep = n;
  while (keep > 0 && get_item_step (model, keep - 1) > step)
    keep--;
  if (keep < n)
    g_list_store_splice (list, keep, n - keep, NULL, 0);
}

static void
remove_step (GListStore *list, gint64 step)
{
  GListModel *model = G_LIST_MODEL (list);
  for (guint i = g_list_model_get_n_items (model); i-- > 0;)
    if (get_item_step (model, i) == step)
      g_list_store_remove (list, i);
}

static void
rewind_to (UrbariumRun *self, gint64 step)
{
  for (int i = 0; i < URB_N_METRICS; i++)
    urbarium_series_truncate (self->metrics[i], (double) step);
  urbarium_series_truncate (self->speed, (double) step);
  remove_after (self->samples, step);
  remove_after (self->checkpoints, step);
  self->last_step = -1; /* how many images there were is not known */
}

void
urbarium_run_forget (UrbariumRun *self)
{
  rewind_to (self, G_MININT64);
  g_list_store_remove_all (self->events);
  g_list_store_remove_all (self->workers);
  g_list_store_remove_all (self->gpus);
  g_ptr_array_set_size (self->new_events, 0);
  self->last_seq = 0;
  self->db_inode = 0;
}

static void
take_step (UrbariumRun *self, const UrbariumRecord *record)
{
  double x = (double) record->step, seconds = record->metrics.seconds;
  gint64 images = record->metrics.images;
  /* After a gap the number of images says at least how many a step has. */
  gint64 n_images = record->step == self->last_step + 1 ? images - self->last_images
                    : record->step > 0                  ? images / record->step
                                                        : 0;
  gsize n = urbarium_series_get_n (self->speed);
  double newest = -1, y;
  if (n > 0)
    urbarium_series_get (self->speed, n - 1, &newest, &y);
  if (newest >= x) /* nobody told us of a rewind: a file that was tampered with */
    rewind_to (self, record->step - 1);
  for (int i = 0; i < URB_N_METRICS; i++)
    urbarium_series_append (self->metrics[i], x, record->metrics.values[i]);
  urbarium_series_append (self->speed, x,
                          seconds > 0 && n_images > 0 ? (double) n_images / seconds : NAN);
  self->last_step = record->step;
  self->last_images = images;
  if (self->caught_up)
    urbarium_run_set_progress (self, record->step, self->n_steps, images, self->images_per_s);
}

static void
take_checkpoint (UrbariumRun *self, const UrbariumRecord *record)
{
  g_autoptr(UrbariumRunCheckpoint) checkpoint = NULL;
  if (!record->checkpoint.kept)
    return;
  remove_after (self->checkpoints, record->step - 1);
  checkpoint = urbarium_run_checkpoint_new (self->folder, record);
  g_list_store_append (self->checkpoints, checkpoint);
  if (self->caught_up)
    urbarium_run_settle (self, URBARIUM_VERB_CHECKPOINT);
}

static void
take_sample (UrbariumRun *self, const UrbariumRecord *record)
{
  g_autoptr(UrbariumRunSample) sample = urbarium_run_sample_new (self->folder, record);
  remove_after (self->samples, record->step - 1); /* drawn again at the same step */
  g_list_store_append (self->samples, sample);
  if (self->caught_up)
    urbarium_run_settle (self, URBARIUM_VERB_SAMPLE);
}

/* Of a worker that ends: a heartbeat may be a second old, and none is recorded.  Asynchronous
 * ranks share the run's steps among them, and no record tells how. */
gint64
urbarium_run_get_workers_step (UrbariumRun *self)
{
  gsize n = urbarium_series_get_n (self->speed);
  double step = -1, y;
  if (n > 0 && !urb_strategy_is_asynchronous (self->config.train.strategy))
    urbarium_series_get (self->speed, n - 1, &step, &y);
  return (gint64) step;
}

/* Only a process of the supervisor's own has a record; the ranks that it led end with it. */
static void
end_followers (UrbariumRun *self, const char *how)
{
  GListModel *model = G_LIST_MODEL (self->workers);
  for (guint i = 0; i < g_list_model_get_n_items (model); i++)
    {
      g_autoptr(UrbariumRunWorker) worker = g_list_model_get_item (model, i);
      if (urbarium_run_worker_get_rank (worker) > 0)
        urbarium_run_worker_ended (worker, urbarium_run_get_workers_step (self), how);
    }
}

static void
take_worker (UrbariumRun *self, const UrbariumRecord *record)
{
  UrbariumRunWorker *worker = urbarium_run_ensure_worker (self, (int) record->worker.rank);
  if (strcmp (record->texts[0], "started") == 0)
    urbarium_run_worker_started (worker, record->worker.pid, record->time);
  else
    urbarium_run_worker_ended (worker, urbarium_run_get_workers_step (self), record->texts[1]);
  if (strcmp (record->texts[0], "started") != 0
      && self->config.train.strategy != URB_STRATEGY_HOGWILD)
    end_followers (self, record->texts[1]);
  /* With its first worker a run comes to its GPUs, and leaves them. */
  if (record->worker.rank == 0)
    g_list_store_remove_all (self->gpus);
}

/* Of one that nobody supervises, it is the past. */
static void
take_gpu (UrbariumRun *self, const UrbariumRecord *record)
{
  GListModel *model = G_LIST_MODEL (self->gpus);
  int index = (int) CLAMP (record->gpu.device, 0, G_MAXINT);
  g_autoptr(UrbariumRunGpu) gpu = urbarium_run_gpu_new (index, record->texts[0], &record->gpu.load);
  guint n = g_list_model_get_n_items (model), i;
  int other = -1;
  if (!self->live)
    return;
  for (i = 0; i < n && other < index; i++)
    {
      g_autoptr(UrbariumRunGpu) item = g_list_model_get_item (model, i);
      other = urbarium_run_gpu_get_index (item);
    }
  if (other >= index)
    i--;
  g_list_store_splice (self->gpus, i, other == index ? 1 : 0, (gpointer[]){ gpu }, 1);
}

static void
take_event (UrbariumRun *self, const UrbariumRecord *record)
{
  const char *level = record->texts[0], *code = record->texts[1], *text = record->texts[2];
  UrbRunState state;
  g_ptr_array_add (self->new_events,
                   urbarium_run_event_new (level, code, text, record->step, record->time));
  if (strcmp (code, "rewound") == 0)
    rewind_to (self, record->step);
  else if (strcmp (code, "checkpoint-deleted") == 0)
    remove_step (self->checkpoints, record->step);
  if (!self->caught_up)
    return;
  if (strcmp (code, "state") == 0 && urb_run_state_from_name (text, &state))
    urbarium_run_set_state (self, state, FALSE);
  else if (strcmp (code, "checkpoint-failed") == 0)
    urbarium_run_settle (self, URBARIUM_VERB_CHECKPOINT);
  else if (strcmp (code, "sample-failed") == 0)
    urbarium_run_settle (self, URBARIUM_VERB_SAMPLE);
  else if (strcmp (code, "rewound") == 0 || strcmp (code, "extended") == 0
           || strcmp (code, "renamed") == 0)
    urbarium_run_ask_status (self);
}

void
urbarium_run_take (UrbariumRun *self, const UrbariumRecord *record)
{
  self->last_seq = record->seq;
  switch (record->type)
    {
    case URBARIUM_RECORD_STEP:
      take_step (self, record);
      break;
    case URBARIUM_RECORD_SAMPLE:
      take_sample (self, record);
      break;
    case URBARIUM_RECORD_CHECKPOINT:
      take_checkpoint (self, record);
      break;
    case URBARIUM_RECORD_WORKER:
      take_worker (self, record);
      break;
    case URBARIUM_RECORD_EVENT:
      take_event (self, record);
      break;
    case URBARIUM_RECORD_GPU:
      take_gpu (self, record);
      break;
    case URBARIUM_RECORD_SESSION:
      if (self->caught_up)
        urbarium_run_ask_status (self);
      break;
    case URBARIUM_RECORD_OTHER:
      break;
    }
  if (self->caught_up)
    flush_events (self);
}
