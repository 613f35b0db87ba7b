/* SPDX-License-Identifier: Apache-2.0 */
/*
 * selection.c - selects areas greedily within an overlap limit.
 *
 * Buckets are as wide as an area's diagonal, so anything that overlaps a square is
 * centered in the same bucket or in one of its eight neighbors.
 */
#include "dataset/selection.h"

#include <math.h>

typedef struct
{
  UrbSquare square;
  gint64    next; /* in the same bucket; -1: none */
} Taken;

struct _UrbSelection
{
  double      bucket_m;
  double      max_overlap_m2;
  GArray     *taken;   /* of Taken; owned */
  GHashTable *buckets; /* bucket to the last of its squares, plus 1; owned */
};

UrbSelection *
urb_selection_new (double size_m, double max_overlap)
{
  UrbSelection *self = g_new0 (UrbSelection, 1);

  self->bucket_m = size_m * G_SQRT2;
  self->max_overlap_m2 = max_overlap * size_m * size_m;
  self->taken = g_array_new (FALSE, FALSE, sizeof (Taken));
  self->buckets = g_hash_table_new (NULL, NULL);
  return self;
}

void
urb_selection_free (UrbSelection *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->taken);
  g_hash_table_unref (self->buckets);
  g_free (self);
}

/* Key collisions only cost time, since every overlap is measured. */
static gpointer
bucket_key (gint64 i, gint64 j)
{
  guint64 key = (guint64) i * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)
                ^ (guint64) j * G_GUINT64_CONSTANT (0xc2b2ae3d27d4eb4f);

  return GSIZE_TO_POINTER ((gsize) (key ^ key >> 32));
}

/* Returns: the last square in a bucket, or -1 */
static gint64
get_last (UrbSelection *self, gpointer key)
{
  return (gint64) GPOINTER_TO_SIZE (g_hash_table_lookup (self->buckets, key)) - 1;
}

gboolean
urb_selection_offer (UrbSelection *self, const UrbSquare *square)
{
  gint64 i = (gint64) floor (square->x / self->bucket_m);
  gint64 j = (gint64) floor (square->y / self->bucket_m);
  gpointer key = bucket_key (i, j);
  Taken taken = { .square = *square };

  for (int di = -1; di <= 1; di++)
    for (int dj = -1; dj <= 1; dj++)
      for (gint64 k = get_last (self, bucket_key (i + di, j + dj)); k >= 0;
           k = g_array_index (self->taken, Taken, k).next)
        if (urb_square_overlap_m2 (square, &g_array_index (self->taken, Taken, k).square)
            > self->max_overlap_m2)
          return FALSE;
  taken.next = get_last (self, key);
  g_array_append_val (self->taken, taken);
  g_hash_table_insert (self->buckets, key, GSIZE_TO_POINTER ((gsize) self->taken->len));
  return TRUE;
}
