/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-gradients.c - compares the reference's backward operations with central differences of the forward
 * ones, and checks <A x, y> = <x, A' y> for every linear pair.
 *
 * The scalar under test is L = <f (x), r> with a fixed random r, whose gradient is the backward operation
 * applied to r.
 */
#include "test-kernels-util.h"

#include <math.h>

#define ARGS(...) ((void *[]) { __VA_ARGS__ })

/* Adds 0.1 to each magnitude, so that no difference crosses a kink. */
static void
keep_off_zero (double *x, int64_t count)
{
  for (int64_t i = 0; i < count; i++)
    x[i] += x[i] >= 0 ? 0.1 : -0.1;
}

/* ------------------------------------------------------------------------ */
/* Convolutions                                                              */

typedef struct
{
  int64_t n, edge, c_in, c_out;
  int     kernel, stride, pad;
  bool    transposed;
} ConvCase;

static const ConvCase conv_cases[] = {
  { 2, 4, 2, 3, 1, 1, 0, false },  { 2, 5, 2, 3, 3, 1, 0, false },
  { 2, 4, 2, 3, 3, 1, 1, false },  { 1, 5, 2, 2, 3, 2, 1, false },
  { 2, 6, 2, 3, 4, 2, 1, false },  { 1, 7, 2, 2, 4, 2, 1, false }, /* one column is unused */
  { 1, 4, 2, 2, 4, 1, 1, false },  { 1, 6, 1, 3, 4, 2, 0, false },
  { 2, 3, 3, 2, 1, 2, 0, false },  { 2, 1, 5, 4, 1, 1, 0, false }, /* fully connected */
  { 2, 4, 3, 5, 4, 1, 0, false },                                  /* fully connected */
  { 2, 3, 2, 3, 1, 1, 0, true },   { 2, 3, 2, 3, 3, 1, 0, true },
  { 2, 3, 2, 3, 3, 1, 1, true },   { 1, 3, 2, 2, 3, 2, 1, true },
  { 2, 3, 2, 3, 4, 2, 1, true },   { 1, 2, 3, 1, 4, 2, 0, true },
  { 1, 2, 2, 2, 4, 1, 1, true },   { 2, 1, 5, 3, 4, 1, 0, true }, /* fully connected */
  { 2, 1, 4, 3, 1, 1, 0, true },                                  /* fully connected */
};

typedef struct
{
  UkOpDesc desc;
  double  *x, *w, *b, *y, *r;
  int64_t  n_y;
} ConvLoss;

static double
conv_loss (gpointer data)
{
  ConvLoss *self = data;

  test_reference (&self->desc, ARGS (self->x, self->w, self->b, self->y));
  return test_dot (self->y, self->r, self->n_y);
}

static UkOpDesc
conv_desc (const ConvCase *c)
{
  int64_t out = c->transposed ? (c->edge - 1) * c->stride + c->kernel - 2 * c->pad
                              : (c->edge + 2 * c->pad - c->kernel) / c->stride + 1;

  return (UkOpDesc) { .kind = UK_OP_CONV,
                      .x = { c->n, c->edge, c->edge, c->c_in },
                      .y = { c->n, out, out, c->c_out },
                      .kernel = c->kernel,
                      .stride = c->stride,
                      .pad = c->pad,
                      .transposed = c->transposed };
}

static void
check_conv (const ConvCase *c)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  UkOpDesc desc = conv_desc (c);
  int64_t n_x = uk_shape_count (desc.x), n_y = uk_shape_count (desc.y);
  int64_t n_w = uk_op_arg_count (&desc, 1);
  g_autofree double *x = test_random_array (rand, n_x), *w = test_random_array (rand, n_w);
  g_autofree double *b = test_random_array (rand, desc.y.c), *r = test_random_array (rand, n_y);
  g_autofree double *y = test_nan_array (n_y), *dx = test_nan_array (n_x);
  g_autofree double *dw = test_nan_array (n_w), *db = test_nan_array (desc.y.c);
  ConvLoss loss = { desc, x, w, b, y, r, n_y };

  desc.kind = UK_OP_CONV_DGRAD;
  test_reference (&desc, ARGS (r, w, dx));
  test_assert_gradient ("conv dx", x, n_x, dx, 0.5, conv_loss, &loss);
  desc.kind = UK_OP_CONV_WGRAD;
  test_reference (&desc, ARGS (x, r, dw));
  test_assert_gradient ("conv dw", w, n_w, dw, 0.5, conv_loss, &loss);
  desc.kind = UK_OP_ACT_GRAD;
  desc.x = desc.y;
  test_reference (&desc, ARGS (NULL, r, NULL, db, NULL));
  test_assert_gradient ("conv db", b, desc.y.c, db, 0.5, conv_loss, &loss);
}

