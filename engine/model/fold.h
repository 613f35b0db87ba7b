/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold.h - a network for inference, with batch norm folded into its convolutions.
 */
#pragma once

#include "model/net.h"

G_BEGIN_DECLS

/* The same function as @self with fixed statistics, without batch norm layers: the convolution before
 * each takes its bias and activation.  The parameters come from urb_net_fold_values (); they are
 * never more than @self's.  Every batch norm of @self must directly follow a convolution that nothing
 * else reads, as in presets. */
UrbNet *urb_net_fold (const UrbNet *self);

/* @folded: urb_net_fold (@self); @params: (@self's n_params); @state: (@self's n_state) statistics;
 * @values: (out): (@folded's n_params), overwritten; must not be @params */
void urb_net_fold_values (const UrbNet *self, const UrbNet *folded, const float *params,
                          const float *state, float *values);

G_END_DECLS
