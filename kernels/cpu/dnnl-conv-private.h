/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl-conv-private.h - what dnnl-conv.c and dnnl-conv-v2.c or -v3.c share.
 */
#pragma once

#include "kernels/cpu/dnnl-conv.h"

#include <oneapi/dnnl/dnnl.h>

struct _UkDnnl
{
  dnnl_engine_t engine;
  dnnl_stream_t stream;
};

struct _UkDnnlConv
{
  UkDnnl               *dnnl; /* borrowed */
  UkDnnlConvDesc        desc;
  dnnl_primitive_desc_t pd;
  dnnl_primitive_t      primitive;
  dnnl_primitive_t      reorder; /* stored -> packed, or back; NULL: none needed */
  dnnl_memory_t         in, weights, bias, out, scratch, stored;
  size_t                scratch_bytes, weights_bytes;
  uint64_t              weights_key;
};

/* Everything in @self that comes from a description: all but dnnl and desc.
 * On failure what was made so far is left for uk_dnnl_conv_free(). */
dnnl_status_t uk_dnnl_conv_describe (UkDnnlConv *self);

/* The pieces of that which do not depend on the interface's version. */
dnnl_status_t uk_dnnl_conv_make_attr (const UkDnnlConvDesc *desc, bool forward,
                                      dnnl_primitive_attr_t *attr);

static inline dnnl_query_t
uk_dnnl_weights_query (const UkDnnlConv *self)
{
  return self->desc.pass == UK_DNNL_BACKWARD_WEIGHTS ? dnnl_query_diff_weights_md
                                                     : dnnl_query_weights_md;
}

/* Types of what goes in and comes out of a pass: with bf16 only the inputs
 * have it. */
static inline dnnl_data_type_t
uk_dnnl_src_type (const UkDnnlConvDesc *desc)
{
  return desc->bf16 && desc->pass != UK_DNNL_BACKWARD_DATA ? dnnl_bf16 : dnnl_f32;
}

static inline dnnl_data_type_t
uk_dnnl_dst_type (const UkDnnlConvDesc *desc)
{
  return desc->bf16 && desc->pass != UK_DNNL_FORWARD ? dnnl_bf16 : dnnl_f32;
}

static inline dnnl_data_type_t
uk_dnnl_weights_type (const UkDnnlConvDesc *desc)
{
  return desc->bf16 && desc->pass != UK_DNNL_BACKWARD_WEIGHTS ? dnnl_bf16 : dnnl_f32;
}

static inline uint64_t
uk_dnnl_hash (uint64_t h, int64_t value)
{
  h ^= (uint64_t) value;
  h *= 0x100000001b3u;
  return h ^ h >> 29;
}
