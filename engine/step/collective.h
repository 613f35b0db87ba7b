/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collective.h - what ranks do together: the description that an instruction
 * carries, and the door to whatever carries it out (engine/parallel/comm.h).
 *
 * Terms are MPI's.  Every rank calls the same collectives in the same order;
 * a rank is a process, or a thread of one.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  URB_COLLECTIVE_BARRIER,        /* nobody passes before all have come */
  URB_COLLECTIVE_BROADCAST,      /* root's `in` into everybody's `out`; count elements */
  URB_COLLECTIVE_SCATTER,        /* root's `in` (n_ranks, count): the r-th part into rank r's `out` */
  URB_COLLECTIVE_GATHER,         /* its reverse */
  URB_COLLECTIVE_ALL_GATHER,     /* everybody's `in` (count) into everybody's `out` (n_ranks, count) */
  URB_COLLECTIVE_REDUCE,         /* the sum of everybody's `in` (count) into root's `out` */
  URB_COLLECTIVE_ALL_REDUCE,     /* … into everybody's */
  URB_COLLECTIVE_REDUCE_SCATTER, /* `in` (n_ranks, count): the sum's r-th part into rank r's `out` */
  URB_COLLECTIVE_SEND,           /* `in` (count) to rank peer */
  URB_COLLECTIVE_RECV,           /* `out` (count) from rank peer */
  URB_N_COLLECTIVES
} UrbCollectiveKind;

typedef enum
{
  URB_ELEMENT_F32,
  URB_ELEMENT_F64,  /* of the reference backend */
  URB_ELEMENT_BF16, /* sums are rounded once, from fp32; by NCCL after each addition */
  URB_ELEMENT_U8,   /* bytes: moved, never summed */
  URB_N_ELEMENTS
} UrbElement;

typedef struct
{
  UrbCollectiveKind kind;
  UrbElement        element;
  gint64            count; /* elements of one rank's part: see each kind */
  int               peer;  /* the root, or the other rank; where there is none: 0 */
} UrbCollective;

/* "all-reduce" */
const char *urb_collective_get_name (UrbCollectiveKind kind);

/* A communicator, as the interpreter sees it.  run() blocks until the part of
 * this rank is done; @in may equal @out wherever MPI_IN_PLACE would do, that
 * is: the sums may be made in place. */
typedef struct
{
  gpointer self;
  int      rank, n_ranks;
  gboolean (*run)   (gpointer self, const UrbCollective *what, const void *in, void *out,
                     GError **error);
  /* (optional) Makes pending and later calls fail on every rank.  From any thread. */
  void     (*abort) (gpointer self, const char *why);
} UrbTransport;

G_END_DECLS
