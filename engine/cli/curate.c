/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curate.c - `urbarium-engine curate`: from maps to a dataset of areas.
 */
#include <string.h>

#include "base/free-path.h"
#include "base/permission.h"
#include "cli/cli.h"
#include "cli/map-options.h"
#include "dataset/curate.h"
#include "dataset/how-made.h"
#include "dataset/overview.h"
#include "dataset/sample-grid.h"
#include "run/store/folder.h"
#include "run/store/used-datasets.h"
#include "settings/args.h"

#define OVERVIEW_PX 1600
#define MAX_GRID_TILES 64
#define MAX_GRID_PX 2048 /* edge of the picture, about */

typedef struct
{
  UrbCurateOptions curate;
  UrbSettingArgs  *args; /* owned */
  UrbCliMapOptions map;
  char    *out, *like, *grid, *overview, *runs; /* owned */
  UrbHowMade made; /* owned; of @like */
  gboolean fill, no_fill, json;
} Options;

static void
options_clear (Options *self)
{
  urb_setting_args_free (self->args);
  g_free (self->out);
  urb_cli_map_options_clear (&self->map);
  g_free (self->like);
  urb_how_made_clear (&self->made);
  g_free (self->grid);
  g_free (self->overview);
  g_free (self->runs);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static gboolean
apply_settings (Options *o, GError **error)
{
  UrbCurateOptions *c = &o->curate;

  if (o->like != NULL)
    *c = o->made.curate;
  else
    urb_curate_options_init (c);
  if (!urb_setting_args_apply (o->args, c, error))
    return FALSE;
  if (o->fill || o->no_fill)
    c->fill = o->fill ? URB_FILL_YES : URB_FILL_NO;
  if (!urb_setting_args_given (o->args, "stride-m") && (o->like == NULL || urb_setting_args_given (o->args, "area-size-m")))
    c->stride_m = 0.5 * c->area_size_m;
  return TRUE;
}

/* Only a dataset, or nothing at all, is replaced. */
static gboolean
check_out (const char *path, GError **error)
{
  g_autofree char *forbidden = urb_permission_dup_read_problem (path);
  g_autoptr(GError) reason = NULL;
  g_autoptr(UrbDataset) dataset = NULL;

  if (forbidden != NULL)
    {
      g_set_error_literal (error, URB_DATASET_ERROR, URB_DATASET_ERROR_WRITE, forbidden);
      return FALSE;
    }
  dataset = urb_dataset_open (path, &reason);
  return !g_error_matches (reason, URB_DATASET_ERROR, URB_DATASET_ERROR_OPEN)
         || urb_free_path_check (path, " and is no dataset; delete it, or choose another name for the "
                                 "dataset", error);
}

/* Tiles from the best to the last, at even distances. */
static gboolean
write_grid (const char *path, const char *dataset_path, GError **error)
{
  g_autoptr(UrbDataset) dataset = urb_dataset_open (dataset_path, error);
  const UrbDatasetInfo *info;
  g_autofree guint8 *levels = NULL;
  int n_channels, size_px, edge;
  gint64 n;
  gsize n_levels;

  if (dataset == NULL)
    return FALSE;
  info = urb_dataset_get_info (dataset);
  n_channels = urb_encoding_get_n_channels (info->encoding);
  n = MIN (info->n_areas, MAX_GRID_TILES);
  for (edge = 1; edge * edge < n; edge++)
    ;
  for (size_px = info->resolution_px; size_px % 2 == 0 && size_px * edge > MAX_GRID_PX;)
    size_px /= 2;
  n_levels = (gsize) size_px * size_px * n_channels;
  levels = g_malloc (n * n_levels);
  for (gint64 i = 0; i < n; i++)
    if (!urb_dataset_read_tile (dataset, i * info->n_areas / n, size_px, levels + i * n_levels,
                                error))
      return FALSE;
  return urb_sample_grid_write_png (path, levels, n, size_px, n_channels, edge, 1, error);
}

static void
print_refused (gint64 n, const char *why)
{
  if (n > 0)
    g_print ("  %10" G_GINT64_FORMAT "  %s\n", n, why);
}

static void
print_summary (const Options *o, UrbCuration *curation)
{
  const UrbCurateOptions *c = &curation->options;
  const UrbArea *areas = (const UrbArea *) (void *) curation->areas->data;
  g_autofree char *uncovered
    = g_strdup_printf ("covered by less than %g %%", 100 * c->min_coverage);
  g_autofree char *dull = g_strdup_printf ("with a variance below %g", c->min_variance);
  gint64 n_refused = curation->n_uncovered + curation->n_low_variance + curation->n_straddling
                     + curation->n_overlapping + curation->n_beyond_top;

  g_print ("%" G_GINT64_FORMAT " %s of %g x %g m looked at%s\n", curation->n_positions,
           curation->n_positions == 1 ? "place" : "places", c->area_size_m, c->area_size_m,
           n_refused > 0 ? "; refused:" : "");
  print_refused (curation->n_uncovered, uncovered);
  print_refused (curation->n_low_variance, dull);
  print_refused (curation->n_straddling, "across the border of two sets, such as training and testing");
  print_refused (curation->n_overlapping, "overlapping a better one too much");
  print_refused (curation->n_beyond_top, "beyond --top");
  g_print ("%u %s in %s: %" G_GINT64_FORMAT " for training, %" G_GINT64_FORMAT
           " for testing, %" G_GINT64_FORMAT " for validation; variance %.3f down to %.3f\n",
           curation->areas->len, curation->areas->len == 1 ? "area" : "areas", o->out,
           curation->n_split[URB_SPLIT_TRAIN], curation->n_split[URB_SPLIT_TEST],
           curation->n_split[URB_SPLIT_VALIDATION], areas[0].variance,
           areas[curation->areas->len - 1].variance);
}

static void
print_warnings (UrbMap *map, UrbCuration *curation)
{
  GPtrArray *lists[] = { urb_map_get_warnings (map), curation->warnings };

  for (gsize k = 0; k < G_N_ELEMENTS (lists); k++)
    for (guint i = 0; lists[k] != NULL && i < lists[k]->len; i++)
      g_printerr ("urbarium-engine curate: warning: %s\n",
                  (const char *) g_ptr_array_index (lists[k], i));
}

static void
warn_of_like (UrbCuration *curation, UrbMap *map, const UrbMapOptions *map_options, const Options *o)
{
  g_autoptr(GPtrArray) missing = g_ptr_array_new_with_free_func (g_free);

  urb_how_made_compare (&o->made, map, missing);
  for (guint i = 0; i < missing->len; i++)
    g_ptr_array_add (curation->warnings,
                     g_strdup_printf ("of '%s', %s", o->like, (const char *) g_ptr_array_index (missing, i)));
  if (o->map.road_width_m == 0 && o->made.map.road_width_m != map_options->road_width_m)
    g_ptr_array_add (curation->warnings,
                     g_strdup_printf ("'%s' says that roads are %g m wide, which cannot be: the class profile's width was "
                                      "used. Give another with --road-width-m", o->like, o->made.map.road_width_m));
  if (o->made.fills_hull && curation->filled)
    g_ptr_array_add (curation->warnings,
                     g_strdup_printf ("'%s' is of an earlier version, which counted open ground far from objects as 'other', "
                                      "too: other areas are chosen now, for training and for testing", o->like));
  if (o->made.n_by_hand > 0)
    g_ptr_array_add (curation->warnings,
                     g_strdup_printf ("'%s' has areas that were chosen or removed by hand, %" G_GINT64_FORMAT
                                      " in all, which it does not list: they are not repeated", o->like, o->made.n_by_hand));
}

static void
warn_of_tested (UrbCuration *curation, UrbMap *map, const char *runs)
{
  g_autofree char *usual = urb_run_dup_usual_place ();
  const char *const places[] = { runs != NULL ? runs : usual, NULL };
  g_autoptr(GPtrArray) found = urb_run_find_tested (places, curation, map);

  for (guint i = 0; i < found->len; i++)
    {
      const UrbUsedDataset *used = g_ptr_array_index (found, i);

      g_ptr_array_add (curation->warnings,
                       g_strdup_printf ("%" G_GINT64_FORMAT " of the areas for training overlap test areas of "
                                        "'%s', which the run '%s' used: do not compare models of the two by "
                                        "these test areas. With the same map and --seed they do not overlap",
                                        used->n_areas, used->dataset, used->run));
    }
}

/* Returns: FALSE with an error; the results are for the caller to free */
static gboolean
curate (const Options *o, const UrbMapOptions *map_options, const char *const *sources, UrbMap **map,
        UrbCuration **curation, GError **error)
{
  GCancellable *cancellable = urb_cli_get_cancellable ();

  if (!check_out (o->out, error))
    return FALSE;
  *map = urb_cli_map_options_open (&o->map, map_options, sources, error);
  if (*map == NULL)
    return FALSE;
  *curation = urb_curation_new (*map, &o->curate, urb_cli_progress, NULL, cancellable, error);
  if (*curation != NULL)
    {
      warn_of_like (*curation, *map, map_options, o);
      warn_of_tested (*curation, *map, o->runs);
    }
  return *curation != NULL
         && urb_curation_write (*curation, *map, sources, o->out, urb_cli_progress, NULL,
                                cancellable, error)
         && (o->grid == NULL || write_grid (o->grid, o->out, error))
         && (o->overview == NULL
             || urb_overview_write_png (o->overview, *map, (*curation)->areas,
                                        o->curate.area_size_m, OVERVIEW_PX, error));
}

int
urb_cli_curate (int argc, char **argv)
{
  g_auto(Options) o = { .args = urb_setting_args_new (&urb_curate_settings, URB_SETTING_CURATE) };
  const GOptionEntry entries[] = {
    { "out", 'o', 0, G_OPTION_ARG_FILENAME, &o.out, "Dataset to write (a GeoPackage)", "FILE" },
    { "like", 0, 0, G_OPTION_ARG_FILENAME, &o.like,
      "Read the map and choose areas as for this dataset, but for the options that are given", "DATASET" },
    { "fill-uncovered", 0, 0, G_OPTION_ARG_NONE, &o.fill,
      "Count ground between objects as 'other'", NULL },
    { "no-fill-uncovered", 0, 0, G_OPTION_ARG_NONE, &o.no_fill,
      "Leave it uncovered (the default if the map covers the ground beside its buildings)", NULL },
    { "wall", 0, 0, G_OPTION_ARG_FILENAME, &o.grid, "Draw a selection of the tiles", "FILE.png" },
    { "overview", 0, 0, G_OPTION_ARG_FILENAME, &o.overview,
      "Draw the map with the areas: training blue, validation violet, testing orange", "FILE.png" },
    { "runs", 0, 0, G_OPTION_ARG_FILENAME, &o.runs,
      "Warn of areas for training that runs in this folder tested on (the window's runs)", "FOLDER" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &o.json, "Print the summary as JSON", NULL },
    G_OPTION_ENTRY_NULL
  };
  GOptionContext *context = urb_cli_options_new (
    "MAP... --out FILE",
    "Chooses the areas of highest variance of a map, splits them by place into training and "
    "testing, and writes them as a dataset.", entries);
  g_autoptr(UrbMap) map = NULL;
  g_autoptr(UrbCuration) curation = NULL;
  g_autoptr(GError) error = NULL;
  UrbMapOptions map_options;
  const char *const *sources;
  gboolean done;

  urb_cli_map_options_add (&o.map, context);
  urb_setting_args_add (o.args, context);
  if (!urb_cli_parse (context, &argc, &argv))
    return URB_EXIT_USAGE;
  if (argc < 2 || o.out == NULL)
    return urb_cli_fail_usage (argc < 2 ? "which map?" : "where to? Give '--out FILE'");
  if (o.fill && o.no_fill)
    return urb_cli_fail_usage ("--fill-uncovered and --no-fill-uncovered contradict each other");
  sources = (const char *const *) argv + 1;
  if (!urb_cli_map_options_apply (&o.map, &sources, &map_options))
    return URB_EXIT_USAGE;
  if (o.like != NULL && !urb_how_made_read (&o.made, o.like, &error))
    return urb_cli_fail (error);
  if (o.like != NULL && !urb_cli_map_options_follow (&o.map, &o.made.map, o.like, sources, &map_options, &error))
    return urb_cli_fail (error);
  if (!apply_settings (&o, &error))
    return urb_cli_fail (error);
  done = curate (&o, &map_options, sources, &map, &curation, &error);
  urb_cli_progress_done ();
  if (!done)
    return urb_cli_fail (error);
  print_warnings (map, curation);
  if (o.json)
    {
      g_autofree char *recipe = urb_curation_dup_recipe (curation, map, sources);

      g_print ("%s\n", recipe);
    }
  else
    print_summary (&o, curation);
  return URB_EXIT_OK;
}
