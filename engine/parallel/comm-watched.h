/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comm-watched.h - a communicator that writes down on the status board what it
 * is asked to do, and passes it on to another one.
 */
#pragma once

#include "parallel/board.h"
#include "parallel/comm.h"

G_BEGIN_DECLS

/* What may go wrong on purpose, to see that it is noticed. */
typedef enum
{
  URB_COMM_FAULT_NONE,
  URB_COMM_FAULT_COUNT, /* one element fewer than the others */
  URB_COMM_FAULT_SKIP   /* leaves it out, and says that it was done */
} UrbCommFault;

/* @inner: taken
 * @board: borrowed; has an entry for this rank
 * @group: of the operations that can meet, the same on all ranks; a duplicate gets the next one
 *
 * Returns: as good as @inner */
UrbComm *urb_comm_new_watched (UrbComm *inner, UrbBoard *board, int group);

/* The next operation with all ranks and some elements goes wrong in that way.  Any thread.
 * @self: made by urb_comm_new_watched() */
void     urb_comm_watched_inject (UrbComm *self, UrbCommFault fault);

G_END_DECLS
