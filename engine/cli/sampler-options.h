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
} UrbCliSamplerOptions;

void urb_cli_sampler_options_clear (UrbCliSamplerOptions *self);

/* Returns: (transfer full) (element-type GOptionEntry): entries that set @self; append your own */
GArray  *urb_cli_sampler_options_get_entries (UrbCliSamplerOptions *self);

/* @place: (out): borrows from @self.  FALSE with a %URB_TRAIN_ERROR_OPTIONS for invalid options;
 * missing devices are reported when a sampler is opened. */
gboolean urb_cli_sampler_options_apply (const UrbCliSamplerOptions *self, UrbSamplerPlace *place,
                                        GError **error);

G_END_DECLS
