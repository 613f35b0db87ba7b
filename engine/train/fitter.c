/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fitter.c - see fitter.h.
 *
 * A search moves x = center + scale u, with a penalty on |u|^2.  For latent vectors, center and scale
 * are 0 and 1: the penalty is minus the log of their density.  For features, the center is where the
 * first search ended and the scale is the spread of each feature over many cities.  The second search
 * then changes most what varies most between cities.
 */
#include "train/fitter.h"

#include <math.h>
#include <string.h>

#include "model/part.h"
#include "model/streams.h"
#include "step/build.h"
#include "step/fit.h"
#include "step/interpreter.h"
#include "train/device.h"
#include "train/generator.h"

enum { FIRST_LAYERS = 1, MAX_AT_ONCE = 16, N_SPREAD = 256 };

#define BETA1 0.9
#define BETA2 0.99

typedef struct
{
  int    n_steps;
  double rate;  /* of Adam at the first step, in units of u; falls to 0 along a cosine */
  double trust; /* in a pixel of full weight: factor of its cross entropy in a loss that contains |u|^2 / 2 */
} Phase;

static const Phase latent_phase = { 150, 0.1, 0.6 };
static const Phase feature_phase = { 150, 0.1, 2 };

typedef struct
{
  UrbNet         *net; /* owned */
  UrbProgram     *program;
  UrbInterpreter *interpreter;
} Runner;

struct _UrbFitter
{
  UkBackend *backend;  /* borrowed */
  gint64     n_at_once;
  Runner     by_latent, by_features; /* fit the image before the refiner */
  Runner     first;    /* latent vectors to features */
  Runner     rest;     /* features to images */
  float     *scale;    /* (n_features): standard deviation of each feature */
};

/* ------------------------------------------------------------------------ */
/* Programs                                                                  */

typedef UrbProgram *(*BuildFunc) (const UrbNet *net, gint64 n);

static UrbProgram *
build_generator (const UrbNet *net, gint64 n)
{
  return urb_program_new_generator (net, n, URB_STATISTICS_GIVEN);
}

static gboolean
runner_open (Runner *self, UrbFitter *fitter, UrbNet *net, BuildFunc build, void *params,
             GError **error)
{
  g_autofree void **lent = NULL;

  self->net = net;
  self->program = build (net, fitter->n_at_once);
  if (!urb_program_plan (self->program, fitter->backend, error))
    return FALSE;
  lent = g_new0 (void *, self->program->buffers->len);
  lent[self->program->g.params] = params;
  self->interpreter = urb_interpreter_new (self->program, fitter->backend, lent, NULL, error);
  return self->interpreter != NULL && urb_interpreter_run_prologue (self->interpreter, error);
}

static void
runner_clear (Runner *self)
{
  g_clear_pointer (&self->interpreter, urb_interpreter_free);
  g_clear_pointer (&self->program, urb_program_free);
  g_clear_pointer (&self->net, urb_net_free);
}

static gboolean
write_buffer (UrbFitter *self, Runner *runner, int buffer, const float *values, gint64 count,
              GError **error)
{
  return urb_device_check (
    self->backend->table->upload (self->backend,
                                  urb_program_get_buffer (runner->program, buffer)->type,
                                  urb_interpreter_get_memory (runner->interpreter, buffer), values,
                                  count),
    error);
}

static gboolean
read_buffer (UrbFitter *self, Runner *runner, int buffer, float *values, gint64 count,
             GError **error)
{
  return urb_device_check (
    self->backend->table->download (self->backend, UK_VALUE, values,
                                    urb_interpreter_get_memory (runner->interpreter, buffer), count),
    error);
}

/* @in: (n_at_once, in); @out: (out): (n_at_once, out) */
static gboolean
map_all (UrbFitter *self, Runner *runner, const float *in, float *out, GError **error)
{
  return write_buffer (self, runner, runner->program->z, in,
                       self->n_at_once * uk_shape_count (runner->net->in), error)
         && urb_interpreter_run (runner->interpreter, error)
         && read_buffer (self, runner, runner->program->images, out,
                         self->n_at_once * uk_shape_count (runner->net->out), error);
}

/* ------------------------------------------------------------------------ */

/* The spread of a feature is at least a hundredth of the widest one's. */
static gboolean
measure_spread (UrbFitter *self, GError **error)
{
  gint64 n_latent = uk_shape_count (self->first.net->in);
  gint64 n_features = uk_shape_count (self->first.net->out), n = self->n_at_once, count = 0;
  g_autofree float *z = g_new (float, n * n_latent), *features = g_new (float, n * n_features);
  g_autofree double *sum = g_new0 (double, n_features), *square = g_new0 (double, n_features);
  double widest = 0;

  self->scale = g_new (float, n_features);
  for (; count < N_SPREAD; count += n)
    {
      for (gint64 i = 0; i < n; i++)
        urb_generator_get_latent (self->first.net, URB_STREAM_STANDING, count + i,
                                  z + i * n_latent);
      if (!map_all (self, &self->first, z, features, error))
        return FALSE;
      for (gint64 i = 0; i < n * n_features; i++)
        {
          sum[i % n_features] += features[i];
          square[i % n_features] += (double) features[i] * features[i];
        }
    }
  for (gint64 i = 0; i < n_features; i++)
    {
      double mean = sum[i] / (double) count;

      self->scale[i] = (float) sqrt (MAX (square[i] / (double) count - mean * mean, 0));
      widest = MAX (widest, self->scale[i]);
    }
  for (gint64 i = 0; i < n_features; i++)
    self->scale[i] = (float) MAX (self->scale[i], widest / 100);
  return TRUE;
}

