/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generator.c - see generator.h.
 *
 * Images are generated in chunks of a fixed size, the last one filled with zeros, so that an image
 * depends on its own latent vector only.
 *
 * The programs that measure statistics and generate images share a workspace, since the first is
 * done before the second begins.
 */
#include "train/generator.h"

#include <glib/gi18n.h>
#include <string.h>

#include "kernels/uk-random.h"
#include "parallel/offload.h"
#include "model/streams.h"
#include "step/interpreter.h"
#include "train/device.h"

#define N_STANDING_BATCHES 4

typedef struct
{
  UrbProgram     *program;
  UrbInterpreter *interpreter;
} Runner;

struct _UrbGenerator
{
  UkBackend    *backend; /* borrowed */
  const UrbNet *net;     /* borrowed */
  const UrbConditions *conditions; /* (nullable) borrowed */
  UrbShareWish  wish;
  gint64        chunk;   /* images per run */
  gboolean      fetches; /* parameters, for each use */
  Runner        images;
  Runner        standing; /* measures batch-norm statistics; empty without batch norm */
  void         *workspace; /* of both; owned, unless it is the room that was lent */
  gint64        workspace_bytes; /* 0: not owned */
  float        *z;        /* (chunk, inputs) */
  float        *pixels;   /* (chunk, s, s, c) */
};

static gboolean
runner_plan (Runner *self, UrbGenerator *generator, UrbStatistics statistics, GError **error)
{
  self->program = urb_program_new_generator (generator->net, generator->chunk, statistics);
  if (generator->fetches)
    urb_program_fetch_params (self->program);
  return urb_program_plan (self->program, generator->backend, error);
}

static gboolean
runner_open (Runner *self, UrbGenerator *generator, const UrbGeneratorOptions *options, GError **error)
{
  g_autofree void **lent = g_new0 (void *, self->program->buffers->len);

  lent[self->program->g.params] = options->params;
  self->interpreter = urb_interpreter_new_in (self->program, generator->backend, lent,
                                              generator->workspace, error);
  if (self->interpreter != NULL && generator->fetches)
    urb_interpreter_set_storage (self->interpreter, &options->storage);
  return self->interpreter != NULL;
}

static void
runner_clear (Runner *self)
{
  g_clear_pointer (&self->interpreter, urb_interpreter_free);
  g_clear_pointer (&self->program, urb_program_free);
}

/* About a megapixel per run: enough to keep the convolutions busy.  Fewer if the widest layer has more than
 * 16 values per pixel of the image, so that a run takes little memory. */
static gint64
chunk_of (const UrbNet *net)
{
  gint64 most = 0;

  for (int value = 0; value <= urb_net_get_n_layers (net); value++)
    most = MAX (most, uk_shape_count (urb_net_get_value_shape (net, value)));
  return CLAMP (MIN ((1 << 20) / (net->out.h * net->out.w), (1 << 24) / most), 1, 64);
}

static gboolean
plan (UrbGenerator *self, GError **error)
{
  return runner_plan (&self->images, self, URB_STATISTICS_GIVEN, error)
         && (!urb_net_has_batch_norm (self->net)
             || runner_plan (&self->standing, self, URB_STATISTICS_BATCH, error));
}

/* For the larger of the two programs. */
static gint64
count_workspace_bytes (const UrbGenerator *self)
{
  gint64 n_bytes = urb_program_get_workspace_bytes (self->images.program);

  return self->standing.program == NULL
           ? n_bytes : MAX (n_bytes, urb_program_get_workspace_bytes (self->standing.program));
}

static gboolean
open_workspace (UrbGenerator *self, const UrbGeneratorOptions *options, GError **error)
{
  if (options->room_bytes >= count_workspace_bytes (self))
    {
      self->workspace = options->room;
      return TRUE;
    }
  self->workspace_bytes = MAX (count_workspace_bytes (self), 64);
  self->workspace = self->backend->table->alloc (self->backend, (gsize) self->workspace_bytes);
  if (self->workspace != NULL)
    return TRUE;
  g_set_error_literal (error, URB_STEP_ERROR, URB_STEP_ERROR_MEMORY,
                       N_ ("There is not enough memory to draw cities; close other programs."));
  return FALSE;
}

