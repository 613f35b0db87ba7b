/* SPDX-License-Identifier: Apache-2.0 */
/*
 * isa.c - the table of one instruction set's hot loops.
 *
 * C does not allow a constant in another constant's initializer; hence the table of pointers.
 */
#include "simd.h"

static const UkCpuKernel *const kernels[UK_N_OPS] = {
#define KERNEL(kind, name) [UK_OP_##kind] = &UK_SIMD (name##_kernel),
  UK_SIMD_KERNELS (KERNEL)
#undef KERNEL
};

const UkCpuIsa UK_SIMD (cpu_isa) = {
  .name = UK_SIMD_STRING (UK_ISA),
  .n_lanes = UK_LANES,
  .kernels = kernels,
#define FUNCTION(name) .name = UK_SIMD (name),
  UK_SIMD_FUNCTIONS (FUNCTION)
#undef FUNCTION
};
