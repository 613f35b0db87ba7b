/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grid-image.h - a scalable image whose pixels stay sharp.  A plan, so it is not mirrored in
 * right-to-left languages.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_GRID_IMAGE (urbarium_grid_image_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumGridImage, urbarium_grid_image, URBARIUM, GRID_IMAGE, GtkWidget)

/* @surface: (nullable): an image surface
 * @text: (nullable): description for assistive technologies */
void     urbarium_grid_image_set (UrbariumGridImage *self, cairo_surface_t *surface,
                                  const char *text);
gboolean urbarium_grid_image_is_empty (UrbariumGridImage *self);

G_END_DECLS
