/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench-sites.c - how well proposals meet what is given of real areas, and what they are like.
 *
 *     bench-sites CHECKPOINT DATASET street|half N_AREAS N_PROPOSALS [SHEET]
 *
 * Gives the main street of held-out areas (the longest that is nearly straight from edge to edge,
 * drawn with a constant width), or their left half, and draws proposals on one thread.  Compares
 * their measures, and those of as many cities without a site, with those of all held-out areas:
 * with a half given, of the free half alone.  The sheet shows, in each row, what is given, the real
 * area, and its proposals.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "city/comparison.h"
#include "city/plan-drawing.h"
#include "city/proposals.h"
#include "city/tile-vectors.h"
#include "dataset/dataset.h"
#include "seconds.h"

#define MAX_DETOUR 1.15

enum { CELL_PX = 256, GAP_PX = 8, MAX_ROWS = 8 };

typedef struct
{
  UrbSampler           *sampler;
  const UrbSamplerInfo *info;
  UrbDataset           *dataset;
  gboolean              half;
  int                   n_proposals;
  gsize                 tile_bytes;
  UrbComparison        *comparison;
  cairo_t              *sheet; /* (nullable) */
  double met, met_class[URB_N_CLASSES], kept, kept_class[URB_N_CLASSES], connected;
  int    n_met[URB_N_CLASSES], n_reports;
} Bench;

/* ------------------------------------------------------------------------ */
/* Sites                                                                     */

/* Distances from node @from along the edges, and the edge by which each node was reached. */
static void
find_ways (const UrbStreetGraph *graph, const double *lengths, guint from, double *ways, int *by)
{
  gboolean changed = TRUE;

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      ways[i] = i == from ? 0 : G_MAXDOUBLE;
      by[i] = -1;
    }
  while (changed)
    {
      changed = FALSE;
      for (guint e = 0; e < graph->edges->len; e++)
        {
          const UrbStreetEdge *edge = &g_array_index (graph->edges, UrbStreetEdge, e);

          for (int turn = 0; turn < 2; turn++)
            {
              guint a = turn ? edge->to : edge->from, b = turn ? edge->from : edge->to;

              if (ways[a] + lengths[e] < ways[b])
                {
                  ways[b] = ways[a] + lengths[e];
                  by[b] = (int) e;
                  changed = TRUE;
                }
            }
        }
    }
}

static double
measure_edge (const UrbStreetGraph *graph, const UrbStreetEdge *edge)
{
  double length = 0;

  for (guint i = edge->first_point; i + 1 < edge->first_point + edge->n_points; i++)
    {
      UrbPoint a = g_array_index (graph->points, UrbPoint, i);
      UrbPoint b = g_array_index (graph->points, UrbPoint, i + 1);

      length += hypot (b.x - a.x, b.y - a.y);
    }
  return length;
}

/* The corners of a circle's outline. */
enum { ROUND = 16 };

/* The ground within half of @width_m of the edge's line, as road. */
static void
add_edge (UrbGiven *given, const UrbStreetGraph *graph, const UrbStreetEdge *edge, double pixel_m,
          double width_m)
{
  for (guint i = edge->first_point; i < edge->first_point + edge->n_points; i++)
    {
      UrbPoint a = g_array_index (graph->points, UrbPoint, i), b;
      double ax = a.x * pixel_m, ay = given->size_m - a.y * pixel_m, round[2 * ROUND];

      for (int k = 0; k < ROUND; k++)
        {
          round[2 * k] = ax + width_m / 2 * cos (2 * G_PI * k / ROUND);
          round[2 * k + 1] = ay + width_m / 2 * sin (2 * G_PI * k / ROUND);
        }
      urb_given_add (given, URB_CLASS_ROAD, round, ROUND);
      if (i + 1 == edge->first_point + edge->n_points)
        return;
      b = g_array_index (graph->points, UrbPoint, i + 1);
      double bx = b.x * pixel_m, by = given->size_m - b.y * pixel_m, length = hypot (bx - ax, by - ay);
      double nx = -(by - ay) / length * width_m / 2, ny = (bx - ax) / length * width_m / 2;
      const double strip[] = { ax + nx, ay + ny, ax - nx, ay - ny, bx - nx, by - ny, bx + nx, by + ny };

      if (length > 0)
        urb_given_add (given, URB_CLASS_ROAD, strip, 4);
    }
}

