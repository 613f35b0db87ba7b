/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker-link.h - the worker's end of the socket to its supervisor.
 *
 * A thread of its own reads orders and says every second what the worker is
 * doing, so that a step may take as long as it likes.
 */
#pragma once

#include "run/store/json-line.h"

G_BEGIN_DECLS

typedef struct _UrbWorkerLink UrbWorkerLink;

typedef enum
{
  URB_ORDER_CHECKPOINT = 1 << 0,
  URB_ORDER_SAMPLE     = 1 << 1,
  URB_ORDER_PAUSE      = 1 << 2,
  URB_ORDER_STOP       = 1 << 3
} UrbOrders;

UrbWorkerLink *urb_worker_link_new  (int fd);
void           urb_worker_link_free (UrbWorkerLink *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbWorkerLink, urb_worker_link_free)

/* Waits for the order to start. (transfer full) */
JsonObject    *urb_worker_link_wait_for_start (UrbWorkerLink *self);
/* The orders that came since the last call. */
UrbOrders      urb_worker_link_take_orders (UrbWorkerLink *self);
/* @doing: (static): a word for what begins now, for heartbeats */
void           urb_worker_link_set_doing (UrbWorkerLink *self, const char *doing, gint64 step);
/* Takes @line.  Blocks while the supervisor is slow. */
void           urb_worker_link_send (UrbWorkerLink *self, char *line);
void           urb_worker_link_send_error (UrbWorkerLink *self, const GError *error);
/* Blocks until the supervisor has recorded all that was sent before. */
void           urb_worker_link_sync (UrbWorkerLink *self);

/* Resident memory of this process; 0 if it cannot be known. */
gint64         urb_worker_link_read_memory_bytes (void);

G_END_DECLS
