/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-tensor.c - which layers tensor parallel ranks divide, what they hold of them, and what they exchange.
 * That they train like one process is in test-strategies.c.
 */
#include <string.h>

#include "model-fixture.h"
#include "parallel/tensor-private.h"
#include "parallel/tensor.h"

enum { N_RANKS = 4, N = 2, BATCH = N_RANKS * N };

static void
set_up (Model *self, const char *preset, gboolean penalty)
{
  model_set_up (self, preset, (UrbGanOptions) {
    .batch = BATCH, .n_microbatches = 1, .n_ranks = N_RANKS, .sync_ranks = N_RANKS,
    .relativistic = penalty, .penalty = penalty });
}

static UrbDivision *
choose (const Model *self, const UrbProgramNet *slot, UrbDivisionAim aim)
{
  return urb_pairs_choose (self->program, slot, urb_net_get_n_layers (self->g), N_RANKS, aim);
}

/* Each element of a divided tensor is on one rank, each of another on all; runs are in order, and a rank's
 * block has no gaps. */
static void
check_slices (const UrbNet *net, gboolean of_states, const UrbDivision *divisions)
{
  g_autoptr(GArray) slices = urb_slices_find (net, of_states, divisions, N_RANKS, NULL);
  const GArray *table = of_states ? net->states : net->params;
  g_autofree guint8 *n_owners = g_new0 (guint8, of_states ? net->n_state : net->n_params);

  for (int rank = 0; rank < N_RANKS; rank++)
    {
      g_autoptr(GArray) runs = urb_slices_make_runs (slices, rank, N_RANKS);
      gint64 local = 0, whole = 0;

      for (guint i = 0; i < runs->len; i++)
        {
          const UrbRun *run = &g_array_index (runs, UrbRun, i);

          g_assert_cmpint (run->local, ==, local);
          g_assert_cmpint (run->whole, >=, whole);
          for (gint64 e = 0; e < run->count; e++)
            n_owners[run->whole + e]++;
          local += run->count;
          whole = run->whole + run->count;
        }
    }
  for (guint p = 0; p < table->len; p++)
    {
      const UrbParam *param = &g_array_index (table, UrbParam, p);
      const UrbSlice *slice = urb_slices_get (slices, param->offset);

      g_assert_cmpint (slice->count * (slice->is_divided ? N_RANKS : 1), ==, param->count);
      for (gint64 e = 0; e < param->count; e++)
        g_assert_cmpint (n_owners[param->offset + e], ==, slice->is_divided ? 1 : N_RANKS);
    }
}

static void
test_slices (void)
{
  static const char *const presets[] = { "tiny", "small", "modern-32m", "dcgan-32m" };

  for (gsize i = 0; i < G_N_ELEMENTS (presets); i++)
    {
      g_auto(Model) model = { 0 };
      g_autofree UrbDivision *of_g = NULL, *of_d = NULL;

      set_up (&model, presets[i], i < 3);
      of_g = choose (&model, &model.program->g, URB_DIVISION_OF_MOST);
      of_d = choose (&model, &model.program->d, URB_DIVISION_OF_MOST);
      check_slices (model.g, FALSE, of_g);
      check_slices (model.g, TRUE, of_g);
      check_slices (model.d, FALSE, of_d);
      check_slices (model.d, TRUE, of_d);
    }
}

/* Slices of a convolution are like the weights of a narrower one: (o, k, k, i), transposed (i, k, k, o). */
static void
test_weights (void)
{
  static const UrbDivision columns[] = { URB_DIVISION_COLUMN, URB_DIVISION_ROW };
  UrbNet *net = urb_net_new ("g", (UkShape) { 1, 4, 4, 8 });
  UrbConvOptions options = { .n_channels = 12, .kernel = 4, .stride = 2, .pad = 1, .transposed = TRUE };
  g_autoptr(GArray) slices = NULL;
  const UrbSlice *slice;

  urb_net_add_conv (net, urb_net_add_conv (net, 0, &options),
                    &(UrbConvOptions) { .n_channels = 5, .kernel = 3, .stride = 1, .pad = 1 });
  slices = urb_slices_find (net, FALSE, columns, N_RANKS, NULL);
  slice = &g_array_index (slices, UrbSlice, 0);
  g_assert_cmpint (slice->n_outer, ==, 8 * 16);
  g_assert_cmpint (slice->n_inner, ==, 12 / N_RANKS);
  slice = &g_array_index (slices, UrbSlice, 1);
  g_assert_cmpint (slice->n_outer, ==, 5 * 9);
  g_assert_cmpint (slice->n_inner, ==, 12 / N_RANKS);
  urb_net_free (net);
}

/* Pairs begin with a column and end with a row, and take wide layers at low resolution rather than narrow
 * ones at high resolution. */
