/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map-options.c - see map-options.h.
 */
#include "cli/map-options.h"

#include <string.h>

#include "cli/cli.h"
#include "cli/process.h"
#include "map/address.h"

#define MAX_ROAD_WIDTH_M 200
#define MAX_PATIENCE_S   3600

static void
layer_clear (gpointer data)
{
  UrbMapLayerOptions *self = data;

  g_free ((char *) self->layer);
  g_free ((char *) self->profile);
  g_free ((char *) self->crs);
}

void
urb_cli_map_options_clear (UrbCliMapOptions *self)
{
  g_clear_pointer (&self->profile, g_free);
  g_clear_pointer (&self->crs, g_free);
  g_clear_pointer (&self->clip, g_free);
  g_clear_pointer (&self->layer_profiles, g_strfreev);
  g_clear_pointer (&self->layer_crs, g_strfreev);
  g_clear_pointer (&self->shown, g_strfreev);
  g_clear_pointer (&self->layers, g_array_unref);
}

void
urb_cli_map_options_add (UrbCliMapOptions *self, GOptionContext *options)
{
  const GOptionEntry entries[] = {
    { "profile", 0, 0, G_OPTION_ARG_STRING, &self->profile, "Class profile, by name or file (recognized)",
      "NAME|FILE" },
    { "crs", 0, 0, G_OPTION_ARG_STRING, &self->crs,
      "Coordinate system of sources that state none, such as EPSG:2056", "CRS" },
    { "layer-profile", 0, 0, G_OPTION_ARG_STRING_ARRAY, &self->layer_profiles,
      "Class profile of one layer; can be repeated", "LAYER=NAME|FILE" },
    { "layer-crs", 0, 0, G_OPTION_ARG_STRING_ARRAY, &self->layer_crs,
      "Coordinate system of one layer, even if the file states another; can be repeated", "LAYER=CRS" },
    { "clip", 0, 0, G_OPTION_ARG_STRING, &self->clip,
      "Read only this part of the map, in degrees; 'all' is the whole map", "WEST,SOUTH,EAST,NORTH" },
    { "road-width-m", 0, 0, G_OPTION_ARG_DOUBLE, &self->road_width_m,
      "Width of roads that are lines (the profile's)", "METERS" },
    { "patience-s", 0, 0, G_OPTION_ARG_INT, &self->patience_s,
      "How long the server of an address may be silent (30)", "SECONDS" },
    G_OPTION_ENTRY_NULL
  };

  g_option_context_add_main_entries (options, entries, NULL);
}

/* The options of the layer, which may be new. */
static UrbMapLayerOptions *
find_or_add (UrbCliMapOptions *self, const char *layer)
{
  UrbMapLayerOptions *all = (UrbMapLayerOptions *) (gpointer) self->layers->data, one;

  for (guint i = 0; i < self->layers->len; i++)
    if (g_str_equal (all[i].layer, layer))
      return &all[i];
  one = (UrbMapLayerOptions){ g_strdup (layer), g_strdup (""), g_strdup ("") };
  g_array_append_val (self->layers, one);
  return &g_array_index (self->layers, UrbMapLayerOptions, self->layers->len - 1);
}

/* @texts: (nullable): "LAYER=VALUE" each; @offset: of the member that takes the value */
static gboolean
add_layers (UrbCliMapOptions *self, char **texts, const char *option, gsize offset)
{
  for (char **text = texts; text != NULL && *text != NULL; text++)
    {
      const char *equals = strchr (*text, '=');
      g_autofree char *layer = NULL;
      char **member;

      if (equals == NULL || equals == *text || equals[1] == '\0')
        {
          urb_cli_fail_usage ("--%s must be LAYER=VALUE, with the name of a layer as `inspect` shows it, not '%s'",
                              option, *text);
          return FALSE;
        }
      layer = g_strndup (*text, (gsize) (equals - *text));
      member = G_STRUCT_MEMBER_P (find_or_add (self, layer), offset);
      g_free (*member);
      *member = g_strdup (equals + 1);
    }
  return TRUE;
}

/* A file with such a name is not an address: a pattern of the shell may have found it. */
static gboolean
is_address (const char *source)
{
  return urb_map_address_is (source) && !g_file_test (source, G_FILE_TEST_EXISTS);
}

/* @address: (out) (nullable): the whole one */
static gboolean
take_address (UrbCliMapOptions *self, const char *const **sources, const char **address)
{
  g_autoptr(UrbMapAddress) parsed = NULL;
  g_autoptr(GError) error = NULL;
  guint n_addresses = 0;

  *address = NULL;
  for (const char *const *source = *sources; *source != NULL; source++)
    n_addresses += is_address (*source);
  if (n_addresses == 0)
    return TRUE;
  if ((*sources)[1] != NULL)
    {
      urb_cli_fail_usage ("an address is opened alone: no file, and no other address, can be part of the same map");
      return FALSE;
    }
  parsed = urb_map_address_parse (**sources, &error);
  if (parsed == NULL)
    {
      urb_cli_fail_usage ("%s", error->message);
      return FALSE;
    }
  *address = **sources;
  self->shown = g_strdupv ((char *[]){ parsed->shown, NULL });
  *sources = (const char *const *) self->shown;
  return TRUE;
}

static gboolean
is_road_width (double width_m)
{
  return width_m >= 0 && width_m <= MAX_ROAD_WIDTH_M;
}

static gboolean
is_all (const char *clip)
{
  return g_str_equal (clip, "all");
}

