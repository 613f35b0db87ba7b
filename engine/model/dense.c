/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dense.c - see dense.h.
 */
#include "model/dense.h"

#include <math.h>
#include <string.h>

UrbDense *
urb_dense_new (const UrbNet *net, const float *params)
{
  const UrbLayer *layer = urb_net_get_layer (net, 0);
  const float *w = params + urb_net_get_param (net, layer->weight)->offset;
  const float *b = layer->bias < 0 ? NULL : params + urb_net_get_param (net, layer->bias)->offset;
  gint64 n = uk_shape_count (layer->out), c = layer->out.c, n_inputs = layer->in.c;
  UrbDense *self = g_new0 (UrbDense, 1);

  *self = (UrbDense) { .size = (int) layer->out.h, .n_channels = (int) c, .n_inputs = (int) n_inputs,
                       .weights = g_new (float, n * n_inputs), .bias = g_new0 (float, n),
                       .act = layer->act, .slope = layer->slope };
  for (gint64 i = 0; i < n; i++)
    {
      /* Stored as (inputs, s, s, c) if transposed, else as (s s c, inputs). */
      for (gint64 k = 0; k < n_inputs; k++)
        self->weights[i * n_inputs + k] = layer->transposed ? w[k * n + i] : w[i * n_inputs + k];
      if (b != NULL)
        self->bias[i] = b[layer->transposed ? i % c : i];
    }
  return self;
}

void
urb_dense_free (UrbDense *self)
{
  if (self == NULL)
    return;
  g_free (self->weights);
  g_free (self->bias);
  g_free (self);
}

/* Of a part of @n, at pixel @p of @size: a quarter of a sine, so that its square and that of the other part there
 * add up to 1.  At the plan's border there is no other. */
static double
get_weight (int part, int n, int p, int size)
{
  if ((part == 0 && p < size / 2) || (part == n - 1 && p >= size / 2))
    return 1;
  return sin (G_PI * (p + 0.5) / size);
}

/* Adds a pixel of a part, (c). */
static void
add_pixel (const UrbDense *self, int pixel, const float *input, int n_latent, double weight, float *sums)
{
  for (int k = 0; k < self->n_channels; k++)
    {
      gsize i = (gsize) pixel * (gsize) self->n_channels + (gsize) k;
      const float *w = self->weights + i * (gsize) self->n_inputs;
      double varied = 0, fixed = self->bias[i];

      for (int j = 0; j < n_latent; j++)
        varied += (double) w[j] * input[j];
      for (int j = n_latent; j < self->n_inputs; j++)
        fixed += (double) w[j] * input[j];
      sums[k] += (float) (weight * varied + weight * weight * fixed);
    }
}

static float
activate (const UrbDense *self, float x)
{
  switch (self->act)
    {
    case UK_ACT_RELU:
      return MAX (x, 0);
    case UK_ACT_LEAKY_RELU:
      return x > 0 ? x : self->slope * x;
    case UK_ACT_TANH:
      return tanhf (x);
    default:
      return x;
    }
}

void
urb_dense_compose (const UrbDense *self, const float *inputs, int n_latent, int n_cols, int n_rows,
                   float *map)
{
  int s = self->size, width = n_cols * s;
  int parts_x = urb_dense_count_parts (n_cols), parts_y = urb_dense_count_parts (n_rows);
  gsize n = (gsize) width * (gsize) (n_rows * s) * (gsize) self->n_channels;

  memset (map, 0, n * sizeof *map);
  for (int part = 0; part < parts_x * parts_y; part++)
    for (int pixel = 0; pixel < s * s; pixel++)
      {
        int col = part % parts_x, row = part / parts_x, x = pixel % s, y = pixel / s;
        gsize at = (gsize) (row * s / 2 + y) * (gsize) width + (gsize) (col * s / 2 + x);

        add_pixel (self, pixel, inputs + (gsize) part * (gsize) self->n_inputs, n_latent,
                   get_weight (col, parts_x, x, s) * get_weight (row, parts_y, y, s),
                   map + at * (gsize) self->n_channels);
      }
  for (gsize i = 0; i < n; i++)
    map[i] = activate (self, map[i]);
}
