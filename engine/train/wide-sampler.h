/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wide-sampler.h - images of several areas from a checkpoint's generator, without seams.
 */
#pragma once

#include <gio/gio.h>

#include "base/progress.h"
#include "train/sampler.h"

G_BEGIN_DECLS

typedef struct _UrbWideSampler UrbWideSampler;

/**
 * urb_wide_sampler_new:
 * @sampler: borrowed
 * @n_cols, @n_rows: areas
 *
 * The networks' memory is bounded: a wide image is drawn in windows of two megapixels.
 *
 * Returns: (transfer full): or %NULL if the generator cannot draw several areas, or memory is short
 */
UrbWideSampler *urb_wide_sampler_new  (UrbSampler *sampler, int n_cols, int n_rows, GError **error);
void            urb_wide_sampler_free (UrbWideSampler *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbWideSampler, urb_wide_sampler_free)

/* Image @index of @seed; that of 1 x 1 areas is the sampler's city of the same number, up to rounding.
 * @levels: (out) (@n_rows size_px, @n_cols size_px, n_channels) bytes */
gboolean urb_wide_sampler_generate (UrbWideSampler *self, guint64 seed, gint64 index, guint8 *levels,
                                    GCancellable *cancellable, GError **error);

G_END_DECLS
