/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place.h - which rank a trainer is, and through what it talks to the others.
 */
#pragma once

#include "parallel/comm.h"

G_BEGIN_DECLS

typedef struct
{
  int      rank, n_ranks;
  UrbComm *comm; /* borrowed; must outlive the trainer.  NULL: ranks that do not talk */
} UrbPlace;

G_END_DECLS
