/* SPDX-License-Identifier: Apache-2.0 */
/*
 * how-made.c - see how-made.h.
 *
 * The recipe comes from a file that anybody may have written: values are checked as those of a command line are, and a
 * recipe with one that cannot be is refused whole.
 */
#include "dataset/how-made.h"

#include <string.h>

#include "base/json-read.h"
#include "base/show-text.h"

#define MAX_EDITS 1e15
#define MAX_NAMED 5 /* layers or values that a warning names */

/* -------- Writing -------- */

/* Whether it is a file of another folder.  Coordinate systems have slashes, too: text (WKT) in its brackets, and the
 * addresses of the standard. */
static gboolean
names_path (const char *text)
{
  const char *slash = text != NULL ? strchr (text, '/') : NULL;

  return slash != NULL && memchr (text, '[', (gsize) (slash - text)) == NULL
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

static void
add_path_crs (JsonBuilder *json, const char *const *path_crs)
{
  urb_json_begin_array (json, "source_crs_by_hand");
  for (; *path_crs != NULL; path_crs++)
    add_name (json, NULL, *path_crs);
  urb_json_end_array (json);
}

void
urb_how_made_add_choices (JsonBuilder *json, const UrbMapOptions *choices)
{
  if (choices->profile != NULL)
    add_name (json, "profile_by_hand", choices->profile);
  if (choices->crs != NULL)
    add_name (json, "crs_by_hand", choices->crs);
  if (choices->path_crs != NULL && *choices->path_crs != NULL)
    add_path_crs (json, choices->path_crs);
  if (choices->clip != NULL)
    urb_json_add_string (json, "clip_by_hand", choices->clip);
  if (choices->road_width_m > 0)
    urb_json_add_double (json, "road_width_m_by_hand", choices->road_width_m);
  if (choices->n_overrides > 0)
    add_classes (json, choices);
  if (choices->n_layers > 0)
    add_layers (json, choices);
}

/* -------- Reading -------- */

static gboolean
refuse (const char *name, GError **error)
{
  g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_DAMAGED, "'%s' is not valid", name);
  return FALSE;
}

static gboolean
refuse_path (const char *name, GError **error)
{
  g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_DAMAGED, "'%s' names a file of another folder", name);
  return FALSE;
}

/* Null is as good as nothing. */
static JsonNode *
get_member (JsonObject *object, const char *name)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;

  return node != NULL && !JSON_NODE_HOLDS_NULL (node) ? node : NULL;
}

/* @object: (out) (nullable): NULL if there is none */
static gboolean
read_object (JsonObject *parent, const char *name, JsonObject **object, GError **error)
{
  JsonNode *node = get_member (parent, name);

  *object = node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  return node == NULL || *object != NULL || refuse (name, error);
}

/* @elements: (out) (transfer container): of JsonObject; empty if there is none */
static gboolean
read_objects (JsonObject *parent, const char *name, GPtrArray **elements, GError **error)
{
  JsonNode *node = get_member (parent, name);
  JsonArray *array = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

  *elements = g_ptr_array_new ();
  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      JsonNode *element = json_array_get_element (array, i);

      if (!JSON_NODE_HOLDS_OBJECT (element))
        return refuse (name, error);
      g_ptr_array_add (*elements, json_node_get_object (element));
    }
  return node == NULL || array != NULL || refuse (name, error);
}

/* @text: (out) (transfer full): "" if there is none */
static gboolean
read_text (JsonObject *object, const char *name, const char **text, GError **error)
{
  JsonNode *node = get_member (object, name);

  *text = NULL;
  if (node != NULL && json_node_get_value_type (node) != G_TYPE_STRING)
    return refuse (name, error);
  *text = g_strdup (node != NULL ? json_node_get_string (node) : "");
  return TRUE;
}

