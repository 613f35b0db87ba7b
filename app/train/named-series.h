/* SPDX-License-Identifier: Apache-2.0 */
/*
 * named-series.h - a copy of another run's series with the run's name in its title.
 */
#pragma once

#include "app/plot/series.h"

G_BEGIN_DECLS

/* Returns: (transfer full): a copy of @source that follows its changes */
UrbariumSeries *urbarium_named_series_new (UrbariumSeries *source, const char *name);

G_END_DECLS
