/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find-batch.h - `train --find-batch`: the largest batch that fits, and the fastest per image.
 */
#pragma once

#include "cli/run-session.h"

G_BEGIN_DECLS

/**
 * urb_cli_find_batch:
 * @config: resolved, of the run that needs a batch size
 *
 * Plans and measures batches under the run's strategy (train/batch-finder.h), and prints what to choose.  Writes
 * nothing that stays.
 *
 * Returns: the exit code; errors are printed
 */
int urb_cli_find_batch (const UrbRunConfig *config, const UrbCliSession *session);

G_END_DECLS
