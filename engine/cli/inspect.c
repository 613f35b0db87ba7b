/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inspect.c - urbarium-engine inspect: shows what a map contains and how it is classified.
 */
#include <stdio.h>
#include <string.h>

#include "base/json-build.h"
#include "cli/cli.h"
#include "cli/map-options.h"
#include "map/profile.h"

static void
count_polygons (UrbMap *map, gint64 n_polygons[URB_N_CLASSES])
{
  memset (n_polygons, 0, URB_N_CLASSES * sizeof *n_polygons);
  for (gint64 i = 0; i < urb_map_get_n_polygons (map); i++)
    n_polygons[urb_map_get_polygon (map, i)->class_]++;
}

/* -------- Text -------- */

static void
print_areas (UrbMap *map)
{
  UrbBox extent = urb_map_get_extent (map);
  gint64 n_polygons[URB_N_CLASSES];
  double sum = 0;

  count_polygons (map, n_polygons);
  for (int class_ = 0; class_ < URB_N_CLASSES; class_++)
    sum += urb_map_get_class_area_m2 (map, class_);
  printf ("Extent   %.2f, %.2f to %.2f, %.2f (%.0f m x %.0f m)\n\n", extent.min_x, extent.min_y,
          extent.max_x, extent.max_y, extent.max_x - extent.min_x, extent.max_y - extent.min_y);
  printf ("%-10s %10s %14s %8s\n", "Class", "Polygons", "Area, m2", "Share");
  for (int class_ = 0; class_ < URB_N_CLASSES; class_++)
    {
      double area = urb_map_get_class_area_m2 (map, class_);
      printf ("%-10s %10" G_GINT64_FORMAT " %14.0f %7.1f%%\n", urb_class_get_name (class_),
              n_polygons[class_], area, sum > 0 ? 100 * area / sum : 0);
    }
}

static void
print_count (const char *name, gint64 count)
{
  if (count > 0)
    printf (", %" G_GINT64_FORMAT " %s", count, name);
}

static int
compare_values (gconstpointer a, gconstpointer b)
{
  const UrbMapValue *p = *(UrbMapValue *const *) a, *q = *(UrbMapValue *const *) b;

  if (p->class_ != q->class_)
    return (int) p->class_ - (int) q->class_;
  return p->area_m2 != q->area_m2 ? (p->area_m2 < q->area_m2 ? 1 : -1)
                                  : strcmp (p->value, q->value);
}

static void
print_layer (const UrbMapLayer *layer)
{
  g_autoptr(GPtrArray) values = g_ptr_array_copy (layer->values, NULL, NULL);
  const guint most = 60;

  g_ptr_array_set_free_func (values, NULL);
  printf ("\nLayer '%s' of %s\n  %" G_GINT64_FORMAT " object%s", layer->name, layer->source,
          layer->n_features, layer->n_features == 1 ? "" : "s");
  print_count (layer->n_lines == 1 ? "line" : "lines", layer->n_lines);
  print_count (layer->n_points_ignored == 1 ? "point ignored" : "points ignored",
               layer->n_points_ignored);
  print_count ("unreadable", layer->n_unreadable);
  print_count ("unexpected", layer->n_unexpected);
  print_count ("repaired", layer->n_repaired);
  print_count ("dropped", layer->n_dropped);
  print_count ("superseded", layer->n_superseded);
  if (layer->attribute != NULL)
    printf ("; classes by '%s'", layer->attribute);
  printf ("\n");
  g_ptr_array_sort (values, compare_values);
  for (guint i = 0; i < MIN (values->len, most); i++)
    {
      const UrbMapValue *value = g_ptr_array_index (values, i);
      printf ("  %-10s %8" G_GINT64_FORMAT " %14.0f m2  %s%s\n", urb_class_get_name (value->class_),
              value->n_features, value->area_m2, value->value, value->known ? "" : "  (unknown)");
    }
  if (values->len > most)
    printf ("  … and %u more values\n", values->len - most);
}

/* " (97 of 100 points; next: generic, 60)" */
static void
print_fits (GPtrArray *fits)
{
  const UrbMapFit *best = fits->len > 0 ? g_ptr_array_index (fits, 0) : NULL;
  const UrbMapFit *next = fits->len > 1 ? g_ptr_array_index (fits, 1) : NULL;

  if (best == NULL)
    return;
  printf (" (%.0f of 100 points", best->score);
  if (next != NULL && next->score > 0)
    printf ("; next: %s, %.0f", next->profile, next->score);
  printf (")");
}

static void
print_map (UrbMap *map)
{
  GPtrArray *layers = urb_map_get_layers (map), *warnings = urb_map_get_warnings (map);

  printf ("Profile  %s", urb_map_get_profile (map));
  print_fits (urb_map_get_fits (map));
  printf ("\nCRS      %s\n", urb_map_get_crs_name (map));
  if (urb_map_get_licence (map) != NULL)
    printf ("Licence  %s\n", urb_map_get_licence (map));
  print_areas (map);
  for (guint i = 0; i < layers->len; i++)
    print_layer (g_ptr_array_index (layers, i));
  if (warnings->len > 0)
    printf ("\n%u warning%s\n", warnings->len, warnings->len == 1 ? "" : "s");
  for (guint i = 0; i < warnings->len; i++)
    printf ("  %s\n", (const char *) g_ptr_array_index (warnings, i));
}

/* -------- JSON -------- */

