/* SPDX-License-Identifier: Apache-2.0 */
#include "app/canvas/lasso.h"

#include <math.h>

#define LINE 2.0
#define DOT  3.0 /* radius of the first vertex */

struct _UrbariumLasso
{
  GArray *xy; /* pairs; owned */
};

UrbariumLasso *
urbarium_lasso_new (void)
{
  UrbariumLasso *self = g_new0 (UrbariumLasso, 1);

  self->xy = g_array_new (FALSE, FALSE, sizeof (double));
  return self;
}

void
urbarium_lasso_free (UrbariumLasso *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->xy);
  g_free (self);
}

guint
urbarium_lasso_get_n_vertices (UrbariumLasso *self)
{
  return self->xy->len / 2;
}

void
urbarium_lasso_add_vertex (UrbariumLasso *self, double x, double y, double min_distance_m)
{
  const double *xy = (const double *) (const void *) self->xy->data;
  guint n = self->xy->len;
  double vertex[2] = { x, y };

  if (n > 0 && hypot (x - xy[n - 2], y - xy[n - 1]) < min_distance_m)
    return;
  g_array_append_vals (self->xy, vertex, 2);
}

void
urbarium_lasso_drop_vertex (UrbariumLasso *self)
{
  if (self->xy->len > 0)
    g_array_set_size (self->xy, self->xy->len - 2);
}

void
urbarium_lasso_clear (UrbariumLasso *self)
{
  g_array_set_size (self->xy, 0);
}

GArray *
urbarium_lasso_steal (UrbariumLasso *self)
{
  GArray *xy = self->xy;

  if (urbarium_lasso_get_n_vertices (self) < 3)
    {
      urbarium_lasso_clear (self);
      return NULL;
    }
  self->xy = g_array_new (FALSE, FALSE, sizeof (double));
  return xy;
}

static void
trace (UrbariumLasso *self, cairo_t *cr, const UrbariumView *view)
{
  const double *xy = (const double *) (const void *) self->xy->data;

  for (guint i = 0; i < self->xy->len; i += 2)
    {
      double px, py;

      urbarium_view_from_map (view, xy[i], xy[i + 1], &px, &py);
      cairo_line_to (cr, px, py);
    }
}

void
urbarium_lasso_snapshot (UrbariumLasso *self, GtkSnapshot *snapshot, const UrbariumView *view,
                         const GdkRGBA *accent)
{
  graphene_rect_t bounds = GRAPHENE_RECT_INIT (0, 0, view->width, view->height);
  double dashes[] = { 6, 4 }, px, py;
  GdkRGBA tint = *accent;
  cairo_t *cr;

  if (self->xy->len == 0)
    return;
  tint.alpha = 0.15f;
  cr = gtk_snapshot_append_cairo (snapshot, &bounds);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  trace (self, cr, view);
  gdk_cairo_set_source_rgba (cr, &tint);
  cairo_fill (cr);
  trace (self, cr, view);
  cairo_set_source_rgba (cr, 1, 1, 1, 0.8);
  cairo_set_line_width (cr, LINE + 2);
  cairo_stroke_preserve (cr);
  gdk_cairo_set_source_rgba (cr, accent);
  cairo_set_line_width (cr, LINE);
  cairo_stroke (cr);
  /* Dashed: the edge that would close the loop. */
  trace (self, cr, view);
  cairo_close_path (cr);
  cairo_set_dash (cr, dashes, G_N_ELEMENTS (dashes), 0);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
  urbarium_view_from_map (view, g_array_index (self->xy, double, 0),
                          g_array_index (self->xy, double, 1), &px, &py);
  cairo_arc (cr, px, py, DOT, 0, 2 * G_PI);
  cairo_fill (cr);
  cairo_destroy (cr);
}
