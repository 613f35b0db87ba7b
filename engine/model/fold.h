/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold.h - a network that only draws, with batch norm in its convolutions.
 */
#pragma once

#include "model/net.h"

G_BEGIN_DECLS

/* The same function as @self with given statistics, without batch norm layers: the convolution
 * before each has its bias and its activation.  Its parameters are those of
 * urb_net_fold_values (), never more than @self's.  Every batch norm of @self must stand
 * directly behind a convolution that nothing else reads, as presets write it. */
UrbNet *urb_net_fold (const UrbNet *self);

/* @folded: urb_net_fold (@self); @params: (@self's n_params); @state: (@self's n_state), the
 * statistics; @values: (out): (@folded's n_params), overwritten, not @params */
void urb_net_fold_values (const UrbNet *self, const UrbNet *folded, const float *params,
                          const float *state, float *values);

G_END_DECLS
