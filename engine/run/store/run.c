/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - see run.h.
 */
#include "run/store/run.h"

#include <string.h>

G_DEFINE_QUARK (urb-run-error-quark, urb_run_error)

static const char *const state_names[URB_RUN_N_STATES] = {
  [URB_RUN_QUEUED] = "queued",     [URB_RUN_STARTING] = "starting",
  [URB_RUN_RUNNING] = "running",   [URB_RUN_PAUSING] = "pausing",
  [URB_RUN_PAUSED] = "paused",     [URB_RUN_STOPPING] = "stopping",
  [URB_RUN_STOPPED] = "stopped",   [URB_RUN_FINISHED] = "finished",
  [URB_RUN_FAILED] = "failed",
};

const char *
urb_run_state_name (UrbRunState state)
{
  g_return_val_if_fail ((guint) state < URB_RUN_N_STATES, "unknown");
  return state_names[state];
}

gboolean
urb_run_state_from_name (const char *name, UrbRunState *state)
{
  for (guint i = 0; i < URB_RUN_N_STATES; i++)
    if (g_strcmp0 (name, state_names[i]) == 0)
      {
        *state = (UrbRunState) i;
        return TRUE;
      }
  return FALSE;
}

gboolean
urb_run_state_has_ended (UrbRunState state)
{
  return state == URB_RUN_STOPPED || state == URB_RUN_FINISHED || state == URB_RUN_FAILED;
}

gboolean
urb_run_check_name (const char *name, GError **error)
{
  enum { MAX_BYTES = 200 };
  gboolean blank = TRUE, good = g_utf8_validate (name, -1, NULL) && strlen (name) <= MAX_BYTES;
  for (const char *c = name; good && *c != '\0'; c = g_utf8_next_char (c))
    {
      good = !g_unichar_iscntrl (g_utf8_get_char (c));
      blank = blank && g_unichar_isspace (g_utf8_get_char (c));
    }
  if (good && !blank)
    return TRUE;
  g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_CONFIG,
               "The name of a run is one line of 1 to %d bytes", MAX_BYTES);
  return FALSE;
}
