/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl-conv-private.h - shared by dnnl-conv.c and dnnl-conv-v2.c or -v3.c.
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
  UkDnnlConvInfo        info;
};

/* A memory descriptor: a struct in oneDNN 2.x, a handle in 3.x. */
#if DNNL_VERSION_MAJOR >= 3
typedef const_dnnl_memory_desc_t UkDnnlMd;
#else
typedef const dnnl_memory_desc_t *UkDnnlMd;
#endif

/* Creates self->pd and, through uk_dnnl_conv_finish(), everything else but dnnl, desc and primitive.
 * After a failure, uk_dnnl_conv_free() frees what was created. */
dnnl_status_t uk_dnnl_conv_describe (UkDnnlConv *self);

/* A hash of everything that distinguishes weight formats; 0 if unknown. */
uint64_t uk_dnnl_format_key (UkDnnlMd md);

/* The parts of uk_dnnl_conv_describe() that are the same in 2.x and 3.x.  finish() needs self->pd. */
dnnl_status_t uk_dnnl_conv_make_attr (const UkDnnlConvDesc *desc, bool forward,
                                      dnnl_primitive_attr_t *attr);
dnnl_status_t uk_dnnl_conv_finish    (UkDnnlConv *self, UkDnnlMd src, UkDnnlMd dst, UkDnnlMd bias,
                                      UkDnnlMd stored);

/* Data types of a pass: with bf16 only its inputs are bf16. */
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