/* Of a profile or coordinate system.  The recipe of a stranger must not have any file of this machine read. */
static gboolean
read_name (JsonObject *object, const char *name, const char **text, GError **error)
{
  if (!read_text (object, name, text, error))
    return FALSE;
  return !names_path (*text) || refuse_path (name, error);
}

/* @number: (out): 0 if there is none */
static gboolean
read_number (JsonObject *object, const char *name, double *number, GError **error)
{
  JsonNode *node = get_member (object, name);
  GType type = node != NULL ? json_node_get_value_type (node) : G_TYPE_INT64;

  if (type != G_TYPE_INT64 && type != G_TYPE_DOUBLE)
    return refuse (name, error);
  *number = node != NULL ? json_node_get_double (node) : 0;
  return TRUE;
}

/* @text: (out) (transfer full): of a number, a switch or a text; %NULL if there is none */
static gboolean
read_value (JsonObject *object, const char *name, char **text, GError **error)
{
  JsonNode *node = get_member (object, name);
  GType type = node != NULL ? json_node_get_value_type (node) : G_TYPE_INVALID;
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  *text = NULL;
  if (type == G_TYPE_STRING)
    *text = g_strdup (json_node_get_string (node));
  else if (type == G_TYPE_BOOLEAN)
    *text = g_strdup (json_node_get_boolean (node) ? "true" : "false");
  else if (type == G_TYPE_INT64)
    *text = g_strdup_printf ("%" G_GINT64_FORMAT, json_node_get_int (node));
  else if (type == G_TYPE_DOUBLE)
    *text = g_strdup (g_ascii_dtostr (number, sizeof number, json_node_get_double (node)));
  return node == NULL || *text != NULL || refuse (name, error);
}

static gboolean
read_classes (UrbMapOptions *map, JsonObject *recipe, GError **error)
{
  g_autoptr(GPtrArray) elements = NULL;
  UrbMapOverride *overrides;

  if (!read_objects (recipe, "classes_by_hand", &elements, error))
    return FALSE;
  map->overrides = overrides = g_new0 (UrbMapOverride, elements->len + 1);
  for (guint i = 0; i < elements->len; i++)
    {
      JsonObject *one = g_ptr_array_index (elements, i);
      g_autofree const char *class_name = NULL;

      map->n_overrides++;
      if (!read_text (one, "layer", &overrides[i].layer, error)
          || !read_text (one, "value", &overrides[i].value, error)
          || !read_text (one, "class", &class_name, error))
        return FALSE;
      if (!urb_class_find (class_name, &overrides[i].class_))
        return refuse ("class", error);
    }
  return TRUE;
}

