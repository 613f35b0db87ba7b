/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - errors, states and the configuration of a run.
 */
#include "run/run.h"

#include <string.h>

#include "base/key-file.h"

#define GROUP "run"

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

void
urb_run_config_init (UrbRunConfig *self)
{
  *self = (UrbRunConfig){ .engine = g_strdup (URBARIUM_VERSION), .keep_checkpoints = 3 };
  urb_train_options_init (&self->train);
}

void
urb_run_config_clear (UrbRunConfig *self)
{
  g_clear_pointer (&self->name, g_free);
  g_clear_pointer (&self->engine, g_free);
  g_clear_pointer (&self->hosts, g_free);
  urb_train_options_clear (&self->train);
}

char *
urb_run_config_to_text (const UrbRunConfig *self)
{
  g_autoptr(GKeyFile) file = g_key_file_new ();
  g_key_file_set_string (file, GROUP, "name", self->name != NULL ? self->name : "");
  g_key_file_set_string (file, GROUP, "engine", self->engine);
  g_key_file_set_int64 (file, GROUP, "created", self->created);
  g_key_file_set_int64 (file, GROUP, "sample_every", self->sample_every);
  g_key_file_set_int64 (file, GROUP, "checkpoint_every", self->checkpoint_every);
  g_key_file_set_integer (file, GROUP, "keep_checkpoints", self->keep_checkpoints);
  if (self->hosts != NULL)
    g_key_file_set_string (file, GROUP, "hosts", self->hosts);
  urb_train_options_to_key_file (&self->train, file);
  return g_key_file_to_data (file, NULL, NULL);
}

/* Absent keeps the default; anything but a count is an error. */
static gboolean
read_count (GKeyFile *file, const char *key, gint64 max, gint64 *value, GError **error)
{
  g_autoptr(GError) cause = NULL;
  gint64 read;
  if (!g_key_file_has_key (file, GROUP, key, NULL))
    return TRUE;
  read = g_key_file_get_int64 (file, GROUP, key, &cause);
  if (cause == NULL && read >= 0 && read <= max)
    {
      *value = read;
      return TRUE;
    }
  g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_CONFIG,
               "'%s' in group [%s] is not a number from 0 to %" G_GINT64_FORMAT, key, GROUP, max);
  return FALSE;
}

static gboolean
read_run_group (UrbRunConfig *self, GKeyFile *file, GError **error)
{
  gint64 keep = self->keep_checkpoints;
  char *engine = g_key_file_get_string (file, GROUP, "engine", NULL);
  self->name = g_key_file_get_string (file, GROUP, "name", NULL);
  self->hosts = g_key_file_get_string (file, GROUP, "hosts", NULL);
  if (engine != NULL)
    {
      g_free (self->engine);
      self->engine = engine;
    }
  if (!read_count (file, "created", G_MAXINT64, &self->created, error)
      || !read_count (file, "sample_every", G_MAXINT64, &self->sample_every, error)
      || !read_count (file, "checkpoint_every", G_MAXINT64, &self->checkpoint_every, error)
      || !read_count (file, "keep_checkpoints", G_MAXINT, &keep, error))
    return FALSE;
  self->keep_checkpoints = (int) keep;
  return TRUE;
}

gboolean
urb_run_config_from_text (UrbRunConfig *self, const char *text, GError **error)
{
  g_autoptr(GKeyFile) file = g_key_file_new ();
  g_auto(UrbRunConfig) read = { 0 };
  g_autoptr(GError) cause = NULL;
  urb_run_config_init (&read);
  if (!urb_key_file_read (file, text, &cause)
      || !g_key_file_has_group (file, GROUP))
    {
      g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_CONFIG,
                   "this is not a run's configuration%s%s", cause != NULL ? ": " : "",
                   cause != NULL ? cause->message : "");
      return FALSE;
    }
  if (!read_run_group (&read, file, error)
      || !urb_train_options_from_key_file (&read.train, file, error))
    return FALSE;
  urb_run_config_clear (self);
  *self = read;
  read = (UrbRunConfig){ 0 };
  return TRUE;
}
