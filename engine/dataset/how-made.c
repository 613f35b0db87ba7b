/* SPDX-License-Identifier: Apache-2.0 */
/*
 * how-made.c - see how-made.h.
 *
 * The recipe comes from a file that anybody may have written: what is not of the kind that it should be is not there, and
 * values are checked as those of a command line are.
 */
#include "dataset/how-made.h"

#include <string.h>

#include "base/json-read.h"

/* -------- Writing -------- */

/* Whether it is a file of another folder.  Coordinate systems have slashes, too: text (WKT) in its brackets, and the
 * addresses of the standard. */
static gboolean
names_path (const char *text)
{
  return text != NULL && strchr (text, '/') != NULL && strchr (text, '[') == NULL
         && !g_str_has_prefix (text, "http://www.opengis.net/def/crs/");
}

/* @text: a name, or a file, whose folder is nobody's business */
static void
add_name (JsonBuilder *json, const char *member, const char *text)
{
  g_autofree char *base = names_path (text) ? g_path_get_basename (text) : g_strdup (text);

  urb_json_add_string (json, member, base);
}

static void
add_classes (JsonBuilder *json, const UrbMapOptions *choices)
{
  urb_json_begin_array (json, "classes_by_hand");
  for (gsize i = 0; i < choices->n_overrides; i++)
    {
      urb_json_begin_object (json, NULL);
      urb_json_add_string (json, "layer", choices->overrides[i].layer);
      urb_json_add_string (json, "value", choices->overrides[i].value);
      urb_json_add_string (json, "class", urb_class_get_name (choices->overrides[i].class_));
      urb_json_end_object (json);
    }
  urb_json_end_array (json);
}

static void
add_layers (JsonBuilder *json, const UrbMapOptions *choices)
{
  urb_json_begin_array (json, "layers_by_hand");
  for (gsize i = 0; i < choices->n_layers; i++)
    {
      const UrbMapLayerOptions *layer = &choices->layers[i];

      urb_json_begin_object (json, NULL);
      urb_json_add_string (json, "layer", layer->layer);
      if (*layer->profile != '\0')
        add_name (json, "profile", layer->profile);
      if (*layer->crs != '\0')
        add_name (json, "crs", layer->crs);
      urb_json_end_object (json);
    }
  urb_json_end_array (json);
}

void
urb_how_made_add_choices (JsonBuilder *json, const UrbMapOptions *choices)
{
  if (choices->profile != NULL)
    add_name (json, "profile_by_hand", choices->profile);
  if (choices->crs != NULL)
    add_name (json, "crs_by_hand", choices->crs);
  if (choices->road_width_m > 0)
    urb_json_add_double (json, "road_width_m_by_hand", choices->road_width_m);
  if (choices->n_overrides > 0)
    add_classes (json, choices);
  if (choices->n_layers > 0)
    add_layers (json, choices);
}

/* -------- Reading -------- */

static JsonNode *
get_member (JsonObject *object, const char *name)
{
  return object != NULL ? json_object_get_member (object, name) : NULL;
}

