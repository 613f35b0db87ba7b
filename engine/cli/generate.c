/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generate.c - urbarium-engine generate: generates new cities from a checkpoint.
 */
#include <stdio.h>
#include <string.h>

#include "base/durable.h"
#include "base/json-build.h"
#include "city/generate.h"
#include "cli/cli.h"
#include "city/tile-vectors.h"
#include "cli/place-options.h"
#include "cli/sampler-options.h"

typedef struct
{
  gint64   count, first, seed;
  char    *out, *format, *areas, *keep; /* owned */
  int      n_columns, film;
  char    *shares[UK_N_SHARES]; /* (nullable) owned */
  gboolean wall, force, keep_specks, json;
  UrbCliSamplerOptions sampler;
  UrbCliPlaceOptions place;
} Options;

static void
options_clear (Options *self)
{
  g_free (self->out);
  g_free (self->format);
  g_free (self->areas);
  g_free (self->keep);
  for (int i = 0; i < UK_N_SHARES; i++)
    g_free (self->shares[i]);
  urb_cli_sampler_options_clear (&self->sampler);
  urb_cli_place_options_clear (&self->place);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

enum { N_CITIES = 16, N_PROPOSALS = 6, N_FILM_CITIES = 2, NO_FILM = G_MININT };

/* Returns: FALSE after printing an error */
static gboolean
parse_areas (const Options *given, UrbGenerateOptions *options)
{
  g_autoptr(GError) error = NULL;
  int end = 0;

  if (sscanf (given->areas, "%dx%d%n", &options->n_cols, &options->n_rows, &end) != 2
      || given->areas[end] != '\0')
    urb_cli_fail_usage ("--areas must be WIDTHxHEIGHT in areas, such as 3x2");
  else if (!urb_city_check_areas (options->n_cols, options->n_rows, &error))
    urb_cli_fail_usage ("--areas %s: %s", given->areas, error->message);
  else if (given->wall)
    urb_cli_fail_usage ("--wall shows cities of one area: remove --wall or --areas");
  else if (options->count > 1 && g_str_has_suffix (given->out, ".png"))
    urb_cli_fail_usage ("'%s' shows one city: remove --count, or choose a folder", given->out);
  else
    return TRUE;
  return FALSE;
}

/* "20%" or "20".  Returns: FALSE after printing an error */
static gboolean
parse_share (const char *option, const char *text, double *share)
{
  char *end = NULL;
  double percent = g_ascii_strtod (text, &end);

  while (g_ascii_isspace (*end))
    end++;
  if (end != text && (*end == '\0' || strcmp (end, "%") == 0) && percent >= 0 && percent <= 100)
    {
      *share = percent / 100;
      return TRUE;
    }
  urb_cli_fail_usage ("--%s must be a percentage from 0 to 100, such as 20%%", option);
  return FALSE;
}

static void
add_proposals (JsonBuilder *json, const UrbGenerateSummary *summary)
{
  urb_json_add_double (json, "given", summary->given);
  json_builder_set_member_name (json, "proposals");
  json_builder_begin_array (json);
  for (int i = 0; i < summary->n_proposals; i++)
    {
      const UrbProposal *proposal = &summary->proposals[i];

      json_builder_begin_object (json);
      urb_json_add_double (json, "loss", proposal->loss);
      urb_json_add_double (json, "met", proposal->met);
      for (int c = 0; c < URB_N_CLASSES; c++)
        {
          g_autofree char *name = g_strdup_printf ("met_%s", urb_class_get_name ((UrbClass) c));

          urb_json_add_double (json, name, proposal->met_class[c]);
        }
      urb_json_add_double (json, "kept", proposal->kept);
      urb_json_add_double (json, "connected", proposal->connected);
      json_builder_end_object (json);
    }
  json_builder_end_array (json);
}

static void
print_proposals (const UrbGenerateSummary *summary)
{
  printf ("%.1f %% of the area stays\n%8s %18s %15s %22s\n", 100 * summary->given, "proposal",
          "drawn as given", "in the plan", "new streets connected");
  for (int i = 0; i < summary->n_proposals; i++)
    printf ("%8d %16.1f %% %13.1f %% %20.1f %%\n", i + 1, 100 * summary->proposals[i].met,
            100 * summary->proposals[i].kept, 100 * summary->proposals[i].connected);
}

static void
print_summary (const UrbGenerateSummary *summary, const Options *options)
{
  double straight = 100.0 * (double) summary->n_straight / (double) MAX (summary->n_buildings, 1);
  double square = 100.0 * (double) summary->n_square_corners / (double) MAX (summary->n_corners, 1);

  if (options->json)
    {
      JsonBuilder *json = urb_json_new ();
      g_autofree char *text = NULL;

      urb_json_add_int (json, "cities", summary->n_cities);
      if (summary->n_frames > 0)
        urb_json_add_int (json, "frames", summary->n_frames);
      if (summary->n_removed > 0)
        urb_json_add_int (json, "removed", summary->n_removed);
      urb_json_add_double (json, "size_m", summary->area_size_m);
      urb_json_add_double (json, "width_m", summary->width_m);
      urb_json_add_double (json, "height_m", summary->height_m);
      urb_json_add_int (json, "size_px", summary->size_px);
      if (summary->n_vertices > 0)
        {
          urb_json_add_int (json, "buildings", summary->n_buildings);
          urb_json_add_int (json, "straight", summary->n_straight);
          urb_json_add_int (json, "corners", summary->n_corners);
          urb_json_add_int (json, "square_corners", summary->n_square_corners);
          urb_json_add_int (json, "vertices", summary->n_vertices);
          urb_json_add_int (json, "invalid", summary->n_invalid);
          urb_json_add_int (json, "missing", summary->n_missing);
          urb_json_add_double (json, "agreement", summary->agreement);
        }
      if (summary->n_proposals > 0)
        add_proposals (json, summary);
      text = urb_json_end (json);
      printf ("%s\n", text);
      return;
    }
  if (summary->n_frames > 0)
    printf ("A film of %" G_GINT64_FORMAT " images through ", summary->n_frames);
  printf ("%" G_GINT64_FORMAT " %s of %.0f m x %.0f m in %s\n", summary->n_cities,
          summary->n_cities == 1 ? "city" : "cities", summary->width_m, summary->height_m,
          options->out);
  if (summary->n_removed > 0)
    printf ("%" G_GINT64_FORMAT " %s of %s deleted\n", summary->n_removed,
            summary->n_removed == 1 ? "image" : "images", summary->n_frames > 0 ? "an earlier film" : "earlier cities");
  if (summary->n_vertices > 0)
    printf (
      "%" G_GINT64_FORMAT " %s, %.0f %% with straight walls; %.0f %% of their corners are "
      "right angles\nvectors agree with %.1f %% of the pixels; invalid polygons: %" G_GINT64_FORMAT
      "\n",
      summary->n_buildings, summary->n_buildings == 1 ? "building" : "buildings", straight,
      square, 100 * summary->agreement, summary->n_invalid);
  if (summary->n_missing > 0)
    printf ("shapes that could not be made and are missing: %" G_GINT64_FORMAT "\n", summary->n_missing);
  if (summary->n_proposals > 0)
    print_proposals (summary);
}

/* Returns: FALSE after printing an error */
static gboolean
check_film (const Options *self)
{
  g_autoptr(GError) error = NULL;

  if (self->film < 1 || self->film > URB_FILM_MAX_STEPS)
    urb_cli_fail_usage ("--film must be 1 to %d", URB_FILM_MAX_STEPS);
  else if (self->count < 2 || self->count > URB_FILM_MAX_CITIES)
    urb_cli_fail_usage ("a film goes through 2 to %d cities: change --count", URB_FILM_MAX_CITIES);
  else if (self->areas != NULL || self->keep != NULL || self->wall || self->format != NULL || self->n_columns > 0
           || self->place.place != NULL || self->place.angle_deg != 0)
    urb_cli_fail_usage ("a film shows cities of one area, one after the other: remove --areas, --keep, --wall, --format, "
                        "--columns, --place and --rotate");
  else if (!urb_generate_check_film_out (self->out, &error))
    urb_cli_fail_usage ("%s", error->message);
  else
    return TRUE;
  return FALSE;
}

static int
check_and_run (const Options *given, const char *checkpoint)
{
  UrbShareWish wish = URB_SHARES_AS_IN_DATA;
  UrbGenerateOptions options = { .checkpoint = checkpoint, .seed = (guint64) given->seed,
                                 .first = given->first - 1, .count = given->count,
                                 .out = given->out, .n_columns = given->n_columns,
                                 .replace = given->force, .keep_specks = given->keep_specks,
                                 .keep = given->keep, .shares = &wish };
  UrbGenerateSummary summary = { 0 };
  g_autoptr(GError) error = NULL;
  g_autofree char *grid_path = NULL;

  if (!urb_cli_sampler_options_apply (&given->sampler, &options.on, &error))
    return urb_cli_fail (error);
  if (given->areas != NULL && !parse_areas (given, &options))
    return URB_EXIT_USAGE;
  for (int i = 0; i < UK_N_SHARES; i++)
    if (given->shares[i] != NULL
        && !parse_share (urb_share_names[i], given->shares[i], &wish.share[i]))
      return URB_EXIT_USAGE;
  if (!urb_cli_place_options_apply (&given->place, &options.place))
    return URB_EXIT_USAGE;
  if (given->format != NULL)
    {
      options.outputs = urb_outputs_parse (given->format, &error);
      if (options.outputs == 0)
        return urb_cli_fail_usage ("%s", error->message);
    }
  if (given->film == NO_FILM && !urb_generate_check_out (given->out, options.outputs, given->wall, &error))
    return urb_cli_fail_usage ("%s", error->message);
  if (given->wall && !urb_generate_out_is_file (given->out))
    {
      if (!urb_durable_make_folders (given->out, 0777, &error))
        return urb_cli_fail (error);
      options.out = grid_path = g_build_filename (given->out, "wall.png", NULL);
    }
  if (!(given->film != NO_FILM
          ? urb_generate_film (&options, given->film, &summary, urb_cli_progress, NULL, urb_cli_get_cancellable (), &error)
          : urb_generate (&options, &summary, urb_cli_progress, NULL, urb_cli_get_cancellable (), &error)))
    return urb_cli_fail (error);
  urb_cli_progress_done ();
  if (summary.warning != NULL)
    g_printerr ("Note: %s\n", summary.warning);
  g_free (summary.warning);
  print_summary (&summary, given);
  return URB_EXIT_OK;
}

int
urb_cli_generate (int argc, char **argv)
{
  g_auto(Options) options = { .count = G_MININT64, .first = 1, .seed = 1, .n_columns = G_MININT, .film = NO_FILM };
  const GOptionEntry entries[] = {
    { "out", 'o', 0, G_OPTION_ARG_FILENAME, &options.out,
      "A folder, or a file: .gpkg, .geojson, .svg, .dxf, .city.json, .png for a sample grid, .webm for a film", "PATH" },
    { "count", 'n', 0, G_OPTION_ARG_INT64, &options.count,
      "Number of cities (16; with --areas 1, with --keep 6)", "N" },
    { "areas", 'a', 0, G_OPTION_ARG_STRING, &options.areas,
      "Areas of a city, drawn as one plan: 3x2 is 3 wide and 2 high (1x1)", "WxH" },
    { "seed", 's', 0, G_OPTION_ARG_INT64, &options.seed, "The same seed gives the same cities (1)",
      "S" },
    { "first", 0, 0, G_OPTION_ARG_INT64, &options.first,
      "Start with city number K of the seed (1)", "K" },
    { "built", 0, 0, G_OPTION_ARG_STRING, &options.shares[URB_SHARE_BUILT],
      "Share of each area that is built (as in the data)", "P%" },
    { "roads", 0, 0, G_OPTION_ARG_STRING, &options.shares[URB_SHARE_ROAD],
      "Share of each area that is road (as in the data)", "P%" },
    { "halls", 0, 0, G_OPTION_ARG_STRING, &options.shares[URB_SHARE_LARGE],
      "Share of each area that large buildings fill (as in the data)", "P%" },
    { "format", 'f', 0, G_OPTION_ARG_STRING, &options.format,
      "Formats for a folder: png, gpkg, geojson, svg, dxf, city.json, separated by commas (png,gpkg)",
      "LIST" },
    { "wall", 'w', 0, G_OPTION_ARG_NONE, &options.wall,
      "Write only a sample grid of all cities to the folder, wall.png", NULL },
    { "film", 0, 0, G_OPTION_ARG_INT, &options.film,
      "Film the way from each city to the next in N images: a .webm file, or a folder of images", "N" },
    { "columns", 'c', 0, G_OPTION_ARG_INT, &options.n_columns,
      "Cities per row of the sample grid and of the vectors", "N" },
    { "keep", 'k', 0, G_OPTION_ARG_FILENAME, &options.keep,
      "Streets and buildings that stay: draw proposals for the rest of the area. A vector file, or a "
      "PNG whose transparent pixels are free", "FILE" },
    { "force", 0, 0, G_OPTION_ARG_NONE, &options.force,
      "Replace an existing file, or all cities in a folder", NULL },
    { "keep-specks", 0, 0, G_OPTION_ARG_NONE, &options.keep_specks,
      "Keep buildings, yards and bits of road of any size", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "Print the summary as JSON", NULL },
    G_OPTION_ENTRY_NULL
  };
  GOptionContext *context = urb_cli_options_new (
    "RUN|CHECKPOINT --out FOLDER|FILE",
    "Generates new cities: images, and plans in meters for GIS and CAD.", entries);

  urb_cli_place_options_add (&options.place, context);
  urb_cli_sampler_options_add (&options.sampler, context);
  if (!urb_cli_parse (context, &argc, &argv))
    return URB_EXIT_USAGE;
  if (argc != 2)
    return urb_cli_fail_usage ("specify a run folder or a checkpoint");
  if (options.count == G_MININT64)
    options.count = options.keep != NULL ? N_PROPOSALS : options.film != NO_FILM ? N_FILM_CITIES : options.areas != NULL ? 1 : N_CITIES;
  if (options.n_columns == G_MININT)
    options.n_columns = 0; /* chosen by the number of cities */
  else if (options.n_columns < 1)
    return urb_cli_fail_usage ("--columns must be positive");
  if (options.seed < 0)
    return urb_cli_fail_usage ("--seed must not be negative");
  if (options.out == NULL)
    return urb_cli_fail_usage ("specify the output with --out");
  if (options.film != NO_FILM && !check_film (&options))
    return URB_EXIT_USAGE;
  if (options.film == NO_FILM && urb_generate_out_is_film (options.out))
    return urb_cli_fail_usage ("'%s' is a film: say how many images lead from a city to the next, such as --film 64",
                               options.out);
  if (options.keep != NULL && options.areas != NULL)
    return urb_cli_fail_usage ("--keep draws proposals for one area; remove --areas");
  if (options.keep != NULL && (options.count > URB_PROPOSALS_MAX || options.first != 1))
    return urb_cli_fail_usage ("with --keep, --count must be 1 to %d, and --first is not used; another "
                               "--seed gives other proposals", URB_PROPOSALS_MAX);
  if (options.keep != NULL && options.place.angle_deg != 0)
    return urb_cli_fail_usage ("--rotate turns new plans; what stays of a site has its place: remove --rotate");
  if (options.count < 1 || options.count > 1000000 || options.first < 1
      || options.first > G_MAXINT32)
    return urb_cli_fail_usage ("--count must be 1 to 1000000, and --first positive");
  return check_and_run (&options, argv[1]);
}
