/* SPDX-License-Identifier: Apache-2.0 */
/* square-nodes.c - the more areas overlap, the fainter they are drawn, to keep the plan visible. */
#include "app/areas/square-nodes.h"

#include <math.h>

#include "app/canvas/palette.h"

#define GROUP 256            /* areas per node */
#define LINE_PX 1.5f
#define FORCED_LINE_PX 3.0f
#define MARK_PX 9.0f         /* mark in the corner of an area added by hand */
#define SMALLEST_PX 7.0      /* smaller squares have no outline */
#define FILL_ALPHA 0.08      /* alpha of a single area */
#define DEEP_FILL_ALPHA 0.36 /* limit of the total alpha of many overlapping areas */
#define FULL_FILL_ALPHA 0.6  /* alpha of areas without outlines */
#define SPACING_PX 4.0       /* lines with a smaller mean distance are fainter */
#define MIN_LINE_ALPHA 0.02
#define MAX_DEPTH 8.0        /* overlapping fills: more would be too faint for 8 bits */
#define RESCALE 1.25         /* tolerated relative error of line widths while zooming */

typedef struct
{
  gboolean tiny;                    /* without outlines */
  guint    every;                   /* only each every-th area has a fill */
  float    fill, line, forced_line; /* alpha */
} Style;

struct _UrbariumSquareNodes
{
  UrbariumRanked *ranked; /* owned; nullable */
  double          m_per_px, depth;
  Style           style;  /* for these */
  GPtrArray      *groups; /* of GskRenderNode; owned; full groups */
  GskRenderNode  *rest;   /* owned; nullable; the last group, not full */
  gsize           n_rest; /* total number of areas when rest was created */
};

UrbariumSquareNodes *
urbarium_square_nodes_new (void)
{
  UrbariumSquareNodes *self = g_new0 (UrbariumSquareNodes, 1);
  self->groups = g_ptr_array_new_with_free_func ((GDestroyNotify) gsk_render_node_unref);
  return self;
}

static void
clear_nodes (UrbariumSquareNodes *self)
{
  g_ptr_array_set_size (self->groups, 0);
  g_clear_pointer (&self->rest, gsk_render_node_unref);
  self->n_rest = 0;
}

void
urbarium_square_nodes_free (UrbariumSquareNodes *self)
{
  clear_nodes (self);
  g_ptr_array_unref (self->groups);
  g_clear_pointer (&self->ranked, urbarium_ranked_unref);
  g_free (self);
}

void
urbarium_square_nodes_get_origin (const UrbariumRanked *ranked, double *x, double *y)
{
  *x = ranked->search->heat_box.min_x;
  *y = ranked->search->heat_box.max_y;
}

static GdkRGBA
color_of (UrbSplit split, float alpha)
{
  return urbarium_color_to_rgba (urb_split_get_color (split), alpha);
}

/* @depth: mean number of areas on the same ground */
static Style
choose_style (double depth, double size_px)
{
  double spacing_px = size_px / (2 * depth), shown = MIN (depth, MAX_DEPTH);
  double line = pow (MIN (1, spacing_px / SPACING_PX), 1.5); /* 1.5, as many lines coincide */
  gboolean tiny = size_px < SMALLEST_PX;
  double fill = tiny ? FULL_FILL_ALPHA
                     : FILL_ALPHA + (DEEP_FILL_ALPHA - FILL_ALPHA) * (1 - 1 / shown);
  return (Style) {
    .tiny = tiny,
    .every = (guint) ceil (depth / MAX_DEPTH),
    .fill = (float) (1 - pow (1 - fill, 1 / shown)),
    .line = line < MIN_LINE_ALPHA ? 0 : (float) line,
    .forced_line = (float) MIN (1, 4 * line),
  };
}

