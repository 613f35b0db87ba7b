/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ab.h - `bench --ab A B`: compares two ways to train by the time until the cities are good.
 *
 * 1. Each arm trains for some seconds, to measure how many steps fit into the budget.
 * 2. Each arm trains with each learning rate of a short grid for a third of the budget, with a seed
 *    that is not used again; the best score chooses the rate.
 * 3. Each arm trains with each seed for the budget, the arms in turn; its schedules end with the
 *    budget.  Checkpoints on the way are scored afterwards, outside the measured time.
 *
 * `bench --continue DIR` goes on with a comparison that was stopped, was killed or failed: what has its score
 * keeps it, and the training that was not scored to the end begins again.
 *
 * The runs are child processes: each gets its run.ini, then `resume` trains it.
 */
#pragma once

#include "cli/run-args.h"

G_BEGIN_DECLS

typedef struct
{
  char   *first;                  /* owned; "hogwild:2 --full-lr": a strategy, and options of `train`;
                                   * NULL: --ab was not given */
  char   *again;                  /* (nullable) owned: the folder to go on in */
  char   *dataset, *out;          /* owned */
  double  minutes;                /* of each run */
  int     n_seeds, n_evaluations; /* evaluations of each run */
  gint64  count;                  /* cities of an evaluation */
  gboolean detach;                /* go on without a terminal, with a log in @out */
} UrbCliAb;

#define URB_CLI_AB_DEFAULTS { .minutes = 10, .n_seeds = 3, .n_evaluations = 12, .count = 256 }

/* Adds the options that fill @self. */
void        urb_cli_ab_add   (UrbCliAb *self, GOptionContext *options);
void        urb_cli_ab_clear (UrbCliAb *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbCliAb, urb_cli_ab_clear)

/* (nullable): what is wrong with the options of --ab or --continue, after parsing left @argc arguments */
const char *urb_cli_ab_find_mistake (const UrbCliAb *self, const UrbCliRunArgs *settings, int argc);

/**
 * urb_cli_ab_run:
 * @second: the other arm, the baseline
 * @common: the settings of both, applied but not resolved
 * @json: whether to print the result as JSON
 *
 * Returns: the exit code; errors are printed
 */
int         urb_cli_ab_run (const UrbCliAb *self, const char *second,
                            const UrbRunConfig *common, gboolean json);
/* Goes on in self->again.  Returns: the same */
int         urb_cli_ab_continue (const UrbCliAb *self, gboolean json);

G_END_DECLS