static void
test_conv (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (conv_cases); i++)
    check_conv (&conv_cases[i]);
}

static void
test_depthwise (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (2);
  UkOpDesc desc = { .kind = UK_OP_DEPTHWISE, .x = { 2, 3, 4, 3 }, .y = { 2, 1, 1, 3 } };
  g_autofree double *x = test_random_array (rand, 72), *w = test_random_array (rand, 36);
  g_autofree double *y = test_nan_array (6), *r = test_random_array (rand, 6);
  g_autofree double *dx = test_nan_array (72), *dw = test_nan_array (36);

  test_reference (&desc, ARGS (x, w, y));
  desc.kind = UK_OP_DEPTHWISE_DGRAD;
  test_reference (&desc, ARGS (r, w, dx));
  desc.kind = UK_OP_DEPTHWISE_WGRAD;
  test_reference (&desc, ARGS (x, r, dw));
  /* Linear in each of x and w: both adjoints give the same value. */
  g_assert_cmpfloat_with_epsilon (test_dot (y, r, 6), test_dot (x, dx, 72), 1e-12);
  g_assert_cmpfloat_with_epsilon (test_dot (y, r, 6), test_dot (w, dw, 36), 1e-12);
}

/* ------------------------------------------------------------------------ */
/* Bias and activation                                                       */

enum { N = 3, PIXELS = 4, C = 5, COUNT = N * PIXELS * C };

typedef struct
{
  UkOpDesc desc;
  double  *x, *b, *y, *r, *scale;
} ActLoss;

static double
act_loss (gpointer data)
{
  ActLoss *self = data;

  test_reference (&self->desc, ARGS (self->x, self->b, self->y));
  return test_dot (self->y, self->r, COUNT);
}

/* For the bias gradient, the scalar weights each sample with its scale. */
static double
scaled_act_loss (gpointer data)
{
  ActLoss *self = data;
  double sum = 0;

  test_reference (&self->desc, ARGS (self->x, self->b, self->y));
  for (int n = 0; n < N; n++)
    sum += self->scale[n]
           * test_dot (self->y + n * PIXELS * C, self->r + n * PIXELS * C, PIXELS * C);
  return sum;
}

static void
check_act (UkAct act)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  UkOpDesc desc = { .kind = UK_OP_BIAS_ACT,
                    .x = { N, 2, 2, C },
                    .y = { N, 2, 2, C },
                    .act = act,
                    .slope = 0.2f };
  g_autofree double *x = test_random_array (rand, COUNT), *r = test_random_array (rand, COUNT);
  g_autofree double *b = test_random_array (rand, C), *scale = test_random_array (rand, N);
  g_autofree double *y = test_nan_array (COUNT), *dx = test_nan_array (COUNT);
  g_autofree double *db = test_nan_array (C);
  ActLoss loss = { desc, x, b, y, r, scale };

  keep_off_zero (x, COUNT);
  for (int i = 0; i < C; i++)
    b[i] *= 0.05;
  act_loss (&loss);
  desc.kind = UK_OP_ACT_GRAD;
  test_reference (&desc, ARGS (y, r, scale, db, dx));
  test_assert_gradient ("act dx", x, COUNT, dx, 1e-5, act_loss, &loss);
  test_assert_gradient ("act db", b, C, db, 1e-5, scaled_act_loss, &loss);
}

static void
test_act (void)
{
  for (int act = UK_ACT_NONE; act <= UK_ACT_SOFTMAX; act++)
    check_act (act);
}