static gboolean
read_layers (UrbMapOptions *map, JsonObject *recipe, GError **error)
{
  g_autoptr(GPtrArray) elements = NULL;
  UrbMapLayerOptions *layers;

  if (!read_objects (recipe, "layers_by_hand", &elements, error))
    return FALSE;
  map->layers = layers = g_new0 (UrbMapLayerOptions, elements->len + 1);
  for (guint i = 0; i < elements->len; i++)
    {
      JsonObject *one = g_ptr_array_index (elements, i);

      map->n_layers++;
      if (!read_text (one, "layer", &layers[i].layer, error)
          || !read_name (one, "profile", &layers[i].profile, error)
          || !read_name (one, "crs", &layers[i].crs, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_path_crs (UrbMapOptions *map, JsonObject *recipe, GError **error)
{
  JsonNode *node = get_member (recipe, "source_crs_by_hand");
  JsonArray *array = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  guint n = array != NULL ? json_array_get_length (array) : 0;
  g_auto(GStrv) path_crs = g_new0 (char *, n + 1);

  if (node != NULL && array == NULL)
    return refuse ("source_crs_by_hand", error);
  for (guint i = 0; i < n; i++)
    {
      JsonNode *element = json_array_get_element (array, i);

      if (json_node_get_value_type (element) != G_TYPE_STRING)
        return refuse ("source_crs_by_hand", error);
      path_crs[i] = json_node_dup_string (element);
      if (names_path (path_crs[i]))
        return refuse_path ("source_crs_by_hand", error);
    }
  map->path_crs = n > 0 ? (const char *const *) g_steal_pointer (&path_crs) : NULL;
  return TRUE;
}

static gboolean
read_clip (UrbMapOptions *map, JsonObject *recipe, GError **error)
{
  g_autofree const char *clip = NULL;
  UrbBox box;

  if (!read_text (recipe, "clip_by_hand", &clip, error))
    return FALSE;
  if (*clip != '\0' && !urb_map_clip_parse (clip, &box))
    return refuse ("clip_by_hand", error);
  map->clip = *clip != '\0' ? g_steal_pointer (&clip) : NULL;
  return TRUE;
}

static gboolean
read_choices (UrbMapOptions *map, JsonObject *recipe, GError **error)
{
  g_autofree const char *profile = NULL, *crs = NULL;

  if (!read_name (recipe, "profile_by_hand", &profile, error) || !read_name (recipe, "crs_by_hand", &crs, error))
    return FALSE;
  map->profile = *profile != '\0' ? g_steal_pointer (&profile) : NULL;
  map->crs = *crs != '\0' ? g_steal_pointer (&crs) : NULL;
  return read_number (recipe, "road_width_m_by_hand", &map->road_width_m, error) && read_clip (map, recipe, error)
         && read_path_crs (map, recipe, error)
         && read_classes (map, recipe, error) && read_layers (map, recipe, error);
}

/* Options are called as settings are, with underscores, and a unit where it is not in the setting's name. */
static gboolean
read_option (JsonObject *options, const UrbSetting *row, char **text, GError **error)
{
  g_autofree char *name = g_strdelimit (g_strdup (row->key), "-", '_');

  return read_value (options, g_str_equal (name, "resolution") ? "resolution_px" : name, text, error);
}

static gboolean
read_options (UrbHowMade *self, JsonObject *recipe, GError **error)
{
  UrbCurateOptions *curate = &self->curate;
  g_autofree char *filled = NULL;
  JsonObject *options;

  urb_curate_options_init (curate);
  if (!read_object (recipe, "options", &options, error) || !read_value (recipe, "uncovered_is_other", &filled, error))
    return FALSE;
  self->fills_hull = g_strcmp0 (filled, "true") == 0 && get_member (recipe, "open_ground_gap_m") == NULL;
  for (guint i = 0; i < urb_curate_settings.n_rows; i++)
    {
      const UrbSetting *row = &urb_curate_settings.rows[i];
      g_autofree char *text = NULL;

      if (!read_option (options, row, &text, error)
          || (text != NULL && !urb_setting_set_option (&urb_curate_settings, row, curate, text, error)))
        return FALSE;
    }
  if (filled != NULL && get_member (options, "fill_uncovered") == NULL) /* an older recipe: how it came out */
    curate->fill = g_str_equal (filled, "true") ? URB_FILL_YES : URB_FILL_NO;
  return TRUE;
}

/* @sum: (inout): one more number of areas is added */
static gboolean
add_edits (JsonObject *by_hand, const char *name, gint64 *sum, GError **error)
{
  double n;

  if (!read_number (by_hand, name, &n, error))
    return FALSE;
  if (!(n >= 0 && n <= MAX_EDITS))
    return refuse (name, error);
  *sum += (gint64) n;
  return TRUE;
}

static gboolean
read_edits (gint64 *n, JsonObject *recipe, GError **error)
{
  JsonObject *by_hand;

  return read_object (recipe, "by_hand", &by_hand, error) && add_edits (by_hand, "added", n, error)
         && add_edits (by_hand, "removed", n, error);
}

gboolean
urb_how_made_read (UrbHowMade *self, const char *path, GError **error)
{
  g_autoptr(UrbDataset) dataset = urb_dataset_open_unverified (path, error);
  g_autoptr(JsonObject) recipe = NULL;
  g_autoptr(GError) problem = NULL;
  const char *text;

  *self = (UrbHowMade){ 0 };
  if (dataset == NULL)
    return FALSE;
  text = urb_dataset_get_info (dataset)->recipe_json;
  recipe = urb_json_read_object (text, strlen (text), NULL);
  if (recipe == NULL || !read_options (self, recipe, &problem) || !read_choices (&self->map, recipe, &problem)
      || !read_edits (&self->n_by_hand, recipe, &problem))
    {
      urb_how_made_clear (self);
      g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_DAMAGED, "How '%s' was made cannot be read from it%s%s", path,
                   problem != NULL ? ": " : "", problem != NULL ? problem->message : "");
      return FALSE;
    }
  return TRUE;
}

void
urb_how_made_clear (UrbHowMade *self)
{
  urb_map_options_clear (&self->map);
}

/* -------- Another map -------- */

static const UrbMapLayer *
find_layer (UrbMap *map, const char *name)
{
  GPtrArray *layers = urb_map_get_layers (map);

  for (guint i = 0; i < layers->len; i++)
    if (g_str_equal (((const UrbMapLayer *) g_ptr_array_index (layers, i))->name, name))
      return g_ptr_array_index (layers, i);
  return NULL;
}

/* The value "" is a whole layer. */
static gboolean
has_value (UrbMap *map, const UrbMapOverride *override)
{
  GPtrArray *layers = urb_map_get_layers (map);

  for (guint i = 0; i < layers->len; i++)
    {
      const UrbMapLayer *layer = g_ptr_array_index (layers, i);

      if (!g_str_equal (layer->name, override->layer))
        continue;
      if (*override->value == '\0')
        return TRUE;
      for (guint k = 0; k < layer->values->len; k++)
        if (g_str_equal (((const UrbMapValue *) g_ptr_array_index (layer->values, k))->value, override->value))
          return TRUE;
    }
  return FALSE;
}

/* @names: (transfer full): what the map lacks of @n */
static void
warn_missing (GPtrArray *warnings, GPtrArray *names, gsize n, const char *what)
{
  g_autoptr(GString) list = g_string_new (NULL);

  for (guint i = 0; i < names->len && i < MAX_NAMED; i++)
    {
      g_autofree char *shown = urb_show_text (g_ptr_array_index (names, i));

      g_string_append_printf (list, "%s%s", i > 0 ? ", " : "", shown);
    }
  if (names->len > MAX_NAMED)
    g_string_append_printf (list, " and %u more", names->len - MAX_NAMED);
  if (names->len > 0)
    g_ptr_array_add (warnings, g_strdup_printf ("%u of %" G_GSIZE_FORMAT " %s: %s", names->len, n, what, list->str));
  g_ptr_array_unref (names);
}

void
urb_how_made_compare (const UrbHowMade *self, UrbMap *map, GPtrArray *warnings)
{
  GPtrArray *layers = g_ptr_array_new_with_free_func (g_free), *values = g_ptr_array_new_with_free_func (g_free);

  for (gsize i = 0; i < self->map.n_layers; i++)
    if (find_layer (map, self->map.layers[i].layer) == NULL)
      g_ptr_array_add (layers, g_strdup_printf ("'%s'", self->map.layers[i].layer));
  for (gsize i = 0; i < self->map.n_overrides; i++)
    {
      const UrbMapOverride *one = &self->map.overrides[i];

      if (!has_value (map, one))
        g_ptr_array_add (values, *one->value != '\0' ? g_strdup_printf ("'%s' of '%s'", one->value, one->layer)
                                                     : g_strdup_printf ("the layer '%s'", one->layer));
    }
  warn_missing (warnings, layers, self->map.n_layers, "layers with a profile or coordinate system of their own are not in this map");
  warn_missing (warnings, values, self->map.n_overrides, "classes that were set by hand are for values that this map lacks");
}
