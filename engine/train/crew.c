/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crew.c - see crew.h.
 *
 * A step gets its number when it is done and is put into the queue a moment
 * later, so that numbers may come in another order than they were given: they
 * wait in a table until their turn.
 */
#include "train/crew.h"

#include "train/trainer-private.h"

typedef struct
{
  UrbCrew    *crew;    /* borrowed */
  UrbTrainer *trainer; /* owned */
  UrbTrace   *trace;   /* (nullable) owned */
  int         rank;
  GThread    *thread;  /* (nullable) */
} Member;

/* What a member has to say: a step; or how it ended. */
typedef struct
{
  UrbStepMetrics metrics; /* step 0: it ended */
  GError        *error;   /* (nullable) owned: why */
} Report;

struct _UrbCrew
{
  UrbTrainer      *first;  /* borrowed */
  UrbSharedParams *shared; /* borrowed */
  UrbBoard        *board;  /* (nullable) borrowed */
  Member          *members; /* (n) */
  int              n, n_running;
  gboolean         running;
  GAsyncQueue     *reports; /* of Report */
  GHashTable      *waiting; /* step -> Report */
  gint64           next;    /* the step to hand out */
};

static void
report_free (gpointer data)
{
  Report *self = data;

  g_clear_error (&self->error);
  g_free (self);
}

static void
show (const Member *self, UrbRankState state)
{
  if (self->crew->board != NULL)
    urb_board_set_state (self->crew->board, self->rank, state,
                         urb_shared_params_get_n_done (self->crew->shared) + 1);
}

static gpointer
work (gpointer data)
{
  Member *self = data;
  gboolean more = TRUE;

  if (self->crew->board != NULL)
    urb_board_enter (self->crew->board, self->rank);
  while (more)
    {
      Report *report = g_new0 (Report, 1);

      show (self, URB_RANK_STEPPING);
      if (!urb_trainer_step_alone (self->trainer, &report->metrics, &report->error))
        report->metrics.step = 0;
      more = report->metrics.step > 0;
      if (!more)
        urb_trainer_leave (self->trainer);
      g_async_queue_push (self->crew->reports, report);
    }
  show (self, URB_RANK_IDLE);
  return NULL;
}

UrbCrew *
urb_crew_new (UrbTrainer *first, const UrbTrainOptions *options, UrbSharedParams *shared,
              UrbBoard *board, GError **error)
{
  int n_ranks = options->n_ranks;
  g_autoptr(UrbCrew) self = g_new0 (UrbCrew, 1);

  self->first = first;
  self->shared = shared;
  self->board = board;
  self->members = g_new0 (Member, n_ranks);
  self->reports = g_async_queue_new_full (report_free);
  self->waiting = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, report_free);
  for (; self->n < n_ranks - 1; self->n++)
    {
      Member *member = &self->members[self->n];
      const UrbPlace place = { .rank = self->n + 1, .n_ranks = n_ranks, .n_local = n_ranks,
                               .board = board, .shared = shared };

      member->crew = self;
      member->rank = place.rank;
      member->trainer = urb_trainer_new (options, &place, error);
      if (member->trainer == NULL)
        return NULL;
    }
  return g_steal_pointer (&self);
}

void
urb_crew_free (UrbCrew *self)
{
  if (self == NULL)
    return;
  urb_crew_stop (self);
  for (int i = 0; i < self->n; i++)
    {
      urb_trainer_free (self->members[i].trainer);
      urb_trace_free (self->members[i].trace);
    }
  g_async_queue_unref (self->reports);
  g_hash_table_unref (self->waiting);
  g_free (self->members);
  g_free (self);
}

static gboolean
start (UrbCrew *self, GError **error)
{
  if (self->running)
    return TRUE;
  if (!urb_trainer_begin (self->first, error))
    return FALSE;
  self->next = urb_shared_params_get_n_done (self->shared) + 1;
  for (int i = 0; i < self->n; i++)
    self->members[i].thread = g_thread_new ("stream", work, &self->members[i]);
  self->n_running = self->n;
  self->running = TRUE;
  return TRUE;
}

