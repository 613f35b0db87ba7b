/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calibrate.h - measures what the operations and exchanges of a run cost on this machine.
 */
#pragma once

#include "train/costs.h"

G_BEGIN_DECLS

/**
 * urb_calibrate:
 * @options: resolved; a run of them must fit into the machine's memory
 * @costs: (inout): for as many local ranks as the options have; gets what was measured
 *
 * Runs the operations of a step on all ranks at once, as threads of this process, each a few times and in
 * the order of the step; then each kind of exchange at several sizes.  Takes seconds and the memory of
 * the run.  Does not save @costs.
 */
gboolean urb_calibrate (const UrbTrainOptions *options, UrbCosts *costs, GCancellable *cancellable,
                        GError **error);

G_END_DECLS
