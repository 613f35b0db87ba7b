/* SPDX-License-Identifier: Apache-2.0 */
/*
 * palette.h - colors of the plan on the screen: light, dark, high contrast.
 *
 * The light palette is the engine's, so that exports look like the screen.
 */
#pragma once

#include <gdk/gdk.h>

#include "dataset/plan-style.h"
#include "map/map.h"

G_BEGIN_DECLS

typedef struct
{
  UrbColor fills[URB_N_CLASSES];
  UrbColor lines[URB_N_CLASSES]; /* outlines at large scales */
  UrbColor paper;                /* background */
  UrbColor ink, halo;            /* scale bar and cursor, and the halo around them */
} UrbariumPalette;

const UrbariumPalette *urbarium_palette_get         (gboolean dark, gboolean high_contrast);
/* The palette of the current style. */
const UrbariumPalette *urbarium_palette_get_current (void);

GdkRGBA urbarium_color_to_rgba (UrbColor color, double alpha);

G_END_DECLS
