/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-apply.c - applies records to a run.
 *
 * Records of the past and the present arrive mixed.  Lists and series follow the records in order;
 * state and progress are always current: from the supervisor, or from a peek at the end of run.db.
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
  urbarium_series_freeze (self->images_seen);
  urbarium_series_freeze (self->minutes);
}

void
urbarium_run_thaw (UrbariumRun *self)
{
  flush_events (self);
  urbarium_series_thaw (self->images_seen); /* where the curves are drawn */
  urbarium_series_thaw (self->minutes);
  for (int i = 0; i < URB_N_METRICS; i++)
    urbarium_series_thaw (self->metrics[i]);
  urbarium_series_thaw (self->speed);
}

static gint64
get_item_step (GListModel *model, guint i)
{
  g_autoptr(UrbariumRunFile) item = g_list_model_get_item (model, i);
  return urbarium_run_file_get_step (item);
}

/* Items are sorted by step. */
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

/* The best of those that still count. */
static void
update_score (UrbariumRun *self)
{
  UrbariumSeries *scores = self->scores[URB_SCORE_PLANS];
  double best, worst;
  if (!urbarium_series_get_range (scores, 0, urbarium_series_get_n (scores), &best, &worst))
    best = NAN;
  urbarium_run_set_figures (self, self->last_images_per_s, best);
}

static void
rewind_to (UrbariumRun *self, gint64 step)
{
  for (int i = 0; i < URB_N_METRICS; i++)
    urbarium_series_truncate (self->metrics[i], (double) step);
  urbarium_series_truncate (self->speed, (double) step);
  urbarium_series_truncate (self->images_seen, (double) step);
  urbarium_series_truncate (self->minutes, (double) step);
  for (int i = 0; i < URB_N_SCORES; i++)
    urbarium_series_truncate (self->scores[i], (double) step);
  urbarium_series_truncate (self->score_limit, (double) step);
  if (self->caught_up)
    update_score (self);
  remove_after (self->samples, step);
  remove_after (self->checkpoints, step);
  self->last_step = -1; /* the number of images is unknown */
}

void
urbarium_run_reset (UrbariumRun *self)
{
  rewind_to (self, G_MININT64);
  g_list_store_remove_all (self->events);
  g_list_store_remove_all (self->workers);
  g_list_store_remove_all (self->gpus);
  g_ptr_array_set_size (self->new_events, 0);
  self->last_seq = 0;
  self->db_inode = 0;
  self->knows_energy = FALSE;
}

/* Before the curves that are drawn there. */
static void
apply_progress (UrbariumRun *self, const UrbRunRecord *record)
{
  double x = (double) record->step, seconds = record->metrics.seconds, last, minutes = 0, images = 0;
  gsize n = urbarium_series_get_n (self->minutes);
  if (n > 0)
    {
      urbarium_series_get (self->minutes, n - 1, &last, &minutes);
      urbarium_series_get (self->images_seen, n - 1, &last, &images);
    }
  urbarium_series_append (self->minutes, x, minutes + (seconds > 0 && isfinite (seconds) ? seconds / 60 : 0));
  urbarium_series_append (self->images_seen, x, MAX (images, (double) record->metrics.images));
}

static void
apply_step (UrbariumRun *self, const UrbRunRecord *record)
{
  double x = (double) record->step, seconds = record->metrics.seconds;
  gint64 images = record->metrics.images;
  /* After a gap, the total number of images gives the average per step. */
  gint64 n_images = record->step == self->last_step + 1 ? images - self->last_images
                    : record->step > 0                  ? images / record->step
                                                        : 0;
  gsize n = urbarium_series_get_n (self->speed);
  double newest = -1, y;
  if (n > 0)
    urbarium_series_get (self->speed, n - 1, &newest, &y);
  if (newest >= x) /* a rewind without its event: the file was tampered with */
    rewind_to (self, record->step - 1);
  apply_progress (self, record);
  for (int i = 0; i < URB_N_METRICS; i++)
    urbarium_series_append (self->metrics[i], x, record->metrics.values[i]);
  urbarium_series_append (self->speed, x,
                          seconds > 0 && n_images > 0 ? (double) n_images / seconds : NAN);
  self->last_step = record->step;
  self->last_images = images;
  if (self->caught_up)
    urbarium_run_set_progress (self, record->step, self->n_steps, images, self->images_per_s);
}

/* An item of the same step replaces the old one. */
static void
append_file (UrbariumRun *self, GListStore *list, const UrbRunRecord *record,
             UrbariumRunVerb done)
{
  g_autoptr(UrbariumRunFile) file = urbarium_run_file_new (self->folder, record);
  remove_after (list, record->step - 1);
  g_list_store_append (list, file);
  if (self->caught_up)
    urbarium_run_settle (self, done);
}

