/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/run-text.h"

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/train/strategy.h"

static gboolean
has_trouble (UrbariumRun *run)
{
  g_autofree char *trouble = NULL;
  g_object_get (run, "trouble", &trouble, NULL);
  return trouble != NULL;
}

const char *
urbarium_run_text_dot_class (UrbariumRun *run)
{
  switch (urbarium_run_get_state (run))
    {
    case URB_RUN_QUEUED:
      return "waiting";
    case URB_RUN_STARTING:
    case URB_RUN_RUNNING:
    case URB_RUN_PAUSING:
    case URB_RUN_STOPPING:
      return urbarium_run_get_live (run) ? "working" : "resting";
    case URB_RUN_PAUSED:
      return "resting";
    case URB_RUN_FAILED:
      return "failed";
    case URB_RUN_FINISHED:
      return "finished";
    default:
      return has_trouble (run) ? "failed" : "stopped";
    }
}

char *
urbarium_run_text_dup_state (UrbariumRun *run)
{
  char *text;
  int position;
  g_object_get (run, "queue-place", &position, NULL);
  if (urbarium_run_get_state (run) == URB_RUN_QUEUED && position > 0)
    /* translators: a position in the queue of runs, from 1 */
    return g_strdup_printf (_ ("Waiting, number %d in the queue"), position);
  g_object_get (run, "state-text", &text, NULL);
  return text;
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
  UrbRunState state = urbarium_run_get_state (run);
  return urbarium_run_get_live (run) && state != URB_RUN_QUEUED && state <= URB_RUN_STOPPING
         && state != URB_RUN_PAUSED;
}

UrbariumRunCan
urbarium_run_text_get_can (UrbariumRun *run)
{
  UrbRunState state = urbarium_run_get_state (run);
  UrbariumRunCan can = 0;
  if (urbarium_run_is_gone (run))
    return URBARIUM_RUN_CAN_DELETE;
  if (state == URB_RUN_QUEUED)
    return URBARIUM_RUN_CAN_STOP | URBARIUM_RUN_CAN_RESUME; /* resume starts it now */
  if (!urbarium_run_get_live (run))
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
