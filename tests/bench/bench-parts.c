/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench-parts.c - what each part of the way from a generator to plans is worth.
 *
 *     bench-parts CHECKPOINT DATASET [COUNT]
 *
 * Generates COUNT cities (128), and compares them with the held-out areas as `evaluate` does, with all
 * parts on, and with one of them off:
 *
 *     streets    the roads of the plan are replaced by the pixels that are mostly road
 *     buildings  the buildings of the plan are replaced by the pixels that are mostly building
 *     both       the pixels of the image, without a plan
 *     refiner    plans of the generator's own images
 *
 * Pixels have no center lines and no walls, so only the measures that need none are compared, and the
 * scores are not those of `evaluate`.
 */
#include <math.h>
#include <stdio.h>

#include "city/comparison.h"
#include "city/tile-vectors.h"
#include "dataset/dataset.h"
#include "dataset/places.h"
#include "train/sampler.h"

enum { FINE_PX = 256, BATCH = 16 };

typedef enum { ALL_ON, NO_STREETS, NO_BUILDINGS, NO_PLAN, NO_REFINER, N_PARTS } Parts;

static const char *const titles[N_PARTS]
  = { "all on", "streets off", "buildings off", "both off", "refiner off" };

/* The buildings of one map on the streets of another. */
static UrbClassMap *
combine (const UrbClassMap *buildings, const UrbClassMap *streets)
{
  UrbClassMap *map = urb_class_map_new (streets->width_px, streets->height_px, streets->pixel_m);

  for (int i = 0; i < map->width_px * map->height_px; i++)
    map->classes[i] = buildings->classes[i] == URB_CLASS_BUILDING ? URB_CLASS_BUILDING
                      : streets->classes[i] == URB_CLASS_ROAD     ? URB_CLASS_ROAD
                                                                  : URB_CLASS_OTHER;
  return map;
}

static UrbClassMap *
draw_plan (const guint8 *levels, const UrbSamplerInfo *info, double area_size_m)
{
  g_autoptr(UrbCityVectors) vectors = urb_city_vectors_from_levels (
    levels, info->size_px, info->base_px, info->n_channels, area_size_m, FALSE);

  return urb_class_map_new_from_vectors (vectors, FINE_PX, NULL, NULL);
}

static UrbClassMap *
draw_pixels (const guint8 *levels, const UrbSamplerInfo *info, double area_size_m)
{
  g_autoptr(UrbSoftMap) soft
    = urb_soft_map_new_from_levels (levels, info->size_px, info->size_px, info->n_channels,
                                    area_size_m, MAX (1, FINE_PX / info->size_px));

  return urb_class_map_new_from_soft (soft);
}

static void
measure_city (UrbComparison **comparisons, const guint8 *levels, const UrbSamplerInfo *info,
              double area_size_m)
{
  g_autoptr(UrbClassMap) plan = draw_plan (levels, info, area_size_m);
  g_autoptr(UrbClassMap) pixels = draw_pixels (levels, info, area_size_m);
  g_autoptr(UrbClassMap) no_streets = combine (plan, pixels);
  g_autoptr(UrbClassMap) no_buildings = combine (pixels, plan);
  const UrbClassMap *maps[] = { [ALL_ON] = plan, [NO_STREETS] = no_streets,
                                [NO_BUILDINGS] = no_buildings, [NO_PLAN] = pixels };

  for (gsize i = 0; i < G_N_ELEMENTS (maps); i++)
    urb_measurements_add (comparisons[i]->measured[URB_GROUP_GENERATED], maps[i], NULL, NULL);
}

static void
measure_cities (UrbComparison **comparisons, const char *checkpoint, gboolean no_refiner,
                gint64 count, double area_size_m)
{
  const UrbSamplerPlace place = { .no_refiner = no_refiner };
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbSampler) sampler = urb_sampler_open (checkpoint, &place, &error);

  if (sampler == NULL)
    g_error ("%s", error->message);
  const UrbSamplerInfo *info = urb_sampler_get_info (sampler);
  gsize tile = (gsize) info->size_px * (gsize) info->size_px * (gsize) info->n_channels;
  g_autofree guint8 *levels = g_malloc (tile * BATCH);

  for (gint64 first = 0; first < count; first += BATCH)
    {
      if (!urb_sampler_generate (sampler, 1, first, MIN (BATCH, count - first), levels, &error))
        g_error ("%s", error->message);
      for (gint64 i = 0; i < MIN (BATCH, count - first); i++)
        if (!no_refiner)
          measure_city (comparisons, levels + (gsize) i * tile, info, area_size_m);
        else
          {
            g_autoptr(UrbClassMap) plan = draw_plan (levels + (gsize) i * tile, info, area_size_m);

            urb_measurements_add (comparisons[NO_REFINER]->measured[URB_GROUP_GENERATED], plan, NULL,
                                  NULL);
          }
    }
}

