/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch-search.h - lets the engine find a batch size: what fits into memory, and what is fast.
 */
#pragma once

#include <gio/gio.h>

#include "settings/run-config.h"

G_BEGIN_DECLS

typedef struct
{
  int fastest, largest; /* that fits */
} UrbariumBatches;

/* @result: of an engine's `train --find-batch --json`
 * @found: (out)
 * Returns: (transfer full): translated: the speed of each batch that was measured, the fastest, and the largest */
char *urbarium_batch_search_finish (GAsyncResult *result, UrbariumBatches *found, GError **error);

G_END_DECLS
