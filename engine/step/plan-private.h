/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan-private.h - the planner's passes, in order of use by plan.c.
 */
#pragma once

#include "step/program.h"

G_BEGIN_DECLS

#define URB_PLAN_ALIGNMENT 64

static inline gint64
urb_plan_align (gint64 n_bytes)
{
  return (n_bytes + URB_PLAN_ALIGNMENT - 1) / URB_PLAN_ALIGNMENT * URB_PLAN_ALIGNMENT;
}

/* plan-recompute.c: whether @backend should recompute outputs of batch norm rather than keep them.  Always on a
 * host, where a pass costs little; on a device, if they would take more than a sixteenth of its memory. */
gboolean urb_plan_is_memory_short (const UrbProgram *self, UkBackend *backend);

/* plan-pack.c: after the operations were prepared. */
void urb_plan_insert_packs (UrbProgram *self);

/* plan-live.c: moves gradients to the arena, finds first and last uses, and lets
 * operations work in place. */
void urb_plan_adopt_gradients (UrbProgram *self);
void urb_plan_find_uses       (UrbProgram *self);
void urb_plan_alias           (UrbProgram *self);
/* The buffer whose storage @index shares; @index if it has its own. */
int  urb_plan_find_root       (const UrbProgram *self, int index);

/* plan-place.c: assigns offsets in the arena, once n_bytes are known. @element_size: of reals */
void urb_plan_place (UrbProgram *self, gsize element_size);

G_END_DECLS
