/* SPDX-License-Identifier: Apache-2.0 */
/*
 * board.h - the status board: where every rank of a run is, in shared memory.
 *
 * The supervisor makes it, the ranks of this machine map it through the
 * inherited descriptor and write down what they do; when a run stands still,
 * the supervisor reads who is where (run/supervisor/doctor.h).  Nobody ever waits for
 * anybody: every field is one atomic word, and a slot of the ring tells by its
 * number whether it was overwritten meanwhile.  A rank may die, or write
 * nonsense, at any moment; whoever reads gets values in their ranges.
 */
#pragma once

#include "step/collective.h"

G_BEGIN_DECLS

enum
{
  URB_BOARD_RING = 64,        /* collectives of each rank that are remembered */
  URB_BOARD_MAX_RANKS = 4096,
  URB_BOARD_MAX_LABELS = 4096, /* instructions that have a name */
  URB_BOARD_HOST_BYTES = 64,
  URB_BOARD_LABEL_BYTES = 40
};

typedef struct _UrbBoard UrbBoard;

/* What a rank does between its collectives. */
typedef enum
{
  URB_RANK_ABSENT,    /* nobody has written yet, or it has ended */
  URB_RANK_STARTING,  /* opens the dataset, builds the program */
  URB_RANK_IDLE,      /* between two steps */
  URB_RANK_STEPPING,  /* runs the step program */
  URB_RANK_SAVING,    /* writes or reads a checkpoint */
  URB_RANK_SAMPLING,  /* draws a wall */
  URB_N_RANK_STATES
} UrbRankState;

typedef struct
{
  gint64        number;   /* of its communicator's collectives, from 1 */
  int           group;    /* which communicator: its operations do not meet another group's */
  UrbCollective what;
  gboolean      finished; /* FALSE: under way */
} UrbBoardCollective;

/* What a rank wrote, checked. */
typedef struct
{
  gint64       pid;       /* 0: absent */
  char         host[URB_BOARD_HOST_BYTES]; /* printable */
  UrbRankState state;
  gint64       step;        /* the one under way, or the last */
  int          instruction; /* of the step program; -1: none */
  gint64       changed_us;  /* CLOCK_MONOTONIC of its machine; when anything here changed last */
  gint64       memory_bytes;
  int          n_collectives;
  UrbBoardCollective collectives[URB_BOARD_RING]; /* oldest first */
} UrbBoardRank;

/* ------------------------------------------------------------------------ */
/* The board                                                                 */

/* A new one, empty.  Fails with a %G_FILE_ERROR. */
UrbBoard *urb_board_new  (int n_ranks, GError **error);
/* Maps another process's; @fd stays the caller's.  Fails with a %G_FILE_ERROR if it is no board. */
UrbBoard *urb_board_open (int fd, GError **error);
void      urb_board_free (UrbBoard *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbBoard, urb_board_free)

int       urb_board_get_fd      (UrbBoard *self); /* to pass on; stays the board's */
int       urb_board_get_n_ranks (UrbBoard *self);

/* Any rank, at any time: what @rank wrote last. */
void      urb_board_read (UrbBoard *self, int rank, UrbBoardRank *out);
/* Wipes what @rank wrote: before it is started again. */
void      urb_board_clear_rank (UrbBoard *self, int rank);

/* The name of an instruction of @rank's program, which may be another than that of its neighbour.
 * Returns: (transfer full) (nullable): printable; NULL: has none */
char     *urb_board_dup_label (UrbBoard *self, int rank, int instruction);

/* Whether the caller is the first to ask: what shall happen once in a run,
 * however often its ranks are started again. */
gboolean  urb_board_claim_fault (UrbBoard *self);
gboolean  urb_board_has_fault   (UrbBoard *self); /* somebody asked */

/* ------------------------------------------------------------------------ */
/* What a rank writes about itself.  Any of its threads.                     */

/* This process is @rank from now on. */
void      urb_board_enter           (UrbBoard *self, int rank);
void      urb_board_set_state       (UrbBoard *self, int rank, UrbRankState state, gint64 step);
void      urb_board_set_instruction (UrbBoard *self, int rank, int instruction);
/* "d.3 conv-wgrad"; what lies beyond the limits is cut. */
void      urb_board_set_label       (UrbBoard *self, int rank, int instruction, const char *label);
void      urb_board_set_memory      (UrbBoard *self, int rank, gint64 n_bytes);

/* What set_state() said last. */
gint64    urb_board_get_step        (UrbBoard *self, int rank);

/* A collective begins.
 * Returns: a ticket for its end */
guint64   urb_board_begin_collective (UrbBoard *self, int rank, int group, gint64 number,
                                      const UrbCollective *what);
void      urb_board_end_collective   (UrbBoard *self, int rank, guint64 ticket);

G_END_DECLS
