/* SPDX-License-Identifier: Apache-2.0 */
/*
 * networks.h - builds the networks that a preset describes.
 */
#pragma once

#include "model/net.h"
#include "settings/preset.h"

G_BEGIN_DECLS

/* The generator: (n_latent), with shares (n_latent + 3) -> (size_px, size_px, @n_channels).  @refine: with the refiner's layers
 * after it, -> (refined_px, refined_px, @n_channels); its parameters come last, so that the
 * generator without them is the beginning of the same block. */
UrbNet *urb_preset_build_generator     (const UrbPreset *self, int n_channels, gboolean refine,
                                        GError **error);
/* The edge of the crops of an image that the refiner is trained on: three eighths of it. */
int     urb_preset_get_crop_px         (const UrbPreset *self);
/* The refiner alone, for crops: (@crop_px, @crop_px, @n_channels) -> the same times
 * refined_px / size_px.  Its parameters have the offsets that they have in @generator, which was
 * built with it. */
#define URB_REFINER_NAME "refiner"
UrbNet *urb_preset_build_refiner       (const UrbPreset *self, const UrbNet *generator, int crop_px,
                                        GError **error);
/* The discriminator: (size_px, size_px, @n_channels) to one logit.  @norm_in_d: `norm` is batch norm
 * rather than a bias. */
UrbNet *urb_preset_build_discriminator (const UrbPreset *self, int n_channels, gboolean norm_in_d,
                                        GError **error);

G_END_DECLS
