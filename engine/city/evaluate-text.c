/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evaluate-text.c - the evaluation as JSON and as a table.
 */
#include <math.h>

#include "base/json-build.h"
#include "city/evaluate.h"

static void
add_values (JsonBuilder *json, const UrbComparison *self, UrbMeasure measure)
{
  urb_json_begin_object (json, "values");
  for (int g = 0; g < URB_N_GROUPS; g++)
    {
      g_autoptr(GArray) ends = g_array_new (FALSE, FALSE, sizeof (guint));
      g_autoptr(GArray) values = urb_measurements_thin (self->measured[g], measure,
                                                        URB_EVALUATION_MAX_VALUES, ends);

      urb_json_begin_array (json, urb_group_names[g]);
      for (guint i = 0; i < values->len; i++)
        {
          /* Five significant digits, enough for a drawing. */
          double value = urb_measure_to_display (measure, g_array_index (values, double, i));
          double digits = value != 0 ? pow (10, 4 - floor (log10 (fabs (value)))) : 1;

          urb_json_add_double (json, NULL, round (value * digits) / digits);
        }
      urb_json_end_array (json);
      if (g != URB_GROUP_REAL)
        continue;
      urb_json_begin_array (json, "real_ends");
      for (guint i = 0; i < ends->len; i++)
        urb_json_add_int (json, NULL, g_array_index (ends, guint, i));
      urb_json_end_array (json);
    }
  urb_json_end_object (json);
}

static void
add_measure (JsonBuilder *json, const UrbComparison *self, UrbMeasure measure,
             UrbEvaluationDetail detail)
{
  const UrbMeasureResult *result = &self->results[measure];

  urb_json_begin_object (json, urb_measure_info[measure].name);
  urb_json_add_string (json, "title", urb_measure_info[measure].title);
  urb_json_add_string (json, "unit", urb_measure_info[measure].unit);
  urb_json_add_string (json, "group", urb_measure_info[measure].group);
  urb_json_begin_object (json, "median");
  for (int g = 0; g < URB_N_GROUPS; g++)
    urb_json_add_double (json, urb_group_names[g],
                         urb_measure_to_display (measure, result->median[g]));
  urb_json_end_object (json);
  urb_json_begin_object (json, "noise");
  urb_json_add_double (json, "median", result->noise.median);
  urb_json_add_double (json, "q95", result->noise.q95);
  urb_json_add_double (json, "medians_q95", result->noise.medians_q95);
  urb_json_end_object (json);
  urb_json_begin_object (json, "w1");
  for (int g = URB_GROUP_GENERATED; g < URB_N_GROUPS; g++)
    urb_json_add_double (json, urb_group_names[g], result->distance[g]);
  urb_json_end_object (json);
  urb_json_begin_object (json, "rho");
  for (int g = URB_GROUP_GENERATED; g < URB_N_GROUPS; g++)
    urb_json_add_double (json, urb_group_names[g], result->rho[g]);
  urb_json_end_object (json);
  urb_json_add_double (json, "limit", result->limit);
  urb_json_add_bool (json, "half_off", result->half_off);
  urb_json_add_int (json, "rank", result->rank);
  if (detail == URB_EVALUATION_VALUES)
    add_values (json, self, measure);
  urb_json_end_object (json);
}

/* The areas as wholes. */
static void
add_sets (JsonBuilder *json, const UrbComparison *self)
{
  urb_json_begin_object (json, "sets");
  for (int g = URB_GROUP_GENERATED; g < URB_N_GROUPS; g++)
    {
      urb_json_begin_object (json, urb_group_names[g]);
      urb_json_add_double (json, "kid", self->sets[g].kid.value);
      urb_json_add_double (json, "kid_error", self->sets[g].kid.error);
      urb_json_add_double (json, "precision", self->sets[g].precision);
      urb_json_add_double (json, "recall", self->sets[g].recall);
      urb_json_end_object (json);
    }
  urb_json_end_object (json);
}

/* @other: (nullable): the values of measures that it has are left out */
static void
add_comparison (JsonBuilder *json, const UrbComparison *self, const UrbComparison *other,
                UrbEvaluationDetail detail)
{
  urb_json_add_int (json, "size_px", self->size_px);
  urb_json_begin_object (json, "measures");
  for (int m = 0; m < URB_N_MEASURES; m++)
    if (urb_comparison_has (self, (UrbMeasure) m))
      add_measure (json, self, (UrbMeasure) m,
                   other != NULL && urb_comparison_has (other, (UrbMeasure) m)
                     ? URB_EVALUATION_SUMMARY : detail);
  urb_json_end_object (json);
  add_sets (json, self);
  urb_json_begin_object (json, "score");
  for (int g = URB_GROUP_GENERATED; g < URB_N_GROUPS; g++)
    urb_json_add_double (json, urb_group_names[g], self->score[g]);
  urb_json_end_object (json);
  urb_json_add_string (json, "verdict", urb_verdict_names[self->verdict]);
  urb_json_begin_array (json, "worst");
  for (guint i = 0; i < self->n_worst; i++)
    urb_json_add_string (json, NULL, urb_measure_info[self->ranking[i]].name);
  urb_json_end_array (json);
}

