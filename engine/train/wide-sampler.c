/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wide-sampler.c - see wide-sampler.h.
 *
 * The dense layer gives a map of features (model/dense.h), and the convolutions run on it in windows that overlap by
 * as far as an output looks.  So each pixel is what it would be if they ran on the whole map: zeros
 * are padded at the outer border alone, which the first and last windows touch.
 */
#include "train/wide-sampler.h"

#include <string.h>

#include "model/dense.h"
#include "model/wide.h"
#include "step/interpreter.h"
#include "train/device.h"
#include "train/sampler-private.h"

enum { WINDOW_PX = 1448 }; /* edge: two megapixels */

/* Of the map: pixels of features. */
typedef struct
{
  gint64 length; /* of the map */
  gint64 window; /* of a window */
  gint64 reach;  /* what a window must see beyond what it draws */
} Axis;

struct _UrbWideSampler
{
  UrbSampler      *sampler; /* borrowed */
  UrbDense        *dense;
  UrbNet          *net;     /* of a window */
  UrbProgram      *program;
  UrbInterpreter  *interpreter;
  Axis             x, y;
  int              n_cols, n_rows; /* areas */
  gint64           scale;   /* pixels of the image per pixel of the map */
  float           *features; /* (y.length, x.length, c) */
  float           *input;    /* (y.window, x.window, c) */
  float           *output;   /* (scale y.window, scale x.window, n_channels) */
};

static Axis
axis_new (gint64 length, gint64 reach, gint64 scale, gint64 window_px)
{
  gint64 window = MAX (window_px / scale, 2 * reach + 1);

  return (Axis) { .length = length, .window = MIN (length, window), .reach = reach };
}

static gboolean
open_program (UrbWideSampler *self, GError **error)
{
  UrbSampler *sampler = self->sampler;
  g_autofree void **lent = NULL;

  self->program = urb_program_new_generator (self->net, 1, URB_STATISTICS_GIVEN);
  if (!urb_program_plan (self->program, sampler->backend, error))
    return FALSE;
  lent = g_new0 (void *, self->program->buffers->len);
  lent[self->program->g.params] = sampler->params;
  self->interpreter = urb_interpreter_new (self->program, sampler->backend, lent, NULL, error);
  return self->interpreter != NULL && urb_interpreter_run_prologue (self->interpreter, error);
}

UrbWideSampler *
urb_wide_sampler_new (UrbSampler *sampler, int n_cols, int n_rows, GError **error)
{
  return urb_wide_sampler_new_in (sampler, n_cols, n_rows, WINDOW_PX, error);
}

UrbWideSampler *
urb_wide_sampler_new_in (UrbSampler *sampler, int n_cols, int n_rows, gint64 window_px, GError **error)
{
  g_autoptr(UrbWideSampler) self = g_new0 (UrbWideSampler, 1);
  g_autofree float *params = g_new (float, sampler->net->n_params);
  g_autoptr(UrbNet) whole = NULL;
  gint64 size, reach, n_channels;

  self->sampler = sampler;
  if (!urb_net_check_wide (sampler->net, error)
      || !urb_device_check (sampler->backend->table->download (sampler->backend, UK_REAL, params,
                                                               sampler->params, sampler->net->n_params),
                            error))
    return NULL;
  self->dense = urb_dense_new (sampler->net, params);
  self->n_cols = n_cols;
  self->n_rows = n_rows;
  size = self->dense->size;
  n_channels = self->dense->n_channels;
  whole = urb_net_new_wide (sampler->net, size, size);
  reach = urb_net_get_reach (whole);
  self->scale = whole->out.h / size;
  self->x = axis_new (n_cols * size, reach, self->scale, window_px);
  self->y = axis_new (n_rows * size, reach, self->scale, window_px);
  self->net = urb_net_new_wide (sampler->net, self->y.window, self->x.window);
  self->features = g_new (float, self->x.length * self->y.length * n_channels);
  self->input = g_new (float, uk_shape_count (self->net->in));
  self->output = g_new (float, uk_shape_count (self->net->out));
  return open_program (self, error) ? g_steal_pointer (&self) : NULL;
}