static void
append_area (UrbariumSquareNodes *self, GtkSnapshot *snapshot, gsize index, double origin_x,
             double origin_y)
{
  const UrbRankedArea *area = &g_array_index (self->ranked->ranking->areas, UrbRankedArea, index);
  const Style *style = &self->style;
  float size = (float) area->square.size_m, px = (float) self->m_per_px;
  float width = (area->forced ? FORCED_LINE_PX : LINE_PX) * px;
  GdkRGBA fill = color_of (area->split, style->fill);
  GdkRGBA line = color_of (area->split, area->forced ? style->forced_line : style->line);
  graphene_rect_t bounds = GRAPHENE_RECT_INIT (-size / 2, -size / 2, size, size);
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float) (area->square.x - origin_x),
                                                          (float) (origin_y - area->square.y)));
  if (area->square.angle_deg != 0)
    gtk_snapshot_rotate (snapshot, (float) -area->square.angle_deg);
  if (index % style->every == 0)
    gtk_snapshot_append_color (snapshot, &fill, &bounds);
  if (!style->tiny && line.alpha > 0)
    {
      GskRoundedRect outline;
      gsk_rounded_rect_init_from_rect (&outline, &bounds, 0);
      gtk_snapshot_append_border (snapshot, &outline, (float[]) { width, width, width, width },
                                  (GdkRGBA[]) { line, line, line, line });
    }
  if (!style->tiny && area->forced)
    {
      float mark = MIN (MARK_PX * px, size / 2);
      gtk_snapshot_append_color (snapshot, &line,
                                 &GRAPHENE_RECT_INIT (-size / 2, -size / 2, mark, mark));
    }
  gtk_snapshot_restore (snapshot);
}

static GskRenderNode *
group_new (UrbariumSquareNodes *self, gsize first, gsize n)
{
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  double x, y;
  urbarium_square_nodes_get_origin (self->ranked, &x, &y);
  for (gsize i = first; i < first + n; i++)
    append_area (self, snapshot, i, x, y);
  return gtk_snapshot_free_to_node (snapshot);
}

static gboolean
is_near (double a, double b)
{
  return a <= RESCALE * b && a >= b / RESCALE;
}

static void
prepare (UrbariumSquareNodes *self, UrbariumRanked *ranked, gsize n, double m_per_px)
{
  gsize n_groups = n / GROUP, n_rest = n % GROUP;
  double size_m = ranked->search->options.area_size_m;
  double depth = n == 0 ? 1 : MAX (1, (double) n * size_m * size_m / ranked->covered_m2[n]);
  if (ranked != self->ranked || !is_near (m_per_px, self->m_per_px)
      || !is_near (depth, self->depth))
    {
      clear_nodes (self);
      urbarium_ranked_ref (ranked);
      g_clear_pointer (&self->ranked, urbarium_ranked_unref);
      self->ranked = ranked;
      self->m_per_px = m_per_px;
      self->depth = depth;
      self->style = choose_style (depth, size_m / m_per_px);
    }
  /* Surplus groups are kept in case the threshold is lowered again. */
  while (self->groups->len < n_groups)
    g_ptr_array_add (self->groups, group_new (self, (gsize) self->groups->len * GROUP, GROUP));
  if (self->rest != NULL && self->n_rest == n)
    return;
  g_clear_pointer (&self->rest, gsk_render_node_unref);
  self->n_rest = n;
  if (n_rest > 0)
    self->rest = group_new (self, n_groups * GROUP, n_rest);
}

void
urbarium_square_nodes_draw (UrbariumSquareNodes *self, GtkSnapshot *snapshot,
                            UrbariumRanked *ranked, gsize n, double m_per_px)
{
  prepare (self, ranked, n, m_per_px);
  /* The best areas last, on top of the others. */
  if (self->rest != NULL)
    gtk_snapshot_append_node (snapshot, self->rest);
  for (gsize i = n / GROUP; i-- > 0;)
    gtk_snapshot_append_node (snapshot, self->groups->pdata[i]);
}
