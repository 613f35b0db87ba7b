/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generate.c - generates cities from a checkpoint and writes them to files.
 */
#include "city/generate.h"

#include <string.h>

#include "base/durable.h"
#include "base/free-path.h"
#include "base/parallel-for.h"
#include "city/numbered-images.h"
#include "city/plan-drawing.h"
#include "city/tile-vectors.h"
#include "dataset/sample-grid.h"
#include "settings/run-config.h"
#include "train/wide-sampler.h"

enum { BATCH = 16, MAX_GRID_TILES = 144, PLAN_PX = 768, GRID_TILE_PX = 128 };

#define IMAGES "city"

typedef struct
{
  const UrbGenerateOptions *options;
  UrbGenerateSummary       *summary;
  UrbSampler               *sampler;
  UrbWideSampler           *wide;    /* (nullable) owned; for several areas */
  int                       n_cols, n_rows; /* areas of a city */
  gsize                     tile_bytes; /* of a city */
  char                     *folder;  /* (nullable) owned; for images of single cities */
  char                     *grid_path; /* (nullable) owned; of the sample grid */
  const char               *plan_path; /* (nullable) borrowed; of the only city */
  GPtrArray                *writers; /* UrbCityWriter, owned */
  UrbSite                  *site;        /* (nullable) owned */
  const UrbProvenance      *provenance;  /* borrowed */
  guint8                   *grid_levels; /* (nullable) owned */
  gint64                    n_grid_tiles;
} Job;

/* ------------------------------------------------------------------------ */
/* Formats by name                                                           */

static const struct { const char *name; UrbOutputs output; } known[] = {
  { "png", URB_OUTPUT_PNG }, { "gpkg", URB_OUTPUT_GPKG },
  { "geojson", URB_OUTPUT_GEOJSON }, { "svg", URB_OUTPUT_SVG }, { "dxf", URB_OUTPUT_DXF },
  { "city.json", URB_OUTPUT_CITYJSON },
};

/* The suffix after the last dot; NULL for a folder: an existing one, or a name without a suffix
 * ("cities", ".hidden", "v1.d/", ".."). */
static const char *
find_suffix (const char *out)
{
  const char *slash = strrchr (out, '/'), *name = slash != NULL ? slash + 1 : out;
  const char *dot = strrchr (name, '.');

  if (dot == NULL || dot == name || dot[1] == '\0' || g_file_test (out, G_FILE_TEST_IS_DIR))
    return NULL;
  return dot + 1;
}

/* The format of a single file; 0 for a folder or an unknown suffix. */
static UrbOutputs
get_file_output (const char *out)
{
  for (gsize i = 0; i < G_N_ELEMENTS (known) && find_suffix (out) != NULL; i++)
    {
      g_autofree char *ending = g_strconcat (".", known[i].name, NULL);

      if (g_str_has_suffix (out, ending))
        return known[i].output;
    }
  return 0;
}

gboolean
urb_generate_out_is_file (const char *out)
{
  return get_file_output (out) != 0;
}

gboolean
urb_generate_check_out (const char *out, UrbOutputs outputs, gboolean grid_only, GError **error)
{
  UrbOutputs output = get_file_output (out);

  if (find_suffix (out) == NULL)
    {
      if (!grid_only || outputs == 0 || outputs == URB_OUTPUT_PNG)
        return TRUE;
      g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS,
                   "--wall writes a PNG image only: remove --wall or --format.");
    }
  else if (output == 0)
    g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS,
                 "'%s' has no known suffix: choose .gpkg, .geojson, .svg, .dxf, .city.json or .png (a sample "
                 "grid), or a folder name without a suffix.", out);
  else if (grid_only && output != URB_OUTPUT_PNG)
    g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS,
                 "--wall writes a PNG image: choose a name ending in .png, or a folder, instead of "
                 "'%s'.", out);
  else if (outputs != 0 && outputs != output)
    g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS,
                 "--format conflicts with the file name '%s': choose a folder, or remove --format.",
                 out);
  else
    return TRUE;
  return FALSE;
}

gboolean
urb_generate_out_is_film (const char *out)
{
  return g_strcmp0 (find_suffix (out), "webm") == 0;
}

gboolean
urb_generate_check_film_out (const char *out, GError **error)
{
  if (find_suffix (out) == NULL || urb_generate_out_is_film (out))
    return TRUE;
  g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS,
               "'%s' is no film: choose a name ending in .webm, or a folder name without a suffix for its images.", out);
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
                       "Unknown format '%s': choose png, gpkg, geojson, svg, dxf or city.json.",
                       words[i]);
          return 0;
        }
    }
  return outputs;
}