static double
get_area_size_m (const UrbEvaluation *self)
{
  return urb_dataset_get_info (self->dataset)->area_size_m;
}

static void
add_copies (JsonBuilder *json, const UrbEvaluation *self)
{
  const UrbCopying *copying = &self->copying;

  urb_json_begin_object (json, "copies");
  urb_json_add_bool (json, "found", copying->copies);
  urb_json_add_int (json, "repeats", copying->n_repeats);
  urb_json_add_double (json, "share_repeats", copying->share_repeats);
  urb_json_add_double (json, "share_real_repeats", copying->share_real);
  urb_json_add_double (json, "limit", copying->limit);
  urb_json_add_int (json, "shared", copying->n_shared);
  urb_json_begin_array (json, "closest");
  for (guint i = 0; i < self->closest->len; i++)
    {
      const UrbResemblance *pair = &g_array_index (self->closest, UrbResemblance, i);

      urb_json_begin_object (json, NULL);
      urb_json_add_int (json, "generated", pair->generated);
      urb_json_add_int (json, "area", pair->nearest.index);
      urb_json_add_double (json, "share", pair->nearest.share);
      urb_json_add_bool (json, "repeats", pair->repeats);
      urb_json_add_int (json, "d4", pair->nearest.d4);
      urb_json_add_double (json, "shift_m", urb_nearest_get_shift_m (&pair->nearest,
                                                                     get_area_size_m (self)));
      urb_json_end_object (json);
    }
  urb_json_end_array (json);
  urb_json_end_object (json);
}

static void
add_sources (JsonBuilder *json, const UrbEvaluation *self)
{
  const UrbSamplerInfo *info = self->sampler != NULL ? urb_sampler_get_info (self->sampler) : NULL;
  const UrbDatasetInfo *dataset = self->dataset != NULL ? urb_dataset_get_info (self->dataset)
                                                        : NULL;

  if (self->images != NULL)
    {
      const UrbImageSetInfo *images = urb_image_set_get_info (self->images);

      urb_json_begin_object (json, "images");
      urb_json_add_int (json, "n", images->n);
      urb_json_add_int (json, "image_px", images->image_px);
      urb_json_add_int (json, "size_px", images->size_px);
      urb_json_add_int (json, "channels", images->n_channels);
      urb_json_end_object (json);
    }
  if (info != NULL)
    {
      urb_json_begin_object (json, "checkpoint");
      urb_json_add_string (json, "preset", info->preset);
      urb_json_add_int (json, "step", info->step);
      urb_json_add_int (json, "images", info->images);
      urb_json_add_int (json, "size_px", info->size_px);
      urb_json_add_int (json, "channels", info->n_channels);
      urb_json_end_object (json);
    }
  if (dataset != NULL)
    {
      urb_json_begin_object (json, "dataset");
      urb_json_add_string (json, "path", self->dataset_path);
      urb_json_add_string (json, "id", dataset->id);
      urb_json_add_int (json, "n_train", dataset->n_split[URB_SPLIT_TRAIN]);
      urb_json_add_int (json, "n_test", dataset->n_split[URB_SPLIT_TEST]);
      if (info != NULL)
        urb_json_add_bool (json, "trained_on_it", self->same_dataset);
      urb_json_end_object (json);
    }
}

char *
urb_evaluation_to_json (const UrbEvaluation *self, UrbEvaluationDetail detail)
{
  g_autoptr(JsonBuilder) json = json_builder_new ();
  g_autofree char *seed = g_strdup_printf ("%" G_GUINT64_FORMAT, self->seed);

  urb_json_begin_object (json, NULL);
  add_sources (json, self);
  urb_json_add_string (json, "seed", seed);
  urb_json_begin_object (json, "n_tiles");
  for (int g = 0; g < URB_N_GROUPS; g++)
    urb_json_add_int (json, urb_group_names[g], self->plans->measured[g]->n_tiles);
  urb_json_end_object (json);
  urb_json_add_int (json, "n_places", self->plans->n_places);
  urb_json_add_int (json, "n_missing", self->n_missing);
  add_comparison (json, self->plans, NULL, detail);
  urb_json_begin_object (json, "pixels");
  add_comparison (json, self->pixels, self->plans, detail);
  urb_json_end_object (json);
  add_copies (json, self);
  urb_json_end_object (json);
  return detail == URB_EVALUATION_VALUES ? urb_json_dup_line (json)
                                         : urb_json_dup_text (json);
}

