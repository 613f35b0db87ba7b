/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpi-rank.h - a process that mpirun started: rank 0 becomes the run's worker, the others follow it.
 */
#pragma once

#include "run/worker/job.h"

G_BEGIN_DECLS

/**
 * urb_mpi_rank_run:
 * @folder: the run's, for the sockets in it
 * @job: (static)
 *
 * Blocks until the run has ended for this rank.
 *
 * Returns: the process's exit code
 */
int urb_mpi_rank_run (const char *folder, const UrbWorkerJob *job);

G_END_DECLS
