/* SPDX-License-Identifier: Apache-2.0 */
/*
 * union-work.h - how much work it is to join areas to one, before it is done.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A side of an area; finite. */
typedef struct
{
  double ax, ay, bx, by; /* meters */
} UrbSide;

/**
 * urb_union_measure_work:
 * @sides: (n_sides): of all areas
 * @most: where to stop
 *
 * Counts the pairs of sides that a union has to look at, since their boxes meet; pairs that cross count a hundred times, since
 * each makes a vertex.  A few nanoseconds each, so the time is bounded by @most, too.
 *
 * Returns: the work; more than @most if it is more
 */
gint64 urb_union_measure_work (const UrbSide *sides, gint64 n_sides, gint64 most);

G_END_DECLS
