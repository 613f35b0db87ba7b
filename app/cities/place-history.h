/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place-history.h - where a plan was, to undo and redo.
 *
 * Not the window's undo stack (undo.h), which outlives a plan.  All moves of one gesture are one change: of a
 * drag, of a key that is held, of a number until another one is edited.
 */
#pragma once

#include "app/cities/placement.h"

G_BEGIN_DECLS

typedef enum
{
  URBARIUM_PLACED_AT_ONCE, /* a gesture of its own; with the others, one goes on until another begins, or it is ended */
  URBARIUM_PLACED_BY_DRAG,
  URBARIUM_PLACED_BY_EAST, /* numbers */
  URBARIUM_PLACED_BY_NORTH,
  URBARIUM_PLACED_BY_ROTATION,
  URBARIUM_PLACED_BY_KEY
} UrbariumPlacedBy;

typedef struct _UrbariumPlaceHistory UrbariumPlaceHistory;

UrbariumPlaceHistory *urbarium_place_history_new   (void);
void                  urbarium_place_history_free  (UrbariumPlaceHistory *self);
void                  urbarium_place_history_clear (UrbariumPlaceHistory *self);
/* Drops what was undone, unless nothing moved. */
void                  urbarium_place_history_add   (UrbariumPlaceHistory *self, const UrbariumPlacement *before,
                                                    const UrbariumPlacement *after, UrbariumPlacedBy by);
/* What is added next is another change. */
void                  urbarium_place_history_end_gesture (UrbariumPlaceHistory *self);
gboolean              urbarium_place_history_can_undo (const UrbariumPlaceHistory *self);
gboolean              urbarium_place_history_can_redo (const UrbariumPlaceHistory *self);
/* Only if they can.  Returns: (transfer none): where the plan is then; valid until the next change */
const UrbariumPlacement *urbarium_place_history_undo (UrbariumPlaceHistory *self);
const UrbariumPlacement *urbarium_place_history_redo (UrbariumPlaceHistory *self);

G_END_DECLS
