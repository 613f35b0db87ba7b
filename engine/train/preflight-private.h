/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preflight-private.h - what preflight.c asks of preflight-memory.c.
 */
#pragma once

#include "train/preflight.h"

G_BEGIN_DECLS

/* Fills rank_bytes, plans, n_devices, n_processes, shared_bytes,
 * context_bytes and checkpoint_bytes.  @options are resolved; @dataset: (nullable).  FALSE: they
 * describe no run. */
gboolean urb_preflight_measure_ranks (UrbPreflight *self, const UrbTrainOptions *options,
                                      UrbDataset *dataset, GError **error);
/* How many of @n ranks or processes, spread over the devices, are on the first, which has the most. */
int      urb_preflight_count_on_first (const UrbPreflight *self, int n);
/* Bytes that this host needs. */
gint64   urb_preflight_sum_memory    (const UrbPreflight *self, const UrbKeeping *keeping);
/* Bytes of the largest process. */
gint64   urb_preflight_get_process   (const UrbPreflight *self, const UrbKeeping *keeping);
/* Bytes of the largest rank, without shared blocks. */
gint64   urb_preflight_get_largest   (const UrbPreflight *self);
/* Whether the memory of resolved @options fits.
 * @bytes: (out): that this host, or its GPU, needs */
gboolean urb_preflight_fits          (const UrbTrainOptions *options, UrbDataset *dataset, const UrbKeeping *keeping,
                                      const UrbLimits *limits, gint64 *bytes);
/* The smallest change of ranks, microbatches, precision, batch and place of moments that fits into @available
 * bytes, into @process bytes for each process, and into what the options leave to each rank, in words. (transfer
 * full) */
char    *urb_preflight_find_memory_remedy (const UrbTrainOptions *options, UrbDataset *dataset,
                                           const UrbKeeping *keeping, gint64 available, gint64 process);

G_END_DECLS
