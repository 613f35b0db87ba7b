/* SPDX-License-Identifier: Apache-2.0 */
/*
 * realism-pairs.h - generated areas, each next to its most similar training area.
 */
#pragma once

#include <adwaita.h>

#include "app/cities/city-source.h"
#include "app/cities/realism-result.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_REALISM_PAIRS (urbarium_realism_pairs_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumRealismPairs, urbarium_realism_pairs, URBARIUM, REALISM_PAIRS, AdwBin)

/* @source: (nullable): draws the generated areas; must have the result's checkpoint open
 * @result: (nullable): provides the pairs; without any, the widget is hidden */
void urbarium_realism_pairs_set (UrbariumRealismPairs *self, UrbariumCitySource *source,
                                 const UrbariumRealismResult *result);

G_END_DECLS
