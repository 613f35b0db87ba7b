/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wall-image.h - a picture at any size: pixels stay sharp where it is enlarged.
 * Not mirrored in right-to-left languages: it is a plan.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_WALL_IMAGE (urbarium_wall_image_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumWallImage, urbarium_wall_image, URBARIUM, WALL_IMAGE, GtkWidget)

/* @surface: (nullable): an image surface
 * @text: (nullable): of what, for assistive technologies */
void     urbarium_wall_image_set (UrbariumWallImage *self, cairo_surface_t *surface,
                                  const char *text);
gboolean urbarium_wall_image_is_empty (UrbariumWallImage *self);

G_END_DECLS
