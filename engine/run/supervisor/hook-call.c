/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook-call.c - see hook-call.h.
 *
 * The process is not trusted to end, to read, or to stop writing.  So it reads from memory, which never
 * blocks who writes it; its output is read up to a bound, and then its pipe is closed; and when it ends,
 * or its time is over, its process group is killed: what it has left behind holds no pipe open.
 */
#include "run/supervisor/hook-call.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib-unix.h>

#include "base/memory-file.h"

/* Training goes first. */
enum { NICE = 10 };

struct _UrbHookCall
{
  GPid            pid;    /* 0: it has ended */
  int             output_fd; /* -1: closed */
  guint           child_id, output_id, timeout_id;
  int             timeout_ms;
  gboolean        timed_out;
  GString        *output; /* owned */
  UrbHookCallFunc func;
  gpointer        user_data; /* borrowed */
};

static void
close_output (UrbHookCall *self)
{
  g_clear_handle_id (&self->output_id, g_source_remove);
  if (self->output_fd >= 0)
    close (self->output_fd);
  self->output_fd = -1;
}

/* Returns: whether more may come */
static gboolean
read_output (UrbHookCall *self)
{
  char bytes[4096];
  gssize n;
  while (self->output->len < URB_HOOK_MAX_OUTPUT_BYTES && (n = read (self->output_fd, bytes, sizeof bytes)) != 0)
    {
      if (n < 0 && errno != EINTR)
        return errno == EAGAIN;
      if (n > 0)
        g_string_append_len (self->output, bytes, MIN (n, URB_HOOK_MAX_OUTPUT_BYTES - (gssize) self->output->len));
    }
  return FALSE;
}

static gboolean
output_cb (int fd, GIOCondition condition, gpointer user_data)
{
  UrbHookCall *self = user_data;
  if (read_output (self))
    return G_SOURCE_CONTINUE;
  self->output_id = 0;
  close_output (self);
  return G_SOURCE_REMOVE;
}

static gboolean
timeout_cb (gpointer user_data)
{
  UrbHookCall *self = user_data;
  self->timeout_id = 0;
  self->timed_out = TRUE;
  kill (-self->pid, SIGKILL);
  return G_SOURCE_REMOVE;
}

/* (nullable) */
static char *
describe_end (const UrbHookCall *self, int status)
{
  if (self->timed_out)
    return g_strdup_printf ("was ended after %g s", self->timeout_ms / 1000.0);
  if (WIFSIGNALED (status))
    return g_strdup_printf ("was ended by signal %d (%s)", WTERMSIG (status), g_strsignal (WTERMSIG (status)));
  return WEXITSTATUS (status) == 0 ? NULL : g_strdup_printf ("exited with code %d", WEXITSTATUS (status));
}

static void
child_cb (GPid pid, int status, gpointer user_data)
{
  UrbHookCall *self = user_data;
  g_autofree char *how = NULL;
  self->child_id = 0;
  self->pid = 0;
  kill (-pid, SIGKILL); /* what it has left behind */
  g_clear_handle_id (&self->timeout_id, g_source_remove);
  if (self->output_fd >= 0)
    read_output (self);
  close_output (self);
  how = describe_end (self, status);
  self->func (how, self->output, self->user_data);
}

/* Between fork() and exec(). */
static void
become_hook (gpointer user_data)
{
  const UrbHookCallSpec *spec = user_data;
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  setpgid (0, 0);
  if (getpriority (PRIO_PROCESS, 0) < NICE)
    setpriority (PRIO_PROCESS, 0, NICE);
  if (chdir (spec->folder) != 0 && chdir ("/") != 0)
    _exit (126);
}

static gboolean
spawn (UrbHookCall *self, const UrbHookCallSpec *spec, int input_fd, int output_fd, GError **error)
{
  return g_spawn_async_with_fds (NULL, (char **) spec->argv, (char **) spec->environment,
                                 G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_SEARCH_PATH, become_hook, (gpointer) spec,
                                 &self->pid, input_fd, output_fd, output_fd, error);
}

UrbHookCall *
urb_hook_call_new (const UrbHookCallSpec *spec, UrbHookCallFunc func, gpointer user_data, GError **error)
{
  UrbHookCall *self;
  int fds[2], input_fd;
  gboolean good;
  if (!g_unix_open_pipe (fds, FD_CLOEXEC, error))
    return NULL;
  self = g_new0 (UrbHookCall, 1);
  self->output_fd = fds[0];
  self->output = g_string_new (NULL);
  self->func = func;
  self->user_data = user_data;
  self->timeout_ms = spec->timeout_ms;
  input_fd = urb_memory_file_new (spec->input, strlen (spec->input));
  good = input_fd >= 0 && g_unix_set_fd_nonblocking (fds[0], TRUE, error) && spawn (self, spec, input_fd, fds[1], error);
  if (input_fd < 0)
    g_set_error_literal (error, G_SPAWN_ERROR, G_SPAWN_ERROR_FAILED, "There is no memory for its input");
  else
    close (input_fd);
  close (fds[1]);
  if (!good)
    {
      urb_hook_call_free (self);
      return NULL;
    }
  self->child_id = g_child_watch_add (self->pid, child_cb, self);
  self->output_id = g_unix_fd_add (self->output_fd, G_IO_IN | G_IO_HUP | G_IO_ERR, output_cb, self);
  self->timeout_id = g_timeout_add ((guint) spec->timeout_ms, timeout_cb, self);
  return self;
}

void
urb_hook_call_free (UrbHookCall *self)
{
  if (self == NULL)
    return;
  if (self->pid > 0)
    {
      kill (-self->pid, SIGKILL);
      kill (self->pid, SIGKILL);
      g_clear_handle_id (&self->child_id, g_source_remove);
      waitpid (self->pid, NULL, 0);
    }
  g_clear_handle_id (&self->timeout_id, g_source_remove);
  close_output (self);
  g_string_free (self->output, TRUE);
  g_free (self);
}
