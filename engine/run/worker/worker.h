/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker.h - the process that trains.
 */
#pragma once

#include "run/worker/job.h"

G_BEGIN_DECLS

/* Ignores what the terminal or a scheduler sends to all processes of a job: it is for the supervisor. */
void urb_worker_ignore_signals (void);

/**
 * urb_worker_run:
 * @fd: the socket to the supervisor; taken
 * @job: (static): what to do
 * @rank: (nullable): the context of a rank that mpirun started; takes what it points to.  NULL: the
 *   supervisor sends the context
 *
 * Waits for the order to start, then works until all steps are done, the supervisor orders a pause
 * or stop, or an error, which is reported.  Ends the process when the supervisor is gone.
 *
 * Returns: the process's exit code
 */
int urb_worker_run (int fd, const UrbWorkerJob *job, const UrbRank *rank);

G_END_DECLS