/* ------------------------------------------------------------------------ */
/* Batch norm                                                                */

typedef struct
{
  UkOpDesc desc;
  double  *x, *gamma, *beta, *y, *r, *mean, *inv_std;
} NormLoss;

static double
norm_loss (gpointer data)
{
  NormLoss *self = data;

  test_reference (&self->desc, ARGS (self->x, self->gamma, self->beta, NULL, NULL, self->y,
                                     self->mean, self->inv_std));
  return test_dot (self->y, self->r, COUNT);
}

static void
check_batch_norm (UkAct act)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (4);
  UkOpDesc desc = { .kind = UK_OP_BATCH_NORM,
                    .x = { N, 2, 2, C },
                    .y = { N, 2, 2, C },
                    .act = act,
                    .slope = 0.2f,
                    .eps = 1e-5f };
  g_autofree double *x = test_random_array (rand, COUNT), *r = test_random_array (rand, COUNT);
  g_autofree double *gamma = test_random_array (rand, C), *beta = test_random_array (rand, C);
  g_autofree double *y = test_nan_array (COUNT), *mean = test_nan_array (C);
  g_autofree double *inv_std = test_nan_array (C), *dx = test_nan_array (COUNT);
  g_autofree double *dgamma = test_nan_array (C), *dbeta = test_nan_array (C);
  NormLoss loss = { desc, x, gamma, beta, y, r, mean, inv_std };

  norm_loss (&loss);
  desc.kind = UK_OP_BATCH_NORM_GRAD;
  test_reference (&desc, ARGS (x, r, gamma, beta, mean, inv_std, dx, dgamma, dbeta));
  test_assert_gradient ("batch norm dx", x, COUNT, dx, 1e-5, norm_loss, &loss);
  test_assert_gradient ("batch norm dgamma", gamma, C, dgamma, 1e-5, norm_loss, &loss);
  test_assert_gradient ("batch norm dbeta", beta, C, dbeta, 1e-5, norm_loss, &loss);
  /* In place (dx = dy); the differences above have changed mean and inv_std. */
  norm_loss (&loss);
  test_reference (&desc, ARGS (x, r, gamma, beta, mean, inv_std, r, dgamma, dbeta));
  g_assert_cmpmem (r, COUNT * sizeof *r, dx, COUNT * sizeof *dx);
}

static void
test_batch_norm (void)
{
  for (int act = UK_ACT_NONE; act < UK_ACT_SOFTMAX; act++)
    check_batch_norm (act);
}

/* With the batch's own statistics, inference and training agree. */
static void
test_batch_norm_infer (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  UkOpDesc desc = { .kind = UK_OP_BATCH_NORM,
                    .x = { N, 2, 2, C },
                    .y = { N, 2, 2, C },
                    .act = UK_ACT_TANH,
                    .eps = 1e-3f };
  g_autofree double *x = test_random_array (rand, COUNT);
  g_autofree double *gamma = test_random_array (rand, C), *beta = test_random_array (rand, C);
  double y[COUNT], z[COUNT], mean[C], inv_std[C], var[C];

  test_reference (&desc, ARGS (x, gamma, beta, NULL, NULL, y, mean, inv_std));
  for (int i = 0; i < C; i++)
    var[i] = 1 / (inv_std[i] * inv_std[i]) - desc.eps;
  desc.kind = UK_OP_BATCH_NORM_INFER;
  test_reference (&desc, ARGS (x, gamma, beta, mean, var, z));
  test_assert_near ("infer", z, y, COUNT, 1e-12);
}

/* ------------------------------------------------------------------------ */
/* Resampling and augmentation: <A x, y> = <x, A' y>                         */

