/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl-conv-v2.c - dnnl-conv.h with oneDNN 2.x: operation descriptors.
 *
 * The memory objects are made once, without memory, and pointed at the
 * caller's before each execution.  A pass therefore belongs to one thread at a
 * time, as any UkOp does.
 */
#include "kernels/cpu/dnnl-conv.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <oneapi/dnnl/dnnl.h>

struct _UkDnnl
{
  dnnl_engine_t engine;
  dnnl_stream_t stream;
};

struct _UkDnnlConv
{
  UkDnnl                *dnnl; /* borrowed */
  UkDnnlConvDesc         desc;
  dnnl_primitive_desc_t  pd;
  dnnl_primitive_t       primitive;
  dnnl_primitive_t       reorder; /* stored -> packed, or back; NULL: none needed */
  dnnl_memory_t          in, weights, bias, out, scratch, stored;
  uint64_t               weights_key;
};

static UkStatus
from_dnnl (dnnl_status_t status)
{
  switch (status)
    {
    case dnnl_success:
      return UK_OK;
    case dnnl_out_of_memory:
      return UK_NO_MEMORY;
    case dnnl_unimplemented:
      return UK_UNSUPPORTED;
    default:
      return UK_DEVICE_ERROR;
    }
}

UkStatus
uk_dnnl_new (UkDnnl **out)
{
  UkDnnl *self = calloc (1, sizeof *self);
  dnnl_status_t status;

  if (self == NULL)
    return UK_NO_MEMORY;
  status = dnnl_engine_create (&self->engine, dnnl_cpu, 0);
  if (status == dnnl_success)
    status = dnnl_stream_create (&self->stream, self->engine, dnnl_stream_default_flags);
  if (status != dnnl_success)
    {
      uk_dnnl_free (self);
      return from_dnnl (status);
    }
  *out = self;
  return UK_OK;
}

void
uk_dnnl_free (UkDnnl *self)
{
  if (self == NULL)
    return;
  if (self->stream != NULL)
    dnnl_stream_destroy (self->stream);
  if (self->engine != NULL)
    dnnl_engine_destroy (self->engine);
  free (self);
}

void
uk_dnnl_version (char *text, size_t size)
{
  const dnnl_version_t *version = dnnl_version ();

  snprintf (text, size, "oneDNN %d.%d.%d", version->major, version->minor, version->patch);
}

/* ------------------------------------------------------------------------ */
/* Descriptors                                                               */

typedef struct
{
  dnnl_memory_desc_t src, dst, weights, bias, stored;
} Mds;

static dnnl_status_t
describe_memory (const UkDnnlConvDesc *d, Mds *mds)
{
  dnnl_dims_t src = { d->src.n, d->src.c, d->src.h, d->src.w };
  dnnl_dims_t dst = { d->dst.n, d->dst.c, d->dst.h, d->dst.w };
  dnnl_dims_t weights = { d->dst.c, d->src.c, d->kernel, d->kernel };
  dnnl_dims_t bias = { d->dst.c };
  dnnl_data_type_t low = d->bf16 ? dnnl_bf16 : dnnl_f32;
  dnnl_data_type_t src_type = d->pass == UK_DNNL_BACKWARD_DATA ? dnnl_f32 : low;
  dnnl_data_type_t dst_type = d->pass == UK_DNNL_FORWARD ? dnnl_f32 : low;
  dnnl_data_type_t weights_type = d->pass == UK_DNNL_BACKWARD_WEIGHTS ? dnnl_f32 : low;
  dnnl_status_t status;

  status = dnnl_memory_desc_init_by_tag (&mds->src, 4, src, src_type, dnnl_nhwc);
  if (status == dnnl_success)
    status = dnnl_memory_desc_init_by_tag (&mds->dst, 4, dst, dst_type, dnnl_nhwc);
  if (status == dnnl_success)
    status = dnnl_memory_desc_init_by_tag (&mds->weights, 4, weights, weights_type,
                                           dnnl_format_tag_any);
  if (status == dnnl_success)
    status = dnnl_memory_desc_init_by_tag (&mds->stored, 4, weights, dnnl_f32, dnnl_oihw);
  if (status == dnnl_success)
    status = dnnl_memory_desc_init_by_tag (&mds->bias, 1, bias, dnnl_f32, dnnl_x);
  return status;
}

