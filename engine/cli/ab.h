/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ab.h - `bench --ab A B`: two ways to train, measured on this machine by what
 * they are for: the time until the cities are good.
 *
 * 1. Each arm is tried for some seconds: how many steps fit into the budget.
 * 2. Each arm trains with each learning rate of a short grid for a third of the
 *    budget, with a seed that is not used again; the best score chooses.
 * 3. Each arm trains with each seed for the budget, the arms in turn, its
 *    schedules ending with it.  Checkpoints on the way are scored afterwards,
 *    outside the measured time.
 *
 * The runs are those of `train`, with all that belongs to them.
 */
#pragma once

#include <gio/gio.h>

#include "train/trainer.h"

G_BEGIN_DECLS

typedef struct
{
  const char *arms[2];  /* "hogwild:2 --full-lr": a strategy, and options of `train`; the second
                         * is the baseline */
  char      **options;  /* options of `train` that both have: --preset, …; NULL-terminated */
  const UrbTrainOptions *train; /* the same, as they were understood */
  const char *dataset, *out;
  double      minutes;  /* of each run */
  int         n_seeds, n_evaluations; /* evaluations of each run */
  gint64      count;    /* cities of an evaluation */
  gboolean    json;
} UrbCliAb;

/* Returns: the exit code; errors are printed */
int urb_cli_ab_run (const UrbCliAb *self);

G_END_DECLS
