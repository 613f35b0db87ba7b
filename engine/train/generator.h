/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generator.h - runs a generator network: latent vectors in, images out.
 *
 * Shared by the trainer, which lends it the EMA block in training, and by the sampler, which lends
 * it parameters from a checkpoint with folded batch norm.
 */
#pragma once

#include "step/build.h"

G_BEGIN_DECLS

typedef struct _UrbGenerator UrbGenerator;

/* @params: device memory, (n_params), borrowed. */
UrbGenerator *urb_generator_new  (UkBackend *backend, const UrbNet *net, void *params,
                                  GError **error);
void          urb_generator_free (UrbGenerator *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbGenerator, urb_generator_free)

/* After the parameters changed: packs them, and measures batch-norm statistics.  The EMA weights
 * have no running statistics of their own, so they are measured on a fixed set of latent
 * vectors. */
gboolean urb_generator_refresh (UrbGenerator *self, GError **error);

/* These statistics, for a network with batch norm.  @state: (out): (n_state).  Call
 * urb_generator_refresh () before the next images. */
gboolean urb_generator_get_statistics (UrbGenerator *self, float *state, GError **error);

/* @z: (@n, latent); @levels: (out): (@n, s, s, c) bytes. */
gboolean urb_generator_run (UrbGenerator *self, const float *z, gint64 n, guint8 *levels,
                            GError **error);

/* The latent vector of city @index of @seed.  @z: (out): (latent) */
void urb_generator_get_latent (const UrbNet *net, guint64 seed, gint64 index, float *z);

/* The level of a value from -1 to 1; NaN becomes 0. */
guint8   urb_generator_get_level (float value);

/* Bytes that a generator of @net takes in addition to its parameters. */
gboolean urb_generator_measure (UkBackend *backend, const UrbNet *net, gint64 *n_bytes,
                                GError **error);

G_END_DECLS