/* ------------------------------------------------------------------------ */
/* Table                                                                     */

static void
append_number (GString *text, double value, const char *unit)
{
  int n_decimals = fabs (value) >= 100 ? 0 : fabs (value) >= 10 ? 1 : 2;
  g_autofree char *number
    = isfinite (value) ? g_strdup_printf ("%.*f%s%s", n_decimals, value,
                                          unit[0] != '\0' ? " " : "", unit)
                       : g_strdup ("-");

  for (glong n = g_utf8_strlen (number, -1); n < 11; n++)
    g_string_append_c (text, ' ');
  g_string_append (text, number);
}

/* "city 17 repeats 83 % of area 204, turned by 90°, mirrored, shifted by 12 m" */
static void
append_pair (GString *text, const UrbEvaluation *self, const UrbResemblance *pair)
{
  const UrbNearest *nearest = &pair->nearest;
  double shift_m = urb_nearest_get_shift_m (nearest, get_area_size_m (self));

  g_string_append_printf (text, "  city %" G_GINT64_FORMAT " repeats %.0f %% of area %" G_GINT64_FORMAT,
                          pair->generated + 1, 100 * nearest->share, nearest->index + 1);
  if ((nearest->d4 & 3) != 0)
    g_string_append_printf (text, ", turned by %d°", 90 * (nearest->d4 & 3));
  if ((nearest->d4 & 4) != 0)
    g_string_append (text, ", mirrored");
  if (shift_m > 0)
    g_string_append_printf (text, ", shifted by %.0f m", shift_m);
  g_string_append_c (text, '\n');
}

static void
append_copies (GString *text, const UrbEvaluation *self)
{
  const UrbCopying *copying = &self->copying;

  g_string_append_printf (
    text,
    "\n%" G_GINT64_FORMAT " of the generated areas (%.1f %%) repeat a training area: at least %.0f %% of "
    "their built and paved\nground agrees, turned, mirrored or shifted. By chance, one at most does, "
    "and %.1f %% of the held-out areas.\n",
    copying->n_repeats, 100 * copying->share_repeats, 100 * copying->limit,
    100 * copying->share_real);
  for (guint i = 0; i < self->closest->len; i++)
    if (g_array_index (self->closest, UrbResemblance, i).repeats)
      append_pair (text, self, &g_array_index (self->closest, UrbResemblance, i));
  if (copying->n_repeats > self->closest->len)
    g_string_append (text, "  ...\n");
  if (copying->copies)
    g_string_append (text, "WARNING: the generator copies training areas. Train on more areas, or "
                           "for a shorter time.\n");
}

/* Held-out areas that are training areas make every other result worthless. */
static void
append_shared (GString *text, const UrbEvaluation *self)
{
  g_string_append_printf (
    text,
    "\nWARNING: %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " held-out areas are training areas too, so "
    "there is no verdict.\nCurate the dataset again: curate keeps training and test areas apart.\n",
    self->copying.n_shared, self->plans->measured[URB_GROUP_REAL]->n_tiles);
}

/* Medians of real, generated, untrained; rho of generated, untrained, train; the rank. */
static void
append_row (GString *text, const UrbComparison *self, UrbMeasure measure)
{
  const UrbMeasureResult *result = &self->results[measure];
  const char *unit = urb_measure_info[measure].unit;

  g_string_append_printf (text, "  %-25s", urb_measure_info[measure].title);
  for (int g = URB_GROUP_REAL; g <= URB_GROUP_UNTRAINED; g++)
    append_number (text, urb_measure_to_display (measure, result->median[g]), unit);
  g_string_append (text, "   |");
  for (int g = URB_GROUP_GENERATED; g <= URB_GROUP_TRAIN; g++)
    append_number (text, result->rho[g], "");
  if (result->rank > 0)
    g_string_append_printf (text, "%6d", result->rank);
  else
    g_string_append (text, "     -");
  g_string_append (text, result->half_off ? " *\n" : "\n");
}

static void
append_sets (GString *text, const UrbComparison *self)
{
  g_string_append_printf (text, "%-60s   |", "Kernel distance of whole areas (KID)");
  for (int g = URB_GROUP_GENERATED; g <= URB_GROUP_TRAIN; g++)
    append_number (text, self->sets[g].kid.value, "");
  g_string_append_printf (text, "\n%-60s   |", "  its standard error");
  for (int g = URB_GROUP_GENERATED; g <= URB_GROUP_TRAIN; g++)
    append_number (text, self->sets[g].kid.error, "");
  g_string_append_printf (text, "\n%-60s   |", "Precision: areas that are like real ones");
  for (int g = URB_GROUP_GENERATED; g <= URB_GROUP_TRAIN; g++)
    append_number (text, 100 * self->sets[g].precision, "%");
  g_string_append_printf (text, "\n%-60s   |", "Recall: real areas that are like them");
  for (int g = URB_GROUP_GENERATED; g <= URB_GROUP_TRAIN; g++)
    append_number (text, 100 * self->sets[g].recall, "%");
  g_string_append_c (text, '\n');
}

