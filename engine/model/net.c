/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net.c - builds a network's table of layers and parameters.
 *
 * A parameter's shape, offset and initial standard deviation follow from the layer's
 * shapes here, and nowhere else.
 */
#include "model/net.h"

#include <math.h>

#include "kernels/uk-random.h"

#define LEAKY_SLOPE 0.2f
#define BATCH_NORM_EPS 1e-5f
#define BATCH_NORM_MOMENTUM 0.1f

static void
param_clear (gpointer data)
{
  g_free (((UrbParam *) data)->name);
}

UrbNet *
urb_net_new (const char *name, UkShape in)
{
  UrbNet *self = g_new0 (UrbNet, 1);

  self->name = g_strdup (name);
  self->in = self->out = in;
  self->layers = g_array_new (FALSE, TRUE, sizeof (UrbLayer));
  self->params = g_array_new (FALSE, TRUE, sizeof (UrbParam));
  self->states = g_array_new (FALSE, TRUE, sizeof (UrbParam));
  g_array_set_clear_func (self->params, param_clear);
  g_array_set_clear_func (self->states, param_clear);
  return self;
}

void
urb_net_free (UrbNet *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->layers);
  g_array_unref (self->params);
  g_array_unref (self->states);
  g_free (self->name);
  g_free (self);
}

const UrbLayer *
urb_net_get_layer (const UrbNet *self, int index)
{
  return &g_array_index (self->layers, UrbLayer, index);
}

const UrbParam *
urb_net_get_param (const UrbNet *self, int index)
{
  return &g_array_index (self->params, UrbParam, index);
}

const UrbParam *
urb_net_get_state (const UrbNet *self, int index)
{
  return &g_array_index (self->states, UrbParam, index);
}

int
urb_net_get_n_layers (const UrbNet *self)
{
  return (int) self->layers->len;
}

UkShape
urb_net_get_value_shape (const UrbNet *self, int value)
{
  return value == 0 ? self->in : urb_net_get_layer (self, value - 1)->out;
}

gboolean
urb_net_has_batch_norm (const UrbNet *self)
{
  return self->states->len > 0;
}

void
urb_net_move_params (UrbNet *self, gint64 offset)
{
  for (guint i = 0; i < self->params->len; i++)
    g_array_index (self->params, UrbParam, i).offset += offset;
}

/* ------------------------------------------------------------------------ */
/* Parameters                                                                */

static int
add_tensor (GArray *table, gint64 *total, UrbParam param, char *name)
{
  param.name = name;
  param.count = 1;
  for (int i = 0; i < param.n_dims; i++)
    param.count *= param.shape[i];
  param.offset = *total;
  *total += param.count;
  g_array_append_val (table, param);
  return (int) table->len - 1;
}

/* Names include the layer: "g.3.weight" is the weight of layer 3 of "g". */
static int
add_param (UrbNet *self, const char *what, UrbParam param)
{
  return add_tensor (self->params, &self->n_params, param,
                     g_strdup_printf ("%s.%u.%s", self->name, self->layers->len, what));
}

static int
add_state (UrbNet *self, const char *what, gint64 count, UrbInit init)
{
  return add_tensor (self->states, &self->n_state,
                     (UrbParam) { .n_dims = 1, .shape = { count }, .init = init },
                     g_strdup_printf ("%s.%u.%s", self->name, self->layers->len, what));
}

static int
add_channel_param (UrbNet *self, const char *what, gint64 n_channels, UrbInit init)
{
  return add_param (self, what,
                    (UrbParam) { .n_dims = 1, .shape = { n_channels }, .init = init, .mean = 1 });
}

/* ------------------------------------------------------------------------ */
/* Layers                                                                    */

static UrbLayer
layer_new (const UrbNet *self, UrbLayerKind kind, int input)
{
  UkShape in = urb_net_get_value_shape (self, input);

  return (UrbLayer) { .kind = kind,
                      .input = input,
                      .input2 = -1,
                      .in = in,
                      .out = in,
                      .slope = LEAKY_SLOPE,
                      .weight = -1,
                      .bias = -1,
                      .running_mean = -1,
                      .running_var = -1 };
}

static int
append (UrbNet *self, UrbLayer layer)
{
  g_array_append_val (self->layers, layer);
  self->out = layer.out;
  return (int) self->layers->len;
}

