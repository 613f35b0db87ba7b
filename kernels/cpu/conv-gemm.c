/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conv-gemm.c - convolutions with many weights and few pixels, as one matrix product on the stored
 * weights.
 *
 * With p destination pixels over all samples, patches (p, k k c) and the stored weights w (o, k k c) of
 * the ordinary convolution (see conv.c):
 *   forward   dst = patches w^T
 *   weights   dw  = dst^T patches
 *   data      patches = dst w, only where a patch is a whole image: fully connected layers.
 *
 * Measured with bench-kernels on the 32 M network at batch 8, one thread: oneDNN re-reads the 64 MB of
 * weights of 1024 > 1024, 8 > 4 for every sample (59 ms forward, 68 ms for their gradient); one product
 * takes 28 ms for either and needs no packing.  With many pixels the advantage is gone.
 */
#include "kernels/cpu/cpu-private.h"

enum
{
  /* Forward: weights larger than the L2 cache, and few pixels per sample. */
  MIN_WEIGHTS = 4 << 20,
  MAX_PIXELS_PER_SAMPLE = 16,
  /* Weight gradient: pixels over all samples. */
  MAX_PIXELS = 1024,
  MIN_GRADIENT = 1 << 20
};

static UkCpuPatches
patches_of (const UkCpuOp *op)
{
  const UkOpDesc *desc = &op->base.desc;

  return (UkCpuPatches) { .src = uk_cpu_conv_src (desc), .dst = uk_cpu_conv_dst (desc),
                          .kernel = desc->kernel, .stride = desc->stride, .pad = desc->pad,
                          .n_threads = op->n_threads };
}

static int64_t
pixel_count (const UkCpuPatches *p)
{
  return p->dst.n * p->dst.h * p->dst.w;
}

static int64_t
patch_size (const UkCpuPatches *p)
{
  return p->src.c * p->kernel * p->kernel;
}

/* Whether each patch is an image: the layer is fully connected. */
static bool
has_whole_patches (const UkCpuPatches *p)
{
  return p->dst.h == 1 && p->dst.w == 1 && p->pad == 0 && p->src.h == p->kernel && p->src.w == p->kernel;
}

static bool
is_better (const UkCpuOp *op, const UkCpuPatches *p)
{
  int64_t n_weights = patch_size (p) * p->dst.c;

  if (has_whole_patches (p))
    return true;
  switch (uk_cpu_conv_pass (&op->base.desc))
    {
    case UK_DNNL_FORWARD:
      return !uk_cpu_conv_wants_bf16 (op) && n_weights >= MIN_WEIGHTS
             && p->dst.h * p->dst.w <= MAX_PIXELS_PER_SAMPLE;
    case UK_DNNL_BACKWARD_WEIGHTS:
      return !uk_cpu_conv_wants_bf16 (op) && n_weights >= MIN_GRADIENT
             && pixel_count (p) <= MAX_PIXELS;
    default:
      return false;
    }
}

bool
uk_cpu_gemm_prepare (UkCpuOp *op)
{
  UkCpuPatches p = patches_of (op);

  if (!is_better (op, &p))
    return false;
  op->is_gemm = true;
  if (!has_whole_patches (&p))
    op->base.scratch_bytes = uk_cpu_align ((size_t) (pixel_count (&p) * patch_size (&p)) * sizeof (float));
  return true;
}

static const float *
find_patches (const UkCpuOp *op, const UkCpuPatches *p, const float *src, void *scratch)
{
  if (has_whole_patches (p))
    return src;
  op->isa->make_patches (p, src, scratch);
  return scratch;
}

UkStatus
uk_cpu_gemm_run (UkCpuOp *op, void *const *args, void *scratch)
{
  const UkOpDesc *desc = &op->base.desc;
  UkDnnlPass pass = uk_cpu_conv_pass (desc);
  const float *src, *dst;
  UkCpuPatches p = patches_of (op);
  float *out = args[desc->kind == UK_OP_CONV ? 3 : 2];
  UkStatus status;

  if (desc->kind == UK_OP_CONV_WGRAD)
    {
      src = args[desc->transposed ? 1 : 0];
      dst = args[desc->transposed ? 0 : 1];
      return uk_dnnl_gemm (UK_DNNL_TRANSPOSED, UK_DNNL_AS_IS, p.dst.c, patch_size (&p),
                           pixel_count (&p), dst, find_patches (op, &p, src, scratch), out,
                           desc->accumulate, op->n_threads);
    }
  if (pass == UK_DNNL_FORWARD)
    status = uk_dnnl_gemm (UK_DNNL_AS_IS, UK_DNNL_TRANSPOSED, pixel_count (&p), p.dst.c,
                           patch_size (&p), find_patches (op, &p, args[0], scratch), args[1], out,
                           false, op->n_threads);
  else
    status = uk_dnnl_gemm (UK_DNNL_AS_IS, UK_DNNL_AS_IS, pixel_count (&p), patch_size (&p), p.dst.c,
                           args[0], args[1], out, false, op->n_threads);
  if (status == UK_OK && desc->kind == UK_OP_CONV
      && (args[2] != NULL || desc->act != UK_ACT_NONE))
    op->isa->bias_act (out, out, args[2], desc->y.n * desc->y.h * desc->y.w, desc->y.c,
                       desc->act, desc->slope, op->n_threads);
  return status;
}
