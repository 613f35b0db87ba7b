/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervisor-signals.c - what the signals mean that a person or a scheduler sends to a run.
 *
 * GLib handles only some of them, so a handler writes their numbers into a pipe, which the main loop
 * reads.  Handlers, unlike a blocked signal mask, are not inherited by the processes of the run.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <glib-unix.h>

#include "run/supervisor/supervisor-private.h"

typedef enum
{
  ENDS,         /* saves and ends; the second of them ends at once */
  WARNS,        /* the run is going to be killed: saves and ends, or with --checkpoint-on just saves */
  ENDS_AT_ONCE
} Meaning;

static const struct { int number; const char *name; Meaning meaning; } rows[] = {
  { SIGINT, "SIGINT", ENDS },     { SIGTERM, "SIGTERM", ENDS },   { SIGHUP, "SIGHUP", ENDS },
  { SIGUSR1, "SIGUSR1", WARNS },  { SIGUSR2, "SIGUSR2", WARNS },  { SIGALRM, "SIGALRM", WARNS },
  { SIGXCPU, "SIGXCPU", WARNS },  { SIGQUIT, "SIGQUIT", ENDS_AT_ONCE },
};

G_STATIC_ASSERT (G_N_ELEMENTS (rows) == URB_SUPERVISOR_N_SIGNALS);

/* ------------------------------------------------------------------------ */
/* --checkpoint-on                                                           */

/* With or without "SIG".  Returns: the number of a signal that warns; 0: none */
static int
find_warning (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].meaning == WARNS
        && (g_ascii_strcasecmp (name, rows[i].name) == 0
            || g_ascii_strcasecmp (name, rows[i].name + strlen ("SIG")) == 0))
      return rows[i].number;
  return 0;
}

gboolean
urb_supervisor_parse_signals (const char *const *names, guint *signals)
{
  *signals = 0;
  /* `#SBATCH --signal=B:USR1@300` */
  if (names == NULL && g_getenv ("SLURM_JOB_ID") != NULL)
    *signals = 1u << SIGUSR1;
  for (; names != NULL && *names != NULL; names++)
    {
      int number = find_warning (*names);
      if (number == 0 && strcmp (*names, "none") != 0)
        return FALSE;
      *signals |= number > 0 ? 1u << number : 0;
    }
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* Obeying                                                                   */

/* The second ends the run at once: freeing the workers kills them. */
static void
interrupt (UrbSupervisor *self, const char *name)
{
  if (self->n_interrupts++ > 0)
    {
      urb_supervisor_report (self, "warning", "killed",
                             "Interrupted twice: the run ends without a checkpoint");
      urb_supervisor_finish (self, URB_RUN_STOPPED, URB_RUN_END_KILLED);
      return;
    }
  self->interrupted = TRUE;
  urb_supervisor_report_subject (self, "interrupted", "signal", name,
                                 "Interrupted: saving a checkpoint (interrupt again to end at once)");
  urb_supervisor_stop (self);
}

/* SIGXCPU comes again every second, and from every rank. */
static void
warn (UrbSupervisor *self, gsize i)
{
  const char *name = rows[i].name;
  gboolean goes_on = (self->options.checkpoint_on >> rows[i].number & 1) != 0;
  if (self->goal == GOAL_STOP || (rows[i].number == SIGXCPU && self->is_out_of_cpu))
    return;
  self->is_out_of_cpu = self->is_out_of_cpu || rows[i].number == SIGXCPU;
  if (!goes_on)
    {
      self->interrupted = TRUE;
      urb_supervisor_report (self, "warning", "interrupted",
                             "%s: saving a checkpoint and ending (with --checkpoint-on %s: saving one and "
                             "going on)", name, name);
      urb_supervisor_stop (self);
      return;
    }
  urb_supervisor_report (self, "info", "signal", "%s: %s", name,
                         urb_supervisor_can_order (self) ? "saving a checkpoint" : "nothing is to be saved now");
  if (urb_supervisor_can_order (self))
    urb_supervisor_send_order (self, 0, "checkpoint");
}

static void
obey (UrbSupervisor *self, int number)
{
  gsize i = 0;
  while (i < G_N_ELEMENTS (rows) && rows[i].number != number)
    i++;
  if (i == G_N_ELEMENTS (rows))
    return;
  if (rows[i].meaning == ENDS)
    interrupt (self, rows[i].name);
  else if (rows[i].meaning == WARNS)
    warn (self, i);
  else
    {
      urb_supervisor_report (self, "warning", "killed", "%s: the run ends without a checkpoint", rows[i].name);
      urb_supervisor_finish (self, URB_RUN_STOPPED, URB_RUN_END_KILLED);
    }
}

void
urb_supervisor_spend_cpu (UrbSupervisor *self)
{
  obey (self, SIGXCPU);
}

/* ------------------------------------------------------------------------ */
/* Receiving                                                                 */

/* A signal handler is given nothing but a number, so this one is global. */
static int signal_pipe[2] = { -1, -1 };

static void
handler_cb (int number)
{
  int saved_errno = errno;
  guint8 byte = (guint8) number;
  if (write (signal_pipe[1], &byte, 1) < 0)
    errno = 0; /* the pipe is full of signals */
  errno = saved_errno;
}

static gboolean
read_cb (int fd, GIOCondition condition, gpointer user_data)
{
  guint8 number;
  while (read (fd, &number, 1) == 1)
    obey (user_data, number);
  return G_SOURCE_CONTINUE;
}

/* SIGQUIT acts only once by way of the main loop, and so ends a program that hangs. */
void
urb_supervisor_heed_signals (UrbSupervisor *self)
{
  /* Without a pipe, signals keep their default action, which ends the process. */
  if (pipe2 (signal_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
    return;
  self->signal_id = g_unix_fd_add (signal_pipe[0], G_IO_IN, read_cb, self);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      gboolean asks = rows[i].number == SIGINT || rows[i].number == SIGTERM;
      struct sigaction action = { .sa_handler = handler_cb,
                                  .sa_flags = SA_RESTART
                                              | (rows[i].meaning == ENDS_AT_ONCE ? (int) SA_RESETHAND : 0) };
      sigemptyset (&action.sa_mask);
      sigaction (rows[i].number, &action, &self->signal_actions[i]);
      /* By nohup.  A shell that starts a program in the background ignores SIGINT, too, by which people
       * end it nevertheless. */
      if (!asks && self->signal_actions[i].sa_handler == SIG_IGN)
        sigaction (rows[i].number, &self->signal_actions[i], NULL);
    }
}

void
urb_supervisor_disregard_signals (UrbSupervisor *self)
{
  if (self->signal_id == 0)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    sigaction (rows[i].number, &self->signal_actions[i], NULL);
  g_clear_handle_id (&self->signal_id, g_source_remove);
  close (signal_pipe[0]);
  close (signal_pipe[1]);
}
