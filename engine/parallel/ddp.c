/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ddp.c - sums gradients over ranks with other samples, bucket by bucket, during backward.
 */
#include "parallel/synchronous.h"

#include "parallel/rewrite-private.h"

void
urb_program_make_ddp (UrbProgram *program, const UrbMesh *mesh, double bucket_mib)
{
  gint64 n_elements = (gint64) (bucket_mib * (1 << 20) / sizeof (float));
  g_autoptr(GArray) d = urb_buckets_find (program, &program->d, n_elements);
  g_autoptr(GArray) g = urb_buckets_find (program, &program->g, n_elements);
  guint last_metrics = urb_metrics_find_last (program);
  UrbRewrite rewrite;

  urb_rewrite_begin (&rewrite, program);
  rewrite.axes = urb_mesh_simplify (mesh, URB_AXIS_DATA);
  for (guint i = 0; i < program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (program, i);

      urb_rewrite_emit (&rewrite, instruction);
      urb_buckets_collect (d, &rewrite, &program->d, i, -1, FALSE, instruction);
      urb_buckets_collect (g, &rewrite, &program->g, i, -1, FALSE, instruction);
      if (i == last_metrics && mesh->pipe == 1)
        urb_metrics_collect (&rewrite, instruction);
    }
  urb_rewrite_finish (&rewrite);
}
