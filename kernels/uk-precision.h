/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uk-precision.h - the precisions of the products in convolutions, and their names.  A header of its own, so
 * that settings can use it without a backend.  Sums are fp32.
 */
#pragma once

typedef enum
{
  UK_FP32,
  UK_BF16,
  UK_TF32, /* `cuda`: factors are rounded to 10 mantissa bits in hardware; values stay fp32 */
  UK_FP16, /* `cuda`: values of at most 65504, so that gradients need a loss scale */
  UK_N_PRECISIONS
} UkPrecision;

/* By value, NULL-terminated. */
#define UK_PRECISION_NAMES { "fp32", "bf16", "tf32", "fp16", NULL }