/* He et al. 2015 (1502.01852), eq. 14, for leaky ReLU; a layer without activation
 * preserves the variance. */
static float
he_std (const UrbLayer *layer, gint64 fan_in)
{
  double gain = layer->act == UK_ACT_RELU || layer->act == UK_ACT_LEAKY_RELU
                  ? sqrt (2.0 / (1.0 + LEAKY_SLOPE * LEAKY_SLOPE)) : 1.0;

  return (float) (gain / sqrt ((double) fan_in));
}

int
urb_net_add_conv (UrbNet *self, int input, const UrbConvOptions *options)
{
  UrbLayer layer = layer_new (self, URB_LAYER_CONV, input);
  gint64 k = options->kernel, ci = layer.in.c, co = options->n_channels;
  gint64 fan_in = ci * k * k;
  float scale = options->init_scale != 0 ? options->init_scale : 1;
  UrbParam weight = { .n_dims = 4, .init = options->zero_init ? URB_INIT_ZERO : URB_INIT_NORMAL };

  layer.kernel = options->kernel;
  layer.stride = options->stride;
  layer.pad = options->pad;
  layer.transposed = options->transposed;
  layer.act = options->act;
  layer.out.c = co;
  if (layer.transposed)
    {
      layer.out.h = (layer.in.h - 1) * layer.stride - 2 * layer.pad + k;
      layer.out.w = (layer.in.w - 1) * layer.stride - 2 * layer.pad + k;
      /* Only (k / stride)^2 taps reach each output pixel. */
      fan_in = layer.in.h == 1 ? ci : ci * k * k / (layer.stride * layer.stride);
    }
  else
    {
      layer.out.h = (layer.in.h + 2 * layer.pad - k) / layer.stride + 1;
      layer.out.w = (layer.in.w + 2 * layer.pad - k) / layer.stride + 1;
    }
  weight.shape[0] = layer.transposed ? ci : co;
  weight.shape[1] = layer.transposed ? co : ci;
  weight.shape[2] = weight.shape[3] = k;
  weight.std = scale * he_std (&layer, fan_in);
  layer.weight = add_param (self, "weight", weight);
  if (options->bias)
    layer.bias = add_channel_param (self, "bias", co, URB_INIT_ZERO);
  return append (self, layer);
}

void
urb_net_reshape_last (UrbNet *self, UkShape shape)
{
  UrbLayer *layer = &g_array_index (self->layers, UrbLayer, self->layers->len - 1);

  g_return_if_fail (uk_shape_count (shape) == uk_shape_count (layer->out));
  layer->out = self->out = shape;
}

int
urb_net_add_batch_norm (UrbNet *self, int input, UkAct act)
{
  UrbLayer layer = layer_new (self, URB_LAYER_BATCH_NORM, input);

  layer.act = act;
  layer.weight = add_channel_param (self, "gamma", layer.in.c, URB_INIT_ONE);
  layer.bias = add_channel_param (self, "beta", layer.in.c, URB_INIT_ZERO);
  layer.running_mean = add_state (self, "running_mean", layer.in.c, URB_INIT_ZERO);
  layer.running_var = add_state (self, "running_var", layer.in.c, URB_INIT_ONE);
  return append (self, layer);
}

int
urb_net_add_bias_act (UrbNet *self, int input, UkAct act)
{
  UrbLayer layer = layer_new (self, URB_LAYER_BIAS_ACT, input);

  layer.act = act;
  layer.bias = add_channel_param (self, "bias", layer.in.c, URB_INIT_ZERO);
  return append (self, layer);
}

int
urb_net_add_resample (UrbNet *self, int input, gboolean up)
{
  UrbLayer layer = layer_new (self, up ? URB_LAYER_UPSAMPLE : URB_LAYER_DOWNSAMPLE, input);

  layer.out.h = up ? layer.in.h * 2 : layer.in.h / 2;
  layer.out.w = up ? layer.in.w * 2 : layer.in.w / 2;
  return append (self, layer);
}

int
urb_net_add_add (UrbNet *self, int input, int input2)
{
  UrbLayer layer = layer_new (self, URB_LAYER_ADD, input);

  layer.input2 = input2;
  return append (self, layer);
}

