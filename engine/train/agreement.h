/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agreement.h - ranks compare what they are about to train, before the first of them allocates anything.
 *
 * Ranks on several hosts each have a program, a preset and a dataset file of their own.  If these
 * differ, the ranks must not start; and the message must say on which host what differs.
 */
#pragma once

#include "parallel/comm.h"
#include "settings/run-config.h"

G_BEGIN_DECLS

/* What a rank knows about the run, as it sends it to the others: texts that end with a 0. */
typedef struct
{
  char host[64];
  char program[64];  /* its version */
  char options[72];  /* checksums of what it understood … */
  char preset[72];
  char dataset[72];  /* the dataset's id; empty for random tiles */
  char tiles[128];   /* what the dataset has, for people */
  char problem[512]; /* why this rank cannot take part; empty if it can */
} UrbRankCard;

/**
 * urb_rank_card_fill:
 * @self: (out)
 * @dataset: (nullable): its path; NULL: random tiles
 * @preset_text: (nullable): NULL: unknown, because of @problem
 * @problem: (nullable): what went wrong already
 *
 * Opens the dataset, and verifies it if it is small.  A failure is noted on the card.
 */
void     urb_rank_card_fill  (UrbRankCard *self, const UrbTrainOptions *options, const char *dataset,
                              const char *preset_text, const GError *problem);

/**
 * urb_agreement_reach:
 *
 * Collective: compares the cards of all ranks with that of rank 0.
 *
 * Returns: %FALSE on all ranks, with the same error of the domain %URB_TRAIN_ERROR, if a rank differs
 *   or cannot take part; it names rank and host
 */
gboolean urb_agreement_reach (UrbComm *comm, const UrbRankCard *own, GError **error);

G_END_DECLS