void
urb_crew_stop (UrbCrew *self)
{
  gpointer report;

  if (!self->running)
    return;
  urb_shared_params_close (self->shared);
  for (int i = 0; i < self->n; i++)
    g_clear_pointer (&self->members[i].thread, g_thread_join);
  while ((report = g_async_queue_try_pop (self->reports)) != NULL)
    report_free (report);
  g_hash_table_remove_all (self->waiting);
  urb_trainer_leave (self->first);
  self->running = FALSE;
}

/* ------------------------------------------------------------------------ */

/* Takes @report. */
static gboolean
file (UrbCrew *self, Report *report, GError **error)
{
  if (report->metrics.step > 0)
    {
      g_hash_table_insert (self->waiting, &report->metrics.step, report);
      return TRUE;
    }
  self->n_running--;
  if (report->error != NULL)
    g_propagate_error (error, g_steal_pointer (&report->error));
  else
    {
      report_free (report);
      return TRUE;
    }
  report_free (report);
  return FALSE;
}

static gboolean
file_all (UrbCrew *self, GError **error)
{
  Report *report;

  while ((report = g_async_queue_try_pop (self->reports)) != NULL)
    if (!file (self, report, error))
      return FALSE;
  return TRUE;
}

static gboolean
hand_out (UrbCrew *self, UrbStepMetrics *metrics)
{
  Report *report = g_hash_table_lookup (self->waiting, &self->next);

  if (report == NULL)
    return FALSE;
  *metrics = report->metrics;
  g_hash_table_remove (self->waiting, &self->next);
  self->next++;
  return TRUE;
}

/* A step of rank 0's own. */
static gboolean
step_first (UrbCrew *self, gboolean *more, GError **error)
{
  Report *report = g_new0 (Report, 1);

  if (!urb_trainer_step_alone (self->first, &report->metrics, error))
    {
      report_free (report);
      return FALSE;
    }
  *more = report->metrics.step > 0;
  if (*more)
    g_hash_table_insert (self->waiting, &report->metrics.step, report);
  else
    report_free (report);
  return TRUE;
}

gboolean
urb_crew_step (UrbCrew *self, UrbStepMetrics *metrics, GError **error)
{
  gboolean more = TRUE;

  if (!start (self, error) || !file_all (self, error))
    return FALSE;
  if (hand_out (self, metrics))
    return TRUE;
  if (!step_first (self, &more, error))
    return FALSE;
  /* The numbers before it have been given: their reports are on their way. */
  while (!hand_out (self, metrics))
    {
      if (!more && self->n_running == 0 && g_async_queue_length (self->reports) <= 0)
        {
          *metrics = (UrbStepMetrics) { 0 };
          return TRUE;
        }
      if (!file (self, g_async_queue_pop (self->reports), error))
        return FALSE;
    }
  return TRUE;
}

gint64
urb_crew_count_waiting (UrbCrew *self)
{
  return self->running ? urb_shared_params_get_n_done (self->shared) + 1 - self->next : 0;
}

gboolean
urb_crew_restore (UrbCrew *self, const char *path, GError **error)
{
  g_return_val_if_fail (!self->running, FALSE);
  for (int i = 0; i < self->n; i++)
    if (!urb_trainer_restore (self->members[i].trainer, path, error))
      return FALSE;
  return TRUE;
}

void
urb_crew_start_trace (UrbCrew *self)
{
  for (int i = 0; i < self->n; i++)
    {
      Member *member = &self->members[i];

      urb_trace_free (member->trace);
      member->trace = urb_trace_new (member->rank, 0);
      urb_trainer_set_trace (member->trainer, member->trace);
    }
}

void
urb_crew_end_trace (UrbCrew *self, GString *events, UrbTraceTotals *totals)
{
  for (int i = 0; i < self->n; i++)
    {
      Member *member = &self->members[i];

      urb_trainer_set_trace (member->trainer, NULL);
      g_string_append_printf (events, ",\n%s", urb_trace_get_events (member->trace));
      urb_trace_totals_add (totals, urb_trace_get_totals (member->trace));
      g_clear_pointer (&member->trace, urb_trace_free);
    }
}
