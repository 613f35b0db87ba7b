/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan-place.c - assigns offsets to the arena's buffers such that buffers alive at the
 * same time never overlap.
 *
 * Finding the smallest arena is NP-hard (Garey and Johnson 1979, dynamic storage
 * allocation).  Placing the largest first, each as low as possible, comes within a few
 * percent of the peak of live bytes, the lower bound in live_bytes.
 */
#include "step/plan-private.h"

/* Bytes [begin, end) of a buffer, and their lifetime. */
typedef struct
{
  gint64 begin, end;
  int    first_use, last_use;
} Span;

typedef struct
{
  int    buffer;
  guint  first, n; /* in the spans */
  gint64 n_bytes;
} Item;

typedef struct
{
  UrbProgram *program;
  GArray     *items;  /* of Item */
  GArray     *spans;  /* of Span */
  GArray     *taken;  /* of Span: open intervals of offsets where an item must not lie */
  /* The index of the spans that are placed. */
  guint      *by_first, *leaf_of; /* (n_spans), owned: spans by first use, and where each is there */
  gint64     *at;                 /* (n_spans), owned: the offset of its item */
  int        *latest;             /* (2 n_leaves), owned; -1: nothing placed there */
  guint       n_leaves;           /* a power of two */
} Place;

static void
add_item (Place *self, int index, gsize element_size)
{
  const UrbBuffer *buffer = urb_program_get_buffer (self->program, index);
  Span whole = { 0, buffer->n_bytes, buffer->first_use, buffer->last_use };
  Item item = { .buffer = index, .first = self->spans->len, .n_bytes = buffer->n_bytes };

  if (buffer->parts == NULL)
    g_array_append_val (self->spans, whole);
  for (guint p = 0; buffer->parts != NULL && p < buffer->parts->len; p++)
    {
      const UrbPart *part = &g_array_index (buffer->parts, UrbPart, p);
      Span span = { part->first * (gint64) element_size,
                    (part->first + part->count) * (gint64) element_size,
                    part->first_use, part->last_use };

      g_array_append_val (self->spans, span);
    }
  item.n = self->spans->len - item.first;
  g_array_append_val (self->items, item);
}

static int
compare_items (gconstpointer a, gconstpointer b)
{
  const Item *x = a, *y = b;

  if (x->n_bytes != y->n_bytes)
    return x->n_bytes > y->n_bytes ? -1 : 1;
  return x->buffer - y->buffer;
}

static int
compare_first_uses (gconstpointer a, gconstpointer b, gpointer data)
{
  const Place *self = data;
  guint x = *(const guint *) a, y = *(const guint *) b;
  int difference = g_array_index (self->spans, Span, x).first_use
                   - g_array_index (self->spans, Span, y).first_use;

  return difference != 0 ? difference : (x > y) - (x < y);
}

static int
compare_begins (gconstpointer a, gconstpointer b)
{
  const Span *x = a, *y = b;

  return (x->begin > y->begin) - (x->begin < y->begin);
}

/* ------------------------------------------------------------------------ */
/* Which placed spans are alive during an interval                           */

/* A tree over all spans by first use; each node has the latest use of the placed spans below it.  A
 * search visits only nodes above spans that it finds. */
static void
index_spans (Place *self)
{
  guint n = self->spans->len;

  self->n_leaves = 1;
  while (self->n_leaves < n)
    self->n_leaves *= 2;
  self->by_first = g_new (guint, n);
  self->leaf_of = g_new (guint, n);
  self->at = g_new (gint64, n);
  self->latest = g_new (int, 2 * self->n_leaves);
  for (guint i = 0; i < 2 * self->n_leaves; i++)
    self->latest[i] = -1;
  for (guint i = 0; i < n; i++)
    self->by_first[i] = i;
  g_qsort_with_data (self->by_first, (int) n, sizeof *self->by_first, compare_first_uses, self);
  for (guint i = 0; i < n; i++)
    self->leaf_of[self->by_first[i]] = i;
}

static void
mark_placed (Place *self, const Item *item, gint64 offset)
{
  for (guint i = item->first; i < item->first + item->n; i++)
    {
      int last_use = g_array_index (self->spans, Span, i).last_use;

      self->at[i] = offset;
      for (guint node = self->n_leaves + self->leaf_of[i]; node > 0; node /= 2)
        self->latest[node] = MAX (self->latest[node], last_use);
    }
}

