/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-wide.c - a generator for several areas is the generator for one: the same image for 1 x 1 areas, the
 * same pixels in a window as in the whole, and features that vary in the middle of two areas as within one.
 */
#include <math.h>
#include <string.h>

#include "kernels/uk-random.h"
#include "model/dense.h"
#include "model/networks.h"
#include "model/wide.h"
#include "step/build.h"
#include "step/interpreter.h"

#define HEAD "[preset]\nimage-size=16\nrefined-size=32\nlatent=6\nbatch=4\nsteps=100\n[generator]\n"
#define END "\n[refiner]\n1=conv3 4 bias lrelu\n2=tconv image bias head\n[discriminator]\n1=logit\n"

static const struct { const char *name, *text; } local[] = {
  { "transposed", HEAD "1=dense 12 4 bias lrelu\n2=tconv 8 bias relu\n3=tconv image bias head" END },
  { "residual", HEAD "1=dense 12 4 bias-each\n2=block\n3=block\n4=up\n5=conv1 8\n6=up\n7=block\n"
                     "8=conv1 image bias head" END },
  { "plain", HEAD "1=dense 6 2 bias relu\n2=up\n3=conv3 8 lrelu\n4=up\n5=conv3 8 bias tanh\n6=up\n"
                  "7=conv3 image bias head" END },
};

static const struct { const char *name, *text; } fixed[] = {
  { "no-dense", HEAD "1=conv1 12\n2=dense 12 4\n3=tconv 8\n4=tconv image head" END },
  { "odd-dense", HEAD "1=dense 12 1 lrelu\n2=up\n3=up\n4=up\n5=up\n6=conv1 image head" END },
  { "down", HEAD "1=dense 12 4\n2=down\n3=up\n4=up\n5=up\n6=conv3 image head" END },
  { "stride", HEAD "1=dense 12 4\n2=conv4 6\n3=up\n4=up\n5=up\n6=conv3 image head" END },
  { "logit", HEAD "1=dense 12 4\n2=logit\n3=up\n4=up\n5=up\n6=up\n7=conv3 image head" END },
};

/* From -@limit to @limit; each tensor uses its own @stream. */
static void
fill (float *values, gint64 count, guint32 stream, double limit)
{
  const guint64 rng[2] = { 5, 0 };

  for (gint64 i = 0; i < count; i++)
    {
      guint32 block[4];

      uk_philox (rng, stream, (guint64) i / 4, block);
      values[i] = (float) (limit * (2 * uk_uniform (block[i % 4]) - 1));
    }
}

/* One image.  @input: (net->in) */
static float *
draw (const UrbNet *net, const float *params, const float *input)
{
  UkBackendConfig config = { .n_threads = 1 };
  UkBackend *backend = NULL;
  UrbProgram *program = urb_program_new_generator (net, 1, URB_STATISTICS_GIVEN);
  UrbInterpreter *interpreter;
  gint64 n_pixels = uk_shape_count (net->out);
  float *image = g_new (float, n_pixels);
  g_autoptr(GError) error = NULL;

  g_assert_cmpint (uk_backend_cpu ()->open (&config, &backend), ==, UK_OK);
  g_assert_true (urb_program_plan (program, backend, &error));
  interpreter = urb_interpreter_new (program, backend, NULL, NULL, &error);
  g_assert_no_error (error);
  backend->table->upload (backend, UK_REAL, urb_interpreter_get_memory (interpreter, program->g.params),
                          params, net->n_params);
  backend->table->upload (backend, UK_VALUE, urb_interpreter_get_memory (interpreter, program->z), input,
                          uk_shape_count (net->in));
  g_assert_true (urb_interpreter_run_prologue (interpreter, &error));
  g_assert_true (urb_interpreter_run (interpreter, &error));
  backend->table->download (backend, UK_VALUE, image,
                            urb_interpreter_get_memory (interpreter, program->images), n_pixels);
  urb_interpreter_free (interpreter);
  urb_program_free (program);
  backend->table->close (backend);
  return image;
}

static UrbNet *
build (const char *text, float **params)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbPreset) preset = urb_preset_load_text ("mine", text, &error);
  UrbNet *net;

  g_assert_no_error (error);
  net = urb_preset_build_generator (preset, 3, TRUE, &error);
  g_assert_no_error (error);
  *params = g_new (float, net->n_params);
  fill (*params, net->n_params, 1, 0.4);
  return net;
}

static void
test_single (gconstpointer text)
{
  g_autoptr(GError) error = NULL;
  g_autofree float *params = NULL, *map = NULL, *expected = NULL, *image = NULL;
  g_autoptr(UrbNet) net = build (text, &params);
  g_autoptr(UrbDense) dense = urb_dense_new (net, params);
  g_autoptr(UrbNet) wide = urb_net_new_wide (net, dense->size, dense->size);
  float z[6];

  g_assert_true (urb_net_check_wide (net, &error));
  g_assert_cmpint (dense->n_inputs, ==, G_N_ELEMENTS (z));
  fill (z, G_N_ELEMENTS (z), 2, 1.5);
  map = g_new (float, uk_shape_count (wide->in));
  urb_dense_compose (dense, z, dense->n_inputs, 1, 1, map);
  expected = draw (net, params, z);
  image = draw (wide, params, map);
  for (gint64 i = 0; i < uk_shape_count (net->out); i++)
    g_assert_cmpfloat_with_epsilon (image[i], expected[i], 2e-6);
}

