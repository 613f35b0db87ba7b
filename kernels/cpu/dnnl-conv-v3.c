/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl-conv-v3.c - describing a pass to oneDNN 3.x, where memory descriptors are opaque and owned, and a
 * primitive is described in one call.
 */
#include "kernels/cpu/dnnl-conv-private.h"

typedef struct
{
  dnnl_memory_desc_t src, dst, weights, bias, stored; /* owned */
} Mds;

static void
clear_memory (Mds *mds)
{
  dnnl_memory_desc_t all[] = { mds->src, mds->dst, mds->weights, mds->bias, mds->stored };

  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    if (all[i] != NULL)
      dnnl_memory_desc_destroy (all[i]);
}

/* For the pass itself or, with @hint, for the forward pass that a backward pass needs as a hint. */
static dnnl_status_t
describe_memory (const UkDnnlConvDesc *d, bool hint, Mds *mds)
{
  const dnnl_dims_t src = { d->src.n, d->src.c, d->src.h, d->src.w };
  const dnnl_dims_t dst = { d->dst.n, d->dst.c, d->dst.h, d->dst.w };
  const dnnl_dims_t weights = { d->dst.c, d->src.c, d->kernel, d->kernel };
  const dnnl_dims_t bias = { d->dst.c };
  bool low = hint && d->bf16;
  dnnl_data_type_t src_type = low ? dnnl_bf16 : uk_dnnl_src_type (d);
  dnnl_data_type_t dst_type = low ? dnnl_bf16 : uk_dnnl_dst_type (d);
  dnnl_data_type_t weights_type = low ? dnnl_bf16 : uk_dnnl_weights_type (d);
  dnnl_status_t status;

  status = dnnl_memory_desc_create_with_tag (&mds->src, 4, src, src_type, dnnl_nhwc);
  if (status == dnnl_success)
    status = dnnl_memory_desc_create_with_tag (&mds->dst, 4, dst, dst_type, dnnl_nhwc);
  if (status == dnnl_success)
    status = dnnl_memory_desc_create_with_tag (&mds->weights, 4, weights, weights_type,
                                               dnnl_format_tag_any);
  if (status == dnnl_success)
    status = dnnl_memory_desc_create_with_tag (&mds->stored, 4, weights, dnnl_f32, dnnl_ohwi);
  if (status == dnnl_success)
    status = dnnl_memory_desc_create_with_tag (&mds->bias, 1, bias, dnnl_f32, dnnl_x);
  return status;
}

static dnnl_status_t
make_forward (const UkDnnlConv *self, const Mds *mds, const_dnnl_primitive_attr_t attr,
              dnnl_primitive_desc_t *pd)
{
  const UkDnnlConvDesc *d = &self->desc;
  const dnnl_dims_t strides = { d->stride, d->stride }, pad = { d->pad, d->pad };
  const dnnl_dims_t dilates = { 0, 0 };

  return dnnl_convolution_forward_primitive_desc_create (
    pd, self->dnnl->engine, dnnl_forward_training, dnnl_convolution_direct, mds->src,
    mds->weights, d->bias ? mds->bias : NULL, mds->dst, strides, dilates, pad, pad, attr);
}

static dnnl_status_t
make_backward (UkDnnlConv *self, const Mds *mds, const_dnnl_primitive_desc_t forward,
               const_dnnl_primitive_attr_t attr)
{
  const UkDnnlConvDesc *d = &self->desc;
  const dnnl_dims_t strides = { d->stride, d->stride }, pad = { d->pad, d->pad };
  const dnnl_dims_t dilates = { 0, 0 };

  if (d->pass == UK_DNNL_BACKWARD_DATA)
    return dnnl_convolution_backward_data_primitive_desc_create (
      &self->pd, self->dnnl->engine, dnnl_convolution_direct, mds->src, mds->weights, mds->dst,
      strides, dilates, pad, pad, forward, attr);
  return dnnl_convolution_backward_weights_primitive_desc_create (
    &self->pd, self->dnnl->engine, dnnl_convolution_direct, mds->src, mds->weights, NULL,
    mds->dst, strides, dilates, pad, pad, forward, attr);
}

static dnnl_status_t
make_pd (UkDnnlConv *self, const Mds *mds)
{
  dnnl_primitive_attr_t attr = NULL;
  dnnl_primitive_desc_t forward = NULL;
  Mds hint = { NULL };
  dnnl_status_t status;

  status = uk_dnnl_conv_make_attr (&self->desc, self->desc.pass == UK_DNNL_FORWARD, &attr);
  if (status == dnnl_success && self->desc.pass == UK_DNNL_FORWARD)
    status = make_forward (self, mds, attr, &self->pd);
  else if (status == dnnl_success)
    {
      status = describe_memory (&self->desc, true, &hint);
      if (status == dnnl_success)
        status = make_forward (self, &hint, attr, &forward);
      if (status == dnnl_success)
        status = make_backward (self, mds, forward, attr);
    }
  clear_memory (&hint);
  if (forward != NULL)
    dnnl_primitive_desc_destroy (forward);
  if (attr != NULL)
    dnnl_primitive_attr_destroy (attr);
  return status;
}

uint64_t
uk_dnnl_format_key (UkDnnlMd md)
{
  dnnl_data_type_t type;
  dnnl_format_kind_t kind;
  const dnnl_dims_t *dims, *padded, *strides, *blocks, *indices;
  int n_dims, n_blocks;
  uint64_t h = 0xcbf29ce484222325u;

  if (dnnl_memory_desc_query (md, dnnl_query_data_type, &type) != dnnl_success
      || dnnl_memory_desc_query (md, dnnl_query_format_kind, &kind) != dnnl_success
      || dnnl_memory_desc_query (md, dnnl_query_ndims_s32, &n_dims) != dnnl_success
      || dnnl_memory_desc_query (md, dnnl_query_dims, &dims) != dnnl_success
      || dnnl_memory_desc_query (md, dnnl_query_padded_dims, &padded) != dnnl_success
      || dnnl_memory_desc_query (md, dnnl_query_strides, &strides) != dnnl_success
      || dnnl_memory_desc_query (md, dnnl_query_inner_nblks_s32, &n_blocks) != dnnl_success
      || dnnl_memory_desc_query (md, dnnl_query_inner_blks, &blocks) != dnnl_success
      || dnnl_memory_desc_query (md, dnnl_query_inner_idxs, &indices) != dnnl_success)
    return 0;
  h = uk_dnnl_hash (uk_dnnl_hash (h, (int64_t) type), (int64_t) kind);
  for (int i = 0; i < n_dims; i++)
    h = uk_dnnl_hash (uk_dnnl_hash (uk_dnnl_hash (h, (*dims)[i]), (*padded)[i]), (*strides)[i]);
  for (int i = 0; i < n_blocks; i++)
    h = uk_dnnl_hash (uk_dnnl_hash (h, (*blocks)[i]), (*indices)[i]);
  return h != 0 ? h : 1;
}

dnnl_status_t
uk_dnnl_conv_describe (UkDnnlConv *self)
{
  Mds mds = { NULL };
  dnnl_status_t status = describe_memory (&self->desc, false, &mds);

  if (status == dnnl_success)
    status = make_pd (self, &mds);
  if (status == dnnl_success)
    status = uk_dnnl_conv_finish (self, mds.src, mds.dst, mds.bias, mds.stored);
  clear_memory (&mds);
  return status;
}
