/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench-vectors.c - what vectorizing changes in real areas, and how long it takes.
 *
 *     bench-vectors DATASET SIZE_PX [SHEET]
 *
 * Reads every area of the dataset at SIZE_PX, draws it as a plan, and compares the plans with the
 * real areas, both as 256 pixels, by the measures of `evaluate`.  The column "pixels" is the same
 * without vectors.  A perfect vectorizer scores 0.05 (the floor); halves of the real areas differ
 * by 1 at the most (95 %).  The sheet shows real areas and their plans, in pairs.
 */
#include <math.h>
#include <stdio.h>

#include "city/comparison.h"
#include "city/plan-drawing.h"
#include "city/tile-vectors.h"
#include "dataset/dataset.h"
#include "seconds.h"

enum { FINE_PX = 256, SHEET_COLUMNS = 6, SHEET_ROWS = 8, CELL_PX = 256 };

static void
draw_cell (cairo_t *cairo, const UrbCityVectors *vectors, const UrbClassMap *map, int cell)
{
  double x = cell % SHEET_COLUMNS * (CELL_PX + 8), y = cell / SHEET_COLUMNS * (CELL_PX + 8);

  cairo_save (cairo);
  cairo_rectangle (cairo, x, y, CELL_PX, CELL_PX);
  cairo_clip (cairo);
  cairo_translate (cairo, x, y);
  if (vectors != NULL)
    {
      cairo_translate (cairo, 0, CELL_PX);
      cairo_scale (cairo, CELL_PX / vectors->width_m, -CELL_PX / vectors->height_m);
      urb_city_draw (cairo, vectors);
    }
  else
    for (int i = 0; i < map->width_px * map->height_px; i++)
      {
        double edge = (double) CELL_PX / map->width_px;

        urb_color_set_source (cairo, urb_class_get_color (map->classes[i]), 1);
        cairo_rectangle (cairo, i % map->width_px * edge, i / map->width_px * edge, edge, edge);
        cairo_fill (cairo);
      }
  cairo_restore (cairo);
}

int
main (int argc, char **argv)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbDataset) dataset = argc > 2 ? urb_dataset_open (argv[1], &error) : NULL;
  int size_px = argc > 2 ? atoi (argv[2]) : 0;

  if (dataset == NULL)
    {
      fprintf (stderr, "bench-vectors: %s\n", error != NULL ? error->message : "DATASET SIZE_PX");
      return 2;
    }
  const UrbDatasetInfo *info = urb_dataset_get_info (dataset);
  int n_channels = urb_encoding_get_n_channels (info->encoding), n = (int) info->n_areas;
  g_autoptr(UrbComparison) comparison = urb_comparison_new (FINE_PX);
  g_autofree double *ms = g_new0 (double, n);
  g_autofree guint8 *levels = g_malloc ((gsize) FINE_PX * FINE_PX * 3);
  g_autoptr(UrbCairoSurface) sheet
    = cairo_image_surface_create (CAIRO_FORMAT_RGB24, SHEET_COLUMNS * (CELL_PX + 8),
                                  SHEET_ROWS * (CELL_PX + 8));
  g_autoptr(UrbCairo) cairo = cairo_create (sheet);
  gint64 n_vertices = 0, n_polygons = 0, n_invalid = 0;

  cairo_set_source_rgb (cairo, 1, 1, 1);
  cairo_paint (cairo);
  for (int i = 0; i < n; i++)
    {
      if (!urb_dataset_read_tile (dataset, i, FINE_PX, levels, &error))
        g_error ("%s", error->message);
      g_autoptr(UrbClassMap) real = urb_class_map_new_from_levels (
        levels, FINE_PX, FINE_PX, n_channels, info->area_size_m);
      if (!urb_dataset_read_tile (dataset, i, size_px, levels, &error))
        g_error ("%s", error->message);
      g_autoptr(UrbSoftMap) soft = urb_soft_map_new_from_levels (
        levels, size_px, size_px, n_channels, info->area_size_m, FINE_PX / size_px);
      g_autoptr(UrbClassMap) pixels = urb_class_map_new_from_soft (soft);
      double start = clock_s (CLOCK_PROCESS_CPUTIME_ID);
      g_autoptr(UrbCityVectors) vectors = urb_city_vectors_from_levels (
        levels, size_px, size_px, n_channels, info->area_size_m, FALSE);

      ms[i] = 1e3 * (clock_s (CLOCK_PROCESS_CPUTIME_ID) - start);
      g_autoptr(UrbClassMap) plan = urb_class_map_new_from_vectors (vectors, FINE_PX, NULL, NULL);

      urb_measurements_add (comparison->measured[URB_GROUP_REAL], real, NULL, NULL);
      urb_measurements_add (comparison->measured[URB_GROUP_UNTRAINED], pixels, NULL, NULL);
      urb_measurements_add (comparison->measured[URB_GROUP_GENERATED], plan, NULL, NULL);
      n_vertices += vectors->quality.n_vertices;
      n_polygons += vectors->polygons->len;
      n_invalid += vectors->quality.n_invalid;
      if (i < SHEET_COLUMNS * SHEET_ROWS / 2)
        {
          draw_cell (cairo, NULL, real, 2 * i);
          draw_cell (cairo, vectors, NULL, 2 * i + 1);
        }
    }
  urb_comparison_run (comparison, 1);
  printf ("%-24s %8s %8s %8s   %6s %6s\n", "", "real", "pixels", "plans", "pixels", "plans");
  for (int m = 0; m < URB_N_MEASURES; m++)
    {
      const UrbMeasureResult *result = &comparison->results[m];

      if (isnan (result->rho[URB_GROUP_GENERATED])) /* real areas have no plan to measure */
        continue;
      printf ("%-24s %8.2f %8.2f %8.2f   %6.2f %6.2f\n", urb_measure_info[m].name,
              urb_measure_to_display (m, result->median[URB_GROUP_REAL]),
              urb_measure_to_display (m, result->median[URB_GROUP_UNTRAINED]),
              urb_measure_to_display (m, result->median[URB_GROUP_GENERATED]),
              result->rho[URB_GROUP_UNTRAINED], result->rho[URB_GROUP_GENERATED]);
    }
  printf ("%-24s %8s %8s %8s   %6.2f %6.2f\n", "score", "", "", "",
          comparison->score[URB_GROUP_UNTRAINED], comparison->score[URB_GROUP_GENERATED]);
  double middle = median (ms, n);
  printf ("%d areas at %d px: median %.1f ms, slowest %.1f ms; %.1f polygons, %.1f vertices an area; "
          "%" G_GINT64_FORMAT " invalid\n", n, size_px, middle, ms[n - 1],
          (double) n_polygons / n, (double) n_vertices / n, n_invalid);
  if (argc > 3 && cairo_surface_write_to_png (sheet, argv[3]) != CAIRO_STATUS_SUCCESS)
    return 1;
  return 0;
}
