/* SPDX-License-Identifier: Apache-2.0 */
/*
 * street-profile.c - see street-profile-private.h.
 *
 * The share summed across a street is its width, however blurred its edges are, and the center of
 * that sum is its middle.
 */
#include <math.h>

#include "base/compare.h"
#include "city/street-profile-private.h"

static const double step_px = 0.5;

typedef struct
{
  double   area, moment; /* of the share, around the start */
  gboolean open;         /* no end of the street found */
  gboolean cut;          /* by the tile's border */
} Side;

/* Sums the share from @from towards @direction, to the street's end: where the share vanishes, or
 * is least before the next street. */
static Side
measure_side (const UrbSoftMap *map, UrbPoint from, UrbPoint direction, double limit)
{
  Side side = { 0 }, least = { 0 };
  const float *road = map->shares[URB_CLASS_ROAD];
  double peak = urb_shares_sample (road, map->width_px, map->height_px, from.x, from.y), low = peak;

  for (double t = step_px / 2; ; t += step_px)
    {
      double x = from.x + t * direction.x, y = from.y + t * direction.y, share;

      if (x < 0 || y < 0 || x > map->width_px || y > map->height_px)
        {
          side.cut = TRUE;
          return side;
        }
      share = urb_shares_sample (road, map->width_px, map->height_px, x, y);
      if (share > low + 0.06 && low < 0.6 * peak)
        return least;
      if (t > limit)
        {
          side.open = low > 0.5 * peak;
          return side;
        }
      side.area += share * step_px;
      side.moment += share * step_px * t;
      if (share < 0.02)
        return side;
      if (share < low)
        {
          low = share;
          least = side;
        }
      peak = MAX (peak, share);
    }
}

/* Measures across the direction and moves the center to the middle.
 * Returns: %FALSE if there is no street with two edges */
static gboolean
measure_section (const UrbSoftMap *map, UrbStreetSection *section, UrbPoint direction, double limit)
{
  UrbPoint normal = { -direction.y, direction.x }, other = { direction.y, -direction.x };

  for (int round = 0; round < 2; round++)
    {
      Side a = measure_side (map, section->center, normal, limit);
      Side b = measure_side (map, section->center, other, limit);
      double offset;

      section->is_cut = a.cut || b.cut;
      if (a.open || b.open || a.area + b.area <= 0 || (a.cut && b.cut))
        return FALSE;
      section->width = a.cut ? 2 * b.area : b.cut ? 2 * a.area : a.area + b.area;
      if (section->is_cut)
        return TRUE;
      offset = (a.moment - b.moment) / (a.area + b.area);
      section->center.x += offset * normal.x;
      section->center.y += offset * normal.y;
    }
  return TRUE;
}

/* The pixels of the edge between its nodes, averaged over @radius pixels to both sides. */
static GArray *
get_path (const UrbStreetTrace *trace, const UrbTraceEdge *edge, int width, int radius)
{
  g_autoptr(GArray) raw = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  GArray *path = g_array_new (FALSE, FALSE, sizeof (UrbPoint));

  g_array_append_val (raw, g_array_index (trace->nodes, UrbTraceNode, edge->from).at);
  for (guint i = 0; i < edge->n; i++)
    {
      gint32 pixel = g_array_index (trace->pixels, gint32, edge->first + i);
      UrbPoint at = { pixel % width + 0.5, pixel / width + 0.5 };

      g_array_append_val (raw, at);
    }
  g_array_append_val (raw, g_array_index (trace->nodes, UrbTraceNode, edge->to).at);
  for (int i = 0; i < (int) raw->len; i++)
    {
      int r = MIN (radius, MIN (i, (int) raw->len - 1 - i));
      UrbPoint sum = { 0, 0 };

      for (int k = i - r; k <= i + r; k++)
        {
          sum.x += g_array_index (raw, UrbPoint, k).x / (2 * r + 1);
          sum.y += g_array_index (raw, UrbPoint, k).y / (2 * r + 1);
        }
      g_array_append_val (path, sum);
    }
  return path;
}

static gint32
get_pixel (const UrbStreetMask *mask, UrbPoint at)
{
  int col = CLAMP ((int) at.x, 0, mask->width - 1), row = CLAMP ((int) at.y, 0, mask->height - 1);

  return row * mask->width + col;
}

/* Whether the ground there belongs to the street alone. */
static gboolean
is_clear (const UrbTraceNode *node, UrbPoint at, double detail_px)
{
  double zone = node->degree >= 3 ? 1.1 * node->radius + detail_px / 2
                : node->degree == 1 ? node->radius : 0;

  return urb_point_distance (node->at, at) >= zone;
}

/* Drops sections that the tile's border cuts, where a street leaves the tile at an angle: their
 * centers lean towards the border.  A street along the border has no others. */
static void
drop_cut (UrbStreetProfile *self)
{
  g_autoptr(GArray) kept = g_array_new (FALSE, FALSE, sizeof (UrbStreetSection));

  for (guint i = 0; i < self->sections->len; i++)
    if (!g_array_index (self->sections, UrbStreetSection, i).is_cut)
      g_array_append_val (kept, g_array_index (self->sections, UrbStreetSection, i));
  if (kept->len < 4 || 2 * kept->len < self->sections->len)
    return;
  g_array_set_size (self->sections, 0);
  g_array_append_vals (self->sections, kept->data, kept->len);
}

