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
compare_begins (gconstpointer a, gconstpointer b)
{
  const Span *x = a, *y = b;

  return (x->begin > y->begin) - (x->begin < y->begin);
}

static void
add_taken (Place *self, const Item *item, const Item *other)
{
  gint64 at = urb_program_get_buffer (self->program, other->buffer)->offset;

  for (guint i = 0; i < item->n; i++)
    for (guint j = 0; j < other->n; j++)
      {
        const Span *x = &g_array_index (self->spans, Span, item->first + i);
        const Span *y = &g_array_index (self->spans, Span, other->first + j);
        Span taken = { at + y->begin - x->end, at + y->end - x->begin, 0, 0 };

        if (x->first_use <= y->last_use && y->first_use <= x->last_use && taken.end > 0)
          g_array_append_val (self->taken, taken);
      }
}

/* The lowest offset at which item @index overlaps none of those before it. */
static gint64
find_offset (Place *self, guint index)
{
  gint64 offset = 0;

  g_array_set_size (self->taken, 0);
  for (guint i = 0; i < index; i++)
    add_taken (self, &g_array_index (self->items, Item, index), &g_array_index (self->items, Item, i));
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
  self->store_bytes[URB_STORE_ARENA] = 0;
  for (guint i = 0; i < place.items->len; i++)
    {
      const Item *item = &g_array_index (place.items, Item, i);
      UrbBuffer *buffer = urb_program_get_buffer (self, item->buffer);

      buffer->offset = find_offset (&place, i);
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
}
