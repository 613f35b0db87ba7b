/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.c - see stream-private.h.
 *
 * Started and finished collectives are counted.  Since they finish in order, a request
 * is done once the second count reaches its position in the first.
 */
#include "step/stream-private.h"

typedef struct
{
  const UrbCollective *what; /* borrowed */
  guint       axes;
  const void *in;
  void       *out;
  guint64     position;      /* among all that were ever started, from 1; 0: never */
  gint64      begin_us, end_us;
} Request;

struct _UrbStream
{
  UrbTransport transport;
  Request     *requests; /* (n_requests) */
  guint       *queue;    /* (n_requests), a ring: the pending requests */
  guint        n_requests;

  GThread *thread;
  GMutex   lock;
  GCond    changed;
  guint64  n_started, n_done;
  gboolean quit;
  GError  *error; /* (nullable) owned: the first one */
};

/* Runs without the lock: a request belongs to this thread from start to end. */
static void
run (UrbStream *self, Request *request)
{
  g_autoptr(GError) error = NULL;
  gboolean failed;

  request->begin_us = g_get_monotonic_time ();
  g_mutex_lock (&self->lock);
  failed = self->error != NULL;
  g_mutex_unlock (&self->lock);
  if (!failed)
    self->transport.run (self->transport.self, request->what, request->axes, request->in, request->out, &error);
  request->end_us = g_get_monotonic_time ();
  g_mutex_lock (&self->lock);
  if (error != NULL)
    self->error = g_steal_pointer (&error);
  self->n_done++;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

static gpointer
stream_thread (gpointer data)
{
  UrbStream *self = data;

  g_mutex_lock (&self->lock);
  while (!self->quit)
    if (self->n_done == self->n_started)
      g_cond_wait (&self->changed, &self->lock);
    else
      {
        Request *request = &self->requests[self->queue[self->n_done % self->n_requests]];

        g_mutex_unlock (&self->lock);
        run (self, request);
        g_mutex_lock (&self->lock);
      }
  g_mutex_unlock (&self->lock);
  return NULL;
}

UrbStream *
urb_stream_new (const UrbTransport *transport, const char *name, guint n_requests)
{
  UrbStream *self = g_new0 (UrbStream, 1);

  g_return_val_if_fail (n_requests > 0, NULL);
  self->transport = *transport;
  self->n_requests = n_requests;
  self->requests = g_new0 (Request, n_requests);
  self->queue = g_new0 (guint, n_requests);
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->thread = g_thread_new (name, stream_thread, self);
  return self;
}

void
urb_stream_free (UrbStream *self)
{
  if (self == NULL)
    return;
  g_mutex_lock (&self->lock);
  self->quit = TRUE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  g_thread_join (self->thread);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_clear_error (&self->error);
  g_free (self->requests);
  g_free (self->queue);
  g_free (self);
}

void
urb_stream_start (UrbStream *self, guint number, const UrbCollective *what, guint axes, const void *in,
                  void *out)
{
  Request *request = &self->requests[number];

  g_mutex_lock (&self->lock);
  g_assert (request->position <= self->n_done);
  request->what = what;
  request->axes = axes;
  request->in = in;
  request->out = out;
  self->queue[self->n_started % self->n_requests] = number;
  request->position = ++self->n_started;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

/* Called with the lock held; releases it. */
static gboolean
wait_for_position (UrbStream *self, guint64 position, GError **error)
{
  gboolean failed;

  while (self->n_done < position)
    g_cond_wait (&self->changed, &self->lock);
  failed = self->error != NULL;
  if (failed && error != NULL)
    *error = g_error_copy (self->error);
  g_mutex_unlock (&self->lock);
  return !failed;
}

gboolean
urb_stream_wait (UrbStream *self, guint request, GError **error)
{
  g_mutex_lock (&self->lock);
  return wait_for_position (self, self->requests[request].position, error);
}

gboolean
urb_stream_drain (UrbStream *self, GError **error)
{
  g_mutex_lock (&self->lock);
  return wait_for_position (self, self->n_started, error);
}

void
urb_stream_abort (UrbStream *self, const char *why)
{
  if (self->transport.abort != NULL)
    self->transport.abort (self->transport.self, why);
}

void
urb_stream_get_span (UrbStream *self, guint request, gint64 *begin_us, gint64 *end_us)
{
  g_mutex_lock (&self->lock);
  *begin_us = self->requests[request].begin_us;
  *end_us = self->requests[request].end_us;
  g_mutex_unlock (&self->lock);
}
