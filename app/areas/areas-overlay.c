/* SPDX-License-Identifier: Apache-2.0 */
#include "app/areas/areas-overlay.h"

#include <math.h>

#include "app/areas/square-nodes.h"
#include "app/canvas/palette.h"
#include "dataset/plan-style.h"

#define REGION_ALPHA 0.10f
#define REGION_LINE_ALPHA 0.55f
#define HOVER_LINE_PX 3.0f
#define CASING_PX 2.0f

typedef struct
{
  UrbSquare square;
  gboolean  shown, chosen;
} Pointed;

struct _UrbariumAreasOverlay
{
  UrbariumCanvas      *canvas;   /* borrowed */
  UrbariumCuration    *curation; /* borrowed */
  UrbariumSquareNodes *squares;  /* owned */
  guint                id;       /* of the canvas's overlay */
  double               heat_opacity;
  gboolean             regions_visible;
  Pointed              hover, selected;
};

static gboolean
is_of (const UrbBlocks *blocks, int col, int row, UrbSplit split)
{
  return col >= 0 && row >= 0 && col < blocks->n_x && row < blocks->n_y
         && blocks->split[(gsize) row * blocks->n_x + col] == split;
}

/* Draws the part of a test or validation block that has candidates, without lines between adjacent
 * blocks of the same split. */
static void
draw_region (GtkSnapshot *snapshot, const UrbariumView *view, const UrbBlocks *blocks, UrbBox box,
             int col, int row)
{
  UrbSplit split = (UrbSplit) blocks->split[(gsize) row * blocks->n_x + col];
  GdkRGBA fill = urbarium_color_to_rgba (urb_split_get_color (split), REGION_ALPHA);
  GdkRGBA line = urbarium_color_to_rgba (urb_split_get_color (split), REGION_LINE_ALPHA);
  graphene_rect_t r = urbarium_view_get_rect (view, box);
  float x = r.origin.x, y = r.origin.y, w = r.size.width, h = r.size.height;
  gtk_snapshot_append_color (snapshot, &fill, &r);
  if (box.min_x > blocks->x + col * blocks->block_w || !is_of (blocks, col - 1, row, split))
    gtk_snapshot_append_color (snapshot, &line, &GRAPHENE_RECT_INIT (x, y, 1, h));
  if (box.max_x < blocks->x + (col + 1) * blocks->block_w || !is_of (blocks, col + 1, row, split))
    gtk_snapshot_append_color (snapshot, &line, &GRAPHENE_RECT_INIT (x + w - 1, y, 1, h));
  if (box.max_y < blocks->y + (row + 1) * blocks->block_h || !is_of (blocks, col, row + 1, split))
    gtk_snapshot_append_color (snapshot, &line, &GRAPHENE_RECT_INIT (x, y, w, 1));
  if (box.min_y > blocks->y + row * blocks->block_h || !is_of (blocks, col, row - 1, split))
    gtk_snapshot_append_color (snapshot, &line, &GRAPHENE_RECT_INIT (x, y + h - 1, w, 1));
}

static void
draw_regions (GtkSnapshot *snapshot, const UrbariumView *view, const UrbariumRanked *ranked)
{
  const UrbBlocks *blocks = ranked->ranking->blocks;
  for (int row = 0; row < blocks->n_y; row++)
    for (int col = 0; col < blocks->n_x; col++)
      {
        UrbBox box = ranked->held_out[(gsize) row * blocks->n_x + col];
        if (box.min_x < box.max_x && box.min_y < box.max_y)
          draw_region (snapshot, view, blocks, box, col, row);
      }
}

static void
append_frame (GtkSnapshot *snapshot, float half, float width, GdkRGBA color)
{
  GskRoundedRect outline;
  gsk_rounded_rect_init_from_rect (
    &outline, &GRAPHENE_RECT_INIT (-half, -half, 2 * half, 2 * half), 2);
  gtk_snapshot_append_border (snapshot, &outline, (float[]) { width, width, width, width },
                              (GdkRGBA[]) { color, color, color, color });
}

