/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampler.h - a generator from a checkpoint, for inference only.
 */
#pragma once

#include <glib.h>

#include "kernels/uk.h"
#include "train/conditions.h"
#include "train/fitter.h"

G_BEGIN_DECLS

typedef struct _UrbSampler UrbSampler;

/* The device to use, and the networks. */
typedef struct
{
  const char *device;    /* (nullable): as in train/device.h; NULL: "cpu" */
  UkPrecision precision;
  int         n_threads; /* of a CPU; 0: all */
  gboolean    no_refiner; /* the generator's own images, at its resolution */
} UrbSamplerPlace;

typedef struct
{
  char   *checkpoint;   /* owned; the file */
  char   *preset;       /* owned; name */
  gint64  step;         /* steps done when the checkpoint was saved */
  gint64  images;
  int     size_px;
  int     base_px;      /* before the refiner: size_px if there is none */
  int     n_channels;
  int     n_inputs;     /* of the generator: a latent vector, then the shares if there are any */
  int     n_latent;
  const UrbConditions *conditions; /* (nullable): of a generator with shares: their distribution */
  double  area_size_m;  /* edge of the area of a tile */
  char   *dataset;      /* (nullable) owned; the dataset of the run */
  char   *dataset_id;   /* (nullable) owned */
} UrbSamplerInfo;

/* @checkpoint: a .safetensors file, or a run folder (its newest checkpoint).  Uses the EMA weights.
 * @place: may differ from the run's device */
UrbSampler           *urb_sampler_open     (const char *checkpoint, const UrbSamplerPlace *place,
                                            GError **error);
/* The same networks with untrained weights, for comparison in `evaluate`. */
UrbSampler           *urb_sampler_open_untrained (const char *checkpoint,
                                                  const UrbSamplerPlace *place, GError **error);
void                  urb_sampler_free     (UrbSampler *self);
const UrbSamplerInfo *urb_sampler_get_info (UrbSampler *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbSampler, urb_sampler_free)

/* Cities @first .. @first + @count of @seed: the same arguments give the same city on any machine
 * and device, up to rounding.  @levels: (out): (@count, size_px, size_px, n_channels) bytes 0..255,
 * row 0 at the top. */
gboolean urb_sampler_generate (UrbSampler *self, guint64 seed, gint64 first, gint64 count,
                               guint8 *levels, GError **error);

/* The same from inputs @z: (@count, n_inputs). */
gboolean urb_sampler_generate_from (UrbSampler *self, const float *z, gint64 count,
                                    guint8 *levels, GError **error);
/**
 * urb_sampler_fit:
 * @target: s is base_px, c is n_channels
 * @losses: (out): (@count)
 *
 * Cities that have the pixels of @target, each from another start: the input of city
 * @first + i of @seed.  See urb_fitter_run().  The first call takes longer.
 */
gboolean              urb_sampler_fit (UrbSampler *self, const UrbFitTarget *target, guint64 seed,
                                       gint64 first, gint64 count, guint8 *levels, double *losses,
                                       UrbProgressFunc progress, gpointer user_data,
                                       GCancellable *cancellable, GError **error);
/* The input for a city.  @z: (out): (n_inputs) */
void     urb_sampler_get_input (UrbSampler *self, guint64 seed, gint64 index, float *z);
/**
 * urb_sampler_ask:
 * @wish: what is asked of all further cities
 * @warning: (out) (nullable) (transfer full): which shares the data do not have, %NULL if they have all
 *
 * Fails with a %URB_TRAIN_ERROR_OPTIONS if something is asked of a generator without shares.
 */
gboolean urb_sampler_ask (UrbSampler *self, const UrbShareWish *wish, char **warning, GError **error);

G_END_DECLS
