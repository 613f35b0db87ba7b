/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wide.c - see wide.h.
 */
#include "model/wide.h"

#include "model/part.h"
#include "settings/preset.h"

static gboolean
is_dense (const UrbNet *self)
{
  const UrbLayer *first = urb_net_get_layer (self, 0);

  return first->kind == URB_LAYER_CONV && first->in.h == 1 && first->in.w == 1 && first->out.h > 1
         && first->out.h % 2 == 0 && first->out.h == first->out.w
         && (first->act == UK_ACT_NONE || first->act == UK_ACT_RELU
             || first->act == UK_ACT_LEAKY_RELU || first->act == UK_ACT_TANH);
}

/* Whether the layer does the same to every part of an image. */
static gboolean
is_local (const UrbLayer *layer)
{
  switch (layer->kind)
    {
    case URB_LAYER_CONV:
      if (layer->transposed) /* the image grows by a factor */
        return layer->kernel - layer->stride == 2 * layer->pad;
      return layer->out.h == layer->in.h && layer->stride == 1;
    case URB_LAYER_BIAS_ACT:
    case URB_LAYER_UPSAMPLE:
    case URB_LAYER_ADD:
      return TRUE;
    default:
      return FALSE;
    }
}

gboolean
urb_net_check_wide (const UrbNet *self, GError **error)
{
  int n_layers = urb_net_get_n_layers (self);
  gboolean fits = n_layers > 1 && is_dense (self);

  for (int i = 1; i < n_layers && fits; i++)
    {
      const UrbLayer *layer = urb_net_get_layer (self, i);

      fits = is_local (layer) && layer->input > 0 && layer->input2 != 0;
    }
  if (!fits)
    g_set_error_literal (error, URB_MODEL_ERROR, URB_MODEL_ERROR_PRESET,
                         "This generator draws single areas only.  For several areas, its preset must begin with a "
                         "dense layer of 2 x 2, 4 x 4 or more pixels, followed by tconv, conv1, conv3, block and up "
                         "alone.");
  return fits;
}

/* ------------------------------------------------------------------------ */

/* From the size of the dense layer's map to that of a map of @h x @w. */
static UkShape
resize (UkShape shape, UkShape map, gint64 h, gint64 w)
{
  return (UkShape) { shape.n, shape.h * h / map.h, shape.w * w / map.w, shape.c };
}

UrbNet *
urb_net_new_wide (const UrbNet *self, gint64 h, gint64 w)
{
  UkShape map = urb_net_get_layer (self, 0)->out;
  UrbNet *wide = urb_net_new_part (self, 1, urb_net_get_n_layers (self));

  for (guint i = 0; i < wide->layers->len; i++)
    {
      UrbLayer *layer = &g_array_index (wide->layers, UrbLayer, i);

      layer->in = resize (layer->in, map, h, w);
      layer->out = resize (layer->out, map, h, w);
    }
  wide->in = resize (wide->in, map, h, w);
  wide->out = resize (wide->out, map, h, w);
  return wide;
}

/* How far a layer looks, in pixels of its input, if @margin pixels around its output count. */
static gint64
look_back (const UrbLayer *layer, gint64 margin)
{
  switch (layer->kind)
    {
    case URB_LAYER_CONV:
      if (layer->transposed)
        return (margin + MAX (layer->pad, layer->kernel - 1 - layer->pad) + layer->stride - 1)
               / layer->stride;
      return margin + MAX (layer->pad, layer->kernel - 1 - layer->pad);
    case URB_LAYER_UPSAMPLE: /* as a transposed convolution of kernel 4, stride 2, padding 1 */
      return (margin + 3) / 2;
    default:
      return margin;
    }
}

gint64
urb_net_get_reach (const UrbNet *wide)
{
  int n_layers = urb_net_get_n_layers (wide);
  g_autofree gint64 *reach = g_new0 (gint64, n_layers + 1); /* of each value */

  for (int i = n_layers - 1; i >= 0; i--)
    {
      const UrbLayer *layer = urb_net_get_layer (wide, i);
      gint64 margin = look_back (layer, reach[i + 1]);

      reach[layer->input] = MAX (reach[layer->input], margin);
      if (layer->input2 >= 0)
        reach[layer->input2] = MAX (reach[layer->input2], margin);
    }
  return reach[0];
}
