/* SPDX-License-Identifier: Apache-2.0 */
/*
 * part.c - see part.h.
 */
#include "model/part.h"

/* Value @first of the whole network is value 0 of the part. */
static gboolean
move_layer (UrbLayer *layer, int first)
{
  layer->input -= first;
  if (layer->input2 >= 0 && layer->input2 < first)
    return FALSE;
  if (layer->input2 >= 0)
    layer->input2 -= first;
  return layer->input >= 0;
}

UrbNet *
urb_net_new_part (const UrbNet *self, int first, int end)
{
  g_autoptr(UrbNet) part = NULL;

  g_return_val_if_fail (first >= 0 && first < end && end <= urb_net_get_n_layers (self), NULL);
  g_return_val_if_fail (!urb_net_has_batch_norm (self), NULL);
  part = urb_net_new (self->name, urb_net_get_value_shape (self, first));
  for (guint i = 0; i < self->params->len; i++)
    {
      UrbParam param = *urb_net_get_param (self, (int) i);

      param.name = g_strdup (param.name);
      g_array_append_val (part->params, param);
    }
  part->n_params = self->n_params;
  for (int i = first; i < end; i++)
    {
      UrbLayer layer = *urb_net_get_layer (self, i);

      if (!move_layer (&layer, first))
        return NULL;
      g_array_append_val (part->layers, layer);
    }
  part->out = urb_net_get_value_shape (self, end);
  return g_steal_pointer (&part);
}