int
urb_net_add_depthwise (UrbNet *self, int input)
{
  UrbLayer layer = layer_new (self, URB_LAYER_DEPTHWISE, input);
  gint64 taps = layer.in.h * layer.in.w;

  layer.weight = add_param (self, "weight",
                            (UrbParam) { .n_dims = 3,
                                         .shape = { layer.in.h, layer.in.w, layer.in.c },
                                         .init = URB_INIT_NORMAL,
                                         .std = he_std (&layer, taps) });
  layer.out.h = layer.out.w = 1;
  return append (self, layer);
}

/* ------------------------------------------------------------------------ */

UkOpDesc
urb_net_get_forward_desc (const UrbNet *self, int index, gint64 n)
{
  static const UkOpKind kinds[] = {
    [URB_LAYER_CONV] = UK_OP_CONV,
    [URB_LAYER_BATCH_NORM] = UK_OP_BATCH_NORM,
    [URB_LAYER_BIAS_ACT] = UK_OP_BIAS_ACT,
    [URB_LAYER_UPSAMPLE] = UK_OP_UPSAMPLE,
    [URB_LAYER_DOWNSAMPLE] = UK_OP_DOWNSAMPLE,
    [URB_LAYER_ADD] = UK_OP_ADD,
    [URB_LAYER_DEPTHWISE] = UK_OP_DEPTHWISE,
  };
  const UrbLayer *layer = urb_net_get_layer (self, index);
  UkOpDesc desc = { .kind = kinds[layer->kind],
                    .x = layer->in,
                    .y = layer->out,
                    .kernel = layer->kernel,
                    .stride = layer->stride,
                    .pad = layer->pad,
                    .transposed = layer->transposed,
                    .act = layer->act,
                    .slope = layer->slope,
                    .scale = 1,
                    .eps = BATCH_NORM_EPS,
                    .momentum = BATCH_NORM_MOMENTUM };

  /* A reshaped convolution computes its original shape, 1 x 1 pixels. */
  if (layer->kind == URB_LAYER_CONV && layer->kernel == 1 && layer->in.h == 1)
    desc.y = (UkShape) { .h = 1, .w = 1, .c = uk_shape_count (layer->out) };
  desc.x.n = desc.y.n = n;
  return desc;
}

void
urb_net_set_init_scheme (UrbNet *self, UrbInitScheme scheme)
{
  if (scheme != URB_INIT_SCHEME_DCGAN)
    return;
  for (guint i = 0; i < self->params->len; i++)
    {
      UrbParam *param = &g_array_index (self->params, UrbParam, i);

      if (param->init == URB_INIT_NORMAL)
        param->std = 0.02f;
    }
  for (guint i = 0; i < self->layers->len; i++)
    {
      const UrbLayer *layer = urb_net_get_layer (self, (int) i);

      if (layer->kind == URB_LAYER_BATCH_NORM)
        {
          UrbParam *gamma = &g_array_index (self->params, UrbParam, layer->weight);

          gamma->init = URB_INIT_NORMAL;
          gamma->mean = 1;
          gamma->std = 0.02f;
        }
    }
}

void
urb_param_init (const UrbParam *self, guint64 seed, guint32 stream, gint64 first, gint64 count, float *values)
{
  const guint64 rng[2] = { seed, 0 };
  guint64 at = (guint64) (self->offset + first); /* a value depends only on its position in the order of files */
  float mean = self->n_dims == 1 ? self->mean : 0;

  if (self->init == URB_INIT_NORMAL)
    uk_normals (rng, stream, at / 4, (int) (at % 4), count, values);
  for (gint64 i = 0; i < count; i++)
    values[i] = self->init == URB_INIT_NORMAL ? mean + self->std * values[i] : self->init == URB_INIT_ONE;
  urb_param_to_block (self, count, sizeof *values, values);
}

static void
init_table (const GArray *table, guint64 seed, guint32 stream, float *values)
{
  for (guint i = 0; i < table->len; i++)
    {
      const UrbParam *param = &g_array_index (table, UrbParam, i);

      urb_param_init (param, seed, stream, 0, param->count, values + param->offset);
    }
}

void
urb_net_init_values (const UrbNet *self, guint64 seed, guint32 stream, float *params, float *state)
{
  init_table (self->params, seed, stream, params);
  init_table (self->states, seed, stream, state);
}
