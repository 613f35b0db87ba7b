/* SPDX-License-Identifier: Apache-2.0 */
/* palette.c - the dark palettes swap figure and ground: buildings are bright. */
#include "app/canvas/palette.h"

#include <adwaita.h>

#define RGB(hex) { (hex) >> 16 & 0xff, (hex) >> 8 & 0xff, (hex) & 0xff }

static const UrbariumPalette light = {
  .fills = {
    [URB_CLASS_BUILDING] = URB_COLOR_BUILDING,
    [URB_CLASS_ROAD] = URB_COLOR_ROAD,
    [URB_CLASS_OTHER] = URB_COLOR_OTHER,
  },
  .lines = {
    [URB_CLASS_BUILDING] = RGB (0x1d2028),
    [URB_CLASS_ROAD] = RGB (0xb3a792),
    [URB_CLASS_OTHER] = RGB (0xd6cebb),
  },
  .paper = URB_COLOR_PAPER,
  .ink = RGB (0x1d2028),
  .halo = RGB (0xffffff),
};

static const UrbariumPalette dark = {
  .fills = {
    [URB_CLASS_BUILDING] = RGB (0xb0b7c4),
    [URB_CLASS_ROAD] = RGB (0x565249),
    [URB_CLASS_OTHER] = RGB (0x2b2e2d),
  },
  .lines = {
    [URB_CLASS_BUILDING] = RGB (0x747c8c),
    [URB_CLASS_ROAD] = RGB (0x69645a),
    [URB_CLASS_OTHER] = RGB (0x434744),
  },
  .paper = RGB (0x1b1c1e),
  .ink = RGB (0xf2f4f8),
  .halo = RGB (0x101113),
};

static const UrbariumPalette light_contrast = {
  .fills = {
    [URB_CLASS_BUILDING] = RGB (0x101218),
    [URB_CLASS_ROAD] = RGB (0xa3937a),
    [URB_CLASS_OTHER] = RGB (0xeee9db),
  },
  .lines = {
    [URB_CLASS_BUILDING] = RGB (0xffffff),
    [URB_CLASS_ROAD] = RGB (0x5d523f),
    [URB_CLASS_OTHER] = RGB (0x8f8775),
  },
  .paper = RGB (0xffffff),
  .ink = RGB (0x000000),
  .halo = RGB (0xffffff),
};

static const UrbariumPalette dark_contrast = {
  .fills = {
    [URB_CLASS_BUILDING] = RGB (0xf4f5f7),
    [URB_CLASS_ROAD] = RGB (0x777062),
    [URB_CLASS_OTHER] = RGB (0x252826),
  },
  .lines = {
    [URB_CLASS_BUILDING] = RGB (0x000000),
    [URB_CLASS_ROAD] = RGB (0xb5ad9c),
    [URB_CLASS_OTHER] = RGB (0x7c827e),
  },
  .paper = RGB (0x000000),
  .ink = RGB (0xffffff),
  .halo = RGB (0x000000),
};

const UrbariumPalette *
urbarium_palette_get (gboolean is_dark, gboolean high_contrast)
{
  if (high_contrast)
    return is_dark ? &dark_contrast : &light_contrast;
  return is_dark ? &dark : &light;
}

const UrbariumPalette *
urbarium_palette_get_current (void)
{
  AdwStyleManager *style = adw_style_manager_get_default ();

  return urbarium_palette_get (adw_style_manager_get_dark (style),
                               adw_style_manager_get_high_contrast (style));
}

GdkRGBA
urbarium_color_to_rgba (UrbColor color, double alpha)
{
  return (GdkRGBA) { color.r / 255.0f, color.g / 255.0f, color.b / 255.0f, (float) alpha };
}
