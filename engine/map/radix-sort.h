/* SPDX-License-Identifier: Apache-2.0 */
/*
 * radix-sort.h - sorts 64-bit integers by their upper halves in linear time.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * urb_radix_sort:
 * @items: (@n): (key << 32 | payload)
 * @scratch: (@n): overwritten
 *
 * Sorts by the key; stable, hence by the whole integer if the lower halves are in order.
 *
 * Returns: (transfer none): @items or @scratch, whichever holds the result; the other is
 *   undefined
 */
guint64 *urb_radix_sort (guint64 *items, guint64 *scratch, gint64 n);

G_END_DECLS