static void
add_values (JsonBuilder *json, GPtrArray *values)
{
  urb_json_begin_array (json, "values");
  for (guint i = 0; i < values->len; i++)
    {
      const UrbMapValue *value = g_ptr_array_index (values, i);
      urb_json_begin_object (json, NULL);
      urb_json_add_string (json, "value", value->value);
      urb_json_add_string (json, "class", urb_class_get_name (value->class_));
      urb_json_add_bool (json, "known", value->known);
      urb_json_add_int (json, "features", value->n_features);
      urb_json_add_double (json, "area_m2", value->area_m2);
      urb_json_end_object (json);
    }
  urb_json_end_array (json);
}

static void
add_layers (JsonBuilder *json, GPtrArray *layers)
{
  urb_json_begin_array (json, "layers");
  for (guint i = 0; i < layers->len; i++)
    {
      const UrbMapLayer *layer = g_ptr_array_index (layers, i);
      urb_json_begin_object (json, NULL);
      urb_json_add_string (json, "name", layer->name);
      urb_json_add_string (json, "source", layer->source);
      urb_json_add_string (json, "attribute", layer->attribute);
      urb_json_add_int (json, "features", layer->n_features);
      urb_json_add_int (json, "lines", layer->n_lines);
      urb_json_add_int (json, "points_ignored", layer->n_points_ignored);
      urb_json_add_int (json, "unreadable", layer->n_unreadable);
      urb_json_add_int (json, "unexpected", layer->n_unexpected);
      urb_json_add_int (json, "repaired", layer->n_repaired);
      urb_json_add_int (json, "dropped", layer->n_dropped);
      urb_json_add_int (json, "superseded", layer->n_superseded);
      add_values (json, layer->values);
      urb_json_end_object (json);
    }
  urb_json_end_array (json);
}

static void
print_json (UrbMap *map)
{
  JsonBuilder *json = urb_json_new ();
  UrbBox extent = urb_map_get_extent (map);
  GPtrArray *warnings = urb_map_get_warnings (map);
  gint64 n_polygons[URB_N_CLASSES];

  urb_json_add_string (json, "profile", urb_map_get_profile (map));
  urb_json_add_string (json, "licence", urb_map_get_licence (map));
  urb_json_begin_array (json, "fits");
  for (guint i = 0; i < urb_map_get_fits (map)->len; i++)
    {
      const UrbMapFit *fit = g_ptr_array_index (urb_map_get_fits (map), i);
      urb_json_begin_object (json, NULL);
      urb_json_add_string (json, "profile", fit->profile);
      urb_json_add_double (json, "score", fit->score);
      urb_json_end_object (json);
    }
  urb_json_end_array (json);
  urb_json_begin_object (json, "crs");
  urb_json_add_string (json, "name", urb_map_get_crs_name (map));
  urb_json_add_int (json, "epsg", urb_map_get_epsg (map));
  urb_json_add_string (json, "wkt", urb_map_get_crs_wkt (map));
  urb_json_end_object (json);
  urb_json_begin_object (json, "extent");
  urb_json_add_double (json, "min_x", extent.min_x);
  urb_json_add_double (json, "min_y", extent.min_y);
  urb_json_add_double (json, "max_x", extent.max_x);
  urb_json_add_double (json, "max_y", extent.max_y);
  urb_json_end_object (json);
  urb_json_add_int (json, "polygons", urb_map_get_n_polygons (map));
  urb_json_add_int (json, "vertices", urb_map_get_n_vertices (map));
  urb_json_add_int (json, "bytes", (gint64) urb_map_get_n_bytes (map));
  count_polygons (map, n_polygons);
  urb_json_begin_object (json, "classes");
  for (int class_ = 0; class_ < URB_N_CLASSES; class_++)
    {
      urb_json_begin_object (json, urb_class_get_name (class_));
      urb_json_add_int (json, "polygons", n_polygons[class_]);
      urb_json_add_double (json, "area_m2", urb_map_get_class_area_m2 (map, class_));
      urb_json_end_object (json);
    }
  urb_json_end_object (json);
  add_layers (json, urb_map_get_layers (map));
  urb_json_begin_array (json, "warnings");
  for (guint i = 0; i < warnings->len; i++)
    urb_json_add_string (json, NULL, g_ptr_array_index (warnings, i));
  urb_json_end_array (json);
  urb_cli_print_json (json);
}

int
urb_cli_inspect (int argc, char **argv)
{
  g_auto(UrbCliMapOptions) map_options = { 0 };
  UrbMapOptions options;
  const char *const *sources;
  gboolean as_json = FALSE;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &as_json, "Print JSON", NULL },
    G_OPTION_ENTRY_NULL
  };
  GOptionContext *context = urb_cli_options_new (
    "MAP...",
    "Shows the layers of a map, its coordinate system, the class of each kind of object, and "
    "repairs.", entries);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbMap) map = NULL;

  urb_cli_map_options_add (&map_options, context);
  if (!urb_cli_parse (context, &argc, &argv))
    return URB_EXIT_USAGE;
  if (argc < 2)
    return urb_cli_fail_usage ("specify a map file or folder");
  sources = (const char *const *) argv + 1;
  if (!urb_cli_map_options_apply (&map_options, &sources, &options))
    return URB_EXIT_USAGE;
  map = urb_cli_map_options_open (&map_options, &options, sources, &error);
  urb_cli_progress_done ();
  if (map == NULL)
    return urb_cli_fail (error);
  if (as_json)
    print_json (map);
  else
    print_map (map);
  return URB_EXIT_OK;
}
