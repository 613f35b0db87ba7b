/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vectorize.c - urbarium-engine vectorize: converts class images to plans.
 */
#include <stdio.h>

#include "base/json-build.h"
#include "city/city-writer.h"
#include "cli/cli.h"
#include "cli/place-options.h"

typedef struct
{
  double   size_m;
  gboolean keep_specks, json;
  UrbPlace place;
} Options;

static UrbCityVectors *
vectorize (const char *path, const Options *options, GError **error)
{
  g_autoptr(UrbClassMap) map = urb_class_map_load_png (path, options->size_m, NULL, error);
  UrbVectorizeOptions vectorize_options;

  if (map == NULL)
    return NULL;
  g_autoptr(UrbSoftMap) soft = urb_soft_map_new_from_classes (map);

  urb_vectorize_options_init (&vectorize_options, map->pixel_m);
  if (options->keep_specks)
    urb_vectorize_options_keep_specks (&vectorize_options);
  return urb_vectorize (soft, &vectorize_options);
}

static void
add_quality (JsonBuilder *json, const char *name, const UrbVectorQuality *q)
{
  const struct { const char *key; gint64 value; } counts[] = {
    { "invalid", q->n_invalid }, { "buildings", q->n_buildings }, { "straight", q->n_straight },
    { "corners", q->n_corners }, { "square_corners", q->n_square_corners },
    { "vertices", q->n_vertices }, { "bridges", q->n_bridges },
    { "missing", q->n_missing },
  };

  urb_json_begin_object (json, NULL);
  urb_json_add_string (json, "image", name);
  urb_json_begin_object (json, "overlap");
  for (int c = 0; c < URB_N_CLASSES; c++)
    urb_json_add_double (json, urb_class_get_name ((UrbClass) c), q->overlap[c]);
  urb_json_end_object (json);
  urb_json_add_double (json, "agreement", q->agreement);
  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++)
    urb_json_add_int (json, counts[i].key, counts[i].value);
  urb_json_end_object (json);
}

static void
print_quality (const char *name, const UrbVectorQuality *q)
{
  printf ("%-24s %5" G_GINT64_FORMAT " %s, %3.0f %% straight, %3.0f %% of corners right; "
          "pixels kept: building %.1f %%, road %.1f %%, all %.1f %%; %" G_GINT64_FORMAT
          " %s, %" G_GINT64_FORMAT " invalid", name, q->n_buildings,
          q->n_buildings == 1 ? "building" : "buildings",
          100.0 * (double) q->n_straight / (double) MAX (q->n_buildings, 1),
          100.0 * (double) q->n_square_corners / (double) MAX (q->n_corners, 1),
          100 * q->overlap[URB_CLASS_BUILDING], 100 * q->overlap[URB_CLASS_ROAD],
          100 * q->agreement, q->n_vertices,
          q->n_vertices == 1 ? "vertex" : "vertices", q->n_invalid);
  if (q->n_missing > 0)
    printf (", %" G_GINT64_FORMAT " missing", q->n_missing);
  putchar ('\n');
}

static int
run (const Options *options, const char *out, char **paths, int n)
{
  g_autoptr(UrbCityWriter) writer = NULL;
  g_autoptr(JsonBuilder) json = json_builder_new ();
  g_autoptr(UrbProvenance) provenance = urb_provenance_new (NULL);
  g_autoptr(GError) error = NULL;

  urb_json_begin_array (json, NULL);
  for (int i = 0; i < n; i++)
    {
      g_autoptr(UrbCityVectors) vectors = NULL;
      g_autofree char *name = g_filename_display_basename (paths[i]);
      UrbCityLayout layout;

      if (g_cancellable_set_error_if_cancelled (urb_cli_get_cancellable (), &error))
        return urb_cli_fail (error);
      vectors = vectorize (paths[i], options, &error);
      if (vectors == NULL)
        return urb_cli_fail (error);
      /* The first image determines the cell size of the layout. */
      urb_city_layout_init (&layout, n, vectors->width_m, vectors->height_m);
      layout.place = options->place;
      layout.provenance = provenance;
      if (writer == NULL)
        writer = urb_city_writer_new (out, &layout, &error);
      if (writer == NULL || !urb_city_writer_add (writer, vectors, i + 1, 0, &error))
        return urb_cli_fail (error);
      urb_cli_progress ((i + 1.0) / n, "Vectorizing", NULL);
      if (options->json)
        add_quality (json, name, &vectors->quality);
      else
        print_quality (name, &vectors->quality);
    }
  if (!urb_city_writer_finish (writer, &error))
    return urb_cli_fail (error);
  urb_cli_progress_done ();
  if (options->json)
    urb_cli_print_json_array (g_steal_pointer (&json));
  return URB_EXIT_OK;
}

int
urb_cli_vectorize (int argc, char **argv)
{
  Options options = { .size_m = 250 };
  g_auto(UrbCliPlaceOptions) place = { 0 };
  g_autofree char *out = NULL;
  const GOptionEntry entries[] = {
    { "out", 'o', 0, G_OPTION_ARG_FILENAME, &out, "A .gpkg, .geojson, .svg, .dxf or .city.json file",
      "FILE" },
    { "size-m", 0, 0, G_OPTION_ARG_DOUBLE, &options.size_m,
      "Width of an image on the ground, in meters (250)", "M" },
    { "keep-specks", 0, 0, G_OPTION_ARG_NONE, &options.keep_specks,
      "Keep buildings, yards and bits of road of any size", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "Print the quality as JSON", NULL },
    G_OPTION_ENTRY_NULL
  };
  GOptionContext *context = urb_cli_options_new (
    "IMAGE.png... --out FILE",
    "Draws plans of class images: streets with their center lines, buildings with right angles,\n"
    "open land.  Images have the colors of this program's plans and sample grids; red, green\n"
    "and blue for building, road and other; or grey (building 255, other 128, road 0).", entries);

  urb_cli_place_options_add (&place, context);
  if (!urb_cli_parse (context, &argc, &argv))
    return URB_EXIT_USAGE;
  if (argc < 2)
    return urb_cli_fail_usage ("specify at least one PNG image");
  if (out == NULL)
    return urb_cli_fail_usage ("specify the output with --out");
  if (!(options.size_m > 0 && options.size_m < 1e7))
    return urb_cli_fail_usage ("--size-m must be above 0");
  if (!urb_cli_place_options_apply (&place, &options.place))
    return URB_EXIT_USAGE;
  return run (&options, out, argv + 1, argc - 1);
}
