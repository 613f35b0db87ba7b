/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensorboard-view.c - see tensorboard-view.h.
 *
 * TensorBoard chooses a free port of this machine, and prints its address once it answers there.  Its output is read to
 * the end: it would wait for ever at a full pipe.
 */
#include "app/train/tensorboard-view.h"

#include <glib/gi18n.h>
#include <signal.h>
#include <sys/prctl.h>

#include "app/base/browser.h"
#include "app/base/message.h"
#include "run/store/folder.h"

/* Shared by the run and by what reads its output. */
typedef struct
{
  GSubprocess      *process;     /* owned */
  GDataInputStream *output;      /* owned */
  GCancellable     *cancellable; /* owned: the run is gone */
  GtkWidget        *where;       /* (nullable) owned: who waits for it */
  char             *address;     /* (nullable) owned: where it answers */
  char             *last;        /* (nullable) owned: the last line of its output */
  gboolean          has_ended;
} Server;

static void
server_clear (gpointer data)
{
  Server *self = data;
  g_object_unref (self->process);
  g_object_unref (self->output);
  g_object_unref (self->cancellable);
  g_clear_object (&self->where);
  g_free (self->address);
  g_free (self->last);
}

static void
server_unref (gpointer self)
{
  g_rc_box_release_full (self, server_clear);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Server, server_unref)

/* The run is gone. */
static void
server_stop (gpointer data)
{
  Server *self = data;
  g_cancellable_cancel (self->cancellable);
  g_subprocess_send_signal (self->process, SIGTERM);
  server_unref (self);
}

static void
tell_start (GtkWidget *where)
{
  urbarium_message_toast (where, _ ("TensorBoard is starting…"));
}

static void
show (Server *self, GtkWidget *where)
{
  urbarium_browser_open (where, self->address, _ ("TensorBoard runs, but no browser could be started"));
}

/* @cause: (nullable): why nothing more can be read; NULL: the output has ended */
static void
end (Server *self, const GError *cause)
{
  g_autoptr(GError) error = NULL;
  self->has_ended = TRUE;
  if (cause != NULL)
    g_subprocess_send_signal (self->process, SIGTERM); /* it would wait at a full pipe */
  if (self->where == NULL)
    return;
  error = cause != NULL ? g_error_copy (cause)
                        : g_error_new_literal (G_IO_ERROR, G_IO_ERROR_FAILED,
                                               self->last != NULL ? self->last : _ ("It said nothing."));
  urbarium_message_error (self->where, _ ("TensorBoard did not start"), error);
  g_clear_object (&self->where);
}

static void read_next (Server *self);

/* A line that is no text; the next may be. */
static gboolean
is_line_error (const GError *error)
{
  return g_error_matches (error, G_CONVERT_ERROR, G_CONVERT_ERROR_ILLEGAL_SEQUENCE)
         || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA);
}

static void
line_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(Server) self = data;
  g_autoptr(GError) error = NULL;
  g_autofree char *line = g_data_input_stream_read_line_finish_utf8 (self->output, result, NULL, &error);
  g_auto(GStrv) words = line != NULL ? g_strsplit (line, " ", -1) : NULL;
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (line == NULL && !is_line_error (error))
    {
      end (self, error);
      return;
    }
  for (guint i = 0; self->address == NULL && words != NULL && words[i] != NULL; i++)
    if (g_str_has_prefix (words[i], "http://127.0.0.1:"))
      self->address = g_strdup (words[i]);
  if (self->address != NULL && self->where != NULL)
    {
      show (self, self->where);
      g_clear_object (&self->where);
    }
  if (line != NULL && *line != '\0')
    {
      g_free (self->last);
      self->last = g_steal_pointer (&line);
    }
  read_next (self);
}

static void
read_next (Server *self)
{
  g_data_input_stream_read_line_async (self->output, G_PRIORITY_DEFAULT, self->cancellable, line_cb, g_rc_box_acquire (self));
}

/* In the child: it dies with the window, however that ends. */
static void
die_with_parent (gpointer data)
{
  prctl (PR_SET_PDEATHSIG, SIGTERM);
}

/* Returns: (transfer full) (nullable): NULL with an error */
static Server *
start (GtkWidget *where, const char *events, GError **error)
{
  g_autoptr(GSubprocessLauncher) launcher
    = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_MERGE);
  g_autoptr(GSubprocess) process = NULL;
  Server *self;
  g_subprocess_launcher_set_child_setup (launcher, die_with_parent, NULL, NULL);
  process = g_subprocess_launcher_spawn (launcher, error, "tensorboard", "--logdir", events, "--host", "127.0.0.1",
                                         "--port", "0", NULL);
  if (process == NULL)
    return NULL;
  self = g_rc_box_new0 (Server);
  self->output = g_data_input_stream_new (g_subprocess_get_stdout_pipe (process));
  self->process = g_steal_pointer (&process);
  self->cancellable = g_cancellable_new ();
  self->where = g_object_ref (where);
  read_next (self);
  return self;
}

/* What is missing: (transfer full) (nullable): NULL: nothing */
static GError *
find_missing (const char *events)
{
  g_autofree char *program = g_find_program_in_path ("tensorboard");
  if (!g_file_test (events, G_FILE_TEST_IS_DIR))
    return g_error_new_literal (G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                                _ ("This run writes no events for it. Switch on “Events for TensorBoard” in All settings before "
                                   "a run begins."));
  if (program == NULL)
    return g_error_new_literal (G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                                _ ("It is not installed. It is a Python package of the name tensorboard."));
  return NULL;
}

void
urbarium_tensorboard_view_open (GtkWidget *where, UrbariumRun *run)
{
  Server *server = g_object_get_data (G_OBJECT (run), "tensorboard");
  g_autofree char *events = g_build_filename (urbarium_run_get_folder (run), URB_RUN_TENSORBOARD_FOLDER, NULL);
  g_autoptr(GError) error = NULL;
  if (server != NULL && !server->has_ended)
    {
      if (server->address != NULL)
        show (server, where);
      else
        tell_start (where);
      return;
    }
  error = find_missing (events);
  server = error == NULL ? start (where, events, &error) : NULL;
  if (server == NULL)
    {
      urbarium_message_error (where, _ ("TensorBoard cannot be opened"), error);
      return;
    }
  g_object_set_data_full (G_OBJECT (run), "tensorboard", server, server_stop);
  tell_start (where);
}
