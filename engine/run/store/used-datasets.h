/* SPDX-License-Identifier: Apache-2.0 */
/*
 * used-datasets.h - whether a new dataset trains on the test areas of one that a run used.
 */
#pragma once

#include "dataset/curate.h"

G_BEGIN_DECLS

typedef struct
{
  char  *run;       /* owned; name of its folder */
  char  *dataset;   /* owned; path */
  gint64 n_areas;   /* of the new dataset, for training or validation, that overlap its test areas */
} UrbUsedDataset;

/**
 * urb_run_find_tested:
 * @places: (array zero-terminated=1): folders of runs, or of one run
 *
 * Returns: (transfer full) (element-type UrbUsedDataset): the datasets of these runs on whose test areas
 *   @curation would train, each once; a run that cannot be read counts for none
 */
GPtrArray *urb_run_find_tested (const char *const *places, const UrbCuration *curation, UrbMap *map);

G_END_DECLS
