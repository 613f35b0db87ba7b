/* SPDX-License-Identifier: Apache-2.0 */
/*
 * update.c - see rewrite-private.h.
 */
#include "parallel/rewrite-private.h"

UrbInstruction
urb_update_operation (const UrbInstruction *like, UkOpKind kind, gint64 n)
{
  UrbInstruction result = *like;

  result.desc.kind = kind;
  result.desc.x = result.desc.y = (UkShape) { n, 1, 1, 1 };
  return result;
}

UrbView
urb_update_emit_factor (UrbRewrite *rewrite, UrbView squares, gint64 n_squares, const UrbHolders *holders,
                        const UrbInstruction *like)
{
  UrbProgram *program = rewrite->program;
  gint64 n = holders->n_ranks * n_squares;
  int n_parts = rewrite->n_parts;
  guint axes = rewrite->axes;
  UrbInstruction factor = urb_update_operation (like, UK_OP_GRAD_FACTOR, n);

  factor.args[0] = urb_program_add_temp (program, g_strdup ("all-squares"), UK_REAL, n);
  factor.args[2] = holders->is_first ? like->args[2]
                                     : urb_program_add_temp (program, g_strdup ("factor"), UK_REAL, 2);
  rewrite->n_parts = holders->n_ranks;
  rewrite->axes = holders->axes;
  urb_rewrite_collect (rewrite, URB_COLLECTIVE_ALL_GATHER, n_squares, 0, squares, factor.args[0], like);
  rewrite->n_parts = n_parts;
  rewrite->axes = axes;
  urb_rewrite_emit (rewrite, &factor);
  return factor.args[2];
}
