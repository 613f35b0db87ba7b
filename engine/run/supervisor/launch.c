/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch.c - see launch.h.
 *
 * The options of mpirun are those that Open MPI 4.1 and 5 have in common.
 */
#include "run/supervisor/launch.h"

#include <string.h>
#include <unistd.h>

#include <glib-unix.h>

#include "base/network.h"
#include "run/store/control-socket.h"
#include "run/store/launch-session.h"

enum { WORKER, BOARD, N_SOCKETS };

struct _UrbLaunch
{
  UrbRunFolder *folder; /* borrowed */
  UrbBoard     *board;  /* borrowed */
  char        **argv, **environment; /* owned */
  gboolean      is_alone;
  int           fds[N_SOCKETS]; /* listening; -1: none */
  int           session_fd; /* the lock of mpirun's folder; -1: none */
  guint         ids[N_SOCKETS];
  UrbLaunchFunc func;
  gpointer      user_data;
};

gboolean
urb_launch_is_wanted (const UrbRunConfig *config)
{
  const UrbTrainOptions *train = &config->train;
  if (!urb_strategy_is_distributed (train->strategy) || train->n_ranks < 2 || config->master != NULL)
    return FALSE;
  if (g_strcmp0 (train->communicator, "auto") == 0 || g_strcmp0 (train->communicator, "nccl") == 0)
    return config->hosts != NULL || g_getenv ("SLURM_JOB_ID") != NULL;
  return g_strcmp0 (train->communicator, "mpi") == 0;
}

/* ------------------------------------------------------------------------ */
/* The command                                                               */

static void
add (GPtrArray *argv, const char *text)
{
  g_ptr_array_add (argv, g_strdup (text));
}

static char **
make_argv (UrbLaunch *self, const UrbRunConfig *config, const char *mpirun,
           const char *const *worker_argv)
{
  GPtrArray *argv = g_ptr_array_new ();
  /* Other hosts, and mpirun itself, have another /proc/self/exe. */
  g_autofree char *own = strcmp (worker_argv[0], "/proc/self/exe") == 0
                           ? g_file_read_link (worker_argv[0], NULL) : NULL;
  add (argv, mpirun);
  add (argv, "-n");
  g_ptr_array_add (argv, g_strdup_printf ("%d", config->train.n_ranks));
  if (config->hosts != NULL)
    {
      add (argv, "--hostfile");
      add (argv, config->hosts);
    }
  /* Allows more ranks than cores; threads are not bound. */
  add (argv, "--map-by");
  add (argv, ":OVERSUBSCRIBE");
  add (argv, "--bind-to");
  add (argv, "none");
  if (g_getenv ("URBARIUM_FAULT") != NULL)
    {
      add (argv, "-x");
      add (argv, "URBARIUM_FAULT");
    }
  add (argv, own != NULL ? own : worker_argv[0]);
  for (int i = 1; worker_argv[i] != NULL; i++)
    add (argv, worker_argv[i]);
  add (argv, "--connect");
  add (argv, urb_run_folder_get_path (self->folder));
  g_ptr_array_add (argv, NULL);
  return (char **) g_ptr_array_free (argv, FALSE);
}

/* mpirun runs as root only if told twice.  It notices a silent host after eight minutes; the
 * keepalives make that half a minute.  And it strips the domain from names in the hosts file, so
 * that "here.example" would not name this machine.  Its hwloc opens a connection to the X server, and
 * mpirun ends when that connection closes.  The user's own settings win. */
static char **
make_environment (void)
{
  char **environment = g_get_environ ();
  static const char *const keys[] = {
    "OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "PRTE_ALLOW_RUN_AS_ROOT",
    "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM",
  };
  static const struct { const char *key, *value; } habits[] = {
    { "OMPI_MCA_oob_tcp_keepalive_time", "10" },  { "PRTE_MCA_oob_tcp_keepalive_time", "10" },
    { "OMPI_MCA_oob_tcp_keepalive_intvl", "5" },  { "PRTE_MCA_oob_tcp_keepalive_intvl", "5" },
    { "OMPI_MCA_oob_tcp_keepalive_probes", "3" }, { "PRTE_MCA_oob_tcp_keepalive_probes", "3" },
    { "OMPI_MCA_orte_keep_fqdn_hostnames", "1" }, { "PRTE_MCA_prte_keep_fqdn_hostnames", "1" },
    { "HWLOC_COMPONENTS", "-gl" },
  };
  for (gsize i = 0; geteuid () == 0 && i < G_N_ELEMENTS (keys); i++)
    environment = g_environ_setenv (environment, keys[i], "1", TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (habits); i++)
    environment = g_environ_setenv (environment, habits[i].key, habits[i].value, FALSE);
  return environment;
}