gboolean
urb_cli_map_options_apply (UrbCliMapOptions *self, const char *const **sources, UrbMapOptions *options)
{
  const char *address;
  UrbBox part;

  if (self->patience_s < 0 || self->patience_s > MAX_PATIENCE_S)
    {
      urb_cli_fail_usage ("--patience-s must be 1 to %d", MAX_PATIENCE_S);
      return FALSE;
    }
  if (!is_road_width (self->road_width_m))
    {
      urb_cli_fail_usage ("--road-width-m must be 0 to %d", MAX_ROAD_WIDTH_M);
      return FALSE;
    }
  if (self->clip != NULL && !is_all (self->clip) && !urb_map_clip_parse (self->clip, &part))
    {
      urb_cli_fail_usage ("--clip must be WEST,SOUTH,EAST,NORTH in degrees, as 7.41,43.72,7.43,43.74, or 'all', not '%s'",
                          self->clip);
      return FALSE;
    }
  self->layers = g_array_new (FALSE, FALSE, sizeof (UrbMapLayerOptions));
  g_array_set_clear_func (self->layers, layer_clear);
  if (!add_layers (self, self->layer_profiles, "layer-profile", G_STRUCT_OFFSET (UrbMapLayerOptions, profile))
      || !add_layers (self, self->layer_crs, "layer-crs", G_STRUCT_OFFSET (UrbMapLayerOptions, crs)))
    return FALSE;
  self->n_given = self->layers->len;
  if (!take_address (self, sources, &address))
    return FALSE;
  *options = (UrbMapOptions){ .address = address,
                              .patience_s = self->patience_s,
                              .profile = self->profile,
                              .road_width_m = self->road_width_m,
                              .crs = self->crs,
                              .clip = self->clip == NULL || is_all (self->clip) ? NULL : self->clip,
                              .layers = (const UrbMapLayerOptions *) (gpointer) self->layers->data,
                              .n_layers = self->layers->len };
  return TRUE;
}

static void
follow_text (char **own, const char *earlier)
{
  if (**own != '\0')
    return;
  g_free (*own);
  *own = g_strdup (earlier);
}

/* A recipe tells of a file the name alone. */
static gboolean
check_profile (const char *profile, const char *dataset, GError **error)
{
  g_autoptr(UrbProfile) found = urb_profile_load (profile, NULL);

  if (found != NULL || g_file_test (profile, G_FILE_TEST_EXISTS))
    return TRUE; /* what is wrong with a file is told when it is read */
  g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_PROFILE,
               "'%s' was made with the class profile '%s', which is not in this folder. Run the command in the folder of "
               "that file, or choose a profile with --profile or --layer-profile", dataset, profile);
  return FALSE;
}

/* Which file is which can be told by their order only: names may be alike, or others now. */
static gboolean
check_path_crs (const UrbMapOptions *options, const char *const *sources, const char *dataset, GError **error)
{
  guint n = options->path_crs != NULL ? g_strv_length ((char **) options->path_crs) : 0;

  if (n == 0 || n == g_strv_length ((char **) sources))
    return TRUE;
  g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_CRS,
               "'%s' was made from %u maps, for some of which a coordinate system was chosen. Name as many, in the same "
               "order, or choose one for all with --crs", dataset, n);
  return FALSE;
}

gboolean
urb_cli_map_options_follow (UrbCliMapOptions *self, const UrbMapOptions *earlier, const char *dataset,
                            const char *const *sources, UrbMapOptions *options, GError **error)
{
  gboolean is_own = options->profile != NULL;

  for (gsize i = 0; i < earlier->n_layers; i++)
    {
      UrbMapLayerOptions *layer = find_or_add (self, earlier->layers[i].layer);
      const char *profile = earlier->layers[i].profile;

      if (*layer->profile == '\0' && *profile != '\0' && !check_profile (profile, dataset, error))
        return FALSE;
      follow_text ((char **) &layer->profile, profile);
      follow_text ((char **) &layer->crs, earlier->layers[i].crs);
    }
  options->layers = (const UrbMapLayerOptions *) (gpointer) self->layers->data;
  options->n_layers = self->layers->len;
  options->overrides = earlier->overrides;
  options->n_overrides = earlier->n_overrides;
  if (options->profile == NULL)
    options->profile = earlier->profile;
  if (options->crs == NULL)
    {
      options->crs = earlier->crs;
      options->path_crs = earlier->path_crs;
    }
  if (!check_path_crs (options, sources, dataset, error))
    return FALSE;
  if (self->clip == NULL)
    options->clip = earlier->clip;
  if (options->road_width_m == 0 && is_road_width (earlier->road_width_m))
    options->road_width_m = earlier->road_width_m;
  return is_own || options->profile == NULL || check_profile (options->profile, dataset, error);
}

static gboolean
check_layer (const char *name, UrbMap *map, GError **error)
{
  GPtrArray *layers = urb_map_get_layers (map);
  g_autoptr(GString) names = g_string_new (NULL);

  for (guint i = 0; i < layers->len; i++)
    {
      const UrbMapLayer *layer = g_ptr_array_index (layers, i);

      if (g_str_equal (layer->name, name))
        return TRUE;
      g_string_append_printf (names, "%s'%s'", i > 0 ? ", " : "", layer->name);
    }
  g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_PROFILE,
               "The map has no layer '%s' to which --layer-profile or --layer-crs could apply. Its layers: %s.", name,
               names->str);
  return FALSE;
}

UrbMap *
urb_cli_map_options_open (const UrbCliMapOptions *self, const UrbMapOptions *options, const char *const *paths,
                          GError **error)
{
  g_autoptr(UrbMap) map = NULL;

  urb_cli_bound_memory ();
  map = urb_map_open (paths, options, urb_cli_progress, NULL, urb_cli_get_cancellable (), error);
  for (gsize i = 0; map != NULL && i < self->n_given; i++)
    if (!check_layer (options->layers[i].layer, map, error))
      return NULL;
  return g_steal_pointer (&map);
}