/* A light line with a dark casing is visible on any background. */
static void
draw_pointed (GtkSnapshot *snapshot, const UrbariumView *view, const Pointed *pointed)
{
  float half = (float) (pointed->square.size_m / view->m_per_px / 2);
  GdkRGBA line = { 1, 1, 1, pointed->chosen ? 1.0f : 0.85f };
  GdkRGBA casing = { 0, 0, 0, 0.75f };
  float width = pointed->chosen ? HOVER_LINE_PX : HOVER_LINE_PX / 2;
  double x, y;
  if (!pointed->shown)
    return;
  urbarium_view_from_map (view, pointed->square.x, pointed->square.y, &x, &y);
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float) x, (float) y));
  gtk_snapshot_rotate (snapshot, (float) -pointed->square.angle_deg);
  append_frame (snapshot, half + width + CASING_PX, width + 2 * CASING_PX, casing);
  append_frame (snapshot, half + width, width, line);
  gtk_snapshot_restore (snapshot);
}

static void
draw (GtkSnapshot *snapshot, const UrbariumView *view, gpointer data)
{
  UrbariumAreasOverlay *self = data;
  UrbariumRanked *ranked = urbarium_curation_get_ranked (self->curation);
  double x, y, px, py;
  float scale = (float) (1 / view->m_per_px);
  graphene_rect_t heat;
  if (ranked == NULL)
    return;
  heat = urbarium_view_get_rect (view, ranked->search->heat_box);
  if (self->heat_opacity > 0 && heat.size.width >= 1 && heat.size.height >= 1)
    {
      gtk_snapshot_push_opacity (snapshot, self->heat_opacity);
      gtk_snapshot_append_texture (snapshot, ranked->search->heat, &heat);
      gtk_snapshot_pop (snapshot);
    }
  if (self->regions_visible)
    draw_regions (snapshot, view, ranked);
  urbarium_square_nodes_get_origin (ranked, &x, &y);
  urbarium_view_from_map (view, x, y, &px, &py);
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float) px, (float) py));
  gtk_snapshot_scale (snapshot, scale, scale);
  urbarium_square_nodes_draw (self->squares, snapshot, ranked,
                              urbarium_curation_get_choice (self->curation).n, view->m_per_px);
  gtk_snapshot_restore (snapshot);
  draw_pointed (snapshot, view, &self->selected);
  draw_pointed (snapshot, view, &self->hover);
}

static void
changed_cb (UrbariumAreasOverlay *self)
{
  urbarium_canvas_queue_overlays (self->canvas);
}

UrbariumAreasOverlay *
urbarium_areas_overlay_new (UrbariumCanvas *canvas, UrbariumCuration *curation)
{
  UrbariumAreasOverlay *self = g_new0 (UrbariumAreasOverlay, 1);
  self->canvas = canvas;
  self->curation = curation;
  self->squares = urbarium_square_nodes_new ();
  self->regions_visible = TRUE;
  self->id = urbarium_canvas_add_overlay (canvas, draw, self);
  g_signal_connect_swapped (curation, "choice-changed", G_CALLBACK (changed_cb), self);
  return self;
}

void
urbarium_areas_overlay_free (UrbariumAreasOverlay *self)
{
  g_signal_handlers_disconnect_by_data (self->curation, self);
  urbarium_canvas_remove_overlay (self->canvas, self->id);
  urbarium_square_nodes_free (self->squares);
  g_free (self);
}

void
urbarium_areas_overlay_set_heat (UrbariumAreasOverlay *self, double opacity)
{
  self->heat_opacity = opacity;
  changed_cb (self);
}

void
urbarium_areas_overlay_set_regions (UrbariumAreasOverlay *self, gboolean visible)
{
  self->regions_visible = visible;
  changed_cb (self);
}

static void
point (UrbariumAreasOverlay *self, Pointed *pointed, const UrbSquare *square, gboolean chosen)
{
  gboolean same = pointed->shown == (square != NULL) && pointed->chosen == chosen
                  && (square == NULL
                      || (square->x == pointed->square.x && square->y == pointed->square.y
                          && square->angle_deg == pointed->square.angle_deg
                          && square->size_m == pointed->square.size_m));
  if (same)
    return;
  pointed->shown = square != NULL;
  pointed->chosen = chosen;
  if (square != NULL)
    pointed->square = *square;
  changed_cb (self);
}

void
urbarium_areas_overlay_set_hover (UrbariumAreasOverlay *self, const UrbSquare *square,
                                  gboolean chosen)
{
  point (self, &self->hover, square, chosen);
}

void
urbarium_areas_overlay_set_selected (UrbariumAreasOverlay *self, const UrbSquare *square)
{
  point (self, &self->selected, square, TRUE);
}