/* A window equals the whole, except where it looks beyond its border; there, something differs. */
static void
test_window (gconstpointer text)
{
  g_autofree float *params = NULL, *map = NULL, *part = NULL, *whole = NULL, *window = NULL;
  g_autoptr(UrbNet) net = build (text, &params);
  g_autoptr(UrbDense) dense = urb_dense_new (net, params);
  enum { EDGE = 24, LEFT = 3, TOP = 5 };
  g_autoptr(UrbNet) wide = urb_net_new_wide (net, EDGE, EDGE);
  gint64 reach = urb_net_get_reach (wide), c = dense->n_channels, scale = wide->out.w / EDGE;
  gint64 h = 2 * reach + 3, w = 2 * reach + 2;
  g_autoptr(UrbNet) narrow = urb_net_new_wide (net, h, w);
  double inside = 0, outside = 0;

  g_assert_cmpint (LEFT + w, <, EDGE);
  g_assert_cmpint (TOP + h, <, EDGE);
  map = g_new (float, uk_shape_count (wide->in));
  part = g_new (float, uk_shape_count (narrow->in));
  fill (map, uk_shape_count (wide->in), 3, 1);
  for (gint64 y = 0; y < h; y++)
    memcpy (part + y * w * c, map + ((TOP + y) * EDGE + LEFT) * c, (gsize) (w * c) * sizeof *part);
  whole = draw (wide, params, map);
  window = draw (narrow, params, part);
  for (gint64 i = 0; i < uk_shape_count (narrow->out); i++)
    {
      gint64 x = i / 3 % narrow->out.w, y = i / 3 / narrow->out.w;
      gint64 at = ((scale * TOP + y) * wide->out.w + scale * LEFT + x) * 3 + i % 3;
      gboolean is_inside = x >= scale * reach && x < scale * (w - reach) && y >= scale * reach
                           && y < scale * (h - reach);
      double *most = is_inside ? &inside : &outside;

      *most = MAX (*most, fabs ((double) window[i] - whole[at]));
    }
  g_test_message ("reach %d: %g inside, %g outside", (int) reach, inside, outside);
  g_assert_cmpfloat (inside, <, 2e-6);
  g_assert_cmpfloat (outside, >, 1e-3);
}

/* Mean and variance of each feature over many plans are those of some place of a single area. */
static void
test_variance (void)
{
  enum { N = 4000, S = 4, N_LATENT = 5, N_INPUTS = 6, EDGE = 2 * S, N_PARTS = 9 };
  float weights[S * S * N_INPUTS], bias[S * S], inputs[N_PARTS * N_INPUTS], map[EDGE * EDGE];
  double sum[EDGE * EDGE] = { 0 }, squares[EDGE * EDGE] = { 0 };
  double lowest = 1e9, highest = 0, low_mean = 1e9, high_mean = -1e9;
  const UrbDense dense = { .size = S, .n_channels = 1, .n_inputs = N_INPUTS, .weights = weights,
                           .bias = bias, .act = UK_ACT_NONE };

  fill (weights, G_N_ELEMENTS (weights), 4, 1);
  fill (bias, G_N_ELEMENTS (bias), 5, 2);
  for (int i = 0; i < S * S; i++)
    {
      double variance = 0, mean = bias[i] + 3.0 * weights[i * N_INPUTS + N_LATENT];

      for (int k = 0; k < N_LATENT; k++)
        variance += (double) weights[i * N_INPUTS + k] * weights[i * N_INPUTS + k];
      lowest = MIN (lowest, variance);
      highest = MAX (highest, variance);
      low_mean = MIN (low_mean, mean);
      high_mean = MAX (high_mean, mean);
    }
  for (int n = 0; n < N; n++)
    {
      const guint64 rng[2] = { 7, (guint64) n };

      uk_normals (rng, 1, 0, 0, G_N_ELEMENTS (inputs), inputs);
      for (int part = 0; part < N_PARTS; part++)
        inputs[part * N_INPUTS + N_LATENT] = 3; /* the same for all: what is asked of them */
      urb_dense_compose (&dense, inputs, N_LATENT, 2, 2, map);
      for (int i = 0; i < EDGE * EDGE; i++)
        {
          sum[i] += map[i];
          squares[i] += (double) map[i] * map[i];
        }
    }
  for (int i = 0; i < EDGE * EDGE; i++)
    {
      double mean = sum[i] / N, variance = squares[i] / N - mean * mean;

      g_assert_cmpfloat (variance, >, 0.9 * lowest);
      g_assert_cmpfloat (variance, <, 1.1 * highest);
      g_assert_cmpfloat (mean, >, low_mean - 0.1);
      g_assert_cmpfloat (mean, <, high_mean + 0.1);
    }
}

static void
test_fixed (gconstpointer text)
{
  g_autoptr(GError) error = NULL;
  g_autofree float *params = NULL;
  g_autoptr(UrbNet) net = build (text, &params);

  g_assert_false (urb_net_check_wide (net, &error));
  g_assert_error (error, URB_MODEL_ERROR, URB_MODEL_ERROR_PRESET);
  g_assert_nonnull (strstr (error->message, "single areas only"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (local); i++)
    {
      g_autofree char *single = g_strdup_printf ("/wide/single/%s", local[i].name);
      g_autofree char *window = g_strdup_printf ("/wide/window/%s", local[i].name);

      g_test_add_data_func (single, local[i].text, test_single);
      g_test_add_data_func (window, local[i].text, test_window);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (fixed); i++)
    {
      g_autofree char *path = g_strdup_printf ("/wide/fixed/%s", fixed[i].name);

      g_test_add_data_func (path, fixed[i].text, test_fixed);
    }
  g_test_add_func ("/wide/variance", test_variance);
  return g_test_run ();
}
