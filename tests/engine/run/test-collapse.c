/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-collapse.c - when a run reports mode collapse.  The values are those of real runs
 * (docs/reliability.md).
 */
#include <math.h>

#include "run/worker/collapse.h"

/* Returns: the index of the first sample grid with a report; -1: none */
static int
find_news (const double *walls, int n, gint64 images_each, UrbCollapseNews *news)
{
  UrbCollapse collapse = { 0 };

  for (int i = 0; i < n; i++)
    {
      *news = urb_collapse_update (&collapse, walls[i], i + 1, (i + 1) * images_each);
      if (*news != URB_COLLAPSE_UNCHANGED)
        return i;
    }
  return -1;
}

static void
test_normal (void)
{
  static const double fast[] = { 0.15, 0.16, 0.21, 0.25, 0.34, 0.33, 0.52, 0.67, 0.88, 0.98, 1.33, 1.06 };
  static const double slow[] = { 0.04, 0.05, 0.04, 0.07, 0.12, 0.17, 0.20, 0.15, 0.10, 0.09, 0.09, 0.18,
                                 0.27, 0.30, 0.33, 0.46 };
  UrbCollapseNews news;

  g_assert_cmpint (find_news (fast, G_N_ELEMENTS (fast), 480, &news), ==, -1);
  g_assert_cmpint (find_news (slow, G_N_ELEMENTS (slow), 480, &news), ==, -1);
}

static void
test_begins (void)
{
  static const double walls[] = { 0.5, 1.1, 0.05, 0.9, 0.14, NAN, 0.02, 0.01, 0.02 };
  UrbCollapseNews news;

  /* A single bad sample grid does not count, nor do unknown values. */
  g_assert_cmpint (find_news (walls, G_N_ELEMENTS (walls), 480, &news), ==, 6);
  g_assert_cmpint (news, ==, URB_COLLAPSE_BEGUN);
}

static void
test_never_learnt (void)
{
  static const double walls[] = { 0.1, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05 };
  UrbCollapseNews news;

  g_assert_cmpint (find_news (walls, G_N_ELEMENTS (walls), 480, &news), ==, -1);
  g_assert_cmpint (find_news (walls, G_N_ELEMENTS (walls), 10000, &news), ==, 4);
  g_assert_cmpint (news, ==, URB_COLLAPSE_BEGUN);
}

static void
test_is_over (void)
{
  static const struct
  {
    double diversity;
    UrbCollapseNews news;
  } walls[] = {
    { 0.9, URB_COLLAPSE_UNCHANGED }, { 0.1, URB_COLLAPSE_UNCHANGED }, { 0.1, URB_COLLAPSE_BEGUN },
    { 0.1, URB_COLLAPSE_UNCHANGED }, { 0.2, URB_COLLAPSE_UNCHANGED }, { 0.1, URB_COLLAPSE_UNCHANGED },
    { 0.4, URB_COLLAPSE_OVER },        { 0.5, URB_COLLAPSE_UNCHANGED }, { 0.1, URB_COLLAPSE_UNCHANGED },
    { 0.1, URB_COLLAPSE_BEGUN },
  };
  UrbCollapse collapse = { 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (walls); i++)
    g_assert_cmpint (urb_collapse_update (&collapse, walls[i].diversity, 1, 480), ==, walls[i].news);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/collapse/normal", test_normal);
  g_test_add_func ("/collapse/begins", test_begins);
  g_test_add_func ("/collapse/never-learnt", test_never_learnt);
  g_test_add_func ("/collapse/is-over", test_is_over);
  return g_test_run ();
}
