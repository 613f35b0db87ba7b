/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conv-winograd.c - Winograd convolution: when it is used, and its geometry.
 *
 * S. Winograd, Arithmetic Complexity of Computations, 1980; A. Lavin and S. Gray, Fast Algorithms for
 * Convolutional Neural Networks, 2016, 1509.09308.  A tile of 4 x 4 pixels and the taps are transformed so
 * that 16 products yield a tile of results: 2 x 2 with 3 x 3 taps, F(2 x 2, 3 x 3), or 3 x 3 with 2 x 2 taps,
 * F(3 x 3, 2 x 2).  Directly, both take 36: 2.25 times as many.  Where images are too small for results of
 * 3 x 3, tiles of 3 x 3 pixels with 9 products instead of 16 and results of 2 x 2 are cheaper:
 * F(2 x 2, 2 x 2).
 *
 * The 2 x 2 taps serve the 4 x 4 layers of stride 2.  With e in { 0, 1 } along each axis,
 * y[p] = sum over k of x[2 p - pad + k] w[k] is
 *   forward   y[p] = sum over e, a of x_e[p + a] w[2 a + e],  x_e[q] = x[2 q - pad + e]
 *   data      dx_e[q] = sum over a of dy[q - a] w[2 a + e]
 * that is, forward, a sum over four phases of the source, which become channels; for the data gradient,
 * four phases of the result, each an ordinary convolution with two reversed taps.  The weight gradient
 * transposes the forward algorithm: sums over channels become sums over tiles.
 *
 * The transforms contain only 0, 1, -1 and 1/2, and long sums are blocked: on values in [-1, 1] and the
 * tests' shapes, the largest errors were 0.1 to 2.6 times those of oneDNN's direct sums, and at most
 * 1.3e-6 sqrt (n) for n products.
 *
 * Measured with bench-kernels on AVX2, one thread: the layers of tiny and of the 32 M network that the
 * rule below selects run 1.2 times (16 channels) to 6 times (weight gradients of large images) as fast as
 * oneDNN's, tiny's of 4 px about twice.  Not yet measured with AVX-512.
 */
#include "kernels/cpu/cpu-private.h"

enum
{
  MIN_CHANNELS = 16, /* on both sides */
  MIN_VECTORS = 2,   /* below, the transforms cost more than they save */
  KEY = 0x77696e6f
};

/* Least ratio of direct to Winograd products: edges of 4, 8 and 16 pixels reach 1.8, large ones up to 2.25. */
static const double MIN_GAIN = 1.5;

/* Number of tiles along an axis, enough for all pixels of any phase. */
static int64_t
count_tiles (const UkCpuWinograd *w, int64_t edge)
{
  int64_t n_pixels = (edge - 1 - w->dst_offset) / w->dst_step + 1; /* of a phase */

  if (w->per_phase && w->dst_offset < 0)
    /* Phase 0 starts one pixel later, and the last phase may end one pixel earlier. */
    n_pixels = (edge + w->dst_step - 1) / w->dst_step;
  return (n_pixels + w->m - 1) / w->m;
}

/* Fills in op->winograd for results of m x m pixels. */
static void
find_geometry (UkCpuOp *op, int m, int taps)
{
  const UkOpDesc *desc = &op->base.desc;
  bool reversed = uk_cpu_conv_pass (desc) == UK_DNNL_BACKWARD_DATA;
  UkShape src = uk_cpu_conv_src (desc), dst = uk_cpu_conv_dst (desc);
  UkCpuWinograd *w = &op->winograd;
  int step = desc->stride, shift = desc->pad / step;

  *w = (UkCpuWinograd) { .src = reversed ? dst : src, .dst = reversed ? src : dst,
                         .m = m, .taps = taps, .reversed = reversed,
                         .per_phase = reversed && m == 2 && taps == 2,
                         .n_threads = op->n_threads };
  /* The pixels that tiles read and write along each axis. */
  w->src_step = reversed ? 1 : step;
  w->dst_step = reversed ? step : 1;
  w->src_offset = reversed ? shift - (taps - 1) : -desc->pad;
  w->dst_offset = reversed ? step * shift - desc->pad : 0;
  w->rows = count_tiles (w, w->dst.h);
  w->cols = count_tiles (w, w->dst.w);
}

/* Ratio of direct to Winograd products; partial tiles at the edges lower it. */
static double
gain (const UkCpuOp *op)
{
  const UkOpDesc *desc = &op->base.desc;
  const UkCpuWinograd *w = &op->winograd;
  UkShape dst = uk_cpu_conv_dst (desc);
  double direct = (double) (dst.h * dst.w) * desc->kernel * desc->kernel;
  double points = (w->m + w->taps - 1) * (w->m + w->taps - 1);

  return direct / ((double) (w->rows * w->cols) * points * desc->stride * desc->stride);
}

/* Finds the geometry with the fewest products; false if unsupported or not worth it. */
static bool
choose_geometry (UkCpuOp *op)
{
  const UkOpDesc *desc = &op->base.desc;
  bool threes = desc->kernel == 3 && desc->stride == 1;
  int64_t least = MIN_VECTORS * op->isa->n_lanes;
  double first;

  if (!threes && !(desc->kernel == 4 && desc->stride == 2))
    return false;
  least = least < MIN_CHANNELS ? MIN_CHANNELS : least;
  if (desc->x.c < least || desc->y.c < least)
    return false;
  if (threes)
    {
      find_geometry (op, 2, 3);
      return gain (op) >= MIN_GAIN;
    }
  find_geometry (op, 3, 2);
  first = gain (op);
  find_geometry (op, 2, 2);
  if (first >= gain (op))
    find_geometry (op, 3, 2);
  return gain (op) >= MIN_GAIN;
}

bool
uk_cpu_winograd_prepare (UkCpuOp *op)
{
  const UkCpuWinograd *w = &op->winograd;

  if (uk_cpu_conv_wants_bf16 (op) || !choose_geometry (op))
    return false;
  op->is_winograd = true;
  if (op->base.desc.kind == UK_OP_CONV_WGRAD)
    {
      op->base.scratch_bytes = op->isa->winograd_wgrad_scratch_bytes (w);
      return true;
    }
  op->base.packed_bytes = op->isa->winograd_packed_bytes (w);
  op->base.pack_key = ((uint64_t) KEY << 32) + (uint64_t) (w->m * 2) + (uint64_t) w->reversed;
  op->base.scratch_bytes = op->isa->winograd_scratch_bytes (w);
  return true;
}

void
uk_cpu_winograd_run (const UkCpuOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  const UkCpuWinograd *w = &op->winograd;
  bool relu = desc->act == UK_ACT_RELU || desc->act == UK_ACT_LEAKY_RELU;
  float slope = desc->act == UK_ACT_LEAKY_RELU ? desc->slope : desc->act == UK_ACT_RELU ? 0 : 1;

  if (desc->kind == UK_OP_CONV_WGRAD)
    op->isa->winograd_wgrad (w, args[desc->transposed ? 1 : 0], args[desc->transposed ? 0 : 1],
                             args[2], desc->accumulate, scratch);
  else if (desc->kind == UK_OP_CONV_DGRAD)
    op->isa->winograd (w, args[0], args[1], NULL, 1.0f, args[2], scratch);
  else
    {
      op->isa->winograd (w, args[0], args[1], args[2], slope, args[3], scratch);
      if (!relu && desc->act != UK_ACT_NONE)
        op->isa->bias_act (args[3], args[3], NULL, desc->y.n * desc->y.h * desc->y.w, desc->y.c,
                           desc->act, desc->slope, op->n_threads);
    }
}
