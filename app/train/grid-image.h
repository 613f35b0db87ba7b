/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grid-image.h - a scalable image whose pixels stay sharp.  A plan, so it is not mirrored in
 * right-to-left languages.
 *
 * The tiles of a run's grid can be enlarged one by one: by a click, or with the arrow keys and Enter.
 * Wheel, pinch, + and - zoom, a drag moves, 0 fits, Escape leaves the tile.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_GRID_IMAGE (urbarium_grid_image_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumGridImage, urbarium_grid_image, URBARIUM, GRID_IMAGE, GtkWidget)

/* Property "tile" (int, with notify): the enlarged one, row by row; -1: the whole grid. */

/* @surface: (nullable): an image surface
 * @text: (nullable): description for assistive technologies */
void     urbarium_grid_image_set (UrbariumGridImage *self, cairo_surface_t *surface,
                                  const char *text);
gboolean urbarium_grid_image_is_empty (UrbariumGridImage *self);
/* 0: the image is no grid of a run. */
int      urbarium_grid_image_get_n_tiles (UrbariumGridImage *self);
/* In pixels of the image: of the enlarged tile, or of the whole image. */
cairo_rectangle_int_t urbarium_grid_image_get_shown (UrbariumGridImage *self);

G_END_DECLS
