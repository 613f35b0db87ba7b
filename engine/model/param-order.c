/* SPDX-License-Identifier: Apache-2.0 */
/*
 * param-order.c - the order of a tensor's elements: that of its shape, as in files, and that of blocks, where the
 * second dimension is the innermost.
 */
#include "model/net.h"

#include <string.h>

/* A row is a matrix of the second dimension and the taps. */
gint64
urb_param_get_row (const UrbParam *self)
{
  return self->n_dims < 2 ? 1 : self->count / self->shape[0];
}

/* @to (n_cols, n_rows) = @from (n_rows, n_cols) */
static void
transpose (const void *from, void *to, gint64 n_rows, gint64 n_cols, gsize element_size)
{
  const guint32 *from4 = from;
  const guint64 *from8 = from;
  guint32 *to4 = to;
  guint64 *to8 = to;

  for (gint64 i = 0; i < n_rows; i++)
    for (gint64 j = 0; j < n_cols; j++)
      if (element_size == sizeof *to4)
        to4[j * n_rows + i] = from4[i * n_cols + j];
      else
        to8[j * n_rows + i] = from8[i * n_cols + j];
}

static void
reorder (const UrbParam *self, gboolean to_block, gint64 count, gsize element_size, char *values)
{
  gint64 row = urb_param_get_row (self), n_channels = self->shape[1], n_taps;
  gsize row_bytes = (gsize) row * element_size;
  g_autofree void *before = NULL;

  g_assert (count % row == 0);
  if (self->n_dims < 4 || row == n_channels || n_channels == 1)
    return;
  n_taps = row / n_channels;
  before = g_malloc (row_bytes);
  for (gint64 at = 0; at < count; at += row, values += row_bytes)
    {
      memcpy (before, values, row_bytes);
      transpose (before, values, to_block ? n_channels : n_taps, to_block ? n_taps : n_channels, element_size);
    }
}

void
urb_param_to_block (const UrbParam *self, gint64 count, gsize element_size, void *values)
{
  reorder (self, TRUE, count, element_size, values);
}

void
urb_param_from_block (const UrbParam *self, gint64 count, gsize element_size, void *values)
{
  reorder (self, FALSE, count, element_size, values);
}
