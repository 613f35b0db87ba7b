/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comm.h - communicators: ranks that talk, however they are connected.
 *
 * One table of operations (step/collective.h) over interchangeable
 * transports: `self` (one rank), `threads` (of one process), `mpi`, `nccl`.
 * Sums have a fixed order that does not depend on timing, so that a run can be
 * repeated bit for bit on the same ranks; that of `nccl` is its own.
 *
 * A communicator belongs to one rank and is used by one thread at a time.  All
 * ranks start the same operations in the same order; they may wait for them in
 * any.  What was started moves on while any of its ranks waits for something:
 * there is no thread behind it, so that who wants communication beside
 * computation lends it a thread that waits.
 *
 * No wait is for ever: when any rank aborts, or is seen to do another operation
 * than the others, or frees its communicator while others wait for it, every
 * rank's pending and later call fails with a %URB_COMM_ERROR, also on the
 * communicators that were dup'ed from one another: they stand for the same ranks.
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
  URB_COMM_ERROR_MISMATCH,    /* ranks met in different operations, or with different counts */
  URB_COMM_ERROR_TRANSPORT,   /* MPI or NCCL failed */
  URB_COMM_ERROR_UNAVAILABLE, /* not built in, or not started as it must be */
  URB_COMM_ERROR_INVALID      /* nothing that any rank could do; other ranks know nothing of it */
} UrbCommError;

typedef struct _UrbComm    UrbComm;
typedef struct _UrbRequest UrbRequest;

/* One rank, everything is a copy. */
UrbComm *urb_comm_new_self (void);

/* @comms: (out caller-allocates) (array length=n_ranks): one for each thread; the group goes with
 * the last of them. */
void     urb_comm_new_threads (int n_ranks, UrbComm **comms);

/* The world that mpirun (or srun) started this process in.  Initialises MPI at
 * the first call.  Waiting yields the processor, so that more ranks than cores
 * work.  %URB_COMM_ERROR_UNAVAILABLE where it is not built in. */
UrbComm *urb_comm_new_mpi (GError **error);
gboolean urb_comm_has_mpi (void);

/* One GPU a rank; buffers are its memory.  @meet: a communicator of the same ranks on the host, over
 * which they agree on where to meet.  @backend: borrowed, outlives it.  All ranks must get here;
 * %URB_COMM_ERROR_UNAVAILABLE, on all of them, where one has no GPU of its own or no NCCL: then @meet
 * is as it was. */
UrbComm *urb_comm_new_nccl (UrbComm *meet, UkBackend *backend, GError **error);

void     urb_comm_free (UrbComm *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbComm, urb_comm_free)

const char *urb_comm_get_name   (UrbComm *self); /* "threads" (static) */
int         urb_comm_get_rank   (UrbComm *self);
int         urb_comm_get_n_ranks (UrbComm *self);

/* Another communicator of the same ranks whose operations do not meet this
 * one's: for another thread of each rank.  Collective; all ranks must get there. */
UrbComm    *urb_comm_dup (UrbComm *self, GError **error);

/* Blocks until this rank's part is done.  @in, @out: see step/collective.h; NULL where this
 * rank has none. */
gboolean    urb_comm_run (UrbComm *self, const UrbCollective *what, const void *in, void *out,
                          GError **error);

/* Begins it.  Buffers must stay until it was waited for.  At most 64 under way. */
UrbRequest *urb_comm_start (UrbComm *self, const UrbCollective *what, const void *in, void *out,
                            GError **error);
/* Takes @request. */
gboolean    urb_comm_wait  (UrbComm *self, UrbRequest *request, GError **error);

/* Tells all ranks that this one gives up, with a sentence for the person at the screen.  The
 * first reason stays.  Safe from any thread. */
void        urb_comm_abort (UrbComm *self, const char *why);

/* As the interpreter wants it; borrows @self. */
UrbTransport urb_comm_get_transport (UrbComm *self);

G_END_DECLS
