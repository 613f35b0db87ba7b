/* SPDX-License-Identifier: Apache-2.0 */
/*
 * realism-pairs.h - generated areas, each beside the training area that it resembles
 * most.
 */
#pragma once

#include <adwaita.h>

#include "app/cities/city-source.h"
#include "app/cities/realism-result.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_REALISM_PAIRS (urbarium_realism_pairs_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRealismPairs, urbarium_realism_pairs, URBARIUM, REALISM_PAIRS, AdwBin)

/* @source: (nullable): draws the generated ones; it has the checkpoint of the result open.
 * @result: (nullable): its closest pairs; hidden if there are none. */
void urbarium_realism_pairs_set (UrbariumRealismPairs *self, UrbariumCitySource *source,
                                 const UrbariumRealismResult *result);

G_END_DECLS
