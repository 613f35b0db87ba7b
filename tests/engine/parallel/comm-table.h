/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comm-table.h - tests that every communicator must pass, called by each of its
 * ranks.
 */
#pragma once

#include "parallel/comm.h"

/* Every rank calls it with its communicator.  Aborts the program if a result is wrong. */
typedef void (*CommTableFunc) (UrbComm *comm);

typedef struct
{
  const char   *name;
  CommTableFunc func;
  gboolean      fails; /* needs two ranks; the communicator cannot be used afterwards */
} CommTableRow;

extern const CommTableRow comm_table[];
extern const guint        comm_table_length;
