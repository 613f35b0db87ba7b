/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-options.h - what starts a run, as words on a command line.
 */
#pragma once

#include "run/run.h"

G_BEGIN_DECLS

/* "train", "--detach", …: all of @config that differs from the defaults.
 * @after: (nullable) (array zero-terminated=1): folders of the runs that go first
 * Returns: (transfer full) */
char **urbarium_run_options_to_args (const UrbRunConfig *config, const char *folder,
                                     const char *const *after);

/* The strategy, its ranks and its options, for `train`, `plan` and `bench`. */
void   urbarium_run_options_add_strategy (GStrvBuilder *args, const UrbTrainOptions *train);

/* A folder in @parent that is not there yet, named after the run.  Blocks.
 * Returns: (transfer full) */
char  *urbarium_run_options_choose_folder (const char *parent, const char *name);

G_END_DECLS
