/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpi-private.h - the parts of the MPI communicator: the world that all of
 * them share (mpi-world.c), the messages of one operation (mpi-operation.c),
 * and the communicator itself (comm-mpi.c).
 */
#pragma once

/* C++ bindings are of no use to C, and Open MPI 4's header wants them. */
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include "parallel/comm-private.h"

G_BEGIN_DECLS

/* ------------------------------------------------------------------------ */
/* The world: everything here is called with the lock held but for the first three */

/* Initialises MPI, once. */
gboolean urb_mpi_world_start (GError **error);
/* MPI is asked for MPI_THREAD_SERIALIZED: one thread of a process calls it at a time. */
void     urb_mpi_lock        (void);
void     urb_mpi_unlock      (void);

/* FALSE, with the reason, once a rank gave up or MPI failed. */
gboolean urb_mpi_check       (GError **error);
/* Takes @failure, the first of which stays, and tells all ranks. */
void     urb_mpi_fail        (GError *failure);
/* Hears what other ranks have told. */
void     urb_mpi_listen      (void);
/* A %URB_COMM_ERROR_TRANSPORT with MPI's own words. */
GError  *urb_mpi_new_error   (int code, const char *doing);
/* Until when, in microseconds of the monotonic clock, messages of a failed world are waited for. */
gint64   urb_mpi_get_drain_end (void);
/* Some messages were left in the middle: MPI must not be called any more, lest it writes into
 * buffers that are gone. */
void     urb_mpi_taint       (void);

/* Called by the world at the exit of the process, until it returns TRUE. */
typedef gboolean (*UrbMpiFarewell) (gpointer comm);
/* @comm was made; it is the world's until the process ends. */
void     urb_mpi_add         (gpointer comm, UrbMpiFarewell farewell);
/* @comm was freed, but for what urb_mpi_add()'s farewell needs. */
void     urb_mpi_part        (gpointer comm);

/* A moment's rest in a loop that has found nothing to do @n_idle times; without the lock. */
void     urb_mpi_rest        (guint n_idle);

/* ------------------------------------------------------------------------ */
/* Operations                                                                */

enum
{
  URB_MPI_TAG_COLLECTIVE, /* what a rank does */
  URB_MPI_TAG_MESSAGE,    /* what it sends */
  URB_MPI_TAG_LEFT,       /* that it has left */
  URB_MPI_TAG_DATA,       /* from here on the numbers of collectives … */
  URB_MPI_TAG_DATA_PAIR = 10000, /* … and of messages */
  URB_MPI_N_TAGS = 8192   /* of each; far more than can be under way, and below MPI's least limit */
};

/* On the wire, before the data.  All ranks have the same byte order. */
typedef struct
{
  gint64 kind, element, count, peer;
} UrbMpiHeader;

typedef struct
{
  MPI_Request handle;
  gboolean    receives;
  int         header_of; /* the rank whose header this is; -1: none */
} UrbMpiPending;

/* Memory of an operation, used again by later ones. */
typedef struct
{
  gboolean       in_use;
  UrbMpiPending *pending; /* owned; (6 n_ranks) */
  int            n_pending;
  UrbMpiHeader   header;
  UrbMpiHeader  *headers; /* owned; (n_ranks) of the others */
  char          *scratch; /* owned */
  gsize          scratch_bytes;
} UrbMpiWork;

typedef enum
{
  URB_MPI_STAGE_HEADERS, /* nothing else is under way */
  URB_MPI_STAGE_INPUTS,
  URB_MPI_STAGE_RESULTS,
  URB_MPI_STAGE_DONE
} UrbMpiStage;

typedef struct
{
  UrbRequest  base;
  UrbMpiWork *work;   /* borrowed from the communicator */
  gint64      number; /* of collectives, or of messages between the two */
  int         tag;    /* of its data */
  gint64      begin, end; /* the elements of each part that travel now */
  UrbMpiStage stage;
} UrbMpiRequest;

typedef struct
{
  MPI_Comm comm;
  int      rank, n_ranks;
} UrbMpiPlace;

/* Posts the first messages. */
gboolean urb_mpi_request_start    (UrbMpiRequest *self, const UrbMpiPlace *place, GError **error);
/* Does what can be done now. @moved: (inout): set if anything was. */
gboolean urb_mpi_request_progress (UrbMpiRequest *self, const UrbMpiPlace *place, gboolean *moved,
                                   GError **error);
/* After a failure: takes back what can be taken back, and waits for the rest, all requests
 * together for a second. */
void     urb_mpi_request_drain    (UrbMpiRequest *self);

G_END_DECLS
