/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-penalty.c - the exact gradient of R1 and R2 without second derivatives.
 *
 * A small discriminator D, piecewise linear and with independent samples, is assembled by hand from the
 * operations:
 *
 *   conv 3x3 + leaky ReLU, downsample, conv 4x4 stride 2 + leaky ReLU, conv 2x2
 *
 * and trained on pairs of a real and a fake sample with
 *
 *   L = mean softplus (D (fake) - D (real))
 *       + gamma / 2 (mean |grad D (real)|^2 + mean |grad D (fake)|^2)
 *
 * Its gradient (Etmann 1906.06637; R3GAN, 2501.05441) needs four passes:
 *
 *   forward  z_l = W_l a_l-1 + b_l, a_l = act (z_l), stored
 *   unit     delta_l = act' W_l+1' delta_l+1, from 1 at every logit; v = grad D
 *   tangent  u_0 = v, u_l = act' W_l u_l-1: no bias, the stored masks
 *   weights  dW_l = wgrad (delta_l, c a_l-1 + k u_l-1), k = gamma / N
 *
 * with c[n] the loss's gradient at logit n.  Because the masks are constant almost everywhere, this equals the
 * finite differences of L, which are computed here.
 */
#include "test-kernels-util.h"

#include <math.h>

#define ARGS(...) ((void *[]) { __VA_ARGS__ })

enum
{
  PAIRS = 3,
  SAMPLES = 2 * PAIRS,
  N_LAYERS = 3
};

static const double gamma_penalty = 3;

/* Layer l turns in[l] into out[l]; between the first two, downsampling. */
static const UkShape in[N_LAYERS] = {
  { SAMPLES, 8, 8, 2 }, { SAMPLES, 4, 4, 4 }, { SAMPLES, 2, 2, 5 }
};
static const UkShape out[N_LAYERS] = {
  { SAMPLES, 8, 8, 4 }, { SAMPLES, 2, 2, 5 }, { SAMPLES, 1, 1, 1 }
};
static const int kernel[N_LAYERS] = { 3, 4, 2 }, stride[N_LAYERS] = { 1, 2, 1 };
static const int pad[N_LAYERS] = { 1, 1, 0 };

enum { LARGEST = SAMPLES * 8 * 8 * 4, LARGEST_W = 5 * 4 * 4 * 4 };

typedef struct
{
  double w[N_LAYERS][LARGEST_W], b[N_LAYERS][5];
  double x[LARGEST];
  double a[N_LAYERS][LARGEST];     /* outputs; the last are the logits */
  double delta[N_LAYERS][LARGEST]; /* unit cotangents of the outputs, masked */
  double t[N_LAYERS][LARGEST];     /* tangents of the outputs, masked */
  double down[LARGEST], tdown[LARGEST]; /* layer 1's input, and its tangent */
  double v[LARGEST];                    /* grad D */
  double dlogits[SAMPLES], norms[SAMPLES];
} Net;

static UkOpDesc
layer_desc (UkOpKind kind, int l)
{
  return (UkOpDesc) { .kind = kind,
                      .x = in[l],
                      .y = out[l],
                      .kernel = kernel[l],
                      .stride = stride[l],
                      .pad = pad[l],
                      .act = l < N_LAYERS - 1 ? UK_ACT_LEAKY_RELU : UK_ACT_NONE,
                      .slope = 0.2f };
}

/* dx = act' (a) dy of layer @l's output, in place; or a tangent's mask. */
static void
mask (Net *net, int l, double *x)
{
  UkOpDesc desc = layer_desc (UK_OP_ACT_GRAD, l);

  desc.x = out[l];
  test_reference (&desc, ARGS (net->a[l], x, NULL, NULL, x));
}

static void
downsample (double *x, double *y)
{
  UkOpDesc desc = { .kind = UK_OP_DOWNSAMPLE, .x = out[0], .y = in[1], .scale = 1 };

  test_reference (&desc, ARGS (x, y));
}

/* Downsampling's adjoint is upsampling with a quarter of the scale. */
static void
downsample_grad (double *dy, double *dx)
{
  UkOpDesc desc = { .kind = UK_OP_UPSAMPLE, .x = in[1], .y = out[0], .scale = 0.25f };

  test_reference (&desc, ARGS (dy, dx));
}

static double *
layer_input (Net *net, int l)
{
  return l == 0 ? net->x : l == 1 ? net->down : net->a[1];
}

static double *
layer_tangent (Net *net, int l)
{
  return l == 0 ? net->v : l == 1 ? net->tdown : net->t[1];
}

static void
forward (Net *net)
{
  for (int l = 0; l < N_LAYERS; l++)
    {
      UkOpDesc desc = layer_desc (UK_OP_CONV, l);

      test_reference (&desc, ARGS (layer_input (net, l), net->w[l], net->b[l], net->a[l]));
      if (l == 0)
        downsample (net->a[0], net->down);
    }
}

static void
unit_dgrad (Net *net)
{
  UkOpDesc ones = { .kind = UK_OP_FILL, .y = out[N_LAYERS - 1], .scale = 1 };
  double to_down[LARGEST];

  test_reference (&ones, ARGS (NULL, net->delta[N_LAYERS - 1]));
  for (int l = N_LAYERS - 1; l >= 0; l--)
    {
      UkOpDesc desc = layer_desc (UK_OP_CONV_DGRAD, l);
      double *dx = l == 0 ? net->v : l == 1 ? to_down : net->delta[1];

      mask (net, l, net->delta[l]);
      test_reference (&desc, ARGS (net->delta[l], net->w[l], dx));
      if (l == 1)
        downsample_grad (to_down, net->delta[0]);
    }
}

