/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heat-colors.h - the colours of the variance: viridis, whose steps look equally large
 * to all eyes and which stays ordered in grey.
 */
#pragma once

#include <gdk/gdk.h>

#include "dataset/curator.h"

G_BEGIN_DECLS

/* @value: 0..1, clamped.  Returns: 0xffRRGGBB */
guint32 urbarium_heat_color (double value);

/* One pixel per cell, transparent where there is no candidate.  Any thread. */
GdkTexture *urbarium_heat_texture_new (const UrbHeatMap *heat, double max_variance);

G_END_DECLS