/* A score arrives when the training is farther already. */
static void
apply_score (UrbariumRun *self, const UrbRunRecord *record)
{
  double x = (double) record->step, newest = -1, y;
  gsize n = urbarium_series_get_n (self->score_limit);
  if (n > 0)
    urbarium_series_get (self->score_limit, n - 1, &newest, &y);
  if (x <= newest)
    return;
  for (int i = 0; i < URB_N_SCORES; i++)
    urbarium_series_append (self->scores[i], x, record->scores.values[i]);
  urbarium_series_append (self->score_limit, x, 1);
  if (self->caught_up)
    update_score (self);
}

static void
apply_worker (UrbariumRun *self, const UrbRunRecord *record)
{
  UrbariumRunWorker *worker = urbarium_run_ensure_worker (self, (int) record->rank);
  if (strcmp (record->texts[0], "started") == 0)
    urbarium_run_worker_started (worker, record->pid, record->time);
  else
    {
      /* Only processes of the supervisor have records; the ranks of rank 0 end with it. */
      gboolean all = self->config.train.strategy != URB_STRATEGY_HOGWILD;
      gint64 step = urbarium_run_get_workers_step (self);
      urbarium_run_worker_ended (worker, step, record->texts[1]);
      for (guint i = 0; all && i < g_list_model_get_n_items (G_LIST_MODEL (self->workers)); i++)
        {
          g_autoptr(UrbariumRunWorker) other
            = g_list_model_get_item (G_LIST_MODEL (self->workers), i);
          if (urbarium_run_worker_get_rank (other) > 0)
            urbarium_run_worker_ended (other, step, record->texts[1]);
        }
    }
  /* The run acquires and releases its GPUs with rank 0. */
  if (record->rank == 0)
    g_list_store_remove_all (self->gpus);
}

/* Loads of a run without a supervisor are outdated. */
static void
apply_gpu (UrbariumRun *self, const UrbRunRecord *record)
{
  GListModel *model = G_LIST_MODEL (self->gpus);
  int index = (int) CLAMP (record->device, 0, G_MAXINT);
  g_autoptr(UrbariumRunGpu) gpu = urbarium_run_gpu_new (index, record->texts[0], record->texts[1], &record->load);
  guint n = g_list_model_get_n_items (model), i;
  int other = -1;
  self->knows_energy |= isfinite (record->load.power_w) != 0;
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
remove_step (GListStore *files, gint64 step)
{
  for (guint i = g_list_model_get_n_items (G_LIST_MODEL (files)); i-- > 0;)
    if (get_item_step (G_LIST_MODEL (files), i) == step)
      g_list_store_remove (files, i);
}

static void
apply_event (UrbariumRun *self, const UrbRunRecord *record)
{
  const char *level = record->texts[0], *code = record->texts[1], *text = record->texts[2];
  UrbariumRunEvent *event;
  UrbRunState state;
  if (strcmp (code, "sample-deleted") == 0) /* too frequent to be shown */
    {
      remove_step (self->samples, record->step);
      return;
    }
  event = urbarium_run_event_new (level, code, text, record->step, record->time);
  if (strcmp (code, "score") == 0)
    urbarium_run_event_set_score (event, record->scores.values[URB_SCORE_PLANS], record->scores.step, record->is_best);
  urbarium_run_event_set_subject (event, record->texts[3]);
  g_ptr_array_add (self->new_events, event);
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
  else if (strcmp (code, "trace") == 0 || strcmp (code, "trace-failed") == 0)
    urbarium_run_settle (self, URBARIUM_VERB_TRACE);
  else if (strcmp (code, "rewound") == 0 || strcmp (code, "extended") == 0
           || strcmp (code, "renamed") == 0 || strcmp (code, "noted") == 0)
    urbarium_run_ask_status (self);
}

void
urbarium_run_apply (UrbariumRun *self, const UrbRunRecord *record)
{
  self->last_seq = record->seq;
  switch (record->type)
    {
    case URB_RUN_RECORD_STEP:
      apply_step (self, record);
      break;
    case URB_RUN_RECORD_SAMPLE:
      append_file (self, self->samples, record, URBARIUM_VERB_SAMPLE);
      break;
    case URB_RUN_RECORD_CHECKPOINT:
      if (record->kept)
        append_file (self, self->checkpoints, record, URBARIUM_VERB_CHECKPOINT);
      break;
    case URB_RUN_RECORD_WORKER:
      apply_worker (self, record);
      break;
    case URB_RUN_RECORD_EVENT:
      apply_event (self, record);
      break;
    case URB_RUN_RECORD_GPU:
      apply_gpu (self, record);
      break;
    case URB_RUN_RECORD_ENERGY:
      self->knows_energy |= record->joules > 0;
      break;
    case URB_RUN_RECORD_SCORE:
      apply_score (self, record);
      break;
    case URB_RUN_RECORD_SESSION:
      if (self->caught_up)
        urbarium_run_ask_status (self);
      break;
    case URB_RUN_RECORD_OTHER:
      break;
    }
  if (self->caught_up)
    flush_events (self);
}
