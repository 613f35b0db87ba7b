/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overview.h - an overview image of a map and its selected areas.
 */
#pragma once

#include "dataset/dataset.h"
#include "map/map.h"

G_BEGIN_DECLS

/**
 * urb_overview_write_png:
 * @areas: (element-type UrbArea) (nullable): drawn as squares of @area_size_m,
 *   blue for training and orange for testing
 * @width_px: of the image's longer edge
 *
 * Draws the map as a plan with a scale bar and writes @path atomically.
 */
gboolean urb_overview_write_png (const char *path, UrbMap *map, GArray *areas,
                                 double area_size_m, int width_px, GError **error);

G_END_DECLS
