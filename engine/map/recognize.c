/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recognize.c - detects the profile that fits a map best.
 *
 * The rules of each profile are tried on the first objects of each layer.  What counts is how many of
 * them would become part of the map, how many of these no other kind of map has, and whether the
 * map lies in the profile's country.  docs/profiles.md documents the points.
 */
#include <math.h>

#include "map/ogr-private.h"

#define POINTS_USED     60
#define POINTS_PROVEN   20
#define POINTS_NATIONAL 20 /* in the country's coordinate system */
#define POINTS_INSIDE   10 /* in the country */
#define GENERIC         "generic"
#define WEIGHT_UNKNOWN  0.5 /* of an object with a value that is not in the table of a rule for its layer */
#define WEIGHT_IGNORED  0.5 /* of an object that is left out on purpose, beside one that is used */

/* -------- One layer -------- */

typedef struct
{
  gint64 n;
  double n_used, n_proven, n_ignored;
} Count;

/* 0: it is not part of any map. */
static UrbGeometryKind
find_kind (OGRFeatureH sample, const UrbLayerFacts *facts, gboolean has_labels)
{
  static const char *const drawings[] = { "DXF", "DGN", "CAD", NULL };
  OGRGeometryH shape = urb_feature_get_shape (sample);
  UrbGeometryKind kind;

  if (shape == NULL || OGR_G_IsEmpty (shape))
    return has_labels ? URB_GEOMETRY_AREA : 0; /* its outline is in another table */
  kind = urb_geometry_get_kind (shape);
  if (kind == URB_GEOMETRY_LINE && g_strv_contains (drawings, facts->driver)
      && urb_line_is_closed (shape))
    return URB_GEOMETRY_AREA;
  return kind;
}

static void
count_object (Count *count, const UrbDecision *decision, UrbVerdict verdict, UrbMapLayer *layer,
              UrbGeometryKind kind)
{
  const UrbRule *rule = decision->rule;
  double is_used = 0; /* half, if the rule is for such layers, but does not know the value */

  count->n++;
  if (rule == NULL)
    return;
  if (verdict == URB_VERDICT_SUPERSEDED)
    is_used = 1; /* the rule knows such objects well */
  else
    {
      const UrbMapValue *value = g_ptr_array_index (layer->values, decision->value);
      if (decision->class_ != URB_CLASS_IGNORE
          && (kind == URB_GEOMETRY_AREA || decision->width_m > 0 || decision->closed_lines_are_areas))
        is_used = value->known ? 1 : urb_rule_is_for_any_layer (rule) ? 0 : WEIGHT_UNKNOWN;
      count->n_ignored += decision->class_ == URB_CLASS_IGNORE && !urb_rule_is_for_any_layer (rule);
    }
  count->n_used += is_used;
  count->n_proven += rule->is_common ? 0 : is_used;
}

/* Without objects to try, as in a stream, the first rule counts that is for this layer, or asks for
 * certain fields. */
static void
count_rules (Count *count, const UrbProfile *profile, const UrbLayerFacts *facts)
{
  g_autoptr(GPtrArray) rules = urb_profile_find_rules (profile, facts);

  count->n = 1;
  for (guint i = 0; i < rules->len; i++)
    {
      const UrbRule *rule = g_ptr_array_index (rules, i);
      gboolean is_for_any = urb_rule_is_for_any_layer (rule);

      if (is_for_any && rule->needs == NULL)
        continue;
      if (rule->attributes == NULL && rule->class_ == URB_CLASS_IGNORE)
        count->n_ignored = 1;
      else
        {
          count->n_used = 1;
          count->n_proven = !rule->is_common && !is_for_any;
        }
      return;
    }
}

static Count
try_profile (const UrbProfile *profile, const UrbLayerFacts *facts, OGRFeatureH *samples,
             int n_samples)
{
  static const UrbMapOptions no_options = { 0 };
  g_autoptr(UrbMapBuilder) scratch = urb_map_builder_new ();
  UrbMapLayer *layer = urb_map_builder_add_layer (scratch, "", "");
  g_autoptr(UrbClassifier) classifier = urb_classifier_new (profile, facts, layer, &no_options);
  gboolean has_labels = urb_profile_find_label_rule (profile, facts) != NULL;
  Count count = { 0 };

  for (int i = 0; i < n_samples; i++)
    {
      UrbGeometryKind kind = find_kind (samples[i], facts, has_labels);
      UrbDecision decision;
      UrbVerdict verdict;

      if (kind == 0)
        continue;
      verdict = urb_classifier_decide (classifier, &(UrbRow){ .feature = samples[i] }, kind, &decision);
      count_object (&count, &decision, verdict, layer, kind);
    }
  if (n_samples == 0)
    count_rules (&count, profile, facts);
  return count;
}

