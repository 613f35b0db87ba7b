/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl-conv.c - implements dnnl-conv.h, except for the description of a pass, which differs between
 * oneDNN 2.x (dnnl-conv-v2.c) and 3.x (dnnl-conv-v3.c).
 *
 * Memory objects are created once, without memory, and pointed at the caller's before each execution.  A
 * pass is therefore used by one thread at a time, like any UkOp.
 */
#include "kernels/cpu/dnnl-conv-private.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

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
/* Preparing                                                                 */

dnnl_status_t
uk_dnnl_conv_make_attr (const UkDnnlConvDesc *d, bool forward, dnnl_primitive_attr_t *attr)
{
  dnnl_post_ops_t ops = NULL;
  dnnl_status_t status = dnnl_primitive_attr_create (attr);

  if (status == dnnl_success)
    status = dnnl_primitive_attr_set_scratchpad_mode (*attr, dnnl_scratchpad_mode_user);
  if (status != dnnl_success || !forward || !d->relu)
    return status;
  status = dnnl_post_ops_create (&ops);
  if (status == dnnl_success)
#if DNNL_VERSION_MAJOR >= 3
    status = dnnl_post_ops_append_eltwise (ops, dnnl_eltwise_relu, d->slope, 0.0f);
#else
    status = dnnl_post_ops_append_eltwise (ops, 1.0f, dnnl_eltwise_relu, d->slope, 0.0f);
#endif
  if (status == dnnl_success)
    status = dnnl_primitive_attr_set_post_ops (*attr, ops);
  if (ops != NULL)
    dnnl_post_ops_destroy (ops);
  return status;
}

static dnnl_status_t
make_reorder (UkDnnlConv *self, UkDnnlMd packed, UkDnnlMd stored)
{
  bool back = self->desc.pass == UK_DNNL_BACKWARD_WEIGHTS;
  dnnl_engine_t engine = self->dnnl->engine;
  dnnl_primitive_desc_t pd = NULL;
  dnnl_status_t status;

  if (dnnl_memory_desc_equal (packed, stored))
    return dnnl_success;
  self->info.weights_key = uk_dnnl_format_key (packed);
  if (self->info.weights_key == 0)
    return dnnl_unimplemented;
  status = dnnl_reorder_primitive_desc_create (&pd, back ? packed : stored, engine,
                                               back ? stored : packed, engine, NULL);
  if (status == dnnl_success)
    status = dnnl_primitive_create (&self->reorder, pd);
  if (pd != NULL)
    dnnl_primitive_desc_destroy (pd);
  return status;
}

dnnl_status_t
uk_dnnl_conv_finish (UkDnnlConv *self, UkDnnlMd src, UkDnnlMd dst, UkDnnlMd bias, UkDnnlMd stored)
{
  dnnl_query_t weights_query = self->desc.pass == UK_DNNL_BACKWARD_WEIGHTS
                                 ? dnnl_query_diff_weights_md
                                 : dnnl_query_weights_md;
  UkDnnlMd packed = dnnl_primitive_desc_query_md (self->pd, weights_query, 0);
  UkDnnlMd scratch = dnnl_primitive_desc_query_md (self->pd, dnnl_query_scratchpad_md, 0);
  bool data = self->desc.pass == UK_DNNL_BACKWARD_DATA;
  const struct
  {
    dnnl_memory_t *memory;
    UkDnnlMd       md;
  } wanted[] = {
    { &self->in, data ? dst : src },
    { &self->out, data ? src : dst },
    { &self->weights, packed },
    { &self->stored, stored },
    { &self->bias, bias },
    { &self->scratch, scratch },
  };
  dnnl_status_t status = packed == NULL || scratch == NULL ? dnnl_runtime_error : dnnl_success;

  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0] && status == dnnl_success; i++)
    status = dnnl_memory_create (wanted[i].memory, wanted[i].md, self->dnnl->engine,
                                 DNNL_MEMORY_NONE);
  if (status != dnnl_success)
    return status;
  self->info.weights_bytes = dnnl_memory_desc_get_size (packed);
  self->info.scratch_bytes = dnnl_memory_desc_get_size (scratch);
  return make_reorder (self, packed, stored);
}

UkStatus
uk_dnnl_conv_new (UkDnnl *dnnl, const UkDnnlConvDesc *desc, UkDnnlConv **out)
{
  UkDnnlConv *self = calloc (1, sizeof *self);
  dnnl_status_t status;

  if (self == NULL)
    return UK_NO_MEMORY;
  self->dnnl = dnnl;
  self->desc = *desc;
  omp_set_num_threads (desc->n_threads); /* oneDNN plans for this many threads */
  status = uk_dnnl_conv_describe (self);
  if (status == dnnl_success)
    status = dnnl_primitive_create (&self->primitive, self->pd);
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
/* Queries and execution                                                     */

const UkDnnlConvInfo *
uk_dnnl_conv_info (const UkDnnlConv *self)
{
  return &self->info;
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

UkStatus
uk_dnnl_gemm (UkDnnlOrder a_order, UkDnnlOrder b_order, int64_t m, int64_t n, int64_t k,
              const float *a, const float *b, float *c, bool add, int n_threads)
{
  bool a_turned = a_order == UK_DNNL_TRANSPOSED, b_turned = b_order == UK_DNNL_TRANSPOSED;

  omp_set_num_threads (n_threads);
  return from_dnnl (dnnl_sgemm (a_turned ? 'T' : 'N', b_turned ? 'T' : 'N', m, n, k, 1.0f, a,
                                a_turned ? m : k, b, b_turned ? k : n, add ? 1.0f : 0.0f, c, n));
}
