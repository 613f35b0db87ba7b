/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place-history.h - where a plan was, to undo and redo.
 *
 * Not the window's undo stack (undo.h), which outlives a plan.  Small moves of the same kind that follow each other
 * within 0.7 seconds, as of a drag or of a key that is held, are one change.
 */
#pragma once

#include "app/cities/placement.h"

G_BEGIN_DECLS

typedef enum
{
  URBARIUM_PLACED_AT_ONCE, /* never one change with others; the rest are, if one follows soon after the other */
  URBARIUM_PLACED_BY_DRAG,
  URBARIUM_PLACED_BY_NUMBER,
  URBARIUM_PLACED_BY_KEY
} UrbariumPlacedBy;

typedef struct _UrbariumPlaceHistory UrbariumPlaceHistory;

UrbariumPlaceHistory *urbarium_place_history_new   (void);
void                  urbarium_place_history_free  (UrbariumPlaceHistory *self);
void                  urbarium_place_history_clear (UrbariumPlaceHistory *self);
/* Drops what was undone, unless nothing moved.  @now_us: g_get_monotonic_time() */
void                  urbarium_place_history_add   (UrbariumPlaceHistory *self, const UrbariumPlacement *before,
                                                    const UrbariumPlacement *after, UrbariumPlacedBy by,
                                                    gint64 now_us);
gboolean              urbarium_place_history_can_undo (const UrbariumPlaceHistory *self);
gboolean              urbarium_place_history_can_redo (const UrbariumPlaceHistory *self);
/* Only if they can.  Returns: (transfer none): where the plan is then; valid until the next change */
const UrbariumPlacement *urbarium_place_history_undo (UrbariumPlaceHistory *self);
const UrbariumPlacement *urbarium_place_history_redo (UrbariumPlaceHistory *self);

G_END_DECLS
