/* SPDX-License-Identifier: Apache-2.0 */
/* tracker-pace.h - how often trackers are given what is large: sample grids, and histograms of a checkpoint. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Whether that of @step is left out, since its step is not a 16th later than @last, that of the last one given;
 * @last: -1: none */
static inline gboolean
urb_tracker_is_soon_after (gint64 step, gint64 last)
{
  return last >= 0 && step < last + last / 16;
}

G_END_DECLS
