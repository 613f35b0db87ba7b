/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cities/place-history.h"

typedef struct
{
  UrbariumPlacement before, after;
} Move;

struct _UrbariumPlaceHistory
{
  GArray          *moves;  /* Move, owned */
  guint            n_done; /* the others are undone */
  UrbariumPlacedBy last_by; /* of the gesture that goes on; URBARIUM_PLACED_AT_ONCE: none does */
};

UrbariumPlaceHistory *
urbarium_place_history_new (void)
{
  UrbariumPlaceHistory *self = g_new0 (UrbariumPlaceHistory, 1);
  self->moves = g_array_new (FALSE, FALSE, sizeof (Move));
  return self;
}

void
urbarium_place_history_free (UrbariumPlaceHistory *self)
{
  g_array_unref (self->moves);
  g_free (self);
}

void
urbarium_place_history_clear (UrbariumPlaceHistory *self)
{
  g_array_set_size (self->moves, 0);
  self->n_done = 0;
  urbarium_place_history_end_gesture (self);
}

void
urbarium_place_history_end_gesture (UrbariumPlaceHistory *self)
{
  self->last_by = URBARIUM_PLACED_AT_ONCE;
}

static gboolean
is_same (const UrbariumPlacement *a, const UrbariumPlacement *b)
{
  return a->x == b->x && a->y == b->y && a->angle_deg == b->angle_deg;
}

void
urbarium_place_history_add (UrbariumPlaceHistory *self, const UrbariumPlacement *before,
                            const UrbariumPlacement *after, UrbariumPlacedBy by)
{
  gboolean goes_on = self->n_done > 0 && by != URBARIUM_PLACED_AT_ONCE && by == self->last_by;
  if (is_same (before, after))
    return;
  g_array_set_size (self->moves, self->n_done);
  if (goes_on)
    g_array_index (self->moves, Move, self->n_done - 1).after = *after;
  else
    g_array_append_val (self->moves, ((Move) { *before, *after }));
  self->n_done = self->moves->len;
  self->last_by = by;
}

gboolean
urbarium_place_history_can_undo (const UrbariumPlaceHistory *self)
{
  return self->n_done > 0;
}

gboolean
urbarium_place_history_can_redo (const UrbariumPlaceHistory *self)
{
  return self->n_done < self->moves->len;
}

const UrbariumPlacement *
urbarium_place_history_undo (UrbariumPlaceHistory *self)
{
  g_return_val_if_fail (urbarium_place_history_can_undo (self), NULL);
  urbarium_place_history_end_gesture (self);
  return &g_array_index (self->moves, Move, --self->n_done).before;
}

const UrbariumPlacement *
urbarium_place_history_redo (UrbariumPlaceHistory *self)
{
  g_return_val_if_fail (urbarium_place_history_can_redo (self), NULL);
  urbarium_place_history_end_gesture (self);
  return &g_array_index (self->moves, Move, self->n_done++).after;
}
