/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cities/realism-words.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "app/base/format.h"
#include "city/comparison.h"

static UrbariumRealismLevel
get_level (double rho)
{
  return isnan (rho) ? URBARIUM_REALISM_UNKNOWN
         : rho <= 1  ? URBARIUM_REALISM_ALIKE
         : rho <= 2  ? URBARIUM_REALISM_CLOSE
         : rho <= 5  ? URBARIUM_REALISM_APART
                     : URBARIUM_REALISM_FAR;
}

/* A median that is off by half is not close, however much real areas vary. */
UrbariumRealismLevel
urbarium_realism_get_level (const UrbariumRealismMeasure *measure)
{
  UrbariumRealismLevel level = get_level (measure->rho);
  return measure->half_off ? MAX (level, URBARIUM_REALISM_APART) : level;
}

UrbariumRealismLevel
urbarium_realism_get_overall_level (const UrbariumRealismResult *result)
{
  static const char *const verdicts[] = {
    [URBARIUM_REALISM_ALIKE] = "alike",
    [URBARIUM_REALISM_CLOSE] = "close",
    [URBARIUM_REALISM_APART] = "similar",
    [URBARIUM_REALISM_FAR] = "far",
  };
  if (result->verdict == NULL)
    return get_level (result->score);
  for (guint i = 0; i < G_N_ELEMENTS (verdicts); i++)
    if (strcmp (result->verdict, verdicts[i]) == 0)
      return (UrbariumRealismLevel) i;
  return URBARIUM_REALISM_UNKNOWN;
}

static const struct
{
  const char *icon, *style, *verdict, *conclusion;
} levels[] = {
  [URBARIUM_REALISM_ALIKE] = { "emblem-ok-symbolic", "success",
    /* translators: how one measure of the generated areas compares with real ones */
    N_ ("Like real areas"), N_ ("Indistinguishable from real areas") },
  [URBARIUM_REALISM_CLOSE] = { "object-select-symbolic", "success",
    N_ ("Close to real areas"), N_ ("Close to real areas") },
  [URBARIUM_REALISM_APART] = { "dialog-warning-symbolic", "warning",
    N_ ("Noticeably different"), N_ ("Plausible, but measurably different") },
  [URBARIUM_REALISM_FAR] = { "dialog-error-symbolic", "error",
    N_ ("Far from real areas"), N_ ("Far from real areas") },
  [URBARIUM_REALISM_UNKNOWN] = { "dialog-question-symbolic", "dim-label",
    N_ ("No verdict: real areas do not vary here"), N_ ("No verdict") },
};

const char *
urbarium_realism_get_icon (UrbariumRealismLevel level)
{
  return levels[level].icon;
}

const char *
urbarium_realism_get_style (UrbariumRealismLevel level)
{
  return levels[level].style;
}

const char *
urbarium_realism_get_verdict (UrbariumRealismLevel level)
{
  return _ (levels[level].verdict);
}

const char *
urbarium_realism_get_conclusion (UrbariumRealismLevel level)
{
  return _ (levels[level].conclusion);
}

const char *
urbarium_realism_get_title (const UrbariumRealismMeasure *measure)
{
  static const struct
  {
    const char *key, *title;
  } known[] = {
    { "building_share", N_ ("Built-up share") },
    { "road_share", N_ ("Road share") },
    { "other_share", N_ ("Open share") },
    { "building_count", N_ ("Buildings per area") },
    { "footprint_area", N_ ("Building footprint") },
    /* translators: the share of its bounding rectangle that a building fills */
    { "rectangularity", N_ ("Rectangular buildings") },
    { "orientation_entropy", N_ ("Variety of directions") },
    { "building_spacing", N_ ("Building to building") },
    { "road_connectivity", N_ ("Connected roads") },
    { "road_dead_ends", N_ ("Dead ends per area") },
    { "road_junctions", N_ ("Junctions per area") },
    { "block_count", N_ ("Blocks per area") },
    /* translators: the share of pixels that belong to no class clearly */
    { "half_tones", N_ ("Half-tones") },
    /* translators: the share of the walls of large buildings that run in one direction or across */
    { "hall_walls", N_ ("Straight walls of halls") },
    { "street_distance", N_ ("Building to street") },
    { "street_angle", N_ ("Angle to the street") },
    { "street_width", N_ ("Street width") },
    /* translators: how many degrees streets turn within 100 m */
    { "street_bends", N_ ("Street bends per 100 m") },
    { "dead_end_share", N_ ("Dead ends among junctions") },
    { "four_way_share", N_ ("Four-way junctions") },
    { "block_area", N_ ("Block area") },
    { "block_coverage", N_ ("Built-up share of blocks") },
  };
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (strcmp (known[i].key, measure->key) == 0)
      return _ (known[i].title);
  return measure->title;
}

/* More than two digits would be noise. */
static char *
dup_number (double rho)
{
  return urbarium_format_number (rho, rho < 0.995 ? 2 : rho < 9.95 ? 1 : 0);
}

char *
urbarium_realism_dup_times (double rho)
{
  g_autofree char *number = isnan (rho) ? g_strdup ("–") : dup_number (rho);
  /* translators: how many times as far from real areas as chance alone: “1.8 ×” */
  return g_strdup_printf (_ ("%s ×"), number);
}

