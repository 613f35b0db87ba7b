/* SPDX-License-Identifier: Apache-2.0 */
/*
 * held-out.h - whether a new dataset trains on what an earlier one tests on.
 */
#pragma once

#include "dataset/curate.h"

G_BEGIN_DECLS

/**
 * urb_curation_count_tested:
 * @map: the curation's
 * @earlier: of any map; in another coordinate system, none of its areas count
 *
 * Returns: the number of areas for training or validation that overlap test areas of @earlier
 */
gint64 urb_curation_count_tested (const UrbCuration *self, UrbMap *map, UrbDataset *earlier);

G_END_DECLS
