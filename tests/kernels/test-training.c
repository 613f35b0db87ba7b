/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-training.c - operations around the layers, compared with results worked out by hand: inputs (tiles,
 * noise, augmentation), losses, clipping, Adam.
 */
#include "kernels/uk-random.h"
#include "test-kernels-util.h"

#define ARGS(...) ((void *[]) { __VA_ARGS__ })

static void
test_load (void)
{
  UkOpDesc desc = { .kind = UK_OP_LOAD, .y = { 1, 2, 2, 1 } };
  uint8_t tile[] = { 0, 255, 51, 204 };
  uint64_t rng[] = { 1, 2 };
  double y[4];

  test_reference (&desc, ARGS (tile, rng, y));
  test_assert_near ("load", y, (double[]) { -1, 1, -0.6, 0.6 }, 4, 1e-15);
}

/* Two samples of nine values, each starting on a byte boundary. */
static void
test_load_bits (void)
{
  UkOpDesc desc = { .kind = UK_OP_LOAD, .y = { 2, 1, 3, 3 }, .bits = true };
  uint8_t tiles[] = { 0x8d, 0x01, 0x70, 0xfe };
  uint64_t rng[] = { 1, 2 };
  double y[18];

  test_reference (&desc, ARGS (tiles, rng, y));
  test_assert_near ("load", y,
                    (double[]) { 1, -1, 1, 1, -1, -1, -1, 1, 1,
                                 -1, -1, -1, -1, 1, 1, 1, -1, -1 }, 18, 0);
}

/* A tile of distinct values reveals the element of D4. */
static void
test_load_dihedral (void)
{
  enum { N = 64, EDGE = 3, PER = EDGE * EDGE * 2 };
  UkOpDesc desc = {
    .kind = UK_OP_LOAD, .y = { N, EDGE, EDGE, 2 }, .dihedral = true, .stream = 5, .first_sample = 9
  };
  uint8_t tiles[N * PER];
  uint64_t rng[] = { 77, 3 };
  double y[N * PER];
  int seen = 0;

  for (int i = 0; i < N * PER; i++)
    tiles[i] = (uint8_t) (i % PER);
  test_reference (&desc, ARGS (tiles, rng, y));
  for (int n = 0; n < N; n++)
    {
      uint32_t words[4];

      uk_philox (rng, 5, (uint64_t) (9 + n), words);
      seen |= 1 << (words[0] & 7);
      for (int p = 0; p < EDGE * EDGE; p++)
        {
          int64_t row, col;

          uk_dihedral_source (words[0] & 7, EDGE, p / EDGE, p % EDGE, &row, &col);
          for (int c = 0; c < 2; c++)
            g_assert_cmpfloat (y[n * PER + p * 2 + c], ==,
                               tiles[(row * EDGE + col) * 2 + c] / 127.5 - 1);
        }
    }
  g_assert_cmphex (seen, ==, 0xff);
}

static void
test_noise (void)
{
  UkOpDesc desc = { .kind = UK_OP_NOISE, .y = { 2, 1, 1, 6 }, .stream = 1, .first_sample = 10 };
  uint64_t rng[] = { 5, 6 };
  double y[12], part[6];

  test_reference (&desc, ARGS (rng, y));
  for (int e = 0; e < 12; e++)
    {
      uint32_t words[4];
      double normal[4];

      uk_philox (rng, 1, ((uint64_t) (10 + e / 6) << 20) + (uint64_t) (e % 6) / 4, words);
      uk_normal4 (words, normal);
      g_assert_cmpfloat (y[e], ==, normal[e % 6 % 4]);
    }
  /* A later part of the batch gets the same values. */
  desc.y.n = 1;
  desc.first_sample = 11;
  test_reference (&desc, ARGS (rng, part));
  g_assert_cmpmem (part, sizeof part, y + 6, sizeof part);
}

