/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench-seams.c - whether plans of several areas show where the areas meet.
 *
 *     bench-seams CHECKPOINT DATASET N_PLANS
 *
 * Draws N_PLANS plans of 3 x 3 areas and counts, along the borders of their areas and along lines through the
 * middle of the inner and the outer rows and columns of areas, the streets that cross and those that end within two pixels of the generator; and the
 * same along lines through the middle of single generated areas and of the dataset's areas.  Then it compares
 * windows of one area with the dataset's areas by the measures of `evaluate`: single areas, the areas of the
 * plans, and windows centered on the corners of four areas.  All are plans, drawn as 256 pixels.
 */
#include <math.h>
#include <stdio.h>

#include "city/comparison.h"
#include "city/tile-vectors.h"
#include "dataset/dataset.h"
#include "seconds.h"
#include "train/wide-sampler.h"

enum { EDGE = 3, PX = 256, CENTER = PX / 2 };

typedef enum { ACROSS_X, ACROSS_Y } Direction; /* of the streets that cross a line */

/* Along some lines. */
typedef struct
{
  double length_m;
  int    n_crossings, n_ends;
} Count;

/* Whether a street ends at (x, y): no other street goes on from there. */
static gboolean
is_end (const UrbCityVectors *plan, guint self, const double *p)
{
  if (p[0] < 1 || p[1] < 1 || p[0] > plan->width_m - 1 || p[1] > plan->height_m - 1)
    return FALSE;
  for (guint i = 0; i < plan->streets->len; i++)
    {
      const UrbCityStreet *street = &g_array_index (plan->streets, UrbCityStreet, i);
      const double *xy = urb_city_vectors_get_street (plan, street);

      for (guint v = 0; v < street->n_vertices && i != self; v++)
        if (hypot (xy[2 * v] - p[0], xy[2 * v + 1] - p[1]) < 0.5)
          return FALSE;
    }
  return TRUE;
}

static void
count_line (Count *count, const UrbCityVectors *plan, Direction direction, double at, double near_m)
{
  int k = direction == ACROSS_X ? 0 : 1;

  count->length_m += k == 0 ? plan->height_m : plan->width_m;
  for (guint i = 0; i < plan->streets->len; i++)
    {
      const UrbCityStreet *street = &g_array_index (plan->streets, UrbCityStreet, i);
      const double *xy = urb_city_vectors_get_street (plan, street);

      for (guint v = 0; v + 1 < street->n_vertices; v++)
        count->n_crossings += (xy[2 * v + k] < at) != (xy[2 * v + 2 + k] < at);
      for (guint end = 0; end < 2; end++)
        {
          const double *p = xy + 2 * (gsize) (end == 0 ? 0 : street->n_vertices - 1);

          count->n_ends += fabs (p[k] - at) <= near_m && is_end (plan, i, p);
        }
    }
}

/* Counts along the lines first, first + step, ... of both directions, up to last. */
static void
count_lines (Count *count, const UrbCityVectors *plan, double first, double step, double last,
             double near_m)
{
  for (double at = first; at <= last; at += step)
    {
      count_line (count, plan, ACROSS_X, at, near_m);
      count_line (count, plan, ACROSS_Y, at, near_m);
    }
}

static void
print_count (const char *name, const Count *count)
{
  double km = count->length_m / 1000;

  printf ("%-34s %6.1f km %6d %6d %8.2f %8.2f %7.1f %%\n", name, km, count->n_crossings, count->n_ends,
          count->n_crossings / km, count->n_ends / km,
          100.0 * count->n_ends / MAX (1, count->n_ends + count->n_crossings));
}

/* Measures the window of one area whose upper left pixel is given. */
static void
measure_window (UrbMeasurements *to, const UrbClassMap *map, int left, int top)
{
  g_autoptr(UrbClassMap) window = urb_class_map_new (PX, PX, map->pixel_m);

  for (int y = 0; y < PX; y++)
    for (int x = 0; x < PX; x++)
      window->classes[y * PX + x] = map->classes[(top + y) * map->width_px + left + x];
  urb_measurements_add (to, window, NULL, NULL);
}

