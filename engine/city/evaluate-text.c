/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evaluate-text.c - the evaluation as JSON and as a table for people.
 */
#include <json-glib/json-glib.h>
#include <math.h>

#include "city/evaluate.h"

/* JSON knows no NaN: what cannot be said is null. */
static void
add_number (JsonBuilder *json, const char *key, double value)
{
  json_builder_set_member_name (json, key);
  if (isfinite (value))
    json_builder_add_double_value (json, value);
  else
    json_builder_add_null_value (json);
}

static void
add_int (JsonBuilder *json, const char *key, gint64 value)
{
  json_builder_set_member_name (json, key);
  json_builder_add_int_value (json, value);
}

static void
add_string (JsonBuilder *json, const char *key, const char *value)
{
  json_builder_set_member_name (json, key);
  if (value != NULL)
    json_builder_add_string_value (json, value);
  else
    json_builder_add_null_value (json);
}

static void
add_boolean (JsonBuilder *json, const char *key, gboolean value)
{
  json_builder_set_member_name (json, key);
  json_builder_add_boolean_value (json, value);
}

static void
begin_object (JsonBuilder *json, const char *key)
{
  json_builder_set_member_name (json, key);
  json_builder_begin_object (json);
}

static void
add_measure (JsonBuilder *json, const UrbEvaluation *self, UrbMeasure measure)
{
  const UrbMeasureResult *result = &self->results[measure];

  begin_object (json, urb_measure_info[measure].name);
  add_string (json, "title", urb_measure_info[measure].title);
  add_string (json, "unit", urb_measure_info[measure].unit);
  begin_object (json, "median");
  for (int g = 0; g < URB_N_GROUPS; g++)
    add_number (json, urb_group_names[g], urb_measure_to_display (measure, result->median[g]));
  json_builder_end_object (json);
  begin_object (json, "noise");
  add_number (json, "median", result->noise.median);
  add_number (json, "q95", result->noise.q95);
  json_builder_end_object (json);
  begin_object (json, "w1");
  for (int g = URB_GROUP_GENERATED; g < URB_N_GROUPS; g++)
    add_number (json, urb_group_names[g], result->distance[g]);
  json_builder_end_object (json);
  begin_object (json, "rho");
  for (int g = URB_GROUP_GENERATED; g < URB_N_GROUPS; g++)
    add_number (json, urb_group_names[g], result->rho[g]);
  json_builder_end_object (json);
  json_builder_end_object (json);
}

static void
add_nearest (JsonBuilder *json, const UrbEvaluation *self)
{
  begin_object (json, "nearest");
  add_number (json, "generated_median", self->nearest_generated);
  add_number (json, "real_median", self->nearest_real);
  add_number (json, "real_p01", self->nearest_limit);
  add_number (json, "share_closer", self->share_closer);
  add_boolean (json, "copies", self->copies);
  json_builder_set_member_name (json, "closest");
  json_builder_begin_array (json);
  for (guint i = 0; i < self->closest->len; i++)
    {
      const UrbResemblance *pair = &g_array_index (self->closest, UrbResemblance, i);

      json_builder_begin_object (json);
      add_int (json, "generated", pair->generated);
      add_int (json, "area", pair->area);
      add_number (json, "distance", pair->distance);
      json_builder_end_object (json);
    }
  json_builder_end_array (json);
  json_builder_end_object (json);
}

static void
add_sources (JsonBuilder *json, const UrbEvaluation *self)
{
  const UrbSamplerInfo *info = self->sampler != NULL ? urb_sampler_get_info (self->sampler) : NULL;
  const UrbDatasetInfo *dataset = self->dataset != NULL ? urb_dataset_get_info (self->dataset)
                                                        : NULL;

  if (info != NULL)
    {
      begin_object (json, "checkpoint");
      add_string (json, "preset", info->preset);
      add_int (json, "step", info->step);
      add_int (json, "images", info->images);
      add_int (json, "size_px", info->size_px);
      add_int (json, "channels", info->n_channels);
      json_builder_end_object (json);
    }
  if (dataset != NULL)
    {
      begin_object (json, "dataset");
      add_string (json, "id", dataset->id);
      add_int (json, "n_train", dataset->n_split[URB_SPLIT_TRAIN]);
      add_int (json, "n_test", dataset->n_split[URB_SPLIT_TEST]);
      add_boolean (json, "trained_on_it", self->same_dataset);
      json_builder_end_object (json);
    }
}

