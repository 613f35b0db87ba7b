/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker-process.c - see worker-process.h.
 *
 * The child must die with this process even if that dies between fork() and the child's prctl();
 * and between fork() and exec() the child may call nothing that takes a lock, so everything is
 * prepared before.
 */
#include "run/supervisor/worker-process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/network.h"
#include "base/out-of-memory.h"
#include "run/store/channel.h"

enum { CHILD_FD = 3, LAUNCHER_PATIENCE_MS = 3000 };

struct _UrbWorkerProcess
{
  int                        rank;
  pid_t                      pid;
  gboolean                   reaped;
  int                        status; /* then: as of waitpid() */
  char                      *kill_reason; /* owned, nullable */
  gboolean                   is_launcher;
  UrbChannel                *channel; /* owned, nullable: the worker is not connected yet */
  GPtrArray                 *unsent;  /* owned; lines to send then */
  guint                      watch_id, patience_id;
  gint64                     last_message_us;
  gboolean                   has_spoken;
  const UrbWorkerProcessOps *ops;       /* borrowed */
  gpointer                   user_data; /* borrowed */
};

static void
line_cb (UrbChannel *channel, const char *line, gsize length, gpointer user_data)
{
  UrbWorkerProcess *self = user_data;
  g_autoptr(GError) error = NULL;
  g_autoptr(JsonObject) message = urb_json_parse_line (line, length, &error);
  self->last_message_us = g_get_monotonic_time ();
  self->has_spoken = TRUE;
  if (message != NULL)
    self->ops->message (self, message, self->user_data);
  else
    urb_worker_process_kill (self, "sent an invalid message");
}

/* Usually it is exiting, and is reaped in a moment.  If not, its silence is noticed. */
static void
closed_cb (UrbChannel *channel, gboolean too_long, gpointer user_data)
{
  if (too_long)
    urb_worker_process_kill (user_data, "sent a message that is too long");
}

static const UrbChannelOps channel_ops = { .line = line_cb, .closed = closed_cb };

static char *
describe_end (UrbWorkerProcess *self, int status)
{
  int number;
  if (self->kill_reason != NULL && self->is_launcher)
    return g_strdup_printf ("was ended by its supervisor, because rank %d %s", self->rank,
                            self->kill_reason);
  if (self->kill_reason != NULL)
    return g_strdup_printf ("was killed by its supervisor, because it %s", self->kill_reason);
  if (WIFEXITED (status) && WEXITSTATUS (status) == URB_OUT_OF_MEMORY_EXIT_CODE)
    return g_strdup ("ran out of memory");
  if (WIFEXITED (status) && WEXITSTATUS (status) == 0)
    return g_strdup (URB_WORKER_ENDED_WELL);
  if (WIFEXITED (status))
    return g_strdup_printf ("exited with code %d", WEXITSTATUS (status));
  number = WTERMSIG (status);
  if (number == SIGKILL)
    return g_strdup_printf ("was killed by signal %d, probably out of memory", number);
  return g_strdup_printf ("was killed by signal %d (%s)", number, g_strsignal (number));
}

static void
exit_cb (GPid pid, int status, gpointer user_data)
{
  UrbWorkerProcess *self = user_data;
  g_autofree char *how = describe_end (self, status);
  self->watch_id = 0;
  self->reaped = TRUE;
  self->status = status;
  g_clear_handle_id (&self->patience_id, g_source_remove);
  if (self->channel != NULL)
    {
      urb_channel_drain (self->channel);
      urb_channel_close (self->channel);
    }
  self->ops->ended (self, WIFEXITED (status) && WEXITSTATUS (status) == 0, how, self->user_data);
}

/* Descriptors that become 3, 4, …  Between fork() and exec() they are first moved to numbers above
 * those. */
typedef struct
{
  int fds[1 + URB_WORKER_MAX_FDS];
  int n;
  UrbLoopback loopback;
} Inherited;

