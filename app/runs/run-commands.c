/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-commands.c - commands: sent to the supervisor, or, without one, to a new one.
 */
#include <glib/gi18n.h>

#include "app/base/engine-program.h"
#include "app/runs/run-private.h"
#include "run/store/folder.h"

typedef struct
{
  UrbariumRun    *run; /* borrowed: the run owns the command */
  UrbariumRunVerb verb;
} Command;

static const struct
{
  const char *text, *failure; /* untranslated */
} verbs[URBARIUM_N_VERBS] = {
  [URBARIUM_VERB_PAUSE] = { N_ ("Pausing…"), N_ ("The run cannot be paused") },
  [URBARIUM_VERB_RESUME] = { N_ ("Resuming…"), N_ ("The run cannot be resumed") },
  [URBARIUM_VERB_STOP] = { N_ ("Stopping…"), N_ ("The run cannot be stopped") },
  [URBARIUM_VERB_CHECKPOINT]
  = { N_ ("Saving a checkpoint…"), N_ ("The checkpoint cannot be saved") },
  [URBARIUM_VERB_SAMPLE] = { N_ ("Drawing a sample…"), N_ ("The sample cannot be drawn") },
  [URBARIUM_VERB_TRACE] = { N_ ("Recording the timeline…"), N_ ("The timeline cannot be recorded") },
  [URBARIUM_VERB_EXTEND] = { N_ ("Extending…"), N_ ("The run cannot be extended") },
  [URBARIUM_VERB_ROLL_BACK] = { N_ ("Rolling back…"), N_ ("The run cannot be rolled back") },
  [URBARIUM_VERB_RENAME] = { N_ ("Renaming…"), N_ ("The run cannot be renamed") },
  [URBARIUM_VERB_MOVE] = { N_ ("Changing the order…"), N_ ("The order of the queue cannot be changed") },
  [URBARIUM_VERB_ANNOTATE] = { N_ ("Changing the note…"), N_ ("The note of the run cannot be changed") },
};

const char *
urbarium_run_verb_text (UrbariumRunVerb verb)
{
  return verb == URBARIUM_VERB_IDLE ? NULL : _ (verbs[verb].text);
}

void
urbarium_run_end_verb (UrbariumRun *self, UrbariumRunVerb verb, const GError *error)
{
  if (self->busy == verb)
    urbarium_run_set_busy (self, URBARIUM_VERB_IDLE);
  if (error != NULL && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    urbarium_run_emit_failed (self, _ (verbs[verb].failure), error);
}

/* ------------------------------------------------------------------------ */
/* Commands with a supervisor                                                */

static void
reply_cb (JsonObject *reply, const GError *error, gpointer user_data)
{
  Command *command = user_data;
  UrbariumRun *self = g_object_ref (command->run);
  UrbariumRunVerb verb = command->verb;
  gboolean gone = g_error_matches (error, URB_RUN_ERROR, URB_RUN_ERROR_OFFLINE);
  gboolean ends_later = verb == URBARIUM_VERB_ROLL_BACK || verb == URBARIUM_VERB_PAUSE
                        || verb == URBARIUM_VERB_STOP || verb == URBARIUM_VERB_RESUME
                        || (self->caught_up
                            && (verb == URBARIUM_VERB_CHECKPOINT || verb == URBARIUM_VERB_SAMPLE
                                || verb == URBARIUM_VERB_TRACE));
  g_ptr_array_remove_fast (self->commands, command);
  if (error != NULL && !gone)
    self->roll_back_to = -1;
  /* The end of the supervisor is reported elsewhere, and rolling back continues from there. */
  if (gone && verb != URBARIUM_VERB_ROLL_BACK)
    urbarium_run_end_verb (self, verb, NULL);
  else if (gone)
    ;
  else if (error != NULL || !ends_later)
    urbarium_run_end_verb (self, verb, error);
  urbarium_run_ask_status (self);
  g_object_unref (self);
}

static Command *
command_new (UrbariumRun *self, UrbariumRunVerb verb)
{
  Command *command = g_new (Command, 1);
  *command = (Command){ self, verb };
  g_ptr_array_add (self->commands, command);
  urbarium_run_set_busy (self, verb);
  return command;
}

static void
request (UrbariumRun *self, UrbariumRunVerb verb, const char *cmd, const char *key, gint64 value)
{
  urb_run_client_request (self->client, cmd, key, value, reply_cb, command_new (self, verb));
}

void
urbarium_run_forget_commands (UrbariumRun *self)
{
  g_ptr_array_set_size (self->commands, 0);
}

static gboolean
is_settled (UrbariumRun *self, UrbariumRunVerb done)
{
  gboolean ended = urb_run_state_has_ended (self->state);
  switch (self->busy)
    {
    case URBARIUM_VERB_PAUSE:
      return ended || self->state == URB_RUN_PAUSED;
    case URBARIUM_VERB_STOP:
      return ended;
    case URBARIUM_VERB_RESUME:
      return self->live && (ended || self->state == URB_RUN_RUNNING);
    case URBARIUM_VERB_CHECKPOINT:
    case URBARIUM_VERB_SAMPLE:
    case URBARIUM_VERB_TRACE:
      return ended || done == self->busy;
    default:
      return FALSE;
    }
}

static void start_engine (UrbariumRun *self, UrbariumRunVerb verb, gint64 n_steps,
                          gint64 from_step);

void
urbarium_run_settle (UrbariumRun *self, UrbariumRunVerb done)
{
  if (is_settled (self, done))
    urbarium_run_set_busy (self, URBARIUM_VERB_IDLE);
  if (self->roll_back_to >= 0 && !self->live && self->busy == URBARIUM_VERB_ROLL_BACK)
    {
      start_engine (self, URBARIUM_VERB_ROLL_BACK, -1, self->roll_back_to);
      self->roll_back_to = -1;
    }
}

/* ------------------------------------------------------------------------ */
/* Commands without a supervisor                                             */

typedef struct
{
  UrbariumRun    *run; /* owned */
  UrbariumRunVerb verb;
} Start;

static void
started_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autofree Start *start = user_data;
  g_autoptr(UrbariumRun) self = start->run;
  g_autoptr(GError) error = NULL;
  g_autofree char *out = urbarium_engine_program_run_finish (result, &error);
  urbarium_run_end_verb (self, start->verb, error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  urbarium_run_attach (self);
  /* The run may have ended already: after few steps, or with an error. */
  if (!self->live)
    {
      urbarium_run_peek (self);
      urbarium_run_catch_up (self);
    }
}

static void
add_number (GStrvBuilder *args, const char *option, gint64 value)
{
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, value);
  g_strv_builder_add (args, option);
  g_strv_builder_add (args, text);
}

