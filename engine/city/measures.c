/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measures.c - urban form measures of a tile; see measures.h.
 */
#include "city/measures.h"

#include <math.h>

#include "base/compare.h"
#include "city/building-shape-private.h"
#include "city/components.h"
#include "city/plan-measures-private.h"
#include "city/skeleton-private.h"

static const double min_building_m2 = 20, min_hall_m2 = 600, min_block_m2 = 400, min_road_m2 = 100;
static const float min_decided = 0.9f;
enum { N_BINS = 36, MIN_SHAPE_PX = 6, MIN_PATCH_PX = 7 };

static const char land[] = "Land", buildings[] = "Buildings", streets[] = "Streets",
                  blocks[] = "Blocks";

const UrbMeasureInfo urb_measure_info[URB_N_MEASURES] = {
  [URB_MEASURE_BUILDING_SHARE] = { "building_share", "Built-up share", "%", land },
  [URB_MEASURE_ROAD_SHARE] = { "road_share", "Road share", "%", land },
  [URB_MEASURE_OTHER_SHARE] = { "other_share", "Open share", "%", land },
  [URB_MEASURE_HALF_TONES] = { "half_tones", "Half-tones", "%", land },
  [URB_MEASURE_BUILDING_COUNT] = { "building_count", "Buildings per area", "", buildings },
  [URB_MEASURE_FOOTPRINT_AREA] = { "footprint_area", "Building footprint", "m²", buildings },
  [URB_MEASURE_RECTANGULARITY] = { "rectangularity", "Building rectangularity", "%", buildings },
  [URB_MEASURE_ORIENTATION_ENTROPY] = { "orientation_entropy", "Orientation entropy", "",
                                        buildings },
  [URB_MEASURE_BUILDING_SPACING] = { "building_spacing", "Building spacing", "m", buildings },
  [URB_MEASURE_HALL_WALLS] = { "hall_walls", "Walls of halls in line", "%", buildings },
  [URB_MEASURE_STREET_DISTANCE] = { "street_distance", "Building to street", "m", buildings },
  [URB_MEASURE_STREET_ANGLE] = { "street_angle", "Angle to the street", "°", buildings },
  [URB_MEASURE_ROAD_CONNECTIVITY] = { "road_connectivity", "Road connectivity", "%", streets },
  [URB_MEASURE_STREET_WIDTH] = { "street_width", "Street width", "m", streets },
  [URB_MEASURE_STREET_BENDS] = { "street_bends", "Street bends per 100 m", "°", streets },
  [URB_MEASURE_DEAD_ENDS] = { "road_dead_ends", "Dead ends per area", "", streets },
  [URB_MEASURE_JUNCTIONS] = { "road_junctions", "Junctions per area", "", streets },
  [URB_MEASURE_DEAD_END_SHARE] = { "dead_end_share", "Dead ends among nodes", "%", streets },
  [URB_MEASURE_FOUR_WAY_SHARE] = { "four_way_share", "Four-way junctions", "%", streets },
  [URB_MEASURE_BLOCKS] = { "block_count", "Blocks per area", "", blocks },
  [URB_MEASURE_BLOCK_AREA] = { "block_area", "Block area", "m²", blocks },
  [URB_MEASURE_BLOCK_COVERAGE] = { "block_coverage", "Built share of blocks", "%", blocks },
};

double
urb_measure_to_display (UrbMeasure measure, double value)
{
  if (measure == URB_MEASURE_FOOTPRINT_AREA || measure == URB_MEASURE_BLOCK_AREA)
    return exp2 (value);
  return urb_measure_info[measure].unit[0] == '%' ? 100 * value : value;
}

UrbMeasurements *
urb_measurements_new (void)
{
  UrbMeasurements *self = g_new0 (UrbMeasurements, 1);

  for (int m = 0; m < URB_N_MEASURES; m++)
    {
      self->values[m] = g_array_new (FALSE, FALSE, sizeof (double));
      self->ends[m] = g_array_new (FALSE, FALSE, sizeof (guint));
    }
  return self;
}

void
urb_measurements_free (UrbMeasurements *self)
{
  if (self == NULL)
    return;
  for (int m = 0; m < URB_N_MEASURES; m++)
    {
      g_array_unref (self->values[m]);
      g_array_unref (self->ends[m]);
    }
  g_free (self);
}