UrbFitter *
urb_fitter_new (UkBackend *backend, const UrbNet *net, int n_base, void *params, GError **error)
{
  g_autoptr(UrbFitter) self = g_new0 (UrbFitter, 1);
  UkShape base = urb_net_get_value_shape (net, n_base);
  int n_layers = urb_net_get_n_layers (net);

  g_return_val_if_fail (n_base > FIRST_LAYERS, NULL);
  self->backend = backend;
  self->n_at_once = CLAMP ((1 << 17) / (base.h * base.w), 1, MAX_AT_ONCE);
  if (runner_open (&self->by_latent, self, urb_net_new_part (net, 0, n_base), urb_program_new_fit,
                   params, error)
      && runner_open (&self->by_features, self, urb_net_new_part (net, FIRST_LAYERS, n_base),
                      urb_program_new_fit, params, error)
      && runner_open (&self->first, self, urb_net_new_part (net, 0, FIRST_LAYERS), build_generator,
                      params, error)
      && runner_open (&self->rest, self, urb_net_new_part (net, FIRST_LAYERS, n_layers),
                      build_generator, params, error)
      && measure_spread (self, error))
    return g_steal_pointer (&self);
  return NULL;
}

void
urb_fitter_free (UrbFitter *self)
{
  if (self == NULL)
    return;
  runner_clear (&self->by_latent);
  runner_clear (&self->by_features);
  runner_clear (&self->first);
  runner_clear (&self->rest);
  g_free (self->scale);
  g_free (self);
}

/* ------------------------------------------------------------------------ */
/* A search                                                                  */

static gboolean
set_target (UrbFitter *self, Runner *runner, const UrbFitTarget *target, GError **error)
{
  UkShape out = runner->net->out;
  gint64 n_values = uk_shape_count (out);
  float factor = urb_fit_get_factor (runner->net);
  g_autofree float *weights = g_new (float, n_values), *shifts = g_new (float, n_values);

  for (gint64 i = 0; i < n_values; i++)
    {
      weights[i] = factor * (float) target->weights[i / out.c] / 255;
      shifts[i] = -weights[i] * ((float) target->levels[i] / 127.5f - 1);
    }
  return write_buffer (self, runner, runner->program->weights, weights, n_values, error)
         && write_buffer (self, runner, runner->program->shifts, shifts, n_values, error);
}

typedef struct
{
  gint64       n_each;  /* elements of one input */
  const float *center;  /* (nullable) (n_at_once, n_each); NULL: 0 */
  const float *scale;   /* (nullable) (n_each); NULL: 1 */
  float       *u, *x;   /* (n_at_once, n_each), owned */
  float       *dx;      /* the same, owned */
  double      *m, *v;   /* the same, Adam's moments, owned */
} Search;

static void
search_init (Search *self, gint64 n, gint64 n_each, const float *center, const float *scale)
{
  gint64 count = n * n_each;

  *self = (Search) { n_each, center, scale, g_new0 (float, count), g_new (float, count),
                     g_new (float, count), g_new0 (double, count), g_new0 (double, count) };
}

static void
search_clear (Search *self)
{
  g_free (self->u);
  g_free (self->x);
  g_free (self->dx);
  g_free (self->m);
  g_free (self->v);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Search, search_clear)

static void
place (Search *self, gint64 count)
{
  for (gint64 i = 0; i < count; i++)
    self->x[i] = (self->center == NULL ? 0 : self->center[i])
                 + (self->scale == NULL ? 1 : self->scale[i % self->n_each]) * self->u[i];
}

static void
move (Search *self, gint64 count, const Phase *phase, int step)
{
  double rate = phase->rate * (1 + cos (G_PI * step / phase->n_steps)) / 2;
  double correct1 = 1 - pow (BETA1, step + 1), correct2 = 1 - pow (BETA2, step + 1);

  for (gint64 i = 0; i < count; i++)
    {
      double scale = self->scale == NULL ? 1 : self->scale[i % self->n_each];
      double g = phase->trust * scale * self->dx[i] + self->u[i];

      self->m[i] = BETA1 * self->m[i] + (1 - BETA1) * g;
      self->v[i] = BETA2 * self->v[i] + (1 - BETA2) * g * g;
      self->u[i] -= (float) (rate * (self->m[i] / correct1)
                             / (sqrt (self->v[i] / correct2) + 1e-8));
    }
}

typedef struct
{
  UrbProgressFunc func; /* (nullable) */
  gpointer        user_data;
  GCancellable   *cancellable; /* (nullable) */
  gint64          done, total; /* steps */
} Watch;