typedef struct
{
  Count border, middle, outer, single, real;
  UrbComparison *areas, *corners; /* of the single areas (as untrained) and windows of plans */
  gint64 n_gaps, n_overlaps, n_invalid, n_polygons;
} Bench;

static void
add_real (Bench *self, UrbDataset *dataset)
{
  const UrbDatasetInfo *info = urb_dataset_get_info (dataset);
  int n_channels = urb_encoding_get_n_channels (info->encoding);
  double area_m = info->area_size_m;
  g_autofree guint8 *levels = g_malloc ((gsize) PX * PX * 3);
  g_autoptr(GError) error = NULL;

  for (gint64 i = 0; i < info->n_areas; i++)
    {
      if (!urb_dataset_read_tile (dataset, i, PX, levels, &error))
        g_error ("%s", error->message);
      g_autoptr(UrbCityVectors) plan
        = urb_city_vectors_from_levels (levels, PX, PX, n_channels, info->area_size_m, FALSE);
      g_autoptr(UrbClassMap) map = urb_class_map_new_from_vectors (plan, PX, NULL, NULL);

      count_lines (&self->real, plan, area_m / 2, area_m, area_m, 2 * area_m / 64);
      urb_measurements_add (self->areas->measured[URB_GROUP_REAL], map, NULL, NULL);
      urb_measurements_add (self->corners->measured[URB_GROUP_REAL], map, NULL, NULL);
    }
}

static void
add_single (Bench *self, UrbSampler *sampler, int n)
{
  const UrbSamplerInfo *info = urb_sampler_get_info (sampler);
  double area_m = info->area_size_m;
  g_autofree guint8 *levels = g_malloc ((gsize) info->size_px * info->size_px * info->n_channels);
  g_autoptr(GError) error = NULL;

  for (int i = 0; i < n; i++)
    {
      if (!urb_sampler_generate (sampler, 1, i, 1, levels, &error))
        g_error ("%s", error->message);
      g_autoptr(UrbCityVectors) plan = urb_city_vectors_from_levels (
        levels, info->size_px, info->base_px, info->n_channels, info->area_size_m, FALSE);
      g_autoptr(UrbClassMap) map = urb_class_map_new_from_vectors (plan, PX, NULL, NULL);

      count_lines (&self->single, plan, area_m / 2, area_m, area_m, 2 * area_m / info->base_px);
      urb_measurements_add (self->areas->measured[URB_GROUP_UNTRAINED], map, NULL, NULL);
      urb_measurements_add (self->corners->measured[URB_GROUP_UNTRAINED], map, NULL, NULL);
    }
}

static void
add_wide (Bench *self, UrbSampler *sampler, int n)
{
  const UrbSamplerInfo *info = urb_sampler_get_info (sampler);
  double area_m = info->area_size_m, near_m = 2 * area_m / info->base_px;
  g_autofree guint8 *levels
    = g_malloc ((gsize) EDGE * EDGE * info->size_px * info->size_px * info->n_channels);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbWideSampler) wide = urb_wide_sampler_new (sampler, EDGE, EDGE, &error);

  if (wide == NULL)
    g_error ("%s", error->message);
  for (int i = 0; i < n; i++)
    {
      gint64 n_gaps, n_overlaps;

      if (!urb_wide_sampler_generate (wide, 1, i, levels, NULL, &error))
        g_error ("%s", error->message);
      g_autoptr(UrbCityVectors) plan = urb_city_vectors_from_wide_levels (
        levels, EDGE, EDGE, info->size_px, info->base_px, info->n_channels, info->area_size_m, FALSE);
      g_autoptr(UrbClassMap) map
        = urb_class_map_new_from_vectors (plan, EDGE * PX, &n_gaps, &n_overlaps);

      self->n_gaps += n_gaps;
      self->n_overlaps += n_overlaps;
      self->n_invalid += plan->quality.n_invalid;
      self->n_polygons += plan->polygons->len;
      count_lines (&self->border, plan, area_m, area_m, 2 * area_m, near_m);
      count_lines (&self->middle, plan, 1.5 * area_m, area_m, 1.5 * area_m, near_m);
      count_lines (&self->outer, plan, 0.5 * area_m, 2 * area_m, 2.5 * area_m, near_m);
      for (int row = 0; row < EDGE; row++)
        for (int col = 0; col < EDGE; col++)
          {
            measure_window (self->areas->measured[URB_GROUP_GENERATED], map, col * PX, row * PX);
            if (row + 1 < EDGE && col + 1 < EDGE)
              measure_window (self->corners->measured[URB_GROUP_GENERATED], map, col * PX + CENTER,
                              row * PX + CENTER);
          }
    }
}

