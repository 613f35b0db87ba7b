/* SPDX-License-Identifier: Apache-2.0 */
/*
 * named-series.h - a curve of another run, under a name that says of which.
 */
#pragma once

#include "app/plot/series.h"

G_BEGIN_DECLS

/* Returns: (transfer full): has the points of @source, and follows it as long as it lives */
UrbariumSeries *urbarium_named_series_new (UrbariumSeries *source, const char *name);

G_END_DECLS