static void
inherit (Inherited *what)
{
  static const char complaint[] = "too many files are open to start a worker (see ulimit -n)\n";
  enum { OUT_OF_THE_WAY = CHILD_FD + G_N_ELEMENTS (what->fds) };
  gboolean good = TRUE;
  for (int i = 0; i < what->n; i++)
    what->fds[i] = fcntl (what->fds[i], F_DUPFD_CLOEXEC, OUT_OF_THE_WAY);
  for (int i = 0; i < what->n && good; i++)
    good = dup2 (what->fds[i], CHILD_FD + i) >= 0;
  if (!good)
    _exit (write (STDERR_FILENO, complaint, sizeof complaint - 1) < 0 ? 127 : 126);
}

/* Runs in the child; never returns. */
static void
become_worker (char **argv, const UrbWorkerSpawn *what, Inherited *inherited, pid_t parent)
{
  static const char complaint[] = "the worker program cannot be started\n";
  sigset_t none;
  int nothing = open ("/dev/null", O_RDONLY | O_CLOEXEC);
  if (what->is_alone && !urb_loopback_enter (&inherited->loopback))
    _exit (126);
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (getppid () != parent)
    _exit (1);
  /* Not in the terminal's foreground group: the supervisor handles Ctrl+C. */
  setpgid (0, 0);
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
  /* If this fails, the worker runs on any core. */
  if (what->cpus != NULL)
    sched_setaffinity (0, sizeof *what->cpus, what->cpus);
  /* The caller's input is for the caller: mpirun would read it. */
  dup2 (nothing, STDIN_FILENO);
  if (what->log_fd >= 0)
    {
      dup2 (what->log_fd, STDOUT_FILENO);
      dup2 (what->log_fd, STDERR_FILENO);
    }
  inherit (inherited);
  execve (argv[0], argv, what->environment != NULL ? (char **) what->environment : environ);
  if (write (STDERR_FILENO, complaint, sizeof complaint - 1) < 0)
    _exit (126);
  _exit (127);
}

static char **
build_argv (const char *const *argv, gboolean with_fd)
{
  GPtrArray *all = g_ptr_array_new ();
  for (int i = 0; argv[i] != NULL; i++)
    g_ptr_array_add (all, g_strdup (argv[i]));
  if (with_fd)
    {
      g_ptr_array_add (all, g_strdup ("--fd"));
      g_ptr_array_add (all, g_strdup_printf ("%d", CHILD_FD));
    }
  g_ptr_array_add (all, NULL);
  return (char **) g_ptr_array_free (all, FALSE);
}

UrbWorkerProcess *
urb_worker_process_spawn (const UrbWorkerSpawn *what, const UrbWorkerProcessOps *ops,
                          gpointer user_data, GError **error)
{
  g_auto(GStrv) full = build_argv (what->argv, !what->is_launcher);
  UrbWorkerProcess *self;
  pid_t parent = getpid (), pid = -1;
  int fds[2];
  g_return_val_if_fail (what->n_fds <= URB_WORKER_MAX_FDS, NULL);
  if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0)
    {
      Inherited inherited = { .fds = { fds[1] }, .n = 1 + what->n_fds };
      urb_loopback_init (&inherited.loopback);
      memcpy (&inherited.fds[1], what->fds, (gsize) what->n_fds * sizeof (int));
      pid = fork ();
      if (pid == 0)
        become_worker (full, what, &inherited, parent);
      close (fds[1]);
      if (pid < 0)
        close (fds[0]);
    }
  if (pid < 0)
    {
      g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_WORKER, "A worker cannot be started: %s",
                   g_strerror (errno));
      return NULL;
    }
  self = g_new0 (UrbWorkerProcess, 1);
  self->rank = what->rank;
  self->pid = pid;
  self->ops = ops;
  self->user_data = user_data;
  self->last_message_us = g_get_monotonic_time ();
  self->is_launcher = what->is_launcher;
  self->unsent = g_ptr_array_new_with_free_func (g_free);
  if (what->is_launcher)
    close (fds[0]);
  else
    urb_worker_process_connect (self, fds[0]);
  self->watch_id = g_child_watch_add (pid, exit_cb, self);
  return self;
}

