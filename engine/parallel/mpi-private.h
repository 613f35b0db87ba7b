/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpi-private.h - the parts of the MPI communicator: the world that all of them share
 * (mpi-world.c), the messages of one operation (mpi-operation.c), and the communicator itself
 * (comm-mpi.c).
 */
#pragma once

/* Open MPI 4's header would include C++ bindings. */
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include "parallel/comm-private.h"

G_BEGIN_DECLS

/* ------------------------------------------------------------------------ */
/* The world: call everything except the first three with the lock */

/* Initializes MPI, once. */
gboolean urb_mpi_world_start (GError **error);
/* MPI runs with MPI_THREAD_SERIALIZED: one thread of a process calls it at a time. */
void     urb_mpi_lock        (void);
void     urb_mpi_unlock      (void);

/* FALSE, with the reason, after a rank gave up or MPI failed. */
gboolean urb_mpi_check       (GError **error);
/* Takes @failure, the first of which stays, and informs all ranks. */
void     urb_mpi_fail        (GError *failure);
/* Receives other ranks' failures. */
void     urb_mpi_listen      (void);
/* A %URB_COMM_ERROR_TRANSPORT with MPI's message. */
GError  *urb_mpi_new_error   (int code, const char *doing);
/* How long, on the monotonic clock in microseconds, messages of a failed world are waited for. */
gint64   urb_mpi_get_drain_end (void);
/* Some messages were abandoned: MPI must not be called any more, since it might write into freed
 * buffers. */
void     urb_mpi_taint       (void);

/* Called by the world at process exit, until it returns TRUE. */
typedef gboolean (*UrbMpiFarewell) (gpointer comm);
/* Registers @comm until the process ends. */
void     urb_mpi_add         (gpointer comm, UrbMpiFarewell farewell);
/* One of them was freed, except for what its farewell needs. */
void     urb_mpi_part        (void);

/* Rests after @n_idle unsuccessful polls; without the lock. */
void     urb_mpi_rest        (guint n_idle);

/* ------------------------------------------------------------------------ */
/* Operations                                                                */

enum
{
  URB_MPI_TAG_COLLECTIVE, /* announcements */
  URB_MPI_TAG_MESSAGE,    /* messages */
  URB_MPI_TAG_LEFT,       /* a rank has left */
  URB_MPI_TAG_DATA,       /* from here on the numbers of collectives … */
  URB_MPI_TAG_DATA_PAIR = 10000, /* … and of messages */
  URB_MPI_N_TAGS = 8192   /* of each; far more than can be under way, and below MPI's guaranteed
                           * limit */
};

typedef struct
{
  MPI_Request handle;
  gboolean    receives;
  int         what_of; /* the rank whose description this is; -1: data */
} UrbMpiPending;

/* Memory of an operation, reused by later ones. */
typedef struct
{
  UrbMpiPending *pending; /* owned; (6 n_ranks) */
  int            n_pending;
  /* Descriptions are sent before the data; all ranks have the same byte order. */
  UrbCollective  what;    /* this rank's */
  UrbCollective *whats;   /* owned; (n_ranks), of the other ranks */
  char          *scratch; /* owned */
  gsize          scratch_bytes;
} UrbMpiWork;

typedef enum
{
  URB_MPI_STAGE_DESCRIPTIONS, /* only descriptions are under way */
  URB_MPI_STAGE_INPUTS,
  URB_MPI_STAGE_RESULTS,
  URB_MPI_STAGE_DONE
} UrbMpiStage;

typedef struct
{
  UrbRequest  base;
  UrbMpiWork *work;   /* borrowed from the communicator */
  gint64      number; /* of the collective, or of the message between the two */
  int         tag;    /* of its data */
  gint64      begin, end; /* the elements of each part in the current segment */
  UrbMpiStage stage;
} UrbMpiRequest;

typedef struct
{
  MPI_Comm comm; /* of all processes */
  int      rank, n_ranks;
  UrbRoster roster; /* owned; numbers are ranks of @comm */
} UrbMpiPlace;

/* Starts the first messages. */
gboolean urb_mpi_request_start    (UrbMpiRequest *self, const UrbMpiPlace *place, GError **error);
/* Advances as far as possible now. @moved: (inout): set to TRUE on progress. */
gboolean urb_mpi_request_progress (UrbMpiRequest *self, const UrbMpiPlace *place, gboolean *moved,
                                   GError **error);
/* After a failure: cancels what can be cancelled, and waits for the rest, for a second in total. */
void     urb_mpi_request_drain    (UrbMpiRequest *self);

G_END_DECLS
