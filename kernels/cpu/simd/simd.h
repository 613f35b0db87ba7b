/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simd.h - what the hot loops share; included only in this folder.
 *
 * Every file here is compiled once per instruction set, with UK_ISA defined to
 * its name.  A function that another file calls is therefore defined and
 * called as UK_SIMD (name), which makes it uk_name_avx512 and so on.  Loops
 * are plain C that the compiler turns into vectors of whatever width there is.
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

/* A function that ThreadSanitizer does not look at: ranks that train asynchronously update the same
 * memory in it, on purpose (engine/parallel/hogwild.c). */
#define UK_RACES_ON_PURPOSE __attribute__ ((no_sanitize_thread))

/* The widest vectors that there are, and how many names them at once. */
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

/* As wide as a register, but at home at any address of a float. */
typedef float UkVector __attribute__ ((vector_size (UK_VECTOR_BYTES), aligned (4), may_alias));

enum
{
  /* Below this many elements a second thread costs more than it brings. */
  UK_MIN_PER_THREAD = 8192,
  /* Longest row that a per-channel vector is repeated to (see UkPeriod). */
  UK_MAX_PERIOD = 512,
  /* Rows summed in single precision before they go into a double. */
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

/* The same in whole cache lines of floats, so that no two parts share one. */
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

/* The next of several pieces of work that threads take as they come; *@next is 0
 * at first.  Only where it makes no difference to a result who made it. */
static inline int64_t
uk_take (int64_t *next)
{
  return __atomic_fetch_add (next, 1, __ATOMIC_RELAXED);
}

/* How many threads @count elements are worth. */
static inline int
uk_threads_for (int64_t count, int n_threads)
{
  int64_t worth = count / UK_MIN_PER_THREAD;

  return worth < 1 ? 1 : worth < n_threads ? (int) worth : n_threads;
}

/* ------------------------------------------------------------------------ */
/* Per-channel vectors                                                       */

/* A row of c channels repeated until it is long enough for vector loops: with
 * three channels the loop runs over 510 elements instead of 3.  Rows of more
 * than UK_MAX_PERIOD channels are long enough as they are. */
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
/* Functions                                                                 */

/* e^x to 2 units in the last place.  After Cephes' expf (S. Moshier). */
static inline float
uk_exp (float x)
{
  const float magic = 12582912.0f; /* 1.5 * 2^23: adding it rounds to an integer */
  float t, n, r, p, power;
  int32_t bits;

  x = x < -87.0f ? -87.0f : x;
  x = x > 88.0f ? 88.0f : x;
  t = x * 1.44269504088896341f + magic;
  n = t - magic;
  r = x - n * 0.693359375f;
  r = r + n * 2.12194440e-4f;
  p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  memcpy (&bits, &t, sizeof bits);
  bits = (int32_t) ((uint32_t) (bits - 0x4B400000 + 127) << 23);
  memcpy (&power, &bits, sizeof power);
  return p * power;
}

static inline float
uk_sigmoid (float x)
{
  return 1.0f / (1.0f + uk_exp (-x));
}

/* A polynomial near 0, where 1 - 2 / (e^2x + 1) would cancel. */
static inline float
uk_tanh (float x)
{
  float z = x * x;
  float p = -5.70498872745e-3f;
  float far = 1.0f - 2.0f / (uk_exp (2.0f * x) + 1.0f);

  p = p * z + 2.06390887954e-2f;
  p = p * z - 5.37397155531e-2f;
  p = p * z + 1.33314422036e-1f;
  p = p * z - 3.33332819422e-1f;
  p = p * z * x + x;
  return z < 0.390625f ? p : far;
}

/* ------------------------------------------------------------------------ */
/* What files of this folder offer each other                                */

void UK_SIMD (bias_act) (float *y, const float *x, const float *b, int64_t n_pixels, int64_t c,
                         UkAct act, float slope, int n_threads);
/* Several pixels of c channels, in place, on this thread. */
void UK_SIMD (act_pixels) (float *y, int64_t n_pixels, int64_t c, UkAct act, float slope);
/* dx = dy * act' (y), all on this thread; dx may be dy. */
void UK_SIMD (act_grad_pixels) (float *dx, const float *dy, const float *y, int64_t n_pixels,
                                int64_t c, UkAct act, float slope);
void UK_SIMD (to_bf16) (uint16_t *y, const float *x, int64_t count, int n_threads);
void UK_SIMD (accumulate) (float *y, const float *x, int64_t count, int n_threads);
double UK_SIMD (peak_flops) (int64_t n);
void UK_SIMD (make_patches) (const UkCpuPatches *p, const float *src, const float *zeros,
                             float *patches);
void UK_SIMD (transpose) (float *y, const float *x, int64_t n, int64_t rows, int64_t cols,
                          int n_threads);
void UK_SIMD (to_narrow) (const UkCpuNarrow *conv, const float *wide, const float *weights,
                          const float *bias, UkAct act, float slope, float *narrow,
                          void *scratch);
void UK_SIMD (narrow_wgrad) (const UkCpuNarrow *conv, const float *wide, const float *narrow,
                             float *weights, void *scratch);
size_t UK_SIMD (to_narrow_scratch_bytes) (const UkCpuNarrow *conv);
size_t UK_SIMD (narrow_wgrad_scratch_bytes) (const UkCpuNarrow *conv);
void UK_SIMD (winograd) (const UkCpuWinograd *w, const float *src, const float *weights,
                         const float *bias, float slope, float *dst, void *scratch);
void UK_SIMD (winograd_pack) (const UkCpuWinograd *w, const float *weights, float *packed);
void UK_SIMD (winograd_wgrad) (const UkCpuWinograd *w, const float *src, const float *dst,
                               float *dw, bool accumulate, void *scratch);
size_t UK_SIMD (winograd_packed_bytes) (const UkCpuWinograd *w);
size_t UK_SIMD (winograd_scratch_bytes) (const UkCpuWinograd *w);
size_t UK_SIMD (winograd_wgrad_scratch_bytes) (const UkCpuWinograd *w);

#define UK_SIMD_KERNEL(name) extern const UkCpuKernel UK_SIMD (name##_kernel)
UK_SIMD_KERNEL (load);
UK_SIMD_KERNEL (noise);
UK_SIMD_KERNEL (augment);
UK_SIMD_KERNEL (augment_grad);
UK_SIMD_KERNEL (depthwise);
UK_SIMD_KERNEL (depthwise_dgrad);
UK_SIMD_KERNEL (depthwise_wgrad);
UK_SIMD_KERNEL (bias_act);
UK_SIMD_KERNEL (act_grad);
UK_SIMD_KERNEL (batch_norm);
UK_SIMD_KERNEL (batch_norm_grad);
UK_SIMD_KERNEL (batch_norm_infer);
UK_SIMD_KERNEL (batch_norm_recompute);
UK_SIMD_KERNEL (batch_norm_local);
UK_SIMD_KERNEL (batch_norm_global);
UK_SIMD_KERNEL (batch_norm_grad_local);
UK_SIMD_KERNEL (batch_norm_grad_global);
UK_SIMD_KERNEL (upsample);
UK_SIMD_KERNEL (downsample);
UK_SIMD_KERNEL (add);
UK_SIMD_KERNEL (axpby);
UK_SIMD_KERNEL (squared_norm);
UK_SIMD_KERNEL (loss_bce);
UK_SIMD_KERNEL (loss_pair_d);
UK_SIMD_KERNEL (loss_pair_g);
UK_SIMD_KERNEL (grad_norm);
UK_SIMD_KERNEL (adam);
UK_SIMD_KERNEL (fill);