static dnnl_status_t
describe_forward (const UkDnnlConvDesc *d, const Mds *mds, dnnl_convolution_desc_t *out)
{
  dnnl_dims_t strides = { d->stride, d->stride }, pad = { d->pad, d->pad };
  dnnl_memory_desc_t src = mds->src, dst = mds->dst, weights = mds->weights;

  if (d->bf16 && d->pass != UK_DNNL_FORWARD)
    src.data_type = dst.data_type = weights.data_type = dnnl_bf16; /* a hint only */
  return dnnl_convolution_forward_desc_init (out, dnnl_forward_training,
                                             dnnl_convolution_direct, &src, &weights,
                                             d->bias ? &mds->bias : NULL, &dst,
                                             strides, pad, pad);
}

static dnnl_status_t
describe_backward (const UkDnnlConvDesc *d, const Mds *mds, dnnl_convolution_desc_t *out)
{
  dnnl_dims_t strides = { d->stride, d->stride }, pad = { d->pad, d->pad };

  if (d->pass == UK_DNNL_BACKWARD_DATA)
    return dnnl_convolution_backward_data_desc_init (out, dnnl_convolution_direct, &mds->src,
                                                     &mds->weights, &mds->dst,
                                                     strides, pad, pad);
  return dnnl_convolution_backward_weights_desc_init (out, dnnl_convolution_direct, &mds->src,
                                                      &mds->weights, NULL, &mds->dst,
                                                      strides, pad, pad);
}

static dnnl_status_t
make_attr (const UkDnnlConvDesc *d, bool forward, dnnl_primitive_attr_t *attr)
{
  dnnl_post_ops_t ops = NULL;
  dnnl_status_t status = dnnl_primitive_attr_create (attr);

  if (status == dnnl_success)
    status = dnnl_primitive_attr_set_scratchpad_mode (*attr, dnnl_scratchpad_mode_user);
  if (status != dnnl_success || !forward || !d->relu)
    return status;
  status = dnnl_post_ops_create (&ops);
  if (status == dnnl_success)
    status = dnnl_post_ops_append_eltwise (ops, 1.0f, dnnl_eltwise_relu, d->slope, 0.0f);
  if (status == dnnl_success)
    status = dnnl_primitive_attr_set_post_ops (*attr, ops);
  if (ops != NULL)
    dnnl_post_ops_destroy (ops);
  return status;
}

/* A backward pass asks for the forward one's descriptor as a hint. */
static dnnl_status_t
make_pd (UkDnnlConv *self, const Mds *mds)
{
  const UkDnnlConvDesc *d = &self->desc;
  dnnl_primitive_attr_t attr = NULL;
  dnnl_primitive_desc_t forward = NULL;
  dnnl_convolution_desc_t conv;
  dnnl_status_t status = make_attr (d, d->pass == UK_DNNL_FORWARD, &attr);

  if (status == dnnl_success)
    status = describe_forward (d, mds, &conv);
  if (status == dnnl_success)
    status = dnnl_primitive_desc_create (&forward, &conv, attr, self->dnnl->engine, NULL);
  if (status == dnnl_success && d->pass == UK_DNNL_FORWARD)
    {
      self->pd = forward;
      forward = NULL;
    }
  else if (status == dnnl_success)
    {
      status = describe_backward (d, mds, &conv);
      if (status == dnnl_success)
        status = dnnl_primitive_desc_create (&self->pd, &conv, attr, self->dnnl->engine, forward);
    }
  if (forward != NULL)
    dnnl_primitive_desc_destroy (forward);
  if (attr != NULL)
    dnnl_primitive_attr_destroy (attr);
  return status;
}

static uint64_t
hash (uint64_t h, int64_t value)
{
  h ^= (uint64_t) value;
  h *= 0x100000001b3u;
  return h ^ h >> 29;
}

/* Everything that tells one weights' format from another. */
static uint64_t
format_key (const dnnl_memory_desc_t *md)
{
  const dnnl_blocking_desc_t *b = &md->format_desc.blocking;
  uint64_t h = hash (0xcbf29ce484222325u, md->data_type);

  h = hash (h, (int64_t) md->format_kind);
  for (int i = 0; i < md->ndims; i++)
    {
      h = hash (h, md->dims[i]);
      h = hash (h, md->padded_dims[i]);
      h = hash (h, b->strides[i]);
    }
  for (int i = 0; i < b->inner_nblks; i++)
    {
      h = hash (h, b->inner_blks[i]);
      h = hash (h, b->inner_idxs[i]);
    }
  return h != 0 ? h : 1;
}

