/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker-link.c - see worker-link.h.
 *
 * Nothing may outlive the supervisor.  When its end of the socket closes, this process exits at
 * once, whatever the job is doing; checkpoints are atomic, so that is safe.
 */
#include "run/worker/worker-link.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum
{
  HEARTBEAT_MS = 1000,
  SHORT_US = 100 * 1000 /* too short to tell how many cores are used */
};

struct _UrbWorkerLink
{
  int           fd;
  gint64        spent_us, told_us; /* processor time of the process, and when it was told last */
  GThread      *thread; /* owned */
  GCancellable *end;    /* owned */
  GMutex        write_lock; /* keeps lines whole */
  GMutex        lock;       /* of everything below */
  GCond         changed;
  JsonObject   *start;    /* owned, nullable */
  UrbOrders     orders;
  gint64        n_syncs_wanted, n_syncs_done;
  gboolean      ending;
  const char   *doing;    /* static */
  gint64        doing_since_us;
  gint64        step;
};

static void
exit_without_supervisor (void)
{
  _exit (1);
}

static void
write_line (UrbWorkerLink *self, const char *line)
{
  gsize n_bytes = strlen (line), n_sent = 0;
  g_mutex_lock (&self->write_lock);
  while (n_sent < n_bytes)
    {
      gssize n = send (self->fd, line + n_sent, n_bytes - n_sent, MSG_NOSIGNAL);
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        exit_without_supervisor ();
      n_sent += (gsize) n;
    }
  g_mutex_unlock (&self->write_lock);
}

void
urb_worker_link_send (UrbWorkerLink *self, char *line)
{
  g_autofree char *with_newline = g_strconcat (line, "\n", NULL);
  g_free (line);
  write_line (self, with_newline);
}

void
urb_worker_link_send_error (UrbWorkerLink *self, const GError *error)
{
  JsonBuilder *line = urb_json_new ();
  urb_json_add_string (line, "type", "error");
  urb_json_add_error (line, "error", error);
  urb_worker_link_send (self, urb_json_end (line));
}

gint64
urb_worker_link_read_memory_bytes (void)
{
  FILE *file = fopen ("/proc/self/statm", "re");
  long pages = 0, resident = 0;
  if (file == NULL)
    return 0;
  if (fscanf (file, "%ld %ld", &pages, &resident) != 2)
    resident = 0;
  fclose (file);
  return (gint64) resident * sysconf (_SC_PAGESIZE);
}

/* How many cores this process has used since the last heartbeat, on average; 0 just after the start. */
static double
count_cores (UrbWorkerLink *self)
{
  gint64 now_us = g_get_monotonic_time (), before_us = self->spent_us, since_us = now_us - self->told_us;
  struct timespec spent = { 0 };
  if (since_us < SHORT_US)
    return 0;
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &spent);
  self->spent_us = spent.tv_sec * G_USEC_PER_SEC + spent.tv_nsec / 1000;
  self->told_us = now_us;
  return (double) (self->spent_us - before_us) / (double) since_us;
}

static void
send_heartbeat (UrbWorkerLink *self)
{
  JsonBuilder *line = urb_json_new ();
  urb_json_add_string (line, "type", "heartbeat");
  g_mutex_lock (&self->lock);
  urb_json_add_string (line, "doing", self->doing);
  urb_json_add_int (line, "step", self->step);
  urb_json_add_double (line, "seconds",
                       (double) (g_get_monotonic_time () - self->doing_since_us) / G_USEC_PER_SEC);
  g_mutex_unlock (&self->lock);
  urb_json_add_int (line, "memory_bytes", urb_worker_link_read_memory_bytes ());
  urb_json_add_double (line, "cores_busy", count_cores (self));
  urb_worker_link_send (self, urb_json_end (line));
}

/* ------------------------------------------------------------------------ */
/* Orders                                                                    */

