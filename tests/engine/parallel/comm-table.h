/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comm-table.h - what every communicator must do, as one of its ranks.
 */
#pragma once

#include "parallel/comm.h"

/* Every rank calls it with its communicator; it ends the program when a result is wrong. */
typedef void (*CommTableFunc) (UrbComm *comm);

typedef struct
{
  const char   *name;
  CommTableFunc func;
  gboolean      fails; /* needs two ranks; the communicator is of no use afterwards */
} CommTableRow;

extern const CommTableRow comm_table[];
extern const guint        comm_table_length;
