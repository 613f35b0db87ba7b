/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-fit.c - the gradient of the loss of given pixels with respect to a generator's input, against
 * finite differences of that loss in double precision; and on the fast backend against reference.
 */
#include <math.h>

#include "model/fold.h"
#include "model/networks.h"
#include "model/part.h"
#include "model/streams.h"
#include "step/fit.h"
#include "step/interpreter.h"

enum { N = 3 };

#define HEAD "[preset]\nimage-size=8\nlatent=6\nbatch=4\nsteps=100\n"

typedef struct
{
  const char *name, *preset;
  int         n_channels;
  gboolean    refine, softmax;
  int         first; /* layers before the part */
} Case;

static const char plain[] = HEAD "[generator]\n1=dense 8 4 bias lrelu\n2=tconv image bias head\n";
static const char residual[] = HEAD
  "[generator]\n1=dense 6 4 bias-each\n2=block\n3=up\n4=conv1 5\n5=block\n6=conv1 image bias head\n";
static const char refined[] = HEAD "refined-size=16\n"
  "[generator]\n1=dense 8 4 bias lrelu\n2=tconv image bias head\n"
  "[refiner]\n1=conv3 4 bias\n2=block\n3=tconv image bias head\n";
static const char classic[] = HEAD
  "[generator]\n1=dense 8 4 bn relu\n2=tconv 5 bn relu\n3=conv3 image bias head\n";
static const char no_head[] = HEAD "[generator]\n1=dense 8 4 bias lrelu\n2=tconv image bias\n";

static const Case cases[] = {
  { "plain", plain, 3, FALSE, TRUE, 0 },
  { "plain-grey", plain, 1, FALSE, FALSE, 0 },
  { "plain-features", plain, 3, FALSE, TRUE, 1 },
  { "residual", residual, 3, FALSE, TRUE, 0 },
  { "residual-features", residual, 3, FALSE, TRUE, 1 },
  { "refined", refined, 3, TRUE, TRUE, 0 },
  { "refined-features-grey", refined, 1, TRUE, FALSE, 1 },
  { "folded", classic, 3, FALSE, TRUE, 0 },
  { "no-activation", no_head, 1, FALSE, FALSE, 0 },
};

typedef struct
{
  UrbNet         *net, *part;
  UkBackend      *backend;
  UrbProgram     *program;
  UrbInterpreter *interpreter;
  gint64          n_in, n_out;
  float          *weights, *target; /* (n_out) */
  float          *z;                /* (N, n_in) */
} Fixture;

static UrbNet *
build_net (const Case *row)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbPreset) preset = urb_preset_load_text (row->name, row->preset, &error);
  g_autoptr(UrbNet) net = NULL;

  g_assert_no_error (error);
  net = urb_preset_build_generator (preset, row->n_channels, row->refine, &error);
  g_assert_no_error (error);
  return urb_net_has_batch_norm (net) ? urb_net_fold (net) : g_steal_pointer (&net);
}

static void
upload (Fixture *self, int buffer, const float *values, gint64 count)
{
  g_assert_cmpint (self->backend->table->upload (
                     self->backend, urb_program_get_buffer (self->program, buffer)->type,
                     urb_interpreter_get_memory (self->interpreter, buffer), values, count),
                   ==, UK_OK);
}

/* A target of shares that sum to 1, given for about half the pixels with different weights. */
static void
make_target (Fixture *self, int n_channels)
{
  self->weights = g_new (float, self->n_out);
  self->target = g_new (float, self->n_out);
  for (gint64 i = 0; i < self->n_out; i++)
    {
      gint64 pixel = i / n_channels;

      self->weights[i] = pixel % 5 < 3 ? 0.25f * (float) (1 + pixel % 3) : 0;
      self->target[i] = n_channels == 1 ? (float) (pixel % 4) / 3
                                        : i % n_channels == pixel % 3 ? 0.75f : 0.125f;
    }
}

static void
upload_target (Fixture *self)
{
  float factor = urb_fit_get_factor (self->part);
  g_autofree float *weights = g_new (float, self->n_out), *shifts = g_new (float, self->n_out);

  for (gint64 i = 0; i < self->n_out; i++)
    {
      weights[i] = factor * self->weights[i];
      shifts[i] = -weights[i] * (2 * self->target[i] - 1);
    }
  upload (self, self->program->weights, weights, self->n_out);
  upload (self, self->program->shifts, shifts, self->n_out);
}

static void
fixture_open (Fixture *self, const Case *row, const UkBackendTable *table)
{
  UkBackendConfig config = { .n_threads = 1 };
  g_autoptr(GError) error = NULL;
  g_autofree float *params = NULL;

  self->net = build_net (row);
  self->part = urb_net_new_part (self->net, row->first, urb_net_get_n_layers (self->net));
  g_assert_nonnull (self->part);
  self->n_in = uk_shape_count (self->part->in);
  self->n_out = uk_shape_count (self->part->out);
  g_assert_cmpint (table->open (&config, &self->backend), ==, UK_OK);
  self->program = urb_program_new_fit (self->part, N);
  g_assert_true (urb_program_plan (self->program, self->backend, &error));
  self->interpreter = urb_interpreter_new (self->program, self->backend, NULL, NULL, &error);
  g_assert_no_error (error);
  params = g_new (float, self->net->n_params);
  urb_net_init_values (self->net, 3, URB_STREAM_INIT_G, params, NULL);
  for (gint64 i = 0; i < self->net->n_params; i++)
    if (params[i] == 0)
      params[i] = 0.1f * sinf ((float) i * 1.7f + 0.3f);
  upload (self, self->program->g.params, params, self->net->n_params);
  self->z = g_new (float, N * self->n_in);
  for (gint64 i = 0; i < N * self->n_in; i++)
    self->z[i] = 1.3f * sinf ((float) i * 2.1f + 0.5f);
  upload (self, self->program->z, self->z, N * self->n_in);
  make_target (self, row->n_channels);
  upload_target (self);
  g_assert_true (urb_interpreter_run_prologue (self->interpreter, &error));
}

