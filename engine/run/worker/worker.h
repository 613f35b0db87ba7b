/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker.h - the process that trains.
 */
#pragma once

#include "run/worker/job.h"

G_BEGIN_DECLS

/**
 * urb_worker_run:
 * @fd: the socket to the supervisor; taken
 * @job: (static): what to do
 * @rank: (nullable): the context of a rank that mpirun started; what it points to is taken.  NULL: the
 *   supervisor sends it.
 *
 * Waits for the order to start, then works until all steps are done, the
 * supervisor says pause or stop, or something fails, which is reported.  Ends
 * the process if the supervisor is gone.
 *
 * Returns: the process's exit code
 */
int urb_worker_run (int fd, const UrbWorkerJob *job, const UrbRank *rank);

G_END_DECLS
