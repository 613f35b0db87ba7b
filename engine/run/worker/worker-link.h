/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker-link.h - the worker's end of the socket to its supervisor.
 *
 * A thread reads orders and sends a heartbeat every second, however long a step takes.
 */
#pragma once

#include <gio/gio.h>

#include "run/store/json-line.h"

G_BEGIN_DECLS

typedef struct _UrbWorkerLink UrbWorkerLink;

typedef enum
{
  URB_ORDER_CHECKPOINT = 1 << 0,
  URB_ORDER_SAMPLE     = 1 << 1,
  URB_ORDER_PAUSE      = 1 << 2,
  URB_ORDER_STOP       = 1 << 3,
  URB_ORDER_TRACE      = 1 << 4
} UrbOrders;

UrbWorkerLink *urb_worker_link_new  (int fd);
void           urb_worker_link_free (UrbWorkerLink *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbWorkerLink, urb_worker_link_free)

/* Waits for the order to start. (transfer full) */
JsonObject    *urb_worker_link_wait_for_start (UrbWorkerLink *self);
/* Returns the orders since the last call, and clears them. */
UrbOrders      urb_worker_link_take_orders (UrbWorkerLink *self);
/* Cancelled by an order to pause or to stop. */
GCancellable  *urb_worker_link_get_end     (UrbWorkerLink *self);
/* @doing: (static): one word for what begins now, for heartbeats */
void           urb_worker_link_set_doing (UrbWorkerLink *self, const char *doing, gint64 step);
/* Takes @line.  Blocks while the supervisor is slow. */
void           urb_worker_link_send (UrbWorkerLink *self, char *line);
void           urb_worker_link_send_error (UrbWorkerLink *self, const GError *error);
/* Blocks until the supervisor has recorded everything sent before. */
void           urb_worker_link_sync (UrbWorkerLink *self);

/* Resident memory of this process; 0 if unknown. */
gint64         urb_worker_link_read_memory_bytes (void);

G_END_DECLS
