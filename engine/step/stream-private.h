/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream-private.h - the streams of an interpreter: to other ranks, and to a storage.
 *
 * Threads that run collectives concurrently with the computing thread.  Each is a lane, for collectives along the same
 * axes of the mesh, which run one by one in the order in which they were started: so all ranks of a group call
 * the same collectives in the same order.  A transport that has one lane runs all in that order, and a buffer may be
 * filled from a storage right after its contents were sent there.
 */
#pragma once

#include "step/collective.h"

G_BEGIN_DECLS

typedef struct _UrbStream UrbStream;

/* @transport: copied; what it points to must outlive the stream.
 * @name: of its threads; @n_requests: requests are numbered from 0. */
UrbStream *urb_stream_new  (const UrbTransport *transport, const char *name, guint n_requests);
/* Nothing may be pending: urb_stream_drain(). */
void       urb_stream_free (UrbStream *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbStream, urb_stream_free)

/* Queues a collective of the ranks along @axes.  @what must stay valid until it is done.  A request may be
 * reused once it was waited for. */
void       urb_stream_start (UrbStream *self, guint request, const UrbCollective *what, guint axes,
                             const void *in, void *out);

/* Blocks until a started request is done.  After the first failure nothing else runs, and
 * every wait fails with its error. */
gboolean   urb_stream_wait  (UrbStream *self, guint request, GError **error);

/* Blocks until all requests are done. */
gboolean   urb_stream_drain (UrbStream *self, GError **error);

/* Notifies the other ranks that this one gives up, so that pending collectives fail rather
 * than wait forever. */
void       urb_stream_abort (UrbStream *self, const char *why);

guint      urb_stream_get_n_lanes (UrbStream *self); /* 1 or more */

/* When a request last began and ended, microseconds of the monotonic clock. */
void       urb_stream_get_span (UrbStream *self, guint request, gint64 *begin_us, gint64 *end_us);

G_END_DECLS
