/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cities/tile.h"

#include <math.h>

#include "app/plot/chart-style.h"
#include "city/plan-drawing.h"
#include "city/tile-vectors.h"

struct _UrbariumTile
{
  gatomicrefcount ref_count;
  GBytes         *levels; /* owned */
  gboolean        is_proposal;
  UrbGiven       *given;  /* (nullable) owned; of a proposal */
  int             n_cols, n_rows; /* areas */
  int             size_px, base_px, n_channels; /* of an area */
  double          size_m;         /* of an area */
  GMutex          mutex;   /* protects vectors */
  UrbCityVectors *vectors; /* (nullable) owned; computed once */
};

UrbariumTile *
urbarium_tile_new (GBytes *levels, int size_px, int base_px, int n_channels, double size_m)
{
  return urbarium_tile_new_wide (levels, 1, 1, size_px, base_px, n_channels, size_m);
}

UrbariumTile *
urbarium_tile_new_proposal (GBytes *levels, int size_px, int base_px, int n_channels, double size_m,
                            UrbGiven *given)
{
  UrbariumTile *self = urbarium_tile_new (levels, size_px, base_px, n_channels, size_m);
  self->is_proposal = TRUE;
  self->given = given != NULL ? urb_given_ref (given) : NULL;
  return self;
}

UrbariumTile *
urbarium_tile_new_wide (GBytes *levels, int n_cols, int n_rows, int size_px, int base_px, int n_channels,
                        double size_m)
{
  UrbariumTile *self;
  g_return_val_if_fail (g_bytes_get_size (levels) == (gsize) (n_cols * n_rows) * (gsize) size_px
                                                       * (gsize) size_px * (gsize) n_channels, NULL);
  self = g_new0 (UrbariumTile, 1);
  g_atomic_ref_count_init (&self->ref_count);
  g_mutex_init (&self->mutex);
  self->levels = g_bytes_ref (levels);
  self->n_cols = n_cols;
  self->n_rows = n_rows;
  self->size_px = size_px;
  self->base_px = base_px;
  self->n_channels = n_channels;
  self->size_m = size_m;
  return self;
}

UrbariumTile *
urbarium_tile_read (UrbDataset *dataset, gint64 index, int size_px, GError **error)
{
  return urbarium_tile_read_nearest (dataset, &(UrbNearest) { .index = index }, size_px, error);
}

UrbariumTile *
urbarium_tile_read_nearest (UrbDataset *dataset, const UrbNearest *nearest, int size_px,
                            GError **error)
{
  const UrbDatasetInfo *info = urb_dataset_get_info (dataset);
  int n_channels = urb_encoding_get_n_channels (info->encoding);
  gsize n_bytes = (gsize) size_px * (gsize) size_px * (gsize) n_channels;
  g_autofree guint8 *levels = g_malloc (n_bytes);
  guint8 *turned = g_malloc (n_bytes);
  g_autoptr(GBytes) bytes = g_bytes_new_take (turned, n_bytes);
  if (!urb_dataset_read_tile (dataset, nearest->index, size_px, levels, error))
    return NULL;
  urb_nearest_turn_area (nearest, levels, size_px, n_channels, turned);
  return urbarium_tile_new (bytes, size_px, size_px, n_channels, info->area_size_m);
}