static void
measure_areas (UrbComparison **comparisons, UrbDataset *dataset, UrbSplit split, UrbGroup group,
               gint64 most)
{
  const UrbDatasetInfo *info = urb_dataset_get_info (dataset);
  g_autofree guint8 *levels = g_malloc ((gsize) FINE_PX * FINE_PX * 3);
  g_autoptr(GError) error = NULL;
  gint64 n;
  const gint64 *areas = urb_dataset_get_split (dataset, split, &n);
  g_autofree guint *order = urb_shuffle ((guint) n, 1, 1000 + split);

  for (gint64 i = 0; i < MIN (n, most); i++)
    {
      if (!urb_dataset_read_tile (dataset, areas[order[i]], FINE_PX, levels, &error))
        g_error ("%s", error->message);
      g_autoptr(UrbClassMap) map
        = urb_class_map_new_from_levels (levels, FINE_PX, FINE_PX,
                                         urb_encoding_get_n_channels (info->encoding),
                                         info->area_size_m);

      for (int part = 0; part < N_PARTS; part++)
        urb_measurements_add (comparisons[part]->measured[group], map, NULL, NULL);
    }
}

static void
print_table (UrbComparison **comparisons)
{
  printf ("%-26s", "rho");
  for (int part = 0; part < N_PARTS; part++)
    printf ("%15s", titles[part]);
  printf ("%15s\n", "training");
  for (int m = 0; m < URB_N_MEASURES; m++)
    if (!isnan (comparisons[ALL_ON]->results[m].rho[URB_GROUP_GENERATED]))
      {
        printf ("%-26s", urb_measure_info[m].title);
        for (int part = 0; part < N_PARTS; part++)
          printf ("%15.2f", comparisons[part]->results[m].rho[URB_GROUP_GENERATED]);
        printf ("%15.2f\n", comparisons[ALL_ON]->results[m].rho[URB_GROUP_TRAIN]);
      }
  printf ("%-26s", "score");
  for (int part = 0; part < N_PARTS; part++)
    printf ("%15.2f", comparisons[part]->score[URB_GROUP_GENERATED]);
  printf ("%15.2f\n%-26s", comparisons[ALL_ON]->score[URB_GROUP_TRAIN], "KID");
  for (int part = 0; part < N_PARTS; part++)
    printf ("%15.2f", comparisons[part]->sets[URB_GROUP_GENERATED].kid.value);
  printf ("%15.2f\n%-26s", comparisons[ALL_ON]->sets[URB_GROUP_TRAIN].kid.value, "precision, %");
  for (int part = 0; part < N_PARTS; part++)
    printf ("%15.0f", 100 * comparisons[part]->sets[URB_GROUP_GENERATED].precision);
  printf ("%15.0f\n", 100 * comparisons[ALL_ON]->sets[URB_GROUP_TRAIN].precision);
}

int
main (int argc, char **argv)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbDataset) dataset = argc > 2 ? urb_dataset_open (argv[2], &error) : NULL;
  gint64 count = argc > 3 ? atoi (argv[3]) : 128;
  UrbComparison *comparisons[N_PARTS];

  if (dataset == NULL)
    {
      fprintf (stderr, "bench-parts: %s\n",
               error != NULL ? error->message : "CHECKPOINT DATASET [COUNT]");
      return 2;
    }
  for (int part = 0; part < N_PARTS; part++)
    {
      comparisons[part] = urb_comparison_new (FINE_PX);
      comparisons[part]->n_places = urb_dataset_count_places (dataset, URB_SPLIT_TEST);
    }
  measure_areas (comparisons, dataset, URB_SPLIT_TEST, URB_GROUP_REAL, G_MAXINT64);
  measure_areas (comparisons, dataset, URB_SPLIT_TRAIN, URB_GROUP_TRAIN, count);
  measure_cities (comparisons, argv[1], FALSE, count, urb_dataset_get_info (dataset)->area_size_m);
  measure_cities (comparisons, argv[1], TRUE, count, urb_dataset_get_info (dataset)->area_size_m);
  for (int part = 0; part < N_PARTS; part++)
    urb_comparison_run (comparisons[part], 1);
  print_table (comparisons);
  for (int part = 0; part < N_PARTS; part++)
    urb_comparison_free (comparisons[part]);
  return 0;
}
