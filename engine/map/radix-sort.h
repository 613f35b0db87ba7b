/* SPDX-License-Identifier: Apache-2.0 */
/*
 * radix-sort.h - sorts numbers by their upper halves in linear time.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * urb_radix_sort:
 * @items: (@n): (key << 32 | anything)
 * @scratch: (@n): overwritten
 *
 * Sorts by the key; stable, hence by the whole number where the lower halves are in order.
 *
 * Returns: (transfer none): @items or @scratch, whichever has the result; the other is
 *   undefined then
 */
guint64 *urb_radix_sort (guint64 *items, guint64 *scratch, gint64 n);

G_END_DECLS
