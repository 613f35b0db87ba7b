/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patches.c - im2col for convolutions as a matrix product: patches in the order of images and weights, (i, j, c).
 */
#include "simd.h"

static void
make_patch (const UkCpuPatches *p, const float *sample, int64_t row, int64_t col, float *patch)
{
  for (int i = 0; i < p->kernel; i++)
    for (int j = 0; j < p->kernel; j++, patch += p->src.c)
      {
        int64_t r = row * p->stride - p->pad + i, q = col * p->stride - p->pad + j;

        if (r >= 0 && r < p->src.h && q >= 0 && q < p->src.w)
          memcpy (patch, sample + (r * p->src.w + q) * p->src.c, (size_t) p->src.c * sizeof (float));
        else
          memset (patch, 0, (size_t) p->src.c * sizeof (float));
      }
}

void
UK_SIMD (make_patches) (const UkCpuPatches *p, const float *src, float *patches)
{
  int64_t n_patches = p->dst.n * p->dst.h * p->dst.w;
  int64_t patch = p->src.c * p->kernel * p->kernel, sample = p->src.h * p->src.w * p->src.c;
  int n = uk_threads_for (n_patches * patch, p->n_threads);

#pragma omp parallel for num_threads (n) schedule (static)
  for (int64_t i = 0; i < n_patches; i++)
    make_patch (p, src + i / (p->dst.h * p->dst.w) * sample, i / p->dst.w % p->dst.h, i % p->dst.w,
                patches + i * patch);
}
