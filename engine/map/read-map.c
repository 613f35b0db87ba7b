/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read-map.c - opens sources and reads them into a map, in this process.
 *
 * First all sources are opened and inspected, since the profile is detected from all
 * of them together; then each is read once (read-source.c), cleaned and indexed
 * (builder.c).
 */
#include "map/notes.h"

#include <glib/gi18n.h>

#include "map/ogr-private.h"
#include "map/vertex-block.h"

/* Further sources are closed after inspection and reopened for reading. */
#define MAX_OPEN_SOURCES 64

/* Where data formats that keep metadata as names and values tell their terms; the names are compared without case. */
static void
note_licence (UrbReader *self, GDALDatasetH dataset)
{
  static const char *const names[] = { "licence", "license", "map_licence", "attribution", "copyright", "rights" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const char *text = GDALGetMetadataItem (dataset, names[i], NULL);

      if (text != NULL && *text != '\0')
        urb_map_builder_add_licence (self->builder, text);
    }
}

static void
add_source (UrbReader *self, UrbSource *source)
{
  note_licence (self, source->dataset);
  if (source->trouble != NULL)
    urb_reader_note_damage (self, source, source->trouble);
  if (self->sources->len >= MAX_OPEN_SOURCES)
    g_clear_pointer (&source->dataset, GDALClose);
  g_ptr_array_add (self->sources, source);
}

static gboolean
open_server (UrbReader *self, GError **error)
{
  UrbSource *source = urb_source_open_server (self->address, urb_map_options_get_patience_s (self->options),
                                              self->profiles, error);

  if (source != NULL)
    add_source (self, source);
  return source != NULL;
}

/* @crs: (nullable): chosen for this path */
static gboolean
open_sources (UrbReader *self, const char *path, const char *crs, GError **error)
{
  g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
  g_autoptr(GError) last_error = NULL;
  guint before = self->sources->len;
  gboolean one;

  if (!urb_find_files (path, files, &one, error))
    return FALSE;
  for (guint i = 0; i < files->len; i++)
    {
      g_autoptr(GError) local_error = NULL;
      UrbSource *source = urb_source_open (g_ptr_array_index (files, i), self->profiles,
                                           &local_error);

      if (g_cancellable_set_error_if_cancelled (self->cancellable, error))
        {
          urb_source_free (source);
          return FALSE;
        }
      if (source == NULL)
        {
          urb_map_builder_warn (self->builder, "%s", local_error->message);
          g_clear_error (&last_error);
          last_error = g_steal_pointer (&local_error);
          continue;
        }
      source->crs = crs;
      add_source (self, source);
    }
  if (self->sources->len > before)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&last_error));
  return FALSE;
}

