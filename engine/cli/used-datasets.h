/* SPDX-License-Identifier: Apache-2.0 */
/*
 * used-datasets.h - warns of a new dataset that trains on the test ground of one that a run used.
 */
#pragma once

#include "dataset/curate.h"

G_BEGIN_DECLS

/**
 * urb_cli_warn_of_tested:
 * @runs: (nullable): folder of runs; %NULL: the window's
 *
 * Adds a warning to @curation for each dataset of a run there; a run that cannot be read counts for none.
 */
void urb_cli_warn_of_tested (UrbCuration *curation, UrbMap *map, const char *runs);

G_END_DECLS
