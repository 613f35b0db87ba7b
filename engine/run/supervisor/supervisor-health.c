/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervisor-health.c - training that goes wrong while all values are finite: what is told, and which
 * checkpoint is kept to go back to.
 *
 * Good is the newest checkpoint from before.  A run that explodes saves checkpoints, too, and may be
 * restarted from one: so the history decides which of them are sound, not the time of the report.
 */
#include "run/supervisor/supervisor-private.h"

enum { N_LOOKED_AT = 5 }; /* steps before a checkpoint */

/* Whether the steps up to that of a checkpoint were like those of a healthy run. */
static gboolean
was_sound (UrbSupervisor *self, gint64 step)
{
  UrbStepMetrics metrics[N_LOOKED_AT];
  int n = urb_recorder_get_metrics (self->recorder, step, metrics, N_LOOKED_AT), n_huge = 0;
  for (int i = 0; i < n; i++)
    n_huge += urb_explosion_is_huge (&metrics[i]);
  return 2 * n_huge <= n;
}

/* Marks the newest sound checkpoint before the step @before, so that it is kept.
 * Returns: its step, or the one that was marked earlier; -1: none */
static gint64
keep_good (UrbSupervisor *self, gint64 before)
{
  const char *path = urb_run_folder_get_path (self->folder);
  g_autoptr(GArray) steps = urb_run_folder_list_checkpoints (path);
  for (guint i = steps->len; i-- > 0;)
    {
      gint64 step = g_array_index (steps, gint64, i);
      if (step >= before || !was_sound (self, step))
        continue;
      urb_run_folder_mark (self->folder, URB_RUN_GOOD, step);
      return step;
    }
  return urb_run_folder_get_mark (path, URB_RUN_GOOD);
}

char *
urb_supervisor_dup_remedy (UrbSupervisor *self, gint64 before)
{
  return urb_flaw_dup_remedy (&self->config.train, keep_good (self, before));
}

static void
handle_explosion (UrbSupervisor *self, UrbExplosionNews news)
{
  if (news == URB_EXPLOSION_BEGUN)
    {
      g_autofree char *text = urb_explosion_dup_text (&self->explosion);
      g_autofree char *remedy = urb_supervisor_dup_remedy (self, self->explosion.first_step);
      urb_supervisor_report (self, "warning", "explosion", "%s. %s", text, remedy);
    }
  else if (news == URB_EXPLOSION_OVER)
    {
      urb_run_folder_mark (self->folder, URB_RUN_GOOD, -1);
      urb_supervisor_report (self, "info", "explosion",
                             "Logits, gradients and weights are those of a healthy run again");
    }
}

void
urb_supervisor_watch_step (UrbSupervisor *self, const UrbStepMetrics *metrics)
{
  handle_explosion (self, urb_explosion_update (&self->explosion, metrics));
}

void
urb_supervisor_watch_weights (UrbSupervisor *self, JsonObject *message)
{
  handle_explosion (self, urb_explosion_update_weights (&self->explosion, urb_json_get_int (message, "step", 0),
                                                        urb_json_get_double (message, "size", 0)));
}

void
urb_supervisor_watch_diversity (UrbSupervisor *self, JsonObject *message)
{
  const char *level = urb_json_get_string (message, "level", "info");
  const char *text = urb_json_get_string (message, "text", "");
  gboolean is_warning = g_strcmp0 (level, "warning") == 0;
  g_autofree char *remedy
    = is_warning ? urb_supervisor_dup_remedy (self, urb_json_get_int (message, "diverse_step", -1) + 1) : NULL;
  if (!is_warning && !self->explosion.exploded)
    urb_run_folder_mark (self->folder, URB_RUN_GOOD, -1);
  urb_supervisor_report (self, level, "diversity", "%s%s%s", text, is_warning ? ". If that persists: " : "",
                         is_warning ? remedy : "");
}

gboolean
urb_supervisor_fail_exploded (UrbSupervisor *self)
{
  g_autofree char *text = NULL, *remedy = NULL;
  if (!self->explosion.exploded)
    return FALSE;
  text = urb_explosion_dup_text (&self->explosion);
  remedy = urb_supervisor_dup_remedy (self, self->explosion.first_step);
  urb_supervisor_give_up (self, g_error_new (URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED,
                                             "All steps are done, and the cities are worthless. %s. %s",
                                             text, remedy));
  return TRUE;
}
