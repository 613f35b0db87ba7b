/* SPDX-License-Identifier: Apache-2.0 */
/*
 * made-up-run.h - the folder of a run that was never trained, with a history, sample grids and a dataset.
 */
#pragma once

#include "run-test.h"

G_BEGIN_DECLS

/**
 * made_up_run_write:
 * @change: (nullable): what differs in the configuration from that of a run of 400 steps with networks tiny
 *
 * Makes @t's run.  It has 400 steps, scores of steps 100 and 400, sample grids of steps 0, 200 and 400, and two readings
 * of a GPU: 200 W, five seconds apart.
 */
void made_up_run_write (RunTest *t, void (*change) (UrbRunConfig *config));

/* Runs @sql on its run.db. */
void made_up_run_sql   (RunTest *t, const char *sql);

G_END_DECLS
