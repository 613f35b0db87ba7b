/* SPDX-License-Identifier: Apache-2.0 */
/*
 * channel.c - see channel.h.
 *
 * Any callback may close or free the channel that it was called for.  A reference is held across
 * every callback, and `fd < 0` means closed.  That a peer is gone is often noticed first when
 * sending fails.
 */
#include "run/store/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <glib-unix.h>

struct _UrbChannel
{
  int                  n_refs;
  int                  fd; /* -1: closed */
  gsize                max_line_bytes;
  const UrbChannelOps *ops;       /* borrowed */
  gpointer             user_data; /* borrowed */
  GString             *input;     /* owned; starts with an incomplete line */
  GString             *output;    /* owned */
  gsize                n_sent;    /* of output */
  gboolean             delivering; /* input must not be changed */
  gboolean             send_failed;       /* the peer receives nothing any more */
  GSource             *in_source;  /* owned, nullable */
  GSource             *out_source; /* owned, nullable; while output is pending */
};

static void
unref (UrbChannel *self)
{
  if (--self->n_refs > 0)
    return;
  g_string_free (self->input, TRUE);
  g_string_free (self->output, TRUE);
  g_free (self);
}

static void
drop_source (GSource **source)
{
  if (*source == NULL)
    return;
  g_source_destroy (*source);
  g_clear_pointer (source, g_source_unref);
}

void
urb_channel_close (UrbChannel *self)
{
  drop_source (&self->in_source);
  drop_source (&self->out_source);
  if (self->fd >= 0)
    close (self->fd);
  self->fd = -1;
}

void
urb_channel_free (UrbChannel *self)
{
  if (self == NULL)
    return;
  urb_channel_close (self);
  unref (self);
}

static void
end (UrbChannel *self, gboolean too_long)
{
  if (self->fd < 0)
    return;
  urb_channel_close (self);
  self->ops->closed (self, too_long, self->user_data);
}

/* ------------------------------------------------------------------------ */
/* Input                                                                     */

static void
deliver_lines (UrbChannel *self)
{
  gsize begin = 0;
  self->delivering = TRUE;
  while (self->fd >= 0)
    {
      char *line = self->input->str + begin;
      char *newline = memchr (line, '\n', self->input->len - begin);
      gsize length = newline != NULL ? (gsize) (newline - line) : self->input->len - begin;
      if (length > self->max_line_bytes)
        end (self, TRUE);
      if (newline == NULL || self->fd < 0)
        break;
      *newline = '\0';
      begin += length + 1;
      if (length > 0)
        self->ops->line (self, line, length, self->user_data);
    }
  self->delivering = FALSE;
  g_string_erase (self->input, 0, (gssize) begin);
}

/* Returns: whether there may be more input */
static gboolean
read_some (UrbChannel *self)
{
  char bytes[16384];
  gssize n = recv (self->fd, bytes, sizeof bytes, MSG_DONTWAIT);
  if (n < 0 && (errno == EINTR))
    return TRUE;
  if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
    return FALSE;
  if (n <= 0)
    {
      end (self, FALSE);
      return FALSE;
    }
  g_string_append_len (self->input, bytes, n);
  deliver_lines (self);
  return self->fd >= 0;
}

static gboolean
in_cb (int fd, GIOCondition condition, gpointer user_data)
{
  UrbChannel *self = user_data;
  self->n_refs++;
  read_some (self);
  unref (self);
  return G_SOURCE_CONTINUE; /* the source is destroyed if the channel was closed */
}

void
urb_channel_drain (UrbChannel *self)
{
  self->n_refs++;
  while (self->fd >= 0 && !self->delivering && read_some (self))
    ;
  unref (self);
}

/* ------------------------------------------------------------------------ */
/* Output                                                                    */

/* Returns: FALSE if the peer is gone */
static gboolean
write_some (UrbChannel *self)
{
  while (self->n_sent < self->output->len)
    {
      gssize n = send (self->fd, self->output->str + self->n_sent, self->output->len - self->n_sent,
                       MSG_DONTWAIT | MSG_NOSIGNAL);
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK;
      self->n_sent += (gsize) n;
    }
  g_string_truncate (self->output, 0);
  self->n_sent = 0;
  return TRUE;
}

/* The peer is gone or receives no more; what it sent before is still read. */
static void
stop_sending (UrbChannel *self)
{
  self->send_failed = TRUE;
  drop_source (&self->out_source);
  g_string_truncate (self->output, 0);
  self->n_sent = 0;
}

static gboolean
out_cb (int fd, GIOCondition condition, gpointer user_data)
{
  UrbChannel *self = user_data;
  self->n_refs++;
  if (!write_some (self))
    stop_sending (self);
  else if (urb_channel_get_pending (self) == 0)
    {
      drop_source (&self->out_source);
      if (self->ops->drained != NULL)
        self->ops->drained (self, self->user_data);
    }
  unref (self);
  return G_SOURCE_CONTINUE;
}

static GSource *
attach (UrbChannel *self, GIOCondition condition, GUnixFDSourceFunc callback)
{
  GSource *source = g_unix_fd_source_new (self->fd, condition);
  g_source_set_callback (source, G_SOURCE_FUNC (callback), self, NULL);
  g_source_attach (source, g_main_context_get_thread_default ());
  return source;
}

void
urb_channel_send (UrbChannel *self, const char *line)
{
  if (!urb_channel_can_send (self))
    return;
  /* Removes the sent part only when it is worth the copy. */
  if (self->n_sent > self->output->len / 2)
    {
      g_string_erase (self->output, 0, (gssize) self->n_sent);
      self->n_sent = 0;
    }
  g_string_append (self->output, line);
  g_string_append_c (self->output, '\n');
  if (self->out_source == NULL)
    self->out_source = attach (self, G_IO_OUT, out_cb);
}

gsize
urb_channel_get_pending (UrbChannel *self)
{
  return self->output->len - self->n_sent;
}

gboolean
urb_channel_can_send (UrbChannel *self)
{
  return self->fd >= 0 && !self->send_failed;
}

void
urb_channel_flush (UrbChannel *self, int timeout_ms)
{
  gint64 until = g_get_monotonic_time () + timeout_ms * (gint64) 1000;
  while (urb_channel_can_send (self))
    {
      struct pollfd wait = { .fd = self->fd, .events = POLLOUT };
      gint64 left_us = until - g_get_monotonic_time ();
      if (!write_some (self))
        stop_sending (self);
      if (left_us <= 0 || urb_channel_get_pending (self) == 0)
        return;
      poll (&wait, 1, (int) (left_us / 1000) + 1);
    }
}

UrbChannel *
urb_channel_new (int fd, gsize max_line_bytes, const UrbChannelOps *ops, gpointer user_data)
{
  UrbChannel *self = g_new0 (UrbChannel, 1);
  self->n_refs = 1;
  self->fd = fd;
  self->max_line_bytes = max_line_bytes;
  self->ops = ops;
  self->user_data = user_data;
  self->input = g_string_new (NULL);
  self->output = g_string_new (NULL);
  self->in_source = attach (self, G_IO_IN | G_IO_HUP | G_IO_ERR, in_cb);
  return self;
}
