/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history.c - see history.h.
 */
#include "report/history.h"

#include <math.h>
#include <string.h>

enum { PAGE = 4096 };

/* Readings of a GPU come every five seconds; after a longer gap the run was not training. */
#define LONGEST_READING_S 15.0

typedef struct
{
  UrbHistory *history;
  gint64      last_step; /* of the whole run; at least 1 */
  gint64      images;    /* after the step before; -1: not known */
  double      n_images, counted_s; /* of steps whose images are known, and how long they took */
  gint64      seq;
} Reading;

static void
clear_event (gpointer data)
{
  UrbHistoryEvent *event = data;

  g_free (event->level);
  g_free (event->code);
  g_free (event->text);
  g_free (event->subject);
}

static void
clear_gpu (gpointer data)
{
  UrbHistoryGpu *gpu = data;

  g_free (gpu->name);
  g_free (gpu->pci);
}

/* ------------------------------------------------------------------------ */
/* Records                                                                   */

static void
read_step (Reading *self, const UrbRunRecord *record)
{
  UrbHistory *history = self->history;
  const UrbStepMetrics *metrics = &record->metrics;
  double place = ((double) record->step - 1) / (double) self->last_step * URB_HISTORY_N_BINS;
  UrbHistoryBin *bin = &history->bins[(int) CLAMP (place, 0, URB_HISTORY_N_BINS - 1)];
  double images = (double) metrics->images - (double) self->images;

  if (bin->first_step == 0)
    bin->first_step = record->step;
  bin->last_step = record->step;
  if (self->images >= 0)
    {
      bin->images += images;
      bin->seconds += metrics->seconds;
      self->n_images += images;
      self->counted_s += metrics->seconds;
    }
  for (int i = 0; i < URB_N_METRICS; i++)
    {
      double value = metrics->values[i], before = value - bin->values[i].mean;

      if (!isfinite (value))
        continue;
      bin->values[i].n++;
      bin->values[i].mean += before / (double) bin->values[i].n;
      bin->values[i].squares += before * (value - bin->values[i].mean); /* Welford 1962 */
    }
  self->images = history->images = metrics->images;
  history->last_step = record->step;
  history->seconds += metrics->seconds;
}

static void
read_gpu (Reading *self, const UrbRunRecord *record)
{
  GArray *gpus = self->history->gpus;
  UrbHistoryGpu new = { .time = record->time }, *gpu = NULL;
  double seconds;

  for (guint i = 0; gpu == NULL && i < gpus->len; i++)
    if (strcmp (g_array_index (gpus, UrbHistoryGpu, i).pci, record->texts[1]) == 0)
      gpu = &g_array_index (gpus, UrbHistoryGpu, i);
  if (gpu == NULL)
    {
      new.name = g_strdup (record->texts[0]);
      new.pci = g_strdup (record->texts[1]);
      g_array_append_val (gpus, new);
      gpu = &g_array_index (gpus, UrbHistoryGpu, gpus->len - 1);
    }
  seconds = record->time - gpu->time;
  gpu->time = record->time;
  if (!isfinite (record->load.power_w) || seconds <= 0 || seconds > LONGEST_READING_S)
    return;
  gpu->joules += record->load.power_w * seconds;
  gpu->seconds += seconds;
}

static void
read_event (UrbHistory *history, const UrbRunRecord *record)
{
  UrbHistoryEvent event = { record->time, record->step, g_strdup (record->texts[0]), g_strdup (record->texts[1]),
                            g_strdup (record->texts[2]), g_strdup (record->texts[3]) };

  g_array_append_val (history->events, event);
}

static void
record_cb (const UrbRunRecord *record, gpointer user_data)
{
  Reading *self = user_data;
  UrbHistory *history = self->history;

  self->seq = record->seq;
  if (history->begun == 0)
    history->begun = record->time;
  history->ended = record->time;
  switch (record->type)
    {
    case URB_RUN_RECORD_SESSION:
      history->n_sessions++;
      break;
    case URB_RUN_RECORD_STEP:
      read_step (self, record);
      break;
    case URB_RUN_RECORD_SAMPLE:
      g_array_append_val (history->samples, record->step);
      break;
    case URB_RUN_RECORD_EVENT:
      read_event (history, record);
      break;
    case URB_RUN_RECORD_GPU:
      read_gpu (self, record);
      break;
    case URB_RUN_RECORD_ENERGY:
      history->processor_joules += record->joules;
      history->processor_s += record->seconds;
      break;
    case URB_RUN_RECORD_SCORE:
      g_array_append_val (history->scores, record->scores);
      break;
    case URB_RUN_RECORD_CHECKPOINT:
    case URB_RUN_RECORD_WORKER:
    case URB_RUN_RECORD_OTHER:
      break;
    }
}

UrbHistory *
urb_history_new (UrbRunDb *db, GError **error)
{
  g_autoptr(UrbHistory) self = g_new0 (UrbHistory, 1);
  Reading reading = { .history = self, .last_step = MAX (urb_run_db_get_last_step (db), 1), .images = -1 };
  int n = PAGE;

  self->scores = g_array_new (FALSE, FALSE, sizeof (UrbScores));
  self->samples = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->events = g_array_new (FALSE, FALSE, sizeof (UrbHistoryEvent));
  self->gpus = g_array_new (FALSE, FALSE, sizeof (UrbHistoryGpu));
  g_array_set_clear_func (self->events, clear_event);
  g_array_set_clear_func (self->gpus, clear_gpu);
  while (n == PAGE)
    {
      n = urb_run_db_read (db, reading.seq, PAGE, record_cb, &reading, error);
      if (n < 0)
        return NULL;
    }
  if (reading.counted_s > 0)
    self->images_per_s = reading.n_images / reading.counted_s;
  return g_steal_pointer (&self);
}

void
urb_history_free (UrbHistory *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->scores, g_array_unref);
  g_clear_pointer (&self->samples, g_array_unref);
  g_clear_pointer (&self->events, g_array_unref);
  g_clear_pointer (&self->gpus, g_array_unref);
  g_free (self);
}

/* ------------------------------------------------------------------------ */

double
urb_history_bin_get_deviation (const UrbHistoryBin *self, UrbStepMetric metric)
{
  return self->values[metric].n > 0 ? sqrt (self->values[metric].squares / (double) self->values[metric].n) : 0;
}

double
urb_history_get_joules (const UrbHistory *self)
{
  double joules = self->processor_joules;

  for (guint i = 0; i < self->gpus->len; i++)
    joules += g_array_index (self->gpus, UrbHistoryGpu, i).joules;
  return joules;
}

const UrbScores *
urb_history_get_best_score (const UrbHistory *self)
{
  const UrbScores *best = NULL;

  for (guint i = 0; i < self->scores->len; i++)
    {
      const UrbScores *scores = &g_array_index (self->scores, UrbScores, i);
      double value = scores->values[URB_SCORE_PLANS];

      if (isfinite (value) && (best == NULL || value < best->values[URB_SCORE_PLANS]))
        best = scores;
    }
  return best;
}

const UrbScores *
urb_history_get_last_score (const UrbHistory *self)
{
  return self->scores->len == 0 ? NULL : &g_array_index (self->scores, UrbScores, self->scores->len - 1);
}
