/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generator.h - runs a generator network: latent vectors in, images out.
 *
 * Shared by the trainer, which lends it the EMA block in training, and by the sampler, which lends
 * it parameters from a checkpoint with folded batch norm.
 */
#pragma once

#include "step/build.h"
#include "train/conditions.h"

G_BEGIN_DECLS

typedef struct _UrbGenerator UrbGenerator;

/* @conditions: (nullable): borrowed; of a generator that is given shares after its latent vector
 * @params: device memory, (n_params), borrowed. */
UrbGenerator *urb_generator_new  (UkBackend *backend, const UrbNet *net,
                                  const UrbConditions *conditions, void *params, GError **error);
/* One that fetches parameters for each use, so that only few are in the device's memory at a time.
 * @storage: from which its interpreter receives them; what it points to must outlive the generator */
UrbGenerator *urb_generator_new_fetching (UkBackend *backend, const UrbNet *net,
                                          const UrbConditions *conditions, const UrbTransport *storage,
                                          GError **error);
/* Whether a rank that trains @program has the whole average in its device's memory, for a generator to borrow. */
gboolean      urb_generator_may_borrow (const UrbProgram *program);
void          urb_generator_free (UrbGenerator *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbGenerator, urb_generator_free)

/* After the parameters changed: packs them, and measures batch-norm statistics.  The EMA weights
 * have no running statistics of their own, so they are measured on a fixed set of latent
 * vectors. */
gboolean urb_generator_refresh (UrbGenerator *self, GError **error);

/* These statistics, for a network with batch norm.  @state: (out): (n_state).  Call
 * urb_generator_refresh () before the next images. */
gboolean urb_generator_get_statistics (UrbGenerator *self, float *state, GError **error);

/* @z: (@n, inputs); @levels: (out): (@n, s, s, c) bytes. */
gboolean urb_generator_run (UrbGenerator *self, const float *z, gint64 n, guint8 *levels,
                            GError **error);

/* Normal numbers for all inputs of @net, those of city @index of @seed.  @z: (out): (inputs) */
void urb_generator_get_latent (const UrbNet *net, guint64 seed, gint64 index, float *z);
/* The input for city @index of @seed: its latent vector, then the shares that it draws from the data or
 * that are asked for (urb_generator_ask).  @z: (out): (inputs) */
void urb_generator_get_input (const UrbGenerator *self, guint64 seed, gint64 index, float *z);
/* What urb_generator_get_input() asks of cities from now on; nothing at first. */
void urb_generator_ask       (UrbGenerator *self, const UrbShareWish *wish);

/* The level of a value from -1 to 1; NaN becomes 0. */
guint8   urb_generator_get_level (float value);

/* Bytes that a generator of @net takes in addition to parameters that it borrows. */
gboolean urb_generator_measure (UkBackend *backend, const UrbNet *net, gboolean fetches, gint64 *n_bytes,
                                GError **error);

G_END_DECLS