static gboolean
open_paths (UrbReader *self, const char *const *paths, GError **error)
{
  const char *const *crs = self->options->path_crs;

  for (; *paths != NULL; paths++)
    {
      const char *chosen = crs != NULL && *crs != NULL ? *crs++ : "";

      if (!open_sources (self, *paths, *chosen != '\0' ? chosen : NULL, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
load_profiles (UrbReader *self, GError **error)
{
  g_auto(GStrv) names = urb_profile_list ();
  const char *wanted[] = { self->options->profile, NULL };
  const char *const *name = self->options->profile != NULL ? wanted : (const char *const *) names;

  for (; *name != NULL; name++)
    {
      UrbProfile *profile = urb_profile_load (*name, error);
      if (profile == NULL)
        return FALSE;
      g_ptr_array_add (self->profiles, profile);
    }
  return TRUE;
}

static gboolean
load_layer_profiles (UrbReader *self, GError **error)
{
  for (gsize i = 0; i < self->options->n_layers; i++)
    {
      const UrbMapLayerOptions *layer = &self->options->layers[i];
      UrbProfile *profile;

      if (*layer->profile == '\0')
        continue;
      profile = urb_profile_load (layer->profile, error);
      if (profile == NULL)
        return FALSE;
      g_hash_table_insert (self->layer_profiles, (char *) layer->layer, profile);
    }
  return TRUE;
}

/* One damaged file of several is left out. */
static gboolean
read_source (UrbReader *self, UrbSource *source, GError **error)
{
  UrbMapMark mark = urb_map_builder_mark (self->builder);
  g_autoptr(GError) local_error = NULL;

  if (urb_reader_read_source (self, source, &local_error))
    return TRUE;
  if (self->sources->len > 1 && g_error_matches (local_error, URB_MAP_ERROR, URB_MAP_ERROR_READ))
    {
      urb_map_builder_rewind (self->builder, &mark);
      urb_map_builder_warn (self->builder, "%s", local_error->message);
      return TRUE;
    }
  g_propagate_error (error, g_steal_pointer (&local_error));
  return FALSE;
}

static gboolean
read_all (UrbReader *self, GError **error)
{
  self->profile = self->options->profile != NULL ? g_ptr_array_index (self->profiles, 0)
                                                 : urb_recognize (self->profiles, self->sources, self->builder);
  urb_map_builder_set_profile (self->builder, self->profile->name);
  if (self->profile->licence != NULL)
    urb_map_builder_add_licence (self->builder, self->profile->licence);
  self->crs = urb_crs_new (self->options, self->builder, error);
  if (self->crs == NULL)
    return FALSE;
  for (guint s = 0; s < self->sources->len; s++)
    {
      UrbSource *source = g_ptr_array_index (self->sources, s);
      for (guint i = 0; i < source->layers->len; i++)
        self->n_total += MAX (
          ((UrbSourceLayer *) g_ptr_array_index (source->layers, i))->n_features, 0);
    }
  for (guint s = 0; s < self->sources->len; s++)
    {
      UrbSource *source = g_ptr_array_index (self->sources, s);
      if (!read_source (self, source, error))
        return FALSE;
      g_clear_pointer (&source->dataset, GDALClose);
    }
  return TRUE;
}

static void
explain_outside (UrbReader *self, const char *path, GError **error)
{
  UrbBox box = self->outside;
  g_autofree char *extent = urb_crs_unproject (self->crs, &box) ? urb_clip_format (box, "%.9g") : NULL;

  if (extent != NULL)
    g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_EMPTY,
                 N_ ("'%s' has no object in the part %s. Its objects lie within %s. Choose another part with --clip."), path,
                 self->options->clip, extent);
  else
    g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_EMPTY,
                 N_ ("'%s' has no object in the part %s. Choose another part with --clip."), path, self->options->clip);
}

static UrbMap *
finish (UrbReader *self, const char *path, UrbMapClean purpose, GError **error)
{
  g_autoptr(UrbMap) map = NULL;

  if (self->progress != NULL)
    self->progress (1, "Checking the map", self->progress_data);
  if (self->n_outside > 0)
    urb_map_builder_warn (self->builder, self->n_outside == 1 ? URB_NOTE_OUTSIDE_ONE : URB_NOTE_OUTSIDE_MANY,
                          (long long) self->n_outside);
  map = urb_map_builder_finish (g_steal_pointer (&self->builder),
                                URB_MAP_CLEAN_DUPLICATES | URB_MAP_CLEAN_OUTLIERS | URB_MAP_CLEAN_SEAMS
                                  | purpose);
  if (map->n_polygons == 0)
    {
      if (self->damage != NULL)
        g_set_error_literal (error, URB_MAP_ERROR, URB_MAP_ERROR_READ, self->damage);
      else if (self->options->clip != NULL && self->n_inside == 0)
        explain_outside (self, path, error);
      else
        urb_map_explain_empty (map, path, error);
      return NULL;
    }
  urb_map_report_layers (map);
  if ((purpose & URB_MAP_TO_SEND) == 0)
    urb_map_report_areas (map);
  return g_steal_pointer (&map);
}

UrbMap *
urb_map_read (const char *const *paths, const UrbMapOptions *options, UrbMapClean purpose, int block,
              UrbProgressFunc progress, gpointer user_data, GCancellable *cancellable, GError **error)
{
  static const UrbMapOptions defaults = { 0 };
  g_auto(UrbGdalErrors) errors = { 0 };
  UrbReader reader = { .options = options != NULL ? options : &defaults,
                    .errors = &errors,
                    .progress = progress,
                    .progress_data = user_data,
                    .cancellable = cancellable,
                    .outside = URB_BOX_EMPTY };
  UrbMap *map = NULL;
  gint64 capacity;
  double *xy = urb_vertex_block_open (block, &capacity);
  gboolean is_read;

  g_return_val_if_fail (paths != NULL && paths[0] != NULL, NULL);
  urb_register_drivers ();
  urb_gdal_errors_push (&errors);
  reader.builder = urb_map_builder_new ();
  if (xy != NULL)
    urb_map_builder_use_block (reader.builder, xy, capacity);
  reader.profiles = g_ptr_array_new_with_free_func ((GDestroyNotify) urb_profile_free);
  reader.sources = g_ptr_array_new_with_free_func ((GDestroyNotify) urb_source_free);
  reader.layer_profiles
    = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) urb_profile_free);
  is_read = load_profiles (&reader, error) && load_layer_profiles (&reader, error);
  if (is_read && reader.options->address != NULL)
    is_read = (reader.address = urb_map_address_parse (reader.options->address, error)) != NULL
              && open_server (&reader, error);
  else
    is_read = is_read && open_paths (&reader, paths, error);
  is_read = is_read && read_all (&reader, error);
  if (is_read)
    map = finish (&reader, paths[0], purpose, error);
  g_free (reader.damage);
  urb_crs_free (reader.crs);
  g_ptr_array_unref (reader.sources);
  g_ptr_array_unref (reader.profiles);
  g_hash_table_unref (reader.layer_profiles);
  urb_map_builder_free (reader.builder);
  urb_map_address_free (reader.address);
  return map;
}