/* Returns: %FALSE if no street crosses the area */
static gboolean
give_street (UrbGiven *given, const UrbSoftMap *real)
{
  UrbStreetOptions options;
  double longest = 0, width = 0;
  guint from = 0, to = 0;

  urb_street_options_init (&options, real->detail_m);
  g_autoptr(UrbStreetGraph) graph = urb_street_graph_new (real, &options);
  guint n = graph->nodes->len;
  g_autofree double *ways = g_new (double, n + 1), *lengths = g_new (double, graph->edges->len + 1);
  g_autofree int *by = g_new (int, n + 1);

  for (guint e = 0; e < graph->edges->len; e++)
    lengths[e] = measure_edge (graph, &g_array_index (graph->edges, UrbStreetEdge, e));
  for (guint i = 0; i < n; i++)
    {
      if (!g_array_index (graph->nodes, UrbStreetNode, i).on_border)
        continue;
      find_ways (graph, lengths, i, ways, by);
      for (guint k = i + 1; k < n; k++)
        {
          const UrbStreetNode *a = &g_array_index (graph->nodes, UrbStreetNode, i);
          const UrbStreetNode *b = &g_array_index (graph->nodes, UrbStreetNode, k);
          double straight = hypot (b->at.x - a->at.x, b->at.y - a->at.y);

          if (b->on_border && ways[k] <= MAX_DETOUR * straight && straight > longest)
            {
              longest = straight;
              from = i;
              to = k;
            }
        }
    }
  if (longest == 0)
    return FALSE;
  find_ways (graph, lengths, from, ways, by);
  for (int pass = 0; pass < 2; pass++) /* the width of its widest part */
    for (guint at = to; at != from;)
      {
        const UrbStreetEdge *edge = &g_array_index (graph->edges, UrbStreetEdge, by[at]);

        width = MAX (width, MIN (edge->width_m, 9));
        if (pass == 1)
          add_edge (given, graph, edge, real->pixel_m, width);
        at = edge->from == at ? edge->to : edge->from;
      }
  return TRUE;
}

static UrbGiven *
give_half (const UrbSoftMap *real, double size_m)
{
  const double outline[] = { 0, 0, size_m / 2, 0, size_m / 2, size_m, 0, size_m };
  g_autoptr(UrbCityVectors) plan
    = urb_city_vectors_from_soft (real, real->width_px, real->width_px, size_m, FALSE);

  return urb_given_new_from_plan (plan, outline, 4, TRUE);
}

/* Returns: (nullable): what stays */
static UrbSite *
give (const Bench *self, const UrbSoftMap *real)
{
  double size_m = self->info->area_size_m;
  g_autoptr(UrbGiven) given = self->half ? give_half (real, size_m) : urb_given_new (size_m);

  if (!self->half && !give_street (given, real))
    return NULL;
  return urb_site_new_from_given (given, self->info->size_px);
}

/* ------------------------------------------------------------------------ */

/* Of the whole tile, or of its right half. */
static void
measure (Bench *self, UrbGroup group, const guint8 *levels, int base_px)
{
  int size = self->info->size_px, first = self->half ? size / 2 : 0, width = size - first;
  g_autoptr(UrbSoftMap) soft = urb_soft_map_new_from_levels (levels, size, size, self->info->n_channels,
                                                             self->info->area_size_m, 1);
  g_autoptr(UrbSoftMap) part = urb_soft_map_new (width, size, soft->pixel_m);

  for (int row = 0; row < size; row++)
    for (int c = 0; c < URB_N_CLASSES; c++)
      memcpy (part->shares[c] + (gsize) row * (gsize) width,
              soft->shares[c] + (gsize) row * (gsize) size + first, sizeof (float) * (gsize) width);
  part->detail_m = soft->detail_m;
  g_autoptr(UrbCityVectors) plan = urb_city_vectors_from_soft (part, base_px, size,
                                                               self->info->area_size_m, FALSE);
  g_autoptr(UrbClassMap) map = urb_class_map_new_from_vectors (plan, size, NULL, NULL);

  urb_measurements_add (self->comparison->measured[group], map, NULL, plan);
}

static cairo_t *
begin_cell (Bench *self, int row, int col)
{
  cairo_save (self->sheet);
  cairo_rectangle (self->sheet, col * (CELL_PX + GAP_PX), row * (CELL_PX + GAP_PX), CELL_PX, CELL_PX);
  cairo_clip (self->sheet);
  cairo_translate (self->sheet, col * (CELL_PX + GAP_PX), row * (CELL_PX + GAP_PX) + CELL_PX);
  cairo_scale (self->sheet, CELL_PX / self->info->area_size_m, -CELL_PX / self->info->area_size_m);
  return self->sheet;
}

