/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench-judge.c - what the measures of `evaluate` tell apart.
 *
 *     bench-judge DATASET [CHECKPOINT …]
 *
 * Divides all areas of the dataset at random into halves, 20 times, and compares one half with the
 * other, as if it were generated: the verdict must be "alike".  Then prints, of each measure, the
 * median and the largest rho of the halves, in how many splits its median was off by half, and the
 * rho of the areas that each checkpoint generates.  A measure is of use if that of some checkpoint
 * is above 1 and above the largest of the halves.
 */
#include <math.h>
#include <stdio.h>

#include "base/compare.h"
#include "city/evaluate.h"
#include "city/tile-vectors.h"
#include "dataset/places.h"

enum { FINE_PX = 256, COARSE_PX = 64, N_SPLITS = 20 };

typedef struct
{
  UrbClassMap    *map;     /* owned */
  UrbSoftMap     *soft;    /* owned; as coarse as the generator's */
  UrbCityVectors *vectors; /* owned */
} Area;

static Area *
read_areas (UrbDataset *dataset, GError **error)
{
  const UrbDatasetInfo *info = urb_dataset_get_info (dataset);
  int n_channels = urb_encoding_get_n_channels (info->encoding);
  int size_px = MIN (FINE_PX, info->resolution_px);
  g_autofree guint8 *levels = g_malloc ((gsize) size_px * (gsize) size_px * (gsize) n_channels);
  Area *areas = g_new0 (Area, info->n_areas);

  for (gint64 i = 0; i < info->n_areas; i++)
    {
      if (!urb_dataset_read_tile (dataset, i, COARSE_PX, levels, error))
        g_error ("%s", (*error)->message);
      areas[i].soft = urb_soft_map_new_from_levels (levels, COARSE_PX, COARSE_PX, n_channels,
                                                    info->area_size_m, 1);
      if (!urb_dataset_read_tile (dataset, i, size_px, levels, error))
        g_error ("%s", (*error)->message);
      areas[i].map = urb_class_map_new_from_levels (levels, size_px, size_px, n_channels,
                                                    info->area_size_m);
      areas[i].vectors = urb_city_vectors_from_levels (levels, size_px, size_px, n_channels,
                                                       info->area_size_m, FALSE);
    }
  return areas;
}

static UrbComparison *
compare_halves (const Area *areas, guint n, guint n_places, guint64 seed)
{
  UrbComparison *comparison = urb_comparison_new (areas[0].map->width_px);
  g_autofree guint *order = urb_shuffle (n, seed, 5000);

  for (guint i = 0; i < n; i++)
    urb_measurements_add (
      comparison->measured[i < n / 2 ? URB_GROUP_REAL : URB_GROUP_GENERATED],
      areas[order[i]].map, areas[order[i]].soft, areas[order[i]].vectors);
  comparison->n_places = n_places;
  urb_comparison_run (comparison, seed);
  return comparison;
}

int
main (int argc, char **argv)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbDataset) dataset = argc > 1 ? urb_dataset_open (argv[1], &error) : NULL;

  if (dataset == NULL)
    {
      fprintf (stderr, "bench-judge: %s\n", error != NULL ? error->message : "DATASET [CHECKPOINT …]");
      return 2;
    }
  g_autofree UrbEvaluation **evaluations = g_new0 (UrbEvaluation *, argc);
  guint n = (guint) urb_dataset_get_info (dataset)->n_areas;
  guint n_places = urb_dataset_count_places (dataset, URB_SPLIT_TRAIN)
                   + urb_dataset_count_places (dataset, URB_SPLIT_TEST);
  g_autofree Area *areas = read_areas (dataset, &error);
  double rho[URB_N_MEASURES][N_SPLITS];
  guint n_half_off[URB_N_MEASURES] = { 0 };

  for (int split = 0; split < N_SPLITS; split++)
    {
      g_autoptr(UrbComparison) halves = compare_halves (areas, n, n_places, (guint64) split);

      printf ("halves %2d: %-8s score %.2f\n", split, urb_verdict_names[halves->verdict],
              halves->score[URB_GROUP_GENERATED]);
      for (int m = 0; m < URB_N_MEASURES; m++)
        {
          rho[m][split] = halves->results[m].rho[URB_GROUP_GENERATED];
          n_half_off[m] += halves->results[m].half_off;
        }
    }
  for (int i = 2; i < argc; i++)
    {
      UrbEvaluateOptions options = { .checkpoint = argv[i], .dataset = argv[1], .seed = 1 };

      evaluations[i] = urb_evaluate (&options, NULL, NULL, NULL, &error);
      if (evaluations[i] == NULL)
        g_error ("%s", error->message);
    }
  printf ("\n%-24s %8s %8s %8s\n", "rho", "halves", "worst", "half off");
  for (int m = 0; m < URB_N_MEASURES; m++)
    {
      qsort (rho[m], N_SPLITS, sizeof (double), urb_compare_doubles);
      printf ("%-24s %8.2f %8.2f %8u  ", urb_measure_info[m].name, rho[m][N_SPLITS / 2],
              rho[m][N_SPLITS - 1], n_half_off[m]);
      for (int i = 2; i < argc; i++)
        {
          const UrbComparison *plans = evaluations[i]->plans;

          if (!urb_comparison_has (plans, (UrbMeasure) m))
            plans = evaluations[i]->pixels;
          printf (" %8.2f", plans->results[m].rho[URB_GROUP_GENERATED]);
        }
      putchar ('\n');
    }
  for (guint i = 0; i < n; i++)
    {
      urb_class_map_free (areas[i].map);
      urb_soft_map_free (areas[i].soft);
      urb_city_vectors_free (areas[i].vectors);
    }
  return 0;
}
