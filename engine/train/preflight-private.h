/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preflight-private.h - memory, as preflight.c asks preflight-memory.c for it.
 */
#pragma once

#include "train/preflight.h"

G_BEGIN_DECLS

/* That train on this host, if all do. */
int      urb_preflight_count_processes (const UrbTrainOptions *options);
/* Fills rank_bytes, which is there and empty, n_devices, n_processes, shared_bytes,
 * context_bytes and checkpoint_bytes.  @options are resolved.  FALSE: they make no run. */
gboolean urb_preflight_measure_ranks (UrbPreflight *self, const UrbTrainOptions *options,
                                      GError **error);
/* How many of @n ranks or processes, spread over the devices, are on the first, which has the most. */
int      urb_preflight_count_on_first (const UrbPreflight *self, int n);
/* Bytes that this host must have. */
gint64   urb_preflight_sum_memory    (const UrbPreflight *self, const UrbKeeping *keeping);
/* The least change of ranks, microbatches, precision and batch that fits into @available bytes, in
 * words.
 * (transfer full) */
char    *urb_preflight_find_memory_remedy (const UrbPreflight *self, const UrbTrainOptions *options,
                                           const UrbKeeping *keeping, gint64 available);

G_END_DECLS
