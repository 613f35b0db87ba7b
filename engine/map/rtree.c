/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rtree.c - a static R-tree, packed along the Hilbert curve, in one block.
 *
 * Items are sorted by the Hilbert value of their centre and packed 16 to a
 * node, level by level, root last.  A node's children lie next to each other,
 * so an entry needs one number: for a leaf its item, for an inner entry its
 * first child.  The delicate part is rounding: boxes shrink to floats, and each
 * bound must move outward or not at all.
 */
#include "map/rtree.h"

#include <math.h>
#include <string.h>

#define NODE_SIZE  16
#define MAX_LEVELS 10 /* 16^8 > 2^31 */

typedef struct
{
  float min_x, min_y, max_x, max_y; /* metres from the origin */
} Box;

struct _UrbRtree
{
  gint64 n_items;
  int n_levels;
  gint64 level_end[MAX_LEVELS]; /* entries, one past each level's last; leaves first */
  double origin_x, origin_y;
  gsize n_bytes;
  Box *boxes;     /* owned: the block; (n_entries) */
  guint32 *links; /* in the same block; (n_entries): item, or first child's entry */
};

static float
round_down (double value)
{
  float result = (float) value;
  return (double) result > value ? nextafterf (result, -INFINITY) : result;
}

static float
round_up (double value)
{
  float result = (float) value;
  return (double) result < value ? nextafterf (result, INFINITY) : result;
}

/* Distance along the Hilbert curve of order 16: Warren, "Hacker's Delight", 16-2. */
static guint32
hilbert (guint32 x, guint32 y)
{
  guint32 distance = 0;

  for (guint32 s = 1u << 15; s > 0; s >>= 1)
    {
      guint32 rx = (x & s) != 0, ry = (y & s) != 0;
      distance += s * s * ((3 * rx) ^ ry);
      if (ry == 0)
        {
          guint32 swap;
          if (rx == 1)
            {
              x = 0xffff - x;
              y = 0xffff - y;
            }
          swap = x;
          x = y;
          y = swap;
        }
    }
  return distance;
}

/* Sorts @items by their high 32 bits; stable, two passes of 16 bits. */
static void
radix_sort (guint64 *items, guint64 *scratch, gint64 n)
{
  g_autofree gint64 *starts = g_new (gint64, 65536);

  for (int shift = 32; shift < 64; shift += 16)
    {
      gint64 sum = 0;
      guint64 *swap;

      memset (starts, 0, 65536 * sizeof *starts);
      for (gint64 i = 0; i < n; i++)
        starts[(items[i] >> shift) & 0xffff]++;
      for (int i = 0; i < 65536; i++)
        {
          gint64 count = starts[i];
          starts[i] = sum;
          sum += count;
        }
      for (gint64 i = 0; i < n; i++)
        scratch[starts[(items[i] >> shift) & 0xffff]++] = items[i];
      swap = items;
      items = scratch;
      scratch = swap;
    }
}

/* The items in Hilbert order: (hilbert << 32 | item). */
static guint64 *
sort_items (gint64 n, UrbBox extent, UrbRtreeBoxFunc get_box, gpointer user_data)
{
  g_autofree guint64 *scratch = g_new (guint64, n);
  guint64 *items = g_new (guint64, n);
  double width = extent.max_x - extent.min_x, height = extent.max_y - extent.min_y;
  double scale_x = width > 0 ? 65535 / width : 0, scale_y = height > 0 ? 65535 / height : 0;

  for (gint64 i = 0; i < n; i++)
    {
      UrbBox box = get_box (i, user_data);
      double x = ((box.min_x + box.max_x) / 2 - extent.min_x) * scale_x;
      double y = ((box.min_y + box.max_y) / 2 - extent.min_y) * scale_y;
      guint32 key = hilbert ((guint32) CLAMP (x, 0, 65535), (guint32) CLAMP (y, 0, 65535));
      items[i] = (guint64) key << 32 | (guint64) i;
    }
  radix_sort (items, scratch, n);
  return items;
}

/* Lays out the levels; returns the number of entries. */
static gint64
plan_levels (UrbRtree *self)
{
  gint64 n = self->n_items, n_entries = n;

  self->level_end[self->n_levels++] = n;
  while (n > NODE_SIZE)
    {
      n = (n + NODE_SIZE - 1) / NODE_SIZE;
      n_entries += n;
      g_assert (self->n_levels < MAX_LEVELS);
      self->level_end[self->n_levels++] = n_entries;
    }
  return n_entries;
}

