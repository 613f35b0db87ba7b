/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group.c - see group.h.
 */
#include "train/group-private.h"

/* ------------------------------------------------------------------------ */
/* Birth and end of ranks                                                    */

/* In the thread, or the process, of a rank that follows rank 0. */
static gboolean
follow_to_end (UrbLocalRank *self, GError **error)
{
  g_autoptr(GError) cause = NULL;
  gboolean good = urb_local_rank_follow (self, &cause);

  /* Before the trainer is freed, which leaves exchanges, too. */
  if (!good && self->group == NULL && self->context.n_local < self->context.n_ranks)
    g_prefix_error (&cause, "(on %s) ", g_get_host_name ());
  if (!good)
    urb_comm_abort (self->context.comm, cause->message);
  g_clear_pointer (&self->trainer, urb_trainer_free);
  g_clear_pointer (&self->trace, urb_trace_free);
  if (!good)
    g_propagate_error (error, g_steal_pointer (&cause));
  return good;
}

gboolean
urb_group_follow (const UrbRank *rank, GError **error)
{
  UrbLocalRank self = { .context = *rank };

  return follow_to_end (&self, error);
}

static gpointer
rank_thread (gpointer data)
{
  UrbLocalRank *self = data;

  if (self->context.comm == NULL)
    urb_local_rank_work (self);
  else
    {
      follow_to_end (self, NULL); /* the other ranks have its error */
      g_clear_pointer (&self->context.comm, urb_comm_free);
    }
  return NULL;
}

void
urb_local_rank_start (UrbLocalRank *self)
{
  g_autofree char *name = g_strdup_printf ("rank-%d", self->context.rank);

  self->thread = g_thread_new (name, rank_thread, self);
}

/* All ranks of the run, as threads of this process. */
static void
spawn_threads (UrbGroup *self, const UrbTrainOptions *options)
{
  UrbBoard *board = self->ranks[0].context.board;
  gboolean synchronous = urb_strategy_is_synchronous (options->strategy);
  g_autofree UrbComm **comms = g_new0 (UrbComm *, self->n_local);

  if (synchronous)
    urb_comm_new_threads (self->n_local, comms);
  else
    self->shared = urb_shared_params_new_heap (self->n_local);
  for (int r = 0; r < self->n_local; r++)
    self->ranks[r].context
      = synchronous ? urb_rank_from_comm (comms[r], board)
                    : (UrbRank) { .rank = r, .n_ranks = self->n_local, .local_rank = r,
                                  .n_local = self->n_local, .board = board, .shared = self->shared };
  /* Synchronous ranks open their trainers together; asynchronous threads start with the first step,
   * and again after each restore. */
  for (int r = 1; synchronous && r < self->n_local; r++)
    urb_local_rank_start (&self->ranks[r]);
}

static gboolean
has_threads (const UrbTrainOptions *options, const UrbRank *first)
{
  if (first->comm != NULL || first->shared != NULL || options->n_ranks < 1)
    return FALSE;
  return urb_strategy_is_synchronous (options->strategy)
         || (options->strategy == URB_STRATEGY_STREAMS && options->n_ranks <= URB_SHARED_MAX_WORKERS);
}

static gboolean
give_up (UrbGroup *self, GError *cause, GError **error)
{
  if (self->ranks[0].context.comm != NULL)
    urb_comm_abort (self->ranks[0].context.comm, cause->message);
  g_propagate_error (error, cause);
  return FALSE;
}

UrbGroup *
urb_group_new (const UrbTrainOptions *options, const UrbRank *rank, GError **error)
{
  g_autoptr(UrbGroup) self = g_new0 (UrbGroup, 1);
  UrbRank first = rank != NULL ? *rank : URB_RANK_ALONE;
  GError *cause = NULL;

  self->n_local = has_threads (options, &first) ? options->n_ranks : 1;
  self->ranks = g_new0 (UrbLocalRank, self->n_local);
  self->ranks[0].context = first;
  for (int r = 0; r < self->n_local; r++)
    self->ranks[r].group = self;
  if (has_threads (options, &first))
    spawn_threads (self, options);
  if (self->ranks[0].context.comm != NULL ? urb_group_lead (self, options, &cause)
                                          : urb_group_open_async (self, options, &cause))
    return g_steal_pointer (&self);
  give_up (self, cause, error);
  return NULL;
}

void
urb_group_free (UrbGroup *self)
{
  if (self == NULL)
    return;
  /* After a failure nobody listens, and this fails at once.  No rank leaves while another is still in
   * an exchange. */
  if (urb_group_command (self, URB_COMMAND_END, NULL) && self->ranks[0].context.comm != NULL)
    urb_local_rank_meet (&self->ranks[0], NULL);
  urb_group_stop_async (self);
  /* Rank 0 last: asynchronous ranks train on its parameters. */
  for (int r = self->n_local - 1; r >= 0; r--)
    {
      g_clear_pointer (&self->ranks[r].thread, g_thread_join);
      urb_trainer_free (self->ranks[r].trainer);
      urb_trace_free (self->ranks[r].trace);
    }
  urb_comm_free (self->ranks[0].context.comm);
  urb_shared_params_free (self->shared);
  g_clear_pointer (&self->reports, g_async_queue_unref);
  g_free (self->ranks);
  g_free (self);
}

UrbTrainer *
urb_group_get_trainer (UrbGroup *self)
{
  return self->ranks[0].trainer;
}

/* ------------------------------------------------------------------------ */
/* Steps and checkpoints                                                     */