/* Adds what the placed spans below @node, which has @n leaves from @first on, take of the offsets of
 * an item with the span @x. */
static void
add_taken (Place *self, const Span *x, guint node, guint first, guint n)
{
  const Span *y;
  Span taken;
  gint64 at;

  if (self->latest[node] < x->first_use) /* also where there are no spans */
    return;
  y = &g_array_index (self->spans, Span, self->by_first[first]);
  if (y->first_use > x->last_use)
    return;
  if (n > 1)
    {
      add_taken (self, x, 2 * node, first, n / 2);
      add_taken (self, x, 2 * node + 1, first + n / 2, n / 2);
      return;
    }
  at = self->at[self->by_first[first]];
  taken = (Span) { at + y->begin - x->end, at + y->end - x->begin, 0, 0 };
  if (taken.end > 0)
    g_array_append_val (self->taken, taken);
}

/* The lowest offset at which @item overlaps none that is placed. */
static gint64
find_offset (Place *self, const Item *item)
{
  gint64 offset = 0;

  g_array_set_size (self->taken, 0);
  for (guint i = item->first; i < item->first + item->n; i++)
    add_taken (self, &g_array_index (self->spans, Span, i), 1, 0, self->n_leaves);
  g_array_sort (self->taken, compare_begins);
  for (guint i = 0; i < self->taken->len; i++)
    {
      const Span *taken = &g_array_index (self->taken, Span, i);

      if (taken->begin < offset && offset < taken->end)
        offset = urb_plan_align (taken->end);
    }
  return offset;
}

/* The peak of live bytes, a lower bound for the arena. */
static gint64
measure_live (const Place *self)
{
  guint n = self->program->instructions->len;
  g_autofree gint64 *change = g_new0 (gint64, n + 1);
  gint64 live = 0, most = 0;

  for (guint i = 0; i < self->spans->len; i++)
    {
      const Span *span = &g_array_index (self->spans, Span, i);

      change[span->first_use] += span->end - span->begin;
      change[span->last_use + 1] -= span->end - span->begin;
    }
  for (guint i = 0; i < n; i++)
    {
      live += change[i];
      most = MAX (most, live);
    }
  return most;
}

void
urb_plan_place (UrbProgram *self, gsize element_size)
{
  Place place = { .program = self,
                  .items = g_array_new (FALSE, FALSE, sizeof (Item)),
                  .spans = g_array_new (FALSE, FALSE, sizeof (Span)),
                  .taken = g_array_new (FALSE, FALSE, sizeof (Span)) };

  for (int i = 0; i < (int) self->buffers->len; i++)
    {
      const UrbBuffer *buffer = urb_program_get_buffer (self, i);

      if (buffer->store == URB_STORE_ARENA && buffer->alias_of < 0 && buffer->first_use >= 0)
        add_item (&place, i, element_size);
    }
  g_array_sort (place.items, compare_items);
  index_spans (&place);
  self->store_bytes[URB_STORE_ARENA] = 0;
  for (guint i = 0; i < place.items->len; i++)
    {
      const Item *item = &g_array_index (place.items, Item, i);
      UrbBuffer *buffer = urb_program_get_buffer (self, item->buffer);

      buffer->offset = find_offset (&place, item);
      mark_placed (&place, item, buffer->offset);
      self->store_bytes[URB_STORE_ARENA] = MAX (self->store_bytes[URB_STORE_ARENA],
                                                buffer->offset + buffer->n_bytes);
    }
  self->live_bytes = measure_live (&place);
  for (int i = 0; i < (int) self->buffers->len; i++)
    {
      UrbBuffer *buffer = urb_program_get_buffer (self, i);

      if (buffer->store == URB_STORE_ARENA && buffer->alias_of >= 0)
        buffer->offset = urb_program_get_buffer (self, urb_plan_find_root (self, i))->offset;
    }
  g_array_unref (place.items);
  g_array_unref (place.spans);
  g_array_unref (place.taken);
  g_free (place.by_first);
  g_free (place.leaf_of);
  g_free (place.at);
  g_free (place.latest);
}