static void
append_table (GString *text, const UrbComparison *self)
{
  const char *group = NULL;

  g_string_append (text, "                           median value                        |  "
                         "distance from real, 1 = chance level\n"
                         "                                  real  generated  untrained   |  "
                         "generated  untrained   training  rank\n");
  for (int m = 0; m < URB_N_MEASURES; m++)
    {
      if (!urb_comparison_has (self, (UrbMeasure) m))
        continue;
      if (g_strcmp0 (urb_measure_info[m].group, group) != 0)
        g_string_append_printf (text, "%-60s   |\n", urb_measure_info[m].group);
      group = urb_measure_info[m].group;
      append_row (text, self, (UrbMeasure) m);
    }
  g_string_append_printf (text, "%-60s   |", "Geometric mean");
  for (int g = URB_GROUP_GENERATED; g <= URB_GROUP_TRAIN; g++)
    append_number (text, self->score[g], "");
  g_string_append_c (text, '\n');
  append_sets (text, self);
}

static void
append_verdict (GString *text, const UrbComparison *self)
{
  static const char *const sentences[] = {
    [URB_VERDICT_ALIKE] = "The plans are on average as close to real areas as these are to each other",
    [URB_VERDICT_CLOSE] = "The plans are close to real areas",
    [URB_VERDICT_SIMILAR] = "The plans are similar to real areas, with clear differences",
    [URB_VERDICT_FAR] = "The plans are far from real areas",
  };

  if (self->verdict == URB_VERDICT_NONE)
    {
      g_string_append_printf (
        text, "\nNo verdict: it takes %d held-out areas in %d places. Curate a larger map, more of it "
              "with\n--test-share, or divide it differently with --seed.\n",
        URB_VERDICT_MIN_AREAS, URB_VERDICT_MIN_PLACES);
      return;
    }
  g_string_append_printf (text, "\n%s", sentences[self->verdict]);
  for (guint i = 0; i < self->n_worst; i++)
    {
      const UrbMeasureResult *result = &self->results[self->ranking[i]];

      g_string_append_printf (text, "%s %s (%.1f%s)", i == 0 ? "; farthest from them in:" : ",",
                              urb_measure_info[self->ranking[i]].title,
                              result->rho[URB_GROUP_GENERATED],
                              result->half_off ? ", median off by half" : "");
    }
  g_string_append (text, ".\n");
}

char *
urb_evaluation_to_text (const UrbEvaluation *self)
{
  const UrbComparison *plans = self->plans;
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "%" G_GINT64_FORMAT " generated areas compared with %" G_GINT64_FORMAT
                                " held-out real %s in %u %s\n\nPlans, at %d pixels\n",
                          plans->measured[URB_GROUP_GENERATED]->n_tiles,
                          plans->measured[URB_GROUP_REAL]->n_tiles,
                          plans->measured[URB_GROUP_REAL]->n_tiles == 1 ? "area" : "areas",
                          plans->n_places, plans->n_places == 1 ? "place" : "places",
                          plans->size_px);
  append_table (text, plans);
  g_string_append_printf (text, "\n%s, at %d pixels\n",
                          self->images != NULL ? "The images' pixels" : "The generator's pixels",
                          self->pixels->size_px);
  append_table (text, self->pixels);
  if (self->copying.n_shared > 0)
    append_shared (text, self);
  else
    append_verdict (text, plans);
  g_string_append (text,
                   "(1 is the distance that two random halves of the held-out areas stay below in 95 of "
                   "100 splits,\nor that of the training areas if they are farther; the column "
                   "'training' is in units\nof the halves.  * The median is off by half or more, "
                   "beyond chance.)\n");
  if (plans->measured[URB_GROUP_REAL]->n_tiles < 30)
    g_string_append (text, "Few areas were held out, so the chance level is overestimated: "
                           "interpret small numbers with care.\n");
  if (self->n_missing > 0)
    g_string_append_printf (text, "%" G_GINT64_FORMAT " %s of the plans could not be made and %s missing.\n", self->n_missing,
                            self->n_missing == 1 ? "shape" : "shapes", self->n_missing == 1 ? "is" : "are");
  append_copies (text, self);
  if (self->sampler != NULL && !self->same_dataset)
    g_string_append (text, "\nThe generator was trained on a different dataset.\n");
  return g_string_free (text, FALSE);
}