UrbGenerator *
urb_generator_new (const UrbGeneratorOptions *options, GError **error)
{
  g_autoptr(UrbGenerator) self = g_new0 (UrbGenerator, 1);
  const UrbNet *net = options->net;

  self->backend = options->backend;
  self->net = net;
  self->conditions = options->conditions;
  self->wish = URB_SHARES_AS_IN_DATA;
  self->chunk = chunk_of (net);
  self->fetches = options->params == NULL;
  self->z = g_new0 (float, self->chunk * net->in.c);
  self->pixels = g_new0 (float, self->chunk * uk_shape_count (net->out));
  if (!plan (self, error) || !open_workspace (self, options, error)
      || !runner_open (&self->images, self, options, error)
      || (self->standing.program != NULL && !runner_open (&self->standing, self, options, error)))
    return NULL;
  return g_steal_pointer (&self);
}

gboolean
urb_generator_may_borrow (const UrbProgram *program)
{
  return program->g.moment_runs == NULL
         && (program->g.ema < 0 || urb_program_get_buffer (program, program->g.ema)->store != URB_STORE_OUTSIDE);
}

void
urb_generator_free (UrbGenerator *self)
{
  if (self == NULL)
    return;
  runner_clear (&self->images);
  runner_clear (&self->standing);
  if (self->workspace_bytes > 0)
    self->backend->table->free (self->backend, self->workspace, (gsize) self->workspace_bytes);
  g_free (self->z);
  g_free (self->pixels);
  g_free (self);
}

void
urb_generator_ask (UrbGenerator *self, const UrbShareWish *wish)
{
  self->wish = *wish;
}

void
urb_generator_get_latent (const UrbNet *net, guint64 seed, gint64 index, float *z)
{
  const guint64 rng[2] = { seed, 0 };

  uk_normals (rng, URB_STREAM_SAMPLE, (guint64) index << 20, 0, net->in.c, z);
}

void
urb_generator_get_input (const UrbGenerator *self, guint64 seed, gint64 index, float *z)
{
  float shares[UK_N_SHARES];

  urb_generator_get_latent (self->net, seed, index, z);
  if (self->conditions == NULL)
    return;
  urb_conditions_draw (self->conditions, &self->wish, seed, index, shares);
  urb_conditions_normalize (self->conditions, shares, z + self->net->in.c - UK_N_SHARES);
}

static gboolean
run_chunk (UrbGenerator *self, Runner *runner, GError **error)
{
  UkStatus status = self->backend->table->upload (
    self->backend, UK_VALUE,
    urb_interpreter_get_memory (runner->interpreter, runner->program->z), self->z,
    self->chunk * self->net->in.c);

  return urb_device_check (status, error) && urb_interpreter_run (runner->interpreter, error);
}

/* ------------------------------------------------------------------------ */
/* Standing statistics                                                       */

/* Finds the offset of a layer's running mean and variance in the state block.  Returns their number
 * of channels; 0 if the layer is no batch norm. */
static gint64
find_statistics (const UrbNet *net, int index, gint64 *mean, gint64 *variance)
{
  const UrbLayer *layer = urb_net_get_layer (net, index);

  *mean = *variance = 0;
  if (layer->kind != URB_LAYER_BATCH_NORM)
    return 0;
  *mean = urb_net_get_state (net, layer->running_mean)->offset;
  *variance = urb_net_get_state (net, layer->running_var)->offset;
  return layer->in.c;
}

/* The measuring program computes a moving average of the old statistics and those of its batch;
 * with known old values, here 0, those of the batch follow. */
static gboolean
measure_batch (UrbGenerator *self, gint64 batch, double *mean, double *square, GError **error)
{
  gint64 n_state = self->net->n_state;
  g_autofree float *state = g_new0 (float, n_state);
  void *memory = urb_interpreter_get_memory (self->standing.interpreter,
                                             self->standing.program->g.state);
  UkBackend *backend = self->backend;

  for (gint64 i = 0; i < self->chunk; i++)
    urb_generator_get_input (self, URB_STREAM_STANDING, batch * self->chunk + i,
                             self->z + i * self->net->in.c);
  if (!urb_device_check (backend->table->upload (backend, UK_REAL, memory, state, n_state), error)
      || !run_chunk (self, &self->standing, error)
      || !urb_device_check (backend->table->download (backend, UK_REAL, state, memory, n_state),
                            error))
    return FALSE;
  for (int l = 0; l < urb_net_get_n_layers (self->net); l++)
    {
      double momentum = urb_net_get_forward_desc (self->net, l, 1).momentum;
      gint64 m, v, n_channels = find_statistics (self->net, l, &m, &v);

      for (gint64 c = 0; c < n_channels; c++)
        {
          double batch_mean = state[m + c] / momentum;

          mean[m + c] += batch_mean;
          square[v + c] += state[v + c] / momentum + batch_mean * batch_mean;
        }
    }
  return TRUE;
}

