/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report-nearest.c - have cities of the newest sample grid been copied from real areas?
 *
 * The cities are read from the image of the grid, so no network is needed.  Comparing takes 30 µs for a city and an
 * area, which bounds how many are compared.
 */
#include <string.h>

#include <glib/gi18n.h>

#include "city/copying.h"
#include "city/neighbors.h"
#include "city/png-pixels.h"
#include "dataset/sample-grid.h"
#include "report/report-private.h"
#include "run/store/folder.h"

enum { N_SHOWN = 6, MOST_AREAS = 4000, MOST_COMPARISONS = 100000 }; /* docs/trackers.md tells these numbers */

typedef struct
{
  UrbSampleGridLayout layout;
  int          width_px;
  guint32     *pixels;  /* owned; (width_px, width_px): 0x00RRGGBB */
  UrbClassMap *classes; /* owned; of the same size */
} Grid;

typedef struct
{
  gint64     city;    /* of the grid */
  UrbNearest nearest; /* index: the number of the area */
} Match;

static void
grid_clear (Grid *self)
{
  g_clear_pointer (&self->pixels, g_free);
  g_clear_pointer (&self->classes, urb_class_map_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Grid, grid_clear)

static guint32 *
dup_pixels (const UrbPngPixels *png)
{
  gsize n = (gsize) png->width_px * (gsize) png->height_px;
  guint32 *pixels = g_new (guint32, n);

  for (gsize i = 0; i < n; i++)
    pixels[i] = (guint32) png->rgb[3 * i] << 16 | (guint32) png->rgb[3 * i + 1] << 8 | png->rgb[3 * i + 2];
  return pixels;
}

/* Returns: FALSE if there is no grid, or it is not one of this program */
static gboolean
read_grid (const UrbReport *self, Grid *grid)
{
  GArray *samples = self->history->samples;
  g_autofree char *name = NULL, *path = NULL;
  g_autoptr(UrbPngPixels) png = NULL;

  if (samples->len == 0)
    return FALSE;
  name = urb_run_sample_name (g_array_index (samples, gint64, samples->len - 1));
  path = g_build_filename (self->run, name, NULL);
  png = urb_png_pixels_load (path, NULL);
  if (png == NULL)
    return FALSE;
  grid->classes = urb_class_map_new_from_pixels (png, 1);
  grid->width_px = png->width_px;
  grid->pixels = dup_pixels (png);
  return urb_sample_grid_measure (png->width_px, png->height_px, grid->pixels, (gsize) png->width_px, &grid->layout);
}

/* The first pixel of a city in the grid. */
static gsize
get_place (const Grid *grid, gint64 city)
{
  int pitch = grid->layout.tile + grid->layout.gap;
  gint64 x = grid->layout.gap + city % grid->layout.n_columns * pitch;
  gint64 y = grid->layout.gap + city / grid->layout.n_columns * pitch;

  return (gsize) (y * grid->width_px + x);
}

static void
cut_thumb (const Grid *grid, gint64 city, UrbThumb *thumb)
{
  int tile = grid->layout.tile;
  g_autoptr(UrbClassMap) map = urb_class_map_new (tile, tile, 1);

  for (int y = 0; y < tile; y++)
    memcpy (map->classes + (gsize) y * tile, grid->classes->classes + get_place (grid, city) + (gsize) y * grid->width_px, tile);
  urb_thumb_from_class_map (map, thumb);
}

static UrbQueries *
new_queries (const Grid *grid, gint64 n_cities)
{
  g_autofree UrbThumb *thumbs = g_new (UrbThumb, n_cities);

  for (gint64 i = 0; i < n_cities; i++)
    cut_thumb (grid, i, &thumbs[i]);
  return urb_queries_new (thumbs, n_cities);
}

/* @n: of the areas of training, evenly */
static void
compare (UrbReport *self, const UrbQueries *queries, UrbNearest *nearest, gint64 n)
{
  int n_channels = urb_encoding_get_n_channels (urb_dataset_get_info (self->dataset)->encoding);
  int size_px = urb_report_choose_tile_size (self);
  gint64 n_areas;
  const gint64 *areas = urb_dataset_get_split (self->dataset, URB_SPLIT_TRAIN, &n_areas);

  for (gint64 i = 0; i < n; i++)
    {
      gint64 area = areas[i * n_areas / n];
      g_autofree guint8 *levels = urb_report_read_area (self, area, size_px);
      g_autoptr(UrbClassMap) map = levels != NULL ? urb_class_map_new_from_levels (levels, size_px, size_px, n_channels, 1) : NULL;
      UrbThumb thumb;

      if (map == NULL)
        continue;
      urb_thumb_from_class_map (map, &thumb);
      urb_nearest_update (nearest, queries, &thumb, area);
    }
}

static int
compare_matches (const void *a, const void *b)
{
  double share_a = ((const Match *) a)->nearest.share, share_b = ((const Match *) b)->nearest.share;

  return share_a < share_b ? 1 : share_a > share_b ? -1 : 0;
}

/* Returns: (transfer full) (element-type Match): the highest share first */
static GArray *
find_matches (UrbReport *self, const Grid *grid, gint64 n_cities, gint64 n_areas)
{
  g_autoptr(UrbQueries) queries = new_queries (grid, n_cities);
  g_autofree UrbNearest *nearest = urb_nearest_new (n_cities);
  GArray *matches = g_array_new (FALSE, FALSE, sizeof (Match));

  compare (self, queries, nearest, n_areas);
  for (gint64 i = 0; i < n_cities; i++)
    {
      Match match = { i, nearest[i] };

      if (match.nearest.index >= 0)
        g_array_append_val (matches, match);
    }
  g_array_sort (matches, compare_matches);
  return matches;
}

static void
add_match (UrbReport *self, const Grid *grid, const Match *match)
{
  int n_channels = urb_encoding_get_n_channels (urb_dataset_get_info (self->dataset)->encoding);
  int size_px = urb_report_choose_tile_size (self);
  g_autofree guint8 *levels = urb_report_read_area (self, match->nearest.index, size_px);
  g_autofree char *caption = NULL;
  g_autofree guint8 *turned = g_new (guint8, (gsize) size_px * (gsize) size_px * (gsize) n_channels);

  if (levels == NULL)
    return;
  urb_nearest_turn_area (&match->nearest, levels, size_px, n_channels, turned);
  urb_page_add (self->page, "<figure class=\"grid\"><div class=\"tiles\" style=\"grid-template-columns:1fr 1fr\">");
  urb_report_add_pixels (self, grid->pixels + get_place (grid, match->city), (gsize) grid->width_px, grid->layout.tile);
  urb_report_add_levels (self, turned, size_px);
  /* translators: the number of a city, and a share */
  caption = g_strdup_printf (_ ("City %d and a real area: %.0f %% repeated"), (int) match->city + 1, 100 * match->nearest.share);
  urb_page_add (self->page, "</div><figcaption>%s</figcaption></figure>\n", caption);
}

void
urb_report_add_nearest (UrbReport *self)
{
  g_auto(Grid) grid = { 0 };
  g_autoptr(GArray) matches = NULL;
  g_autofree char *areas = NULL;
  gint64 n_areas = 0, n_cities;

  if (self->dataset == NULL || !read_grid (self, &grid))
    return;
  urb_dataset_get_split (self->dataset, URB_SPLIT_TRAIN, &n_areas);
  n_areas = MIN (n_areas, MOST_AREAS);
  if (n_areas == 0)
    return;
  n_cities = MIN ((gint64) grid.layout.n_columns * grid.layout.n_rows, MAX (MOST_COMPARISONS / n_areas, 2 * N_SHOWN));
  matches = find_matches (self, &grid, n_cities, n_areas);
  if (matches->len == 0)
    return;
  areas = urb_page_dup_count (n_areas);
  urb_page_begin_section (self->page, _ ("Nearest real areas"));
  urb_page_add_paragraph (self->page,
                          /* translators: two numbers, and a sentence */
                          _ ("Has it learned by heart? %d cities of the newest grid were compared with %s areas of training, "
                             "turned, mirrored and shifted, block by block of sixteen. The percentage is the part of the city’s "
                             "built and paved ground in blocks that repeat the real area, not all ground that both have built "
                             "on. %s"), (int) n_cities, areas, _ (urb_copying_alone_text));
  urb_page_add (self->page, "<div class=\"grids\">\n");
  for (guint i = 0; i < MIN (matches->len, N_SHOWN); i++)
    add_match (self, &grid, &g_array_index (matches, Match, i));
  urb_page_add (self->page, "</div>\n</section>\n");
}