static void
fill_leaves (UrbRtree *self, const guint64 *items, UrbRtreeBoxFunc get_box, gpointer user_data)
{
  for (gint64 i = 0; i < self->n_items; i++)
    {
      guint32 item = (guint32) items[i];
      UrbBox box = get_box (item, user_data);
      self->links[i] = item;
      self->boxes[i].min_x = round_down (box.min_x - self->origin_x);
      self->boxes[i].min_y = round_down (box.min_y - self->origin_y);
      self->boxes[i].max_x = round_up (box.max_x - self->origin_x);
      self->boxes[i].max_y = round_up (box.max_y - self->origin_y);
    }
}

static void
fill_level (UrbRtree *self, int level)
{
  gint64 child = level > 1 ? self->level_end[level - 2] : 0;
  gint64 last = self->level_end[level - 1];

  for (gint64 entry = last; entry < self->level_end[level]; entry++)
    {
      Box box = self->boxes[child];
      self->links[entry] = (guint32) child;
      for (int i = 0; i < NODE_SIZE && child < last; i++, child++)
        {
          const Box *inner = &self->boxes[child];
          box.min_x = MIN (box.min_x, inner->min_x);
          box.min_y = MIN (box.min_y, inner->min_y);
          box.max_x = MAX (box.max_x, inner->max_x);
          box.max_y = MAX (box.max_y, inner->max_y);
        }
      self->boxes[entry] = box;
    }
}

UrbRtree *
urb_rtree_new (gint64 n_items, UrbBox extent, UrbRtreeBoxFunc get_box, gpointer user_data)
{
  UrbRtree *self = g_new0 (UrbRtree, 1);
  g_autofree guint64 *items = NULL;
  gint64 n_entries;

  g_assert (n_items >= 0 && n_items <= URB_RTREE_MAX_ITEMS);
  self->n_items = n_items;
  self->origin_x = extent.min_x;
  self->origin_y = extent.min_y;
  if (n_items == 0)
    return self;
  n_entries = plan_levels (self);
  self->n_bytes = (gsize) n_entries * (sizeof (Box) + sizeof (guint32));
  self->boxes = g_malloc (self->n_bytes);
  self->links = (guint32 *) (self->boxes + n_entries);
  items = sort_items (n_items, extent, get_box, user_data);
  fill_leaves (self, items, get_box, user_data);
  for (int level = 1; level < self->n_levels; level++)
    fill_level (self, level);
  return self;
}

void
urb_rtree_free (UrbRtree *self)
{
  if (self == NULL)
    return;
  g_free (self->boxes); /* the whole block */
  g_free (self);
}

gsize
urb_rtree_get_n_bytes (const UrbRtree *self)
{
  return self->n_bytes + sizeof *self;
}

/* The query box is taken relative to the origin by the same subtraction as the
 * boxes were.  Rounding is monotonic, so what touched before touches after. */
static gboolean
meets (const Box *box, const UrbBox *query)
{
  return (double) box->min_x <= query->max_x && (double) box->max_x >= query->min_x &&
         (double) box->min_y <= query->max_y && (double) box->max_y >= query->min_y;
}

void
urb_rtree_query (const UrbRtree *self, UrbBox box, GArray *found)
{
  /* Depth first: at most one node's entries wait on each level. */
  struct
  {
    gint64 first;
    int level;
  } stack[MAX_LEVELS * NODE_SIZE];
  int depth = 0;

  if (self->n_items == 0)
    return;
  box.min_x -= self->origin_x;
  box.max_x -= self->origin_x;
  box.min_y -= self->origin_y;
  box.max_y -= self->origin_y;
  stack[depth].level = self->n_levels - 1;
  stack[depth++].first = self->n_levels > 1 ? self->level_end[self->n_levels - 2] : 0;
  while (depth > 0)
    {
      int level = stack[--depth].level;
      gint64 first = stack[depth].first;
      gint64 end = MIN (first + NODE_SIZE, self->level_end[level]);

      for (gint64 entry = first; entry < end; entry++)
        if (meets (&self->boxes[entry], &box))
          {
            if (level == 0)
              {
                gint64 item = self->links[entry];
                g_array_append_val (found, item);
              }
            else
              {
                stack[depth].level = level - 1;
                stack[depth++].first = self->links[entry];
              }
          }
    }
}
