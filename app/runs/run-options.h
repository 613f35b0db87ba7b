/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-options.h - the command-line arguments that start a run.
 */
#pragma once

#include "run/store/run.h"

G_BEGIN_DECLS

/* "train", "--detach", …: every setting of @config that differs from its default.
 * @after: (nullable) (array zero-terminated=1): folders of the runs to wait for
 * Returns: (transfer full) */
char **urbarium_run_options_to_args (const UrbRunConfig *config, const char *folder,
                                     const char *const *after);

/* The strategy, its ranks and its options, for `train`, `plan` and `bench`. */
void   urbarium_run_options_add_strategy (GStrvBuilder *args, const UrbTrainOptions *train);

/* A new folder name in @parent, derived from the run's name.  Blocks.
 * Returns: (transfer full) */
char  *urbarium_run_options_choose_folder (const char *parent, const char *name);

G_END_DECLS
