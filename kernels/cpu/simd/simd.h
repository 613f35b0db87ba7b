/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simd.h - shared by the hot loops; included only in this folder.
 *
 * Every file here is compiled once per instruction set, with UK_ISA set to its name.  A function that
 * other files call is defined and called as UK_SIMD (name), which expands to uk_name_avx512 and so on.
 * Loops are plain C that the compiler vectorizes to the available width.
 */
#pragma once

#include "kernels/cpu/cpu-private.h"

#include <math.h>
#include <string.h>

#define UK_SIMD_PASTE2(name, isa) uk_##name##_##isa
#define UK_SIMD_PASTE(name, isa) UK_SIMD_PASTE2 (name, isa)
#define UK_SIMD(name) UK_SIMD_PASTE (name, UK_ISA)
#define UK_SIMD_STRING2(isa) #isa
#define UK_SIMD_STRING(isa) UK_SIMD_STRING2 (isa)

/* Disables ThreadSanitizer in a function in which asynchronous ranks deliberately update the same memory
 * (engine/parallel/hogwild.c). */
#define UK_RACES_ON_PURPOSE __attribute__ ((no_sanitize_thread))

/* The widest vectors available, and how many accumulators fit into registers. */
#if defined __AVX512F__
#define UK_VECTOR_BYTES 64
#define UK_ACCUMULATORS 24
#elif defined __AVX2__
#define UK_VECTOR_BYTES 32
#define UK_ACCUMULATORS 12
#else
#define UK_VECTOR_BYTES 16
#define UK_ACCUMULATORS 12
#endif
enum { UK_LANES = UK_VECTOR_BYTES / sizeof (float) };

/* As wide as a register, with the alignment of a float. */
typedef float UkVector __attribute__ ((vector_size (UK_VECTOR_BYTES), aligned (4), may_alias));

enum
{
  /* Below this many elements a second thread costs more than it gains. */
  UK_MIN_PER_THREAD = 8192,
  /* Longest row that a per-channel vector is repeated to (see UkPeriod). */
  UK_MAX_PERIOD = 512,
  /* Rows summed in single precision before they are added to a double. */
  UK_SUM_ROWS = 128
};

/* ------------------------------------------------------------------------ */
/* Work sharing                                                              */

typedef struct
{
  int64_t begin, end;
} UkRange;

/* Part @part of @n_parts of [0, total). */
static inline UkRange
uk_part (int64_t total, int n_parts, int part)
{
  int64_t base = total / n_parts, rest = total % n_parts;
  UkRange range;

  range.begin = base * part + (part < rest ? part : rest);
  range.end = range.begin + base + (part < rest ? 1 : 0);
  return range;
}

/* Likewise in whole cache lines of floats, so that no two parts share one. */
static inline UkRange
uk_part_lines (int64_t total, int n_parts, int part)
{
  int64_t n_lines = (total + 15) / 16;
  UkRange range = uk_part (n_lines, n_parts, part);

  range.begin *= 16;
  range.end = range.end * 16 < total ? range.end * 16 : total;
  if (range.begin > range.end)
    range.begin = range.end;
  return range;
}

/* Index of the next work item, dynamically scheduled; *@next starts at 0.  Only where a result does not
 * depend on which thread computes it. */
static inline int64_t
uk_next_item (int64_t *next)
{
  return __atomic_fetch_add (next, 1, __ATOMIC_RELAXED);
}

/* Number of threads that pay off for @count elements. */
static inline int
uk_threads_for (int64_t count, int n_threads)
{
  int64_t worth = count / UK_MIN_PER_THREAD;

  return worth < 1 ? 1 : worth < n_threads ? (int) worth : n_threads;
}

/* ------------------------------------------------------------------------ */
/* Per-channel vectors                                                       */

/* A row of c channels, repeated until it is long enough for vector loops: with three channels the loop
 * runs over 510 elements instead of 3.  Rows of more than UK_MAX_PERIOD channels are used as they are. */
