/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench-vectors.c - what vectorizing changes in real areas, and how long it takes.
 *
 *     bench-vectors [--refiner CHECKPOINT] [--sheet FILE] DATASET SIZE_PX[/BASE_PX]
 *
 * Reads every area of the dataset at SIZE_PX, draws it as a plan, and compares the plans with the
 * real areas, both as 256 pixels, by the measures of `evaluate`.  With BASE_PX, areas are drawn as cities
 * which a refiner enlarged from BASE_PX; with --refiner, its refiner does enlarge the areas of BASE_PX.  So
 * "256/64 --refiner" is all that happens to a generator's image, of images without a mistake.
 *
 * The column "pixels" is the same without vectors.  A perfect vectorizer scores 0.05 (the floor); halves
 * of the real areas differ by 1 at the most (95 %).  The sheet shows real areas and their plans, in pairs.
 */
#include <math.h>
#include <stdio.h>

#include "city/comparison.h"
#include "city/components.h"
#include "city/plan-drawing.h"
#include "city/tile-vectors.h"
#include "dataset/dataset.h"
#include "model/networks.h"
#include "seconds.h"
#include "step/interpreter.h"
#include "train/sampler-private.h"

enum { FINE_PX = 256, SHEET_COLUMNS = 6, SHEET_ROWS = 8, CELL_PX = 256 };

/* The refiner of a checkpoint, for whole areas. */
typedef struct
{
  UrbSampler     *sampler;
  UrbNet         *net;
  UrbProgram     *program;
  UrbInterpreter *interpreter;
} Refiner;

static Refiner
open_refiner (const char *checkpoint, GError **error)
{
  UrbSamplerPlace place = { .n_threads = 1 };
  Refiner self = { urb_sampler_open (checkpoint, &place, error) };
  g_autoptr(UrbPreset) preset = NULL;
  g_autoptr(UrbNet) generator = NULL;
  g_autofree void **lent = NULL;

  if (self.sampler == NULL)
    return self;
  preset = urb_preset_load (self.sampler->info.preset, error);
  generator = preset == NULL ? NULL : urb_preset_build_generator (preset, self.sampler->info.n_channels, TRUE, error);
  self.net = generator == NULL ? NULL
                               : urb_preset_build_refiner (preset, generator, self.sampler->info.base_px, error);
  if (self.net == NULL)
    return self;
  self.program = urb_program_new_generator (self.net, 1, URB_STATISTICS_GIVEN);
  if (!urb_program_plan (self.program, self.sampler->backend, error))
    return self;
  lent = g_new0 (void *, self.program->buffers->len);
  lent[self.program->g.params] = self.sampler->params;
  self.interpreter = urb_interpreter_new (self.program, self.sampler->backend, lent, NULL, error);
  if (self.interpreter != NULL)
    urb_interpreter_run_prologue (self.interpreter, error);
  return self;
}

static void
close_refiner (Refiner *self)
{
  g_clear_pointer (&self->interpreter, urb_interpreter_free);
  g_clear_pointer (&self->program, urb_program_free);
  g_clear_pointer (&self->net, urb_net_free);
  g_clear_pointer (&self->sampler, urb_sampler_free);
}

/* @levels: an area of the generator's pixels, replaced by one of the refiner's */
static void
refine (const Refiner *self, guint8 *levels)
{
  const UkBackendTable *table = self->sampler->backend->table;
  gint64 n_in = uk_shape_count (self->net->in), n_out = uk_shape_count (self->net->out);
  g_autofree float *in = g_new (float, n_in), *out = g_new (float, n_out);
  g_autoptr(GError) error = NULL;

  for (gint64 i = 0; i < n_in; i++)
    in[i] = (float) levels[i] / 127.5f - 1;
  table->upload (self->sampler->backend, UK_VALUE,
                 urb_interpreter_get_memory (self->interpreter, self->program->z), in, n_in);
  if (!urb_interpreter_run (self->interpreter, &error))
    g_error ("%s", error->message);
  table->download (self->sampler->backend, UK_VALUE, out,
                   urb_interpreter_get_memory (self->interpreter, self->program->images), n_out);
  for (gint64 i = 0; i < n_out; i++)
    levels[i] = urb_generator_get_level (out[i]);
}

/* How well the built pixels of plans are those of the real areas. */
typedef struct
{
  gint64 n_both, n_either;
} Overlap;

static void
add_overlap (Overlap *self, const UrbClassMap *plan, const UrbClassMap *real)
{
  for (int i = 0; i < plan->width_px * plan->height_px; i++)
    {
      gboolean drawn = plan->classes[i] == URB_CLASS_BUILDING, built = real->classes[i] == URB_CLASS_BUILDING;

      self->n_both += drawn && built;
      self->n_either += drawn || built;
    }
}

