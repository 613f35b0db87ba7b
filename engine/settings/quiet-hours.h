/* SPDX-License-Identifier: Apache-2.0 */
/* quiet-hours.h - the part of each day in which no run begins by itself: "08:00-18:00". */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Minutes since midnight; equal: none. */
typedef struct
{
  int from, to; /* the first minute, and the first one after; it may be tomorrow */
} UrbQuietHours;

/* @text: (nullable): %NULL or "none": none
 * Returns: %FALSE with %URB_TRAIN_ERROR_OPTIONS if it is no range of times */
gboolean urb_quiet_hours_parse    (const char *text, UrbQuietHours *out, GError **error);
gboolean urb_quiet_hours_contain  (const UrbQuietHours *self, int minute);

G_END_DECLS
