/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.c - see stream-private.h.
 *
 * Each lane has a thread and a queue.  In it, started and finished collectives are counted.  Since they finish in
 * order, a request is done once the second count reaches its position in the first.
 */
#include "step/stream-private.h"

typedef struct
{
  const UrbCollective *what; /* borrowed */
  guint       axes;
  const void *in;
  void       *out;
  guint64     position;      /* among all that were ever started in its lane, from 1; 0: never */
  gint64      begin_us, end_us;
} Request;

typedef struct
{
  UrbStream *stream; /* borrowed */
  GThread   *thread; /* (nullable): from its first request on */
  guint     *queue;  /* (n_requests), owned, a ring: the pending requests */
  guint64    n_started, n_done;
} Lane;

struct _UrbStream
{
  UrbTransport transport;
  char        *name;     /* owned */
  Request     *requests; /* (n_requests), owned */
  guint        n_requests;
  Lane        *lanes;    /* (n_lanes), owned */
  guint        n_lanes;

  GMutex   lock;
  GCond    changed;
  gboolean quit;
  GError  *error; /* (nullable) owned: the first one */
};

/* The first error stays.  Collectives of other lanes may wait for ranks that wait for this one: they have to fail,
 * too. */
static void
fail (UrbStream *self, GError *error)
{
  gboolean is_first;

  g_mutex_lock (&self->lock);
  is_first = self->error == NULL;
  if (is_first)
    self->error = error;
  g_mutex_unlock (&self->lock);
  if (!is_first)
    g_error_free (error);
  else if (self->n_lanes > 1)
    urb_stream_abort (self, error->message);
}

/* Runs without the lock: a request belongs to this thread from start to end. */
static void
run (Lane *lane, Request *request)
{
  UrbStream *self = lane->stream;
  GError *error = NULL;
  gboolean failed;

  request->begin_us = g_get_monotonic_time ();
  g_mutex_lock (&self->lock);
  failed = self->error != NULL;
  g_mutex_unlock (&self->lock);
  if (!failed)
    self->transport.run (self->transport.self, request->what, request->axes, request->in, request->out, &error);
  request->end_us = g_get_monotonic_time ();
  if (error != NULL)
    fail (self, error);
  g_mutex_lock (&self->lock);
  lane->n_done++;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

static gpointer
lane_thread (gpointer data)
{
  Lane *lane = data;
  UrbStream *self = lane->stream;

  g_mutex_lock (&self->lock);
  while (!self->quit)
    if (lane->n_done == lane->n_started)
      g_cond_wait (&self->changed, &self->lock);
    else
      {
        Request *request = &self->requests[lane->queue[lane->n_done % self->n_requests]];

        g_mutex_unlock (&self->lock);
        run (lane, request);
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
  self->name = g_strdup (name);
  self->n_requests = n_requests;
  self->requests = g_new0 (Request, n_requests);
  self->n_lanes = MAX (transport->n_lanes, 1);
  self->lanes = g_new0 (Lane, self->n_lanes);
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
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
  for (guint i = 0; i < self->n_lanes; i++)
    {
      if (self->lanes[i].thread != NULL)
        g_thread_join (self->lanes[i].thread);
      g_free (self->lanes[i].queue);
    }
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_clear_error (&self->error);
  g_free (self->lanes);
  g_free (self->requests);
  g_free (self->name);
  g_free (self);
}

static Lane *
get_lane (UrbStream *self, guint axes)
{
  guint lane = urb_lane_of (self->n_lanes, axes);

  g_assert (lane < self->n_lanes);
  return &self->lanes[lane];
}

/* Called with the lock held. */
static void
open_lane (UrbStream *self, Lane *lane)
{
  lane->stream = self;
  lane->queue = g_new0 (guint, self->n_requests);
  lane->thread = g_thread_new (self->name, lane_thread, lane);
}

void
urb_stream_start (UrbStream *self, guint number, const UrbCollective *what, guint axes, const void *in,
                  void *out)
{
  Request *request = &self->requests[number];
  Lane *lane = get_lane (self, axes);

  g_mutex_lock (&self->lock);
  g_assert (request->position <= lane->n_done);
  request->what = what;
  request->axes = axes;
  request->in = in;
  request->out = out;
  if (lane->thread == NULL)
    open_lane (self, lane);
  lane->queue[lane->n_started % self->n_requests] = number;
  request->position = ++lane->n_started;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

/* FALSE after a failure.  Called with the lock held. */
static gboolean
unlock_with_error (UrbStream *self, GError **error)
{
  gboolean failed = self->error != NULL;

  if (failed && error != NULL)
    *error = g_error_copy (self->error);
  g_mutex_unlock (&self->lock);
  return !failed;
}

gboolean
urb_stream_wait (UrbStream *self, guint number, GError **error)
{
  const Request *request = &self->requests[number];
  Lane *lane = get_lane (self, request->axes);

  g_mutex_lock (&self->lock);
  while (lane->n_done < request->position)
    g_cond_wait (&self->changed, &self->lock);
  return unlock_with_error (self, error);
}

gboolean
urb_stream_drain (UrbStream *self, GError **error)
{
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->n_lanes; i++)
    while (self->lanes[i].n_done < self->lanes[i].n_started)
      g_cond_wait (&self->changed, &self->lock);
  return unlock_with_error (self, error);
}

guint
urb_stream_get_n_lanes (UrbStream *self)
{
  return self->n_lanes;
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
