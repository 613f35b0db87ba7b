/* SPDX-License-Identifier: Apache-2.0 */
/*
 * channel.h - lines over a stream socket, on the main loop, never blocking.
 *
 * The supervisor uses channels to its worker and to its clients.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _UrbChannel UrbChannel;

typedef struct
{
  /* (required) A line without its newline, null-terminated. */
  void (*line)   (UrbChannel *channel, const char *line, gsize length, gpointer user_data);
  /* (required) The peer is gone and all its lines were delivered, or a line was too long
   * (@too_long).  Called once, as the last callback. */
  void (*closed) (UrbChannel *channel, gboolean too_long, gpointer user_data);
  /* (optional) The kernel has taken all output. */
  void (*drained) (UrbChannel *channel, gpointer user_data);
} UrbChannelOps;

/* Takes @fd.  Sources are attached to the thread's default main context. */
UrbChannel *
urb_channel_new (int fd, gsize max_line_bytes, const UrbChannelOps *ops, gpointer user_data);
/* Closes without calling closed; safe in a callback. */
void        urb_channel_close (UrbChannel *self);
/* Closes, and frees once no callback runs. */
void        urb_channel_free  (UrbChannel *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbChannel, urb_channel_free)

/* Queues @line and a newline; dropped if the peer receives no more.  The caller limits the queue
 * with urb_channel_get_pending(). */
void        urb_channel_send  (UrbChannel *self, const char *line);
gsize       urb_channel_get_pending (UrbChannel *self); /* bytes */
/* Whether the peer still receives, as far as known. */
gboolean    urb_channel_can_send (UrbChannel *self);
/* Reads what has arrived already. */
void        urb_channel_drain (UrbChannel *self);
/* Sends pending output for at most @timeout_ms; blocks. */
void        urb_channel_flush (UrbChannel *self, int timeout_ms);

G_END_DECLS