static void
tangent (Net *net)
{
  for (int l = 0; l < N_LAYERS; l++)
    {
      UkOpDesc desc = layer_desc (UK_OP_CONV, l);

      desc.act = UK_ACT_NONE;
      test_reference (&desc, ARGS (layer_tangent (net, l), net->w[l], NULL, net->t[l]));
      mask (net, l, net->t[l]);
      if (l == 0)
        downsample (net->t[0], net->tdown);
    }
}

/* Forward, v and both parts of the loss. */
static double
full_loss (gpointer data)
{
  Net *net = data;
  UkOpDesc norm = { .kind = UK_OP_SQUARED_NORM, .x = in[0] };
  UkOpDesc pair = { .kind = UK_OP_LOSS_PAIR_D, .x = { SAMPLES, 1, 1, 1 }, .batch = PAIRS };
  double metrics[3], mean[1];

  forward (net);
  unit_dgrad (net);
  test_reference (&pair, ARGS (net->a[N_LAYERS - 1], NULL, net->dlogits, metrics));
  test_reference (&norm, ARGS (net->v, net->norms, mean));
  /* The mean is over 2 N samples, R1 and R2 are two means over N. */
  return metrics[0] + gamma_penalty / 2 * 2 * mean[0];
}

static void
layer_gradients (Net *net, int l, double *dw, double *db)
{
  UkOpDesc mix = { .kind = UK_OP_AXPBY, .x = in[l], .y = in[l] };
  UkOpDesc wgrad = layer_desc (UK_OP_CONV_WGRAD, l);
  UkOpDesc bias = { .kind = UK_OP_ACT_GRAD, .x = out[l], .y = out[l] };
  double mixed[LARGEST], k[1] = { gamma_penalty / PAIRS };

  test_reference (&mix, ARGS (layer_input (net, l), net->dlogits, layer_tangent (net, l), k,
                              mixed));
  test_reference (&wgrad, ARGS (mixed, net->delta[l], dw));
  test_reference (&bias, ARGS (NULL, net->delta[l], net->dlogits, db, NULL));
}

static Net *
net_new (guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  Net *net = g_new (Net, 1);

  for (int i = 0; i < LARGEST; i++)
    net->x[i] = g_rand_double_range (rand, -1, 1);
  for (int l = 0; l < N_LAYERS; l++)
    {
      double bound = sqrt (6.0 / (in[l].c * kernel[l] * kernel[l]));

      for (int i = 0; i < LARGEST_W; i++)
        net->w[l][i] = g_rand_double_range (rand, -bound, bound);
      for (int i = 0; i < 5; i++)
        net->b[l][i] = g_rand_double_range (rand, -0.3, 0.3);
    }
  return net;
}

static void
test_full_gradient (void)
{
  g_autofree Net *net = net_new (21);
  double dw[N_LAYERS][LARGEST_W], db[N_LAYERS][5];
  double step = 1e-6;

  full_loss (net);
  tangent (net);
  for (int l = 0; l < N_LAYERS; l++)
    layer_gradients (net, l, dw[l], db[l]);
  for (int l = 0; l < N_LAYERS; l++)
    {
      int64_t n_w = in[l].c * out[l].c * kernel[l] * kernel[l];

      test_assert_gradient ("dW", net->w[l], n_w, dw[l], step, full_loss, net);
      /* The last bias cancels in each pair, so its gradient must be 0. */
      if (l == N_LAYERS - 1)
        g_assert_cmpfloat (fabs (db[l][0]), <, 1e-15);
      else
        test_assert_gradient ("db", net->b[l], out[l].c, db[l], step, full_loss, net);
    }
}

/* Without the penalty term the gradient differs. */
static void
test_penalty_contributes (void)
{
  g_autofree Net *net = net_new (21);
  double with[LARGEST_W], without[LARGEST_W], db[5];
  double difference = 0, size = 0;

  full_loss (net);
  tangent (net);
  layer_gradients (net, 1, with, db);
  memset (net->tdown, 0, sizeof net->tdown);
  layer_gradients (net, 1, without, db);
  for (int i = 0; i < LARGEST_W; i++)
    {
      difference += (with[i] - without[i]) * (with[i] - without[i]);
      size += with[i] * with[i];
    }
  g_assert_cmpfloat (difference, >, 0.1 * size);
}

/* The tangent of the logit along v = grad D is <grad D, v> = |v|^2: a free check of a whole network. */
static void
test_free_identity (void)
{
  g_autofree Net *net = net_new (22);

  full_loss (net);
  tangent (net);
  for (int n = 0; n < SAMPLES; n++)
    {
      g_assert_cmpfloat (net->norms[n], >, 0);
      g_assert_cmpfloat_with_epsilon (net->t[N_LAYERS - 1][n], net->norms[n],
                                      1e-13 * net->norms[n]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/penalty/full-gradient", test_full_gradient);
  g_test_add_func ("/penalty/contributes", test_penalty_contributes);
  g_test_add_func ("/penalty/free-identity", test_free_identity);
  return g_test_run ();
}
