/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rtree.c - a static R-tree, packed along the Hilbert curve, in one block.
 *
 * Items are sorted by the Hilbert value of their center and packed 16 to a node,
 * level by level, root last.  A node's children are contiguous, so an entry needs
 * one number: its item in a leaf, else its first child.  The delicate part is
 * rounding: boxes become floats, and each bound must move outward or stay.
 */
#include "map/rtree.h"

#include <math.h>

#include "base/large-array.h"
#include "map/radix-sort.h"

#define NODE_SIZE  16
#define MAX_LEVELS 10 /* 16^8 > 2^31 */

typedef struct
{
  float min_x, min_y, max_x, max_y; /* meters from the origin */
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

/* Spreads the lower half of @value over every second bit. */
static inline guint32
spread_bits (guint32 value)
{
  value = (value | value << 8) & 0x00ff00ff;
  value = (value | value << 4) & 0x0f0f0f0f;
  value = (value | value << 2) & 0x33333333;
  return (value | value << 1) & 0x55555555;
}

/* Distance along the Hilbert curve of order 16.  The orientation of each quadrant depends
 * on all larger ones: a prefix sum over the turns, computed here for all sixteen levels at
 * once (Warren, "Hacker's Delight", 16-3; the turns as two masks, a b for the position of
 * the rotation and c d for its effect). */
static inline guint32
hilbert (guint32 x, guint32 y)
{
  guint32 a = x ^ y, b = 0xffff ^ a, c = 0xffff ^ (x | y), d = x & (y ^ 0xffff);
  guint32 e = a | b >> 1, f = a >> 1 ^ a;
  guint32 g = (c >> 1 ^ (b & d >> 1)) ^ c, h = ((a & c >> 1) ^ d >> 1) ^ d;
  guint32 low, high;

  for (int shift = 2; shift <= 8; shift *= 2)
    {
      a = e;
      b = f;
      c = g;
      d = h;
      e = (a & a >> shift) ^ (b & b >> shift);
      f = (a & b >> shift) ^ (b & (a ^ b) >> shift);
      g ^= (a & c >> shift) ^ (b & d >> shift);
      h ^= (b & c >> shift) ^ ((a ^ b) & d >> shift);
    }
  a = g ^ g >> 1;
  b = h ^ h >> 1;
  low = x ^ y;
  high = (b | (0xffff ^ (low | a))) & 0xffff;
  return spread_bits (high) << 1 | spread_bits (low);
}

/* Sets @boxes to the rounded boxes and @keys to (hilbert << 32 | item). */
static void
compute_keys (const UrbRtree *self, UrbBox extent, UrbRtreeBoxFunc get_box, gpointer user_data,
              Box *boxes, guint64 *keys)
{
  double width = extent.max_x - extent.min_x, height = extent.max_y - extent.min_y;
  double scale_x = width > 0 ? 65535 / width : 0, scale_y = height > 0 ? 65535 / height : 0;

  for (gint64 i = 0; i < self->n_items; i++)
    {
      UrbBox box = get_box (i, user_data);
      double x = ((box.min_x + box.max_x) / 2 - extent.min_x) * scale_x;
      double y = ((box.min_y + box.max_y) / 2 - extent.min_y) * scale_y;
      guint32 key = hilbert ((guint32) CLAMP (x, 0, 65535), (guint32) CLAMP (y, 0, 65535));
      keys[i] = (guint64) key << 32 | (guint64) i;
      boxes[i] = (Box){ round_down (box.min_x - self->origin_x),
                        round_down (box.min_y - self->origin_y),
                        round_up (box.max_x - self->origin_x),
                        round_up (box.max_y - self->origin_y) };
    }
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

/* Neighbors in Hilbert order are far apart in memory, so boxes are prefetched. */
static void
fill_leaves (UrbRtree *self, const guint64 *keys, const Box *boxes)
{
  const gint64 ahead = 16;

  for (gint64 i = 0; i < self->n_items; i++)
    {
      guint32 item = (guint32) keys[i];
      __builtin_prefetch (&boxes[(guint32) keys[MIN (i + ahead, self->n_items - 1)]]);
      self->links[i] = item;
      self->boxes[i] = boxes[item];
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
  g_autofree guint64 *keys = NULL, *scratch = NULL;
  g_autofree Box *boxes = NULL;
  gint64 n_entries;

  g_assert (n_items >= 0 && n_items <= URB_RTREE_MAX_ITEMS);
  self->n_items = n_items;
  self->origin_x = extent.min_x;
  self->origin_y = extent.min_y;
  if (n_items == 0)
    return self;
  n_entries = plan_levels (self);
  self->n_bytes = (gsize) n_entries * (sizeof (Box) + sizeof (guint32));
  self->boxes = urb_large_array_new (self->n_bytes, 1);
  self->links = (guint32 *) (self->boxes + n_entries);
  keys = urb_large_array_new (n_items, sizeof *keys);
  scratch = urb_large_array_new (n_items, sizeof *scratch);
  boxes = urb_large_array_new (n_items, sizeof *boxes);
  compute_keys (self, extent, get_box, user_data, boxes, keys);
  fill_leaves (self, urb_radix_sort (keys, scratch, n_items), boxes);
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

/* The query box is made relative to the origin by the same subtraction as the boxes.
 * Rounding is monotonic, so boxes that meet still meet. */
static gboolean
meets (const Box *box, const UrbBox *query)
{
  return (double) box->min_x <= query->max_x && (double) box->max_x >= query->min_x &&
         (double) box->min_y <= query->max_y && (double) box->max_y >= query->min_y;
}

void
urb_rtree_query (const UrbRtree *self, UrbBox box, GArray *found)
{
  /* Depth first: at most one node's entries are pending per level. */
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
