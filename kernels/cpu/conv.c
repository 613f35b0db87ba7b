/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conv.c - the three convolution operations, plain and transposed.
 *
 * A transposed convolution is an ordinary one reversed: its forward pass is the ordinary data gradient,
 * its data gradient the ordinary forward pass, and its weight gradient the ordinary one with x and dy
 * swapped.  Its stored weights (i, kh, kw, o) are the ordinary one's (o, kh, kw, i).  So oneDNN only sees
 * ordinary convolutions, the only ones for which it has fast code.
 *
 * Scratch: oneDNN's own; each input as bf16 if the products are bf16; for a weight gradient its packed
 * format, and with accumulate its stored format too.
 */
#include "kernels/cpu/cpu-private.h"

#include <stdlib.h>

enum
{
  MIN_BF16_CHANNELS = 16,
  MIN_BF16_EDGE = 16
};

typedef struct
{
  size_t in, out, packed, stored, end; /* bytes from the start of the scratch */
} Layout;

UkShape
uk_cpu_conv_src (const UkOpDesc *desc)
{
  return desc->transposed ? desc->y : desc->x;
}

UkShape
uk_cpu_conv_dst (const UkOpDesc *desc)
{
  return desc->transposed ? desc->x : desc->y;
}

UkDnnlPass
uk_cpu_conv_pass (const UkOpDesc *desc)
{
  if (desc->kind == UK_OP_CONV_WGRAD)
    return UK_DNNL_BACKWARD_WEIGHTS;
  return (desc->kind == UK_OP_CONV) != desc->transposed ? UK_DNNL_FORWARD
                                                        : UK_DNNL_BACKWARD_DATA;
}

/* Offsets into the scratch; end is its size. */
static Layout
layout_of (const UkCpuOp *op)
{
  const UkOpDesc *desc = &op->base.desc;
  bool wgrad = desc->kind == UK_OP_CONV_WGRAD;
  bool forward = uk_cpu_conv_pass (desc) != UK_DNNL_BACKWARD_DATA;
  int64_t n_in = uk_shape_count (forward ? uk_cpu_conv_src (desc) : uk_cpu_conv_dst (desc));
  int64_t n_out = wgrad ? uk_shape_count (uk_cpu_conv_dst (desc)) : 0;
  bool packs = wgrad && uk_dnnl_conv_info (op->conv)->weights_key != 0;
  int64_t n_w = desc->x.c * desc->y.c * desc->kernel * desc->kernel;
  Layout l;

  l.in = uk_cpu_align (uk_dnnl_conv_info (op->conv)->scratch_bytes);
  l.out = l.in + (op->bf16 ? uk_cpu_align ((size_t) n_in * sizeof (uint16_t)) : 0);
  l.packed = l.out + (op->bf16 ? uk_cpu_align ((size_t) n_out * sizeof (uint16_t)) : 0);
  l.stored = l.packed + (packs ? uk_cpu_align (uk_dnnl_conv_info (op->conv)->weights_bytes) : 0);
  l.end = l.stored
          + (wgrad && desc->accumulate ? uk_cpu_align ((size_t) n_w * sizeof (float)) : 0);
  return l;
}

static UkStatus
make_conv (UkCpuOp *op, bool bf16)
{
  const UkCpuBackend *backend = (const UkCpuBackend *) op->base.backend;
  const UkOpDesc *desc = &op->base.desc;
  bool fused = desc->kind == UK_OP_CONV && !desc->transposed;
  UkDnnlConvDesc conv = {
    .pass = uk_cpu_conv_pass (desc),
    .src = uk_cpu_conv_src (desc),
    .dst = uk_cpu_conv_dst (desc),
    .kernel = desc->kernel,
    .stride = desc->stride,
    .pad = desc->pad,
    .bf16 = bf16,
    .bias = fused,
    .relu = fused && (desc->act == UK_ACT_RELU || desc->act == UK_ACT_LEAKY_RELU),
    .slope = desc->act == UK_ACT_LEAKY_RELU ? desc->slope : 0.0f,
    .n_threads = op->n_threads,
  };

  op->bf16 = bf16;
  op->late_bias = desc->kind == UK_OP_CONV && !fused;
  op->late_act = desc->kind == UK_OP_CONV && desc->act != UK_ACT_NONE && !conv.relu;
  return uk_dnnl_conv_new (backend->dnnl, &conv, &op->conv);
}

/* Whether bf16 is worth its conversions.  A rule instead of timing, because a resumed run must be
 * bit-identical.  Measured with bench-kernels: weight gradients of small images are slower in bf16 (tiny,
 * 8 > 4: 2.8 against 1.6 ms), and so are inputs with very few channels (3 > 16 and back: 1.4 against
 * 0.5 ms). */
bool
uk_cpu_conv_wants_bf16 (const UkCpuOp *op)
{
  const UkCpuBackend *backend = (const UkCpuBackend *) op->base.backend;
  const UkOpDesc *desc = &op->base.desc;
  UkShape src = uk_cpu_conv_src (desc), dst = uk_cpu_conv_dst (desc);

  if (backend->precision != UK_BF16)
    return false;
  switch (uk_cpu_conv_pass (desc))
    {
    case UK_DNNL_FORWARD:
      return true;
    case UK_DNNL_BACKWARD_DATA:
      return dst.c >= MIN_BF16_CHANNELS;
    default:
      return src.c >= MIN_BF16_CHANNELS && dst.c >= MIN_BF16_CHANNELS
             && dst.w >= MIN_BF16_EDGE;
    }
}