static dnnl_query_t
weights_query (const UkDnnlConv *self)
{
  return self->desc.pass == UK_DNNL_BACKWARD_WEIGHTS ? dnnl_query_diff_weights_md
                                                     : dnnl_query_weights_md;
}

static dnnl_status_t
make_reorder (UkDnnlConv *self, const dnnl_memory_desc_t *stored)
{
  const dnnl_memory_desc_t *packed = dnnl_primitive_desc_query_md (self->pd,
                                                                   weights_query (self), 0);
  bool back = self->desc.pass == UK_DNNL_BACKWARD_WEIGHTS;
  dnnl_engine_t engine = self->dnnl->engine;
  dnnl_primitive_desc_t pd = NULL;
  dnnl_status_t status;

  if (packed == NULL)
    return dnnl_runtime_error;
  if (dnnl_memory_desc_equal (packed, stored))
    return dnnl_success;
  self->weights_key = format_key (packed);
  status = dnnl_reorder_primitive_desc_create (&pd, back ? packed : stored, engine,
                                               back ? stored : packed, engine, NULL);
  if (status == dnnl_success)
    status = dnnl_primitive_create (&self->reorder, pd);
  if (pd != NULL)
    dnnl_primitive_desc_destroy (pd);
  return status;
}

static dnnl_status_t
make_memory (UkDnnlConv *self, const Mds *mds)
{
  dnnl_engine_t engine = self->dnnl->engine;
  const dnnl_memory_desc_t *weights = dnnl_primitive_desc_query_md (self->pd,
                                                                    weights_query (self), 0);
  const dnnl_memory_desc_t *scratch = dnnl_primitive_desc_query_md (self->pd,
                                                                    dnnl_query_scratchpad_md, 0);
  bool data = self->desc.pass == UK_DNNL_BACKWARD_DATA;
  dnnl_status_t status;

  status = dnnl_memory_create (&self->in, data ? &mds->dst : &mds->src, engine,
                               DNNL_MEMORY_NONE);
  if (status == dnnl_success)
    status = dnnl_memory_create (&self->out, data ? &mds->src : &mds->dst, engine,
                                 DNNL_MEMORY_NONE);
  if (status == dnnl_success)
    status = dnnl_memory_create (&self->weights, weights, engine, DNNL_MEMORY_NONE);
  if (status == dnnl_success)
    status = dnnl_memory_create (&self->stored, &mds->stored, engine, DNNL_MEMORY_NONE);
  if (status == dnnl_success)
    status = dnnl_memory_create (&self->bias, &mds->bias, engine, DNNL_MEMORY_NONE);
  if (status == dnnl_success)
    status = dnnl_memory_create (&self->scratch, scratch, engine, DNNL_MEMORY_NONE);
  return status;
}

UkStatus
uk_dnnl_conv_new (UkDnnl *dnnl, const UkDnnlConvDesc *desc, UkDnnlConv **out)
{
  UkDnnlConv *self = calloc (1, sizeof *self);
  dnnl_status_t status;
  Mds mds;

  if (self == NULL)
    return UK_NO_MEMORY;
  self->dnnl = dnnl;
  self->desc = *desc;
  omp_set_num_threads (desc->n_threads); /* the library plans for as many */
  status = describe_memory (desc, &mds);
  if (status == dnnl_success)
    status = make_pd (self, &mds);
  if (status == dnnl_success)
    status = dnnl_primitive_create (&self->primitive, self->pd);
  if (status == dnnl_success)
    status = make_reorder (self, &mds.stored);
  if (status == dnnl_success)
    status = make_memory (self, &mds);
  if (status != dnnl_success)
    {
      uk_dnnl_conv_free (self);
      return from_dnnl (status);
    }
  *out = self;
  return UK_OK;
}

void
uk_dnnl_conv_free (UkDnnlConv *self)
{
  if (self == NULL)
    return;

  dnnl_memory_t memories[] = { self->in, self->weights, self->bias,
                               self->out, self->scratch, self->stored };

  for (size_t i = 0; i < sizeof memories / sizeof memories[0]; i++)
    if (memories[i] != NULL)
      dnnl_memory_destroy (memories[i]);
  if (self->reorder != NULL)
    dnnl_primitive_destroy (self->reorder);
  if (self->primitive != NULL)
    dnnl_primitive_destroy (self->primitive);
  if (self->pd != NULL)
    dnnl_primitive_desc_destroy (self->pd);
  free (self);
}

