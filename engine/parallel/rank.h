/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank.h - the context of one rank: which one it is, and what connects it to the others.
 *
 * The same for every way to start a rank: as a thread (train/group.h), as a worker process of the
 * supervisor (`hogwild`), as a process that mpirun starts, or by itself (comm-tcp.h).
 */
#pragma once

#include "parallel/board.h"
#include "parallel/comm.h"
#include "parallel/shared-params.h"

G_BEGIN_DECLS

typedef struct
{
  int              rank, n_ranks;       /* n_ranks: the world size */
  int              local_rank, n_local; /* among the ranks that share a machine's memory and processors */
  int              n_on_device; /* ranks on this rank's device, itself included; only with a comm */
  UrbComm         *comm;   /* (nullable) borrowed; NULL: ranks that exchange no messages */
  UrbBoard        *board;  /* (nullable) borrowed; the status board */
  UrbSharedParams *shared; /* (nullable) borrowed; of asynchronous ranks (hogwild, streams) */
  /* (nullable) borrowed, until the trainer exists: the text of the preset, from a rank that can read
   * it; the options only name it. */
  const char      *preset_text;
  /* (nullable) borrowed, until the trainer exists: this rank's dataset; NULL: the one that the options name */
  const char      *dataset;
} UrbRank;

/* The only rank. */
#define URB_RANK_ALONE ((UrbRank) { .n_ranks = 1, .n_local = 1 })

/* The rank of @comm.  If @board (nullable) has an entry for it, that entry is reset and @comm, which
 * is taken, writes there what it does; otherwise the rank has no board. */
UrbRank urb_rank_from_comm (UrbComm *comm, UrbBoard *board);

/* Shows on the board, if there is one, what the rank does at @step. */
void    urb_rank_show (const UrbRank *self, UrbRankState state, gint64 step);

G_END_DECLS