static UkStatus
prepare (UkCpuOp *op)
{
  const UkOpDesc *desc = &op->base.desc;
  UkStatus status = UK_UNSUPPORTED;

  if (uk_cpu_narrow_prepare (op) || uk_cpu_gemm_prepare (op) || uk_cpu_winograd_prepare (op))
    return UK_OK;
  if (uk_cpu_conv_wants_bf16 (op))
    status = make_conv (op, true);
  if (status != UK_OK)
    status = make_conv (op, false);
  if (status != UK_OK)
    return status;

  if (desc->kind == UK_OP_CONV && !op->late_bias)
    {
      op->zero_bias = calloc ((size_t) desc->y.c, sizeof (float));
      if (op->zero_bias == NULL)
        return UK_NO_MEMORY;
    }
  if (desc->kind != UK_OP_CONV_WGRAD)
    {
      op->base.pack_key = uk_dnnl_conv_info (op->conv)->weights_key;
      if (op->base.pack_key != 0)
        op->base.packed_bytes = uk_dnnl_conv_info (op->conv)->weights_bytes;
    }
  op->base.scratch_bytes = layout_of (op).end;
  return UK_OK;
}

static UkStatus
pack (UkCpuOp *op, const void *w, void *packed)
{
  if (op->is_narrow)
    uk_cpu_narrow_pack (op, w, packed);
  else if (op->is_winograd)
    op->isa->winograd_pack (&op->winograd, w, packed);
  else
    return uk_dnnl_conv_pack (op->conv, w, packed);
  return UK_OK;
}

/* @x itself, or converted to bf16 in @room. */
static const void *
as_product_type (const UkCpuOp *op, const float *x, UkShape shape, void *room)
{
  if (!op->bf16)
    return x;
  op->isa->to_bf16 (room, x, uk_shape_count (shape), op->n_threads);
  return room;
}

static UkStatus
run_conv_dnnl (UkCpuOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  const float *x = args[0], *bias = args[2];
  float *y = args[3];
  Layout l = layout_of (op);
  const void *in = as_product_type (op, x, desc->x, (char *) scratch + l.in);
  UkStatus status = uk_dnnl_conv_execute (op->conv, in, args[1],
                                          bias != NULL ? bias : op->zero_bias, y, scratch);

  if (status != UK_OK)
    return status;
  if (!op->late_bias)
    bias = NULL;
  if (op->late_act || bias != NULL)
    op->isa->bias_act (y, y, bias, desc->y.n * desc->y.h * desc->y.w, desc->y.c,
                       op->late_act ? desc->act : UK_ACT_NONE, desc->slope, op->n_threads);
  return UK_OK;
}

static UkStatus
run_wgrad_dnnl (UkCpuOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  char *room = scratch;
  Layout l = layout_of (op);
  const void *src = as_product_type (op, args[desc->transposed ? 1 : 0], uk_cpu_conv_src (desc),
                                     room + l.in);
  const void *dst = as_product_type (op, args[desc->transposed ? 0 : 1], uk_cpu_conv_dst (desc),
                                     room + l.out);
  float *dw = args[2];
  float *stored = desc->accumulate ? (float *) (room + l.stored) : dw;
  bool packs = uk_dnnl_conv_info (op->conv)->weights_key != 0;
  void *packed = packs ? room + l.packed : (void *) stored;
  UkStatus status = uk_dnnl_conv_execute (op->conv, src, packed, NULL, dst, scratch);

  if (status == UK_OK && packs)
    status = uk_dnnl_conv_unpack (op->conv, packed, stored);
  if (status == UK_OK && desc->accumulate)
    op->isa->accumulate (dw, stored, desc->x.c * desc->y.c * desc->kernel * desc->kernel,
                         op->n_threads);
  return status;
}

static UkStatus
run (UkCpuOp *op, void *const *args, void *scratch)
{
  if (op->is_gemm)
    return uk_cpu_gemm_run (op, args, scratch);
  if (op->is_narrow || op->is_winograd)
    {
      if (op->is_narrow)
        uk_cpu_narrow_run (op, args, scratch);
      else
        uk_cpu_winograd_run (op, args, scratch);
      return UK_OK;
    }
  switch (op->base.desc.kind)
    {
    case UK_OP_CONV:
      return run_conv_dnnl (op, args, scratch);
    case UK_OP_CONV_DGRAD:
      return uk_dnnl_conv_execute (op->conv,
                                   as_product_type (op, args[0], op->base.desc.y,
                                                    (char *) scratch + layout_of (op).in),
                                   args[1], op->zero_bias, args[2], scratch);
    default:
      return run_wgrad_dnnl (op, args, scratch);
    }
}

static const UkCpuKernel kernel = { prepare, run, pack };

const UkCpuKernel *
uk_cpu_conv_kernel (UkOpKind kind)
{
  return kind == UK_OP_CONV || kind == UK_OP_CONV_DGRAD || kind == UK_OP_CONV_WGRAD ? &kernel
                                                                                   : NULL;
}