/* Ranks of one machine need no network, but Open MPI listens on every interface, and mpirun does so
 * whatever it is told.  So they get a network of their own if possible; at least ranks do not listen. */
static char **
keep_to_this_machine (UrbLaunch *self, char **environment)
{
  static const struct { const char *key, *value; } settings[] = {
    { "OMPI_MCA_oob_tcp_if_include", "lo" }, { "PRTE_MCA_prte_if_include", "lo" },
    { "OMPI_MCA_oob_tcp_if_exclude", NULL }, { "PRTE_MCA_prte_if_exclude", NULL },
    { "OMPI_MCA_btl_tcp_if_include", NULL }, { "OMPI_MCA_btl_tcp_if_exclude", NULL },
  };
  self->is_alone = urb_loopback_is_available ();
  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    environment = settings[i].value != NULL
                    ? g_environ_setenv (environment, settings[i].key, settings[i].value, TRUE)
                    : g_environ_unsetenv (environment, settings[i].key);
  return g_environ_setenv (environment, "OMPI_MCA_btl", "^tcp,ofi,openib", FALSE);
}

/* ------------------------------------------------------------------------ */
/* Sockets                                                                   */

static gboolean
worker_cb (int listen_fd, GIOCondition condition, gpointer user_data)
{
  UrbLaunch *self = user_data;
  int fd = urb_control_socket_accept (listen_fd);
  if (fd < 0)
    return G_SOURCE_CONTINUE;
  if (!urb_control_socket_is_own_peer (fd))
    {
      close (fd);
      return G_SOURCE_CONTINUE;
    }
  self->ids[WORKER] = 0;
  self->func (fd, self->user_data);
  return G_SOURCE_REMOVE;
}

static gboolean
board_cb (int listen_fd, GIOCondition condition, gpointer user_data)
{
  UrbLaunch *self = user_data;
  int fd = urb_control_socket_accept (listen_fd);
  /* A rank that does not receive it at once works without. */
  if (fd >= 0 && urb_control_socket_is_own_peer (fd))
    urb_control_socket_send_fd (fd, urb_board_get_fd (self->board));
  else if (fd >= 0)
    close (fd);
  return G_SOURCE_CONTINUE;
}

static const struct { const char *name; GUnixFDSourceFunc callback; } sockets[N_SOCKETS] = {
  [WORKER] = { URB_WORKER_SOCKET_NAME, worker_cb },
  [BOARD] = { URB_BOARD_SOCKET_NAME, board_cb },
};

static gboolean
listen_to (UrbLaunch *self, GError **error)
{
  for (int i = 0; i < N_SOCKETS; i++)
    {
      self->fds[i] = urb_control_socket_listen (urb_run_folder_get_fd (self->folder),
                                                sockets[i].name, error);
      if (self->fds[i] < 0)
        return FALSE;
      self->ids[i] = g_unix_fd_add (self->fds[i], G_IO_IN, sockets[i].callback, self);
    }
  return TRUE;
}

UrbLaunch *
urb_launch_new (UrbRunFolder *folder, const UrbRunConfig *config, UrbBoard *board,
                const char *const *worker_argv, UrbLaunchFunc func, gpointer user_data,
                GError **error)
{
  g_autoptr(UrbLaunch) self = g_new0 (UrbLaunch, 1);
  g_autofree char *mpirun = g_find_program_in_path ("mpirun"), *session = NULL;
  self->folder = folder;
  self->board = board;
  self->func = func;
  self->user_data = user_data;
  self->fds[WORKER] = self->fds[BOARD] = self->session_fd = -1;
  if (mpirun == NULL)
    {
      g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_WORKER,
                   "The run needs mpirun to start %d processes, and it was not found: "
                   "install openmpi-bin, or choose --communicator threads",
                   config->train.n_ranks);
      return NULL;
    }
  self->argv = make_argv (self, config, mpirun, worker_argv);
  self->environment = make_environment ();
  /* Other machines lack this folder, and mpirun would pass its name to them. */
  if (config->hosts == NULL && g_getenv ("SLURM_JOB_ID") == NULL)
    {
      g_autoptr(GError) cause = NULL;
      self->environment = keep_to_this_machine (self, self->environment);
      session = urb_launch_session_new (urb_run_folder_get_fd (folder), config->train.n_ranks,
                                        &self->session_fd, &cause);
      if (cause != NULL)
        {
          g_propagate_error (error, g_steal_pointer (&cause));
          return NULL;
        }
    }
  if (session != NULL)
    self->environment = urb_launch_session_add (self->environment, session);
  return listen_to (self, error) ? g_steal_pointer (&self) : NULL;
}