/* With p = 1 every 16 x 16 sample loses a square of 8 x 8, clipped at the edges, and shifts by at most 2. */
static void
test_augment (void)
{
  enum { N = 40, EDGE = 16, PER = EDGE * EDGE };
  UkOpDesc desc = { .kind = UK_OP_AUGMENT, .x = { N, EDGE, EDGE, 1 }, .y = { N, EDGE, EDGE, 1 } };
  uint64_t rng[] = { 3, 4 };
  double p[] = { 1 }, x[N * PER], y[N * PER];
  int shifts = 0;

  for (int i = 0; i < N * PER; i++)
    x[i] = 1 + i % PER;
  test_reference (&desc, ARGS (x, rng, p, y));
  for (int n = 0; n < N; n++)
    {
      int zeros = 0, shift = G_MAXINT;

      for (int e = 0; e < PER; e++)
        if (y[n * PER + e] == 0)
          zeros++;
        else if (shift == G_MAXINT)
          shift = e + 1 - (int) y[n * PER + e];
        else
          g_assert_cmpint (e + 1 - (int) y[n * PER + e], ==, shift);
      g_assert_cmpint (zeros, >=, 16);
      g_assert_cmpint (zeros, <=, 64 + 4 * 2 * EDGE);
      g_assert_cmpint (ABS (shift), <=, 2 * EDGE + 2);
      shifts |= 1 << (shift + 2 * EDGE + 2) % 31;
    }
  g_assert_cmpint (__builtin_popcount ((unsigned) shifts), >, 8);
  p[0] = 0;
  test_reference (&desc, ARGS (x, rng, p, y));
  g_assert_cmpmem (x, sizeof x, y, sizeof y);
}

/* One sample, with its random draw derived by hand from uk-random.h's words. */
static void
test_augment_by_hand (void)
{
  UkOpDesc desc = { .kind = UK_OP_AUGMENT,
                    .x = { 1, 8, 8, 1 },
                    .y = { 1, 8, 8, 1 },
                    .stream = 2,
                    .first_sample = 6 };
  uint64_t rng[] = { 8, 1 };
  uint32_t move[4], cut[4];
  double p[] = { 1 }, x[64], y[64];

  for (int i = 0; i < 64; i++)
    x[i] = i + 1;
  uk_philox (rng, 2, 12, move);
  uk_philox (rng, 2, 13, cut);
  test_reference (&desc, ARGS (x, rng, p, y));

  int right = (int) floor (uk_uniform (move[1]) * 3) - 1;
  int down = (int) floor (uk_uniform (move[2]) * 3) - 1;
  int left = (int) floor (uk_uniform (cut[1]) * 8) - 2;
  int top = (int) floor (uk_uniform (cut[2]) * 8) - 2;

  for (int row = 0; row < 8; row++)
    for (int col = 0; col < 8; col++)
      {
        bool kept = !(row >= top && row < top + 4 && col >= left && col < left + 4);
        int r = row - down, c = col - right;
        double expected = kept && r >= 0 && r < 8 && c >= 0 && c < 8 ? x[r * 8 + c] : 0;

        g_assert_cmpfloat (y[row * 8 + col], ==, expected);
      }
}

static void
test_bce (void)
{
  UkOpDesc desc = { .kind = UK_OP_LOSS_BCE, .x = { 1, 1, 1, 1 }, .target = 1, .batch = 1 };
  double d[2], metrics[2];

  test_reference (&desc, ARGS (((double[]) { 0 }), NULL, d, metrics));
  test_assert_near ("bce 1", d, (double[]) { -0.5 }, 1, 1e-14);
  test_assert_near ("bce 1", metrics, (double[]) { log (2), 0 }, 2, 1e-14);
  desc.target = 0;
  desc.x.n = 2;
  desc.batch = 4; /* these two samples are half of the batch */
  test_reference (&desc, ARGS (((double[]) { log (3), 0 }), NULL, d, metrics));
  test_assert_near ("bce 0", d, (double[]) { 0.75 / 4, 0.5 / 4 }, 2, 1e-14);
  test_assert_near ("bce 0", metrics, (double[]) { log (8) / 4, log (3) / 4 }, 2, 1e-14);
  /* Far from the target the loss equals the logit's magnitude, without overflow. */
  test_reference (&desc, ARGS (((double[]) { 2000, -2000 }), NULL, d, metrics));
  test_assert_near ("bce far", d, (double[]) { 0.25, 0 }, 2, 1e-14);
  test_assert_near ("bce far", metrics, (double[]) { 500, 0 }, 2, 1e-14);
  /* Only the gradient is scaled. */
  test_reference (&desc, ARGS (((double[]) { 2000, -2000 }), ((double[]) { 8 }), d, metrics));
  test_assert_near ("bce scaled", d, (double[]) { 2, 0 }, 2, 1e-14);
  test_assert_near ("bce scaled", metrics, (double[]) { 500, 0 }, 2, 1e-14);
}

