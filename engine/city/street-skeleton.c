/* SPDX-License-Identifier: Apache-2.0 */
/*
 * street-skeleton.c - thins streets to lines of one pixel.
 *
 * Pixels are removed in the order of their depth, if that changes no connection, so the lines
 * follow the ridges of the depth.  Equal depths: in the order in which they were reached, so the
 * result is the same everywhere.
 */
#include <math.h>
#include <string.h>

#include "city/street-private.h"

/* Clockwise from the top. */
static const int ring_x[8] = { 0, 1, 1, 1, 0, -1, -1, -1 };
static const int ring_y[8] = { -1, -1, 0, 1, 1, 1, 0, -1 };

enum { STEPS_PER_PX = 8 };

/* Whether a pixel with these neighbors can be removed without joining or dividing anything:
 * there is one 8-connected part of the line around it, and ground beside it. */
static gboolean
is_simple (int around)
{
  int parts = 0;

  for (int i = 0; i < 8; i += 2)
    {
      int here = around >> i & 1, next = around >> (i + 1) & 1, after = around >> ((i + 2) % 8) & 1;

      parts += !here && (next || after);
    }
  return parts == 1;
}

typedef struct
{
  guint8      *pixels; /* borrowed */
  const float *depth;  /* borrowed */
  int          width, height;
  guint8       simple[256], n_around[256];
  guint8      *fixed;  /* owned */
  GPtrArray   *levels; /* GArray of gint32, owned; pixels to look at, by depth */
} Thinning;

static int
look_around (const Thinning *self, gint32 i)
{
  int col = i % self->width, row = i / self->width, around = 0;

  for (int k = 0; k < 8; k++)
    {
      int x = col + ring_x[k], y = row + ring_y[k];

      if (x >= 0 && y >= 0 && x < self->width && y < self->height
          && self->pixels[y * self->width + x])
        around |= 1 << k;
    }
  return around;
}

static guint
get_level (const Thinning *self, gint32 i)
{
  return (guint) (self->depth[i] * STEPS_PER_PX);
}

static void
push (Thinning *self, gint32 i, guint level)
{
  while (self->levels->len <= level)
    g_ptr_array_add (self->levels, NULL);
  if (g_ptr_array_index (self->levels, level) == NULL)
    g_ptr_array_index (self->levels, level) = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_array_append_val ((GArray *) g_ptr_array_index (self->levels, level), i);
}

static void
unref_level (gpointer level)
{
  if (level != NULL)
    g_array_unref (level);
}

/* Removes the pixel if it can be, and looks at its neighbors again. */
static void
visit (Thinning *self, gint32 i, guint level)
{
  int around = self->pixels[i] ? look_around (self, i) : 0;

  if (!self->pixels[i] || self->fixed[i] || !self->simple[around] || self->n_around[around] == 1)
    return;
  self->pixels[i] = 0;
  for (int k = 0; k < 8; k++)
    if (around >> k & 1)
      {
        gint32 neighbor = i + ring_y[k] * self->width + ring_x[k];

        push (self, neighbor, MAX (level, get_level (self, neighbor)));
      }
}

static void
thin (Thinning *self)
{
  self->levels = g_ptr_array_new_with_free_func (unref_level);
  for (int around = 0; around < 256; around++)
    {
      self->simple[around] = is_simple (around);
      for (int k = 0; k < 8; k++)
        self->n_around[around] = (guint8) (self->n_around[around] + (around >> k & 1));
    }
  for (gint32 i = 0; i < self->width * self->height; i++)
    if (self->pixels[i])
      push (self, i, get_level (self, i));
  for (guint level = 0; level < self->levels->len; level++)
    for (guint k = 0; ; k++)
      {
        GArray *pixels = g_ptr_array_index (self->levels, level);

        if (pixels == NULL || k >= pixels->len)
          break;
        visit (self, g_array_index (pixels, gint32, k), level);
      }
  g_ptr_array_unref (self->levels);
}

/* The pixels along the tile's border, clockwise from the upper left.  Returns: their number */
static gint32
get_border_pixel (const UrbStreetMask *mask, gint32 at)
{
  int right = mask->width - 1, down = mask->height - 1;

  if (at < right)
    return at;
  at -= right;
  if (at < down)
    return at * mask->width + right;
  at -= down;
  if (at < right)
    return down * mask->width + right - at;
  at -= right;
  return (down - at) * mask->width;
}

/* A street leaves the tile in the middle of its section with the border.  Sections much longer
 * than the street is wide are streets along the border. */
static void
fix_exits (const UrbStreetMask *mask, guint8 *fixed)
{
  gint32 n = 2 * (mask->width - 1) + 2 * (mask->height - 1), start = 0;

  if (mask->width < 2 || mask->height < 2)
    return;
  while (start < n && mask->inside[get_border_pixel (mask, start)])
    start++;
  if (start == n)
    return; /* all paved */
  for (gint32 i = 0; i < n; )
    {
      gint32 first = i;
      double depth = 0;

      while (i < n && mask->inside[get_border_pixel (mask, (start + i) % n)])
        {
          depth = MAX (depth, (double) mask->depth[get_border_pixel (mask, (start + i) % n)]);
          i++;
        }
      if (i > first && i - first <= 3 * 2 * depth)
        fixed[get_border_pixel (mask, (start + (first + i - 1) / 2) % n)] = 1;
      if (i == first)
        i++;
    }
}