static void
test_resample (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (6);
  UkOpDesc down = {
    .kind = UK_OP_DOWNSAMPLE, .x = { 2, 8, 6, 3 }, .y = { 2, 4, 3, 3 }, .scale = 0.5f
  };
  UkOpDesc up = {
    .kind = UK_OP_UPSAMPLE, .x = { 2, 4, 3, 3 }, .y = { 2, 8, 6, 3 }, .scale = 0.125f
  };
  g_autofree double *fine = test_random_array (rand, 288), *coarse = test_random_array (rand, 72);
  g_autofree double *downed = test_nan_array (72), *upped = test_nan_array (288);

  test_reference (&down, ARGS (fine, downed));
  test_reference (&up, ARGS (coarse, upped));
  g_assert_cmpfloat_with_epsilon (test_dot (downed, coarse, 72), test_dot (fine, upped, 288),
                                  1e-13);
}

static void
test_augment (void)
{
  enum { SAMPLES = 16, EDGE = 16, ALL = SAMPLES * EDGE * EDGE * 2 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  UkOpDesc desc = { .kind = UK_OP_AUGMENT,
                    .x = { SAMPLES, EDGE, EDGE, 2 },
                    .y = { SAMPLES, EDGE, EDGE, 2 },
                    .stream = 4 };
  uint64_t rng[] = { 11, 12 };
  double p[] = { 0.5 };
  g_autofree double *x = test_random_array (rand, ALL), *dy = test_random_array (rand, ALL);
  g_autofree double *y = test_nan_array (ALL), *dx = test_nan_array (ALL);

  test_reference (&desc, ARGS (x, rng, p, y));
  desc.kind = UK_OP_AUGMENT_GRAD;
  test_reference (&desc, ARGS (dy, rng, p, dx));
  g_assert_cmpfloat_with_epsilon (test_dot (y, dy, ALL), test_dot (x, dx, ALL), 1e-11);
  g_assert_true (memcmp (x, y, ALL * sizeof *x) != 0);
}

/* ------------------------------------------------------------------------ */
/* Losses                                                                    */

typedef struct
{
  UkOpDesc desc;
  double  *logits;
} LogitLoss;

static double
logit_loss (gpointer data)
{
  LogitLoss *self = data;
  double gradient[8], metrics[3];

  test_reference (&self->desc, ARGS (self->logits, NULL, gradient, metrics));
  return metrics[0];
}

static void
check_loss (UkOpKind kind, float target)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (8);
  UkOpDesc desc = { .kind = kind, .x = { 8, 1, 1, 1 }, .target = target, .batch = 12 };
  g_autofree double *logits = test_random_array (rand, 8);
  LogitLoss loss = { desc, logits };
  double gradient[8], metrics[3];
  int first = kind == UK_OP_LOSS_PAIR_G ? 4 : 0; /* its gradient covers the fakes only */

  for (int i = 0; i < 8; i++)
    logits[i] *= 6;
  test_reference (&desc, ARGS (logits, NULL, gradient, metrics));
  test_assert_gradient ("logits", logits + first, 8 - first, gradient, 1e-4, logit_loss, &loss);
}

static void
test_losses (void)
{
  check_loss (UK_OP_LOSS_BCE, 0);
  check_loss (UK_OP_LOSS_BCE, 1);
  check_loss (UK_OP_LOSS_PAIR_D, 0);
  check_loss (UK_OP_LOSS_PAIR_G, 0);
}

/* ------------------------------------------------------------------------ */
/* Shares                                                                    */

enum { SHARES_N = 2, SHARES_EDGE = 9 };

typedef struct
{
  UkOpDesc desc;
  double  *x, *scale, *y, *r;
} SharesLoss;

static double
shares_loss (gpointer data)
{
  SharesLoss *self = data;

  test_reference (&self->desc, ARGS (self->x, self->scale, self->y));
  return test_dot (self->y, self->r, SHARES_N * UK_N_SHARES);
}

static void
check_shares (int n_channels, int box, float level)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (9);
  UkOpDesc desc = { .kind = UK_OP_SHARES,
                    .x = { SHARES_N, SHARES_EDGE, SHARES_EDGE, n_channels },
                    .y = { SHARES_N, 1, 1, UK_N_SHARES },
                    .kernel = box,
                    .target = level };
  int64_t n_x = uk_shape_count (desc.x);
  double scale[2 * UK_N_SHARES] = { 0.2, 0.1, 0.05, 8, 20, 15 };
  g_autofree double *x = test_random_array (rand, n_x), *dx = test_nan_array (n_x);
  g_autofree double *y = test_nan_array (SHARES_N * UK_N_SHARES);
  g_autofree double *r = test_random_array (rand, SHARES_N * UK_N_SHARES);
  SharesLoss loss = { desc, x, scale, y, r };

  keep_off_zero (x, n_x);
  desc.kind = UK_OP_SHARES_GRAD;
  test_reference (&desc, ARGS (x, r, scale, dx));
  test_assert_gradient ("shares dx", x, n_x, dx, 1e-5, shares_loss, &loss);
}

