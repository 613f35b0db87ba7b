/* SPDX-License-Identifier: Apache-2.0 */
/*
 * units.h - ranges of a network's parameters that are divided over ranks and exchanged together.
 *
 * A unit has the tensors of one or more layers.  It is padded so that each rank has an equal part.
 */
#pragma once

#include "step/program.h"

G_BEGIN_DECLS

typedef struct
{
  gint64 first, count; /* elements of the block before it is divided */
  gint64 part;         /* elements of a rank's part, with padding: n_ranks parts hold the unit */
  gint64 padded;       /* the first element in a block of all units with their padding */
  gint64 local;        /* the first element of a rank's part in a block of its parts */
} UrbUnit;

/* The layers of @slot, from the first to the last, in units of at least @n_elements.  If the rank has
 * only some of the tensors (slot->runs), these.  (element-type UrbUnit) (transfer full) */
GArray *urb_units_find (const UrbProgramNet *slot, gint64 n_elements, int n_ranks);

/* The unit that holds element @at. */
guint   urb_units_get_index (const GArray *units, gint64 at);

/* The elements of a unit that @rank has, which may be none: those from @first on.
 * @first: (out) (nullable): in the unit */
gint64  urb_unit_count_of (const UrbUnit *self, int rank, gint64 *first);

/* Elements of a block of all units with their padding; of a block of a rank's parts. */
gint64  urb_units_count_padded (const GArray *units, int n_ranks);
gint64  urb_units_count_local  (const GArray *units);

G_END_DECLS
