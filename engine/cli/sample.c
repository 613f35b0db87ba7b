/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample.c - urbarium-engine sample: writes a procedural town as a GeoPackage.
 */
#include <stdio.h>

#include "base/free-path.h"
#include "cli/cli.h"
#include "map/sample-town.h"

static void
print_town (UrbSampleTown *town, const char *path)
{
  const double *xy = (const double *) (const void *) town->xy->data;
  double area_m2[URB_N_CLASSES] = { 0 }, total_m2 = town->size_m * town->size_m;
  gint64 n_buildings = 0;

  for (guint i = 0; i < town->polygons->len; i++)
    {
      const UrbTownPolygon *polygon = &g_array_index (town->polygons, UrbTownPolygon, i);
      UrbClass class_ = urb_town_kind_get_class (polygon->kind);

      for (guint32 r = 0; r < polygon->n_rings; r++)
        {
          guint32 n = g_array_index (town->rings, guint32, polygon->first_ring + r);
          double area2 = 0;

          for (guint32 k = 0; k < n; k++)
            {
              const double *a = xy + 2 * (gsize) k, *b = xy + 2 * (gsize) ((k + 1) % n);

              area2 += (a[0] - xy[0]) * (b[1] - xy[1]) - (b[0] - xy[0]) * (a[1] - xy[1]);
            }
          area_m2[class_] += (r == 0 ? 0.5 : -0.5) * ABS (area2);
          xy += 2 * (gsize) n;
        }
      n_buildings += class_ == URB_CLASS_BUILDING;
    }
  printf ("%s: %g x %g km, %u polygons, %" G_GINT64_FORMAT " buildings\n", path,
          town->size_m / 1000, town->size_m / 1000, town->polygons->len, n_buildings);
  for (int c = 0; c < URB_N_CLASSES; c++)
    printf ("  %-9s %10.4f ha  %5.1f %%\n", urb_class_get_name (c), area_m2[c] / 1e4,
            100 * area_m2[c] / total_m2);
}

int
urb_cli_sample (int argc, char **argv)
{
  gint64 seed = 7;
  double size_km = 2;
  gboolean force = FALSE;
  const GOptionEntry entries[] = {
    { "seed", 0, 0, G_OPTION_ARG_INT64, &seed, "Number of the town (default: 7)", "N" },
    { "size-km", 0, 0, G_OPTION_ARG_DOUBLE, &size_km,
      "Edge of the square in kilometers, 0.25 to 20 (default: 2)", "KM" },
    { "force", 0, 0, G_OPTION_ARG_NONE, &force, "Replace an existing file", NULL },
    G_OPTION_ENTRY_NULL
  };
  GOptionContext *context = urb_cli_options_new (
    "FILE.gpkg",
    "Generates a procedural town as a land-cover map: layer `landcover` with the attributes class "
    "and kind, in LV95 (EPSG:2056). Each point belongs to exactly one polygon. The same seed and "
    "size give the same town.", entries);
  g_autoptr(UrbSampleTown) town = NULL;
  g_autoptr(GError) error = NULL;

  if (!urb_cli_parse (context, &argc, &argv))
    return URB_EXIT_USAGE;
  if (argc != 2)
    return urb_cli_fail_usage ("Specify the file to write, such as town.gpkg.");
  if (!(1000 * size_km >= URB_SAMPLE_TOWN_MIN_SIZE_M &&
        1000 * size_km <= URB_SAMPLE_TOWN_MAX_SIZE_M))
    return urb_cli_fail_usage ("--size-km must be %g to %g.", URB_SAMPLE_TOWN_MIN_SIZE_M / 1000,
                               URB_SAMPLE_TOWN_MAX_SIZE_M / 1000);
  if (!force && !urb_free_path_check (argv[1], "; choose another name, or replace it with --force",
                                      &error))
    return urb_cli_fail (error);

  town = urb_sample_town_new ((guint64) seed, 1000 * size_km, urb_cli_progress, NULL,
                              urb_cli_get_cancellable (), &error);
  if (town == NULL || !urb_sample_town_write (town, argv[1], &error))
    return urb_cli_fail (error);
  urb_cli_progress_done ();
  print_town (town, argv[1]);
  return URB_EXIT_OK;
}
