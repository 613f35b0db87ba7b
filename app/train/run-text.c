/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/run-text.h"

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/train/strategy.h"

typedef struct
{
  UrbRunState state;
  gboolean    queued, live;
} Status;

static Status
get_status (UrbariumRun *run)
{
  Status status = { .state = urbarium_run_get_state (run) };
  g_object_get (run, "queued", &status.queued, "live", &status.live, NULL);
  return status;
}

const char *
urbarium_run_text_dot_class (UrbariumRun *run)
{
  Status status = get_status (run);
  if (status.queued)
    return "waiting";
  switch (status.state)
    {
    case URB_RUN_STARTING:
    case URB_RUN_RUNNING:
    case URB_RUN_PAUSING:
    case URB_RUN_STOPPING:
      return status.live ? "working" : "resting";
    case URB_RUN_PAUSED:
      return "resting";
    case URB_RUN_FAILED:
      return "failed";
    case URB_RUN_FINISHED:
      return "finished";
    default:
      return "stopped";
    }
}

char *
urbarium_run_text_dup_state (UrbariumRun *run, int position)
{
  gboolean queued;
  char *text;
  g_object_get (run, "queued", &queued, "state-text", &text, NULL);
  if (!queued || position < 1)
    return text;
  g_free (text);
  /* translators: a position in the queue of runs, from 1 */
  return g_strdup_printf (_ ("Waiting, number %d in the queue"), position);
}

char *
urbarium_run_text_dup_steps (UrbariumRun *run)
{
  gint64 step, n_steps;
  g_autofree char *done = NULL, *all = NULL;
  g_object_get (run, "step", &step, "n-steps", &n_steps, NULL);
  done = urbarium_format_count (MAX (step, 0));
  all = urbarium_format_count (n_steps);
  /* translators: two counts of training steps */
  return g_strdup_printf (_ ("Step %s of %s"), done, all);
}

char *
urbarium_run_text_dup_strategy (UrbariumRun *run)
{
  const UrbRunConfig *config = urbarium_run_get_config (run);
  if (config == NULL || config->train.strategy == URB_STRATEGY_SINGLE)
    return NULL;
  return urbarium_strategy_dup_summary (config->train.strategy, config->train.n_ranks);
}

char *
urbarium_run_text_dup_speed (UrbariumRun *run)
{
  double speed;
  g_autofree char *number = NULL;
  g_object_get (run, "images-per-s", &speed, NULL);
  if (!(speed > 0))
    return NULL;
  number = urbarium_format_number (speed, speed < 10 ? 1 : 0);
  /* translators: a speed */
  return g_strdup_printf (_ ("%s images/s"), number);
}

char *
urbarium_run_text_dup_left (UrbariumRun *run)
{
  double seconds;
  g_autofree char *time = NULL;
  g_object_get (run, "seconds-left", &seconds, NULL);
  if (!urbarium_run_text_is_active (run) || !(seconds >= 0))
    return NULL;
  time = urbarium_format_duration (seconds);
  /* translators: a duration */
  return g_strdup_printf (_ ("%s left"), time);
}

double
urbarium_run_text_get_fraction (UrbariumRun *run)
{
  gint64 step, n_steps;
  g_object_get (run, "step", &step, "n-steps", &n_steps, NULL);
  return n_steps <= 0 ? 0 : CLAMP ((double) step / (double) n_steps, 0, 1);
}

gboolean
urbarium_run_text_is_active (UrbariumRun *run)
{
  Status status = get_status (run);
  return status.live && !status.queued && status.state <= URB_RUN_STOPPING
         && status.state != URB_RUN_PAUSED;
}

int
urbarium_run_text_get_position (UrbariumRunLibrary *library, UrbariumRun *run)
{
  guint n = library == NULL ? 0 : g_list_model_get_n_items (G_LIST_MODEL (library));
  int position = 0;
  gboolean found = FALSE;
  for (guint i = 0; i < n; i++) /* newest run first, which is last in the queue */
    {
      g_autoptr(UrbariumRun) other = g_list_model_get_item (G_LIST_MODEL (library), i);
      gboolean queued;
      g_object_get (other, "queued", &queued, NULL);
      found |= other == run && queued;
      if (found && queued)
        position++;
    }
  return position;
}

UrbariumRunCan
urbarium_run_text_get_can (UrbariumRun *run)
{
  Status status = get_status (run);
  UrbRunState state = status.state;
  UrbariumRunCan can = 0;
  if (status.queued)
    return URBARIUM_RUN_CAN_STOP | URBARIUM_RUN_CAN_RESUME; /* resume starts it now */
  if (!status.live)
    {
      can = URBARIUM_RUN_CAN_DELETE | URBARIUM_RUN_CAN_ROLL_BACK | URBARIUM_RUN_CAN_EXTEND;
      return state == URB_RUN_FINISHED ? can : can | URBARIUM_RUN_CAN_RESUME;
    }
  if (state == URB_RUN_RUNNING)
    return URBARIUM_RUN_CAN_PAUSE | URBARIUM_RUN_CAN_STOP | URBARIUM_RUN_CAN_WRITE
           | URBARIUM_RUN_CAN_EXTEND | URBARIUM_RUN_CAN_ROLL_BACK;
  if (state == URB_RUN_STARTING)
    return URBARIUM_RUN_CAN_PAUSE | URBARIUM_RUN_CAN_STOP;
  if (state == URB_RUN_PAUSED)
    return URBARIUM_RUN_CAN_RESUME | URBARIUM_RUN_CAN_STOP | URBARIUM_RUN_CAN_EXTEND
           | URBARIUM_RUN_CAN_ROLL_BACK;
  return can;
}
