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

/* All of it is borrowed. */
typedef struct
{
  UkBackend    *backend;
  const UrbNet *net;
  const UrbConditions *conditions; /* (nullable): of a generator that is given shares after its latent vector */
  void         *params;            /* (nullable): (n_params), device memory */
  UrbTransport  storage;           /* without params: from which they are received for each use, so that only few
                                    * are in the device's memory at a time */
  void         *room;              /* (nullable): device memory that it may overwrite whenever it draws */
  gint64        room_bytes;
} UrbGeneratorOptions;

UrbGenerator *urb_generator_new  (const UrbGeneratorOptions *options, GError **error);
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

/* Makes room for drawing with @net in the arena of @program, the planned one of a rank that trains and draws.
 * @n_bytes: (out): that are needed in addition */
gboolean urb_generator_reserve (UkBackend *backend, const UrbNet *net, UrbProgram *program, gint64 *n_bytes,
                                GError **error);

G_END_DECLS
