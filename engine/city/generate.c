/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generate.c - from a checkpoint to files of cities.
 */
#include "city/generate.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include "base/durable.h"
#include "base/free-path.h"
#include "city/plan-drawing.h"
#include "city/tile-vectors.h"
#include "dataset/sample-grid.h"

enum { BATCH = 16, MAX_WALL = 144, PLAN_PX = 768, WALL_TILE_PX = 128 };

typedef struct
{
  const UrbGenerateOptions *options;
  UrbGenerateSummary       *summary;
  UrbSampler               *sampler;
  char                     *folder;  /* (nullable) owned; for pictures of single cities */
  char                     *wall;    /* (nullable) owned; path */
  GPtrArray                *writers; /* UrbCityWriter, owned */
  guint8                   *wall_levels; /* (nullable) owned */
  gint64                    n_wall;
} Job;

/* ------------------------------------------------------------------------ */
/* Formats by name                                                           */

static const struct { const char *name; UrbOutputs output; } known[] = {
  { "png", URB_OUTPUT_PNG }, { "gpkg", URB_OUTPUT_GPKG },
  { "geojson", URB_OUTPUT_GEOJSON }, { "svg", URB_OUTPUT_SVG }, { "dxf", URB_OUTPUT_DXF },
};

/* What stands behind the last dot of the name; NULL for a folder: one that
 * exists, or a name without a suffix ("cities", ".hidden", "v1.d/", ".."). */
static const char *
find_suffix (const char *out)
{
  const char *slash = strrchr (out, '/'), *name = slash != NULL ? slash + 1 : out;
  const char *dot = strrchr (name, '.');

  if (dot == NULL || dot == name || dot[1] == '\0' || g_file_test (out, G_FILE_TEST_IS_DIR))
    return NULL;
  return dot + 1;
}

/* The format of a single file; 0 for a folder and for what is not known. */
static UrbOutputs
get_file_output (const char *out)
{
  const char *suffix = find_suffix (out);

  for (gsize i = 0; i < G_N_ELEMENTS (known) && suffix != NULL; i++)
    if (strcmp (suffix, known[i].name) == 0)
      return known[i].output;
  return 0;
}

gboolean
urb_generate_out_is_file (const char *out)
{
  return get_file_output (out) != 0;
}

gboolean
urb_generate_check_out (const char *out, UrbOutputs outputs, gboolean wall_only, GError **error)
{
  UrbOutputs output = get_file_output (out);

  if (find_suffix (out) == NULL)
    {
      if (!wall_only || outputs == 0 || outputs == URB_OUTPUT_PNG)
        return TRUE;
      g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS,
                   "A wall is a PNG image and nothing else: leave out --wall or --format.");
    }
  else if (output == 0)
    g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS,
                 "'%s' has no suffix that is known: choose .gpkg, .geojson, .svg, .dxf or .png "
                 "(a wall), or name a folder, without a suffix.", out);
  else if (wall_only && output != URB_OUTPUT_PNG)
    g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS,
                 "A wall is a PNG image: '%s' should end in .png, or be a folder.", out);
  else if (outputs != 0 && outputs != output)
    g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS,
                 "--format does not fit the one file '%s': name a folder, or leave out --format.",
                 out);
  else
    return TRUE;
  return FALSE;
}

UrbOutputs
urb_outputs_parse (const char *text, GError **error)
{
  g_auto(GStrv) words = g_strsplit (text, ",", -1);
  UrbOutputs outputs = 0;

  for (guint i = 0; words[i] != NULL; i++)
    {
      UrbOutputs before = outputs;

      for (gsize k = 0; k < G_N_ELEMENTS (known); k++)
        if (strcmp (g_strstrip (words[i]), known[k].name) == 0)
          outputs |= known[k].output;
      if (outputs == before && !(words[i][0] == '\0' && i > 0))
        {
          g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS,
                       "There is no format '%s': choose among png, gpkg, geojson, svg and dxf.",
                       words[i]);
          return 0;
        }
    }
  return outputs;
}

/* ------------------------------------------------------------------------ */
/* What is there already                                                     */

static char *
name_picture (gint64 number)
{
  return g_strdup_printf ("city-%04" G_GINT64_FORMAT ".png", number);
}

/* Of a name that name_picture() gave; else 0. */
static gint64
parse_picture (const char *name)
{
  gint64 number = g_str_has_prefix (name, "city-")
                    ? g_ascii_strtoll (name + strlen ("city-"), NULL, 10) : 0;
  g_autofree char *same = name_picture (number);

  return number > 0 && strcmp (same, name) == 0 ? number : 0;
}

static UrbOutputs
get_folder_outputs (const UrbGenerateOptions *options)
{
  if (options->outputs != 0)
    return options->outputs;
  return URB_OUTPUT_PNG | (urb_city_writer_has_gpkg () ? URB_OUTPUT_GPKG : URB_OUTPUT_GEOJSON);
}