gboolean
urb_generator_get_statistics (UrbGenerator *self, float *state, GError **error)
{
  gint64 n_state = self->net->n_state;
  g_autofree double *mean = g_new0 (double, n_state), *square = g_new0 (double, n_state);

  if (!urb_interpreter_run_prologue (self->standing.interpreter, error))
    return FALSE;
  for (gint64 batch = 0; batch < N_STANDING_BATCHES; batch++)
    if (!measure_batch (self, batch, mean, square, error))
      return FALSE;
  for (int l = 0; l < urb_net_get_n_layers (self->net); l++)
    {
      gint64 m, v, n_channels = find_statistics (self->net, l, &m, &v);

      for (gint64 c = 0; c < n_channels; c++)
        {
          double average = mean[m + c] / N_STANDING_BATCHES;

          state[m + c] = (float) average;
          state[v + c] = (float) MAX (square[v + c] / N_STANDING_BATCHES - average * average, 0);
        }
    }
  return TRUE;
}

static gboolean
refresh_statistics (UrbGenerator *self, GError **error)
{
  gint64 n_state = self->net->n_state;
  g_autofree float *state = g_new0 (float, n_state);

  return urb_generator_get_statistics (self, state, error)
         && urb_device_check (self->backend->table->upload (
                                self->backend, UK_REAL,
                                urb_interpreter_get_memory (self->images.interpreter,
                                                            self->images.program->g.state),
                                state, n_state),
                              error);
}

/* The image program packs last, since both programs pack into the same memory. */
gboolean
urb_generator_refresh (UrbGenerator *self, GError **error)
{
  return (self->standing.interpreter == NULL || refresh_statistics (self, error))
         && urb_interpreter_run_prologue (self->images.interpreter, error);
}

/* ------------------------------------------------------------------------ */

guint8
urb_generator_get_level (float value)
{
  float level = (value + 1) * 127.5f + 0.5f;

  level = level > 0 ? level : 0; /* in this order: comparisons with NaN are false */
  return (guint8) (level < 255 ? level : 255);
}

gboolean
urb_generator_run (UrbGenerator *self, const float *z, gint64 n, guint8 *levels, GError **error)
{
  gint64 n_inputs = self->net->in.c, n_pixels = uk_shape_count (self->net->out);

  for (gint64 first = 0; first < n; first += self->chunk)
    {
      gint64 count = MIN (self->chunk, n - first);

      memset (self->z, 0, sizeof (float) * (gsize) (self->chunk * n_inputs));
      memcpy (self->z, z + first * n_inputs, sizeof (float) * (gsize) (count * n_inputs));
      if (!run_chunk (self, &self->images, error))
        return FALSE;
      if (!urb_device_check (
            self->backend->table->download (
              self->backend, UK_VALUE, self->pixels,
              urb_interpreter_get_memory (self->images.interpreter, self->images.program->images),
              count * n_pixels),
            error))
        return FALSE;
      for (gint64 i = 0; i < count * n_pixels; i++)
        levels[first * n_pixels + i] = urb_generator_get_level (self->pixels[i]);
    }
  return TRUE;
}

/* Bytes outside the workspace and the borrowed parameters. */
static gint64
count_own_bytes (const UrbProgram *program)
{
  return urb_program_get_bytes (program) - urb_program_get_workspace_bytes (program)
         - program->store_bytes[URB_STORE_PARAMS];
}

gboolean
urb_generator_reserve (UkBackend *backend, const UrbNet *net, UrbProgram *program, gint64 *n_bytes,
                       GError **error)
{
  g_autoptr(UrbGenerator) self = g_new0 (UrbGenerator, 1);

  self->backend = backend;
  self->net = net;
  self->chunk = chunk_of (net);
  self->fetches = !urb_generator_may_borrow (program);
  if (!plan (self, error))
    return FALSE;
  *n_bytes = self->chunk * (net->in.c + uk_shape_count (net->out)) * (gint64) sizeof (float)
             + count_own_bytes (self->images.program)
             + (self->standing.program == NULL ? 0 : count_own_bytes (self->standing.program));
  urb_program_reserve (program, count_workspace_bytes (self));
  return TRUE;
}