static void
fixture_close (Fixture *self)
{
  urb_interpreter_free (self->interpreter);
  urb_program_free (self->program);
  self->backend->table->close (self->backend);
  urb_net_free (self->part);
  urb_net_free (self->net);
  g_free (self->weights);
  g_free (self->target);
  g_free (self->z);
}

static void
run (Fixture *self)
{
  g_autoptr(GError) error = NULL;

  g_assert_true (urb_interpreter_run (self->interpreter, &error));
  g_assert_no_error (error);
}

static const double *
memory_of (Fixture *self, int buffer) /* on reference */
{
  return urb_interpreter_get_memory (self->interpreter, buffer);
}

/* As fit.h defines it, of all samples. */
static double
loss_of (Fixture *self, const Case *row)
{
  UkAct act = urb_net_get_layer (self->part, urb_net_get_n_layers (self->part) - 1)->act;
  const double *y = memory_of (self, self->program->images);
  double loss = 0;

  run (self);
  g_assert_cmpint (act == UK_ACT_SOFTMAX, ==, row->softmax);
  for (gint64 i = 0; i < N * self->n_out; i++)
    {
      double w = self->weights[i % self->n_out], t = self->target[i % self->n_out];
      double p = (y[i] + 1) / 2, off = y[i] - (2 * t - 1);

      if (act == UK_ACT_SOFTMAX)
        loss -= w * t * log (p);
      else if (act == UK_ACT_TANH)
        loss -= w * (t * log (p) + (1 - t) * log (1 - p));
      else
        loss += w * off * off / 2;
    }
  return loss;
}

static void
test_gradient (gconstpointer data)
{
  const Case *row = data;
  Fixture self = { 0 };
  g_autofree double *gradient = NULL;
  double *z, scale = 0;

  fixture_open (&self, row, uk_backend_reference ());
  run (&self);
  gradient = g_memdup2 (memory_of (&self, self.program->dz), sizeof (double) * (gsize) (N * self.n_in));
  for (gint64 i = 0; i < N * self.n_in; i++)
    scale = MAX (scale, fabs (gradient[i]));
  g_assert_cmpfloat (scale, >, 1e-2);
  z = urb_interpreter_get_memory (self.interpreter, self.program->z);
  for (gint64 i = 0; i < N * self.n_in; i += MAX (1, N * self.n_in / 40))
    {
      double kept = z[i], difference = 0, eps = 1e-6;

      for (; eps > 1e-9; eps /= 10) /* smaller where a kink of leaky ReLU is near */
        {
          z[i] = kept + eps;
          difference = loss_of (&self, row);
          z[i] = kept - eps;
          difference = (difference - loss_of (&self, row)) / (2 * eps);
          z[i] = kept;
          if (fabs (difference - gradient[i]) <= 1e-12 / eps * (scale + fabs (gradient[i])))
            break;
        }
      if (eps <= 1e-9)
        g_error ("%s, value %d: the program says %.12g, differences say %.12g", row->name, (int) i,
                 gradient[i], difference);
    }
  fixture_close (&self);
}

static void
test_backend (gconstpointer data)
{
  Fixture exact = { 0 }, fast = { 0 };
  g_autofree float *dz = NULL;
  const double *right;
  double scale = 0;

  fixture_open (&exact, data, uk_backend_reference ());
  fixture_open (&fast, data, uk_backend_cpu ());
  run (&exact);
  run (&fast);
  dz = g_new (float, N * fast.n_in);
  fast.backend->table->download (fast.backend, UK_VALUE, dz,
                                 urb_interpreter_get_memory (fast.interpreter, fast.program->dz),
                                 N * fast.n_in);
  right = memory_of (&exact, exact.program->dz);
  for (gint64 i = 0; i < N * fast.n_in; i++)
    scale = MAX (scale, fabs (right[i]));
  for (gint64 i = 0; i < N * fast.n_in; i++)
    g_assert_cmpfloat_with_epsilon (dz[i], right[i], 1e-5 * scale);
  fixture_close (&exact);
  fixture_close (&fast);
}

/* The layers of a part must not look back. */
static void
test_part (void)
{
  g_autoptr(UrbNet) net = build_net (&(Case) { "residual", residual, 3 });
  int n_layers = urb_net_get_n_layers (net), n_refused = 0;

  for (int first = 0; first < n_layers; first++)
    {
      g_autoptr(UrbNet) part = urb_net_new_part (net, first, n_layers);

      n_refused += part == NULL;
      if (part != NULL)
        {
          g_assert_cmpint (urb_net_get_n_layers (part), ==, n_layers - first);
          g_assert_cmpint (part->n_params, ==, net->n_params);
        }
    }
  g_assert_cmpint (n_refused, >, 0);
  g_assert_cmpint (n_refused, <, n_layers);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *gradient = g_strdup_printf ("/fit/gradient/%s", cases[i].name);
      g_autofree char *backend = g_strdup_printf ("/fit/backend/%s", cases[i].name);

      g_test_add_data_func (gradient, &cases[i], test_gradient);
      g_test_add_data_func (backend, &cases[i], test_backend);
    }
  g_test_add_func ("/fit/part", test_part);
  return g_test_run ();
}