static void
handle_order (UrbWorkerLink *self, const char *line, gsize length)
{
  g_autoptr(JsonObject) order = urb_json_parse_line (line, length, NULL);
  const char *cmd = order != NULL ? urb_json_get_string (order, "cmd", "") : "";
  g_mutex_lock (&self->lock);
  if (strcmp (cmd, "start") == 0 && self->start == NULL)
    self->start = json_object_ref (order);
  else if (strcmp (cmd, "synced") == 0)
    self->n_syncs_done++;
  else if (strcmp (cmd, "checkpoint") == 0)
    self->orders |= URB_ORDER_CHECKPOINT;
  else if (strcmp (cmd, "sample") == 0)
    self->orders |= URB_ORDER_SAMPLE;
  else if (strcmp (cmd, "trace") == 0)
    self->orders |= URB_ORDER_TRACE;
  else if (strcmp (cmd, "pause") == 0)
    self->orders |= URB_ORDER_PAUSE;
  else if (strcmp (cmd, "stop") == 0)
    self->orders |= URB_ORDER_STOP;
  if ((self->orders & (URB_ORDER_PAUSE | URB_ORDER_STOP)) != 0)
    g_cancellable_cancel (self->end);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

/* Returns: FALSE when the link is closed */
static gboolean
read_orders (UrbWorkerLink *self, GString *input)
{
  char bytes[4096];
  gssize n = recv (self->fd, bytes, sizeof bytes, MSG_DONTWAIT);
  char *newline;
  if (n < 0 && (errno == EINTR || errno == EAGAIN))
    return TRUE;
  if (n <= 0)
    return FALSE;
  g_string_append_len (input, bytes, n);
  while ((newline = memchr (input->str, '\n', input->len)) != NULL)
    {
      gsize length = (gsize) (newline - input->str);
      handle_order (self, input->str, length);
      g_string_erase (input, 0, (gssize) length + 1);
    }
  return TRUE;
}

static gpointer
link_thread (gpointer data)
{
  UrbWorkerLink *self = data;
  g_autoptr(GString) input = g_string_new (NULL);
  gint64 next_us = g_get_monotonic_time ();
  gboolean ending;
  count_cores (self);
  for (;;)
    {
      struct pollfd wait = { .fd = self->fd, .events = POLLIN };
      gint64 now_us = g_get_monotonic_time ();
      if (now_us >= next_us)
        {
          send_heartbeat (self);
          next_us = now_us + HEARTBEAT_MS * (gint64) 1000;
        }
      if (poll (&wait, 1, (int) ((next_us - now_us) / 1000) + 1) <= 0)
        continue;
      if (!read_orders (self, input))
        break;
    }
  g_mutex_lock (&self->lock);
  ending = self->ending;
  g_mutex_unlock (&self->lock);
  if (!ending)
    exit_without_supervisor ();
  return NULL;
}

UrbWorkerLink *
urb_worker_link_new (int fd)
{
  UrbWorkerLink *self = g_new0 (UrbWorkerLink, 1);
  self->fd = fd;
  self->end = g_cancellable_new ();
  self->doing = "wait";
  self->doing_since_us = g_get_monotonic_time ();
  g_mutex_init (&self->write_lock);
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->thread = g_thread_new ("link", link_thread, self);
  return self;
}

void
urb_worker_link_free (UrbWorkerLink *self)
{
  if (self == NULL)
    return;
  g_mutex_lock (&self->lock);
  self->ending = TRUE;
  g_mutex_unlock (&self->lock);
  shutdown (self->fd, SHUT_RD); /* wakes the thread */
  g_thread_join (self->thread);
  close (self->fd);
  g_clear_pointer (&self->start, json_object_unref);
  g_object_unref (self->end);
  g_cond_clear (&self->changed);
  g_mutex_clear (&self->lock);
  g_mutex_clear (&self->write_lock);
  g_free (self);
}

JsonObject *
urb_worker_link_wait_for_start (UrbWorkerLink *self)
{
  JsonObject *start;
  g_mutex_lock (&self->lock);
  while (self->start == NULL)
    g_cond_wait (&self->changed, &self->lock);
  start = json_object_ref (self->start);
  g_mutex_unlock (&self->lock);
  return start;
}

UrbOrders
urb_worker_link_take_orders (UrbWorkerLink *self)
{
  UrbOrders orders;
  g_mutex_lock (&self->lock);
  orders = self->orders;
  self->orders = 0;
  g_mutex_unlock (&self->lock);
  return orders;
}

GCancellable *
urb_worker_link_get_end (UrbWorkerLink *self)
{
  return self->end;
}

void
urb_worker_link_set_doing (UrbWorkerLink *self, const char *doing, gint64 step)
{
  g_mutex_lock (&self->lock);
  self->doing = doing;
  self->step = step;
  self->doing_since_us = g_get_monotonic_time ();
  g_mutex_unlock (&self->lock);
}

void
urb_worker_link_sync (UrbWorkerLink *self)
{
  gint64 wanted;
  g_mutex_lock (&self->lock);
  wanted = ++self->n_syncs_wanted;
  g_mutex_unlock (&self->lock);
  write_line (self, "{\"type\":\"sync\"}\n");
  g_mutex_lock (&self->lock);
  while (self->n_syncs_done < wanted)
    g_cond_wait (&self->changed, &self->lock);
  g_mutex_unlock (&self->lock);
}
