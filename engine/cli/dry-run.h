/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dry-run.h - `train --dry-run`: whether a run would work, in seconds.
 */
#pragma once

#include "cli/run-session.h"

G_BEGIN_DECLS

/**
 * urb_cli_dry_run:
 * @config: resolved, of the run that is tried out
 * @run: (nullable): its folder, which is left alone
 *
 * Trains a few steps in a temporary folder, with a sample grid, a checkpoint and a score, and prints what
 * worked and how long it took.  Calls no hook.
 *
 * Returns: the exit code; errors are printed
 */
int urb_cli_dry_run (const UrbRunConfig *config, const UrbCliSession *session, const char *run);

G_END_DECLS
