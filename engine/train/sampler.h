/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampler.h - a generator from a checkpoint, for inference only.
 */
#pragma once

#include <glib.h>

#include "kernels/uk.h"

G_BEGIN_DECLS

typedef struct _UrbSampler UrbSampler;

/* What it computes on. */
typedef struct
{
  const char *device;    /* (nullable): as in train/device.h; NULL: "cpu" */
  UkPrecision precision;
  int         n_threads; /* of a processor; 0: all */
} UrbSamplerPlace;

typedef struct
{
  char   *preset;       /* owned; name */
  gint64  step;         /* that the checkpoint was saved after */
  gint64  images;
  int     size_px;
  int     n_channels;
  int     n_latent;
  double  area_size_m;  /* edge of what a tile shows */
  char   *dataset;      /* (nullable) owned; that it was trained on */
  char   *dataset_id;   /* (nullable) owned */
} UrbSamplerInfo;

/* @checkpoint: a .safetensors file, or a run folder (its newest checkpoint).  Uses the EMA weights.
 * @place: need not be that of the run */
UrbSampler           *urb_sampler_open     (const char *checkpoint, const UrbSamplerPlace *place,
                                            GError **error);
/* The same networks with untrained weights: what `evaluate` compares with. */
UrbSampler           *urb_sampler_open_untrained (const char *checkpoint,
                                                  const UrbSamplerPlace *place, GError **error);
void                  urb_sampler_free     (UrbSampler *self);
const UrbSamplerInfo *urb_sampler_get_info (UrbSampler *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbSampler, urb_sampler_free)

/* Cities @first .. @first + @count of @seed: the same numbers give the same
 * city on any machine and device, up to rounding.  @levels: (out): (@count, size_px,
 * size_px, n_channels) bytes 0..255, row 0 at the top. */
gboolean urb_sampler_generate (UrbSampler *self, guint64 seed, gint64 first, gint64 count,
                               guint8 *levels, GError **error);

/* The same from latent vectors: @z: (@count, n_latent). */
gboolean urb_sampler_generate_from (UrbSampler *self, const float *z, gint64 count,
                                    guint8 *levels, GError **error);
/* The latent vector of a city, for walks between two. @z: (out): (n_latent) */
void     urb_sampler_get_latent (UrbSampler *self, guint64 seed, gint64 index, float *z);

G_END_DECLS
