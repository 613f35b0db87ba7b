/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conv-narrow.c - convolutions with one to four channels on one side: when our own loops run them, and
 * the packed weights of those loops.
 *
 * Two cases, in terms of the ordinary convolution (see conv.c).  Either its source is narrow: wide pixel
 * (r, q) is its destination, and tap (i, j) is stored tap (i, j).  Or its destination is narrow, with
 * stride 1: the wide side is its source, the taps are reversed, and the padding is kernel - 1 - pad.
 *
 * Only the passes that are slow in oneDNN (measured with bench-kernels) are handled: everything towards
 * the narrow side (30 GFLOP/s there), and the weight gradient of a narrow destination (28).
 */
#include "kernels/cpu/cpu-private.h"

enum
{
  MAX_NARROW = 4,   /* channels */
  MAX_ROW = 64,     /* kernel * kernel * channels */
  MAX_RUN = 8,      /* stride * channels: see to-narrow.c */
  MIN_WIDE = 8,     /* channels */
  MAX_REACH = 8     /* kernel / stride */
};

/* Fills in op->narrow; false if the loops do not support the geometry. */
static bool
find_geometry (UkCpuOp *op)
{
  const UkOpDesc *desc = &op->base.desc;
  UkShape src = uk_cpu_conv_src (desc), dst = uk_cpu_conv_dst (desc);
  UkCpuNarrow *conv = &op->narrow;
  int64_t taps;

  op->flipped = src.c > MAX_NARROW;
  *conv = (UkCpuNarrow) {
    .wide = op->flipped ? src : dst,
    .narrow = op->flipped ? dst : src,
    .kernel = desc->kernel,
    .stride = desc->stride,
    .pad = op->flipped ? desc->kernel - 1 - desc->pad : desc->pad,
    .n_threads = op->n_threads,
  };
  taps = (int64_t) conv->kernel * conv->kernel * conv->narrow.c;
  if (conv->narrow.c > MAX_NARROW || conv->wide.c < MIN_WIDE || taps > MAX_ROW
      || (op->flipped && conv->stride != 1) || conv->kernel % conv->stride != 0
      || conv->kernel / conv->stride > MAX_REACH || conv->stride * conv->narrow.c > MAX_RUN)
    return false;
  if (conv->narrow.h != (conv->wide.h - 1) * conv->stride + conv->kernel - 2 * conv->pad
      || conv->narrow.w != (conv->wide.w - 1) * conv->stride + conv->kernel - 2 * conv->pad)
    return false; /* some narrow pixels have no tap */
  conv->row = (taps + op->isa->n_lanes - 1) / op->isa->n_lanes * op->isa->n_lanes;
  return true;
}

bool
uk_cpu_narrow_prepare (UkCpuOp *op)
{
  const UkCpuNarrow *conv = &op->narrow;
  size_t weights;

  /* See the top of the file. */
  if (!find_geometry (op)
      || op->flipped != (uk_cpu_conv_pass (&op->base.desc) != UK_DNNL_BACKWARD_DATA))
    return false;
  op->is_narrow = true;
  weights = (size_t) (conv->wide.c * conv->row) * sizeof (float);
  if (op->base.desc.kind == UK_OP_CONV_WGRAD)
    {
      op->base.scratch_bytes = uk_cpu_align (weights)
                               + op->isa->narrow_wgrad_scratch_bytes (conv);
      return true;
    }
  op->base.packed_bytes = weights;
  /* Operations on the same weights have the same stored shape, so the key only needs to distinguish this
   * order from oneDNN's. */
  op->base.pack_key = 0x6e6172726f770000u + (uint64_t) conv->row * 2 + op->flipped;
  op->base.scratch_bytes = op->isa->to_narrow_scratch_bytes (conv);
  return true;
}

/* Index of stored weight (wide channel, narrow channel, i, j). */
static int64_t
stored_at (const UkCpuOp *op, int64_t wide, int64_t narrow, int i, int j)
{
  const UkCpuNarrow *conv = &op->narrow;
  int64_t k = conv->kernel;

  if (op->flipped)
    return ((narrow * k + k - 1 - i) * k + k - 1 - j) * conv->wide.c + wide;
  return ((wide * k + i) * k + j) * conv->narrow.c + narrow;
}

void
uk_cpu_narrow_pack (const UkCpuOp *op, const float *w, float *packed)
{
  const UkCpuNarrow *conv = &op->narrow;

  for (int64_t wide = 0; wide < conv->wide.c; wide++)
    {
      float *to = packed + wide * conv->row, *end = to + conv->row;

      for (int i = 0; i < conv->kernel; i++)
        for (int j = 0; j < conv->kernel; j++)
          for (int64_t c = 0; c < conv->narrow.c; c++)
            *to++ = w[stored_at (op, wide, c, i, j)];
      while (to < end)
        *to++ = 0.0f;
    }
}

static void
unpack (const UkCpuOp *op, const float *packed, float *dw)
{
  const UkCpuNarrow *conv = &op->narrow;

  for (int64_t wide = 0; wide < conv->wide.c; wide++)
    {
      const float *from = packed + wide * conv->row;

      for (int i = 0; i < conv->kernel; i++)
        for (int j = 0; j < conv->kernel; j++)
          for (int64_t c = 0; c < conv->narrow.c; c++, from++)
            {
              float *to = dw + stored_at (op, wide, c, i, j);

              *to = op->base.desc.accumulate ? *to + *from : *from;
            }
    }
}

void
uk_cpu_narrow_run (const UkCpuOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  const UkCpuNarrow *conv = &op->narrow;

  if (desc->kind == UK_OP_CONV_WGRAD)
    {
      /* args: x, dy; dy is the wide one where the ordinary source is narrow. */
      bool x_is_wide = desc->x.c == conv->wide.c && desc->x.c > MAX_NARROW;
      float *packed = scratch;
      size_t weights = (size_t) (conv->wide.c * conv->row) * sizeof (float);

      op->isa->narrow_wgrad (conv, args[x_is_wide ? 0 : 1], args[x_is_wide ? 1 : 0], packed,
                             (char *) scratch + uk_cpu_align (weights));
      unpack (op, packed, args[2]);
    }
  else if (desc->kind == UK_OP_CONV)
    op->isa->to_narrow (conv, args[0], args[1], args[2], desc->act, desc->slope, args[3],
                        scratch);
  else
    op->isa->to_narrow (conv, args[0], args[1], NULL, UK_ACT_NONE, 0.0f, args[2], scratch);
}
