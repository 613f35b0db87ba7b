/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream-private.h - the communication stream of an interpreter.
 *
 * A thread that runs collectives one after the other, in the order in which
 * they were started, beside the thread that computes.  One order for all of
 * them is what makes every rank call the same collectives in the same order.
 */
#pragma once

#include "step/collective.h"

G_BEGIN_DECLS

typedef struct _UrbStream UrbStream;

/* @transport: copied; what it points to must outlive the stream.
 * @n_requests: requests are numbered from 0. */
UrbStream *urb_stream_new  (const UrbTransport *transport, guint n_requests);
/* Nothing may be under way: urb_stream_drain(). */
void       urb_stream_free (UrbStream *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbStream, urb_stream_free)

/* Puts a collective behind those that were started before.  @what must stay
 * until it is done.  A request may be used again once it was waited for. */
void       urb_stream_start (UrbStream *self, guint request, const UrbCollective *what,
                             const void *in, void *out);

/* Blocks until a request that was started is done.  After the first failure
 * nothing else is run, and every wait fails with its error. */
gboolean   urb_stream_wait  (UrbStream *self, guint request, GError **error);

/* Blocks until all is done. */
gboolean   urb_stream_drain (UrbStream *self, GError **error);

/* Tells the other ranks that this one gives up, so that what is under way
 * fails rather than waits for ever. */
void       urb_stream_abort (UrbStream *self, const char *why);

/* When a request began and ended last, microseconds of the monotonic clock. */
void       urb_stream_get_span (UrbStream *self, guint request, gint64 *begin_us, gint64 *end_us);

G_END_DECLS
