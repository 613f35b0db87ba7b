/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draw.c - urbarium-engine draw: draws cities on request, for another program.
 *
 * A separate thread reads the requests, so that "cancel" works while cities are drawn.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/draw-session.h"
#include "cli/sampler-options.h"
#include "run/store/json-line.h"

enum { MAX_WAITING = 4096 };

typedef struct
{
  GMutex          mutex;   /* guards the fields below */
  GCond           changed;
  GQueue          waiting; /* UrbDrawRequest, owned */
  UrbDrawRequest *current; /* (nullable) borrowed from the main thread */
  gboolean        ended;   /* end of input */
} Inbox;

/* Call with the mutex held. */
static void
cancel (Inbox *self, gint64 id)
{
  if (self->current != NULL && self->current->has_id && self->current->id == id)
    g_atomic_int_set (&self->current->cancelled, TRUE);
  for (GList *l = self->waiting.head; l != NULL; l = l->next)
    {
      UrbDrawRequest *request = l->data;

      if (request->has_id && request->id == id)
        g_atomic_int_set (&request->cancelled, TRUE);
    }
}

/* @request: (transfer full) */
static void
enqueue (Inbox *self, UrbDrawRequest *request)
{
  g_mutex_lock (&self->mutex);
  if (strcmp (urb_draw_request_get_cmd (request), "cancel") == 0)
    {
      cancel (self, urb_json_get_int (request->object, "of", -1));
      urb_draw_request_free (request);
    }
  else
    {
      while (self->waiting.length >= MAX_WAITING)
        g_cond_wait (&self->changed, &self->mutex);
      g_queue_push_tail (&self->waiting, request);
      g_cond_signal (&self->changed);
    }
  g_mutex_unlock (&self->mutex);
}

/* Enqueues the complete lines in the buffer.  @skip: (inout): whether to skip the rest of an
 * overlong line.  Returns: the number of bytes left in the buffer */
static gsize
enqueue_lines (Inbox *self, char *buffer, gsize length, gboolean *skip)
{
  char *begin = buffer, *end;

  while ((end = memchr (begin, '\n', length - (gsize) (begin - buffer))) != NULL)
    {
      if (!*skip && end > begin)
        enqueue (self, urb_draw_request_new (begin, (gsize) (end - begin)));
      *skip = FALSE;
      begin = end + 1;
    }
  length -= (gsize) (begin - buffer);
  memmove (buffer, begin, length);
  if (length < URB_DRAW_LINE_MAX_BYTES)
    return length;
  if (!*skip)
    enqueue (self, urb_draw_request_new (NULL, 0));
  *skip = TRUE;
  return 0;
}

static gpointer
read_thread (gpointer data)
{
  Inbox *self = data;
  g_autofree char *buffer = g_malloc (URB_DRAW_LINE_MAX_BYTES);
  gsize length = 0;
  gboolean skip = FALSE;
  ssize_t n;

  while ((n = read (STDIN_FILENO, buffer + length, URB_DRAW_LINE_MAX_BYTES - length)) != 0)
    {
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        break;
      length = enqueue_lines (self, buffer, length + (gsize) n, &skip);
    }
  if (length > 0 && !skip) /* a last line without a newline */
    enqueue (self, urb_draw_request_new (buffer, length));
  g_mutex_lock (&self->mutex);
  self->ended = TRUE;
  g_cond_signal (&self->changed);
  g_mutex_unlock (&self->mutex);
  return NULL;
}

/* Returns: (transfer full): the next request, or NULL at the end of the input */
static UrbDrawRequest *
dequeue (Inbox *self)
{
  UrbDrawRequest *request;

  g_mutex_lock (&self->mutex);
  while (self->waiting.length == 0 && !self->ended)
    g_cond_wait (&self->changed, &self->mutex);
  request = self->current = g_queue_pop_head (&self->waiting);
  g_cond_signal (&self->changed);
  g_mutex_unlock (&self->mutex);
  return request;
}

static int
answer_all (UrbDrawSession *session)
{
  /* Static, since the reading thread may outlive this function if the output is closed. */
  static Inbox inbox;
  GThread *thread;
  UrbDrawRequest *request;

  g_mutex_init (&inbox.mutex);
  g_cond_init (&inbox.changed);
  g_queue_init (&inbox.waiting);
  thread = g_thread_new ("requests", read_thread, &inbox);
  while ((request = dequeue (&inbox)) != NULL)
    {
      gboolean sent = urb_draw_session_answer (session, request);

      g_mutex_lock (&inbox.mutex);
      inbox.current = NULL;
      g_mutex_unlock (&inbox.mutex);
      urb_draw_request_free (request);
      if (!sent)
        {
          g_thread_unref (thread);
          return URB_EXIT_FAILURE;
        }
    }
  g_thread_join (thread);
  return URB_EXIT_OK;
}

int
urb_cli_draw (int argc, char **argv)
{
  g_auto(UrbCliSamplerOptions) sampler = { 0 };
  g_auto(UrbDrawSession) session = { 0 };
  g_autoptr(GError) error = NULL;
  GOptionContext *context = urb_cli_options_new (
    "[RUN|CHECKPOINT]",
    "Draws cities on request: JSON lines on standard input, images on standard output;\n"
    "see urbarium-engine-draw(1).", NULL);

  urb_cli_sampler_options_add (&sampler, context);
  if (!urb_cli_parse (context, &argc, &argv))
    return URB_EXIT_USAGE;
  if (argc > 2)
    return urb_cli_fail_usage ("specify at most one run folder or checkpoint");
  if (!urb_cli_sampler_options_apply (&sampler, &session.place, &error)
      || (argc == 2 && !urb_draw_session_open (&session, argv[1], &session.place, &error)))
    return urb_cli_fail (error);
  return answer_all (&session);
}