guint8 *
urb_street_skeleton_new (const UrbStreetMask *mask)
{
  gsize n_pixels = (gsize) mask->width * (gsize) mask->height;
  g_autofree guint8 *fixed = g_malloc0 (n_pixels);
  Thinning thinning = { .pixels = g_memdup2 (mask->inside, n_pixels), .depth = mask->depth,
                        .width = mask->width, .height = mask->height, .fixed = fixed };

  fix_exits (mask, fixed);
  thin (&thinning);
  return thinning.pixels;
}

void
urb_street_skeleton_thin (guint8 *skeleton, const UrbStreetMask *mask)
{
  g_autofree guint8 *fixed = g_malloc0 ((gsize) mask->width * (gsize) mask->height);
  Thinning thinning = { .pixels = skeleton, .depth = mask->depth,
                        .width = mask->width, .height = mask->height, .fixed = fixed };

  thin (&thinning);
}

typedef enum
{
  KEEP,
  ERASE,  /* an artifact */
  SPUR,   /* too short to be a street; erased if it is the shortest at its junction */
  EXIT    /* leaves the tile at once; erased if a longer one does beside it */
} Fate;

static Fate
judge (const UrbStreetTrace *trace, const UrbTraceEdge *edge, double length, double min_spur_px,
       double detail_px)
{
  const UrbTraceNode *from = &g_array_index (trace->nodes, UrbTraceNode, edge->from);
  const UrbTraceNode *to = &g_array_index (trace->nodes, UrbTraceNode, edge->to);
  const UrbTraceNode *end = from->degree == 1 ? from : to, *root = from->degree == 1 ? to : from;
  double reach = length + end->radius - root->radius;

  if (end->degree != 1 || root->degree < 2)
    return KEEP;
  if (end->on_border)
    return root->degree >= 3 && length < MAX (root->radius, 3 * detail_px) ? EXIT : KEEP;
  if (reach < MAX (2, root->radius / 2))
    return ERASE;
  return root->degree >= 3 && reach < min_spur_px ? SPUR : KEEP;
}

static void
erase (guint8 *skeleton, const UrbStreetTrace *trace, const UrbTraceEdge *edge, int width)
{
  for (guint i = 0; i < edge->n; i++)
    skeleton[g_array_index (trace->pixels, gint32, edge->first + i)] = URB_SKELETON_NONE;
  for (int side = 0; side < 2; side++)
    {
      const UrbTraceNode *node
        = &g_array_index (trace->nodes, UrbTraceNode, side == 0 ? edge->from : edge->to);

      if (node->degree == 1)
        skeleton[(gint32) node->at.y * width + (gint32) node->at.x] = URB_SKELETON_NONE;
    }
}

typedef struct
{
  gint32 spur, exit;  /* the shortest edges of these fates, or -1 */
  guint  n_exits;
} Root;

/* Erases all artifacts, or if there are none, one branch at each junction.
 * Returns: whether any was erased */
static gboolean
prune_once (guint8 *skeleton, const UrbStreetMask *mask, double min_spur_px)
{
  g_autoptr(UrbStreetTrace) trace = urb_street_trace_new (skeleton, mask);
  g_autofree Root *roots = g_new (Root, trace->nodes->len + 1);
  g_autofree double *lengths = g_new (double, trace->edges->len + 1);
  gboolean changed = FALSE;

  for (guint i = 0; i < trace->nodes->len; i++)
    roots[i] = (Root) { -1, -1, 0 };
  for (guint i = 0; i < trace->edges->len; i++)
    {
      const UrbTraceEdge *edge = &g_array_index (trace->edges, UrbTraceEdge, i);
      gboolean at_start = g_array_index (trace->nodes, UrbTraceNode, edge->from).degree == 1;
      Root *root = &roots[at_start ? edge->to : edge->from];
      Fate fate;

      lengths[i] = urb_street_trace_length (trace, edge, mask->width);
      fate = judge (trace, edge, lengths[i], min_spur_px, mask->detail_px);
      if (fate == ERASE)
        {
          erase (skeleton, trace, edge, mask->width);
          changed = TRUE;
        }
      else if (fate == SPUR && (root->spur < 0 || lengths[i] < lengths[root->spur]))
        root->spur = (gint32) i;
      else if (fate == EXIT)
        {
          if (root->exit < 0 || lengths[i] < lengths[root->exit])
            root->exit = (gint32) i;
          root->n_exits++;
        }
    }
  if (changed)
    return TRUE;
  for (guint i = 0; i < trace->nodes->len; i++)
    {
      gint32 branch = roots[i].spur >= 0 ? roots[i].spur : roots[i].n_exits >= 2 ? roots[i].exit
                                                                                 : -1;

      if (branch < 0)
        continue;
      erase (skeleton, trace, &g_array_index (trace->edges, UrbTraceEdge, branch), mask->width);
      changed = TRUE;
    }
  return changed;
}

void
urb_street_skeleton_prune (guint8 *skeleton, const UrbStreetMask *mask, double min_spur_px)
{
  while (prune_once (skeleton, mask, min_spur_px))
    urb_street_skeleton_thin (skeleton, mask);
}