UrbariumTile *
urbarium_tile_ref (UrbariumTile *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
urbarium_tile_unref (UrbariumTile *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_bytes_unref (self->levels);
  g_clear_pointer (&self->given, urb_given_unref);
  g_clear_pointer (&self->vectors, urb_city_vectors_free);
  g_mutex_clear (&self->mutex);
  g_free (self);
}

int
urbarium_tile_get_n_rows (UrbariumTile *self)
{
  return self->n_rows;
}

double
urbarium_tile_get_width_m (UrbariumTile *self)
{
  return self->n_cols * self->size_m;
}

double
urbarium_tile_get_height_m (UrbariumTile *self)
{
  return self->n_rows * self->size_m;
}

static const guint8 *
get_levels (UrbariumTile *self)
{
  return g_bytes_get_data (self->levels, NULL);
}

const UrbCityVectors *
urbarium_tile_get_vectors (UrbariumTile *self)
{
  g_mutex_lock (&self->mutex);
  if (self->vectors == NULL && self->is_proposal)
    self->vectors = urb_city_vectors_from_site_levels (get_levels (self), self->size_px, self->base_px,
                                                       self->n_channels, self->size_m, self->given,
                                                       FALSE);
  else if (self->vectors == NULL)
    self->vectors = urb_city_vectors_from_wide_levels (get_levels (self), self->n_cols, self->n_rows,
                                                       self->size_px, self->base_px,
                                                       self->n_channels, self->size_m, FALSE);
  g_mutex_unlock (&self->mutex);
  return self->vectors;
}

UrbClassMap *
urbarium_tile_make_class_map (UrbariumTile *self)
{
  return urb_class_map_new_from_levels (get_levels (self), self->n_cols * self->size_px,
                                        self->n_rows * self->size_px, self->n_channels,
                                        urbarium_tile_get_width_m (self));
}

/* ------------------------------------------------------------------------ */
/* Painting                                                                  */

void
urbarium_tile_part_init (UrbariumTilePart *part, UrbariumTile *tile, gboolean vectors, int edge_px)
{
  int n = MAX (tile->n_cols, tile->n_rows);
  *part = (UrbariumTilePart) { .vectors = vectors, .classes = URBARIUM_ALL_CLASSES,
                               .right_m = urbarium_tile_get_width_m (tile),
                               .bottom_m = urbarium_tile_get_height_m (tile),
                               .width_px = MAX (edge_px * tile->n_cols / n, 1),
                               .height_px = MAX (edge_px * tile->n_rows / n, 1) };
}

static void
trace_class (cairo_t *cairo, const UrbCityVectors *vectors, UrbClass class_)
{
  for (guint i = 0; i < vectors->polygons->len; i++)
    {
      const UrbCityPolygon *polygon = &g_array_index (vectors->polygons, UrbCityPolygon, i);
      for (guint k = 0; k < polygon->n_rings && polygon->class_ == class_; k++)
        {
          const UrbCityRing *ring
            = &g_array_index (vectors->rings, UrbCityRing, polygon->first_ring + k);
          const double *xy = &g_array_index (vectors->xy, double, 2 * (gsize) ring->first_vertex);
          cairo_new_sub_path (cairo);
          for (guint v = 0; v < ring->n_vertices; v++)
            cairo_line_to (cairo, xy[2 * v], xy[2 * v + 1]);
          cairo_close_path (cairo);
        }
    }
}

static void
draw_vectors (cairo_t *cairo, const UrbCityVectors *vectors, guint classes)
{
  if (classes == URBARIUM_ALL_CLASSES)
    {
      urb_city_draw (cairo, vectors);
      return;
    }
  cairo_set_fill_rule (cairo, CAIRO_FILL_RULE_EVEN_ODD);
  for (int c = URB_N_CLASSES - 1; c >= 0; c--)
    if (classes & (1u << c))
      {
        trace_class (cairo, vectors, (UrbClass) c);
        urb_color_set_source (cairo, urb_class_get_color ((UrbClass) c), 1);
        cairo_fill (cairo);
      }
}

/* One image pixel per tile pixel. */
static cairo_surface_t *
make_pixels (UrbariumTile *self, guint classes)
{
  int width = self->n_cols * self->size_px, height = self->n_rows * self->size_px;
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  int stride = cairo_image_surface_get_stride (surface);
  guchar *data = cairo_image_surface_get_data (surface);
  UrbColor paper = URB_COLOR_PAPER;
  for (int row = 0; row < height; row++)
    {
      const guint8 *levels
        = get_levels (self) + (gsize) row * (gsize) width * (gsize) self->n_channels;
      guint32 *pixels = (guint32 *) (gpointer) (data + (gsize) row * (gsize) stride);
      urb_plan_blend (levels, (gsize) width, self->n_channels, pixels);
      for (int col = 0; col < width && classes != URBARIUM_ALL_CLASSES; col++)
        {
          UrbClass class_
            = urb_class_from_levels (levels + (gsize) (col * self->n_channels), self->n_channels);
          if (!(classes & (1u << class_)))
            pixels[col] = (guint32) paper.r << 16 | (guint32) paper.g << 8 | paper.b;
        }
    }
  cairo_surface_mark_dirty (surface);
  return surface;
}

static void
draw_pixels (cairo_t *cairo, UrbariumTile *self, guint classes)
{
  cairo_surface_t *pixels = make_pixels (self, classes);
  cairo_translate (cairo, 0, urbarium_tile_get_height_m (self));
  cairo_scale (cairo, self->size_m / self->size_px, -self->size_m / self->size_px);
  cairo_set_source_surface (cairo, pixels, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cairo), CAIRO_FILTER_NEAREST);
  cairo_paint (cairo);
  cairo_surface_destroy (pixels);
}

