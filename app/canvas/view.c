/* SPDX-License-Identifier: Apache-2.0 */
#include "app/canvas/view.h"

#include <math.h>

#include "app/canvas/tile.h"

#define MARGIN    0.04 /* of the widget, on each side of a fitted box */
#define FIT_MIN_M 20.0 /* meters: smaller boxes do not fill the widget */
#define FARTHEST  6.0  /* maximum scale, relative to the one that shows the whole map */

void
urbarium_view_to_map (const UrbariumView *view, double px, double py, double *x, double *y)
{
  *x = view->center_x + (px - 0.5 * view->width) * view->m_per_px;
  *y = view->center_y - (py - 0.5 * view->height) * view->m_per_px;
}

void
urbarium_view_from_map (const UrbariumView *view, double x, double y, double *px, double *py)
{
  *px = 0.5 * view->width + (x - view->center_x) / view->m_per_px;
  *py = 0.5 * view->height - (y - view->center_y) / view->m_per_px;
}

UrbBox
urbarium_view_get_box (const UrbariumView *view)
{
  double half_width = 0.5 * view->width * view->m_per_px;
  double half_height = 0.5 * view->height * view->m_per_px;

  return (UrbBox) { view->center_x - half_width, view->center_y - half_height,
                    view->center_x + half_width, view->center_y + half_height };
}

graphene_rect_t
urbarium_view_get_rect (const UrbariumView *view, UrbBox box)
{
  double left, top, right, bottom;

  urbarium_view_from_map (view, box.min_x, box.max_y, &left, &top);
  urbarium_view_from_map (view, box.max_x, box.min_y, &right, &bottom);
  return GRAPHENE_RECT_INIT ((float) left, (float) top, (float) (right - left),
                             (float) (bottom - top));
}

UrbariumView
urbarium_view_pin (UrbariumView view, double x, double y, double px, double py, double m_per_px)
{
  view.m_per_px = m_per_px;
  view.center_x = x - (px - 0.5 * view.width) * m_per_px;
  view.center_y = y + (py - 0.5 * view.height) * m_per_px;
  return view;
}

UrbariumView
urbarium_view_zoom_at (UrbariumView view, double px, double py, double factor)
{
  double x, y;

  urbarium_view_to_map (&view, px, py, &x, &y);
  return urbarium_view_pin (view, x, y, px, py, view.m_per_px / factor);
}

UrbariumView
urbarium_view_drag (UrbariumView view, double dx_px, double dy_px)
{
  view.center_x -= dx_px * view.m_per_px;
  view.center_y += dy_px * view.m_per_px;
  return view;
}

static double
fitting_m_per_px (const UrbariumView *view, UrbBox box)
{
  double width_m = MAX (box.max_x - box.min_x, FIT_MIN_M);
  double height_m = MAX (box.max_y - box.min_y, FIT_MIN_M);
  double share = 1 - 2 * MARGIN;

  return MAX (width_m / (share * MAX (view->width, 1)), height_m / (share * MAX (view->height, 1)));
}

UrbariumView
urbarium_view_fit (UrbariumView view, UrbBox box)
{
  view.center_x = 0.5 * (box.min_x + box.max_x);
  view.center_y = 0.5 * (box.min_y + box.max_y);
  view.m_per_px = urbarium_tile_round_scale (fitting_m_per_px (&view, box));
  return view;
}

UrbariumView
urbarium_view_clamp (UrbariumView view, UrbBox extent)
{
  double farthest = MAX (FARTHEST * fitting_m_per_px (&view, extent), URBARIUM_VIEW_MIN_M_PER_PX);

  view.center_x = CLAMP (view.center_x, extent.min_x, extent.max_x);
  view.center_y = CLAMP (view.center_y, extent.min_y, extent.max_y);
  if (view.width > 0 && view.height > 0)
    view.m_per_px = CLAMP (view.m_per_px, URBARIUM_VIEW_MIN_M_PER_PX, farthest);
  return view;
}

/* Rounds @center so that @center / @pixel_m + @half is an integer. */
static double
snap_axis (double center, double pixel_m, double half)
{
  return (round (center / pixel_m + half) - half) * pixel_m;
}

UrbariumView
urbarium_view_snap (UrbariumView view, int scale_factor)
{
  double pixel_m = view.m_per_px / scale_factor;

  view.center_x = snap_axis (view.center_x, pixel_m, 0.5 * view.width * scale_factor);
  view.center_y = snap_axis (view.center_y, pixel_m, 0.5 * view.height * scale_factor);
  return view;
}

/* The scale changes geometrically.  The center moves with it, so that the fixed point of both
 * views stays in place; without a change of scale, it moves linearly. */
UrbariumView
urbarium_view_mix (UrbariumView from, UrbariumView to, double t)
{
  double ratio = to.m_per_px / from.m_per_px, moved = t;
  UrbariumView view = to;

  if (t >= 1)
    return to;
  if (fabs (log (ratio)) > 1e-6)
    moved = (pow (ratio, t) - 1) / (ratio - 1);
  view.m_per_px = from.m_per_px * pow (ratio, t);
  view.center_x = from.center_x + moved * (to.center_x - from.center_x);
  view.center_y = from.center_y + moved * (to.center_y - from.center_y);
  return view;
}

gboolean
urbarium_view_is_same (const UrbariumView *a, const UrbariumView *b)
{
  return a->center_x == b->center_x && a->center_y == b->center_y && a->m_per_px == b->m_per_px
         && a->width == b->width && a->height == b->height;
}
