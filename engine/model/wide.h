/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wide.h - a generator for images of any size.
 *
 * A generator starts with a dense layer, from a latent vector to a small map of features; what follows are
 * convolutions, which may run on a map of any size.  A map composed of the features of several latent
 * vectors so gives one image without seams (TileGAN, Frühstück et al. 2019, 1904.12795).
 */
#pragma once

#include "model/net.h"

G_BEGIN_DECLS

/**
 * urb_net_check_wide:
 * @self: without batch norm: urb_net_fold()
 *
 * Returns: %FALSE with a %URB_MODEL_ERROR if the first layer is not dense, of an even size, or a later layer depends
 *   on the size of the image
 */
gboolean urb_net_check_wide (const UrbNet *self, GError **error);

/* The layers after the first, for a map of @h x @w pixels.  The parameters are those of @self, in the same
 * block.  @self has passed urb_net_check_wide(). */
UrbNet  *urb_net_new_wide   (const UrbNet *self, gint64 h, gint64 w);

/* How far an output of these layers looks: beyond this many pixels of the map, nothing changes it. */
gint64   urb_net_get_reach  (const UrbNet *wide);

G_END_DECLS
