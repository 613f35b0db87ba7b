/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpu-private.h - what the files of the cpu backend share.
 *
 * Files in this folder are compiled once and hold what is not a hot loop: the
 * table, memory, and convolutions through oneDNN.  Files in simd/ are compiled
 * once per instruction set (baseline, avx2, avx512), every time under other
 * names; each set ends in one UkCpuIsa, and open() picks the best one that the
 * processor has.
 *
 * Results are the same in every run with the same number of threads: work is
 * cut into fixed parts, and partial sums are added in the order of the parts.
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

/* How one kind of operation is done. */
typedef struct
{
  /* (optional) Fills in op->base.scratch_bytes and whatever else. */
  UkStatus (*prepare) (UkCpuOp *op);
  UkStatus (*run)     (UkCpuOp *op, void *const *args, void *scratch);
  UkStatus (*pack)    (UkCpuOp *op, const void *w, void *packed); /* (optional) */
} UkCpuKernel;

/* A convolution between a side with many channels and one with up to four, as
 * our own loops see it: wide pixel (r, q) meets the narrow pixels
 * (r * stride - pad + i, q * stride - pad + j), 0 <= i, j < kernel.  Weights
 * are rows of `row` floats, one per wide channel, in the order (i, j, c). */
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

/* A convolution by Winograd's algorithm, as conv-winograd.c sees it: along each
 * axis tile t reads pixels (m t + i) * src_step + src_offset + e of phase e of
 * the source, 0 <= i < m + taps - 1, and makes pixels (m t + i) * dst_step +
 * dst_offset + e of phase e of the result, 0 <= i < m.  There is one phase for each
 * pixel of a step, and `taps` taps for each.
 *
 * Where m t leaves pixels over, a phase whose pixel 0 lies outside of the result
 * may begin with pixel 1: then all phases of the result have tiles `apart`, which
 * read and make what lies one step further there. */
typedef struct
{
  UkShape src, dst; /* what is read and made; of the gradient of weights, both are read */
  int     m, taps;  /* 3 and 2, 2 and 3, or 2 and 2 */
  int     src_step, src_offset, dst_step, dst_offset;
  bool    reversed; /* the taps; then src is the destination of the ordinary convolution */
  bool    apart;
  int64_t rows, cols; /* of tiles in an image */
  int     n_threads;
} UkCpuWinograd;

/* The hot loops for one instruction set. */
struct _UkCpuIsa
{
  const char               *name;    /* "avx512" */
  int                       n_lanes; /* floats in a vector */
  const UkCpuKernel *const *kernels; /* [UK_N_OPS]; convolutions: NULL */

  /* y = act (x + b) for whole pixels of c channels; b may be NULL, y may be x. */
  void (*bias_act) (float *y, const float *x, const float *b, int64_t n_pixels, int64_t c,
                    UkAct act, float slope, int n_threads);
  /* Round to nearest even. */
  void (*to_bf16) (uint16_t *y, const float *x, int64_t count, int n_threads);
  /* y += x */
  void (*accumulate) (float *y, const float *x, int64_t count, int n_threads);
  /* The patch that each destination pixel meets, (c, i, j) innermost: patches
   * is (dst.n, dst.h, dst.w, src.c, kernel, kernel); zeros outside.  @zeros: src.c
   * of them. */
  void (*make_patches) (const UkCpuPatches *p, const float *src, const float *zeros,
                        float *patches);
  /* n matrices (rows, cols) -> (cols, rows) */
  void (*transpose) (float *y, const float *x, int64_t n, int64_t rows, int64_t cols,
                     int n_threads);
  /* narrow = act (sum over wide pixels and channels + bias); bias may be NULL. */
  void (*to_narrow) (const UkCpuNarrow *conv, const float *wide, const float *weights,
                     const float *bias, UkAct act, float slope, float *narrow, void *scratch);
  /* weights = sum over pixels of wide * narrow, overwritten. */
  void (*narrow_wgrad) (const UkCpuNarrow *conv, const float *wide, const float *narrow,
                        float *weights, void *scratch);
  size_t (*to_narrow_scratch_bytes)    (const UkCpuNarrow *conv);
  size_t (*narrow_wgrad_scratch_bytes) (const UkCpuNarrow *conv);
  /* dst = y > 0 ? y : slope * y, y being the convolution + bias; bias may be NULL.
   * @weights is what winograd_pack() made of the stored ones. */
  void (*winograd) (const UkCpuWinograd *w, const float *src, const float *weights,
                    const float *bias, float slope, float *dst, void *scratch);
  void (*winograd_pack) (const UkCpuWinograd *w, const float *weights, float *packed);
  /* The gradient of the stored weights, overwritten or added to. */
  void (*winograd_wgrad) (const UkCpuWinograd *w, const float *src, const float *dst, float *dw,
                          bool accumulate, void *scratch);
  size_t (*winograd_packed_bytes)        (const UkCpuWinograd *w);
  size_t (*winograd_scratch_bytes)       (const UkCpuWinograd *w);
  size_t (*winograd_wgrad_scratch_bytes) (const UkCpuWinograd *w);
  /* Seconds that `n` rounds of independent multiply-adds take on this thread
   * are measured by the caller; the return value tells how many FLOP were done. */
  double (*peak_flops) (int64_t n);
};

