/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hogwild.h - the asynchronous strategies (hogwild, streams) as a rewrite of a GAN's program.
 *
 * The parameters become shared.  Layers read a snapshot of them, copied at the start of a step (and
 * D's again after D's update, before G's pass), so that a pass uses one set of weights however many
 * updates arrive meanwhile.  Gradients are local to a rank.  Adam updates the shared blocks
 * directly, without a lock, in slices.
 */
#pragma once

#include "parallel/shared-params.h"
#include "step/interpreter.h"

G_BEGIN_DECLS

/* Before planning.  Afterwards the networks' `params` are the shared blocks. */
void urb_program_make_hogwild (UrbProgram *self);

/* After planning: what this program shares.
 * @local_moments: each rank keeps its own moments, as in PyTorch's Hogwild example; shared moments
 * work better with RMSProp and Adam (A3C: 1602.01783, section 4)
 * @options: everything else that must be equal on all ranks, as text */
void urb_hogwild_get_layout (const UrbProgram *self, gboolean local_moments, const char *options,
                             UrbSharedLayout *out);

/* Memory for an interpreter of @self: (transfer container): (n_buffers) pointers to the blocks of
 * @shared; NULL for other buffers. */
void **urb_hogwild_list_blocks (const UrbProgram *self, UrbSharedParams *shared);

/* Heap: shares the blocks of @interpreter, which outlives their use, between all threads. */
void urb_hogwild_lend (const UrbProgram *self, UrbInterpreter *interpreter,
                       const UrbSharedLayout *layout, UrbSharedParams *shared);

/* The interpreter's listener, which records a rank's reads and updates. */
typedef struct
{
  UrbSharedParams *shared; /* borrowed */
  int              rank;
} UrbHogwildWorker;

void urb_hogwild_note (gpointer worker, int note);

G_END_DECLS