void
urb_recognize_layer (UrbSourceLayer *layer, const UrbLayerFacts *facts, GPtrArray *profiles,
                     OGRFeatureH *samples, int n_samples)
{
  double n_objects = layer->n_features > 0 ? (double) layer->n_features : 1;

  for (guint i = 0; i < profiles->len; i++)
    {
      Count count = try_profile (g_ptr_array_index (profiles, i), facts, samples, n_samples);
      double share = n_samples > 0 ? (double) count.n / n_samples : 1;

      if (count.n == 0)
        continue;
      layer->weight = MAX (layer->weight, n_objects * share);
      layer->fits[i] = (UrbFit){ .used = count.n_used / count.n,
                                 .proven = count.n_proven / count.n,
                                 .ignored = count.n_ignored / count.n };
    }
}

/* -------- The whole map -------- */

/* Without a proof, being in the country is worth half. */
static double
points_for (UrbPlace place, gboolean is_proven)
{
  switch (place)
    {
    case URB_PLACE_NATIONAL:
      return is_proven ? POINTS_NATIONAL : POINTS_NATIONAL / 2;
    case URB_PLACE_INSIDE:
      return is_proven ? POINTS_INSIDE : POINTS_INSIDE / 2;
    case URB_PLACE_GUESSED:
      /* The same numbers occur in the coordinate systems of other countries. */
      return is_proven ? POINTS_INSIDE : 0;
    case URB_PLACE_UNKNOWN:
    case URB_PLACE_OUTSIDE:
    default:
      return 0;
    }
}

/* The one for all other maps, of which nothing is a proof. */
static gboolean
is_generic (const UrbProfile *profile)
{
  return g_str_equal (profile->name, GENERIC);
}

/* @index: of the profile.  Objects outside its country count as not used; 0 if most lie there. */
static double
score (const UrbProfile *profile, guint index, GPtrArray *sources)
{
  double all = 0, used = 0, proven = 0, ignored = 0, place = 0, outside = 0;

  for (guint s = 0; s < sources->len; s++)
    {
      const UrbSource *source = g_ptr_array_index (sources, s);
      for (guint i = 0; i < source->layers->len; i++)
        {
          const UrbSourceLayer *layer = g_ptr_array_index (source->layers, i);
          const UrbFit *fit = &layer->fits[index];
          UrbPlace found;

          all += layer->weight;
          ignored += layer->weight * fit->ignored;
          if (fit->used == 0)
            continue;
          found = urb_crs_find_place (profile, layer);
          if (found == URB_PLACE_OUTSIDE)
            {
              outside += layer->weight * fit->used;
              continue;
            }
          used += layer->weight * fit->used;
          proven += is_generic (profile) ? 0 : layer->weight * fit->proven;
          place += layer->weight * fit->used * points_for (found, fit->proven > 0);
        }
    }
  if (used <= outside)
    return 0;
  return POINTS_USED * (used + WEIGHT_IGNORED * ignored) / all + POINTS_PROVEN * proven / used
         + place / used;
}

static int
compare_fits (gconstpointer a, gconstpointer b)
{
  const UrbMapFit *p = a, *q = b;

  if (p->score != q->score)
    return p->score < q->score ? 1 : -1;
  return g_str_equal (q->profile, GENERIC) - g_str_equal (p->profile, GENERIC);
}

UrbProfile *
urb_recognize (GPtrArray *profiles, GPtrArray *sources, UrbMapBuilder *builder)
{
  g_autoptr(GArray) fits = g_array_new (FALSE, FALSE, sizeof (UrbMapFit));
  UrbProfile *best = NULL;
  double best_score = -1;

  for (guint i = 0; i < profiles->len; i++)
    {
      UrbProfile *profile = g_ptr_array_index (profiles, i);
      UrbMapFit fit = { profile->name, score (profile, i, sources) };

      g_array_append_val (fits, fit);
      /* Among equals, the one that assumes least. */
      if (fit.score > best_score || (fit.score == best_score && is_generic (profile)))
        {
          best = profile;
          best_score = fit.score;
        }
    }
  g_array_sort (fits, compare_fits);
  for (guint i = 0; i < fits->len; i++)
    {
      const UrbMapFit *fit = &g_array_index (fits, UrbMapFit, i);
      urb_map_builder_add_fit (builder, fit->profile, fit->score);
    }
  return best;
}
