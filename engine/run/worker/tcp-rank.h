/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcp-rank.h - a rank other than 0 that is started by itself: it needs rank 0's address, but no run folder.
 */
#pragma once

#include "run/worker/job.h"

G_BEGIN_DECLS

/**
 * urb_tcp_rank_run:
 * @address: of rank 0
 * @token_file: (nullable): see urb_tcp_token_load()
 * @dataset: (nullable): this rank's file; %NULL: at the path that rank 0 has
 * @quiet: does not print that it waits for rank 0
 * @job: (static)
 *
 * Blocks until the run has ended.  Until all ranks have come, Ctrl+C ends this process.  Fails with a %URB_COMM_ERROR or %URB_TRAIN_ERROR that names the rank at fault.
 */
gboolean urb_tcp_rank_run (const char *address, int rank, int n_ranks, const char *token_file,
                           const char *dataset, gboolean quiet, const UrbWorkerJob *job, GError **error);

G_END_DECLS