static void
show_site (Bench *self, const UrbSite *site, int row)
{
  double pixel_m = site->size_m / site->size_px;

  if (self->sheet == NULL || row >= MAX_ROWS)
    return;
  begin_cell (self, row, 0);
  cairo_set_source_rgb (self->sheet, 1, 1, 1);
  cairo_paint (self->sheet);
  for (gint64 i = 0; i < (gint64) site->size_px * site->size_px; i++)
    {
      if (urb_site_get_given (site, i) == 0)
        continue;
      urb_color_set_source (self->sheet, urb_class_get_color (urb_site_get_class (site, i)),
                            urb_site_get_given (site, i));
      cairo_rectangle (self->sheet, (double) (i % site->size_px) * pixel_m,
                       site->size_m - (double) (i / site->size_px + 1) * pixel_m, pixel_m, pixel_m);
      cairo_fill (self->sheet);
    }
  cairo_restore (self->sheet);
}

static void
show_plan (Bench *self, const UrbGiven *given, const guint8 *levels, int base_px, int row, int col)
{
  if (self->sheet == NULL || row >= MAX_ROWS)
    return;
  g_autoptr(UrbCityVectors) plan
    = urb_city_vectors_from_site_levels (levels, self->info->size_px, base_px,
                                         self->info->n_channels, self->info->area_size_m, given,
                                         FALSE);

  urb_city_draw (begin_cell (self, row, col), plan);
  cairo_restore (self->sheet);
}

static void
report (Bench *self, const UrbSite *site, const UrbProposal *proposal, const guint8 *levels)
{
  double kept[URB_N_CLASSES], given[URB_N_CLASSES] = { 0 };
  g_autoptr(UrbCityVectors) plan
    = urb_city_vectors_from_site_levels (levels, self->info->size_px, self->info->base_px,
                                         self->info->n_channels, self->info->area_size_m, site->given,
                                         FALSE);
  g_autoptr(UrbClassMap) map = urb_class_map_new_from_vectors (plan, self->info->size_px, NULL, NULL);

  self->kept += urb_site_get_met (site, map, kept);
  self->met += proposal->met;
  self->connected += urb_site_get_connected (site, map);
  self->n_reports++;
  for (gint64 i = 0; i < (gint64) site->size_px * site->size_px; i++)
    if (urb_site_get_given (site, i) > 0.5f)
      given[urb_site_get_class (site, i)]++;
  for (int c = 0; c < URB_N_CLASSES; c++)
    if (given[c] > 0)
      {
        self->met_class[c] += proposal->met_class[c];
        self->kept_class[c] += kept[c];
        self->n_met[c]++;
      }
}

static void
print_results (Bench *self, double seconds)
{
  UrbComparison *comparison = self->comparison;

  printf ("%d proposals: met %.1f %%, kept in the plan %.1f %%, new streets connected %.1f %%; %.1f s "
          "of one core each\n", self->n_reports, 100 * self->met / self->n_reports,
          100 * self->kept / self->n_reports, 100 * self->connected / self->n_reports,
          seconds / self->n_reports);
  for (int c = 0; c < URB_N_CLASSES; c++)
    if (self->n_met[c] > 0)
      printf ("  %-10s met %.1f %%, kept %.1f %%\n", urb_class_get_name ((UrbClass) c),
              100 * self->met_class[c] / self->n_met[c], 100 * self->kept_class[c] / self->n_met[c]);
  urb_comparison_run (comparison, 1);
  printf ("%-24s %8s %9s %8s   %9s %7s\n", "", "real", "proposals", "cities", "proposals", "cities");
  for (int m = 0; m < URB_N_MEASURES; m++)
    {
      const UrbMeasureResult *result = &comparison->results[m];

      if (!isnan (result->rho[URB_GROUP_GENERATED]))
        printf ("%-24s %8.2f %9.2f %8.2f   %9.2f %7.2f\n", urb_measure_info[m].name,
                urb_measure_to_display (m, result->median[URB_GROUP_REAL]),
                urb_measure_to_display (m, result->median[URB_GROUP_GENERATED]),
                urb_measure_to_display (m, result->median[URB_GROUP_UNTRAINED]),
                result->rho[URB_GROUP_GENERATED], result->rho[URB_GROUP_UNTRAINED]);
    }
  printf ("%-24s %8s %9s %8s   %9.2f %7.2f\n", "score", "", "", "",
          comparison->score[URB_GROUP_GENERATED], comparison->score[URB_GROUP_UNTRAINED]);
}

