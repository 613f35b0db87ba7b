/* SPDX-License-Identifier: Apache-2.0 */
#include "run/store/checkpoint-values.h"

#include <math.h>
#include <string.h>

static void
counts_free (gpointer data)
{
  UrbValueCounts *self = data;
  g_free (self->tag);
  g_free (self);
}

GPtrArray *
urb_value_counts_new_array (void)
{
  return g_ptr_array_new_with_free_func (counts_free);
}

static double
value_at (const UrbTensor *tensor, gint64 i, gboolean root)
{
  double value = tensor->type == URB_TENSOR_F64 ? ((const double *) tensor->data)[i]
                                                : (double) ((const float *) tensor->data)[i];
  return root ? sqrt (value) : value;
}

/* Returns: %FALSE if none of the elements is finite */
static gboolean
count (const UrbTensor *tensor, gboolean root, UrbValueCounts *out)
{
  gint64 n = urb_tensor_count_elements (tensor), stride = MAX ((n + URB_MAX_COUNTED - 1) / URB_MAX_COUNTED, 1);
  double width;
  out->min = INFINITY;
  out->max = -INFINITY;
  for (gint64 i = 0; i < n; i += stride)
    {
      double value = value_at (tensor, i, root);
      if (!isfinite (value))
        continue;
      out->min = fmin (out->min, value);
      out->max = fmax (out->max, value);
    }
  if (out->min > out->max)
    return FALSE;
  width = (out->max - out->min) / URB_N_VALUE_BINS;
  for (gint64 i = 0; i < n; i += stride)
    {
      double value = value_at (tensor, i, root);
      if (isfinite (value)) /* equal elements are all in the first bin */
        out->counts[width > 0 ? MIN ((int) ((value - out->min) / width), URB_N_VALUE_BINS - 1) : 0]++;
    }
  return TRUE;
}

static void
add (GPtrArray *all, const UrbTensor *tensor, const char *group, const char *name, gboolean root)
{
  g_autofree UrbValueCounts *counts = g_new0 (UrbValueCounts, 1);
  if (!count (tensor, root, counts))
    return;
  counts->tag = g_strdup_printf ("%s/%s", group, name);
  g_ptr_array_add (all, g_steal_pointer (&counts));
}

GPtrArray *
urb_checkpoint_count_values (const char *path, GError **error)
{
  static const char moment[] = "moment2.";
  g_autoptr(UrbSafetensors) file = urb_safetensors_open (path, error);
  g_autoptr(GPtrArray) all = urb_value_counts_new_array ();
  if (file == NULL)
    return NULL;
  for (gsize i = 0; i < urb_safetensors_get_n_tensors (file); i++)
    {
      const UrbTensor *tensor = urb_safetensors_get_tensor (file, i);
      if (g_str_has_prefix (tensor->name, "g.") || g_str_has_prefix (tensor->name, "d."))
        add (all, tensor, "weights", tensor->name, FALSE);
      else if (g_str_has_prefix (tensor->name, moment))
        add (all, tensor, "gradients", tensor->name + strlen (moment), TRUE);
    }
  return g_steal_pointer (&all);
}