/* @args: without the folder, which is appended */
static void
start_with (UrbariumRun *self, UrbariumRunVerb verb, GStrvBuilder *args)
{
  g_auto(GStrv) argv = NULL;
  Start *start = g_new (Start, 1);
  *start = (Start){ g_object_ref (self), verb };
  g_strv_builder_add (args, self->folder);
  argv = g_strv_builder_end (args);
  urbarium_run_set_busy (self, verb);
  urbarium_engine_program_run_async ((const char *const *) argv, NULL, NULL, started_cb, start);
}

static void
start_engine (UrbariumRun *self, UrbariumRunVerb verb, gint64 n_steps, gint64 from_step)
{
  g_autoptr(GStrvBuilder) args = g_strv_builder_new ();
  g_strv_builder_add_many (args, "resume", "--detach", NULL);
  if (n_steps > 0)
    add_number (args, "--steps", n_steps);
  if (from_step >= 0)
    add_number (args, "--from-step", from_step);
  start_with (self, verb, args);
}

/* A text of run.ini, which its supervisor writes if it has one. */
typedef struct
{
  UrbariumRunVerb verb;
  const char     *cmd, *key;
  gboolean      (*write) (const char *folder, const char *text, GError **error);
} Text;

static const Text name_text = { URBARIUM_VERB_RENAME, "rename", "name", urb_run_folder_rename };
static const Text note_text = { URBARIUM_VERB_ANNOTATE, "note", "note", urb_run_folder_note };

typedef struct
{
  const Text *text;
  char       *folder, *value; /* owned */
} Change;

static void
change_free (gpointer data)
{
  Change *self = data;
  g_free (self->folder);
  g_free (self->value);
  g_free (self);
}