void
urb_wide_sampler_free (UrbWideSampler *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->interpreter, urb_interpreter_free);
  g_clear_pointer (&self->program, urb_program_free);
  urb_net_free (self->net);
  urb_dense_free (self->dense);
  g_free (self->features);
  g_free (self->input);
  g_free (self->output);
  g_free (self);
}

/* ------------------------------------------------------------------------ */

static gboolean
run_window (UrbWideSampler *self, gint64 x, gint64 y, GError **error)
{
  UkBackend *backend = self->sampler->backend;
  gsize row = (gsize) (self->x.window * self->dense->n_channels);

  for (gint64 i = 0; i < self->y.window; i++)
    memcpy (self->input + (gsize) i * row,
            self->features + ((y + i) * self->x.length + x) * self->dense->n_channels,
            row * sizeof *self->input);
  return urb_device_check (backend->table->upload (
                             backend, UK_VALUE,
                             urb_interpreter_get_memory (self->interpreter, self->program->z),
                             self->input, uk_shape_count (self->net->in)),
                           error)
         && urb_interpreter_run (self->interpreter, error)
         && urb_device_check (backend->table->download (
                                backend, UK_VALUE, self->output,
                                urb_interpreter_get_memory (self->interpreter, self->program->images),
                                uk_shape_count (self->net->out)),
                              error);
}

/* What a window at @start draws: [@begin, @end), relative to the window. */
static void
get_drawn (const Axis *axis, gint64 start, gint64 *begin, gint64 *end)
{
  *begin = start == 0 ? 0 : axis->reach;
  *end = start + axis->window == axis->length ? axis->window : axis->window - axis->reach;
}

static void
copy_window (UrbWideSampler *self, gint64 x, gint64 y, guint8 *levels)
{
  gint64 left, right, top, bottom, c = self->net->out.c, scale = self->scale;

  get_drawn (&self->x, x, &left, &right);
  get_drawn (&self->y, y, &top, &bottom);
  for (gint64 row = scale * top; row < scale * bottom; row++)
    {
      const float *from = self->output + (row * self->net->out.w + scale * left) * c;
      guint8 *to = levels + ((scale * y + row) * scale * self->x.length + scale * (x + left)) * c;

      for (gint64 i = 0; i < scale * (right - left) * c; i++)
        to[i] = urb_generator_get_level (from[i]);
    }
}

/* The next window's place after @start; axis->length if there is none. */
static gint64
advance (const Axis *axis, gint64 start)
{
  if (start + axis->window == axis->length)
    return axis->length;
  return MIN (start + axis->window - 2 * axis->reach, axis->length - axis->window);
}

/* Image @index takes as many cities of the seed as it has parts. */
static void
compose (UrbWideSampler *self, guint64 seed, gint64 index)
{
  int n_parts = urb_dense_count_parts (self->n_cols) * urb_dense_count_parts (self->n_rows);
  g_autofree float *inputs = g_new (float, n_parts * self->dense->n_inputs);

  for (int i = 0; i < n_parts; i++)
    urb_sampler_get_input (self->sampler, seed, index * n_parts + i,
                           inputs + i * self->dense->n_inputs);
  urb_dense_compose (self->dense, inputs, self->sampler->info.n_latent, self->n_cols, self->n_rows,
                     self->features);
}

gboolean
urb_wide_sampler_generate (UrbWideSampler *self, guint64 seed, gint64 index, guint8 *levels,
                           GCancellable *cancellable, GError **error)
{
  compose (self, seed, index);
  for (gint64 y = 0; y < self->y.length; y = advance (&self->y, y))
    for (gint64 x = 0; x < self->x.length; x = advance (&self->x, x))
      {
        if (g_cancellable_set_error_if_cancelled (cancellable, error)
            || !run_window (self, x, y, error))
          return FALSE;
        copy_window (self, x, y, levels);
      }
  return TRUE;
}
