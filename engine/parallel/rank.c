/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank.c - see rank.h.
 */
#include "parallel/rank.h"

#include "parallel/comm-watched.h"

UrbRank
urb_rank_from_comm (UrbComm *comm, UrbBoard *board)
{
  UrbRank self = { .rank = urb_comm_get_rank (comm), .n_ranks = urb_comm_get_n_ranks (comm),
                   .n_local = 1, .comm = comm };

  if (board != NULL && self.rank < urb_board_get_n_ranks (board))
    {
      urb_board_enter (board, self.rank);
      self.board = board;
      self.comm = urb_comm_new_watched (comm, board, 0);
    }
  return self;
}

void
urb_rank_show (const UrbRank *self, UrbRankState state, gint64 step)
{
  if (self->board != NULL)
    urb_board_set_state (self->board, self->rank, state, step);
}
