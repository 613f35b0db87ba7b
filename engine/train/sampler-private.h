/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampler-private.h - what a sampler of several areas uses of a sampler.
 */
#pragma once

#include "model/net.h"
#include "train/generator.h"
#include "train/sampler.h"
#include "train/wide-sampler.h"

struct _UrbSampler
{
  UrbSamplerInfo info;
  UrbNet        *net;
  UrbConditions *conditions; /* (nullable) owned */
  UkBackend     *backend;
  void          *params; /* device, owned */
  gsize          params_bytes;
  UrbGenerator  *generator;
  UrbFitter     *fitter;  /* (nullable) owned; from its first use on */
  int            n_base;  /* layers before the refiner */
};

/* With windows of @window_px pixels along an edge, as far as they are large enough for the network. */
UrbWideSampler *urb_wide_sampler_new_in (UrbSampler *sampler, int n_cols, int n_rows,
                                         gint64 window_px, GError **error);
