/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comm-watched.h - a communicator that writes down on the status board what it
 * is asked to do, and passes it on to another one, or does wrong what shall go
 * wrong on purpose (fault.h).
 */
#pragma once

#include "parallel/board.h"
#include "parallel/comm.h"
#include "parallel/fault.h"

G_BEGIN_DECLS

/* @inner: taken
 * @board: borrowed; has an entry for this rank
 * @group: of the operations that can meet, the same on all ranks; a duplicate gets the next one
 *
 * Returns: as good as @inner */
UrbComm *urb_comm_new_watched (UrbComm *inner, UrbBoard *board, int group);

/* The next operation with all ranks and some elements goes wrong: %URB_FAULT_COUNT or
 * %URB_FAULT_SKIP.  Any thread.
 * @self: made by urb_comm_new_watched() */
void     urb_comm_watched_inject (UrbComm *self, UrbFault fault);

G_END_DECLS