void
urb_worker_process_connect (UrbWorkerProcess *self, int fd)
{
  if (self->channel != NULL)
    {
      close (fd);
      return;
    }
  self->last_message_us = g_get_monotonic_time ();
  self->channel = urb_channel_new (fd, URB_LINE_MAX_WORKER_BYTES, &channel_ops, self);
  for (guint i = 0; i < self->unsent->len; i++)
    urb_channel_send (self->channel, g_ptr_array_index (self->unsent, i));
  g_ptr_array_set_size (self->unsent, 0);
}

static void
end_now (UrbWorkerProcess *self)
{
  enum { POLL_MS = 10 };
  if (self->is_launcher)
    kill (self->pid, SIGTERM);
  for (int i = 0; self->is_launcher && i < LAUNCHER_PATIENCE_MS / POLL_MS; i++)
    {
      if (waitpid (self->pid, NULL, WNOHANG) != 0)
        return;
      g_usleep (POLL_MS * 1000);
    }
  kill (self->pid, SIGKILL);
  while (waitpid (self->pid, NULL, 0) < 0 && errno == EINTR)
    ;
}

void
urb_worker_process_free (UrbWorkerProcess *self)
{
  if (self == NULL)
    return;
  if (self->watch_id != 0)
    g_source_remove (self->watch_id);
  g_clear_handle_id (&self->patience_id, g_source_remove);
  if (!self->reaped)
    end_now (self);
  urb_channel_free (self->channel);
  g_ptr_array_unref (self->unsent);
  g_free (self->kill_reason);
  g_free (self);
}

int
urb_worker_process_get_pid (UrbWorkerProcess *self)
{
  return self->pid;
}

gboolean
urb_worker_process_was_killed (UrbWorkerProcess *self)
{
  return self->kill_reason != NULL || WIFSIGNALED (self->status);
}

gboolean
urb_worker_process_may_have_printed_why (UrbWorkerProcess *self)
{
  return self->kill_reason == NULL
         && !(WIFSIGNALED (self->status) && WTERMSIG (self->status) == SIGKILL);
}

double
urb_worker_process_get_silence_s (UrbWorkerProcess *self)
{
  return (double) (g_get_monotonic_time () - self->last_message_us) / G_USEC_PER_SEC;
}

gboolean
urb_worker_process_has_spoken (UrbWorkerProcess *self)
{
  return self->has_spoken;
}

void
urb_worker_process_reset_silence (UrbWorkerProcess *self)
{
  self->last_message_us = g_get_monotonic_time ();
}

void
urb_worker_process_drain (UrbWorkerProcess *self)
{
  if (self->channel != NULL)
    urb_channel_drain (self->channel);
}

void
urb_worker_process_send (UrbWorkerProcess *self, char *line)
{
  if (self->channel == NULL)
    {
      g_ptr_array_add (self->unsent, line);
      return;
    }
  urb_channel_send (self->channel, line);
  g_free (line);
}

static gboolean
impatient_cb (gpointer user_data)
{
  UrbWorkerProcess *self = user_data;
  self->patience_id = 0;
  if (!self->reaped)
    kill (self->pid, SIGKILL);
  return G_SOURCE_REMOVE;
}

void
urb_worker_process_kill (UrbWorkerProcess *self, const char *why)
{
  if (self->reaped)
    return;
  if (self->kill_reason == NULL)
    self->kill_reason = g_strdup (why);
  if (!self->is_launcher)
    kill (self->pid, SIGKILL);
  else if (self->patience_id == 0)
    {
      kill (self->pid, SIGTERM);
      self->patience_id = g_timeout_add (LAUNCHER_PATIENCE_MS, impatient_cb, self);
    }
}
