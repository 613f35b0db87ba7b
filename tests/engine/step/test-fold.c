/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-fold.c - with given statistics, a generator gives the same images with batch norm as with
 * folded convolutions: for every preset, and every layer that may have batch norm.
 */
#include <math.h>

#include <string.h>

#include "kernels/uk-random.h"
#include "model/fold.h"
#include "model/networks.h"
#include "step/build.h"
#include "step/interpreter.h"

enum { N = 2 };

#define HEAD "[preset]\nimage-size=16\nlatent=6\nbatch=4\nsteps=100\n[generator]\n"

static const struct { const char *name, *text; } by_hand[] = {
  { "each-kind", HEAD "1=dense 24 4 bn relu\n2=tconv 20 bn lrelu\n3=conv3 12 bn relu\n"
                      "4=conv1 8 bn tanh\n5=tconv 6 bn\n6=conv3 image bias head\n" },
  { "down-and-up", HEAD "1=dense 8 16 bn lrelu\n2=conv4 12 bn relu\n3=up\n4=conv3 image bias head\n" },
  { "bias-before", HEAD "1=dense 8 8 bias bn relu\n2=tconv 8 bias bn\n3=conv1 image bias head\n" },
  { "at-the-end", HEAD "1=dense 8 8 bias lrelu\n2=tconv image bn tanh\n" },
  { "around-a-block", HEAD "1=dense 8 8 bn\n2=block\n3=up\n4=conv1 6 bn lrelu\n5=block\n"
                           "6=conv3 image bias head\n" },
};

/* From @low to @high; each tensor uses its own @stream. */
static void
fill (float *values, gint64 count, guint32 stream, double low, double high)
{
  const guint64 rng[2] = { 5, 0 };

  for (gint64 i = 0; i < count; i++)
    {
      guint32 block[4];

      uk_philox (rng, stream, (guint64) i / 4, block);
      values[i] = (float) (low + (high - low) * block[i % 4] / 4294967296.0);
    }
}

/* Replaces initial values of 0 and 1: gamma, beta, biases, statistics. */
static void
fill_net (const UrbNet *net, float *params, float *state)
{
  urb_net_init_values (net, 3, 1, params, state);
  for (int i = 0; i < urb_net_get_n_layers (net); i++)
    {
      const UrbLayer *layer = urb_net_get_layer (net, i);
      const UrbParam *bias = layer->bias < 0 ? NULL : urb_net_get_param (net, layer->bias);
      guint32 stream = 10 + 4 * (guint32) i;

      if (bias != NULL)
        fill (params + bias->offset, bias->count, stream, -0.5, 0.5);
      if (layer->kind != URB_LAYER_BATCH_NORM)
        continue;
      fill (params + urb_net_get_param (net, layer->weight)->offset, layer->in.c, stream + 1,
            -0.5, 1.5);
      fill (state + urb_net_get_state (net, layer->running_mean)->offset, layer->in.c, stream + 2,
            -0.5, 0.5);
      fill (state + urb_net_get_state (net, layer->running_var)->offset, layer->in.c, stream + 3,
            0.3, 1.5);
    }
}

static float *
draw (const UrbNet *net, const float *params, const float *state)
{
  UkBackendConfig config = { .n_threads = 1 };
  UkBackend *backend = NULL;
  UrbProgram *program = urb_program_new_generator (net, N, URB_STATISTICS_GIVEN);
  UrbInterpreter *interpreter;
  gint64 n_pixels = N * uk_shape_count (net->out);
  float *z = g_new (float, N * net->in.c), *images = g_new (float, n_pixels);
  g_autoptr(GError) error = NULL;

  g_assert_cmpint (uk_backend_cpu ()->open (&config, &backend), ==, UK_OK);
  g_assert_true (urb_program_plan (program, backend, &error));
  interpreter = urb_interpreter_new (program, backend, NULL, NULL, &error);
  g_assert_no_error (error);
  fill (z, N * net->in.c, 2, -1.5, 1.5);
  backend->table->upload (backend, UK_REAL, urb_interpreter_get_memory (interpreter, program->g.params),
                          params, net->n_params);
  if (net->n_state > 0)
    backend->table->upload (backend, UK_REAL, urb_interpreter_get_memory (interpreter, program->g.state),
                            state, net->n_state);
  backend->table->upload (backend, UK_VALUE, urb_interpreter_get_memory (interpreter, program->z), z,
                          N * net->in.c);
  g_assert_true (urb_interpreter_run_prologue (interpreter, &error));
  g_assert_true (urb_interpreter_run (interpreter, &error));
  backend->table->download (backend, UK_VALUE, images,
                            urb_interpreter_get_memory (interpreter, program->images), n_pixels);
  urb_interpreter_free (interpreter);
  urb_program_free (program);
  backend->table->close (backend);
  g_free (z);
  return images;
}

static double
spread (const float *values, gint64 count)
{
  double sum = 0, squares = 0;

  for (gint64 i = 0; i < count; i++)
    {
      sum += values[i];
      squares += (double) values[i] * values[i];
    }
  return sqrt (squares / (double) count - sum * sum / ((double) count * (double) count));
}

static void
compare (const UrbPreset *preset)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbNet) net = urb_preset_build_generator (preset, 3, FALSE, &error), folded = NULL;
  g_autofree float *params = NULL, *state = NULL, *values = NULL, *a = NULL, *b = NULL;
  gint64 n_pixels;
  double most = 0;

  g_assert_no_error (error);
  n_pixels = N * uk_shape_count (net->out);
  folded = urb_net_fold (net);
  g_assert_false (urb_net_has_batch_norm (folded));
  g_assert_cmpint (folded->n_params, <=, net->n_params);
  params = g_new (float, net->n_params);
  state = g_new (float, MAX (net->n_state, 1));
  values = g_new (float, folded->n_params);
  fill_net (net, params, state);
  urb_net_fold_values (net, folded, params, state, values);
  a = draw (net, params, state);
  b = draw (folded, values, NULL);
  for (gint64 i = 0; i < n_pixels; i++)
    most = MAX (most, fabs ((double) a[i] - b[i]));
  g_test_message ("%s: %g apart, in images that spread %g", preset->name, most,
                  spread (a, n_pixels));
  g_assert_cmpfloat (spread (a, n_pixels), >, 0.05);
  g_assert_cmpfloat (most, <, 5e-6);
}

static void
test_preset (gconstpointer name)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbPreset) preset = urb_preset_load (name, &error);

  g_assert_no_error (error);
  compare (preset);
}

static void
test_by_hand (gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbPreset) preset = urb_preset_load_text ("mine", data, &error);

  g_assert_no_error (error);
  compare (preset);
}

int
main (int argc, char **argv)
{
  g_auto(GStrv) names = urb_preset_list ();

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autofree char *path = g_strdup_printf ("/fold/preset/%s", names[i]);

      if (strcmp (names[i], "city-1b") == 0)
        continue; /* takes 12 GB, and has no batch norm to fold */
      g_test_add_data_func (path, names[i], test_preset);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (by_hand); i++)
    {
      g_autofree char *path = g_strdup_printf ("/fold/by-hand/%s", by_hand[i].name);

      g_test_add_data_func (path, by_hand[i].text, test_by_hand);
    }
  return g_test_run ();
}