static char *
dup_worst (const UrbariumRealismResult *result)
{
  g_autoptr(GStrvBuilder) titles = g_strv_builder_new ();
  g_auto(GStrv) worst = NULL;
  for (guint i = 0; i < result->n_worst; i++)
    g_strv_builder_add (titles, urbarium_realism_get_title (result->measures->pdata[i]));
  worst = g_strv_builder_end (titles);
  return g_strjoinv (", ", worst);
}

/* @distance: a sentence on the score */
static char *
dup_too_few (const UrbariumRealismResult *result, const char *distance)
{
  g_autofree char *n_areas = urbarium_format_count (result->n_real);
  g_autofree char *n_places = urbarium_format_count (result->n_places);
  /* translators: a sentence; then numbers: areas, places, areas, places */
  return g_strdup_printf (_ ("%s There is no verdict: %s areas in %s places were kept out of training, "
                             "and it takes %d in %d. Create the dataset from a larger map, or with a "
                             "larger share of test areas."),
                          distance, n_areas, n_places, URB_VERDICT_MIN_AREAS,
                          URB_VERDICT_MIN_PLACES);
}

char *
urbarium_realism_dup_score (const UrbariumRealismResult *result)
{
  g_autofree char *number = dup_number (result->score), *worst = dup_worst (result);
  g_autofree char *distance = NULL;
  if (isnan (result->score))
    return g_strdup (_ ("The real areas vary too little for a comparison."));
  distance = g_strdup_printf (
    _ ("On average over all measures, the generated areas are about %s times "
       "as far from real areas as real areas are from each other."), number);
  if (result->n_shared > 0)
    return g_strdup_printf (_ ("%s But some of these were training areas too, so there is no verdict."),
                            distance);
  if (urbarium_realism_get_overall_level (result) == URBARIUM_REALISM_UNKNOWN)
    return dup_too_few (result, distance);
  if (*worst == '\0')
    return g_steal_pointer (&distance);
  /* translators: a sentence; then names of measures */
  return g_strdup_printf (_ ("%s They differ most in: %s."), distance, worst);
}

char *
urbarium_realism_dup_basis (const UrbariumRealismResult *result)
{
  g_autofree char *n_generated = urbarium_format_count (result->n_generated);
  g_autofree char *n_real = urbarium_format_count (result->n_real);
  g_autofree char *dataset = g_filename_display_basename (result->dataset);
  const char *note = "";
  if (!result->same_dataset)
    note = _ (" The generator was trained on another dataset.");
  else if (MIN (result->n_real, result->n_generated) < 30)
    note = _ (" These are few, so read small differences with care.");
  /* translators: numbers of areas; then the name of a file; then nothing, or another sentence */
  return g_strdup_printf (_ ("%s generated areas against %s real areas of “%s” that were kept out of "
                             "training.%s"), n_generated, n_real, dataset, note);
}

char *
urbarium_realism_dup_sets (const UrbariumRealismResult *result)
{
  g_autofree char *precision = urbarium_format_percent (result->precision);
  g_autofree char *recall = urbarium_format_percent (result->recall);
  g_autofree char *train_precision = urbarium_format_percent (result->train_precision);
  g_autofree char *train_recall = urbarium_format_percent (result->train_recall);
  if (isnan (result->precision) || isnan (result->train_precision))
    return NULL;
  /* translators: all are shares: 12 % */
  return g_strdup_printf (_ ("As wholes, %s of the generated areas are like real ones, and %s of the real "
                             "areas are like generated ones. Of training areas these are %s and %s."),
                          precision, recall, train_precision, train_recall);
}

char *
urbarium_realism_dup_copies (const UrbariumRealismResult *result)
{
  g_autofree char *generated = urbarium_format_percent (result->share_repeats);
  g_autofree char *real = urbarium_format_percent (result->share_real_repeats);
  g_autofree char *number = urbarium_format_count (result->n_repeats);
  g_autofree char *n_shared = urbarium_format_count (result->n_shared);
  g_autofree char *n_real = urbarium_format_count (result->n_real);
  if (result->n_repeats < 0)
    return g_strdup (_ ("The training areas could not be compared."));
  if (result->n_shared > 0)
    /* translators: two numbers of areas; a number, and a share in percent */
    return g_strdup_printf (_ ("%s of the %s test areas of the dataset are training areas too. Search "
                               "the map for areas again. %s of the generated areas (%s) repeat a "
                               "training area."),
                            n_shared, n_real, number, generated);
  /* translators: a number, and two shares: 1.2 % */
  return g_strdup_printf (_ ("%s of the generated areas (%s) repeat a training area or a part of it, "
                             "turned, mirrored or shifted. By chance, one at most does, and %s of the "
                             "real areas that were kept out of training."),
                          number, generated, real);
}

const char *
urbarium_realism_get_window_text (const char *line)
{
  if (strstr (line, "name a dataset") != NULL)
    return _ ("The checkpoint does not record its training dataset. Choose one.");
  if (strstr (line, "--test-share") != NULL)
    return _ ("This dataset keeps too few areas out of training for a comparison. Create it again "
              "with a larger share of test areas, or choose another one.");
  if (strstr (line, "--resolution") != NULL)
    return _ ("The areas of this dataset have fewer pixels than the generator draws. Create it again "
              "with a higher resolution, or choose another one.");
  return NULL;
}
