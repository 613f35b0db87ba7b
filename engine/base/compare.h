/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.h - comparison functions for qsort() and g_array_sort().
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Two doubles, ascending. */
int urb_compare_doubles (gconstpointer a, gconstpointer b);
/* Two gint64, ascending. */
int urb_compare_int64s  (gconstpointer a, gconstpointer b);
/* Two pointers to strings, by bytes. */
int urb_compare_strings (gconstpointer a, gconstpointer b);

G_END_DECLS
