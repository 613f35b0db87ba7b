/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load-curve.h - a small curve of what a device did lately: its load, filled, and its memory, a line.
 */
#pragma once

#include "app/plot/chart-widget.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_LOAD_CURVE (urbarium_load_curve_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumLoadCurve, urbarium_load_curve, URBARIUM, LOAD_CURVE, UrbariumChartWidget)

enum { URBARIUM_LOAD_SAMPLES = 120 };

/* Shares of the device, from 0 to 1; NaN: unknown, a gap.  The oldest sample beyond URBARIUM_LOAD_SAMPLES
 * leaves. */
void  urbarium_load_curve_add   (UrbariumLoadCurve *self, double load, double memory);
void  urbarium_load_curve_clear (UrbariumLoadCurve *self);
guint urbarium_load_curve_get_n (UrbariumLoadCurve *self);

G_END_DECLS
