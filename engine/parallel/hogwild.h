/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hogwild.h - the asynchronous strategies (hogwild, streams) as a rewrite of a
 * GAN's program.
 *
 * The parameters become shared.  Layers read a snapshot of them, copied when
 * the step begins (and D's once more when D was updated, before G's pass), so
 * that one pass sees one set of weights however many updates arrive meanwhile.
 * Gradients are a worker's own.  Adam goes straight into the shared blocks,
 * without a lock, in slices.
 */
#pragma once

#include "parallel/shared-params.h"
#include "step/interpreter.h"

G_BEGIN_DECLS

/* Before planning.  The networks' `params` are the shared blocks afterwards. */
void urb_program_make_hogwild (UrbProgram *self);

/* After planning: what this program shares.
 * @local_moments: Adam's moments stay each worker's own, as in PyTorch's Hogwild example; else they
 *   are shared, which RMSProp and Adam take better (A3C: 1602.01783, section 4)
 * @options: whatever else must be the same for all, as text */
void urb_hogwild_get_layout (const UrbProgram *self, gboolean local_moments, const char *options,
                             UrbSharedLayout *out);

/* What an interpreter of @self is lent: (transfer container): (n_buffers) pointers to the blocks
 * of @shared; NULL where it has none. */
void **urb_hogwild_list_blocks (const UrbProgram *self, UrbSharedParams *shared);

/* Heap: the blocks of @interpreter are those that all threads share.  It outlives their use. */
void urb_hogwild_lend (const UrbProgram *self, UrbInterpreter *interpreter,
                       const UrbSharedLayout *layout, UrbSharedParams *shared);

/* Keeps the records of a worker: the interpreter's listener. */
typedef struct
{
  UrbSharedParams *shared; /* borrowed */
  int              rank;
} UrbHogwildWorker;

void urb_hogwild_note (gpointer worker, int note);

G_END_DECLS
