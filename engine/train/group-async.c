/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group-async.c - asynchronous ranks as threads of one process (`streams`).
 *
 * Each has a trainer of its own (backend, program, loader) over the parameters of the first, and steps
 * whenever it can.  Rank 0 is the caller's thread.
 *
 * A step gets its number when it is done and is queued a moment later, so that steps may arrive in
 * another order than that of their numbers: UrbStepOrder restores it.
 */
#include "train/group-private.h"

/* A step; or that a thread has ended. */
typedef struct
{
  int            rank;
  UrbStepMetrics metrics; /* step 0: it ended */
  GError        *error;   /* (nullable) owned: why */
} Report;

static void
report_free (gpointer data)
{
  Report *self = data;

  g_clear_error (&self->error);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Report, report_free)

static Report *
do_step (UrbLocalRank *self)
{
  Report *report = g_new0 (Report, 1);

  report->rank = self->context.rank;
  if (!urb_trainer_step (self->trainer, &report->metrics, &report->error))
    report->metrics.step = 0;
  return report;
}

void
urb_local_rank_work (UrbLocalRank *self)
{
  const UrbRank *context = &self->context;
  gboolean more = TRUE;

  if (context->board != NULL)
    urb_board_enter (context->board, context->rank);
  while (more)
    {
      Report *report;

      urb_rank_show (context, URB_RANK_STEPPING, urb_shared_params_get_n_done (context->shared) + 1);
      report = do_step (self);
      more = report->metrics.step > 0;
      if (!more)
        urb_async_leave (urb_trainer_get_async (self->trainer));
      g_async_queue_push (self->group->reports, report);
    }
  urb_rank_show (context, URB_RANK_IDLE, urb_shared_params_get_n_done (context->shared) + 1);
}

gboolean
urb_group_open_async (UrbGroup *self, const UrbTrainOptions *options, GError **error)
{
  for (int r = 0; r < self->n_local; r++)
    {
      UrbLocalRank *rank = &self->ranks[r];

      rank->trainer = urb_trainer_new (r == 0 ? options : urb_trainer_get_options (self->ranks[0].trainer),
                                       &rank->context, error);
      if (rank->trainer == NULL)
        return FALSE;
    }
  return TRUE;
}

static gboolean
start (UrbGroup *self, GError **error)
{
  if (self->order != NULL)
    return TRUE;
  if (!urb_trainer_begin (self->ranks[0].trainer, error))
    return FALSE;
  if (self->reports == NULL)
    self->reports = g_async_queue_new_full (report_free);
  self->n_returned = urb_shared_params_get_n_done (self->shared);
  self->order = urb_step_order_new (self->n_returned, self->n_local);
  self->n_running = self->n_local - 1;
  for (int r = 0; r < self->n_local; r++)
    urb_step_order_add_rank (self->order, r);
  for (int r = 1; r < self->n_local; r++)
    urb_local_rank_start (&self->ranks[r]);
  return TRUE;
}

void
urb_group_stop_async (UrbGroup *self)
{
  gpointer report;

  if (self->order == NULL)
    return;
  urb_shared_params_close (self->shared);
  for (int r = 1; r < self->n_local; r++)
    g_clear_pointer (&self->ranks[r].thread, g_thread_join);
  while ((report = g_async_queue_try_pop (self->reports)) != NULL)
    report_free (report);
  g_clear_pointer (&self->order, urb_step_order_free);
  urb_async_leave (urb_trainer_get_async (self->ranks[0].trainer));
}

/* FALSE: the rank failed. */
static gboolean
take_report (UrbGroup *self, Report *report, GError **error)
{
  if (report->metrics.step > 0)
    urb_step_order_push (self->order, report->rank, &report->metrics);
  else if (report->error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&report->error));
      return FALSE;
    }
  else
    {
      urb_step_order_remove_rank (self->order, report->rank);
      self->n_running -= report->rank > 0;
    }
  return TRUE;
}

gboolean
urb_group_step_async (UrbGroup *self, UrbStepMetrics *metrics, GError **error)
{
  gboolean stepped = FALSE, more = TRUE;

  if (!start (self, error))
    return FALSE;
  while (!urb_step_order_pop (self->order, metrics))
    {
      g_autoptr(Report) report = g_async_queue_try_pop (self->reports);

      if (report == NULL && !stepped)
        {
          report = do_step (&self->ranks[0]);
          stepped = TRUE;
          more = report->metrics.step > 0;
        }
      else if (report == NULL && !more && self->n_running == 0)
        {
          *metrics = (UrbStepMetrics) { 0 };
          return TRUE;
        }
      else if (report == NULL)
        report = g_async_queue_pop (self->reports); /* of a step that was numbered before this one */
      if (!take_report (self, report, error))
        return FALSE;
    }
  self->n_returned = metrics->step;
  return TRUE;
}
