/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heat-colors.h - colors of the variance: viridis, which is perceptually uniform, also for
 * color-blind people, and ordered in grayscale.
 */
#pragma once

#include <gdk/gdk.h>

#include "dataset/curator.h"

G_BEGIN_DECLS

/* @value: 0..1, clamped.  Returns: 0xffRRGGBB */
guint32 urbarium_heat_color (double value);

/* One pixel per cell, transparent without a candidate.  Callable from any thread. */
GdkTexture *urbarium_heat_texture_new (const UrbHeatMap *heat, double max_variance);

G_END_DECLS
