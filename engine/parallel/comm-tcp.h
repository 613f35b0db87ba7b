/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comm-tcp.h - ranks that are processes, each started by itself, connected by TCP.
 *
 * Rank 0 listens at one address and is the hub: it has a thread for each communicator of each other rank, which
 * does there what the rank asks for, in a communicator of threads.  So sums, errors and deadlocks are those of
 * threads, to the bit, and ranks need to reach rank 0 only.  The price: all data pass through rank 0, which
 * has a copy of what is under way.
 *
 * Whoever knows the token (tcp-token.h) can join; without one, whoever reaches the address.
 */
#pragma once

#include <gio/gio.h>

#include "parallel/comm.h"
#include "settings/mesh.h"
#include "step/program.h"

G_BEGIN_DECLS

/* How long ranks wait for each other: schedulers do not start them at once. */
enum { URB_TCP_PATIENCE_S = 300 };

/* How a rank waits for the others. */
typedef struct
{
  int      seconds;
  void   (*tell) (const char *text, gpointer user_data); /* (nullable): called once if it takes a while */
  gpointer user_data;
} UrbTcpPatience;

typedef struct _UrbTcpHub UrbTcpHub;

/* "10.0.0.1:29500", "[::1]:29500", "node7:29500".  Fails with %URB_COMM_ERROR_INVALID. */
gboolean   urb_tcp_check_address (const char *address, GError **error);

/**
 * urb_tcp_hub_new:
 * @address: where to listen, and nowhere else
 * @token: the secret of all ranks; "": none
 * @stop: (nullable): ends the wait with %G_IO_ERROR_CANCELLED, of which ranks that have come are told
 * @comm: (out): of rank 0
 *
 * Returns: %NULL with %URB_COMM_ERROR_UNAVAILABLE if ranks are missing or the address cannot be used
 */
UrbTcpHub *urb_tcp_hub_new  (const char *address, int n_ranks, const char *token, const UrbTcpPatience *patience,
                             GCancellable *stop, UrbComm **comm, GError **error);
/* After @comm was freed.  Waits a few seconds for the other ranks to leave. */
void       urb_tcp_hub_free (UrbTcpHub *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbTcpHub, urb_tcp_hub_free)

/* Another rank than 0.  Fails with %URB_COMM_ERROR_UNAVAILABLE, also if rank 0 refuses it. */
UrbComm   *urb_comm_new_tcp (const char *address, int rank, int n_ranks, const char *token,
                             const UrbTcpPatience *patience, GError **error);

/**
 * urb_tcp_count_served:
 * @program: of @rank, which is not rank 0
 *
 * A stream runs a program's collectives one after the other, so the hub keeps the data of one at a time for each
 * communicator, in memory that grows to the largest.
 *
 * Returns: bytes that rank 0 needs, beside its own program's, to serve @rank in the steps
 */
gint64     urb_tcp_count_served (const UrbProgram *program, const UrbMesh *mesh, int rank);

G_END_DECLS
