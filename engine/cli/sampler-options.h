/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampler-options.h - the device options shared by `generate`, `evaluate` and `draw`.
 */
#pragma once

#include "train/sampler.h"

G_BEGIN_DECLS

typedef struct
{
  char *device, *precision; /* owned; NULL: the default */
  int   n_threads;
  gboolean no_refiner;
} UrbCliSamplerOptions;

void     urb_cli_sampler_options_clear (UrbCliSamplerOptions *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbCliSamplerOptions, urb_cli_sampler_options_clear)

/* Adds the options that set @self. */
void     urb_cli_sampler_options_add (UrbCliSamplerOptions *self, GOptionContext *options);

/* @place: (out): borrows from @self.  FALSE with a %URB_TRAIN_ERROR_OPTIONS for invalid options;
 * missing devices are reported when a sampler is opened.  Warns of measurements that cannot be kept. */
gboolean urb_cli_sampler_options_apply (const UrbCliSamplerOptions *self, UrbSamplerPlace *place,
                                        GError **error);

G_END_DECLS
