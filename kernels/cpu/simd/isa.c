/* SPDX-License-Identifier: Apache-2.0 */
/*
 * isa.c - the hot loops of one instruction set, collected in one table.
 *
 * Each file's kernel is a constant of its own, and C does not let a constant
 * be copied into another's initializer; hence a table of pointers.
 */
#include "simd.h"

static const UkCpuKernel *const kernels[UK_N_OPS] = {
  [UK_OP_LOAD] = &UK_SIMD (load_kernel),
  [UK_OP_NOISE] = &UK_SIMD (noise_kernel),
  [UK_OP_AUGMENT] = &UK_SIMD (augment_kernel),
  [UK_OP_AUGMENT_GRAD] = &UK_SIMD (augment_grad_kernel),
  [UK_OP_DEPTHWISE] = &UK_SIMD (depthwise_kernel),
  [UK_OP_DEPTHWISE_DGRAD] = &UK_SIMD (depthwise_dgrad_kernel),
  [UK_OP_DEPTHWISE_WGRAD] = &UK_SIMD (depthwise_wgrad_kernel),
  [UK_OP_BIAS_ACT] = &UK_SIMD (bias_act_kernel),
  [UK_OP_ACT_GRAD] = &UK_SIMD (act_grad_kernel),
  [UK_OP_BATCH_NORM] = &UK_SIMD (batch_norm_kernel),
  [UK_OP_BATCH_NORM_GRAD] = &UK_SIMD (batch_norm_grad_kernel),
  [UK_OP_BATCH_NORM_INFER] = &UK_SIMD (batch_norm_infer_kernel),
  [UK_OP_BATCH_NORM_RECOMPUTE] = &UK_SIMD (batch_norm_recompute_kernel),
  [UK_OP_BATCH_NORM_LOCAL] = &UK_SIMD (batch_norm_local_kernel),
  [UK_OP_BATCH_NORM_GLOBAL] = &UK_SIMD (batch_norm_global_kernel),
  [UK_OP_BATCH_NORM_GRAD_LOCAL] = &UK_SIMD (batch_norm_grad_local_kernel),
  [UK_OP_BATCH_NORM_GRAD_GLOBAL] = &UK_SIMD (batch_norm_grad_global_kernel),
  [UK_OP_UPSAMPLE] = &UK_SIMD (upsample_kernel),
  [UK_OP_DOWNSAMPLE] = &UK_SIMD (downsample_kernel),
  [UK_OP_ADD] = &UK_SIMD (add_kernel),
  [UK_OP_AXPBY] = &UK_SIMD (axpby_kernel),
  [UK_OP_SQUARED_NORM] = &UK_SIMD (squared_norm_kernel),
  [UK_OP_LOSS_BCE] = &UK_SIMD (loss_bce_kernel),
  [UK_OP_LOSS_PAIR_D] = &UK_SIMD (loss_pair_d_kernel),
  [UK_OP_LOSS_PAIR_G] = &UK_SIMD (loss_pair_g_kernel),
  [UK_OP_GRAD_NORM] = &UK_SIMD (grad_norm_kernel),
  [UK_OP_ADAM] = &UK_SIMD (adam_kernel),
  [UK_OP_FILL] = &UK_SIMD (fill_kernel),
};

const UkCpuIsa UK_SIMD (cpu_isa) = {
  .name = UK_SIMD_STRING (UK_ISA),
  .kernels = kernels,
  .bias_act = UK_SIMD (bias_act),
  .to_bf16 = UK_SIMD (to_bf16),
  .accumulate = UK_SIMD (accumulate),
  .make_patches = UK_SIMD (make_patches),
  .transpose = UK_SIMD (transpose),
  .n_lanes = UK_LANES,
  .to_narrow = UK_SIMD (to_narrow),
  .narrow_wgrad = UK_SIMD (narrow_wgrad),
  .to_narrow_scratch_bytes = UK_SIMD (to_narrow_scratch_bytes),
  .narrow_wgrad_scratch_bytes = UK_SIMD (narrow_wgrad_scratch_bytes),
  .winograd = UK_SIMD (winograd),
  .winograd_pack = UK_SIMD (winograd_pack),
  .winograd_wgrad = UK_SIMD (winograd_wgrad),
  .winograd_packed_bytes = UK_SIMD (winograd_packed_bytes),
  .winograd_scratch_bytes = UK_SIMD (winograd_scratch_bytes),
  .winograd_wgrad_scratch_bytes = UK_SIMD (winograd_wgrad_scratch_bytes),
  .peak_flops = UK_SIMD (peak_flops),
};
