/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampler-options.h - the options that `generate`, `evaluate` and `draw` share: what their
 * generators compute on.
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

/* Entries that fill @self; g_array_unref() the array.  Append your own. */
GArray  *urb_cli_sampler_options_get_entries (UrbCliSamplerOptions *self);

/* @place: (out): borrows from @self.  FALSE with a %URB_TRAIN_ERROR_OPTIONS for what is wrong on any
 * machine; what this one has not, shows when a sampler is opened. */
gboolean urb_cli_sampler_options_apply (const UrbCliSamplerOptions *self, UrbSamplerPlace *place,
                                        GError **error);

G_END_DECLS
