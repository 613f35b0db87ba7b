/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-blind.c - the statistics of a blind test, against published and exact values, and its answers.
 */
#include <math.h>
#include <string.h>

#include "city-fixture.h"
#include "city/blind.h"
#include "city/class-map.h"

/* p: sums of binomial coefficients / 2^n; limits: Clopper and Pearson, from R's binom.test. */
static void
test_score (void)
{
  static const struct
  {
    guint n_right, n;
    double p, low, high;
    UrbBlindVerdict verdict;
  } cases[] = {
    { 8, 10, 112.0 / 1024, 0.4439045, 0.9747893, URB_BLIND_UNDECIDED },
    { 5, 10, 1, 0.1870860, 0.8129140, URB_BLIND_UNDECIDED },
    { 10, 10, 2.0 / 1024, 0.6915029, 1, URB_BLIND_TOLD },
    { 0, 10, 2.0 / 1024, 0, 0.3084971, URB_BLIND_MISTAKEN },
    { 6, 6, 2.0 / 64, 0.5407419, 1, URB_BLIND_TOLD },
    { 15, 20, 0.04138947, 0.5089541, 0.9134285, URB_BLIND_TOLD },
    { 5, 20, 0.04138947, 0.0865715, 0.4910459, URB_BLIND_MISTAKEN },
    { 14, 20, 0.1153183, 0.4572108, 0.8810684, URB_BLIND_UNDECIDED },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      UrbBlindScore score = urb_blind_score (cases[i].n_right, cases[i].n);

      g_test_message ("%u of %u: p %.8f, %.7f to %.7f", score.n_right, score.n, score.p, score.low,
                      score.high);
      g_assert_cmpfloat_with_epsilon (score.p, cases[i].p, 1e-7);
      g_assert_cmpfloat_with_epsilon (score.low, cases[i].low, 1e-6);
      g_assert_cmpfloat_with_epsilon (score.high, cases[i].high, 1e-6);
      g_assert_cmpint (score.verdict, ==, cases[i].verdict);
    }
}

/* Many pairs: the interval covers 1/2 exactly if the test does not reject it, and p is a probability. */
static void
test_interval (void)
{
  static const guint sizes[] = { 1, 2, 7, 24, 101, 1000 };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint k = 0; k <= sizes[i]; k += MAX (sizes[i] / 24, 1))
      {
        UrbBlindScore score = urb_blind_score (k, sizes[i]);

        g_assert_true (score.p > 0 || sizes[i] > 500);
        g_assert_cmpfloat (score.p, <=, 1);
        g_assert_cmpfloat (score.low, <=, (double) k / sizes[i]);
        g_assert_cmpfloat (score.high, >=, (double) k / sizes[i]);
        g_assert_true ((score.low <= 0.5 && score.high >= 0.5)
                       == (score.verdict == URB_BLIND_UNDECIDED));
      }
}

static GArray *
read_text (const char *text, GError **error)
{
  char *folder = city_make_folder ();
  g_autofree char *path = g_build_filename (folder, "answers.txt", NULL);
  GArray *answers;

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  answers = urb_blind_read_answers (path, error);
  city_remove_folder (folder);
  return answers;
}

static void
test_answers (void)
{
  static const guint8 expected[] = { 0, 1, 1 };
  static const struct
  {
    const char *text, *complaint;
  } wrong[] = {
    { "1 A\n2 \n3 B\n", "line 2: expected '2 A' or '2 B'" },
    { "1 A\n3 B\n", "line 2: expected '2 A'" },
    { "1 A\n1 B\n", "line 2: expected '2 A'" },
    { "1 C\n", "line 1: expected '1 A'" },
    { "1 AB\n", "line 1: expected '1 A'" },
    { "A\n", "line 1: expected '1 A'" },
    { "1A\n", "line 1: expected '1 A'" },
    { "99999999999999999999 A\n", "line 1: expected '1 A'" },
  };
  g_autoptr(GArray) answers = read_text ("# a form\n1 A\n\n  2 b\r\n3\tB # sure\n", NULL);
  g_autoptr(GArray) none = read_text ("# nothing\n", NULL);
  g_autoptr(GError) missing = NULL;
  UrbBlindScore score;

  g_assert_nonnull (answers);
  g_assert_cmpmem (answers->data, answers->len, expected, sizeof expected);
  g_assert_cmpuint (none->len, ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr(GError) error = NULL;

      g_assert_null (read_text (wrong[i].text, &error));
      g_assert_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS);
      g_assert_nonnull (strstr (error->message, wrong[i].complaint));
    }
  g_assert_null (urb_blind_read_answers ("/nowhere/answers.txt", &missing));
  g_assert_error (missing, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  score = urb_blind_score_answers (answers, answers);
  g_assert_cmpuint (score.n_right, ==, 3);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/blind/score", test_score);
  g_test_add_func ("/blind/interval", test_interval);
  g_test_add_func ("/blind/answers", test_answers);
  return g_test_run ();
}
