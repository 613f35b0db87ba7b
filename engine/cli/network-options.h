/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network-options.h - the options that `plan` and `bench` share: which
 * networks, at which batch, on which backend.
 */
#pragma once

#include "train/trainer.h"

G_BEGIN_DECLS

typedef struct
{
  char *preset, *recipe, *precision, *backend; /* owned; NULL: the default */
  int   batch, accumulate, channels, threads;
  double augment;
} UrbCliNetworkOptions;

void urb_cli_network_options_clear (UrbCliNetworkOptions *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbCliNetworkOptions, urb_cli_network_options_clear)

/* Entries that fill @self; g_array_unref() the array.  Append your own and a
 * NULL entry. */
GArray *urb_cli_network_options_get_entries (UrbCliNetworkOptions *self);

/* What was given, as words of a command line. (transfer full) */
char   **urb_cli_network_options_dup_arguments (const UrbCliNetworkOptions *self);

/* FALSE with a %URB_TRAIN_ERROR_OPTIONS for an unknown precision. */
gboolean urb_cli_network_options_apply (const UrbCliNetworkOptions *self, UrbTrainOptions *options,
                                        GError **error);

G_END_DECLS
