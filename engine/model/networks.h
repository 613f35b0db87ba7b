/* SPDX-License-Identifier: Apache-2.0 */
/*
 * networks.h - builds the networks that a preset describes.
 */
#pragma once

#include "model/net.h"
#include "settings/preset.h"

G_BEGIN_DECLS

/* The generator: (n_latent) -> (size_px, size_px, @n_channels), and the
 * discriminator: the other way to one logit.  @norm_in_d: `norm` in the
 * discriminator is batch norm rather than a bias. */
UrbNet *urb_preset_build_generator     (const UrbPreset *self, int n_channels, GError **error);
UrbNet *urb_preset_build_discriminator (const UrbPreset *self, int n_channels, gboolean norm_in_d,
                                        GError **error);

G_END_DECLS