GdkTexture *
urbarium_tile_paint (UrbariumTile *self, const UrbariumTilePart *part)
{
  cairo_surface_t *surface
    = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, part->width_px, part->height_px);
  cairo_t *cairo = cairo_create (surface);
  urb_color_set_source (cairo, URB_COLOR_PAPER, 1);
  cairo_paint (cairo);
  /* Meters, y up, from the lower left corner of the tile. */
  cairo_scale (cairo, part->width_px / (part->right_m - part->left_m),
               -part->height_px / (part->bottom_m - part->top_m));
  cairo_translate (cairo, -part->left_m, part->top_m - urbarium_tile_get_height_m (self));
  if (part->vectors)
    draw_vectors (cairo, urbarium_tile_get_vectors (self), part->classes);
  else
    draw_pixels (cairo, self, part->classes);
  cairo_destroy (cairo);
  return urbarium_chart_surface_finish (surface);
}

static void
painting_free (gpointer data)
{
  UrbariumTilePainting *painting = data;
  urbarium_tile_unref (painting->tile);
  g_free (painting);
}

static void
paint_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const UrbariumTilePainting *painting = data;
  g_task_return_pointer (task, urbarium_tile_paint (painting->tile, &painting->part),
                         g_object_unref);
}

void
urbarium_tile_paint_async (UrbariumTile *self, const UrbariumTilePart *part, guint generation,
                           gpointer owner, GAsyncReadyCallback callback)
{
  g_autoptr(GTask) task = g_task_new (owner, NULL, callback, NULL);
  UrbariumTilePainting *painting = g_new (UrbariumTilePainting, 1);
  *painting = (UrbariumTilePainting) { urbarium_tile_ref (self), *part, generation };
  g_task_set_task_data (task, painting, painting_free);
  g_task_run_in_thread (task, paint_thread);
}

/* ------------------------------------------------------------------------ */
/* The rose                                                                  */

static gboolean
is_edge (double a, double b, double size_m)
{
  return (a <= 0 && b <= 0) || (a >= size_m && b >= size_m);
}

static void
add_ring (const double *xy, guint n, const UrbCityVectors *plan, double *weights)
{
  for (guint i = 0; i < n; i++)
    {
      const double *a = xy + 2 * i, *b = xy + 2 * ((i + 1) % n);
      double dx = b[0] - a[0], dy = b[1] - a[1];
      double angle = fmod (atan2 (dy, dx) + 2 * G_PI, G_PI / 2);
      /* Tolerance: a wall a quarter of a degree off east must not fall into the last sector. */
      int sector = (int) (angle / (G_PI / 2) * URBARIUM_ROSE_SECTORS + 0.05);
      if (!is_edge (a[0], b[0], plan->width_m) && !is_edge (a[1], b[1], plan->height_m))
        weights[sector % URBARIUM_ROSE_SECTORS] += hypot (dx, dy);
    }
}

void
urbarium_tile_add_rose (UrbariumTile *self, double *weights)
{
  const UrbCityVectors *vectors = urbarium_tile_get_vectors (self);
  for (guint i = 0; i < vectors->polygons->len; i++)
    {
      const UrbCityPolygon *polygon = &g_array_index (vectors->polygons, UrbCityPolygon, i);
      for (guint k = 0; k < polygon->n_rings && polygon->class_ == URB_CLASS_BUILDING; k++)
        {
          const UrbCityRing *ring
            = &g_array_index (vectors->rings, UrbCityRing, polygon->first_ring + k);
          add_ring (&g_array_index (vectors->xy, double, 2 * (gsize) ring->first_vertex),
                    ring->n_vertices, vectors, weights);
        }
    }
}