void
urb_launch_free (UrbLaunch *self)
{
  int folder_fd;
  if (self == NULL)
    return;
  folder_fd = urb_run_folder_get_fd (self->folder);
  for (int i = 0; i < N_SOCKETS; i++)
    {
      g_clear_handle_id (&self->ids[i], g_source_remove);
      if (self->fds[i] < 0)
        continue;
      close (self->fds[i]);
      unlinkat (folder_fd, sockets[i].name, 0);
    }
  urb_launch_session_sweep (folder_fd);
  if (self->session_fd >= 0)
    close (self->session_fd);
  g_strfreev (self->argv);
  g_strfreev (self->environment);
  g_free (self);
}

gboolean
urb_launch_is_alone (UrbLaunch *self)
{
  return self->is_alone;
}

const char *const *
urb_launch_get_argv (UrbLaunch *self)
{
  return (const char *const *) self->argv;
}

const char *const *
urb_launch_get_environment (UrbLaunch *self)
{
  return (const char *const *) self->environment;
}

/* ------------------------------------------------------------------------ */
/* What mpirun says of the dead                                              */

static gboolean
match (const char *output, const char *pattern, const char *format, int *rank, char **how,
       char **host)
{
  g_autoptr(GRegex) regex = g_regex_new (pattern, 0, 0, NULL);
  g_autoptr(GMatchInfo) info = NULL;
  g_autofree char *first = NULL, *second = NULL;
  g_assert (regex != NULL);
  if (!g_regex_match (regex, output, 0, &info))
    return FALSE;
  first = g_match_info_fetch (info, 1);
  second = g_match_info_fetch_named (info, "how");
  *rank = (int) CLAMP (g_ascii_strtoll (first, NULL, 10), 0, G_MAXINT);
  *how = g_strdup_printf ("%s %s", format, second);
  *host = g_match_info_fetch_named (info, "host");
  return TRUE;
}

gboolean
urb_launch_find_culprit (const char *output, int *rank, char **how, char **host)
{
  g_autofree char *text = g_utf8_make_valid (output, -1);
  /* For a signal: "mpirun noticed that process rank 1 with PID 0 on node a exited on signal 9
   * (Killed)."  For an exit code: "Process name: [[8212,1],1]", "Exit code:    3". */
  return match (text,
                "process rank ([0-9]+) with PID [0-9]+ on node (?<host>\\S+)\\s+exited on\\s+signal "
                "(?<how>[0-9]+)",
                "was killed by signal", rank, how, host)
         || match (text, "Process name: \\[[^\\n]*,\\s*([0-9]+)\\]\\s+Exit code:\\s+(?<how>[0-9]+)",
                   "exited with code", rank, how, host);
}

char *
urb_launch_find_lost_host (const char *output)
{
  g_autofree char *text = g_utf8_make_valid (output, -1);
  g_autoptr(GRegex) regex = g_regex_new ("lost communication with a remote daemon.*?"
                                         "Remote daemon:[^\\n]* on node (\\S+)",
                                         G_REGEX_DOTALL, 0, NULL);
  g_autoptr(GMatchInfo) info = NULL;
  g_assert (regex != NULL);
  return g_regex_match (regex, text, 0, &info) ? g_match_info_fetch (info, 1) : NULL;
}

gboolean
urb_launch_is_elsewhere (const char *output, GError **error)
{
  if (strstr (output, URB_RANK_ELSEWHERE) == NULL)
    return FALSE;
  g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_WORKER,
               URB_RANK_ELSEWHERE ": name that host first in the hosts file");
  return TRUE;
}
