/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/strategy.h"

#include <glib/gi18n.h>

static const UrbariumStrategy strategies[] = {
  { "single", N_ ("One process"), N_ ("Both networks and every step on one device"),
    URBARIUM_STRATEGY_SINGLE },
  { "async", N_ ("Asynchronous, shared parameters"),
    N_ ("Workers change the same weights without waiting for each other"),
    URBARIUM_STRATEGY_SHARED },
  { "data-parallel", N_ ("DataParallel"),
    N_ ("One process deals out each batch to the devices and gathers the results"),
    URBARIUM_STRATEGY_SCATTER },
  { "ddp", N_ ("Distributed data parallel"),
    N_ ("A copy of the networks per device; gradients are summed in a ring"),
    URBARIUM_STRATEGY_RING },
  { "pipeline", N_ ("Pipeline"),
    N_ ("Layers are dealt out to the devices; microbatches flow through them"),
    URBARIUM_STRATEGY_PIPELINE },
  { "tensor", N_ ("Tensor parallel"), N_ ("Every layer is cut into slices, one per device"),
    URBARIUM_STRATEGY_TENSOR },
  { "zero", N_ ("ZeRO"), N_ ("Like data parallel, with the optimizer’s memory dealt out"),
    URBARIUM_STRATEGY_ZERO },
  { "fsdp", N_ ("Fully sharded data parallel"),
    N_ ("Weights too are dealt out, and gathered layer by layer"), URBARIUM_STRATEGY_FSDP },
};

const UrbariumStrategy *
urbarium_strategy_list (guint *n)
{
  *n = G_N_ELEMENTS (strategies);
  return strategies;
}

gboolean
urbarium_strategy_is_available (const UrbariumStrategy *strategy, const char *const *reported)
{
  if (strategy->kind == URBARIUM_STRATEGY_SINGLE)
    return TRUE;
  return reported != NULL && g_strv_contains (reported, strategy->name);
}
