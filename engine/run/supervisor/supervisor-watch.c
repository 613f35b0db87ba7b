/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervisor-watch.c - workers that neither die nor progress.
 *
 * Time limits find all of them; the kernel and the status board find some earlier, and tell which
 * rank the others wait for.
 */
#include <string.h>

#include "run/supervisor/doctor.h"
#include "run/supervisor/supervisor-private.h"

enum
{
  START_SILENCE_S = 60, /* until its first message: many ranks start slowly on a busy machine */
  STILL_S = 5,         /* what cannot recover is ended after this time */
  SLOW_STEPS = 20,     /* a step this many times slower than the slowest hangs */
  SLOW_OTHER_S = 1800  /* limit for everything but steps */
};

/* ": rank 1 (process 4711) is stopped (state T), and rank 0 waits for it in …"; empty if each
 * process has one rank. */
static char *
dup_diagnosis (UrbSupervisor *self)
{
  g_autoptr(UrbDoctorView) view = NULL;
  g_autofree char *text = NULL;
  int guilty;
  if (urb_board_get_n_ranks (self->board) <= self->n_slots)
    return g_strdup ("");
  view = urb_doctor_read (self->board);
  text = urb_doctor_diagnose (view, &guilty);
  return g_strconcat (": ", text, NULL);
}

static void
watch_times (UrbWorkerSlot *slot)
{
  UrbSupervisor *self = slot->supervisor;
  double silence_s = urb_worker_process_get_silence_s (slot->worker);
  double max_silence_s = urb_worker_process_has_spoken (slot->worker)
                           ? self->options.max_silence_s
                           : MAX (self->options.max_silence_s, START_SILENCE_S);
  gboolean stepping = slot->doing != NULL && strcmp (slot->doing, "step") == 0;
  double limit_s = stepping ? MAX (self->options.max_step_s, SLOW_STEPS * slot->slowest_step_s)
                            : SLOW_OTHER_S;
  g_autofree char *diagnosis = NULL, *why = NULL;
  if (silence_s <= max_silence_s && (slot->doing == NULL || slot->doing_s <= limit_s))
    return;
  diagnosis = dup_diagnosis (self);
  if (silence_s > max_silence_s)
    why = g_strdup_printf ("has been silent for %.0f seconds%s", silence_s, diagnosis);
  else
    why = g_strdup_printf ("has been busy with '%s' at step %" G_GINT64_FORMAT
                           " for %.0f seconds, and the limit is %.0f%s",
                           slot->doing, self->step + stepping, slot->doing_s, limit_s, diagnosis);
  urb_worker_process_kill (slot->worker, why);
}

/* For a single rank the board says no more than its process state. */
static void
watch_process (UrbWorkerSlot *slot)
{
  gint64 now_us = g_get_monotonic_time ();
  g_autofree char *why = NULL;
  if (urb_doctor_read_process (urb_worker_process_get_pid (slot->worker)) != 'T')
    {
      slot->stopped_us = 0;
      return;
    }
  if (slot->stopped_us == 0)
    slot->stopped_us = now_us;
  if (now_us - slot->stopped_us < STILL_S * (gint64) G_USEC_PER_SEC)
    return;
  why = g_strdup_printf ("has been stopped (state T) for %d seconds", STILL_S);
  urb_worker_process_kill (slot->worker, why);
}

static void
watch_board (UrbSupervisor *self)
{
  g_autoptr(UrbDoctorView) view = urb_doctor_read (self->board);
  g_autofree char *text = NULL, *why = NULL;
  double still_s;
  UrbWorkerSlot *slot;
  int guilty;
  if (!urb_doctor_is_certain (view, &still_s) || still_s < STILL_S)
    return;
  text = urb_doctor_diagnose (view, &guilty);
  why = g_strdup_printf ("stands still: %s", text);
  slot = &self->slots[guilty >= 0 && guilty < self->n_slots ? guilty : 0];
  if (slot->worker != NULL)
    urb_worker_process_kill (slot->worker, why);
}

void
urb_supervisor_watch_workers (UrbSupervisor *self)
{
  gboolean alone = self->board == NULL || urb_board_get_n_ranks (self->board) <= 1;
  for (int i = 0; i < self->n_slots; i++)
    if (self->slots[i].worker != NULL)
      {
        watch_times (&self->slots[i]);
        if (alone || self->launch != NULL)
          watch_process (&self->slots[i]);
      }
  if (!alone && urb_supervisor_has_workers (self))
    watch_board (self);
}
