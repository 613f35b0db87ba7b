/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recognize.c - detects the profile that fits a source best.
 *
 * Scores matching names, existing fields and, above all, known values;
 * docs/profiles.md documents the scores.
 */
#include <string.h>

#include "map/ogr-private.h"

#define POINTS_EXACT_NAME 3
#define POINTS_PATTERN    2
#define POINTS_FIELD      2
#define POINTS_DRIVER     4
#define POINTS_VALUES     6
#define POINTS_IGNORED    0.5
#define POINTS_PLACE      0.5
/* A lower score than an exact name does not count. */
#define MIN_POINTS        2

static double
score_name (const UrbRule *rule, const char *plain_name)
{
  double best = 0;

  for (char **pattern = rule->layers; *pattern != NULL; pattern++)
    if (g_pattern_match_simple (*pattern, plain_name))
      best = MAX (best, g_str_equal (*pattern, "*")        ? 0
                        : strpbrk (*pattern, "*?") == NULL ? POINTS_EXACT_NAME
                                                           : POINTS_PATTERN);
  return best;
}

static int
find_attribute (const UrbRule *rule, OGRFeatureDefnH defn)
{
  for (char **name = rule->attributes; name != NULL && *name != NULL; name++)
    {
      int index = OGR_FD_GetFieldIndex (defn, *name);
      if (index >= 0)
        return index;
    }
  return -1;
}

/* The share of sampled values that are in the rule's table. */
static double
share_of_known (const UrbRule *rule, int field, OGRFeatureH *samples, int n_samples)
{
  int n_known = 0, n_values = 0;

  for (int i = 0; i < n_samples; i++)
    {
      g_autofree char *plain = NULL;
      double number;
      if (!OGR_F_IsFieldSetAndNotNull (samples[i], field))
        continue;
      plain = urb_plain_text (OGR_F_GetFieldAsString (samples[i], field), FALSE);
      n_values++;
      n_known += urb_table_lookup (rule->values, plain, &number);
    }
  return n_values > 0 ? (double) n_known / n_values : 0;
}

static double
score_rule (const UrbRule *rule, const UrbLayerFacts *facts, OGRFeatureH *samples, int n_samples)
{
  double name = MAX (score_name (rule, facts->plain_name), score_name (rule, facts->plain_stem));
  double points = name;
  int field = find_attribute (rule, facts->defn);

  if (rule->attributes == NULL && rule->class_ == URB_CLASS_IGNORE)
    return name > 0 ? POINTS_IGNORED : 0;
  if (rule->drivers != NULL)
    points += POINTS_DRIVER;
  if (rule->needs != NULL && name > 0)
    points += POINTS_FIELD;
  if (field >= 0)
    points += POINTS_VALUES * share_of_known (rule, field, samples, n_samples);
  return points;
}

double
urb_profile_score_layer (const UrbProfile *profile, const UrbLayerFacts *facts,
                         OGRFeatureH *samples, int n_samples)
{
  g_autoptr(GPtrArray) rules = urb_profile_find_rules (profile, facts);
  double best = 0;

  for (guint i = 0; i < rules->len; i++)
    best = MAX (best, score_rule (g_ptr_array_index (rules, i), facts, samples, n_samples));
  return best;
}

static double
score_sources (const UrbProfile *profile, GPtrArray *sources)
{
  double sum = 0;

  for (guint s = 0; s < sources->len; s++)
    {
      UrbSource *source = g_ptr_array_index (sources, s);
      for (guint i = 0; i < source->layers->len; i++)
        {
          UrbSourceLayer *layer = g_ptr_array_index (source->layers, i);
          const double *score = g_hash_table_lookup (layer->scores, profile->name);
          if (score != NULL && *score > POINTS_IGNORED)
            sum += *score + (urb_profile_find_guess (profile, layer->middle_x, layer->middle_y) != NULL
                               ? POINTS_PLACE
                               : 0);
          else if (score != NULL)
            sum += *score;
        }
    }
  return sum;
}

/* The first of the best-scoring profiles, or the generic one if none scores enough. */
UrbProfile *
urb_recognize (GPtrArray *profiles, GPtrArray *sources)
{
  UrbProfile *best = NULL, *generic = NULL;
  double best_score = 0;

  for (guint i = 0; i < profiles->len; i++)
    {
      UrbProfile *profile = g_ptr_array_index (profiles, i);
      double score;
      if (g_str_equal (profile->name, "generic"))
        {
          generic = profile;
          continue;
        }
      score = score_sources (profile, sources);
      if (score >= MIN_POINTS && (best == NULL || score > best_score))
        {
          best = profile;
          best_score = score;
        }
    }
  return best != NULL ? best : generic;
}
