/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl-conv-v2.c - describing a pass to oneDNN 2.x, where memory descriptors are structs and an
 * operation has a descriptor of its own.
 */
#include "kernels/cpu/dnnl-conv-private.h"

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
  dnnl_status_t status;

  status = dnnl_memory_desc_init_by_tag (&mds->src, 4, src, uk_dnnl_src_type (d), dnnl_nhwc);
  if (status == dnnl_success)
    status = dnnl_memory_desc_init_by_tag (&mds->dst, 4, dst, uk_dnnl_dst_type (d), dnnl_nhwc);
  if (status == dnnl_success)
    status = dnnl_memory_desc_init_by_tag (&mds->weights, 4, weights, uk_dnnl_weights_type (d),
                                           dnnl_format_tag_any);
  if (status == dnnl_success)
    status = dnnl_memory_desc_init_by_tag (&mds->stored, 4, weights, dnnl_f32, dnnl_ohwi);
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

/* A backward pass needs the forward one's primitive descriptor as a hint. */
static dnnl_status_t
make_pd (UkDnnlConv *self, const Mds *mds)
{
  const UkDnnlConvDesc *d = &self->desc;
  dnnl_primitive_attr_t attr = NULL;
  dnnl_primitive_desc_t forward = NULL;
  dnnl_convolution_desc_t conv;
  dnnl_status_t status = uk_dnnl_conv_make_attr (d, d->pass == UK_DNNL_FORWARD, &attr);

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

uint64_t
uk_dnnl_format_key (UkDnnlMd md)
{
  const dnnl_blocking_desc_t *b = &md->format_desc.blocking;
  uint64_t h = uk_dnnl_hash (0xcbf29ce484222325u, md->data_type);

  h = uk_dnnl_hash (h, (int64_t) md->format_kind);
  for (int i = 0; i < md->ndims; i++)
    {
      h = uk_dnnl_hash (h, md->dims[i]);
      h = uk_dnnl_hash (h, md->padded_dims[i]);
      h = uk_dnnl_hash (h, b->strides[i]);
    }
  for (int i = 0; i < b->inner_nblks; i++)
    {
      h = uk_dnnl_hash (h, b->inner_blks[i]);
      h = uk_dnnl_hash (h, b->inner_idxs[i]);
    }
  return h != 0 ? h : 1;
}

dnnl_status_t
uk_dnnl_conv_describe (UkDnnlConv *self)
{
  Mds mds;
  dnnl_status_t status = describe_memory (&self->desc, &mds);

  if (status == dnnl_success)
    status = make_pd (self, &mds);
  if (status == dnnl_success)
    status = uk_dnnl_conv_finish (self, &mds.src, &mds.dst, &mds.bias, &mds.stored);
  return status;
}
