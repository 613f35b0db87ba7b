/* SPDX-License-Identifier: Apache-2.0 */
/*
 * staleness.h - how many updates of other workers each update of an asynchronous run did not know, as a histogram.
 */
#pragma once

#include "app/plot/chart-widget.h"
#include "app/runs/run.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_STALENESS (urbarium_staleness_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumStaleness, urbarium_staleness, URBARIUM, STALENESS, UrbariumChartWidget)

/* Property: has-data (boolean, read-only, with notify). */

/* Shows the newest measurement of @run (nullable), which comes with each checkpoint. */
void urbarium_staleness_set_run  (UrbariumStaleness *self, UrbariumRun *run);
/* @json: (nullable): details of an event "asynchrony" (docs/protocol.md); it may be damaged */
void urbarium_staleness_set_json (UrbariumStaleness *self, const char *json);

G_END_DECLS
