/* SPDX-License-Identifier: Apache-2.0 */
/*
 * param-order.c - the order of a tensor's elements: that of its shape, as in files, and that of blocks, where the
 * second dimension is the innermost.
 */
#include "model/net.h"

#include <string.h>

enum { SQUARE = 16 };

/* A row is a matrix of the second dimension and the taps. */
gint64
urb_param_get_row (const UrbParam *self)
{
  return self->n_dims < 2 || self->count == 0 ? 1 : self->count / self->shape[0];
}

/* @to (n_cols, n_rows) = @from (n_rows, n_cols), in squares that both fit into few cache lines */
static inline void
transpose (const char *from, char *to, gint64 n_rows, gint64 n_cols, gsize element_size)
{
  for (gint64 row = 0; row < n_rows; row += SQUARE)
    for (gint64 col = 0; col < n_cols; col += SQUARE)
      for (gint64 j = col; j < MIN (col + SQUARE, n_cols); j++)
        for (gint64 i = row; i < MIN (row + SQUARE, n_rows); i++)
          memcpy (to + (gsize) (j * n_rows + i) * element_size, from + (gsize) (i * n_cols + j) * element_size,
                  element_size);
}

static void
reorder (const UrbParam *self, gboolean to_block, gint64 count, gsize element_size, char *values)
{
  gint64 row = urb_param_get_row (self), n_channels = self->shape[1];
  gsize row_bytes = (gsize) row * element_size;
  g_autofree char *before = NULL;
  gint64 n_rows, n_cols;

  if (self->n_dims < 4 || row == n_channels || n_channels == 1)
    return;
  g_assert (count % row == 0);
  n_rows = to_block ? n_channels : row / n_channels;
  n_cols = to_block ? row / n_channels : n_channels;
  before = g_malloc (row_bytes);
  for (gint64 at = 0; at < count; at += row, values += row_bytes)
    {
      memcpy (before, values, row_bytes);
      if (element_size == sizeof (float)) /* a constant for the compiler */
        transpose (before, values, n_rows, n_cols, sizeof (float));
      else
        transpose (before, values, n_rows, n_cols, sizeof (double));
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
