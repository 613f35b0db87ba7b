/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-quality-race.c - verdicts for synthetic curves.
 */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "city/quality-race.h"

enum { N_POINTS = 8 };

/* A score of @start that falls by @factor every 10 seconds. */
static void
add_curve (UrbQualityRace *race, int arm, guint64 seed, double start, double factor)
{
  UrbQualityCurve *curve = urb_quality_race_add (race, arm, seed);
  double score = start;

  curve->images_per_s = 100 + 10 * arm + (double) seed;
  for (int i = 1; i <= N_POINTS; i++, score *= factor)
    {
      UrbQualityPoint point = { 10.0 * i, i, 8 * i, score };

      g_array_append_val (curve->points, point);
    }
}

static UrbQualityRace *
make_race (const double factors[2][3], int n_seeds)
{
  UrbQualityRace *race = urb_quality_race_new ("hogwild:2", "single");

  race->is_single[1] = TRUE;
  race->budget_s = 80;
  for (int seed = 0; seed < n_seeds; seed++)
    for (int arm = 0; arm < 2; arm++)
      add_curve (race, arm, (guint64) seed + 1, 16, factors[arm][seed]);
  return race;
}

static void
test_smooth (void)
{
  const double factors[2][3] = { { 0.5 }, { 0.5 } };
  g_autoptr(UrbQualityRace) race = make_race (factors, 1);
  const UrbQualityCurve *curve = race->curves->pdata[0];

  g_assert_true (isnan (urb_quality_curve_smooth (curve, 1)));
  g_assert_cmpfloat_with_epsilon (urb_quality_curve_smooth (curve, 2), (16 + 8 + 4) / 3.0, 1e-12);
  g_assert_cmpfloat_with_epsilon (urb_quality_curve_smooth (curve, 3), (8 + 4 + 2) / 3.0, 1e-12);
}

/* The baseline's scores halve: 16, 8, … 0.125.  Its best smoothed score is 7/24, so the threshold is
 * 7/16, first reached by the mean of 0.5, 0.25 and 0.125: the last point, at 80 s.  (1, 0.5 and 0.25
 * have the mean 7/12.)  Scores that fall to a quarter reach it sooner. */
static void
test_winner (void)
{
  const double factors[2][3] = { { 0.25, 0.25, 0.25 }, { 0.5, 0.5, 0.5 } };
  g_autoptr(UrbQualityRace) race = make_race (factors, 3);
  g_autofree char *sentence = NULL;
  UrbQualityVerdict verdict;

  g_assert_true (urb_quality_race_judge (race, &verdict));
  g_assert_cmpint (verdict.n_seeds, ==, 3);
  g_assert_cmpfloat_with_epsilon (verdict.threshold, 7.0 / 16, 1e-12);
  g_assert_cmpfloat (verdict.seconds[1].median, ==, 80);
  g_assert_cmpfloat (verdict.seconds[0].median, ==, 50); /* 1, 1/4, 1/16 */
  g_assert_cmpint (verdict.winner, ==, 0);
  g_assert_true (verdict.by_time);
  g_assert_cmpfloat (verdict.images_per_s[0].median, ==, 102);
  sentence = urb_quality_race_dup_sentence (race, &verdict);
  g_assert_true (g_str_has_prefix (sentence, "hogwild:2 is best here: "));
  g_assert_nonnull (strstr (sentence, "after 50 s (50 to 50)"));
}

/* An arm that never reaches the threshold loses. */
static void
test_single_wins (void)
{
  const double factors[2][3] = { { 1, 0.9, 1 }, { 0.5, 0.5, 0.5 } };
  g_autoptr(UrbQualityRace) race = make_race (factors, 3);
  g_autofree char *sentence = NULL;
  UrbQualityVerdict verdict;

  g_assert_true (urb_quality_race_judge (race, &verdict));
  g_assert_true (isinf (verdict.seconds[0].min));
  g_assert_cmpint (verdict.winner, ==, 1);
  sentence = urb_quality_race_dup_sentence (race, &verdict);
  g_assert_true (g_str_has_prefix (sentence, "One process is best here: "));
  g_assert_nonnull (strstr (sentence, "never"));
}

/* Overlapping ranges give no winner, whatever the medians. */
static void
test_tie (void)
{
  const double factors[2][3] = { { 0.3, 0.45, 0.7 }, { 0.4, 0.4, 0.4 } };
  g_autoptr(UrbQualityRace) race = make_race (factors, 3);
  g_autofree char *sentence = NULL;
  UrbQualityVerdict verdict;

  g_assert_true (urb_quality_race_judge (race, &verdict));
  g_assert_cmpint (verdict.winner, ==, -1);
  sentence = urb_quality_race_dup_sentence (race, &verdict);
  g_assert_true (g_str_has_prefix (sentence, "No clear difference here"));
}

/* A collapsed generator has no score. */
static void
test_nothing_to_judge (void)
{
  const double factors[2][3] = { { 0.5 }, { NAN } };
  g_autoptr(UrbQualityRace) race = make_race (factors, 1);
  UrbQualityVerdict verdict;

  g_assert_false (urb_quality_race_judge (race, &verdict));
}

static void
test_files (void)
{
  const double factors[2][3] = { { 0.25 }, { 0.5 } };
  g_autoptr(UrbQualityRace) race = make_race (factors, 1);
  g_autofree char *folder = g_dir_make_tmp ("urbarium-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "ab.svg", NULL);
  g_autofree char *csv = urb_quality_race_dup_csv (race), *svg = NULL, *sentence = NULL;
  g_auto(GStrv) lines = g_strsplit (csv, "\n", -1);
  g_autoptr(GError) error = NULL;
  UrbQualityVerdict verdict;

  g_assert_cmpuint (g_strv_length (lines), ==, 1 + 2 * N_POINTS + 1);
  g_assert_cmpstr (lines[1], ==, "\"hogwild:2\",1,1,101,10,1,8,16,");
  g_assert_cmpstr (lines[3], ==, "\"hogwild:2\",1,1,101,30,3,24,1,7");
  g_assert_true (urb_quality_race_judge (race, &verdict));
  sentence = urb_quality_race_dup_sentence (race, &verdict);
  g_assert_nonnull (strstr (sentence, "over 1 seed, which is too few"));
  g_assert_true (urb_quality_race_write_svg (race, &verdict, path, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &svg, NULL, NULL));
  g_assert_nonnull (strstr (svg, "<svg"));
  g_assert_nonnull (strstr (svg, "</svg>"));
  g_assert_null (strstr (svg, "nan"));
  g_assert_null (strstr (svg, "inf"));
  g_assert_cmpint (g_unlink (path) + g_rmdir (folder), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/quality-race/smooth", test_smooth);
  g_test_add_func ("/quality-race/winner", test_winner);
  g_test_add_func ("/quality-race/single-wins", test_single_wins);
  g_test_add_func ("/quality-race/tie", test_tie);
  g_test_add_func ("/quality-race/nothing-to-judge", test_nothing_to_judge);
  g_test_add_func ("/quality-race/files", test_files);
  return g_test_run ();
}
