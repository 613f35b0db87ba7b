/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child-run.c - see child-run.h.
 *
 * It has ended when three things have happened, in whatever order: both its
 * pipes are at their end, and the process was waited for.
 */
#include "cli/child-run.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "run/store/json-line.h"

struct _UrbChildRun
{
  char            *name;
  GSubprocess     *process;
  GCancellable    *cancellable; /* of the three below */
  int              n_pending;
  UrbChildRunFunc  changed;     /* (nullable) */
  gpointer         user_data;
  double           begin_s;     /* when its worker was ready, since 1970; 0: not yet */
  UrbChildPoint    first;
  UrbChildState    state;       /* owned */
};

static void
tell (UrbChildRun *self, UrbChildEvent event)
{
  if (self->changed != NULL)
    self->changed (self, event, self->user_data);
}

/* ------------------------------------------------------------------------ */
/* What it prints                                                            */

static void
take_step (UrbChildRun *self, JsonObject *record)
{
  UrbChildPoint point = {
    .step = urb_json_get_int (record, "step", 0),
    .images = urb_json_get_int (record, "images", 0),
    .loss_d = urb_json_get_double (record, "loss_d", NAN),
    .loss_g = urb_json_get_double (record, "loss_g", NAN),
    .seconds = urb_json_get_double (record, "time", 0) - self->begin_s,
  };

  if (self->first.step == 0)
    self->first = point;
  self->state.last = point;
  /* Several short steps are recorded at once. */
  if (point.seconds - self->first.seconds > 0.1)
    self->state.images_per_s
      = (double) (point.images - self->first.images) / (point.seconds - self->first.seconds);
  tell (self, URB_CHILD_STEP);
}

static void
take_checkpoint (UrbChildRun *self, JsonObject *record)
{
  GArray *all = self->state.checkpoints;
  UrbChildPoint point = self->state.last;

  point.step = urb_json_get_int (record, "step", 0);
  point.seconds = urb_json_get_double (record, "time", 0) - self->begin_s;
  if (urb_json_get_bool (record, "kept", TRUE)
      && (all->len == 0 || g_array_index (all, UrbChildPoint, all->len - 1).step < point.step))
    g_array_append_val (all, point);
}

static void
take_output (UrbChildRun *self, const char *line)
{
  g_autoptr(JsonObject) record = urb_json_parse_line (line, strlen (line), NULL);
  const char *type = urb_json_get_string (record, "type", "");

  if (strcmp (type, "session") == 0)
    {
      self->state.n_steps = urb_json_get_int (record, "n_steps", 0);
      /* A restarted worker continues in the same time. */
      if (self->begin_s == 0)
        self->begin_s = urb_json_get_double (record, "time", 0);
      tell (self, URB_CHILD_READY);
    }
  else if (strcmp (type, "step") == 0)
    take_step (self, record);
  else if (strcmp (type, "checkpoint") == 0)
    take_checkpoint (self, record);
}

static void
take_complaint (UrbChildRun *self, const char *line)
{
  static const char own[] = "urbarium-engine resume: ";
  const char *text = g_str_has_prefix (line, own) ? line + strlen (own) : line;

  if (*text == '\0')
    return;
  fprintf (stderr, "%s: %s\n", self->name, text);
  g_free (self->state.complaint);
  self->state.complaint = g_strdup (text);
}

/* ------------------------------------------------------------------------ */
/* Watching                                                                  */

static void
reader_ended (UrbChildRun *self)
{
  if (--self->n_pending > 0)
    return;
  self->state.has_ended = TRUE;
  tell (self, URB_CHILD_ENDED);
}

typedef struct
{
  UrbChildRun *run;
  void       (*take) (UrbChildRun *self, const char *line);
} Reader;

static void
line_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GDataInputStream *stream = G_DATA_INPUT_STREAM (source);
  Reader *self = user_data;
  g_autoptr(GError) error = NULL;
  g_autofree char *line = g_data_input_stream_read_line_finish (stream, result, NULL, &error);

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_free (self); /* and the run is gone */
  else if (line == NULL)
    {
      reader_ended (self->run);
      g_free (self);
    }
  else
    {
      self->take (self->run, line);
      g_data_input_stream_read_line_async (stream, G_PRIORITY_DEFAULT, self->run->cancellable,
                                           line_cb, self);
    }
}

