/* SPDX-License-Identifier: Apache-2.0 */
/*
 * There is always one read pending, which holds a reference.  Requests are a few hundred bytes, and
 * the source sends two at a time, so a write never fills the pipe and never blocks.
 */
#include "app/cities/city-process.h"

#include <glib/gi18n.h>
#include <signal.h>
#include <string.h>

#include "app/base/engine-program.h"
#include "run/store/json-line.h"

/* Above the largest reply: 4 cities of 1024 x 1024. */
enum { MAX_BYTES = 64 * 1024 * 1024 };

struct _UrbariumCityProcess
{
  GObject                         parent_instance;
  const UrbariumCityProcessFuncs *funcs;
  gpointer                        owner;       /* borrowed; NULL once ended */
  GSubprocess                    *process;     /* owned */
  GDataInputStream               *out;         /* owned */
  GCancellable                   *cancellable; /* owned */
  guint8                         *levels;      /* (nullable) owned; being read */
  gsize                           n_levels;    /* bytes */
  gint64                          levels_id, levels_count;
};

G_DEFINE_FINAL_TYPE (UrbariumCityProcess, urbarium_city_process, G_TYPE_OBJECT)

static void read_line (UrbariumCityProcess *self);

static void
waited_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(UrbariumCityProcess) self = data;
  g_autoptr(GError) error = NULL;
  GSubprocess *process = G_SUBPROCESS (source);
  g_subprocess_wait_finish (process, result, NULL);
  if (self->owner == NULL)
    return;
  if (g_subprocess_get_if_signaled (process))
    g_set_error (&error, G_IO_ERROR, G_IO_ERROR_FAILED,
                 _ ("The process that draws the cities was killed by signal %d."),
                 g_subprocess_get_term_sig (process));
  else
    g_set_error (&error, G_IO_ERROR, G_IO_ERROR_FAILED,
                 _ ("The process that draws the cities exited unexpectedly."));
  self->funcs->died (self->owner, error);
}

/* The child exited or broke the protocol. */
static void
fail (UrbariumCityProcess *self)
{
  if (self->owner == NULL)
    return;
  g_subprocess_force_exit (self->process);
  g_subprocess_wait_async (self->process, NULL, waited_cb, g_object_ref (self));
}

static void
levels_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(UrbariumCityProcess) self = data;
  g_autoptr(GBytes) bytes = NULL;
  gsize n_read = 0;
  gboolean done = g_input_stream_read_all_finish (G_INPUT_STREAM (source), result, &n_read, NULL);
  bytes = g_bytes_new_take (g_steal_pointer (&self->levels), self->n_levels);
  if (!done || n_read < self->n_levels)
    {
      fail (self);
      return;
    }
  if (self->owner != NULL)
    self->funcs->cities (self->owner, self->levels_id, self->levels_count, bytes);
  read_line (self);
}

static gboolean
handle_line (UrbariumCityProcess *self, const char *line, gsize length)
{
  g_autoptr(JsonObject) object = urb_json_parse_line (line, length, NULL);
  const char *type;
  gint64 id, n_bytes;
  if (object == NULL)
    return FALSE;
  type = urb_json_get_string (object, "type", "");
  id = urb_json_get_int (object, "id", -1);
  if (strcmp (type, "cities") != 0)
    {
      if (strcmp (type, "reply") == 0)
        self->funcs->replied (self->owner, id, object);
      else if (strcmp (type, "progress") == 0)
        self->funcs->progress (self->owner, id, urb_json_get_double (object, "fraction", 0));
      else if (strcmp (type, "given") == 0 && urb_json_get_array (object, "polygons") != NULL)
        self->funcs->given (self->owner, id, urb_json_get_array (object, "polygons"));
      read_line (self);
      return TRUE;
    }
  n_bytes = urb_json_get_int (object, "bytes", 0);
  self->levels_id = id;
  self->levels_count = urb_json_get_int (object, "count", 0);
  if (n_bytes <= 0 || n_bytes > MAX_BYTES || self->levels_count <= 0)
    return FALSE;
  self->n_levels = (gsize) n_bytes;
  self->levels = g_malloc (self->n_levels);
  g_input_stream_read_all_async (G_INPUT_STREAM (self->out), self->levels, (gsize) n_bytes,
                                 G_PRIORITY_DEFAULT, self->cancellable, levels_cb,
                                 g_object_ref (self));
  return TRUE;
}

static void
line_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(UrbariumCityProcess) self = data;
  gsize length = 0;
  g_autofree char *line
    = g_data_input_stream_read_line_finish (G_DATA_INPUT_STREAM (source), result, &length, NULL);
  if (self->owner == NULL)
    return;
  if (line == NULL || !handle_line (self, line, length))
    fail (self);
}

static void
read_line (UrbariumCityProcess *self)
{
  if (self->owner != NULL)
    g_data_input_stream_read_line_async (self->out, G_PRIORITY_DEFAULT, self->cancellable, line_cb,
                                         g_object_ref (self));
}

UrbariumCityProcess *
urbarium_city_process_new (const UrbariumCityProcessFuncs *funcs, gpointer owner, GError **error)
{
  static const char *const args[] = { "draw", NULL };
  GSubprocess *process = urbarium_engine_program_spawn (
    args, G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE, error);
  UrbariumCityProcess *self;
  if (process == NULL)
    return NULL;
  self = g_object_new (URBARIUM_TYPE_CITY_PROCESS, NULL);
  self->funcs = funcs;
  self->owner = owner;
  self->process = process;
  self->out = g_data_input_stream_new (g_subprocess_get_stdout_pipe (process));
  read_line (self);
  return self;
}

void
urbarium_city_process_send (UrbariumCityProcess *self, const char *line)
{
  /* The reader notices a dead child. */
  g_output_stream_write_all (g_subprocess_get_stdin_pipe (self->process), line, strlen (line),
                             NULL, NULL, NULL);
}

void
urbarium_city_process_end (UrbariumCityProcess *self)
{
  if (self->owner == NULL)
    return;
  self->owner = NULL;
  g_cancellable_cancel (self->cancellable);
  g_subprocess_force_exit (self->process);
}

const char *
urbarium_city_process_get_pid (UrbariumCityProcess *self)
{
  return g_subprocess_get_identifier (self->process);
}

static void
finalize (GObject *object)
{
  UrbariumCityProcess *self = URBARIUM_CITY_PROCESS (object);
  g_clear_object (&self->out);
  g_clear_object (&self->process);
  g_clear_object (&self->cancellable);
  g_free (self->levels);
  G_OBJECT_CLASS (urbarium_city_process_parent_class)->finalize (object);
}

static void
urbarium_city_process_class_init (UrbariumCityProcessClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
  /* Writing to a child that has just died must not kill this program; GSocket does the same. */
  signal (SIGPIPE, SIG_IGN);
}

static void
urbarium_city_process_init (UrbariumCityProcess *self)
{
  self->cancellable = g_cancellable_new ();
}
