/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recognize.c - which profile fits a source best.
 *
 * Points for names that fit, for fields that are there, and most of all for
 * values that are known; see docs/profiles.md, which documents these numbers.
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
/* Less than an exact name is no recognition. */
#define MIN_POINTS        2

static double
score_name (const UrbRule *rule, const char *plain_name)
{
  double best = 0;

  for (char **pattern = rule->layers; *pattern != NULL; pattern++)
    if (urb_glob_match (*pattern, plain_name))
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

/* The share of the sampled values that the rule's table knows. */
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

/* Whether a layer lies, by its numbers, where the profile's data lies. */
static gboolean
lies_there (const UrbProfile *profile, const UrbSourceLayer *layer)
{
  for (guint i = 0; i < profile->guesses->len; i++)
    {
      UrbBox box = ((UrbCrsGuess *) g_ptr_array_index (profile->guesses, i))->box;
      if (layer->middle_x >= box.min_x && layer->middle_x <= box.max_x &&
          layer->middle_y >= box.min_y && layer->middle_y <= box.max_y)
        return TRUE;
    }
  return FALSE;
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
            sum += *score + (lies_there (profile, layer) ? POINTS_PLACE : 0);
          else if (score != NULL)
            sum += *score;
        }
    }
  return sum;
}

/* The generic profile comes when no other has enough. */
UrbProfile *
urb_recognize (GPtrArray *profiles, GPtrArray *sources)
{
  UrbProfile *best = NULL;
  double best_score = MIN_POINTS;

  for (guint i = 0; i < profiles->len; i++)
    {
      UrbProfile *profile = g_ptr_array_index (profiles, i);
      gboolean is_generic = g_str_equal (profile->name, "generic");
      double score = is_generic ? 0 : score_sources (profile, sources);
      if (best == NULL && is_generic)
        best = profile;
      if (score >= best_score && !is_generic)
        {
          /* Of equals the first stays. */
          if (score > best_score || best == NULL || g_str_equal (best->name, "generic"))
            best = profile;
          best_score = score;
        }
    }
  return best;
}