static JsonObject *
get_object (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

/* (transfer full): "" if there is none */
static char *
dup_text (JsonObject *object, const char *name)
{
  JsonNode *node = get_member (object, name);

  return g_strdup (node != NULL && json_node_get_value_type (node) == G_TYPE_STRING ? json_node_get_string (node) : "");
}

/* (transfer full): of a number, a switch or a text; %NULL if there is none */
static char *
dup_value (JsonObject *object, const char *name)
{
  JsonNode *node = get_member (object, name);
  GType type = node != NULL ? json_node_get_value_type (node) : G_TYPE_INVALID;
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  if (type == G_TYPE_STRING)
    return g_strdup (json_node_get_string (node));
  if (type == G_TYPE_BOOLEAN)
    return g_strdup (json_node_get_boolean (node) ? "true" : "false");
  if (type == G_TYPE_INT64)
    return g_strdup_printf ("%" G_GINT64_FORMAT, json_node_get_int (node));
  return type == G_TYPE_DOUBLE ? g_strdup (g_ascii_dtostr (number, sizeof number, json_node_get_double (node))) : NULL;
}

static double
get_number (JsonObject *object, const char *name)
{
  g_autofree char *text = dup_value (object, name);

  return text != NULL ? g_ascii_strtod (text, NULL) : 0;
}

static JsonArray *
get_array (JsonObject *object, const char *name, guint *n)
{
  JsonNode *node = get_member (object, name);
  JsonArray *array = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

  *n = array != NULL ? json_array_get_length (array) : 0;
  return array;
}

static void
read_classes (UrbMapOptions *map, JsonObject *recipe)
{
  guint n;
  JsonArray *array = get_array (recipe, "classes_by_hand", &n);
  UrbMapOverride *overrides = g_new0 (UrbMapOverride, n + 1);

  map->overrides = overrides;
  for (guint i = 0; i < n; i++)
    {
      JsonObject *one = get_object (json_array_get_element (array, i));
      g_autofree char *class_name = dup_text (one, "class");
      UrbClass class_;

      if (urb_class_find (class_name, &class_))
        overrides[map->n_overrides++]
          = (UrbMapOverride){ dup_text (one, "layer"), dup_text (one, "value"), class_ };
    }
}

static void
read_layers (UrbMapOptions *map, JsonObject *recipe)
{
  guint n;
  JsonArray *array = get_array (recipe, "layers_by_hand", &n);
  UrbMapLayerOptions *layers = g_new0 (UrbMapLayerOptions, n + 1);

  map->layers = layers;
  map->n_layers = n;
  for (guint i = 0; i < n; i++)
    {
      JsonObject *one = get_object (json_array_get_element (array, i));

      layers[i] = (UrbMapLayerOptions){ dup_text (one, "layer"), dup_text (one, "profile"), dup_text (one, "crs") };
    }
}

static void
read_choices (UrbMapOptions *map, JsonObject *recipe)
{
  g_autofree char *profile = dup_text (recipe, "profile_by_hand"), *crs = dup_text (recipe, "crs_by_hand");

  map->profile = *profile != '\0' ? g_steal_pointer (&profile) : NULL;
  map->crs = *crs != '\0' ? g_steal_pointer (&crs) : NULL;
  map->road_width_m = MAX (get_number (recipe, "road_width_m_by_hand"), 0);
  read_classes (map, recipe);
  read_layers (map, recipe);
}

/* The recipe of a stranger must not have any file of this machine read. */
static gboolean
check_choices (const UrbMapOptions *map, GError **error)
{
  gboolean is_fine = !names_path (map->profile) && !names_path (map->crs);

  for (gsize i = 0; i < map->n_layers; i++)
    is_fine = is_fine && !names_path (map->layers[i].profile) && !names_path (map->layers[i].crs);
  if (!is_fine)
    g_set_error_literal (error, URB_DATASET_ERROR, URB_DATASET_ERROR_DAMAGED, "it names a file of another folder");
  return is_fine;
}

/* Options are called as settings are, with underscores, and a unit where it is not in the setting's name. */
static char *
dup_option (JsonObject *options, const UrbSetting *row)
{
  g_autofree char *name = g_strdelimit (g_strdup (row->key), "-", '_');

  return g_str_equal (name, "resolution") ? dup_value (options, "resolution_px") : dup_value (options, name);
}

static gboolean
read_options (UrbCurateOptions *curate, JsonObject *recipe, GError **error)
{
  JsonObject *options = get_object (get_member (recipe, "options"));
  g_autofree char *filled = dup_value (recipe, "uncovered_is_other");

  urb_curate_options_init (curate);
  for (guint i = 0; i < urb_curate_settings.n_rows; i++)
    {
      const UrbSetting *row = &urb_curate_settings.rows[i];
      g_autofree char *text = dup_option (options, row);

      if (text != NULL && !urb_setting_set_option (&urb_curate_settings, row, curate, text, error))
        return FALSE;
    }
  if (filled != NULL && get_member (options, "fill_uncovered") == NULL) /* an older recipe: how it came out */
    curate->fill = g_str_equal (filled, "true") ? URB_FILL_YES : URB_FILL_NO;
  return TRUE;
}

gboolean
urb_how_made_read (UrbHowMade *self, const char *path, GError **error)
{
  g_autoptr(UrbDataset) dataset = urb_dataset_open_unverified (path, error);
  g_autoptr(JsonObject) recipe = NULL;
  g_autoptr(GError) problem = NULL;
  JsonObject *by_hand;
  const char *text;

  *self = (UrbHowMade){ 0 };
  if (dataset == NULL)
    return FALSE;
  text = urb_dataset_get_info (dataset)->recipe_json;
  recipe = urb_json_read_object (text, strlen (text), NULL);
  if (recipe != NULL)
    read_choices (&self->map, recipe);
  if (recipe == NULL || !read_options (&self->curate, recipe, &problem) || !check_choices (&self->map, &problem))
    {
      urb_map_options_clear (&self->map);
      g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_DAMAGED, "How '%s' was made cannot be read from it%s%s", path,
                   problem != NULL ? ": " : "", problem != NULL ? problem->message : "");
      return FALSE;
    }
  by_hand = get_object (get_member (recipe, "by_hand"));
  self->n_by_hand = (gint64) CLAMP (get_number (by_hand, "added") + get_number (by_hand, "removed"), 0, 1e15);
  return TRUE;
}

void
urb_how_made_clear (UrbHowMade *self)
{
  urb_map_options_clear (&self->map);
}