/* ------------------------------------------------------------------------ */
/* What it is, and running it                                                */

static size_t
md_bytes (const UkDnnlConv *self, dnnl_query_t query)
{
  const dnnl_memory_desc_t *md = dnnl_primitive_desc_query_md (self->pd, query, 0);

  return md != NULL ? dnnl_memory_desc_get_size (md) : 0;
}

size_t
uk_dnnl_conv_scratch_bytes (const UkDnnlConv *self)
{
  return md_bytes (self, dnnl_query_scratchpad_md);
}

size_t
uk_dnnl_conv_weights_bytes (const UkDnnlConv *self)
{
  return md_bytes (self, weights_query (self));
}

uint64_t
uk_dnnl_conv_weights_key (const UkDnnlConv *self)
{
  return self->weights_key;
}

const char *
uk_dnnl_conv_implementation (const UkDnnlConv *self)
{
  const char *text = NULL;

  if (dnnl_primitive_desc_query (self->pd, dnnl_query_impl_info_str, 0, &text) != dnnl_success
      || text == NULL)
    return "unknown";
  return text;
}

static UkStatus
run_reorder (UkDnnlConv *self, dnnl_memory_t from, const void *from_data,
             dnnl_memory_t to, const void *to_data)
{
  dnnl_exec_arg_t args[] = { { DNNL_ARG_FROM, from }, { DNNL_ARG_TO, to } };
  dnnl_status_t status;

  if (self->reorder == NULL)
    return UK_BAD_ARGUMENT;
  omp_set_num_threads (self->desc.n_threads);
  status = dnnl_memory_set_data_handle (from, (void *) from_data);
  if (status == dnnl_success)
    status = dnnl_memory_set_data_handle (to, (void *) to_data);
  if (status == dnnl_success)
    status = dnnl_primitive_execute (self->reorder, self->dnnl->stream, 2, args);
  if (status == dnnl_success)
    status = dnnl_stream_wait (self->dnnl->stream);
  return from_dnnl (status);
}

UkStatus
uk_dnnl_conv_pack (UkDnnlConv *self, const float *w, void *packed)
{
  return run_reorder (self, self->stored, w, self->weights, packed);
}

UkStatus
uk_dnnl_conv_unpack (UkDnnlConv *self, const void *packed, float *w)
{
  return run_reorder (self, self->weights, packed, self->stored, w);
}

UkStatus
uk_dnnl_conv_execute (UkDnnlConv *self, const void *in, const void *weights,
                      const float *bias, const void *out, void *scratch)
{
  static const int in_arg[] = { DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_SRC };
  static const int out_arg[] = { DNNL_ARG_DST, DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_DST };
  static const int weights_arg[] = { DNNL_ARG_WEIGHTS, DNNL_ARG_WEIGHTS,
                                     DNNL_ARG_DIFF_WEIGHTS };
  UkDnnlPass pass = self->desc.pass;
  dnnl_exec_arg_t args[] = {
    { in_arg[pass], self->in },
    { out_arg[pass], self->out },
    { weights_arg[pass], self->weights },
    { DNNL_ARG_SCRATCHPAD, self->scratch },
    { DNNL_ARG_BIAS, self->bias },
  };
  dnnl_status_t status;

  omp_set_num_threads (self->desc.n_threads);
  status = dnnl_memory_set_data_handle (self->in, (void *) in);
  if (status == dnnl_success)
    status = dnnl_memory_set_data_handle (self->out, (void *) out);
  if (status == dnnl_success)
    status = dnnl_memory_set_data_handle (self->weights, (void *) weights);
  if (status == dnnl_success)
    status = dnnl_memory_set_data_handle (self->scratch, scratch);
  if (status == dnnl_success && self->desc.bias)
    status = dnnl_memory_set_data_handle (self->bias, (void *) bias);
  if (status == dnnl_success)
    status = dnnl_primitive_execute (self->primitive, self->dnnl->stream,
                                     self->desc.bias ? 5 : 4, args);
  if (status == dnnl_success)
    status = dnnl_stream_wait (self->dnnl->stream);
  return from_dnnl (status);
}
