/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/named-series.h"

/* Points from @from on were added to or removed from @source. */
static void
follow_cb (UrbariumSeries *self, guint64 from, UrbariumSeries *source)
{
  gsize n = urbarium_series_get_n (source);
  urbarium_series_freeze (self);
  urbarium_series_truncate_n (self, (gsize) MIN (from, n));
  for (gsize i = urbarium_series_get_n (self); i < n; i++)
    {
      double x, y;
      urbarium_series_get (source, i, &x, &y);
      urbarium_series_append (self, x, y);
    }
  urbarium_series_thaw (self);
}

UrbariumSeries *
urbarium_named_series_new (UrbariumSeries *source, const char *name)
{
  UrbariumSeries *self = urbarium_series_new (name);
  follow_cb (self, 0, source);
  g_signal_connect_object (source, "changed", G_CALLBACK (follow_cb), self, G_CONNECT_SWAPPED);
  return self;
}
