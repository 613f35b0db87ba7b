/* SPDX-License-Identifier: Apache-2.0 */
/* test-random.c - Philox, normal values and the dihedral group. */
#include "kernels/uk-random.h"
#include "test-kernels-util.h"

typedef struct
{
  uint64_t rng[2];
  uint32_t stream;
  uint64_t index;
  uint32_t expected[4];
} KnownAnswer;

/* philox4x32-10 of Random123's kat_vectors, with counter and key laid out as in uk-random.h. */
static const KnownAnswer known_answers[] = {
  { { 0, 0 }, 0, 0, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
  { { UINT64_MAX, UINT32_MAX },
    UINT32_MAX,
    UINT64_MAX,
    { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
  { { 0x299f31d0a4093822, 0x13198a2e },
    0x03707344,
    0x85a308d3243f6a88,
    { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
};

static void
test_known_answers (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (known_answers); i++)
    {
      const KnownAnswer *known = &known_answers[i];
      uint32_t out[4];

      uk_philox (known->rng, known->stream, known->index, out);
      for (int word = 0; word < 4; word++)
        g_assert_cmphex (out[word], ==, known->expected[word]);
    }
}

static void
test_uniform (void)
{
  g_assert_cmpfloat (uk_uniform (0), ==, 0);
  g_assert_cmpfloat (uk_uniform (0x80000000u), ==, 0.5);
  g_assert_cmpfloat (uk_uniform (UINT32_MAX), <, 1);
}

/* For 4 n standard normal values, the mean has standard deviation 1 / sqrt (4 n), the variance
 * sqrt (2 / (4 n)), the fourth moment sqrt (96 / (4 n)): four of each are allowed. */
static void
test_normal_moments (void)
{
  const uint64_t rng[2] = { 42, 7 };
  const int n = 50000;
  double sum = 0, squares = 0, fourth = 0, neighbors = 0, largest = 0;

  for (int i = 0; i < n; i++)
    {
      uint32_t words[4];
      double normal[4];

      uk_philox (rng, 3, (uint64_t) i, words);
      uk_normal4 (words, normal);
      for (int k = 0; k < 4; k++)
        {
          sum += normal[k];
          squares += normal[k] * normal[k];
          fourth += normal[k] * normal[k] * normal[k] * normal[k];
          neighbors += normal[k] * normal[(k + 1) % 4];
          largest = fmax (largest, fabs (normal[k]));
        }
    }
  g_assert_cmpfloat (fabs (sum / (4 * n)), <, 4 / sqrt (4.0 * n));
  g_assert_cmpfloat (fabs (squares / (4 * n) - 1), <, 4 * sqrt (2 / (4.0 * n)));
  g_assert_cmpfloat (fabs (fourth / (4 * n) - 3), <, 4 * sqrt (96 / (4.0 * n)));
  g_assert_cmpfloat (fabs (neighbors / (4 * n)), <, 4 / sqrt (4.0 * n));
  g_assert_cmpfloat (largest, >, 3.5);
  g_assert_cmpfloat (largest, <, 7);
}

static void
test_normal_extremes (void)
{
  const uint32_t smallest[4] = { 0, 0, UINT32_MAX, UINT32_MAX };
  double normal[4];

  uk_normal4 (smallest, normal);
  for (int k = 0; k < 4; k++)
    g_assert_true (isfinite (normal[k]));
  g_assert_cmpfloat_with_epsilon (normal[0], sqrt (-2 * log (1 / 4294967296.0)), 1e-12);
  g_assert_cmpfloat (normal[2], ==, 0);
}

/* Each of the eight elements permutes the pixels of a 3 x 3 image, and no two are equal. */
static void
test_dihedral_group (void)
{
  const int edge = 3;
  int images[8][9];

  for (int d4 = 0; d4 < 8; d4++)
    {
      int seen = 0;

      for (int p = 0; p < edge * edge; p++)
        {
          int64_t row, col;

          uk_dihedral_source (d4, edge, p / edge, p % edge, &row, &col);
          g_assert_true (row >= 0 && row < edge && col >= 0 && col < edge);
          images[d4][p] = (int) (row * edge + col);
          seen |= 1 << images[d4][p];
        }
      g_assert_cmphex (seen, ==, 0x1ff);
      for (int other = 0; other < d4; other++)
        g_assert_true (memcmp (images[d4], images[other], sizeof images[d4]) != 0);
    }
}

static void
test_dihedral_by_hand (void)
{
  /* Sources of the pixels of a 2 x 2 image, 0 1 / 2 3. */
  static const int expected[8][4] = {
    { 0, 1, 2, 3 }, { 1, 3, 0, 2 }, { 3, 2, 1, 0 }, { 2, 0, 3, 1 },
    { 1, 0, 3, 2 }, { 0, 2, 1, 3 }, { 2, 3, 0, 1 }, { 3, 1, 2, 0 },
  };

  for (int d4 = 0; d4 < 8; d4++)
    for (int p = 0; p < 4; p++)
      {
        int64_t row, col;

        uk_dihedral_source (d4, 2, p / 2, p % 2, &row, &col);
        g_assert_cmpint (2 * row + col, ==, expected[d4][p]);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/random/known-answers", test_known_answers);
  g_test_add_func ("/random/uniform", test_uniform);
  g_test_add_func ("/random/normal-moments", test_normal_moments);
  g_test_add_func ("/random/normal-extremes", test_normal_extremes);
  g_test_add_func ("/random/dihedral-group", test_dihedral_group);
  g_test_add_func ("/random/dihedral-by-hand", test_dihedral_by_hand);
  return g_test_run ();
}
