/* SPDX-License-Identifier: Apache-2.0 */
/*
 * latent-pad.h - a square whose point chooses how far a city is turned in two directions of the latent space.
 *
 * Drag the point, or move it by the arrows, Page Up and Page Down; Home puts it into the middle.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_LATENT_PAD (urbarium_latent_pad_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumLatentPad, urbarium_latent_pad, URBARIUM, LATENT_PAD, GtkWidget)

/* Signal: "moved", by the user. */
/* @x, @y: from -1, left or below, to 1; beyond are moved to the edge.  Emits nothing. */
void   urbarium_latent_pad_set_point (UrbariumLatentPad *self, double x, double y);
double urbarium_latent_pad_get_x     (UrbariumLatentPad *self);
double urbarium_latent_pad_get_y     (UrbariumLatentPad *self);
/* In words, without signs: "20 % right, 5 % down".  Returns: (transfer full): translated */
char  *urbarium_latent_pad_dup_place (double x, double y);

G_END_DECLS
