/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generator.h - a generator network at work: latent vectors in, images out.
 *
 * Shared by the trainer, which lends it the EMA block it is training, and by
 * the sampler, which lends it one read from a checkpoint, with batch norm folded
 * into it.
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

/* After the parameters changed: packs them anew, and measures what batch norm
 * needs.  Averaged weights have no running statistics of their own, so those of
 * a fixed set of latent vectors stand in for them. */
gboolean urb_generator_refresh (UrbGenerator *self, GError **error);

/* The statistics that stand in, for a network with batch norm.  @state: (out): (n_state).  Call
 * urb_generator_refresh () before the next images. */
gboolean urb_generator_get_statistics (UrbGenerator *self, float *state, GError **error);

/* @z: (@n, latent); @levels: (out): (@n, s, s, c) bytes. */
gboolean urb_generator_run (UrbGenerator *self, const float *z, gint64 n, guint8 *levels,
                            GError **error);

/* The latent vector of city @index of @seed.  @z: (out): (latent) */
void urb_generator_get_latent (const UrbNet *net, guint64 seed, gint64 index, float *z);

/* The bytes that a generator of @net takes beside its parameters. */
gboolean urb_generator_measure (UkBackend *backend, const UrbNet *net, gint64 *n_bytes,
                                GError **error);

G_END_DECLS