static void
test_pairs (void)
{
  UkOpDesc desc = { .kind = UK_OP_LOSS_PAIR_D, .x = { 4, 1, 1, 1 }, .batch = 2 };
  double logits[] = { log (3), 1, 0, 1 }; /* pairs (log 3, 0) and (1, 1) */
  double d[4], metrics[3];

  test_reference (&desc, ARGS (logits, NULL, d, metrics));
  test_assert_near ("pair d", d, (double[]) { -0.125, -0.25, 0.125, 0.25 }, 4, 1e-14);
  test_assert_near ("pair d", metrics,
                    (double[]) { log (8.0 / 3) / 2, (log (3) + 1) / 2, 0.5 }, 3, 1e-14);
  test_reference (&desc, ARGS (logits, ((double[]) { 8 }), d, metrics));
  test_assert_near ("pair d scaled", d, (double[]) { -1, -2, 1, 2 }, 4, 1e-14);
  desc.kind = UK_OP_LOSS_PAIR_G;
  test_reference (&desc, ARGS (logits, NULL, d, metrics));
  test_assert_near ("pair g", d, (double[]) { -0.375, -0.25 }, 2, 1e-14);
  test_assert_near ("pair g", metrics, (double[]) { log (8) / 2, (log (3) + 1) / 2, 0.5 }, 3,
                    1e-14);
  test_reference (&desc, ARGS (logits, ((double[]) { 8 }), d, metrics));
  test_assert_near ("pair g scaled", d, (double[]) { -3, -2 }, 2, 1e-14);
  test_assert_near ("pair g scaled", metrics, (double[]) { log (8) / 2, (log (3) + 1) / 2, 0.5 }, 3,
                    1e-14);
}

static void
check_norm (double g0, double g1, double limit, double expected_norm, double expected_factor)
{
  UkOpDesc squares = { .kind = UK_OP_GRAD_SQUARES, .x = { 2, 1, 1, 1 } };
  UkOpDesc factor = { .kind = UK_OP_GRAD_FACTOR, .x = { 3, 1, 1, 1 } };
  /* Of three ranks, one has a gradient. */
  double g[] = { g0, g1 }, sums[3] = { 0 }, out[2];
  double hyper[UK_N_HYPER] = { [UK_HYPER_CLIP_NORM] = limit, [UK_HYPER_LOSS_SCALE] = 1 };

  test_reference (&squares, ARGS (g, &sums[1]));
  test_reference (&factor, ARGS (sums, hyper, out));
  if (!isnan (expected_norm))
    g_assert_cmpfloat (out[0], ==, expected_norm);
  g_assert_cmpfloat (out[1], ==, expected_factor);
  /* The same gradient, scaled. */
  g[0] *= 4;
  g[1] *= 4;
  hyper[UK_HYPER_LOSS_SCALE] = 4;
  test_reference (&squares, ARGS (g, &sums[1]));
  test_reference (&factor, ARGS (sums, hyper, out));
  if (!isnan (expected_norm))
    g_assert_cmpfloat (out[0], ==, expected_norm);
  g_assert_cmpfloat (out[1], ==, expected_factor / 4);
}

static void
test_grad_norm (void)
{
  check_norm (3, 4, 0, 5, 1);
  check_norm (3, 4, 10, 5, 1);
  check_norm (3, 4, 2, 5, 0.4);
  check_norm (0, 0, 2, 0, 1);
  check_norm (0, 0, 0, 0, 1);
  check_norm (INFINITY, 0, 0, INFINITY, 0);
  check_norm (1, NAN, 2, NAN, 0);
}

/* The norm is that of all ranks' parts together. */
static void
test_grad_factor (void)
{
  UkOpDesc desc = { .kind = UK_OP_GRAD_FACTOR, .x = { 3, 1, 1, 1 } };
  double sums[] = { 9, 0, 16 }, out[2];
  double hyper[UK_N_HYPER] = { [UK_HYPER_CLIP_NORM] = 2, [UK_HYPER_LOSS_SCALE] = 1 };

  test_reference (&desc, ARGS (sums, hyper, out));
  g_assert_cmpfloat (out[0], ==, 5);
  g_assert_cmpfloat (out[1], ==, 0.4);
  sums[1] = NAN;
  test_reference (&desc, ARGS (sums, hyper, out));
  g_assert_cmpfloat (out[1], ==, 0);
}