gboolean
urb_group_step (UrbGroup *self, UrbStepMetrics *metrics, GError **error)
{
  GError *cause = NULL;

  if (self->shared != NULL)
    return urb_group_step_async (self, metrics, error);
  if (urb_group_command (self, URB_COMMAND_STEP, &cause)
      && urb_trainer_step (self->ranks[0].trainer, metrics, &cause))
    return TRUE;
  if (!g_error_matches (cause, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED))
    return give_up (self, cause, error);
  g_propagate_error (error, cause);
  return FALSE;
}

/* From here to end_service() the other synchronous ranks obey the first one's trainer. */
static gboolean
begin_service (UrbGroup *self, GError **error)
{
  if (!urb_group_command (self, URB_COMMAND_SERVE, error))
    return FALSE;
  urb_trainer_begin_service (self->ranks[0].trainer);
  return TRUE;
}

/* @good: what the first rank did; @step: see urb_trainer_end_service() */
static gboolean
end_service (UrbGroup *self, gboolean good, gint64 step, GError **error)
{
  GError *cause = NULL;

  if (urb_trainer_end_service (self->ranks[0].trainer, step, &cause))
    return good;
  if (!good)
    g_clear_error (error);
  return give_up (self, cause, error);
}

gboolean
urb_group_restore (UrbGroup *self, const char *path, GError **error)
{
  UrbTrainer *first = self->ranks[0].trainer;
  gboolean good;

  urb_group_stop_async (self);
  if (!begin_service (self, error))
    return FALSE;
  good = urb_trainer_restore (first, path, error);
  if (!end_service (self, good, good ? urb_trainer_get_step (first) : -1, error))
    return FALSE;
  for (int r = 1; self->ranks[0].context.comm == NULL && r < self->n_local; r++)
    if (!urb_trainer_restore (self->ranks[r].trainer, path, error))
      return FALSE;
  return TRUE;
}

gboolean
urb_group_quiesce (UrbGroup *self, gint64 *n_unreported, GError **error)
{
  UrbTrainer *first = self->ranks[0].trainer;

  *n_unreported = 0;
  if (!urb_async_hold (urb_trainer_get_async (first), error))
    return FALSE;
  if (self->order != NULL)
    *n_unreported = urb_trainer_get_step (first) - self->n_returned;
  return TRUE;
}

gboolean
urb_group_save (UrbGroup *self, const char *path, GError **error)
{
  UrbTrainer *first = self->ranks[0].trainer;

  if (!urb_trainer_is_divided (first))
    return urb_trainer_save (first, path, error);
  return begin_service (self, error)
         && end_service (self, urb_trainer_save (first, path, error), -1, error);
}

gboolean
urb_group_sample (UrbGroup *self, guint64 seed, gint64 first, gint64 count, guint8 *levels,
                  GError **error)
{
  UrbTrainer *trainer = self->ranks[0].trainer;

  if (!urb_trainer_is_divided (trainer))
    return urb_trainer_sample (trainer, seed, first, count, levels, error);
  return begin_service (self, error)
         && end_service (self, urb_trainer_sample (trainer, seed, first, count, levels, error), -1,
                         error);
}

/* ------------------------------------------------------------------------ */
/* Timelines                                                                 */

/* @was_held: (out): a checkpoint is being saved, and whoever does that releases the ranks */
static gboolean
hold (UrbGroup *self, gboolean *was_held, GError **error)
{
  UrbAsync *first = urb_trainer_get_async (self->ranks[0].trainer);

  *was_held = self->shared == NULL || first->held;
  if (self->shared == NULL || urb_async_hold (first, NULL))
    return TRUE;
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_BUSY,
                       "No timeline was recorded: the other ranks were busy for too long.");
  return FALSE;
}

static void
release (UrbGroup *self, gboolean was_held)
{
  if (!was_held)
    urb_async_release (urb_trainer_get_async (self->ranks[0].trainer));
}

/* The local ranks that rank 0 speaks for; the others do it by themselves, on its command. */
static int
count_silent (const UrbGroup *self)
{
  return self->shared != NULL ? self->n_local : 1;
}

gboolean
urb_group_start_trace (UrbGroup *self, GError **error)
{
  gboolean was_held, ok;
  GError *cause = NULL;

  if (!hold (self, &was_held, error))
    return FALSE;
  ok = urb_group_command (self, URB_COMMAND_START_TRACE, &cause);
  for (int r = 0; ok && r < count_silent (self); r++)
    ok = urb_local_rank_start_trace (&self->ranks[r], &cause);
  release (self, was_held);
  return ok || give_up (self, cause, error);
}

gboolean
urb_group_end_trace (UrbGroup *self, const char *path, UrbTraceSummary *summary, GError **error)
{
  g_auto(UrbTraceMerge) merge = { .synchronous = self->ranks[0].context.comm != NULL };
  gboolean was_held, ok;
  GError *cause = NULL;

  g_return_val_if_fail (self->ranks[0].trace != NULL, FALSE);
  if (!hold (self, &was_held, error))
    {
      urb_local_rank_drop_trace (&self->ranks[0]);
      return FALSE;
    }
  ok = urb_group_command (self, URB_COMMAND_END_TRACE, &cause);
  for (int r = 0; ok && r < count_silent (self); r++)
    ok = urb_local_rank_end_trace (&self->ranks[r], &merge, &cause);
  release (self, was_held);
  if (!ok)
    return give_up (self, cause, error);
  return urb_trace_merge_write (&merge, path, summary, error);
}