/* ------------------------------------------------------------------------ */
/* Existing files                                                            */

static UrbOutputs
get_folder_outputs (const UrbGenerateOptions *options)
{
  if (options->outputs != 0)
    return options->outputs;
  return URB_OUTPUT_PNG | (urb_city_writer_has_gpkg () ? URB_OUTPUT_GPKG : URB_OUTPUT_GEOJSON);
}

/* Whether @outputs in a folder include a file of this name. */
static gboolean
is_output_name (const char *name, UrbOutputs outputs)
{
  if ((outputs & URB_OUTPUT_PNG) && (strcmp (name, "wall.png") == 0 || urb_numbered_image_parse (IMAGES, name) > 0))
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

/* ------------------------------------------------------------------------ */
/* Outputs                                                                   */

static gboolean
add_writer (Job *job, const char *path, GError **error)
{
  const UrbGenerateOptions *options = job->options;
  double size_m = urb_sampler_get_info (job->sampler)->area_size_m;
  UrbCityLayout layout;
  UrbCityWriter *writer;

  urb_city_layout_init (&layout, options->count, job->n_cols * size_m, job->n_rows * size_m);
  layout.n_columns = options->n_columns;
  layout.place = options->place;
  layout.provenance = job->provenance;
  /* In a drawing they would cover each other. */
  layout.is_stacked = options->keep != NULL && urb_place_is_known (&options->place) && !g_str_has_suffix (path, ".svg");
  writer = urb_city_writer_new (path, &layout, error);
  if (writer == NULL)
    return FALSE;
  g_ptr_array_add (job->writers, writer);
  return TRUE;
}

static gboolean
open_folder (Job *job, GError **error)
{
  UrbOutputs outputs = get_folder_outputs (job->options);
  const char *out = job->options->out;

  if (!urb_durable_make_folders (out, 0777, error))
    return FALSE;
  if (outputs & URB_OUTPUT_PNG)
    {
      if (!urb_numbered_images_remove_others (out, IMAGES, job->options->first + 1, job->options->first + job->options->count,
                                              &job->summary->n_removed, error))
        return FALSE;
      job->folder = g_strdup (out);
      if (job->wide == NULL)
        job->grid_path = g_build_filename (out, "wall.png", NULL);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    {
      g_autofree char *path = g_strdup_printf ("%s/cities.%s", out, known[i].name);

      if (known[i].output != URB_OUTPUT_PNG && (outputs & known[i].output)
          && !add_writer (job, path, error))
        return FALSE;
    }
  return TRUE;
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
  if (job->wide != NULL)
    job->plan_path = out;
  else
    job->grid_path = g_strdup (out);
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* One city                                                                  */

static void
add_to_summary (UrbGenerateSummary *summary, const UrbVectorQuality *quality)
{
  summary->n_cities++;
  summary->n_buildings += quality->n_buildings;
  summary->n_straight += quality->n_straight;
  summary->n_corners += quality->n_corners;
  summary->n_square_corners += quality->n_square_corners;
  summary->n_invalid += quality->n_invalid;
  summary->n_missing += quality->n_missing;
  summary->n_vertices += quality->n_vertices;
  summary->agreement += (quality->agreement - summary->agreement) / (double) summary->n_cities;
}

static UrbCityVectors *
vectorize (Job *job, const guint8 *levels)
{
  const UrbSamplerInfo *info = urb_sampler_get_info (job->sampler);

  if (job->site != NULL)
    return urb_city_vectors_from_site_levels (levels, info->size_px, info->base_px, info->n_channels,
                                              info->area_size_m, job->site->given,
                                              job->options->keep_specks);
  return urb_city_vectors_from_wide_levels (levels, job->n_cols, job->n_rows, info->size_px,
                                            info->base_px, info->n_channels, info->area_size_m,
                                            job->options->keep_specks);
}

/* Only a sample grid, or nothing, is made of the cities. */
static gboolean
needs_vectors (const Job *job)
{
  return job->folder != NULL || job->plan_path != NULL || job->writers->len > 0 || job->site != NULL;
}

/* @vectors: (nullable): unless needs_vectors() */
static gboolean
write_city (Job *job, gint64 number, const guint8 *levels, const UrbCityVectors *vectors, GError **error)
{
  g_autofree char *name = NULL, *path = NULL;

  if (job->grid_levels != NULL && job->n_grid_tiles < MAX_GRID_TILES)
    memcpy (job->grid_levels + (gsize) job->n_grid_tiles++ * job->tile_bytes, levels,
            job->tile_bytes);
  if (vectors == NULL)
    {
      job->summary->n_cities++;
      return TRUE;
    }
  add_to_summary (job->summary, &vectors->quality);
  if (job->site != NULL)
    urb_proposal_measure_plan (&job->summary->proposals[number], job->site, vectors);
  for (guint i = 0; i < job->writers->len; i++)
    if (!urb_city_writer_add (job->writers->pdata[i], vectors, number + 1, job->options->seed,
                              error))
      return FALSE;
  if (job->folder == NULL && job->plan_path == NULL)
    return TRUE;
  name = urb_numbered_image_dup_name (IMAGES, number + 1);
  path = job->folder == NULL ? NULL : g_build_filename (job->folder, name, NULL);
  return urb_city_write_png (path != NULL ? path : job->plan_path, vectors, PLAN_PX * job->n_rows, error);
}

/* Cities that are drawn as plans in parallel, which takes most of the time; they are written one by one, so the files do
 * not depend on the number of threads. */
typedef struct
{
  Job             *job;
  const guint8    *levels;  /* borrowed */
  UrbCityVectors **vectors; /* (out) */
} Drafts;

static void
vectorize_one (gint64 i, gpointer data)
{
  Drafts *drafts = data;

  drafts->vectors[i] = vectorize (drafts->job, drafts->levels + (gsize) i * drafts->job->tile_bytes);
}

/* @n: at most BATCH cities; @first: the number of the first, from 0 */
static gboolean
write_batch (Job *job, gint64 first, gint64 n, const guint8 *levels, UrbProgressFunc progress, gpointer user_data,
             GCancellable *cancellable, GError **error)
{
  const UrbGenerateOptions *options = job->options;
  UrbCityVectors *vectors[BATCH] = { NULL };
  Drafts drafts = { job, levels, vectors };
  gboolean good = TRUE;

  if (needs_vectors (job))
    urb_parallel_for (n, options->on.n_threads, vectorize_one, &drafts);
  for (gint64 i = 0; i < n; i++)
    {
      good = good && !g_cancellable_set_error_if_cancelled (cancellable, error)
             && write_city (job, first + i, levels + (gsize) i * job->tile_bytes, vectors[i], error);
      if (good && progress != NULL)
        progress ((double) (first + i + 1 - options->first) / (double) options->count, "Generating cities", user_data);
      g_clear_pointer (&vectors[i], urb_city_vectors_free);
    }
  return good;
}

static gboolean
draw (Job *job, gint64 first, gint64 n, guint8 *levels, GCancellable *cancellable, GError **error)
{
  return job->wide == NULL
           ? urb_sampler_generate (job->sampler, job->options->seed, first, n, levels, error)
           : urb_wide_sampler_generate (job->wide, job->options->seed, first, levels, cancellable,
                                        error);
}

static gboolean
open_site (Job *job, GError **error)
{
  const UrbGenerateOptions *options = job->options;
  const UrbSamplerInfo *info = urb_sampler_get_info (job->sampler);

  if (options->keep == NULL)
    return TRUE;
  job->site = urb_site_load (options->keep, &options->place, info->size_px, info->area_size_m, error);
  if (job->site == NULL)
    return FALSE;
  job->summary->given = urb_site_get_given_share (job->site);
  return TRUE;
}

static gboolean
write_proposals (Job *job, UrbProgressFunc progress, gpointer user_data, GCancellable *cancellable,
                 GError **error)
{
  const UrbGenerateOptions *options = job->options;
  g_autofree guint8 *levels = g_malloc (job->tile_bytes * (gsize) options->count);

  if (!urb_propose (job->sampler, job->site, options->seed, (int) options->count, levels,
                    job->summary->proposals, progress, user_data, cancellable, error))
    return FALSE;
  job->summary->n_proposals = (int) options->count;
  for (gint64 first = 0; first < options->count; first += BATCH)
    if (!write_batch (job, first, MIN (BATCH, options->count - first), levels + (gsize) first * job->tile_bytes, NULL, NULL, NULL,
                      error))
      return FALSE;
  return TRUE;
}

static gboolean
write_cities (Job *job, UrbProgressFunc progress, gpointer user_data, GCancellable *cancellable,
              GError **error)
{
  const UrbGenerateOptions *options = job->options;
  gint64 batch = job->wide == NULL ? BATCH : 1;
  g_autofree guint8 *levels = g_malloc (job->tile_bytes * (gsize) batch);

  for (gint64 done = 0; done < options->count; done += batch)
    {
      gint64 n = MIN (batch, options->count - done), first = options->first + done;

      if (!draw (job, first, n, levels, cancellable, error)
          || !write_batch (job, first, n, levels, progress, user_data, cancellable, error))
        return FALSE;
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
  return job->grid_path == NULL
         || urb_sample_grid_write_png (job->grid_path, job->grid_levels, job->n_grid_tiles,
                                       info->size_px, info->n_channels, job->options->n_columns,
                                       (GRID_TILE_PX + info->size_px - 1) / info->size_px, error);
}

static gboolean
open_wide (Job *job, GError **error)
{
  if (job->n_cols * job->n_rows > 1)
    {
      job->wide = urb_wide_sampler_new (job->sampler, job->n_cols, job->n_rows, error);
      return job->wide != NULL;
    }
  return TRUE;
}

/* What made the file, so that urb_verify() can make it again. */
static UrbProvenance *
dup_provenance (const UrbGenerateOptions *options, const UrbSamplerInfo *info)
{
  UrbProvenance *provenance = urb_provenance_new (info->checkpoint);
  g_autofree char *columns = options->n_columns > 0 ? g_strdup_printf ("%d", options->n_columns) : NULL;

  urb_provenance_add_seed (provenance, options->seed);
  if (options->shares != NULL)
    urb_provenance_add_shares (provenance, options->shares->share);
  urb_provenance_add_cities (provenance, options->first + 1, options->first + options->count, options->n_cols, options->n_rows);
  urb_provenance_add_place (provenance, &options->place);
  urb_provenance_add (provenance, "columns", columns);
  urb_provenance_add (provenance, "specks", options->keep_specks ? "kept" : NULL);
  urb_provenance_add (provenance, "site", options->keep != NULL ? "yes" : NULL);
  urb_provenance_add (provenance, "refined", options->on.no_refiner ? "no" : NULL);
  urb_provenance_add (provenance, "device", options->on.device != NULL ? options->on.device : "cpu");
  urb_provenance_add (provenance, "precision", options->on.precision != UK_FP32 ? urb_precision_names[options->on.precision] : NULL);
  return provenance;
}

gboolean
urb_generate (const UrbGenerateOptions *options, UrbGenerateSummary *summary,
              UrbProgressFunc progress, gpointer user_data, GCancellable *cancellable,
              GError **error)
{
  Job job = { .options = options, .summary = summary, .n_cols = MAX (options->n_cols, 1),
              .n_rows = MAX (options->n_rows, 1) };
  const UrbSamplerInfo *info;
  g_autoptr(UrbProvenance) own = NULL;
  gboolean done = FALSE;

  *summary = (UrbGenerateSummary) { 0 };
  if (!check_free (options, error))
    return FALSE;
  job.sampler = urb_sampler_open (options->checkpoint, &options->on, error);
  if (job.sampler == NULL)
    return FALSE;
  if (options->shares != NULL
      && !urb_sampler_ask (job.sampler, options->shares, &summary->warning, error))
    {
      urb_sampler_free (job.sampler);
      return FALSE;
    }
  info = urb_sampler_get_info (job.sampler);
  job.tile_bytes = (gsize) info->size_px * (gsize) info->size_px * (gsize) info->n_channels
                   * (gsize) (job.n_cols * job.n_rows);
  summary->area_size_m = info->area_size_m;
  summary->width_m = job.n_cols * info->area_size_m;
  summary->height_m = job.n_rows * info->area_size_m;
  summary->size_px = info->size_px;
  if (options->provenance == NULL)
    own = dup_provenance (options, info);
  job.provenance = own != NULL ? own : options->provenance;
  job.writers = g_ptr_array_new_with_free_func ((GDestroyNotify) urb_city_writer_free);
  if (open_wide (&job, error) && open_site (&job, error) && open_outputs (&job, error))
    {
      if (job.grid_path != NULL)
        job.grid_levels = g_malloc (job.tile_bytes
                                    * (gsize) CLAMP (options->count, 1, MAX_GRID_TILES));
      done = (job.site != NULL ? write_proposals : write_cities) (&job, progress, user_data,
                                                                  cancellable, error)
             && finish (&job, error);
    }
  g_ptr_array_unref (job.writers);
  g_clear_pointer (&job.site, urb_site_free);
  g_free (job.grid_levels);
  g_free (job.folder);
  g_free (job.grid_path);
  urb_wide_sampler_free (job.wide);
  urb_sampler_free (job.sampler);
  return done;
}