static void
print_measures (const Bench *self)
{
  const UrbComparison *areas = self->areas, *corners = self->corners;

  printf ("\n%-24s %8s %8s %8s %8s   %6s %6s %6s\n", "median, distance / limit", "real", "single", "areas",
          "corners", "single", "areas", "corners");
  for (int m = 0; m < URB_N_MEASURES; m++)
    {
      const UrbMeasureResult *a = &areas->results[m], *c = &corners->results[m];

      if (isnan (a->rho[URB_GROUP_GENERATED]))
        continue;
      printf ("%-24s %8.2f %8.2f %8.2f %8.2f   %6.2f %6.2f %6.2f\n", urb_measure_info[m].name,
              urb_measure_to_display (m, a->median[URB_GROUP_REAL]),
              urb_measure_to_display (m, a->median[URB_GROUP_UNTRAINED]),
              urb_measure_to_display (m, a->median[URB_GROUP_GENERATED]),
              urb_measure_to_display (m, c->median[URB_GROUP_GENERATED]), a->rho[URB_GROUP_UNTRAINED],
              a->rho[URB_GROUP_GENERATED], c->rho[URB_GROUP_GENERATED]);
    }
  printf ("%-24s %8s %8s %8s %8s   %6.2f %6.2f %6.2f\n", "score", "", "", "", "",
          areas->score[URB_GROUP_UNTRAINED], areas->score[URB_GROUP_GENERATED],
          corners->score[URB_GROUP_GENERATED]);
}

int
main (int argc, char **argv)
{
  g_autoptr(GError) error = NULL;
  int n = argc == 4 ? atoi (argv[3]) : 0;
  g_autoptr(UrbSampler) sampler
    = n > 0 ? urb_sampler_open (argv[1], &(UrbSamplerPlace) { .n_threads = 1 }, &error) : NULL;
  g_autoptr(UrbDataset) dataset = sampler != NULL ? urb_dataset_open (argv[2], &error) : NULL;

  if (dataset == NULL)
    {
      fprintf (stderr, "bench-seams: %s\n",
               error != NULL ? error->message : "CHECKPOINT DATASET N_PLANS");
      return 2;
    }
  g_autoptr(UrbComparison) areas = urb_comparison_new (PX), corners = urb_comparison_new (PX);
  Bench bench = { .areas = areas, .corners = corners };

  add_real (&bench, dataset);
  add_single (&bench, sampler, EDGE * EDGE * n);
  add_wide (&bench, sampler, n);
  printf ("%-34s %9s %6s %6s %8s %8s %9s\n", "along", "", "cross", "end", "cross/km", "end/km", "end");
  print_count ("borders of areas in plans", &bench.border);
  print_count ("middles of inner areas in plans", &bench.middle);
  print_count ("middles of outer areas in plans", &bench.outer);
  print_count ("middles of single generated areas", &bench.single);
  print_count ("middles of real areas", &bench.real);
  printf ("%d plans of %d x %d areas: %" G_GINT64_FORMAT " polygons, %" G_GINT64_FORMAT
          " invalid; pixel centers in no polygon: %" G_GINT64_FORMAT ", in several: %" G_GINT64_FORMAT "\n",
          n, EDGE, EDGE, bench.n_polygons, bench.n_invalid, bench.n_gaps, bench.n_overlaps);
  urb_comparison_run (areas, 1);
  urb_comparison_run (corners, 1);
  print_measures (&bench);
  return 0;
}
