/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpu-private.h - declarations shared by the files of the cpu backend.
 *
 * Files in this folder are compiled once: the table, memory, and convolutions through oneDNN.  Files in
 * simd/ hold the hot loops and are compiled once per instruction set (baseline, avx2, avx512), each time
 * under different names; each set exports one UkCpuIsa, and open() picks the best one for the processor.
 *
 * Results are bit-identical across runs with the same number of threads: work is split into fixed
 * parts, and partial sums are added in the order of the parts.
 */
#pragma once

#include "kernels/uk.h"

#include "kernels/cpu/dnnl-conv.h"

enum
{
  UK_CPU_ALIGN = 64,
  UK_CPU_MAX_THREADS = 1024
};

typedef struct _UkCpuOp UkCpuOp;
typedef struct _UkCpuIsa UkCpuIsa;

/* Implementation of one kind of operation. */
typedef struct
{
  /* (optional) Sets op->base.scratch_bytes and the rest of @op. */
  UkStatus (*prepare) (UkCpuOp *op);
  UkStatus (*run)     (UkCpuOp *op, void *const *args, void *scratch);
  UkStatus (*pack)    (UkCpuOp *op, const void *w, void *packed); /* (optional) */
} UkCpuKernel;

/* A convolution between a side with many channels and one with up to four, in the form of our own loops:
 * wide pixel (r, q) connects to narrow pixels (r * stride - pad + i, q * stride - pad + j),
 * 0 <= i, j < kernel.  Weights are rows of `row` floats, one per wide channel, in the order (i, j, c). */
typedef struct
{
  UkShape wide, narrow;
  int     kernel, stride, pad;
  int64_t row; /* kernel * kernel * narrow.c, rounded up to whole vectors */
  int     n_threads;
} UkCpuNarrow;

/* An ordinary convolution as a matrix product of patches and weights. */
typedef struct
{
  UkShape src, dst;
  int     kernel, stride, pad;
  int     n_threads;
} UkCpuPatches;

/* A Winograd convolution (see conv-winograd.c): along each axis tile t reads pixels
 * (m t + i) * src_step + src_offset + e of phase e of the source, 0 <= i < m + taps - 1, and writes pixels
 * (m t + i) * dst_step + dst_offset + e of phase e of the result, 0 <= i < m.  A step of n pixels has n
 * phases, each with `taps` taps.
 *
 * Where the tiles overhang the result, a phase whose pixel 0 lies outside of the result may start with
 * pixel 1 instead.  The phases of the result then have separate (`per_phase`) tiles, which read and write one
 * step further for such phases. */
typedef struct
{
  UkShape src, dst; /* read and written; the weight gradient reads both */
  int     m, taps;  /* 3 and 2, 2 and 3, or 2 and 2 */
  int     src_step, src_offset, dst_step, dst_offset;
  bool    reversed; /* reversed taps; src is the ordinary convolution's destination */
  bool    per_phase;
  int64_t rows, cols; /* tiles per image */
  int     n_threads;
} UkCpuWinograd;

/* The hot loops for one instruction set. */
struct _UkCpuIsa
{
  const char               *name;    /* "avx512" */
  int                       n_lanes; /* floats in a vector */
  const UkCpuKernel *const *kernels; /* [UK_N_OPS]; convolutions: NULL */

