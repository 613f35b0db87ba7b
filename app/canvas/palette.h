/* SPDX-License-Identifier: Apache-2.0 */
/*
 * palette.h - the colours of the plan on the screen: light, dark, high contrast.
 *
 * The light ones are the engine's, so that what is printed looks like what was seen.
 */
#pragma once

#include <gdk/gdk.h>

#include "dataset/plan-style.h"
#include "map/map.h"

G_BEGIN_DECLS

typedef struct
{
  UrbColor fills[URB_N_CLASSES];
  UrbColor lines[URB_N_CLASSES]; /* along the inside of an outline, close by */
  UrbColor paper;                /* where there is nothing */
  UrbColor ink, halo;            /* the scale bar, the cursor, and what makes them stand out */
} UrbariumPalette;

/* (transfer none): constant */
const UrbariumPalette *urbarium_palette_get         (gboolean dark, gboolean high_contrast);
/* The one of the style that the window has now. */
const UrbariumPalette *urbarium_palette_get_current (void);

GdkRGBA urbarium_color_to_rgba (UrbColor color, double alpha);

G_END_DECLS
