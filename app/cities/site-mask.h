/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site-mask.h - the image of what stays of an area, for `draw`'s "propose".
 */
#pragma once

#include "app/cities/tile.h"

G_BEGIN_DECLS

/**
 * urbarium_site_mask_write:
 * @xy: (element-type double): corners of an outline, in metres from the lower left corner
 * @keeps_inside: what is inside of it stays, and else what is outside
 * @path: a PNG file, replaced
 *
 * Draws the plan of @tile; what does not stay is transparent.  Takes as long as a plan: call it in a
 * thread.
 */
gboolean urbarium_site_mask_write (UrbariumTile *tile, const GArray *xy, gboolean keeps_inside,
                                   const char *path, GError **error);

G_END_DECLS