static void
test_adam (void)
{
  UkOpDesc desc = { .kind = UK_OP_ADAM, .x = { 1, 1, 1, 1 } };
  double hyper[UK_N_HYPER] = {
    [UK_HYPER_LR] = 0.5,          [UK_HYPER_BETA2] = 0.75,       [UK_HYPER_CORRECTION1] = 1,
    [UK_HYPER_CORRECTION2] = 0.25, [UK_HYPER_EMA_BETA] = 0.5,
  };
  double w[] = { 1 }, g[] = { 4 }, v[] = { 0 }, ema[] = { 0 }, m[] = { 1 }, norm[] = { 4, 0.5 }, packed[] = { 0 };

  /* The clipped gradient is 2: v = 1, corrected 4; the step 0.5 * 2 / 2. */
  test_reference (&desc, ARGS (w, g, NULL, v, ema, hyper, norm, packed));
  g_assert_cmpfloat (w[0], ==, 0.5);
  g_assert_cmpfloat (packed[0], ==, 0.5);
  g_assert_cmpfloat (v[0], ==, 1);
  g_assert_cmpfloat (ema[0], ==, 0.25);

  /* m = 0.5 * 1 + 0.5 * 2 = 1.5, corrected 2; eps 2 makes the root 4. */
  hyper[UK_HYPER_BETA1] = 0.5;
  hyper[UK_HYPER_CORRECTION1] = 0.75;
  hyper[UK_HYPER_EPS] = 2;
  w[0] = 1;
  v[0] = 0;
  test_reference (&desc, ARGS (w, g, m, v, NULL, hyper, norm, NULL));
  g_assert_cmpfloat (m[0], ==, 1.5);
  g_assert_cmpfloat (w[0], ==, 0.75);

  /* Of a weight of 1, half of half is lost, beside the same step. */
  hyper[UK_HYPER_WEIGHT_DECAY] = 0.5;
  w[0] = 1;
  m[0] = 1;
  v[0] = 0;
  test_reference (&desc, ARGS (w, g, m, v, NULL, hyper, norm, NULL));
  g_assert_cmpfloat (m[0], ==, 1.5);
  g_assert_cmpfloat (w[0], ==, 0.5);
  g_assert_cmpint (test_reference_status (&desc, ARGS (w, g, NULL, v, NULL, hyper, norm, NULL)), ==,
                   UK_BAD_ARGUMENT);
}

/* After a non-finite gradient nothing changes, not even the average. */
static void
test_adam_skips (void)
{
  UkOpDesc desc = { .kind = UK_OP_ADAM, .x = { 1, 1, 1, 1 } };
  double hyper[UK_N_HYPER] = { [UK_HYPER_LR] = 1,
                               [UK_HYPER_CORRECTION1] = 1,
                               [UK_HYPER_CORRECTION2] = 1 };
  double w[] = { 1 }, g[] = { NAN }, m[] = { 2 }, v[] = { 3 }, ema[] = { 4 }, packed[] = { 5 };
  double norm[] = { NAN, 0 };

  test_reference (&desc, ARGS (w, g, m, v, ema, hyper, norm, packed));
  g_assert_cmpfloat (w[0], ==, 1);
  g_assert_cmpfloat (m[0], ==, 2);
  g_assert_cmpfloat (v[0], ==, 3);
  g_assert_cmpfloat (ema[0], ==, 4);
  g_assert_cmpfloat (packed[0], ==, 5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/training/load", test_load);
  g_test_add_func ("/training/load-bits", test_load_bits);
  g_test_add_func ("/training/load-dihedral", test_load_dihedral);
  g_test_add_func ("/training/noise", test_noise);
  g_test_add_func ("/training/augment", test_augment);
  g_test_add_func ("/training/augment-by-hand", test_augment_by_hand);
  g_test_add_func ("/training/bce", test_bce);
  g_test_add_func ("/training/pairs", test_pairs);
  g_test_add_func ("/training/grad-norm", test_grad_norm);
  g_test_add_func ("/training/grad-factor", test_grad_factor);
  g_test_add_func ("/training/adam", test_adam);
  g_test_add_func ("/training/adam-skips", test_adam_skips);
  return g_test_run ();
}