static void
append (UrbMeasurements *self, UrbMeasure measure, double value)
{
  g_array_append_val (self->values[measure], value);
}

double
urb_orientation_entropy (const double *angles, const double *weights, guint n)
{
  double bins[N_BINS] = { 0 }, total = 0, entropy = 0;

  for (guint i = 0; i < n; i++)
    {
      /* Bins are centered on multiples of their width, so that exact directions do not fall on
       * a bin boundary. */
      double place = angles[i] / (G_PI / 2) * N_BINS + 0.5;
      int bin = (int) (place - N_BINS * floor (place / N_BINS));

      bins[CLAMP (bin, 0, N_BINS - 1)] += weights[i];
      total += weights[i];
    }
  if (total <= 0)
    return -1;
  for (int i = 0; i < N_BINS; i++)
    if (bins[i] > 0)
      entropy -= bins[i] / total * log (bins[i] / total);
  return MAX (entropy, 0); /* not -0 */
}

static void
measure_spacing (UrbMeasurements *self, const GArray *shapes)
{
  for (guint i = 0; i < shapes->len; i++)
    {
      const UrbBuildingShape *a = &g_array_index (shapes, UrbBuildingShape, i);
      double least = G_MAXDOUBLE;

      for (guint k = 0; k < shapes->len; k++)
        {
          const UrbBuildingShape *b = &g_array_index (shapes, UrbBuildingShape, k);

          if (k != i)
            least = MIN (least, hypot (a->center_x_m - b->center_x_m,
                                       a->center_y_m - b->center_y_m));
        }
      if (shapes->len > 1)
        append (self, URB_MEASURE_BUILDING_SPACING, least);
    }
}

static void
measure_buildings (UrbMeasurements *self, const UrbClassMap *map)
{
  g_autoptr(GArray) shapes = urb_building_shapes (map, min_building_m2);
  g_autofree double *angles = g_new (double, shapes->len + 1);
  g_autofree double *weights = g_new (double, shapes->len + 1);
  guint n_angles = 0;
  double entropy;

  append (self, URB_MEASURE_BUILDING_COUNT, shapes->len);
  for (guint i = 0; i < shapes->len; i++)
    {
      const UrbBuildingShape *shape = &g_array_index (shapes, UrbBuildingShape, i);

      if (shape->touches_border)
        continue;
      append (self, URB_MEASURE_FOOTPRINT_AREA, log2 (shape->area_m2));
      if (shape->n_pixels < MIN_SHAPE_PX)
        continue;
      append (self, URB_MEASURE_RECTANGULARITY, shape->rectangularity);
      if (shape->area_m2 >= min_hall_m2)
        append (self, URB_MEASURE_HALL_WALLS, shape->in_line);
      angles[n_angles] = shape->angle;
      weights[n_angles++] = shape->perimeter_m;
    }
  entropy = urb_orientation_entropy (angles, weights, n_angles);
  if (n_angles >= 3)
    append (self, URB_MEASURE_ORIENTATION_ENTROPY, entropy);
  measure_spacing (self, shapes);
}

static void
measure_roads (UrbMeasurements *self, const UrbClassMap *map)
{
  gsize n_pixels = (gsize) map->width_px * (gsize) map->height_px;
  g_autofree guint8 *mask = g_malloc (n_pixels);
  g_autofree gint32 *labels = g_new (gint32, n_pixels);
  g_autoptr(GArray) parts = NULL;
  double pixel_m2 = map->pixel_m * map->pixel_m;
  gint64 total = 0, largest = 0;
  int n_blocks = 0;
  UrbSkeletonCounts counts;

  for (gsize i = 0; i < n_pixels; i++)
    mask[i] = map->classes[i] == URB_CLASS_ROAD;
  parts = urb_components_label (mask, map->width_px, map->height_px, URB_CONNECT_8, labels);
  for (guint i = 0; i < parts->len; i++)
    {
      const UrbComponent *part = &g_array_index (parts, UrbComponent, i);

      if (part->value == 0)
        continue;
      total += part->n_pixels;
      largest = MAX (largest, part->n_pixels);
    }
  g_array_unref (parts);
  /* Roads that touch only at a corner also separate blocks, hence 4-connected. */
  parts = urb_components_label (mask, map->width_px, map->height_px, URB_CONNECT_4, labels);
  for (guint i = 0; i < parts->len; i++)
    {
      const UrbComponent *part = &g_array_index (parts, UrbComponent, i);

      n_blocks += part->value == 0 && (double) part->n_pixels * pixel_m2 >= min_block_m2;
    }
  append (self, URB_MEASURE_BLOCKS, n_blocks);
  if ((double) total * pixel_m2 >= min_road_m2)
    append (self, URB_MEASURE_ROAD_CONNECTIVITY, (double) largest / (double) total);

  counts = urb_skeleton_count (mask, map->width_px, map->height_px, map->pixel_m);
  append (self, URB_MEASURE_DEAD_ENDS, counts.n_dead_ends);
  append (self, URB_MEASURE_JUNCTIONS, counts.n_junctions);
}

