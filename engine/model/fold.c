/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold.c - see fold.h.
 *
 * With fixed statistics, batch norm is y = s (x - mean) + beta per channel, with
 * s = gamma / sqrt (variance + eps).  So it folds into the convolution that computed x: weights s w,
 * bias beta + s (b - mean).  Zero padding precedes both, so edges agree too.
 */
#include "model/fold.h"

#include <math.h>
#include <string.h>

/* The batch norm after layer @index, or NULL. */
static const UrbLayer *
find_norm (const UrbNet *self, int index)
{
  const UrbLayer *next;

  if (index + 1 >= urb_net_get_n_layers (self))
    return NULL;
  next = urb_net_get_layer (self, index + 1);
  return next->kind == URB_LAYER_BATCH_NORM ? next : NULL;
}

static gboolean
may_fold (const UrbNet *self, int norm)
{
  const UrbLayer *layer = urb_net_get_layer (self, norm), *conv;

  if (norm == 0 || layer->input != norm)
    return FALSE;
  conv = urb_net_get_layer (self, norm - 1);
  if (conv->kind != URB_LAYER_CONV || conv->act != UK_ACT_NONE || conv->out.c != layer->in.c)
    return FALSE;
  for (int i = norm + 1; i < urb_net_get_n_layers (self); i++)
    if (urb_net_get_layer (self, i)->input == norm || urb_net_get_layer (self, i)->input2 == norm)
      return FALSE;
  return TRUE;
}

static int
add_param (UrbNet *folded, const UrbNet *self, int param)
{
  UrbParam copy;

  if (param < 0)
    return -1;
  copy = *urb_net_get_param (self, param);
  copy.name = g_strdup (copy.name);
  copy.offset = folded->n_params;
  folded->n_params += copy.count;
  g_array_append_val (folded->params, copy);
  return (int) folded->params->len - 1;
}

UrbNet *
urb_net_fold (const UrbNet *self)
{
  int n_layers = urb_net_get_n_layers (self);
  g_autoptr(UrbNet) folded = urb_net_new (self->name, self->in);
  g_autofree int *values = g_new0 (int, n_layers + 1); /* from @self's values to @folded's */

  for (int i = 0; i < n_layers; i++)
    {
      const UrbLayer *norm = find_norm (self, i);
      UrbLayer layer = *urb_net_get_layer (self, i);

      if (layer.kind == URB_LAYER_BATCH_NORM)
        {
          g_return_val_if_fail (may_fold (self, i), NULL);
          values[i + 1] = values[i];
          continue;
        }
      if (norm != NULL)
        {
          layer.bias = norm->bias;
          layer.act = norm->act;
          layer.slope = norm->slope;
        }
      layer.input = values[layer.input];
      layer.input2 = layer.input2 < 0 ? -1 : values[layer.input2];
      layer.weight = add_param (folded, self, layer.weight);
      layer.bias = add_param (folded, self, layer.bias);
      g_array_append_val (folded->layers, layer);
      values[i + 1] = (int) folded->layers->len;
    }
  folded->out = self->out;
  return g_steal_pointer (&folded);
}

/* ------------------------------------------------------------------------ */

static const float *
get_values (const UrbNet *self, const float *params, int param)
{
  return params + urb_net_get_param (self, param)->offset;
}

static void
copy_param (const UrbNet *from, const float *params, int param, const UrbNet *to, float *values,
            int target)
{
  if (param >= 0)
    memcpy (values + urb_net_get_param (to, target)->offset, get_values (from, params, param),
            sizeof (float) * (gsize) urb_net_get_param (from, param)->count);
}

/* @weights: (co, k, k, ci), or (ci, k, k, co) if @conv is transposed. */
static void
scale_channel (const UrbLayer *conv, gint64 count, gint64 channel, double scale, float *weights)
{
  gint64 co = conv->out.c, run = conv->transposed ? 1 : count / co; /* consecutive weights of the channel */

  for (gint64 first = channel * run; first < count; first += co * run)
    for (gint64 i = first; i < first + run; i++)
      weights[i] = (float) (weights[i] * scale);
}

/* @weights: already copied; @bias: (co), overwritten */
static void
fold_norm (const UrbNet *self, int index, const float *params, const float *state,
           float *weights, float *bias)
{
  const UrbLayer *conv = urb_net_get_layer (self, index);
  const UrbLayer *norm = urb_net_get_layer (self, index + 1);
  const float *gamma = get_values (self, params, norm->weight);
  const float *beta = get_values (self, params, norm->bias);
  const float *mean = state + urb_net_get_state (self, norm->running_mean)->offset;
  const float *variance = state + urb_net_get_state (self, norm->running_var)->offset;
  const float *before = conv->bias < 0 ? NULL : get_values (self, params, conv->bias);
  double eps = urb_net_get_forward_desc (self, index + 1, 1).eps;

  for (gint64 c = 0; c < conv->out.c; c++)
    {
      double scale = gamma[c] / sqrt (variance[c] + eps);

      scale_channel (conv, urb_net_get_param (self, conv->weight)->count, c, scale, weights);
      bias[c] = (float) (beta[c] + scale * ((before == NULL ? 0 : before[c]) - mean[c]));
    }
}

void
urb_net_fold_values (const UrbNet *self, const UrbNet *folded, const float *params,
                     const float *state, float *values)
{
  for (int i = 0, k = 0; i < urb_net_get_n_layers (self); i++)
    {
      const UrbLayer *layer = urb_net_get_layer (self, i), *target;

      if (layer->kind == URB_LAYER_BATCH_NORM)
        continue;
      target = urb_net_get_layer (folded, k++);
      copy_param (self, params, layer->weight, folded, values, target->weight);
      if (find_norm (self, i) == NULL)
        copy_param (self, params, layer->bias, folded, values, target->bias);
      else
        fold_norm (self, i, params, state,
                   values + urb_net_get_param (folded, target->weight)->offset,
                   values + urb_net_get_param (folded, target->bias)->offset);
    }
}