typedef struct
{
  int64_t c, repeats, length; /* length = c * repeats */
} UkPeriod;

static inline UkPeriod
uk_period (int64_t c)
{
  UkPeriod period = { .c = c, .repeats = c < UK_MAX_PERIOD ? UK_MAX_PERIOD / c : 1 };

  period.length = period.repeats * c;
  return period;
}

/* @v (c) itself if it is long enough, else repeated into @room (UK_MAX_PERIOD). */
static inline const float *
uk_repeat (UkPeriod period, const float *v, float *room)
{
  if (period.repeats == 1)
    return v;
  for (int64_t r = 0; r < period.repeats; r++)
    memcpy (room + r * period.c, v, (size_t) period.c * sizeof (float));
  return room;
}

/* ------------------------------------------------------------------------ */
/* Functions shared within this folder                                      */

/* The functions of UkCpuIsa. */
#define UK_SIMD_FUNCTIONS(X)                                                                       \
  X (bias_act) X (to_bf16) X (accumulate) X (make_patches) X (to_narrow)                           \
  X (narrow_wgrad) X (to_narrow_scratch_bytes) X (narrow_wgrad_scratch_bytes) X (winograd)         \
  X (winograd_pack) X (winograd_wgrad) X (winograd_packed_bytes) X (winograd_scratch_bytes)        \
  X (winograd_wgrad_scratch_bytes) X (peak_flops)

#define UK_SIMD_FUNCTION(name) extern __typeof__ (*((UkCpuIsa *) 0)->name) UK_SIMD (name);
UK_SIMD_FUNCTIONS (UK_SIMD_FUNCTION)
#undef UK_SIMD_FUNCTION

/* On several pixels of c channels, in place, on this thread. */
void UK_SIMD (act_pixels) (float *y, int64_t n_pixels, int64_t c, UkAct act, float slope);
/* dx = dy * act' (y), on this thread; dx may be dy. */
void UK_SIMD (act_grad_pixels) (float *dx, const float *dy, const float *y, int64_t n_pixels,
                                int64_t c, UkAct act, float slope);

/* The kernels, with their kinds. */
#define UK_SIMD_KERNELS(X)                                                                         \
  X (LOAD, load) X (NOISE, noise) X (AUGMENT, augment) X (AUGMENT_GRAD, augment)                   \
  X (DEPTHWISE, depthwise) X (DEPTHWISE_DGRAD, depthwise_dgrad)                                    \
  X (DEPTHWISE_WGRAD, depthwise_wgrad) X (BIAS_ACT, bias_act) X (ACT_GRAD, act_grad)               \
  X (BATCH_NORM, batch_norm) X (BATCH_NORM_GRAD, batch_norm_grad)                                  \
  X (BATCH_NORM_INFER, batch_norm_infer) X (BATCH_NORM_RECOMPUTE, batch_norm_infer)                \
  X (BATCH_NORM_LOCAL, batch_norm_local) X (BATCH_NORM_GLOBAL, batch_norm_global)                  \
  X (BATCH_NORM_GRAD_LOCAL, batch_norm_grad_local)                                                 \
  X (BATCH_NORM_GRAD_GLOBAL, batch_norm_grad_global)                                               \
  X (UPSAMPLE, resample) X (DOWNSAMPLE, resample) X (ADD, add) X (AXPBY, axpby)                    \
  X (SQUARED_NORM, squared_norm) X (LOSS_BCE, loss_bce) X (LOSS_PAIR_D, loss_pair)                 \
  X (LOSS_PAIR_G, loss_pair) X (GRAD_SQUARES, grad_squares) X (GRAD_FACTOR, grad_factor)           \
  X (ADAM, adam) X (FILL, fill) X (CONCAT, concat) X (SHARES, shares)                              \
  X (SHARES_GRAD, shares_grad)

#define UK_SIMD_KERNEL(kind, name) extern const UkCpuKernel UK_SIMD (name##_kernel);
UK_SIMD_KERNELS (UK_SIMD_KERNEL)
#undef UK_SIMD_KERNEL
