/* SPDX-License-Identifier: Apache-2.0 */
/*
 * realism-cache.h - evaluations that were made before, as the engine wrote them,
 * in files of the user's cache folder.
 *
 * A result is of a checkpoint as it is (path, size, time of change), and of a
 * dataset: another one, or a changed one, is another question.  All functions
 * block: call them in a thread.
 */
#pragma once

#include "app/cities/realism-result.h"

G_BEGIN_DECLS

/* @dataset: (nullable): that of the checkpoint.
 * Returns: (transfer full) (nullable): NULL if there is none that holds */
UrbariumRealismResult *urbarium_realism_cache_load  (const char *checkpoint, const char *dataset);
/* If it cannot be kept, it will have to be made again. */
void                   urbarium_realism_cache_store (const char *checkpoint, const char *dataset,
                                                     const char *json, gsize length);

G_END_DECLS
