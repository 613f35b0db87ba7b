/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comm-watched.h - a communicator that records its operations on the status board and passes them
 * on to another one; it also injects faults (fault.h).
 */
#pragma once

#include "parallel/board.h"
#include "parallel/comm.h"
#include "parallel/fault.h"

G_BEGIN_DECLS

/* @inner: taken
 * @board: borrowed; has an entry for this rank
 * @group: the communicator's number, the same on all ranks; one that is split from it gets the next one */
UrbComm *urb_comm_new_watched (UrbComm *inner, UrbBoard *board, int group);

/* Injects %URB_FAULT_COUNT or %URB_FAULT_SKIP into the next operation of all ranks that has
 * elements. Any thread.
 * @self: made by urb_comm_new_watched() */
void     urb_comm_watched_inject (UrbComm *self, UrbFault fault);

G_END_DECLS
