/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cities/realism-result.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "run/store/json-line.h"

enum { MAX_VALUES = 100000 }; /* the engine sends 2000 */

static void
measure_free (gpointer data)
{
  UrbariumRealismMeasure *self = data;
  g_free (self->key);
  g_free (self->title);
  g_free (self->unit);
  g_clear_pointer (&self->real, g_array_unref);
  g_clear_pointer (&self->generated, g_array_unref);
  g_clear_pointer (&self->ends, g_array_unref);
  g_free (self);
}

void
urbarium_realism_result_free (UrbariumRealismResult *self)
{
  if (self == NULL)
    return;
  g_free (self->verdict);
  g_free (self->dataset);
  g_free (self->dataset_id);
  g_clear_pointer (&self->measures, g_ptr_array_unref);
  g_clear_pointer (&self->closest, g_array_unref);
  g_free (self);
}

/* ------------------------------------------------------------------------ */
/* Members that may be missing or of another type                            */

static gboolean
is_number (JsonNode *node)
{
  GType type = node != NULL && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node)
                                                            : G_TYPE_INVALID;
  return type == G_TYPE_INT64 || type == G_TYPE_DOUBLE;
}

static double
get_number (JsonObject *object, const char *name)
{
  return urb_json_get_double (object, name, NAN);
}

static GArray *
read_values (JsonObject *object, const char *name)
{
  GArray *values = g_array_new (FALSE, FALSE, sizeof (double));
  JsonArray *array = urb_json_get_array (object, name);
  guint n = array != NULL ? MIN (json_array_get_length (array), MAX_VALUES) : 0;
  for (guint i = 0; i < n; i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      double value = is_number (node) ? json_node_get_double (node) : NAN;
      if (isfinite (value))
        g_array_append_val (values, value);
    }
  return values;
}

/* Falls back to one area per value if the ends do not match the values. */
static GArray *
read_ends (JsonObject *object, guint n_values)
{
  GArray *ends = g_array_new (FALSE, FALSE, sizeof (guint));
  JsonArray *array = urb_json_get_array (object, "real_ends");
  guint n = array != NULL ? MIN (json_array_get_length (array), n_values) : 0, last = 0;
  for (guint i = 0; i < n; i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      double end = is_number (node) ? json_node_get_double (node) : -1;
      if (!(end > last && end <= n_values))
        break;
      last = (guint) end;
      g_array_append_val (ends, last);
    }
  if (last == n_values)
    return ends;
  g_array_set_size (ends, 0);
  for (guint i = 1; i <= n_values; i++)
    g_array_append_val (ends, i);
  return ends;
}

/* Adds a measure unless it is there already. */
static void
add_measure (JsonObject *measures, const char *key, JsonNode *node, gpointer data)
{
  UrbariumRealismResult *self = data;
  UrbariumRealismMeasure *measure;
  JsonObject *object, *rho, *values;
  if (!JSON_NODE_HOLDS_OBJECT (node))
    return;
  object = json_node_get_object (node);
  for (guint i = 0; i < self->measures->len; i++)
    if (strcmp (((UrbariumRealismMeasure *) self->measures->pdata[i])->key, key) == 0)
      return;
  rho = urb_json_get_object (object, "rho");
  values = urb_json_get_object (object, "values");
  measure = g_new0 (UrbariumRealismMeasure, 1);
  measure->key = g_strdup (key);
  measure->title = g_strdup (urb_json_get_string (object, "title", key));
  measure->unit = g_strdup (urb_json_get_string (object, "unit", ""));
  measure->rho = get_number (rho, "generated");
  measure->untrained_rho = get_number (rho, "untrained");
  measure->train_rho = get_number (rho, "train");
  measure->half_off = urb_json_get_bool (object, "half_off", FALSE);
  measure->rank = urb_json_get_int (object, "rank", 0);
  measure->real = read_values (values, "real");
  measure->generated = read_values (values, "generated");
  measure->ends = read_ends (values, measure->real->len);
  g_ptr_array_add (self->measures, measure);
}

static void
read_copies (UrbariumRealismResult *self, JsonObject *copies)
{
  JsonArray *closest = urb_json_get_array (copies, "closest");
  guint n = closest != NULL ? MIN (json_array_get_length (closest), MAX_VALUES) : 0;
  self->copies = urb_json_get_bool (copies, "found", FALSE);
  self->n_repeats = urb_json_get_int (copies, "repeats", -1);
  self->share_repeats = get_number (copies, "share_repeats");
  self->share_real_repeats = get_number (copies, "share_real_repeats");
  self->n_shared = urb_json_get_int (copies, "shared", 0);
  for (guint i = 0; i < n; i++)
    {
      JsonNode *node = json_array_get_element (closest, i);
      JsonObject *object = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
      UrbariumRealismPair pair = {
        .generated = urb_json_get_int (object, "generated", -1),
        .nearest = { .index = urb_json_get_int (object, "area", -1),
                     .share = get_number (object, "share"),
                     .d4 = (int) (urb_json_get_int (object, "d4", 0) & 7) },
        .shift_m = get_number (object, "shift_m"),
        .repeats = urb_json_get_bool (object, "repeats", FALSE),
      };
      if (pair.generated >= 0 && pair.nearest.index >= 0 && isfinite (pair.nearest.share))
        g_array_append_val (self->closest, pair);
    }
}