char *
urb_evaluation_to_json (const UrbEvaluation *self)
{
  g_autoptr(JsonBuilder) json = json_builder_new ();
  g_autoptr(JsonGenerator) generator = json_generator_new ();
  g_autoptr(JsonNode) root = NULL;
  g_autofree char *seed = g_strdup_printf ("%" G_GUINT64_FORMAT, self->seed);

  json_builder_begin_object (json);
  add_sources (json, self);
  add_string (json, "seed", seed);
  begin_object (json, "n_tiles");
  for (int g = 0; g < URB_N_GROUPS; g++)
    add_int (json, urb_group_names[g], self->measured[g]->n_tiles);
  json_builder_end_object (json);
  begin_object (json, "measures");
  for (int m = 0; m < URB_N_MEASURES; m++)
    add_measure (json, self, (UrbMeasure) m);
  json_builder_end_object (json);
  begin_object (json, "score");
  for (int g = URB_GROUP_GENERATED; g < URB_N_GROUPS; g++)
    add_number (json, urb_group_names[g], self->score[g]);
  json_builder_end_object (json);
  add_nearest (json, self);
  json_builder_end_object (json);
  root = json_builder_get_root (json);
  json_generator_set_root (generator, root);
  json_generator_set_pretty (generator, TRUE);
  return json_generator_to_data (generator, NULL);
}

/* ------------------------------------------------------------------------ */
/* For people                                                                */

static void
append_number (GString *text, double value, const char *unit)
{
  g_autofree char *number = NULL;

  if (!isfinite (value))
    number = g_strdup ("-");
  else if (fabs (value) >= 100)
    number = g_strdup_printf ("%.0f%s%s", value, unit[0] != '\0' ? " " : "", unit);
  else
    number = g_strdup_printf ("%.*f%s%s", fabs (value) >= 10 ? 1 : 2, value,
                              unit[0] != '\0' ? " " : "", unit);
  for (glong n = g_utf8_strlen (number, -1); n < 11; n++)
    g_string_append_c (text, ' ');
  g_string_append (text, number);
}

static void
append_measure (GString *text, const UrbEvaluation *self, UrbMeasure measure)
{
  static const UrbGroup shown[] = { URB_GROUP_REAL, URB_GROUP_GENERATED, URB_GROUP_UNTRAINED };
  static const UrbGroup judged[] = { URB_GROUP_GENERATED, URB_GROUP_UNTRAINED, URB_GROUP_TRAIN };
  const UrbMeasureResult *result = &self->results[measure];

  g_string_append_printf (text, "%-27s", urb_measure_info[measure].title);
  for (gsize i = 0; i < G_N_ELEMENTS (shown); i++)
    append_number (text, urb_measure_to_display (measure, result->median[shown[i]]),
                   urb_measure_info[measure].unit);
  g_string_append (text, "   |");
  for (gsize i = 0; i < G_N_ELEMENTS (judged); i++)
    append_number (text, result->rho[judged[i]], "");
  g_string_append_c (text, '\n');
}

static const char *
get_verdict (double score)
{
  return score <= 1   ? "cannot be told from real areas by these measures"
         : score <= 2 ? "close to real areas"
         : score <= 5 ? "like real areas in kind, not yet in measure"
                      : "far from real areas";
}

static void
append_nearest (GString *text, const UrbEvaluation *self)
{
  g_string_append_printf (
    text,
    "\nDistance to the most similar training area (share of the built and paved ground that "
    "differs):\n"
    "  generated %.1f %%, real areas never trained on %.1f %% (medians); %.1f %% of the generated\n"
    "  are closer than %.1f %%, which 1 %% of the real ones are.\n",
    100 * self->nearest_generated, 100 * self->nearest_real, 100 * self->share_closer,
    100 * self->nearest_limit);
  if (self->copies)
    g_string_append (text,
                     "  WARNING: the generator repeats training areas. Train on more areas, or "
                     "for a shorter time.\n");
}

char *
urb_evaluation_to_text (const UrbEvaluation *self)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text,
                          "%" G_GINT64_FORMAT " generated areas against %" G_GINT64_FORMAT
                          " real ones that were held out\n\n"
                          "                           median value                        |  "
                          "distance from real, 1 = limit of chance\n"
                          "                                  real  generated  untrained   |  "
                          "generated  untrained   training\n",
                          self->measured[URB_GROUP_GENERATED]->n_tiles,
                          self->measured[URB_GROUP_REAL]->n_tiles);
  for (int m = 0; m < URB_N_MEASURES; m++)
    append_measure (text, self, (UrbMeasure) m);
  g_string_append_printf (text, "%-60s   |", "Geometric mean");
  append_number (text, self->score[URB_GROUP_GENERATED], "");
  append_number (text, self->score[URB_GROUP_UNTRAINED], "");
  append_number (text, self->score[URB_GROUP_TRAIN], "");
  g_string_append_printf (
    text,
    "\n\nThe generated areas are %s.\n"
    "(1 is the distance that two random halves of the real areas keep within, 95 "
    "times of 100;\nthe last column is how far real training areas are, from "
    "other places.)\n",
    get_verdict (self->score[URB_GROUP_GENERATED]));
  if (self->measured[URB_GROUP_REAL]->n_tiles < 30)
    g_string_append (text, "Few areas were held out, so the limit of chance is wide: read small "
                           "numbers with care.\n");
  if (self->closest->len > 0)
    append_nearest (text, self);
  if (self->dataset != NULL && !self->same_dataset)
    g_string_append (text, "\nThe generator was trained on another dataset than this one.\n");
  return g_string_free (text, FALSE);
}
