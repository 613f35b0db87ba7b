/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comm.h - communicators: exchange between ranks, however they are connected.
 *
 * One table of operations (step/collective.h) over interchangeable transports: `threads` (of one
 * process; also a single rank), `mpi`, `nccl`.  Sums have a fixed order that does not depend on
 * timing, so that a run is reproducible bit for bit on the same ranks; the order of `nccl` is its
 * own.
 *
 * A communicator belongs to one rank and is used by one thread at a time.  All ranks start the same
 * operations in the same order, and may wait for them in any order.  Operations advance while any
 * of their ranks waits for something: there is no background thread, so overlapping communication
 * with computation needs a thread that waits.
 *
 * No wait lasts forever: when a rank aborts, starts another operation than the others, or frees its
 * communicator while others wait for it, pending and later calls of all ranks fail with a
 * %URB_COMM_ERROR, also on communicators that were duplicated from one another.
 */
#pragma once

#include "kernels/uk.h"
#include "step/collective.h"

G_BEGIN_DECLS

#define URB_COMM_ERROR (urb_comm_error_quark ())
GQuark urb_comm_error_quark (void);

typedef enum
{
  URB_COMM_ERROR_ABORTED,     /* another rank gave up; the message says which and why */
  URB_COMM_ERROR_MISMATCH,    /* ranks started different operations, or different counts */
  URB_COMM_ERROR_TRANSPORT,   /* MPI or NCCL failed */
  URB_COMM_ERROR_UNAVAILABLE, /* not built in, or not started as required */
  URB_COMM_ERROR_INVALID      /* wrong arguments; other ranks are not affected */
} UrbCommError;

typedef struct _UrbComm    UrbComm;
typedef struct _UrbRequest UrbRequest;

/* @comms: (out caller-allocates) (array length=n_ranks): one per thread; the last one frees the
 * group. */
void     urb_comm_new_threads (int n_ranks, UrbComm **comms);

/* The world in which mpirun (or srun) started this process.  Initializes MPI at the first call.
 * Waiting yields the processor, so that more ranks than cores work.  %URB_COMM_ERROR_UNAVAILABLE in
 * builds without MPI. */
UrbComm *urb_comm_new_mpi (GError **error);
gboolean urb_comm_has_mpi (void);

/* Ranks with a GPU each; buffers are in its memory.  @meet: a communicator of the same ranks on the
 * host, which they use to meet.  @backend: borrowed, outlives it.  Collective;
 * %URB_COMM_ERROR_UNAVAILABLE on all ranks if one has no GPU of its own or no NCCL: @meet is then
 * unchanged. */
UrbComm *urb_comm_new_nccl (UrbComm *meet, UkBackend *backend, GError **error);

void     urb_comm_free (UrbComm *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbComm, urb_comm_free)

const char *urb_comm_get_name   (UrbComm *self); /* "threads" (static) */
int         urb_comm_get_rank   (UrbComm *self);
int         urb_comm_get_n_ranks (UrbComm *self);

/* A communicator of the same ranks with separate operations, for another thread of each rank.
 * Collective. */
UrbComm    *urb_comm_dup (UrbComm *self, GError **error);

/**
 * urb_comm_split:
 * @name: what its groups are called in messages, at most 15 bytes, as in "data"
 * @color: ranks of one color are a group
 * @key: orders the ranks of a group; among equal ones, their order here
 *
 * A communicator of this rank's group, with separate operations.  A failure is one of all ranks of the first
 * communicator, by which messages number them, too.  Collective.
 */
UrbComm    *urb_comm_split (UrbComm *self, const char *name, int color, int key, GError **error);

/* Blocks until this rank's part is done.  @in, @out: see step/collective.h; NULL where this
 * rank has none. */
gboolean    urb_comm_run (UrbComm *self, const UrbCollective *what, const void *in, void *out,
                          GError **error);

/* Starts it.  The buffers must stay valid until urb_comm_wait().  At most 64 at a time. */
UrbRequest *urb_comm_start (UrbComm *self, const UrbCollective *what, const void *in, void *out,
                            GError **error);
/* Takes @request. */
gboolean    urb_comm_wait  (UrbComm *self, UrbRequest *request, GError **error);

/* Tells all ranks that this one gives up, with a sentence for the user.  The first reason stays.
 * Safe from any thread. */
void        urb_comm_abort (UrbComm *self, const char *why);

/* For the interpreter; borrows @self. */
UrbTransport urb_comm_get_transport (UrbComm *self);

G_END_DECLS