static void
test_shares (void)
{
  for (int n_channels = 1; n_channels <= 3; n_channels += 2)
    {
      check_shares (n_channels, 1, 0.5f);
      check_shares (n_channels, 3, 0.375f);
      check_shares (n_channels, 5, n_channels == 1 ? 0.125f : 0.375f);
      check_shares (n_channels, 11, 0);
    }
}

/* A building of 3 x 3 pixels and a road of 8 in an image of 8 x 8: boxes of 3 x 3 average 1 at its center,
 * 2/3 beside it and 4/9 at its corners, of which the level 1/2 leaves (1/2 + 4 / 6) / (1/2). */
static void
test_shares_by_hand (void)
{
  const double expected[] = { 9 / 64.0, 8 / 64.0, (0.5 + 4 / 6.0) / 0.5 / 64 };
  double scale[] = { 0, 0, 0, 1, 1, 1 }, rgb[8 * 8 * 3], grey[8 * 8], y[3];
  UkOpDesc desc = { .kind = UK_OP_SHARES,
                    .x = { 1, 8, 8, 3 },
                    .y = { 1, 1, 1, 3 },
                    .kernel = 3,
                    .target = 0.5f };

  for (int p = 0; p < 64; p++)
    {
      bool is_built = p / 8 >= 2 && p / 8 < 5 && p % 8 >= 3 && p % 8 < 6, is_road = p / 8 == 7;

      rgb[3 * p] = is_built ? 1 : -1;
      rgb[3 * p + 1] = is_road ? 1 : -1;
      rgb[3 * p + 2] = is_built || is_road ? -1 : 1;
      grey[p] = is_built ? 1 : is_road ? -1 : 0;
    }
  test_reference (&desc, ARGS (rgb, scale, y));
  test_assert_near ("shares", y, expected, 3, 1e-12);
  desc.x.c = 1;
  test_reference (&desc, ARGS (grey, scale, y));
  test_assert_near ("grey shares", y, expected, 3, 1e-12);
  scale[2] = expected[2];
  scale[3] = 2;
  test_reference (&desc, ARGS (grey, scale, y));
  g_assert_cmpfloat_with_epsilon (y[0], 2 * expected[0], 1e-12);
  g_assert_cmpfloat_with_epsilon (y[2], 0, 1e-12);
}

static void
test_concat (void)
{
  const double a[] = { 1, 2, 3, 4 }, b[] = { 5, 6 }, expected[] = { 1, 2, 5, 3, 4, 6 };
  UkOpDesc desc = { .kind = UK_OP_CONCAT, .x = { 2, 1, 1, 2 }, .y = { 2, 1, 1, 3 } };
  double y[6];

  test_reference (&desc, ARGS ((void *) a, (void *) b, y));
  g_assert_cmpmem (y, sizeof y, expected, sizeof expected);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gradients/conv", test_conv);
  g_test_add_func ("/gradients/depthwise", test_depthwise);
  g_test_add_func ("/gradients/act", test_act);
  g_test_add_func ("/gradients/batch-norm", test_batch_norm);
  g_test_add_func ("/gradients/batch-norm-infer", test_batch_norm_infer);
  g_test_add_func ("/gradients/resample", test_resample);
  g_test_add_func ("/gradients/augment", test_augment);
  g_test_add_func ("/gradients/losses", test_losses);
  g_test_add_func ("/gradients/shares", test_shares);
  g_test_add_func ("/gradients/shares-by-hand", test_shares_by_hand);
  g_test_add_func ("/gradients/concat", test_concat);
  return g_test_run ();
}