extern const UkCpuIsa uk_cpu_isa_baseline;
#ifdef UK_CPU_X86
extern const UkCpuIsa uk_cpu_isa_avx2;
extern const UkCpuIsa uk_cpu_isa_avx512;
#endif

/* The best of them here. */
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
  bool               bf16;      /* convolutions: the products are bf16 */
  bool               late_bias; /* convolutions: in a second pass */
  bool               late_act;  /* convolutions: in a second pass */
  bool               is_narrow; /* convolutions: done by our own loops instead, */
  bool               flipped;   /* with the taps in reverse order */
  UkCpuNarrow        narrow;
  bool               is_gemm;   /* convolutions: done as a matrix product instead */
  bool               is_winograd; /* convolutions: done by Winograd's algorithm instead */
  UkCpuWinograd      winograd;
  float             *zero_bias; /* (y.c), owned; convolutions that want one, given none */
};

/* conv-narrow.c: if @op is a convolution that our own loops do better, sets it
 * up for that and returns true; the rest is then for such operations. */
bool uk_cpu_narrow_prepare (UkCpuOp *op);
void uk_cpu_narrow_pack    (const UkCpuOp *op, const float *w, float *packed);
void uk_cpu_narrow_run     (const UkCpuOp *op, void *const *args, void *scratch);

/* conv-gemm.c: the same, as one matrix product on the stored weights. */
bool     uk_cpu_gemm_prepare (UkCpuOp *op);
UkStatus uk_cpu_gemm_run     (UkCpuOp *op, void *const *args, void *scratch);

/* conv-winograd.c: the same, by Winograd's algorithm. */
bool uk_cpu_winograd_prepare (UkCpuOp *op);
void uk_cpu_winograd_pack    (const UkCpuOp *op, const float *w, float *packed);
void uk_cpu_winograd_run     (const UkCpuOp *op, void *const *args, void *scratch);

/* The ordinary convolution behind a possibly transposed one: see conv.c. */
UkShape    uk_cpu_conv_src  (const UkOpDesc *desc);
UkShape    uk_cpu_conv_dst  (const UkOpDesc *desc);
UkDnnlPass uk_cpu_conv_pass (const UkOpDesc *desc);
bool       uk_cpu_conv_wants_bf16 (const UkCpuOp *op);

/* The one kernel of the three convolution operations, or NULL for others. */
const UkCpuKernel *uk_cpu_conv_kernel (UkOpKind kind);

/* Rounds up to whole cache lines. */
static inline size_t
uk_cpu_align (size_t n_bytes)
{
  return (n_bytes + UK_CPU_ALIGN - 1) / UK_CPU_ALIGN * UK_CPU_ALIGN;
}