static void
test_choice (void)
{
  for (int aim = URB_DIVISION_FOR_SPEED; aim <= URB_DIVISION_OF_MOST; aim++)
    {
      g_auto(Model) model = { 0 };
      g_autofree UrbDivision *divisions = NULL;
      gboolean by_channels = FALSE;
      int n_divided = 0;

      set_up (&model, "dcgan-32m", FALSE);
      divisions = choose (&model, &model.program->g, aim);
      for (int i = 0; i < urb_net_get_n_layers (model.g); i++)
        {
          const UrbLayer *layer = urb_net_get_layer (model.g, i);
          gboolean is_conv = layer->kind == URB_LAYER_CONV;

          if (divisions[i] == URB_DIVISION_COLUMN || divisions[i] == URB_DIVISION_ROW)
            {
              g_assert_true (is_conv && by_channels == (divisions[i] == URB_DIVISION_ROW));
              by_channels = !by_channels;
              n_divided++;
            }
          else
            g_assert_true (by_channels == (divisions[i] == URB_DIVISION_CHANNELS) && !(is_conv && by_channels));
        }
      g_assert_false (by_channels);
      g_assert_cmpint (divisions[0], ==, URB_DIVISION_COLUMN); /* 256 -> 1024 x 4 x 4 */
      g_assert_cmpint (divisions[2], ==, URB_DIVISION_ROW);    /* 1024 -> 1024 */
      g_assert_cmpint (n_divided, ==, aim == URB_DIVISION_FOR_SPEED ? 4 : 8);
    }
}

/* Without factors, which have a few elements. */
static gint64
sum (const UrbProgram *program, UrbCollectiveKind kind, const char *net)
{
  return model_sum_parts (program, kind, net, 16);
}

/* By tensor.h, a rank's part, in units of N samples.  The discriminator's step has two halves in each of
 * forward, backward and tangent; the generator's, two forward and one backward. */
static void
test_volume (void)
{
  g_auto(Model) model = { 0 };
  g_autofree UrbDivision *of_g = NULL, *of_d = NULL;
  gint64 gathered_g = 0, gathered_d = 0, reduced_g = 0, reduced_d = 0;
  UrbProgram *program;

  set_up (&model, "tiny", TRUE);
  program = model.program;
  of_g = choose (&model, &program->g, URB_DIVISION_OF_MOST);
  of_d = choose (&model, &program->d, URB_DIVISION_OF_MOST);
  for (int i = 0; i < urb_net_get_n_layers (model.g); i++)
    {
      const UrbLayer *layer = urb_net_get_layer (model.g, i);
      gint64 in = N * uk_shape_count (layer->in), out = N * uk_shape_count (layer->out);

      gathered_g += of_g[i] == URB_DIVISION_COLUMN ? 2 * in : of_g[i] == URB_DIVISION_ROW ? out : 0;
      reduced_g += of_g[i] == URB_DIVISION_COLUMN ? (i > 0) * in : of_g[i] == URB_DIVISION_ROW ? out : 0;
    }
  for (int i = 0; i < urb_net_get_n_layers (model.d); i++)
    {
      const UrbLayer *layer = urb_net_get_layer (model.d, i);
      gint64 in = N * uk_shape_count (layer->in), out = N * uk_shape_count (layer->out);

      if (out == N) /* logits */
        continue;
      gathered_d += of_d[i] == URB_DIVISION_COLUMN ? 8 * in : of_d[i] == URB_DIVISION_ROW ? 5 * out : 0;
      reduced_d += of_d[i] == URB_DIVISION_COLUMN ? 3 * in : of_d[i] == URB_DIVISION_ROW ? 6 * out : 0;
    }
  urb_program_make_tensor (program, &(UrbTensorOptions) {
    .mesh = &(UrbMesh) { N_RANKS, 1, 1 }, .n_base_layers = urb_net_get_n_layers (model.g),
    .g = of_g, .d = of_d, .bucket_mib = 25 });
  g_assert_cmpint (gathered_d, >, 0);
  g_assert_cmpint (sum (program, URB_COLLECTIVE_ALL_GATHER, "g"), ==, gathered_g);
  g_assert_cmpint (sum (program, URB_COLLECTIVE_REDUCE_SCATTER, "g"), ==, reduced_g);
  g_assert_cmpint (sum (program, URB_COLLECTIVE_ALL_GATHER, "d"), ==, gathered_d);
  g_assert_cmpint (sum (program, URB_COLLECTIVE_REDUCE_SCATTER, "d"), ==, reduced_d);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tensor/slices", test_slices);
  g_test_add_func ("/tensor/weights", test_weights);
  g_test_add_func ("/tensor/choice", test_choice);
  g_test_add_func ("/tensor/volume", test_volume);
  return g_test_run ();
}
