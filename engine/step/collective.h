/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collective.h - collectives: their description in an instruction, and the interface
 * to the communicator that runs them (engine/parallel/comm.h).
 *
 * Terms are MPI's.  Every rank calls the same collectives in the same order; a rank is
 * a process, or a thread of one.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  URB_COLLECTIVE_BARRIER,        /* no rank continues before all have arrived */
  URB_COLLECTIVE_BROADCAST,      /* root's `in` to every `out`; count elements */
  URB_COLLECTIVE_SCATTER,        /* root's `in` (n_ranks, count): part r to rank r's `out` */
  URB_COLLECTIVE_GATHER,         /* the reverse */
  URB_COLLECTIVE_ALL_GATHER,     /* every `in` (count) to every `out` (n_ranks, count) */
  URB_COLLECTIVE_REDUCE,         /* the sum of every `in` (count) to root's `out` */
  URB_COLLECTIVE_ALL_REDUCE,     /* … to every `out` */
  URB_COLLECTIVE_REDUCE_SCATTER, /* `in` (n_ranks, count): part r of the sum to rank r's `out` */
  URB_COLLECTIVE_SEND,           /* `in` (count) to rank peer */
  URB_COLLECTIVE_RECV,           /* `out` (count) from rank peer */
  URB_N_COLLECTIVES
} UrbCollectiveKind;

typedef enum
{
  URB_ELEMENT_F32,
  URB_ELEMENT_F64,  /* of the reference backend */
  URB_ELEMENT_BF16, /* sums are rounded once, from fp32; NCCL rounds after each addition */
  URB_ELEMENT_F16,  /* likewise */
  URB_ELEMENT_U8,   /* bytes: never summed */
  URB_N_ELEMENTS
} UrbElement;

typedef struct
{
  UrbCollectiveKind kind;
  UrbElement        element;
  gint64            count; /* elements of one rank's part: see each kind */
  int               peer;  /* the root or the other rank; else 0 */
} UrbCollective;

/* "all-reduce" */
const char *urb_collective_get_name (UrbCollectiveKind kind);
/* Whether it concerns two ranks only: send or receive. */
gboolean    urb_collective_is_message (UrbCollectiveKind kind);
/* "float", "floats": of @count elements */
const char *urb_element_get_name (UrbElement element, gint64 count);
gsize       urb_element_get_size (UrbElement element); /* bytes */

/* A communicator, as the interpreter sees it.  run() blocks until this rank's part is
 * done; @in may equal @out wherever MPI_IN_PLACE would do, that is, sums may be computed
 * in place.  @axes: see UrbInstruction. */
typedef struct
{
  gpointer self;
  int      rank, n_ranks;
  guint    n_lanes; /* more than 1: run() may be called at once for different @axes, all below n_lanes; else only for one
                     * at a time */
  gboolean (*run)   (gpointer self, const UrbCollective *what, guint axes, const void *in, void *out,
                     GError **error);
  /* (optional) Makes pending and later calls fail on every rank.  Callable from any thread. */
  void     (*abort) (gpointer self, const char *why);
} UrbTransport;

/* The lane of collectives along @axes, of a transport with so many. */
static inline guint
urb_lane_of (guint n_lanes, guint axes)
{
  return n_lanes > 1 ? axes : 0;
}

G_END_DECLS
