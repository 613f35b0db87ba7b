/* SPDX-License-Identifier: Apache-2.0 */
/*
 * units.c - see units.h.
 */
#include "parallel/units.h"

/* Marks the first parameter of each layer. (transfer full) (n_params) */
static gboolean *
find_layers (const UrbNet *net)
{
  gboolean *begins = g_new0 (gboolean, MAX (net->params->len, 1));

  for (int i = 0; i < urb_net_get_n_layers (net); i++)
    {
      const UrbLayer *layer = urb_net_get_layer (net, i);
      int first = layer->weight < 0 ? layer->bias : layer->bias < 0 ? layer->weight
                                                                    : MIN (layer->weight, layer->bias);

      if (first >= 0)
        begins[first] = TRUE;
    }
  return begins;
}

/* Appends a unit up to @end of the block. */
static void
close_unit (GArray *units, gint64 end, int n_ranks)
{
  const UrbUnit *last = units->len == 0 ? NULL : &g_array_index (units, UrbUnit, units->len - 1);
  UrbUnit unit = { .first = last == NULL ? 0 : last->first + last->count };

  unit.count = end - unit.first;
  unit.part = (unit.count + n_ranks - 1) / n_ranks;
  unit.padded = last == NULL ? 0 : last->padded + n_ranks * last->part;
  unit.local = last == NULL ? 0 : last->local + last->part;
  if (unit.count > 0)
    g_array_append_val (units, unit);
}

GArray *
urb_units_find (const UrbProgramNet *slot, gint64 n_elements, int n_ranks)
{
  GArray *units = g_array_new (FALSE, FALSE, sizeof (UrbUnit));
  g_autofree gboolean *begins = find_layers (slot->net);
  gint64 first = 0, end = 0; /* of the unit that is open */

  for (guint p = 0; p < slot->net->params->len; p++)
    {
      const UrbParam *param = urb_net_get_param (slot->net, (int) p);
      gint64 at = urb_runs_find (slot->runs, param->offset, NULL);

      if (at < 0)
        continue;
      if (begins[p] && end - first >= n_elements)
        {
          close_unit (units, end, n_ranks);
          first = end;
        }
      end = at + param->count;
    }
  close_unit (units, end, n_ranks);
  return units;
}

guint
urb_units_get_index (const GArray *units, gint64 at)
{
  guint low = 0, high = units->len; /* the first unit that ends after @at */

  while (low < high)
    {
      guint middle = (low + high) / 2;
      const UrbUnit *unit = &g_array_index (units, UrbUnit, middle);

      if (unit->first + unit->count <= at)
        low = middle + 1;
      else
        high = middle;
    }
  g_assert (low < units->len);
  return low;
}

gint64
urb_unit_count_of (const UrbUnit *self, int rank, gint64 *first)
{
  gint64 begin = MIN (rank * self->part, self->count);

  if (first != NULL)
    *first = begin;
  return MIN (self->part, self->count - begin);
}

gint64
urb_units_count_padded (const GArray *units, int n_ranks)
{
  const UrbUnit *last = units->len == 0 ? NULL : &g_array_index (units, UrbUnit, units->len - 1);

  return last == NULL ? 0 : last->padded + n_ranks * last->part;
}

gint64
urb_units_count_local (const GArray *units)
{
  const UrbUnit *last = units->len == 0 ? NULL : &g_array_index (units, UrbUnit, units->len - 1);

  return last == NULL ? 0 : last->local + last->part;
}