  /* y = act (x + b) on pixels of c channels; b may be NULL, y may be x. */
  void (*bias_act) (float *y, const float *x, const float *b, int64_t n_pixels, int64_t c,
                    UkAct act, float slope, int n_threads);
  /* Round to nearest even. */
  void (*to_bf16) (uint16_t *y, const float *x, int64_t count, int n_threads);
  /* y += x */
  void (*accumulate) (float *y, const float *x, int64_t count, int n_threads);
  /* The source patch of each destination pixel: patches is (dst.n, dst.h, dst.w, kernel, kernel, src.c),
   * 0 outside the image. */
  void (*make_patches) (const UkCpuPatches *p, const float *src, float *patches);
  /* narrow = act (sum over wide pixels and channels + bias); bias may be NULL. */
  void (*to_narrow) (const UkCpuNarrow *conv, const float *wide, const float *weights,
                     const float *bias, UkAct act, float slope, float *narrow, void *scratch);
  /* weights = sum over pixels of wide * narrow, overwritten. */
  void (*narrow_wgrad) (const UkCpuNarrow *conv, const float *wide, const float *narrow,
                        float *weights, void *scratch);
  size_t (*to_narrow_scratch_bytes)    (const UkCpuNarrow *conv);
  size_t (*narrow_wgrad_scratch_bytes) (const UkCpuNarrow *conv);
  /* dst = y > 0 ? y : slope * y, y being the convolution + bias; bias may be NULL.  @weights: from
   * winograd_pack(). */
  void (*winograd) (const UkCpuWinograd *w, const float *src, const float *weights,
                    const float *bias, float slope, float *dst, void *scratch);
  void (*winograd_pack) (const UkCpuWinograd *w, const float *weights, float *packed);
  /* The gradient of the stored weights, overwritten or added to. */
  void (*winograd_wgrad) (const UkCpuWinograd *w, const float *src, const float *dst, float *dw,
                          bool accumulate, void *scratch);
  size_t (*winograd_packed_bytes)        (const UkCpuWinograd *w);
  size_t (*winograd_scratch_bytes)       (const UkCpuWinograd *w);
  size_t (*winograd_wgrad_scratch_bytes) (const UkCpuWinograd *w);
  /* Runs `n` rounds of independent multiply-adds on this thread; returns their FLOP count. */
  double (*peak_flops) (int64_t n);
};

extern const UkCpuIsa uk_cpu_isa_baseline;
#ifdef UK_CPU_X86
extern const UkCpuIsa uk_cpu_isa_avx2;
extern const UkCpuIsa uk_cpu_isa_avx512;
#endif

/* The best one for this processor. */
const UkCpuIsa *uk_cpu_isa (void);
bool            uk_cpu_has_bf16 (void);
int             uk_cpu_n_cores (void);

typedef struct
{
  UkBackend       base;
  const UkCpuIsa *isa;
  int             n_threads;
  UkPrecision     precision;
  UkDnnl         *dnnl; /* owned */
} UkCpuBackend;

struct _UkCpuOp
{
  UkOp               base;
  const UkCpuKernel *kernel;    /* borrowed */
  const UkCpuIsa    *isa;       /* borrowed */
  int                n_threads;
  UkDnnlConv        *conv;      /* owned; convolutions */
  bool               bf16;      /* convolutions: bf16 products */
  bool               late_bias; /* convolutions: bias in a second pass */
  bool               late_act;  /* convolutions: activation in a second pass */
  bool               is_narrow; /* convolutions: run by conv-narrow.c */
  bool               flipped;   /* narrow: taps in reverse order */
  UkCpuNarrow        narrow;
  bool               is_gemm;   /* convolutions: run by conv-gemm.c */
  bool               is_winograd; /* convolutions: run by conv-winograd.c */
  UkCpuWinograd      winograd;
  float             *zero_bias; /* (y.c), owned; for convolutions called without a bias */
};

/* conv-narrow.c: prepare() sets @op up and returns true if our own loops are faster for it; the other
 * functions are for such operations only. */
bool uk_cpu_narrow_prepare (UkCpuOp *op);
void uk_cpu_narrow_pack    (const UkCpuOp *op, const float *w, float *packed);
void uk_cpu_narrow_run     (const UkCpuOp *op, void *const *args, void *scratch);

/* conv-gemm.c: likewise, as one matrix product on the stored weights. */
bool     uk_cpu_gemm_prepare (UkCpuOp *op);
UkStatus uk_cpu_gemm_run     (UkCpuOp *op, void *const *args, void *scratch);

/* conv-winograd.c: likewise, by Winograd's algorithm. */
bool uk_cpu_winograd_prepare (UkCpuOp *op);
void uk_cpu_winograd_run     (const UkCpuOp *op, void *const *args, void *scratch);

/* The ordinary convolution behind a possibly transposed one: see conv.c. */
UkShape    uk_cpu_conv_src  (const UkOpDesc *desc);
UkShape    uk_cpu_conv_dst  (const UkOpDesc *desc);
UkDnnlPass uk_cpu_conv_pass (const UkOpDesc *desc);
bool       uk_cpu_conv_wants_bf16 (const UkCpuOp *op);

/* The kernel of the three convolution operations; NULL for other kinds. */
const UkCpuKernel *uk_cpu_conv_kernel (UkOpKind kind);

/* Rounds up to whole cache lines. */
static inline size_t
uk_cpu_align (size_t n_bytes)
{
  return (n_bytes + UK_CPU_ALIGN - 1) / UK_CPU_ALIGN * UK_CPU_ALIGN;
}
