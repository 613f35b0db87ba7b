/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/curve.h"

#define PLACES "urbarium-curve-places"

double
urbarium_curve_place (UrbariumSeries *places, double step)
{
  gsize n = places == NULL ? 0 : urbarium_series_get_n (places), i = n == 0 ? 0 : urbarium_series_find (places, step);
  double x, y;
  if (places == NULL)
    return step;
  if (n == 0)
    return 0;
  urbarium_series_get (places, MIN (i, n - 1), &x, &y);
  if (x > step && i > 0) /* the one before it */
    urbarium_series_get (places, i - 1, &x, &y);
  return y;
}

/* Points from @from on were added to or removed from @source. */
static void
follow_cb (UrbariumSeries *self, guint64 from, UrbariumSeries *source)
{
  UrbariumSeries *places = g_object_get_data (G_OBJECT (self), PLACES);
  gsize n = urbarium_series_get_n (source);
  urbarium_series_freeze (self);
  urbarium_series_truncate_n (self, (gsize) MIN (from, n));
  for (gsize i = urbarium_series_get_n (self); i < n; i++)
    {
      double x, y;
      urbarium_series_get (source, i, &x, &y);
      urbarium_series_append (self, urbarium_curve_place (places, x), y);
    }
  urbarium_series_thaw (self);
}

UrbariumSeries *
urbarium_curve_new (UrbariumSeries *source, const char *title, UrbariumSeries *places)
{
  UrbariumSeries *self = urbarium_series_new (title);
  if (places != NULL)
    g_object_set_data_full (G_OBJECT (self), PLACES, g_object_ref (places), g_object_unref);
  follow_cb (self, 0, source);
  g_signal_connect_object (source, "changed", G_CALLBACK (follow_cb), self, G_CONNECT_SWAPPED);
  return self;
}