/* Of a border, only a line of pixels is undecided; half-tones are patches of such pixels. */
static double
get_half_tones (const UrbSoftMap *soft)
{
  int width = soft->width_px, height = soft->height_px, n_half_tones = 0;
  g_autofree guint8 *undecided = g_malloc ((gsize) width * (gsize) height);

  for (int i = 0; i < width * height; i++)
    undecided[i] = MAX (MAX (soft->shares[URB_CLASS_BUILDING][i], soft->shares[URB_CLASS_ROAD][i]),
                        soft->shares[URB_CLASS_OTHER][i]) < min_decided;
  for (int row = 1; row < height - 1; row++)
    for (int col = 1; col < width - 1; col++)
      {
        const guint8 *pixel = undecided + row * width + col;
        int n = 0;

        for (int k = -1; k <= 1; k++)
          n += pixel[k - width] + pixel[k] + pixel[k + width];
        n_half_tones += *pixel && n >= MIN_PATCH_PX;
      }
  return (double) n_half_tones / (width * height);
}

void
urb_measurements_add (UrbMeasurements *self, const UrbClassMap *map, const UrbSoftMap *soft,
                      const UrbCityVectors *plan)
{
  double shares[URB_N_CLASSES];

  urb_class_map_get_shares (map, shares);
  append (self, URB_MEASURE_BUILDING_SHARE, shares[URB_CLASS_BUILDING]);
  append (self, URB_MEASURE_ROAD_SHARE, shares[URB_CLASS_ROAD]);
  append (self, URB_MEASURE_OTHER_SHARE, shares[URB_CLASS_OTHER]);
  measure_buildings (self, map);
  measure_roads (self, map);
  if (soft != NULL)
    append (self, URB_MEASURE_HALF_TONES, get_half_tones (soft));
  if (plan != NULL)
    urb_plan_measure (plan, self->values);
  for (int m = 0; m < URB_N_MEASURES; m++)
    g_array_append_val (self->ends[m], self->values[m]->len);
  self->n_tiles++;
}

GArray *
urb_measurements_pool (const UrbMeasurements *self, UrbMeasure measure, const guint *tiles,
                       guint n_tiles)
{
  GArray *pool = g_array_new (FALSE, FALSE, sizeof (double));
  const GArray *values = self->values[measure], *ends = self->ends[measure];

  if (tiles == NULL)
    g_array_append_vals (pool, values->data, values->len);
  for (guint i = 0; tiles != NULL && i < n_tiles; i++)
    {
      guint begin = tiles[i] > 0 ? g_array_index (ends, guint, tiles[i] - 1) : 0;

      g_array_append_vals (pool, &g_array_index (values, double, begin),
                           g_array_index (ends, guint, tiles[i]) - begin);
    }
  g_array_sort (pool, urb_compare_doubles);
  return pool;
}

GArray *
urb_measurements_thin (const UrbMeasurements *self, UrbMeasure measure, guint max, GArray *ends)
{
  GArray *thin = g_array_new (FALSE, FALSE, sizeof (double));
  const GArray *values = self->values[measure], *tile_ends = self->ends[measure];
  guint64 n = values->len, n_kept = MIN (n, max), next = 0; /* index among all values */

  g_array_set_size (ends, 0);
  for (guint tile = 0; tile < tile_ends->len; tile++)
    {
      g_autoptr(GArray) pool = urb_measurements_pool (self, measure, &tile, 1);
      guint before = thin->len;

      for (guint i = 0; i < pool->len; i++, next++)
        if ((next + 1) * n_kept / n != next * n_kept / n)
          g_array_append_val (thin, g_array_index (pool, double, i));
      if (thin->len > before)
        g_array_append_val (ends, thin->len);
    }
  return thin;
}
