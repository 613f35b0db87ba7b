/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conv-tiled.cu - convolutions by own kernels on tensor cores: which, and their launch.
 */
#include "kernels/cuda/conv-narrow.cuh"

bool
uk_cuda_conv_tiled_can (const UkConvShape *shape)
{
  UkNarrow g;

  if (!uk_narrow_find (shape, &g) && (shape->way != UK_CONV_OUTER || !uk_shallow_wgrad_can (shape)))
    return false;
  return shape->small.n * shape->small.h * shape->small.w <= INT32_MAX && uk_conv_n_weights (shape) <= INT32_MAX
         && shape->small.c / UK_GROUP <= UINT16_MAX && shape->large.c / UK_GROUP <= UINT16_MAX;
}

bool
uk_cuda_conv_tiled_fuses (const UkConvShape *shape, UkAct act)
{
  return (act == UK_ACT_NONE || act == UK_ACT_RELU || act == UK_ACT_LEAKY_RELU) && uk_narrow_is_expanded (shape);
}

size_t
uk_cuda_conv_tiled_scratch_bytes (const UkConvShape *shape)
{
  return shape->way == UK_CONV_OUTER ? uk_conv_wgrad_scratch_bytes (shape) : 0;
}

UkStatus
uk_cuda_conv_tiled (UkCudaOp *op, const UkConvShape *shape, const UkConvMemory *memory, const float *bias,
                    void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  UkAct act = desc->kind == UK_OP_CONV ? desc->act : UK_ACT_NONE;
  float slope = act == UK_ACT_RELU ? 0 : act == UK_ACT_LEAKY_RELU ? desc->slope : 1;

  if (shape->way == UK_CONV_OUTER)
    return uk_conv_wgrad_run (op, shape, memory, (float *) scratch);
  return uk_narrow_run (op, shape, memory, bias, slope);
}
