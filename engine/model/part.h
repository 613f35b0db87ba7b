/* SPDX-License-Identifier: Apache-2.0 */
/*
 * part.h - consecutive layers of a network as a network.
 */
#pragma once

#include "model/net.h"

G_BEGIN_DECLS

/* Layers [@first, @end) of @self, which share its parameters: the tensors, their offsets and n_params
 * are @self's.  Only for a network without batch norm, whose layers from @first on read no value
 * before the one that layer @first reads.
 * Returns: (transfer full) (nullable): NULL if one of them does */
UrbNet *urb_net_new_part (const UrbNet *self, int first, int end);

G_END_DECLS