static void
watch (UrbChildRun *self, GInputStream *pipe, void (*take) (UrbChildRun *self, const char *line))
{
  g_autoptr(GDataInputStream) stream = g_data_input_stream_new (pipe);
  Reader *reader = g_new (Reader, 1);

  *reader = (Reader) { self, take };
  self->n_pending++;
  g_data_input_stream_read_line_async (stream, G_PRIORITY_DEFAULT, self->cancellable, line_cb,
                                       reader);
}

static void
wait_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GSubprocess *process = G_SUBPROCESS (source);
  UrbChildRun *self = user_data;
  g_autoptr(GError) error = NULL;

  if (!g_subprocess_wait_finish (process, result, &error)
      && g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  self->state.code
    = g_subprocess_get_if_exited (process) ? g_subprocess_get_exit_status (process) : 1;
  reader_ended (self);
}

/* ------------------------------------------------------------------------ */

/* In the child, between fork and exec. */
static void
separate_cb (gpointer user_data)
{
  setpgid (0, 0);
  prctl (PR_SET_PDEATHSIG, SIGINT);
}

static GSubprocess *
start (const char *const *arguments, GError **error)
{
  g_autoptr(GSubprocessLauncher) launcher = g_subprocess_launcher_new (
    G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new ();
  g_auto(GStrv) argv = NULL;

  g_strv_builder_add (builder, "/proc/self/exe");
  g_strv_builder_addv (builder, (const char **) arguments);
  g_strv_builder_add (builder, "--json");
  argv = g_strv_builder_end (builder);
  g_subprocess_launcher_set_child_setup (launcher, separate_cb, NULL, NULL);
  return g_subprocess_launcher_spawnv (launcher, (const char *const *) argv, error);
}

UrbChildRun *
urb_child_run_new (const char *name, const char *const *arguments, UrbChildRunFunc changed,
                   gpointer user_data, GError **error)
{
  GSubprocess *process = start (arguments, error);
  UrbChildRun *self;

  if (process == NULL)
    return NULL;
  self = g_new0 (UrbChildRun, 1);
  *self = (UrbChildRun) {
    .name = g_strdup (name),
    .process = process,
    .cancellable = g_cancellable_new (),
    .n_pending = 1,
    .changed = changed,
    .user_data = user_data,
    .state.checkpoints = g_array_new (FALSE, FALSE, sizeof (UrbChildPoint)),
  };
  watch (self, g_subprocess_get_stdout_pipe (process), take_output);
  watch (self, g_subprocess_get_stderr_pipe (process), take_complaint);
  g_subprocess_wait_async (process, self->cancellable, wait_cb, self);
  return self;
}

void
urb_child_run_free (UrbChildRun *self)
{
  if (self == NULL)
    return;
  if (!self->state.has_ended)
    g_subprocess_force_exit (self->process);
  g_cancellable_cancel (self->cancellable);
  g_object_unref (self->cancellable);
  g_object_unref (self->process);
  g_array_unref (self->state.checkpoints);
  g_free (self->state.complaint);
  g_free (self->name);
  g_free (self);
}

void
urb_child_run_send_signal (UrbChildRun *self, int number)
{
  if (!self->state.has_ended)
    g_subprocess_send_signal (self->process, number);
}

static gboolean
cancelled_cb (GCancellable *cancellable, gpointer user_data)
{
  urb_child_run_send_signal (user_data, SIGINT);
  return G_SOURCE_REMOVE;
}

void
urb_child_run_wait (UrbChildRun *self, GCancellable *cancellable)
{
  g_autoptr(GSource) interrupt = g_cancellable_source_new (cancellable);

  g_source_set_callback (interrupt, G_SOURCE_FUNC (cancelled_cb), self, NULL);
  g_source_attach (interrupt, NULL);
  while (!self->state.has_ended)
    g_main_context_iteration (NULL, TRUE);
  g_source_destroy (interrupt);
}

const UrbChildState *
urb_child_run_get_state (UrbChildRun *self)
{
  return &self->state;
}
