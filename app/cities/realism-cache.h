/* SPDX-License-Identifier: Apache-2.0 */
/*
 * realism-cache.h - earlier evaluations, as JSON files of the engine in the user's cache folder.
 *
 * The key is the checkpoint (path, size, modification time) and the dataset; a result for a dataset
 * that has changed is dropped.  All functions block: call them in a thread.
 */
#pragma once

#include "app/cities/realism-result.h"

G_BEGIN_DECLS

/* @dataset: (nullable): NULL: the checkpoint's own.
 * Returns: (transfer full) (nullable): NULL without a valid result */
UrbariumRealismResult *urbarium_realism_cache_load  (const char *checkpoint, const char *dataset);
/* Ignores errors. */
void                   urbarium_realism_cache_store (const char *checkpoint, const char *dataset,
                                                     const char *json, gsize length);

G_END_DECLS