/* Measures without a rank come last. */
static int
compare_measures (gconstpointer a, gconstpointer b)
{
  gint64 x = (*(UrbariumRealismMeasure *const *) a)->rank;
  gint64 y = (*(UrbariumRealismMeasure *const *) b)->rank;
  if (x < 1 || y < 1)
    return (x < 1) - (y < 1);
  return (x > y) - (x < y);
}

/* Measures of the plans; then those that only pixels have, which have no rank among them. */
static void
read_measures (UrbariumRealismResult *self, JsonObject *root)
{
  JsonObject *measures = urb_json_get_object (root, "measures");
  JsonObject *of_pixels = urb_json_get_object (urb_json_get_object (root, "pixels"), "measures");
  JsonArray *worst = urb_json_get_array (root, "worst");
  guint n_plans;
  if (measures != NULL)
    json_object_foreach_member (measures, add_measure, self);
  n_plans = self->measures->len;
  if (of_pixels != NULL)
    json_object_foreach_member (of_pixels, add_measure, self);
  for (guint i = n_plans; i < self->measures->len; i++)
    ((UrbariumRealismMeasure *) self->measures->pdata[i])->rank = 0;
  g_ptr_array_sort (self->measures, compare_measures);
  self->n_worst = worst != NULL ? MIN (json_array_get_length (worst), self->measures->len) : 0;
}

static UrbariumRealismResult *
read_root (JsonObject *root)
{
  UrbariumRealismResult *self = g_new0 (UrbariumRealismResult, 1);
  JsonObject *dataset = urb_json_get_object (root, "dataset");
  JsonObject *score = urb_json_get_object (root, "score");
  JsonObject *n_tiles = urb_json_get_object (root, "n_tiles");
  JsonObject *sets = urb_json_get_object (root, "sets");
  JsonObject *generated = urb_json_get_object (sets, "generated");
  JsonObject *train = urb_json_get_object (sets, "train");
  const char *seed = urb_json_get_string (root, "seed", NULL);
  self->measures = g_ptr_array_new_with_free_func (measure_free);
  self->closest = g_array_new (FALSE, FALSE, sizeof (UrbariumRealismPair));
  self->dataset = g_strdup (urb_json_get_string (dataset, "path", NULL));
  self->dataset_id = g_strdup (urb_json_get_string (dataset, "id", NULL));
  self->same_dataset = urb_json_get_bool (dataset, "trained_on_it", FALSE);
  self->seed = seed != NULL ? (gint64) g_ascii_strtoull (seed, NULL, 10) : 1;
  self->n_real = urb_json_get_int (n_tiles, "real", -1);
  self->n_generated = urb_json_get_int (n_tiles, "generated", -1);
  self->n_places = urb_json_get_int (root, "n_places", 0);
  self->score = get_number (score, "generated");
  self->untrained_score = get_number (score, "untrained");
  self->train_score = get_number (score, "train");
  self->verdict = g_strdup (urb_json_get_string (root, "verdict", NULL));
  self->precision = get_number (generated, "precision");
  self->recall = get_number (generated, "recall");
  self->train_precision = get_number (train, "precision");
  self->train_recall = get_number (train, "recall");
  read_measures (self, root);
  read_copies (self, urb_json_get_object (root, "copies"));
  return self;
}

UrbariumRealismResult *
urbarium_realism_result_parse (const char *json, gsize length, GError **error)
{
  g_autoptr(JsonParser) parser = json_parser_new ();
  g_autoptr(UrbariumRealismResult) self = NULL;
  JsonNode *root;
  if (g_utf8_validate (json, (gssize) length, NULL)
      && !json_parser_load_from_data (parser, json, (gssize) length, error))
    return NULL;
  root = json_parser_get_root (parser);
  if (root != NULL && JSON_NODE_HOLDS_OBJECT (root))
    self = read_root (json_node_get_object (root));
  if (self == NULL || self->measures->len == 0 || self->dataset == NULL || self->n_real < 1
      || self->n_generated < 1)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                   _ ("The engine’s answer cannot be read. Is it of the same version?"));
      return NULL;
    }
  return g_steal_pointer (&self);
}
