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
  int      n_local; /* ranks that share this machine's memory and processors, this one included */
  UrbComm *comm;    /* borrowed; must outlive the trainer.  NULL: ranks that do not talk */
} UrbPlace;

/* The only rank. */
#define URB_PLACE_ALONE ((UrbPlace) { 0, 1, 1, NULL })

G_END_DECLS
