/* SPDX-License-Identifier: Apache-2.0 */
/*
 * board.h - the status board: the position of every rank of a run, in shared memory.
 *
 * The supervisor creates it; the ranks of this machine map it through an inherited descriptor and
 * write what they do; when a run makes no progress, the supervisor reads it
 * (run/supervisor/doctor.h).  There are no locks: every field is one atomic word, and a slot of the
 * ring has a number that tells whether it was overwritten meanwhile.  A rank may die, or write
 * invalid values, at any moment; readers get values within their ranges.
 */
#pragma once

#include "step/collective.h"

G_BEGIN_DECLS

enum
{
  URB_BOARD_RING = 256,       /* collectives and messages of each rank that are kept */
  URB_BOARD_MAX_GROUPS = 32,  /* communicators of a rank */
  URB_BOARD_GROUP_BYTES = 16,
  URB_BOARD_MAX_RANKS = 4096,
  URB_BOARD_MAX_LABELS = 4096, /* instructions that have a name */
  URB_BOARD_HOST_BYTES = 64,
  URB_BOARD_LABEL_BYTES = 40
};

typedef struct _UrbBoard UrbBoard;

/* The state of a rank between its collectives. */
typedef enum
{
  URB_RANK_ABSENT,    /* not started, or ended */
  URB_RANK_STARTING,  /* opens the dataset, builds the program */
  URB_RANK_IDLE,      /* between two steps */
  URB_RANK_STEPPING,  /* runs the step program */
  URB_RANK_SAVING,    /* writes or reads a checkpoint */
  URB_RANK_SAMPLING,  /* draws a sample grid */
  URB_N_RANK_STATES
} UrbRankState;

typedef struct
{
  gint64        number;   /* counted per communicator, from 1; messages: per peer and direction */
  gint64        step;     /* in which it began; 0: between steps */
  int           group;    /* its communicator: an index of the rank's groups */
  UrbCollective what;
  gboolean      finished; /* FALSE: in progress */
} UrbBoardCollective;

/* A communicator of a rank.  Ranks are in one group if both fields are the same. */
typedef struct
{
  int  least;                       /* the lowest of its ranks */
  char name[URB_BOARD_GROUP_BYTES]; /* "data"; "": all ranks */
} UrbBoardGroup;

/* What a rank wrote, validated. */
typedef struct
{
  gint64       pid;       /* 0: absent */
  char         host[URB_BOARD_HOST_BYTES]; /* printable */
  UrbRankState state;
  gint64       step;        /* the current one, or the last */
  int          instruction; /* of the step program; -1: none */
  gint64       changed_us;  /* CLOCK_MONOTONIC of its machine, at the last change */
  gint64       memory_bytes;
  UrbBoardGroup groups[URB_BOARD_MAX_GROUPS];
  int          n_collectives;
  UrbBoardCollective collectives[URB_BOARD_RING]; /* oldest first */
} UrbBoardRank;

/* ------------------------------------------------------------------------ */
/* The board                                                                 */

/* A new one, empty.  Fails with a %G_FILE_ERROR. */
UrbBoard *urb_board_new  (int n_ranks, GError **error);
/* Maps another process's board; @fd stays the caller's.  Fails with a %G_FILE_ERROR if it is
 * none. */
UrbBoard *urb_board_open (int fd, GError **error);
void      urb_board_free (UrbBoard *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbBoard, urb_board_free)

int       urb_board_get_fd      (UrbBoard *self); /* to pass on; owned by the board */
int       urb_board_get_n_ranks (UrbBoard *self);

/* Callable for any rank at any time. */
void      urb_board_read (UrbBoard *self, int rank, UrbBoardRank *out);
/* Before @rank is started again. */
void      urb_board_clear_rank (UrbBoard *self, int rank);

/* The label of an instruction of @rank's program; programs of different ranks may differ.
 * Returns: (transfer full) (nullable): printable */
char     *urb_board_dup_label (UrbBoard *self, int rank, int instruction);

/* Whether the caller is the first: for faults that happen once in a run, even if its ranks are
 * restarted. */
gboolean  urb_board_claim_fault (UrbBoard *self);
gboolean  urb_board_has_fault   (UrbBoard *self); /* it was claimed */

/* ------------------------------------------------------------------------ */
/* What a rank writes about itself, from any of its threads. */

/* Resets the entry: this process is @rank from now on. */
void      urb_board_enter           (UrbBoard *self, int rank);
void      urb_board_set_state       (UrbBoard *self, int rank, UrbRankState state, gint64 step);
void      urb_board_set_instruction (UrbBoard *self, int rank, int instruction);
/* "d.3 conv-wgrad"; longer labels are cut. */
void      urb_board_set_label       (UrbBoard *self, int rank, int instruction, const char *label);
void      urb_board_set_memory      (UrbBoard *self, int rank, gint64 n_bytes);
/* Communicator @group has not all ranks, but those called @name of which @least is the lowest. */
void      urb_board_set_group       (UrbBoard *self, int rank, int group, const char *name, int least);

/* The last step passed to set_state(). */
gint64    urb_board_get_step        (UrbBoard *self, int rank);

/* A collective begins.
 * Returns: a ticket for its end */
guint64   urb_board_begin_collective (UrbBoard *self, int rank, int group, gint64 number,
                                      const UrbCollective *what);
void      urb_board_end_collective   (UrbBoard *self, int rank, guint64 ticket);

G_END_DECLS