static gboolean
search (UrbFitter *self, Runner *runner, Search *state, const Phase *phase, Watch *watch,
        GError **error)
{
  gint64 count = self->n_at_once * state->n_each;

  for (int step = 0; step < phase->n_steps; step++)
    {
      if (g_cancellable_set_error_if_cancelled (watch->cancellable, error))
        return FALSE;
      place (state, count);
      if (!write_buffer (self, runner, runner->program->z, state->x, count, error)
          || !urb_interpreter_run (runner->interpreter, error)
          || !read_buffer (self, runner, runner->program->dz, state->dx, count, error))
        return FALSE;
      move (state, count, phase, step);
      watch->done++;
      if (watch->func != NULL)
        watch->func ((double) watch->done / (double) watch->total, "Fitting cities",
                     watch->user_data);
    }
  place (state, count);
  return TRUE;
}

/* ------------------------------------------------------------------------ */

/* Mean cross entropy of the given pixels.  @y: (s, s, c) in [-1, 1] */
static double
measure_loss (UkShape out, const UrbFitTarget *target, const float *y)
{
  double loss = 0, sum = 0;

  for (gint64 i = 0; i < out.h * out.w; i++)
    {
      double w = target->weights[i];

      sum += w;
      for (gint64 c = i * out.c; w > 0 && c < (i + 1) * out.c; c++)
        {
          double p = CLAMP (((double) y[c] + 1) / 2, 1e-6, 1 - 1e-6), t = target->levels[c] / 255.0;

          loss -= w * t * log (p) + (out.c == 1 ? w * (1 - t) * log (1 - p) : 0);
        }
    }
  return sum > 0 ? loss / sum : 0;
}

static gboolean
measure_losses (UrbFitter *self, const UrbFitTarget *target, const float *features, gint64 n,
                double *losses, GError **error)
{
  Runner *runner = &self->by_features;
  gint64 n_each = uk_shape_count (runner->net->out);
  g_autofree float *images = g_new (float, self->n_at_once * n_each);

  if (!map_all (self, runner, features, images, error))
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    losses[i] = measure_loss (runner->net->out, target, images + i * n_each);
  return TRUE;
}

static gboolean
draw (UrbFitter *self, const float *features, gint64 n, guint8 *levels, GError **error)
{
  gint64 n_each = uk_shape_count (self->rest.net->out);
  g_autofree float *images = g_new (float, self->n_at_once * n_each);

  if (!map_all (self, &self->rest, features, images, error))
    return FALSE;
  for (gint64 i = 0; i < n * n_each; i++)
    levels[i] = urb_generator_get_level (images[i]);
  return TRUE;
}

/* @z: (n_at_once, latent), of which @n count */
static gboolean
fit_some (UrbFitter *self, const UrbFitTarget *target, const float *z, gint64 n, guint8 *levels,
          double *losses, Watch *watch, GError **error)
{
  gint64 n_latent = uk_shape_count (self->first.net->in);
  gint64 n_features = uk_shape_count (self->first.net->out);
  g_autofree float *features = g_new (float, self->n_at_once * n_features);
  g_auto(Search) latent = { 0 }, free_ = { 0 };

  search_init (&latent, self->n_at_once, n_latent, NULL, NULL);
  memcpy (latent.u, z, sizeof (float) * (gsize) (self->n_at_once * n_latent));
  if (!search (self, &self->by_latent, &latent, &latent_phase, watch, error)
      || !map_all (self, &self->first, latent.x, features, error))
    return FALSE;
  search_init (&free_, self->n_at_once, n_features, features, self->scale);
  return search (self, &self->by_features, &free_, &feature_phase, watch, error)
         && measure_losses (self, target, free_.x, n, losses, error)
         && draw (self, free_.x, n, levels, error);
}

gboolean
urb_fitter_run (UrbFitter *self, const UrbFitTarget *target, const float *z, gint64 n,
                guint8 *levels, double *losses, UrbProgressFunc progress, gpointer user_data,
                GCancellable *cancellable, GError **error)
{
  gint64 n_latent = uk_shape_count (self->first.net->in), n_at_once = self->n_at_once;
  gint64 n_pixels = uk_shape_count (self->rest.net->out);
  g_autofree float *some = g_new (float, n_at_once * n_latent);
  Watch watch = { progress, user_data, cancellable, 0,
                  (n + n_at_once - 1) / n_at_once
                    * (latent_phase.n_steps + feature_phase.n_steps) };

  if (!set_target (self, &self->by_latent, target, error)
      || !set_target (self, &self->by_features, target, error))
    return FALSE;
  for (gint64 first = 0; first < n; first += n_at_once)
    {
      gint64 count = MIN (n_at_once, n - first);

      memset (some, 0, sizeof (float) * (gsize) (n_at_once * n_latent));
      memcpy (some, z + first * n_latent, sizeof (float) * (gsize) (count * n_latent));
      if (!fit_some (self, target, some, count, levels + first * n_pixels, losses + first, &watch,
                     error))
        return FALSE;
    }
  return TRUE;
}