static double
get_share (gint64 count, gint64 total)
{
  return total > 0 ? (double) count / (double) total : 0;
}

/* The buildings of a map: those from 20 m2 on. */
typedef struct
{
  GArray *components; /* UrbComponent */
  gint32 *labels;
  double  pixel_m2;
} Buildings;

static void
buildings_init (Buildings *self, const UrbClassMap *map)
{
  self->labels = g_new (gint32, map->width_px * map->height_px);
  self->components = urb_components_label (map->classes, map->width_px, map->height_px, URB_CONNECT_4, self->labels);
  self->pixel_m2 = map->pixel_m * map->pixel_m;
}

static void
buildings_clear (Buildings *self)
{
  g_array_unref (self->components);
  g_free (self->labels);
}

static gboolean
is_building (const Buildings *self, guint i)
{
  const UrbComponent *component = &g_array_index (self->components, UrbComponent, i);

  return component->value == URB_CLASS_BUILDING && (double) component->n_pixels * self->pixel_m2 >= 20;
}

/* How many buildings of @self share a building of @other with an earlier one: both overlap most with it. */
static gint64
count_together (const Buildings *self, const Buildings *other, int n_pixels)
{
  guint n_self = self->components->len, n_other = other->components->len;
  g_autofree guint16 *common = g_new0 (guint16, (gsize) n_self * n_other);
  g_autofree gboolean *taken = g_new0 (gboolean, n_other);
  gint64 n = 0;

  for (int i = 0; i < n_pixels; i++)
    common[(gsize) self->labels[i] * n_other + (gsize) other->labels[i]]++;
  for (guint i = 0; i < n_self; i++)
    {
      const guint16 *row = common + (gsize) i * n_other;
      guint best = 0;

      for (guint k = 0; k < n_other && is_building (self, i); k++)
        if (is_building (other, k) && (!is_building (other, best) || row[k] > row[best]))
          best = k;
      if (!is_building (self, i) || !is_building (other, best) || row[best] == 0)
        continue;
      n += taken[best];
      taken[best] = TRUE;
    }
  return n;
}

/* Counts real buildings that are joined in plans, and buildings of plans that divide a real one. */
static void
count_joined (const UrbClassMap *plan, const UrbClassMap *real, gint64 *n_joined, gint64 *n_divided)
{
  Buildings drawn, built;

  buildings_init (&drawn, plan);
  buildings_init (&built, real);
  *n_joined += count_together (&built, &drawn, plan->width_px * plan->height_px);
  *n_divided += count_together (&drawn, &built, plan->width_px * plan->height_px);
  buildings_clear (&drawn);
  buildings_clear (&built);
}

