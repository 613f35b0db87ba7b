/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place.h - which rank a trainer is, and through what it talks to the others.
 */
#pragma once

#include "parallel/board.h"
#include "parallel/comm.h"
#include "parallel/shared-params.h"

G_BEGIN_DECLS

typedef struct
{
  int      rank, n_ranks;
  int      n_local; /* ranks that share this machine's memory and processors, this one included */
  int      local_rank; /* which of them this one is */
  int      n_on_device; /* how many of them compute on the device that this one does, this one
                         * included; where ranks talk */
  UrbComm *comm;    /* borrowed; must outlive the trainer.  NULL: ranks that do not talk */
  UrbBoard *board; /* (nullable) borrowed: where the rank writes which instruction it is in */
  /* hogwild: what the ranks share; borrowed, must outlive the trainer.  (streams makes its own, in
   * rank 0.)  NULL elsewhere. */
  UrbSharedParams *shared;
  /* (nullable) borrowed, until the trainer is made: the preset itself, from a rank that can read it;
   * options say only what it is called. */
  const char *preset_text;
} UrbPlace;

/* The only rank. */
#define URB_PLACE_ALONE ((UrbPlace) { .n_ranks = 1, .n_local = 1 })

G_END_DECLS
