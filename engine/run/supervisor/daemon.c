/* SPDX-License-Identifier: Apache-2.0 */
/*
 * daemon.c - see daemon.h.
 *
 * Forks twice: the intermediate child leads the new session and exits, so that the daemon can never
 * acquire a terminal again and init adopts it.
 */
#include "run/supervisor/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/store/json-line.h"

static void
leave_terminal (const char *folder)
{
  g_autofree char *log = g_build_filename (folder, "log", NULL);
  int in = open ("/dev/null", O_RDONLY | O_CLOEXEC);
  int out = open (log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (out < 0)
    out = open ("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2 (in, STDIN_FILENO);
  dup2 (out, STDOUT_FILENO);
  dup2 (out, STDERR_FILENO);
  if (in > STDERR_FILENO)
    close (in);
  if (out > STDERR_FILENO)
    close (out);
}

static gboolean
fail (GError **error)
{
  g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_WORKER, "The process cannot be detached: %s",
               g_strerror (errno));
  return FALSE;
}

gboolean
urb_daemon_fork (const char *folder, UrbDaemonRole *role, int *report_fd, GError **error)
{
  int fds[2];
  pid_t pid;
  fflush (NULL); /* or both processes would print buffered text */
  if (pipe2 (fds, O_CLOEXEC) != 0)
    return fail (error);
  pid = fork ();
  if (pid < 0)
    {
      close (fds[0]);
      close (fds[1]);
      return fail (error);
    }
  if (pid > 0)
    {
      close (fds[1]);
      while (waitpid (pid, NULL, 0) < 0 && errno == EINTR)
        ;
      *role = URB_DAEMON_PARENT;
      *report_fd = fds[0];
      return TRUE;
    }
  setsid ();
  if (fork () != 0)
    _exit (0);
  close (fds[0]);
  leave_terminal (folder);
  *role = URB_DAEMON_CHILD;
  *report_fd = fds[1];
  return TRUE;
}

void
urb_daemon_report (int report_fd, const GError *error)
{
  JsonBuilder *line = urb_json_new ();
  g_autofree char *text = NULL;
  urb_json_add_int (line, "pid", getpid ());
  if (error != NULL)
    urb_json_add_error (line, "error", error);
  text = urb_json_end (line);
  /* The parent may be gone; the caller ignores SIGPIPE. */
  if (write (report_fd, text, strlen (text)) < 0)
    g_debug ("no process waits for the run to start");
  close (report_fd);
}

gboolean
urb_daemon_wait (const char *folder, int report_fd, gint64 *pid, GError **error)
{
  g_autoptr(GString) text = g_string_new (NULL);
  g_autoptr(JsonObject) report = NULL;
  GError *cause;
  char bytes[4096];
  gssize n;
  while ((n = read (report_fd, bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR))
    if (n > 0)
      g_string_append_len (text, bytes, n);
  close (report_fd);
  report = urb_json_parse_line (text->str, text->len, NULL);
  if (report == NULL)
    {
      g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_WORKER,
                   "The process ended while starting; '%s/log' may say why", folder);
      return FALSE;
    }
  *pid = urb_json_get_int (report, "pid", 0);
  cause = urb_json_get_error (report, "error");
  if (cause != NULL)
    g_propagate_error (error, cause);
  return cause == NULL;
}
