/* SPDX-License-Identifier: Apache-2.0 */
/*
 * components.c - two-pass component labeling with union-find.
 */
#include "city/components.h"

static gint32
find_root (gint32 *parents, gint32 node)
{
  while (parents[node] != node)
    {
      parents[node] = parents[parents[node]];
      node = parents[node];
    }
  return node;
}

/* The smaller index becomes the root, so roots are the first pixels of their components. */
static void
unite (gint32 *parents, gint32 a, gint32 b)
{
  a = find_root (parents, a);
  b = find_root (parents, b);
  if (a < b)
    parents[b] = a;
  else
    parents[a] = b;
}

static void
unite_pixel (const guint8 *values, gint32 *parents, int width, int row, int col,
             UrbConnectivity connectivity)
{
  gint64 here = (gint64) row * width + col, above = here - width;

  if (col > 0 && values[here - 1] == values[here])
    unite (parents, (gint32) here, (gint32) here - 1);
  if (row == 0)
    return;
  if (values[above] == values[here])
    unite (parents, (gint32) here, (gint32) above);
  if (connectivity == URB_CONNECT_4)
    return;
  if (col > 0 && values[above - 1] == values[here])
    unite (parents, (gint32) here, (gint32) above - 1);
  if (col + 1 < width && values[above + 1] == values[here])
    unite (parents, (gint32) here, (gint32) above + 1);
}

GArray *
urb_components_label (const guint8 *values, int width_px, int height_px,
                      UrbConnectivity connectivity, gint32 *labels)
{
  GArray *components = g_array_new (FALSE, TRUE, sizeof (UrbComponent));
  gint64 n_pixels = (gint64) width_px * height_px;

  g_return_val_if_fail (n_pixels <= G_MAXINT32, components);

  for (gint64 i = 0; i < n_pixels; i++)
    labels[i] = (gint32) i;
  for (int row = 0; row < height_px; row++)
    for (int col = 0; col < width_px; col++)
      unite_pixel (values, labels, width_px, row, col, connectivity);

  /* Roots precede the pixels that point to them, so one pass replaces parents by labels:
   * before pixel i there are labels, after it parents. */
  for (gint64 i = 0; i < n_pixels; i++)
    if (labels[i] != i)
      labels[i] = find_root (labels, (gint32) i);
  for (gint64 i = 0; i < n_pixels; i++)
    {
      int row = (int) (i / width_px), col = (int) (i % width_px);
      UrbComponent *component;

      if (labels[i] == i)
        {
          UrbComponent fresh = { .value = values[i], .min_col = col, .max_col = col,
                                 .min_row = row, .max_row = row };

          g_array_append_val (components, fresh);
          labels[i] = (gint32) components->len - 1;
        }
      else
        labels[i] = labels[labels[i]];
      component = &g_array_index (components, UrbComponent, labels[i]);
      component->n_pixels++;
      component->min_col = MIN (component->min_col, col);
      component->max_col = MAX (component->max_col, col);
      component->min_row = MIN (component->min_row, row);
      component->max_row = MAX (component->max_row, row);
      if (row == 0 || col == 0 || row == height_px - 1 || col == width_px - 1)
        component->touches_border = TRUE;
    }
  return components;
}