/* Counts the bends of more than 10 degrees of all buildings from 600 m2 on. */
static void
count_hall_corners (const UrbCityVectors *vectors, gint64 *n_halls, gint64 *n_corners)
{
  for (guint i = 0; i < vectors->polygons->len; i++)
    {
      const UrbCityPolygon *polygon = &g_array_index (vectors->polygons, UrbCityPolygon, i);

      if (polygon->class_ != URB_CLASS_BUILDING || polygon->area_m2 < 600)
        continue;
      ++*n_halls;
      for (guint ring = 0; ring < polygon->n_rings; ring++)
        {
          guint n;
          const double *xy = urb_city_vectors_get_ring (vectors, polygon, ring, &n);

          for (guint k = 0; k < n; k++)
            {
              const double *a = xy + 2 * k, *b = xy + 2 * ((k + 1) % n), *c = xy + 2 * ((k + 2) % n);
              double ux = b[0] - a[0], uy = b[1] - a[1], vx = c[0] - b[0], vy = c[1] - b[1];

              *n_corners += fabs (atan2 (ux * vy - uy * vx, ux * vx + uy * vy)) > G_PI / 18;
            }
        }
    }
}

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
  g_autofree char *checkpoint = NULL, *sheet_path = NULL;
  const GOptionEntry entries[] = {
    { "refiner", 0, 0, G_OPTION_ARG_FILENAME, &checkpoint, "Enlarge areas of BASE_PX with its refiner", "CHECKPOINT" },
    { "sheet", 0, 0, G_OPTION_ARG_FILENAME, &sheet_path, "Show real areas and their plans", "FILE" },
    { NULL },
  };
  g_autoptr(GOptionContext) context = g_option_context_new ("DATASET SIZE_PX[/BASE_PX]");
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbDataset) dataset = NULL;
  int size_px = 0, base_px = 0;
  Refiner refiner = { NULL };
  Overlap overlap = { 0 };

  g_option_context_add_main_entries (context, entries, NULL);
  if (g_option_context_parse (context, &argc, &argv, &error) && argc == 3
      && sscanf (argv[2], "%d/%d", &size_px, &base_px) >= 1)
    dataset = urb_dataset_open (argv[1], &error);
  if (dataset != NULL && checkpoint != NULL)
    refiner = open_refiner (checkpoint, &error);
  if (dataset == NULL || error != NULL)
    {
      fprintf (stderr, "bench-vectors: %s\n", error != NULL ? error->message : "DATASET SIZE_PX[/BASE_PX]");
      return 2;
    }
  if (base_px == 0)
    base_px = size_px;
  const UrbDatasetInfo *info = urb_dataset_get_info (dataset);
  int n_channels = urb_encoding_get_n_channels (info->encoding), n = (int) info->n_areas;
  g_autoptr(UrbComparison) comparison = urb_comparison_new (FINE_PX);
  g_autofree double *ms = g_new0 (double, n);
  g_autofree guint8 *levels = g_malloc ((gsize) FINE_PX * FINE_PX * 3);
  g_autoptr(UrbCairoSurface) sheet
    = cairo_image_surface_create (CAIRO_FORMAT_RGB24, SHEET_COLUMNS * (CELL_PX + 8),
                                  SHEET_ROWS * (CELL_PX + 8));
  g_autoptr(UrbCairo) cairo = cairo_create (sheet);
  gint64 n_vertices = 0, n_polygons = 0, n_invalid = 0, n_buildings = 0, n_corners = 0;
  gint64 n_halls = 0, n_hall_corners = 0, n_joined = 0, n_divided = 0;

  cairo_set_source_rgb (cairo, 1, 1, 1);
  cairo_paint (cairo);
  for (int i = 0; i < n; i++)
    {
      if (!urb_dataset_read_tile (dataset, i, FINE_PX, levels, &error))
        g_error ("%s", error->message);
      g_autoptr(UrbClassMap) real = urb_class_map_new_from_levels (
        levels, FINE_PX, FINE_PX, n_channels, info->area_size_m);
      if (!urb_dataset_read_tile (dataset, i, checkpoint != NULL ? base_px : size_px, levels, &error))
        g_error ("%s", error->message);
      if (checkpoint != NULL)
        refine (&refiner, levels);
      g_autoptr(UrbSoftMap) soft = urb_soft_map_new_from_levels (
        levels, size_px, size_px, n_channels, info->area_size_m, FINE_PX / size_px);
      g_autoptr(UrbClassMap) pixels = urb_class_map_new_from_soft (soft);
      double start = clock_s (CLOCK_PROCESS_CPUTIME_ID);
      g_autoptr(UrbCityVectors) vectors = urb_city_vectors_from_levels (
        levels, size_px, base_px, n_channels, info->area_size_m, FALSE);

      ms[i] = 1e3 * (clock_s (CLOCK_PROCESS_CPUTIME_ID) - start);
      g_autoptr(UrbClassMap) plan = urb_class_map_new_from_vectors (vectors, FINE_PX, NULL, NULL);

      urb_measurements_add (comparison->measured[URB_GROUP_REAL], real, NULL, NULL);
      urb_measurements_add (comparison->measured[URB_GROUP_UNTRAINED], pixels, NULL, NULL);
      urb_measurements_add (comparison->measured[URB_GROUP_GENERATED], plan, NULL, NULL);
      n_vertices += vectors->quality.n_vertices;
      n_polygons += vectors->polygons->len;
      n_invalid += vectors->quality.n_invalid;
      n_buildings += vectors->quality.n_buildings;
      n_corners += vectors->quality.n_corners;
      count_hall_corners (vectors, &n_halls, &n_hall_corners);
      add_overlap (&overlap, plan, real);
      count_joined (plan, real, &n_joined, &n_divided);
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
  printf ("Built pixels: %.1f %% of those built in either are built in both.  Corners of a building: %.2f; from 600 m2 on: %.2f\n",
          100 * get_share (overlap.n_both, overlap.n_either), get_share (n_corners, n_buildings),
          get_share (n_hall_corners, n_halls));
  printf ("%" G_GINT64_FORMAT " buildings in plans.  %" G_GINT64_FORMAT " buildings of the map share one of these with another; %"
          G_GINT64_FORMAT " of these share one of the map with another.\n", n_buildings, n_joined, n_divided);
  printf ("%d areas at %d px: median %.1f ms, slowest %.1f ms; %.1f polygons, %.1f vertices an area; "
          "%" G_GINT64_FORMAT " invalid\n", n, size_px, middle, ms[n - 1],
          (double) n_polygons / n, (double) n_vertices / n, n_invalid);
  close_refiner (&refiner);
  if (sheet_path != NULL && cairo_surface_write_to_png (sheet, sheet_path) != CAIRO_STATUS_SUCCESS)
    return 1;
  return 0;
}
