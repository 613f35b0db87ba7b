/* SPDX-License-Identifier: Apache-2.0 */
/* format.h - numbers and dates in the user's locale. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* All return (transfer full) strings in UTF-8. */
char *urbarium_format_count    (gint64 count);                 /* 1,234,567 */
char *urbarium_format_number   (double value, int n_decimals); /* 1,234.5 */
/* About four significant digits, for axes and losses: 0.00123, 1,234, 1.2e-09. */
char *urbarium_format_value    (double value);
char *urbarium_format_percent  (double share);      /* 12.3 % */
char *urbarium_format_area     (double area_m2);    /* 850 m², 1.23 ha, 45.6 km² */
char *urbarium_format_length   (double length_m);   /* 12.5 m, 3.2 km */
char *urbarium_format_bytes    (gint64 n_bytes);    /* 1.2 GB */
char *urbarium_format_duration (double seconds);    /* 45 s, 3 min, 2 h 5 min, 3 d 4 h */
char *urbarium_format_time     (gint64 unix_time);  /* date and time of day */

G_END_DECLS