/* Whether files of such @outputs in a folder have this name. */
static gboolean
is_output_name (const char *name, UrbOutputs outputs)
{
  if ((outputs & URB_OUTPUT_PNG) && (strcmp (name, "wall.png") == 0 || parse_picture (name) > 0))
    return TRUE;
  if (!g_str_has_prefix (name, "cities."))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    if (known[i].output != URB_OUTPUT_PNG && (outputs & known[i].output)
        && strcmp (name + strlen ("cities."), known[i].name) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
check_free (const UrbGenerateOptions *options, GError **error)
{
  g_autoptr(GDir) folder = NULL;
  UrbOutputs outputs = get_folder_outputs (options);
  const char *name;

  if (options->replace)
    return TRUE;
  if (get_file_output (options->out) != 0)
    return urb_free_path_check (options->out, "; choose another name, or replace it with --force",
                                error);
  folder = g_dir_open (options->out, 0, NULL);
  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    if (is_output_name (name, outputs))
      {
        g_autofree char *path = g_build_filename (options->out, name, NULL);

        if (!urb_free_path_check (path, "; choose another folder, or replace its cities with --force",
                                  error))
          return FALSE;
      }
  return TRUE;
}

/* Cities of an earlier set must not lie among the new ones. */
static gboolean
remove_other_pictures (Job *job, GError **error)
{
  const UrbGenerateOptions *options = job->options;
  g_autoptr(GDir) folder = g_dir_open (options->out, 0, error);
  const char *name;

  if (folder == NULL)
    return FALSE;
  while ((name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *path = g_build_filename (options->out, name, NULL);
      gint64 number = parse_picture (name);

      if (number == 0 || (number > options->first && number <= options->first + options->count))
        continue;
      if (g_unlink (path) != 0)
        {
          g_set_error (error, G_FILE_ERROR, (int) g_file_error_from_errno (errno),
                       "'%s' could not be removed: %s.", path, g_strerror (errno));
          return FALSE;
        }
      job->summary->n_removed++;
    }
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* Where to                                                                  */

static gboolean
add_writer (Job *job, const char *path, GError **error)
{
  const UrbGenerateOptions *options = job->options;
  double size_m = urb_sampler_get_info (job->sampler)->area_size_m;
  UrbCityLayout layout;
  UrbCityWriter *writer;

  urb_city_layout_init (&layout, options->count, size_m, size_m);
  layout.n_columns = options->n_columns;
  layout.origin_x = options->place_x;
  layout.origin_y = options->place_y;
  layout.epsg = options->epsg;
  writer = urb_city_writer_new (path, &layout, error);
  if (writer == NULL)
    return FALSE;
  g_ptr_array_add (job->writers, writer);
  return TRUE;
}

static gboolean
add_writer_in (Job *job, const char *folder, const char *name, GError **error)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  return add_writer (job, path, error);
}

static gboolean
open_folder (Job *job, GError **error)
{
  UrbOutputs outputs = get_folder_outputs (job->options);
  const char *out = job->options->out;
  int code = urb_durable_make_folders (out, 0777);
  if (code != 0)
    {
      g_set_error (error, G_FILE_ERROR, (int) g_file_error_from_errno (code),
                   "The folder '%s' could not be made: %s.", out, g_strerror (code));
      return FALSE;
    }
  if (outputs & URB_OUTPUT_PNG)
    {
      if (!remove_other_pictures (job, error))
        return FALSE;
      job->folder = g_strdup (out);
      job->wall = g_build_filename (out, "wall.png", NULL);
    }
  return (!(outputs & URB_OUTPUT_GPKG) || add_writer_in (job, out, "cities.gpkg", error))
         && (!(outputs & URB_OUTPUT_GEOJSON) || add_writer_in (job, out, "cities.geojson", error))
         && (!(outputs & URB_OUTPUT_SVG) || add_writer_in (job, out, "cities.svg", error))
         && (!(outputs & URB_OUTPUT_DXF) || add_writer_in (job, out, "cities.dxf", error));
}

static gboolean
open_outputs (Job *job, GError **error)
{
  const char *out = job->options->out;
  UrbOutputs output = get_file_output (out);

  if (!urb_generate_check_out (out, 0, FALSE, error))
    return FALSE;
  if (output == 0)
    return open_folder (job, error);
  if (output != URB_OUTPUT_PNG)
    return add_writer (job, out, error);
  job->wall = g_strdup (out);
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* One city                                                                  */

static void
sum_up (UrbGenerateSummary *summary, const UrbVectorQuality *quality)
{
  summary->n_cities++;
  summary->n_buildings += quality->n_buildings;
  summary->n_straight += quality->n_straight;
  summary->n_corners += quality->n_corners;
  summary->n_square_corners += quality->n_square_corners;
  summary->n_invalid += quality->n_invalid;
  summary->n_vertices += quality->n_vertices;
  summary->agreement += (quality->agreement - summary->agreement) / (double) summary->n_cities;
}

static gboolean
write_city (Job *job, gint64 number, const UrbCityVectors *vectors, GError **error)
{
  g_autofree char *name = name_picture (number + 1);
  g_autofree char *path = NULL;

  for (guint i = 0; i < job->writers->len; i++)
    if (!urb_city_writer_add (job->writers->pdata[i], vectors, number + 1, job->options->seed,
                              error))
      return FALSE;
  if (job->folder == NULL)
    return TRUE;
  path = g_build_filename (job->folder, name, NULL);
  return urb_city_write_png (path, vectors, PLAN_PX, error);
}

static gboolean
take_city (Job *job, gint64 number, const guint8 *levels, GError **error)
{
  const UrbSamplerInfo *info = urb_sampler_get_info (job->sampler);
  gsize tile = (gsize) info->size_px * (gsize) info->size_px * (gsize) info->n_channels;
  g_autoptr(UrbCityVectors) vectors = NULL;

  if (job->wall_levels != NULL && job->n_wall < MAX_WALL)
    memcpy (job->wall_levels + (gsize) job->n_wall++ * tile, levels, tile);
  if (job->folder == NULL && job->writers->len == 0)
    {
      job->summary->n_cities++;
      return TRUE;
    }
  vectors = urb_city_vectors_from_levels (levels, info->size_px, info->n_channels,
                                          info->area_size_m, job->options->keep_specks);
  sum_up (job->summary, &vectors->quality);
  return write_city (job, number, vectors, error);
}

static gboolean
take_all (Job *job, UrbProgressFunc progress, gpointer user_data, GCancellable *cancellable,
          GError **error)
{
  const UrbSamplerInfo *info = urb_sampler_get_info (job->sampler);
  const UrbGenerateOptions *options = job->options;
  gsize tile = (gsize) info->size_px * (gsize) info->size_px * (gsize) info->n_channels;
  g_autofree guint8 *levels = g_malloc (tile * BATCH);

  for (gint64 done = 0; done < options->count; done += BATCH)
    {
      gint64 n = MIN (BATCH, options->count - done), first = options->first + done;

      if (!urb_sampler_generate (job->sampler, options->seed, first, n, levels, error))
        return FALSE;
      for (gint64 i = 0; i < n; i++)
        {
          if (g_cancellable_set_error_if_cancelled (cancellable, error)
              || !take_city (job, first + i, levels + (gsize) i * tile, error))
            return FALSE;
          if (progress != NULL)
            progress ((double) (done + i + 1) / (double) options->count, "Drafting cities",
                      user_data);
        }
    }
  return TRUE;
}

static gboolean
finish (Job *job, GError **error)
{
  const UrbSamplerInfo *info = urb_sampler_get_info (job->sampler);

  for (guint i = 0; i < job->writers->len; i++)
    if (!urb_city_writer_finish (job->writers->pdata[i], error))
      return FALSE;
  return job->wall == NULL
         || urb_sample_grid_write_png (job->wall, job->wall_levels, job->n_wall, info->size_px,
                                info->n_channels, job->options->n_columns,
                                (WALL_TILE_PX + info->size_px - 1) / info->size_px, error);
}

gboolean
urb_generate (const UrbGenerateOptions *options, UrbGenerateSummary *summary,
              UrbProgressFunc progress, gpointer user_data, GCancellable *cancellable,
              GError **error)
{
  Job job = { .options = options, .summary = summary };
  gboolean done = FALSE;

  *summary = (UrbGenerateSummary) { 0 };
  if (!check_free (options, error))
    return FALSE;
  job.sampler = urb_sampler_open (options->checkpoint, &options->on, error);
  if (job.sampler == NULL)
    return FALSE;
  summary->area_size_m = urb_sampler_get_info (job.sampler)->area_size_m;
  summary->size_px = urb_sampler_get_info (job.sampler)->size_px;
  job.writers = g_ptr_array_new_with_free_func ((GDestroyNotify) urb_city_writer_free);
  if (open_outputs (&job, error))
    {
      const UrbSamplerInfo *info = urb_sampler_get_info (job.sampler);
      gsize tile = (gsize) info->size_px * (gsize) info->size_px * (gsize) info->n_channels;

      if (job.wall != NULL)
        job.wall_levels = g_malloc (tile * (gsize) CLAMP (options->count, 1, MAX_WALL));
      done = take_all (&job, progress, user_data, cancellable, error) && finish (&job, error);
    }
  g_ptr_array_unref (job.writers);
  g_free (job.wall_levels);
  g_free (job.folder);
  g_free (job.wall);
  urb_sampler_free (job.sampler);
  return done;
}
