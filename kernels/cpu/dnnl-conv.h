/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl-conv.h - one convolution pass through oneDNN, 2.x or 3.x.
 *
 * oneDNN changed its C API between 2.x and 3.x, so the description of a pass exists twice, in
 * dnnl-conv-v2.c and dnnl-conv-v3.c; the rest is in dnnl-conv.c.  Nothing else in the project includes
 * oneDNN's header.  Activations are NHWC; weights are in oneDNN's preferred format for the pass, and
 * pack() and unpack() convert.  All working memory is the caller's: execute() allocates nothing.
 */
#pragma once

#include "kernels/uk.h"

typedef enum
{
  UK_DNNL_FORWARD,         /* input src, weights -> output dst */
  UK_DNNL_BACKWARD_DATA,   /* input diff_dst, weights -> output diff_src */
  UK_DNNL_BACKWARD_WEIGHTS /* input src, output's gradient -> weights */
} UkDnnlPass;

/* An ordinary (not transposed) convolution from src to dst. */
typedef struct
{
  UkDnnlPass pass;
  UkShape    src, dst;
  int        kernel, stride, pad;
  bool       bf16;  /* inputs are bf16; the output stays fp32 */
  bool       bias;  /* FORWARD: add one */
  bool       relu;  /* FORWARD: then y > 0 ? y : slope * y */
  float      slope;
  int        n_threads;
} UkDnnlConvDesc;

typedef struct _UkDnnl     UkDnnl;     /* the library's engine and stream */
typedef struct _UkDnnlConv UkDnnlConv; /* one prepared pass */

UkStatus uk_dnnl_new  (UkDnnl **out);
void     uk_dnnl_free (UkDnnl *self);
/* "oneDNN 2.6.3" */
void     uk_dnnl_version (char *text, size_t size);

/* UK_UNSUPPORTED if the library cannot do @desc here. */
UkStatus uk_dnnl_conv_new  (UkDnnl *dnnl, const UkDnnlConvDesc *desc, UkDnnlConv **out);
void     uk_dnnl_conv_free (UkDnnlConv *self);

typedef struct
{
  size_t   scratch_bytes; /* for execute() */
  size_t   weights_bytes; /* in oneDNN's format */
  /* Equal for two passes that can share packed weights; 0 if the format is the stored one, fp32
   * (o, kh, kw, i), and needs no packing. */
  uint64_t weights_key;
} UkDnnlConvInfo;

const UkDnnlConvInfo *uk_dnnl_conv_info (const UkDnnlConv *self);

/* Stored weights -> oneDNN's format (not BACKWARD_WEIGHTS), and back (BACKWARD_WEIGHTS only). */
UkStatus uk_dnnl_conv_pack   (UkDnnlConv *self, const float *w, void *packed);
UkStatus uk_dnnl_conv_unpack (UkDnnlConv *self, const void *packed, float *w);

/* @in is src (forward, weights) or diff_dst (data); @out is dst (forward) or diff_src (data).  For the
 * weights pass @out is diff_dst, also an input, and @weights is written. */
UkStatus uk_dnnl_conv_execute (UkDnnlConv *self, const void *in, const void *weights,
                               const float *bias, const void *out, void *scratch);

/* ------------------------------------------------------------------------ */

typedef enum { UK_DNNL_AS_IS, UK_DNNL_TRANSPOSED } UkDnnlOrder;

/* c (m, n) = a (m, k) b (k, n), or += with @add; a TRANSPOSED matrix is stored as (k, m) or (n, k).  All
 * are dense and row-major.  oneDNN may allocate memory while it runs. */
UkStatus uk_dnnl_gemm (UkDnnlOrder a_order, UkDnnlOrder b_order, int64_t m, int64_t n, int64_t k,
                       const float *a, const float *b, float *c, bool add, int n_threads);