static void
summarize (UrbStreetProfile *self)
{
  g_autoptr(GArray) widths = g_array_new (FALSE, FALSE, sizeof (double));
  guint first, end;

  for (guint i = 0; i < self->sections->len; i++)
    {
      const UrbStreetSection *section = &g_array_index (self->sections, UrbStreetSection, i);

      if (section->width > 0)
        g_array_append_val (widths, section->width);
    }
  self->n_widths = widths->len;
  if (widths->len == 0)
    return;
  g_array_sort (widths, urb_compare_doubles);
  first = widths->len / 4;
  end = widths->len - first;
  for (guint i = first; i < end; i++)
    self->width_px += g_array_index (widths, double, i) / (end - first);
}

/* Whether a straight line can replace the sections from @first to @end, which lie between @before
 * and @after. */
static gboolean
is_straight (const GArray *sections, guint first, guint end, UrbPoint before, UrbPoint after,
             double tolerance)
{
  for (guint i = first; i < end; i++)
    if (urb_point_segment_distance (g_array_index (sections, UrbStreetSection, i).center, before,
                                    after) > tolerance)
      return FALSE;
  return TRUE;
}

/* Drops runs without a width, as at entrances and bays, where the line can pass straight. */
static void
skip_gaps (UrbStreetProfile *self, UrbPoint from, UrbPoint to)
{
  GArray *sections = self->sections;
  g_autoptr(GArray) kept = g_array_new (FALSE, FALSE, sizeof (UrbStreetSection));
  double tolerance = MAX (1, 0.3 * self->width_px), wide = 1.2 * self->width_px + 1.5;

  if (self->n_widths < 3)
    return;
  for (guint i = 0; i < sections->len; i++)
    if (g_array_index (sections, UrbStreetSection, i).width > wide)
      g_array_index (sections, UrbStreetSection, i).width = 0;
  for (guint i = 0, end; i < sections->len; i = end)
    {
      UrbPoint before = i > 0 ? g_array_index (sections, UrbStreetSection, i - 1).center : from;

      for (end = i; end < sections->len
                    && g_array_index (sections, UrbStreetSection, end).width <= 0; )
        end++;
      UrbPoint after = end < sections->len
                         ? g_array_index (sections, UrbStreetSection, end).center : to;

      if (!is_straight (sections, i, end, before, after, tolerance))
        g_array_append_vals (kept, &g_array_index (sections, UrbStreetSection, i), end - i);
      for (; end < sections->len && g_array_index (sections, UrbStreetSection, end).width > 0;
           end++)
        g_array_append_val (kept, g_array_index (sections, UrbStreetSection, end));
    }
  if (kept->len < 2)
    return;
  g_array_set_size (sections, 0);
  g_array_append_vals (sections, kept->data, kept->len);
}

/* Where no section is measured: the line itself, and the depth as half the width. */
static void
use_middle (UrbStreetProfile *self, const GArray *path, const UrbStreetMask *mask)
{
  guint first = path->len / 3, end = MAX (path->len - path->len / 3, first + 1);

  for (guint i = first; i < end; i++)
    {
      UrbStreetSection section = { .center = g_array_index (path, UrbPoint, i) };

      g_array_append_val (self->sections, section);
    }
  if (self->n_widths == 0)
    {
      UrbPoint at = g_array_index (path, UrbPoint, path->len / 2);

      self->width_px = MAX (1, 2 * (double) mask->depth[get_pixel (mask, at)] - 1);
    }
}

UrbStreetProfile *
urb_street_profile_new (const UrbStreetTrace *trace, const UrbTraceEdge *edge,
                        const guint8 *skeleton, const UrbStreetMask *mask, const UrbSoftMap *map)
{
  UrbStreetProfile *self = g_new0 (UrbStreetProfile, 1);
  int around = MAX (2, (int) lround (1.5 * mask->detail_px));
  g_autoptr(GArray) path = get_path (trace, edge, mask->width, around);
  const UrbTraceNode *from = &g_array_index (trace->nodes, UrbTraceNode, edge->from);
  const UrbTraceNode *to = &g_array_index (trace->nodes, UrbTraceNode, edge->to);
  double margin = mask->detail_px > 1.5 ? mask->detail_px / 2 : 0;

  self->sections = g_array_new (FALSE, FALSE, sizeof (UrbStreetSection));
  for (int i = 0; i < (int) path->len; i++)
    {
      UrbPoint at = g_array_index (path, UrbPoint, i);
      UrbPoint a = g_array_index (path, UrbPoint, MAX (i - around, 0));
      UrbPoint b = g_array_index (path, UrbPoint, MIN (i + around, (int) path->len - 1));
      gint32 pixel = get_pixel (mask, at);
      double length = urb_point_distance (a, b);
      UrbStreetSection section = { at, 0, FALSE };

      if (i > 0)
        self->length_px += urb_point_distance (at, g_array_index (path, UrbPoint, i - 1));
      if (!is_clear (from, at, mask->detail_px) || !is_clear (to, at, mask->detail_px)
          || MIN (MIN (at.x, mask->width - at.x), MIN (at.y, mask->height - at.y)) < margin
          || length <= 0 || skeleton[pixel] == URB_SKELETON_BRIDGE)
        continue;
      if (!measure_section (map, &section,
                            (UrbPoint) { (b.x - a.x) / length, (b.y - a.y) / length },
                            2 * (double) mask->depth[pixel] + mask->detail_px + 2)
          || urb_point_distance (section.center, at)
               > 0.7 * (double) mask->depth[pixel] + mask->detail_px)
        section = (UrbStreetSection) { at, 0, section.is_cut };
      g_array_append_val (self->sections, section);
    }
  drop_cut (self);
  summarize (self);
  skip_gaps (self, from->at, to->at);
  if (self->sections->len < 2)
    use_middle (self, path, mask);
  return self;
}

void
urb_street_profile_free (UrbStreetProfile *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->sections);
  g_free (self);
}
