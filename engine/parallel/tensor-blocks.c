/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensor-blocks.c - see tensor-private.h.
 *
 * Weights of a convolution are (o, k, k, i), of a transposed one (i, k, k, o), and a slice of either is
 * stored like those of a narrower layer.
 */
#include "parallel/tensor-private.h"

#include "parallel/rewrite-private.h"

/* Divides the tensor (@n_outer, @n, ...) along @n. */
static void
divide (UrbSlice *slice, gint64 n_outer, gint64 n, gint64 n_all, int n_ranks)
{
  g_assert (n % n_ranks == 0 && n_all % (n_outer * n) == 0);
  slice->is_divided = TRUE;
  slice->n_outer = n_outer;
  slice->n_inner = n / n_ranks * (n_all / (n_outer * n));
  slice->count = n_all / n_ranks;
}

static void
divide_param (GArray *slices, int param, gint64 n_outer, gint64 n, int n_ranks)
{
  UrbSlice *slice = param < 0 ? NULL : &g_array_index (slices, UrbSlice, param);

  if (slice != NULL)
    divide (slice, n_outer, n, slice->n_inner, n_ranks);
}

/* Output channels of a convolution whose output is reshaped: those of each pixel. */
static gint64
count_pixels_in_channels (const UrbNet *net, int index)
{
  return urb_net_get_forward_desc (net, index, 1).y.c / urb_net_get_layer (net, index)->out.c;
}

static void
divide_params (GArray *slices, const UrbNet *net, int index, UrbDivision division, int n_ranks)
{
  const UrbLayer *layer = urb_net_get_layer (net, index);
  gint64 in = layer->in.c, out = layer->out.c, n_pixels = count_pixels_in_channels (net, index);
  gint64 taps = layer->kernel * layer->kernel;

  if (division == URB_DIVISION_CHANNELS)
    {
      divide_param (slices, layer->weight, layer->kind == URB_LAYER_DEPTHWISE ? layer->in.h * layer->in.w : 1,
                    out, n_ranks);
      divide_param (slices, layer->bias, 1, out, n_ranks);
    }
  else if (division == URB_DIVISION_COLUMN)
    {
      divide_param (slices, layer->weight, (layer->transposed ? in * taps : 1) * n_pixels, out, n_ranks);
      divide_param (slices, layer->bias, n_pixels, out, n_ranks);
    }
  else if (division == URB_DIVISION_ROW)
    divide_param (slices, layer->weight, layer->transposed ? 1 : out * n_pixels * taps, in, n_ranks);
}

GArray *
urb_slices_find (const UrbNet *net, gboolean of_states, const UrbDivision *divisions, int n_ranks,
                 const GArray *held)
{
  const GArray *table = of_states ? net->states : net->params;
  GArray *slices = g_array_new (FALSE, FALSE, sizeof (UrbSlice));
  gint64 local = 0, end = 0;

  for (guint p = 0; p < table->len; p++)
    {
      const UrbParam *param = &g_array_index (table, UrbParam, p);
      UrbSlice all = { .whole = param->offset, .count = param->count, .n_outer = 1, .n_inner = param->count };

      g_array_append_val (slices, all);
    }
  for (int i = 0; i < urb_net_get_n_layers (net); i++)
    {
      const UrbLayer *layer = urb_net_get_layer (net, i);

      if (!of_states)
        divide_params (slices, net, i, divisions[i], n_ranks);
      else if (layer->kind == URB_LAYER_BATCH_NORM && divisions[i] == URB_DIVISION_CHANNELS)
        {
          divide_param (slices, layer->running_mean, 1, layer->out.c, n_ranks);
          divide_param (slices, layer->running_var, 1, layer->out.c, n_ranks);
        }
    }
  for (guint p = 0; p < slices->len; p++)
    {
      UrbSlice *slice = &g_array_index (slices, UrbSlice, p);
      gint64 at = urb_runs_find (held, slice->whole, NULL);

      if (at < 0)
        *slice = (UrbSlice) { .whole = slice->whole };
      slice->at = at < 0 ? end : at;
      end = slice->at + (at < 0 ? 0 : g_array_index (table, UrbParam, p).count);
      slice->local = local;
      local += slice->count;
    }
  return slices;
}

const UrbSlice *
urb_slices_get (const GArray *slices, gint64 at)
{
  guint low = 0, high = slices->len; /* the first slice after @at; those without elements come before */

  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (g_array_index (slices, UrbSlice, middle).at <= at)
        low = middle + 1;
      else
        high = middle;
    }
  g_assert (low > 0 && g_array_index (slices, UrbSlice, low - 1).at == at);
  return &g_array_index (slices, UrbSlice, low - 1);
}

static void
append_run (GArray *runs, UrbRun run)
{
  UrbRun *last = runs->len == 0 ? NULL : &g_array_index (runs, UrbRun, runs->len - 1);

  if (last != NULL && last->whole + last->count == run.whole)
    last->count += run.count;
  else
    g_array_append_val (runs, run);
}

GArray *
urb_slices_make_runs (const GArray *slices, int rank, int n_ranks)
{
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (UrbRun));

  for (guint p = 0; p < slices->len; p++)
    {
      const UrbSlice *slice = &g_array_index (slices, UrbSlice, p);
      gint64 stride = slice->is_divided ? n_ranks * slice->n_inner : slice->n_inner;
      gint64 first = slice->whole + (slice->is_divided ? rank * slice->n_inner : 0);

      for (gint64 outer = 0; outer < slice->n_outer; outer++)
        append_run (runs, (UrbRun) { first + outer * stride, slice->local + outer * slice->n_inner,
                                     slice->n_inner });
    }
  return runs;
}

GArray *
urb_slices_make_stretches (const GArray *slices)
{
  GArray *stretches = g_array_new (FALSE, FALSE, sizeof (UrbStretch));

  for (guint p = 0; p < slices->len; p++)
    {
      const UrbSlice *slice = &g_array_index (slices, UrbSlice, p);
      UrbStretch *last = stretches->len == 0 ? NULL
                                             : &g_array_index (stretches, UrbStretch, stretches->len - 1);
      UrbStretch stretch = { slice->local, slice->count, slice->is_divided };

      if (last != NULL && (last->is_divided == slice->is_divided || slice->count == 0))
        last->count += slice->count;
      else if (slice->count > 0)
        g_array_append_val (stretches, stretch);
    }
  return stretches;
}

GArray *
urb_slices_make_buckets (const GArray *slices, gboolean are_divided, const UrbProgram *program,
                         const UrbProgramNet *slot, gint64 n_elements)
{
  GArray *buckets = g_array_new (FALSE, FALSE, sizeof (UrbBucket));
  g_autofree guint *last = urb_buckets_find_writers (program, slot);
  UrbBucket bucket = { 0 };

  for (guint p = 0; p < slices->len; p++)
    {
      const UrbSlice *slice = &g_array_index (slices, UrbSlice, p);

      if (bucket.count > 0 && (slice->local != bucket.first + bucket.count || bucket.count >= n_elements
                               || (slice->count > 0 && slice->is_divided != are_divided)))
        {
          g_array_append_val (buckets, bucket);
          bucket = (UrbBucket) { 0 };
        }
      if (slice->is_divided != are_divided || slice->count == 0)
        continue;
      if (bucket.count == 0)
        bucket.first = slice->local;
      bucket.count += slice->count;
      bucket.ready = MAX (bucket.ready, last[p]);
    }
  if (bucket.count > 0)
    g_array_append_val (buckets, bucket);
  urb_buckets_sort (buckets);
  return buckets;
}
