/* SPDX-License-Identifier: Apache-2.0 */
/* test-layers.c - compares the reference's layers with results worked out by hand. */
#include "test-kernels-util.h"

#include <math.h>

#define ARGS(...) ((void *[]) { __VA_ARGS__ })

/* Runs @desc with output @y and compares it with @expected. */
static void
check (const char *what, const UkOpDesc *desc, void **args, double *y, const double *expected,
       int64_t count)
{
  test_reference (desc, args);
  test_assert_near (what, y, expected, count, 1e-12);
}

static double counting[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
static double w22[4] = { 1, 2, 3, 4 };

static void
test_conv (void)
{
  UkOpDesc desc = { .kind = UK_OP_CONV,
                    .x = { 1, 3, 3, 1 },
                    .y = { 1, 2, 2, 1 },
                    .kernel = 2,
                    .stride = 1 };
  double b[] = { 0.5 }, y[4];

  check ("conv", &desc, ARGS (counting, w22, b, y), y, (double[]) { 37.5, 47.5, 67.5, 77.5 }, 4);
  check ("conv without bias", &desc, ARGS (counting, w22, NULL, y), y,
         (double[]) { 37, 47, 67, 77 }, 4);
  desc.act = UK_ACT_RELU;
  b[0] = -50;
  check ("conv with relu", &desc, ARGS (counting, w22, b, y), y, (double[]) { 0, 0, 17, 27 }, 4);
  desc.act = UK_ACT_NONE;
  desc.stride = 2;
  desc.pad = 1;
  check ("conv, stride 2, padded", &desc, ARGS (counting, w22, NULL, y), y,
         (double[]) { 4, 18, 36, 77 }, 4);
}

/* An image that is not square, so that rows and columns cannot be confused. */
static void
test_conv_oblong (void)
{
  UkOpDesc desc = { .kind = UK_OP_CONV,
                    .x = { 1, 2, 3, 1 },
                    .y = { 1, 1, 2, 1 },
                    .kernel = 2,
                    .stride = 1 };
  double y[2], dx[6], dy[] = { 1, 10 };

  check ("oblong", &desc, ARGS (counting, w22, NULL, y), y, (double[]) { 37, 47 }, 2);
  desc.kind = UK_OP_CONV_DGRAD;
  check ("oblong dgrad", &desc, ARGS (dy, w22, dx), dx, (double[]) { 1, 12, 20, 3, 34, 40 }, 6);
}

static void
test_conv_channels (void)
{
  UkOpDesc desc = { .kind = UK_OP_CONV,
                    .x = { 1, 1, 1, 2 },
                    .y = { 1, 1, 1, 2 },
                    .kernel = 1,
                    .stride = 1 };
  double x[] = { 1, 10 }, y[2];

  check ("weights (o, i)", &desc, ARGS (x, w22, NULL, y), y, (double[]) { 21, 43 }, 2);
  desc.transposed = true;
  check ("weights (i, o)", &desc, ARGS (x, w22, NULL, y), y, (double[]) { 31, 42 }, 2);

  /* Taps (0,0) and (0,1) of channel 0, and (1,1) of channel 1. */
  double x22[] = { 1, 0, 1, 0, 0, 0, 0, 1 }, w[] = { 1, 2, 3, 4, 5, 6, 7, 8 };

  desc = (UkOpDesc) { .kind = UK_OP_CONV,
                      .x = { 1, 2, 2, 2 },
                      .y = { 1, 1, 1, 1 },
                      .kernel = 2,
                      .stride = 1 };
  check ("weights (o, kh, kw, i)", &desc, ARGS (x22, w, NULL, y), y,
         (double[]) { 1 + 3 + 8 }, 1);
}

static void
test_conv_transposed (void)
{
  UkOpDesc desc = { .kind = UK_OP_CONV,
                    .x = { 1, 2, 2, 1 },
                    .y = { 1, 4, 4, 1 },
                    .kernel = 2,
                    .stride = 2,
                    .transposed = true };
  double y[16];
  const double expected[] = { 1, 2, 2, 4, 3, 4, 6, 8, 3, 6, 4, 8, 9, 12, 12, 16 };

  check ("transposed", &desc, ARGS (w22, w22, NULL, y), y, expected, 16);
}

static void
test_conv_gradients (void)
{
  UkOpDesc desc = { .kind = UK_OP_CONV_DGRAD,
                    .x = { 1, 3, 3, 1 },
                    .y = { 1, 2, 2, 1 },
                    .kernel = 2,
                    .stride = 1 };
  double ones[] = { 1, 1, 1, 1 }, dy[] = { 1, 0, 0, 2 }, dx[9], dw[4] = { 100, 200, 300, 400 };

  check ("dgrad", &desc, ARGS (ones, w22, dx), dx, (double[]) { 1, 3, 2, 4, 10, 6, 3, 7, 4 }, 9);
  desc.kind = UK_OP_CONV_WGRAD;
  desc.accumulate = true;
  check ("wgrad, added", &desc, ARGS (counting, dy, dw), dw,
         (double[]) { 111, 214, 320, 423 }, 4);
  desc.accumulate = false;
  check ("wgrad", &desc, ARGS (counting, dy, dw), dw, (double[]) { 11, 14, 20, 23 }, 4);
}

static void
test_depthwise (void)
{
  UkOpDesc desc = { .kind = UK_OP_DEPTHWISE, .x = { 1, 1, 2, 2 }, .y = { 1, 1, 1, 2 } };
  double w[] = { 10, 20, 30, 40 }, dy[] = { 1, 2 }, y[2], dx[4], dw[4] = { 1, 1, 1, 1 };

  check ("depthwise", &desc, ARGS (w22, w, y), y, (double[]) { 100, 200 }, 2);
  desc.kind = UK_OP_DEPTHWISE_DGRAD;
  check ("depthwise dgrad", &desc, ARGS (dy, w, dx), dx, (double[]) { 10, 40, 30, 80 }, 4);
  desc.kind = UK_OP_DEPTHWISE_WGRAD;
  desc.accumulate = true;
  check ("depthwise wgrad, added", &desc, ARGS (w22, dy, dw), dw, (double[]) { 2, 5, 4, 9 }, 4);
  desc.accumulate = false;
  check ("depthwise wgrad", &desc, ARGS (w22, dy, dw), dw, (double[]) { 1, 4, 3, 8 }, 4);
}

static void
check_act (UkAct act, double *x, const double *expected, int64_t c)
{
  UkOpDesc desc = {
    .kind = UK_OP_BIAS_ACT, .x = { 1, 1, 1, c }, .y = { 1, 1, 1, c }, .act = act, .slope = 0.25f
  };
  g_autofree double *y = test_nan_array (c);

  check ("act", &desc, ARGS (x, NULL, y), y, expected, c);
}

static void
test_acts (void)
{
  double x[] = { -2, 0, 2 };

  check_act (UK_ACT_NONE, x, x, 3);
  check_act (UK_ACT_RELU, x, (double[]) { 0, 0, 2 }, 3);
  check_act (UK_ACT_LEAKY_RELU, x, (double[]) { -0.5, 0, 2 }, 3);
  check_act (UK_ACT_TANH, (double[]) { log (2) }, (double[]) { 0.6 }, 1);
  check_act (UK_ACT_SIGMOID, (double[]) { 0, log (3) }, (double[]) { 0.5, 0.75 }, 2);
  check_act (UK_ACT_SIGMOID, (double[]) { -1000, 1000 }, (double[]) { 0, 1 }, 2);
  check_act (UK_ACT_SOFTMAX, (double[]) { 0, log (2), 0 }, (double[]) { -0.5, 0, -0.5 }, 3);
  check_act (UK_ACT_SOFTMAX, (double[]) { 1000, -1000 }, (double[]) { 1, -1 }, 2);
}

static void
test_bias_act (void)
{
  UkOpDesc desc = { .kind = UK_OP_BIAS_ACT,
                    .x = { 1, 1, 2, 2 },
                    .y = { 1, 1, 2, 2 },
                    .act = UK_ACT_LEAKY_RELU,
                    .slope = 0.25f };
  double x[] = { -3, 1, -2, 4 }, b[] = { 1, -2 };

  check ("bias, in place", &desc, ARGS (x, b, x), x, (double[]) { -0.5, -0.25, -0.25, 2 }, 4);
}

static void
test_act_grad (void)
{
  UkOpDesc desc = { .kind = UK_OP_ACT_GRAD,
                    .x = { 2, 1, 1, 2 },
                    .y = { 2, 1, 1, 2 },
                    .act = UK_ACT_LEAKY_RELU,
                    .slope = 0.25f };
  double y[] = { -0.5, 2, 3, 0 }, dy[] = { 4, 3, 5, 8 }, scale[] = { 10, 100 };
  double dx[4], db[] = { 1, 1 };

  check ("act grad", &desc, ARGS (y, dy, NULL, NULL, dx), dx, (double[]) { 1, 3, 5, 2 }, 4);
  check ("bias grad", &desc, ARGS (y, dy, NULL, db, dx), db, (double[]) { 6, 5 }, 2);
  check ("scaled bias grad", &desc, ARGS (y, dy, scale, db, dx), db,
         (double[]) { 510, 230 }, 2);
  desc.accumulate = true;
  check ("added bias grad", &desc, ARGS (y, dy, scale, db, dx), db, (double[]) { 1020, 460 }, 2);
  check ("overwritten dx", &desc, ARGS (y, dy, scale, db, dx), dx, (double[]) { 1, 3, 5, 2 }, 4);
  g_assert_cmpint (test_reference_status (&desc, ARGS (NULL, dy, NULL, db, dx)), ==,
                   UK_BAD_ARGUMENT);
  desc = (UkOpDesc) { .kind = UK_OP_ACT_GRAD, .x = { 2, 1, 1, 2 }, .y = { 2, 1, 1, 2 } };
  check ("bias grad alone", &desc, ARGS (NULL, dy, scale, db, NULL), db,
         (double[]) { 540, 830 }, 2);
  g_assert_cmpint (test_reference_status (&desc, ARGS (NULL, dy, NULL, NULL, NULL)), ==,
                   UK_BAD_ARGUMENT);
}

static void
test_act_grad_smooth (void)
{
  UkOpDesc desc = {
    .kind = UK_OP_ACT_GRAD, .x = { 1, 1, 1, 2 }, .y = { 1, 1, 1, 2 }, .act = UK_ACT_TANH
  };
  double dx[2];

  check ("tanh grad", &desc, ARGS (((double[]) { 0.5, 0 }), ((double[]) { 4, 3 }), NULL, NULL, dx),
         dx, (double[]) { 3, 3 }, 2);
  desc.act = UK_ACT_SIGMOID;
  check ("sigmoid grad", &desc,
         ARGS (((double[]) { 0.5, 0.25 }), ((double[]) { 4, 16 }), NULL, NULL, dx), dx,
         (double[]) { 1, 3 }, 2);
  desc.act = UK_ACT_SOFTMAX; /* p = 1/4, 3/4; the mean of dy is 1 */
  check ("softmax grad", &desc,
         ARGS (((double[]) { -0.5, 0.5 }), ((double[]) { 4, 0 }), NULL, NULL, dx), dx,
         (double[]) { 1.5, -1.5 }, 2);
}

static void
test_batch_norm (void)
{
  UkOpDesc desc = { .kind = UK_OP_BATCH_NORM,
                    .x = { 2, 1, 1, 1 },
                    .y = { 2, 1, 1, 1 },
                    .eps = 3,
                    .momentum = 0.25f };
  double x[] = { 1, 3 }, gamma[] = { 2 }, beta[] = { 1 }, running_mean[] = { 8 };
  double running_var[] = { 4 }, y[2], mean[1], inv_std[1], dy[] = { 1, 0 }, dx[2];
  double dgamma[] = { 7 }, dbeta[] = { 7 }, var[] = { 1 };

  check ("batch norm", &desc,
         ARGS (x, gamma, beta, running_mean, running_var, y, mean, inv_std), y,
         (double[]) { 0, 2 }, 2);
  g_assert_cmpfloat (mean[0], ==, 2);
  g_assert_cmpfloat (inv_std[0], ==, 0.5);
  g_assert_cmpfloat (running_mean[0], ==, 6.5);
  g_assert_cmpfloat (running_var[0], ==, 3.5);

  desc.kind = UK_OP_BATCH_NORM_GRAD;
  check ("batch norm grad", &desc,
         ARGS (x, dy, gamma, beta, mean, inv_std, dx, dgamma, dbeta), dx,
         (double[]) { 0.375, -0.375 }, 2);
  g_assert_cmpfloat (dgamma[0], ==, -0.5);
  g_assert_cmpfloat (dbeta[0], ==, 1);
  desc.accumulate = true;
  test_reference (&desc, ARGS (x, dy, gamma, beta, mean, inv_std, dx, dgamma, dbeta));
  g_assert_cmpfloat (dgamma[0], ==, -1);
  g_assert_cmpfloat (dbeta[0], ==, 2);

  desc = (UkOpDesc) { .kind = UK_OP_BATCH_NORM_INFER,
                      .x = desc.x,
                      .y = desc.y,
                      .eps = 3,
                      .act = UK_ACT_LEAKY_RELU,
                      .slope = 0.5f };
  beta[0] = 0;
  check ("batch norm, given statistics", &desc, ARGS (x, gamma, beta, mean, var, y), y,
         (double[]) { -0.5, 1 }, 2);
}

/* A single value has variance 0, also for the unbiased variance. */
static void
test_batch_norm_single (void)
{
  UkOpDesc desc = { .kind = UK_OP_BATCH_NORM,
                    .x = { 1, 1, 1, 1 },
                    .y = { 1, 1, 1, 1 },
                    .eps = 1,
                    .momentum = 0.5f };
  double x[] = { 5 }, one[] = { 1 }, running_var[] = { 4 }, y[1], mean[1], inv_std[1];

  check ("single", &desc, ARGS (x, one, one, NULL, running_var, y, mean, inv_std), y, one, 1);
  g_assert_cmpfloat (running_var[0], ==, 2);
}

static void
test_resample (void)
{
  UkOpDesc desc = {
    .kind = UK_OP_UPSAMPLE, .x = { 1, 1, 2, 1 }, .y = { 1, 2, 4, 1 }, .scale = 1
  };
  double x[] = { 16, 32 }, y[8], ones[16], z[4];

  check ("upsample", &desc, ARGS (x, y), y, (double[]) { 9, 15, 21, 18, 9, 15, 21, 18 }, 8);
  for (int i = 0; i < 16; i++)
    ones[i] = 1;
  desc = (UkOpDesc) {
    .kind = UK_OP_DOWNSAMPLE, .x = { 1, 4, 4, 1 }, .y = { 1, 2, 2, 1 }, .scale = 64
  };
  check ("downsample", &desc, ARGS (ones, z), z, (double[]) { 49, 49, 49, 49 }, 4);
}

static void
test_sums (void)
{
  UkOpDesc desc = { .kind = UK_OP_ADD, .x = { 2, 1, 1, 2 }, .y = { 2, 1, 1, 2 }, .scale = 7 };
  double a[] = { 1, 2, 3, 4 }, u[] = { 10, 20, 30, 40 }, c[] = { 2, 3 }, k[] = { 0.1 };
  double y[4], sums[2], mean[1];

  check ("add", &desc, ARGS (a, u, y), y, (double[]) { 11, 22, 33, 44 }, 4);
  desc.kind = UK_OP_AXPBY;
  check ("axpby", &desc, ARGS (a, c, u, k, y), y, (double[]) { 3, 6, 12, 16 }, 4);
  desc.kind = UK_OP_FILL;
  check ("fill", &desc, ARGS (NULL, y), y, (double[]) { 7, 7, 7, 7 }, 4);
  check ("fill scaled", &desc, ARGS (k, y), y, (double[]) { 0.7, 0.7, 0.7, 0.7 }, 4);
  desc.kind = UK_OP_SQUARED_NORM;
  check ("squared norm", &desc, ARGS (a, sums, mean), sums, (double[]) { 5, 25 }, 2);
  g_assert_cmpfloat (mean[0], ==, 15);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/layers/conv", test_conv);
  g_test_add_func ("/layers/conv-oblong", test_conv_oblong);
  g_test_add_func ("/layers/conv-channels", test_conv_channels);
  g_test_add_func ("/layers/conv-transposed", test_conv_transposed);
  g_test_add_func ("/layers/conv-gradients", test_conv_gradients);
  g_test_add_func ("/layers/depthwise", test_depthwise);
  g_test_add_func ("/layers/acts", test_acts);
  g_test_add_func ("/layers/bias-act", test_bias_act);
  g_test_add_func ("/layers/act-grad", test_act_grad);
  g_test_add_func ("/layers/act-grad-smooth", test_act_grad_smooth);
  g_test_add_func ("/layers/batch-norm", test_batch_norm);
  g_test_add_func ("/layers/batch-norm-single", test_batch_norm_single);
  g_test_add_func ("/layers/resample", test_resample);
  g_test_add_func ("/layers/sums", test_sums);
  return g_test_run ();
}
