/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-fitter.c - searches for inputs of a generator: they find given pixels, do not depend on each
 * other, and can be cancelled.
 */
#include <string.h>

#include "model/networks.h"
#include "model/streams.h"
#include "train/device.h"
#include "train/fitter.h"
#include "train/generator.h"

enum { SIZE = 16, N_LATENT = 12, N_CHANNELS = 3, N_PIXELS = SIZE * SIZE * N_CHANNELS, N = 3 };

static const char text[] = "[preset]\nimage-size=16\nlatent=12\nbatch=4\nsteps=100\n[generator]\n"
                           "1=dense 24 4 bias lrelu\n2=tconv 16 bias lrelu\n3=tconv image bias head\n";

typedef struct
{
  UrbNet    *net;
  UkBackend *backend;
  void      *params;
  gsize      n_bytes;
  UrbFitter *fitter;
  guint8     weights[SIZE * SIZE], wanted[N_PIXELS];
  float      z[N * N_LATENT];
} Fixture;

static UrbGenerator *
open_generator (Fixture *self)
{
  g_autoptr(GError) error = NULL;
  UrbGenerator *generator = urb_generator_new (
    &(UrbGeneratorOptions) { .backend = self->backend, .net = self->net, .params = self->params }, &error);

  g_assert_no_error (error);
  return generator;
}

/* The wanted image is the generator's own, from an input that no search begins at. */
static void
set_up (Fixture *self, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbPreset) preset = urb_preset_load_text ("mine", text, &error);
  g_autoptr(UrbGenerator) generator = NULL;
  g_autofree float *values = NULL;
  float other[N_LATENT];

  g_assert_no_error (error);
  self->net = urb_preset_build_generator (preset, N_CHANNELS, FALSE, &error);
  self->backend = urb_device_open ("cpu", UK_FP32, 1, &error);
  g_assert_no_error (error);
  self->n_bytes = (gsize) self->net->n_params * sizeof (float);
  self->params = self->backend->table->alloc (self->backend, self->n_bytes);
  values = g_new (float, self->net->n_params);
  urb_net_init_values (self->net, 1, URB_STREAM_INIT_G, values, NULL);
  for (gint64 i = 0; i < self->net->n_params; i++)
    values[i] *= 2; /* sharper images */
  self->backend->table->upload (self->backend, UK_REAL, self->params, values, self->net->n_params);
  self->fitter = urb_fitter_new (self->backend, self->net, urb_net_get_n_layers (self->net),
                                 self->params, &error);
  g_assert_no_error (error);
  generator = open_generator (self);
  g_assert_true (urb_generator_refresh (generator, &error));
  urb_generator_get_latent (self->net, 7, 0, other);
  g_assert_true (urb_generator_run (generator, other, 1, self->wanted, &error));
  memset (self->weights, 255, sizeof self->weights);
  for (int i = 0; i < N; i++)
    urb_generator_get_latent (self->net, 1, i, self->z + i * N_LATENT);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  urb_fitter_free (self->fitter);
  self->backend->table->free (self->backend, self->params, self->n_bytes);
  urb_device_close (self->backend);
  urb_net_free (self->net);
}

static void
fit (Fixture *self, const float *z, int n, guint8 *levels, double *losses)
{
  g_autoptr(GError) error = NULL;
  UrbFitTarget target = { self->weights, self->wanted };

  urb_fitter_run (self->fitter, &target, z, n, levels, losses, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
}

/* The mean difference of the pixels of the rows from @first to @end. */
static double
difference (const guint8 *a, const guint8 *b, int first, int end)
{
  double sum = 0;

  for (int i = first * SIZE * N_CHANNELS; i < end * SIZE * N_CHANNELS; i++)
    sum += ABS (a[i] - b[i]);
  return sum / ((end - first) * SIZE * N_CHANNELS);
}

static void
test_finds (Fixture *self, gconstpointer data)
{
  guint8 levels[N * N_PIXELS], start[N * N_PIXELS];
  double losses[N];
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbGenerator) generator = open_generator (self);

  g_assert_true (urb_generator_refresh (generator, &error));
  g_assert_true (urb_generator_run (generator, self->z, N, start, &error));
  fit (self, self->z, N, levels, losses);
  for (int i = 0; i < N; i++)
    {
      double before = difference (start + i * N_PIXELS, self->wanted, 0, SIZE);
      double after = difference (levels + i * N_PIXELS, self->wanted, 0, SIZE);

      g_test_message ("from %.1f to %.1f levels, loss %.3f", before, after, losses[i]);
      g_assert_cmpfloat (after, <, before / 4);
    }
}

/* Where nothing is given, searches end in different images. */
static void
test_part (Fixture *self, gconstpointer data)
{
  guint8 levels[N * N_PIXELS];
  double losses[N];

  memset (self->weights + SIZE * SIZE / 2, 0, SIZE * SIZE / 2);
  memset (self->wanted + N_PIXELS / 2, 99, N_PIXELS / 2); /* without effect */
  fit (self, self->z, N, levels, losses);
  for (int i = 0; i < N; i++)
    {
      const guint8 *image = levels + i * N_PIXELS, *next = levels + (i + 1) % N * N_PIXELS;

      g_assert_cmpfloat (difference (image, self->wanted, 0, SIZE / 2), <, 12);
      g_assert_cmpfloat (difference (image, next, SIZE / 2, SIZE), >,
                         2 * difference (image, next, 0, SIZE / 2));
    }
}

static void
test_independent (Fixture *self, gconstpointer data)
{
  guint8 together[N * N_PIXELS], alone[N_PIXELS];
  double losses[N], loss;

  fit (self, self->z, N, together, losses);
  for (int i = N - 1; i >= 0; i--)
    {
      fit (self, self->z + i * N_LATENT, 1, alone, &loss);
      g_assert_cmpmem (alone, N_PIXELS, together + i * N_PIXELS, N_PIXELS);
      g_assert_cmpfloat (loss, ==, losses[i]);
    }
}

/* Cancels halfway. */
static void
cancel_cb (double fraction, const char *what, gpointer cancellable)
{
  g_assert_cmpfloat (fraction, >, 0);
  g_assert_cmpfloat (fraction, <=, 0.51);
  if (fraction >= 0.5)
    g_cancellable_cancel (cancellable);
}

static void
test_cancel (Fixture *self, gconstpointer data)
{
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(GError) error = NULL;
  UrbFitTarget target = { self->weights, self->wanted };
  guint8 levels[N * N_PIXELS];
  double losses[N];

  g_assert_false (urb_fitter_run (self->fitter, &target, self->z, N, levels, losses, cancel_cb,
                                  cancellable, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

#define ADD(name) g_test_add ("/fitter/" #name, Fixture, NULL, set_up, test_##name, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD (finds);
  ADD (part);
  ADD (independent);
  ADD (cancel);
  return g_test_run ();
}