static void
check (gboolean ok, GError *error)
{
  if (ok)
    return;
  fprintf (stderr, "bench-sites: %s\n", error->message);
  exit (1);
}

int
main (int argc, char **argv)
{
  g_autoptr(GError) error = NULL;
  UrbSamplerPlace on = { .n_threads = 1 };
  Bench self = { 0 };
  g_autoptr(UrbCairoSurface) surface = NULL;
  double seconds = 0;
  gint64 n_test;
  int n_areas = argc > 5 ? atoi (argv[4]) : 0, n_done = 0;

  if (n_areas < 1)
    {
      fprintf (stderr, "bench-sites CHECKPOINT DATASET street|half N_AREAS N_PROPOSALS [SHEET]\n");
      return 2;
    }
  self.half = strcmp (argv[3], "half") == 0;
  self.n_proposals = CLAMP (atoi (argv[5]), 1, URB_PROPOSALS_MAX);
  check ((self.sampler = urb_sampler_open (argv[1], &on, &error)) != NULL, error);
  check ((self.dataset = urb_dataset_open (argv[2], &error)) != NULL, error);
  self.info = urb_sampler_get_info (self.sampler);
  self.tile_bytes = (gsize) self.info->size_px * (gsize) self.info->size_px
                    * (gsize) self.info->n_channels;
  self.comparison = urb_comparison_new (self.info->size_px);
  if (argc > 6)
    {
      surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24,
                                            (2 + self.n_proposals) * (CELL_PX + GAP_PX) - GAP_PX,
                                            MIN (MAX_ROWS, n_areas) * (CELL_PX + GAP_PX) - GAP_PX);
      self.sheet = cairo_create (surface);
      cairo_set_source_rgb (self.sheet, 0.5, 0.5, 0.5);
      cairo_paint (self.sheet);
    }

  const gint64 *areas = urb_dataset_get_split (self.dataset, URB_SPLIT_TEST, &n_test);
  g_autofree guint8 *levels = g_malloc (self.tile_bytes * (gsize) self.n_proposals);
  UrbProposal proposals[URB_PROPOSALS_MAX];

  for (gint64 i = 0; i < n_test; i++)
    {
      check (urb_dataset_read_tile (self.dataset, areas[i], self.info->size_px, levels, &error), error);
      measure (&self, URB_GROUP_REAL, levels, self.info->size_px);
      if (n_done == n_areas)
        continue;
      g_autoptr(UrbSoftMap) real = urb_soft_map_new_from_levels (
        levels, self.info->size_px, self.info->size_px, self.info->n_channels,
        self.info->area_size_m, 1);
      g_autoptr(UrbSite) site = give (&self, real);

      if (site == NULL)
        continue;
      show_site (&self, site, n_done);
      show_plan (&self, NULL, levels, self.info->size_px, n_done, 1);

      double start = clock_s (CLOCK_PROCESS_CPUTIME_ID);

      check (urb_propose (self.sampler, site, (guint64) (100 + i), self.n_proposals, levels, proposals,
                          NULL, NULL, NULL, &error), error);
      seconds += clock_s (CLOCK_PROCESS_CPUTIME_ID) - start;
      for (int k = 0; k < self.n_proposals; k++)
        {
          const guint8 *tile = levels + (gsize) k * self.tile_bytes;

          report (&self, site, &proposals[k], tile);
          measure (&self, URB_GROUP_GENERATED, tile, self.info->base_px);
          show_plan (&self, site->given, tile, self.info->base_px, n_done, 2 + k);
        }
      n_done++;
    }
  for (int i = 0; i < self.n_reports; i++)
    {
      check (urb_sampler_generate (self.sampler, 1, i, 1, levels, &error), error);
      measure (&self, URB_GROUP_UNTRAINED, levels, self.info->base_px);
    }
  print_results (&self, seconds);
  if (self.sheet != NULL)
    {
      cairo_destroy (self.sheet);
      if (cairo_surface_write_to_png (surface, argv[6]) != CAIRO_STATUS_SUCCESS)
        return 1;
    }
  return 0;
}