static void
change_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Change *change = data;
  GError *error = NULL;
  if (change->text->write (change->folder, change->value, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
changed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr(UrbariumRun) self = user_data;
  g_autoptr(GError) error = NULL;
  const Change *change = g_task_get_task_data (G_TASK (result));
  g_task_propagate_boolean (G_TASK (result), &error);
  urbarium_run_end_verb (self, change->text->verb, error);
  urbarium_run_peek (self);
}

static void
change_text (UrbariumRun *self, const Text *text, const char *value)
{
  g_autoptr(GTask) task = NULL;
  Change *change;
  if (self->client != NULL)
    {
      urb_run_client_request_text (self->client, text->cmd, text->key, value, reply_cb, command_new (self, text->verb));
      return;
    }
  urbarium_run_set_busy (self, text->verb);
  change = g_new0 (Change, 1);
  *change = (Change) { text, g_strdup (self->folder), g_strdup (value) };
  task = g_task_new (NULL, NULL, changed_cb, g_object_ref (self));
  g_task_set_task_data (task, change, change_free);
  g_task_run_in_thread (task, change_thread);
}

/* ------------------------------------------------------------------------ */
/* Public functions                                                          */

void
urbarium_run_pause (UrbariumRun *self)
{
  g_return_if_fail (URBARIUM_IS_RUN (self));
  if (self->client != NULL)
    request (self, URBARIUM_VERB_PAUSE, "pause", NULL, 0);
}

/* The engine would exit successfully without doing anything if all steps are done. */
static void
resume_offline (UrbariumRun *self)
{
  if (self->state == URB_RUN_FINISHED && self->step >= self->n_steps)
    {
      g_autoptr(GError) error
        = g_error_new_literal (URB_RUN_ERROR, URB_RUN_ERROR_STATE,
                               _ ("All steps are done. Extend the run to continue."));
      urbarium_run_end_verb (self, URBARIUM_VERB_RESUME, error);
      return;
    }
  start_engine (self, URBARIUM_VERB_RESUME, -1, -1);
}

void
urbarium_run_resume (UrbariumRun *self)
{
  g_return_if_fail (URBARIUM_IS_RUN (self));
  if (self->client != NULL)
    request (self, URBARIUM_VERB_RESUME, "resume", NULL, 0);
  else
    resume_offline (self);
}

void
urbarium_run_resume_on_processor (UrbariumRun *self)
{
  g_autoptr(GStrvBuilder) args = g_strv_builder_new ();
  g_return_if_fail (URBARIUM_IS_RUN (self));
  g_strv_builder_add_many (args, "resume", "--detach", "--device", "cpu", "--precision", "fp32",
                           NULL);
  start_with (self, URBARIUM_VERB_RESUME, args);
}

void
urbarium_run_stop (UrbariumRun *self)
{
  g_return_if_fail (URBARIUM_IS_RUN (self));
  if (self->client != NULL)
    request (self, URBARIUM_VERB_STOP, "stop", NULL, 0);
}

void
urbarium_run_checkpoint (UrbariumRun *self)
{
  g_return_if_fail (URBARIUM_IS_RUN (self));
  if (self->client != NULL)
    request (self, URBARIUM_VERB_CHECKPOINT, "checkpoint", NULL, 0);
}

void
urbarium_run_sample (UrbariumRun *self)
{
  g_return_if_fail (URBARIUM_IS_RUN (self));
  if (self->client != NULL)
    request (self, URBARIUM_VERB_SAMPLE, "sample", NULL, 0);
}

void
urbarium_run_trace (UrbariumRun *self)
{
  g_return_if_fail (URBARIUM_IS_RUN (self));
  if (self->client != NULL)
    request (self, URBARIUM_VERB_TRACE, "trace", NULL, 0);
}

void
urbarium_run_extend (UrbariumRun *self, gint64 n_steps)
{
  g_return_if_fail (URBARIUM_IS_RUN (self) && n_steps > 0);
  if (self->client == NULL)
    start_engine (self, URBARIUM_VERB_EXTEND, n_steps, -1);
  else if (self->state == URB_RUN_PAUSED)
    request (self, URBARIUM_VERB_EXTEND, "resume", "steps", n_steps);
  else
    request (self, URBARIUM_VERB_EXTEND, "extend", "steps", n_steps);
}

void
urbarium_run_roll_back (UrbariumRun *self, gint64 step)
{
  g_return_if_fail (URBARIUM_IS_RUN (self) && step >= 0);
  if (self->client == NULL)
    {
      start_engine (self, URBARIUM_VERB_ROLL_BACK, -1, step);
      return;
    }
  self->roll_back_to = step;
  request (self, URBARIUM_VERB_ROLL_BACK, "stop", NULL, 0);
}

void
urbarium_run_rename (UrbariumRun *self, const char *name)
{
  g_return_if_fail (URBARIUM_IS_RUN (self) && name != NULL);
  change_text (self, &name_text, name);
}

void
urbarium_run_annotate (UrbariumRun *self, const char *note)
{
  g_return_if_fail (URBARIUM_IS_RUN (self) && note != NULL);
  change_text (self, &note_text, note);
}
