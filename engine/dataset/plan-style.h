/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan-style.h - the colors of a plan, and their blending into tiles.
 */
#pragma once

#include <cairo.h>

#include "dataset/dataset.h"

G_BEGIN_DECLS

typedef struct
{
  guint8 r, g, b; /* sRGB */
} UrbColor;

/* The style of a cadastral plan: dark buildings and muted roads on light ground, on
 * even lighter paper. */
#define URB_COLOR_BUILDING ((UrbColor) { 0x3a, 0x3f, 0x4b })
#define URB_COLOR_ROAD     ((UrbColor) { 0xc9, 0xbf, 0xae })
#define URB_COLOR_OTHER    ((UrbColor) { 0xf1, 0xed, 0xe2 })
#define URB_COLOR_PAPER    ((UrbColor) { 0xff, 0xff, 0xff })
#define URB_COLOR_TRAIN    ((UrbColor) { 0x1f, 0x6f, 0xd6 })
#define URB_COLOR_TEST     ((UrbColor) { 0xe8, 0x6a, 0x0c })
#define URB_COLOR_VALIDATION ((UrbColor) { 0x8f, 0x3f, 0xb8 })

/* Of the areas of a split. */
UrbColor urb_split_get_color (UrbSplit split);

/* @linear: (out): the color in linear light, 0 to 1 */
void urb_color_get_linear (UrbColor color, float linear[3]);

enum { URB_SRGB_STEPS = 4096 }; /* finer than 8 bits */

/* The sRGB value of linear light i / URB_SRGB_STEPS, for i from 0 to URB_SRGB_STEPS. */
const guint8 *urb_srgb_get_table (void);

void urb_color_set_source (cairo_t *cr, UrbColor color, double alpha);

/**
 * urb_plan_blend:
 * @levels: (@n, @n_channels): 3 channels: coverage of building, road and other,
 *   blended in linear light; 1 channel: grey, unchanged
 * @pixels: (out) (@n): 0x00RRGGBB, as CAIRO_FORMAT_RGB24
 */
void urb_plan_blend (const guint8 *levels, gsize n, int n_channels, guint32 *pixels);

/* Writes a CAIRO_FORMAT_RGB24 surface to @path atomically; fails with URB_DATASET_ERROR_WRITE. */
gboolean urb_plan_write_png (cairo_surface_t *surface, const char *path, GError **error);

typedef cairo_surface_t UrbCairoSurface;
typedef cairo_t         UrbCairo;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbCairoSurface, cairo_surface_destroy)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbCairo, cairo_destroy)

G_END_DECLS
