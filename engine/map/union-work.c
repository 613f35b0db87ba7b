/* SPDX-License-Identifier: Apache-2.0 */
/*
 * union-work.c - see union-work.h.
 */
#include "map/union-work.h"

#include "map/rtree.h"

#define WORK_OF_CROSSING 100

static UrbBox
get_box (const UrbSide *side)
{
  UrbBox box = URB_BOX_EMPTY;

  urb_box_add_point (&box, side->ax, side->ay);
  urb_box_add_point (&box, side->bx, side->by);
  return box;
}

static UrbBox
get_box_cb (gint64 index, gpointer sides)
{
  return get_box ((const UrbSide *) sides + index);
}

/* On which side of @side the point is: its sign. */
static double
get_turn (const UrbSide *side, double x, double y)
{
  return (side->bx - side->ax) * (y - side->ay) - (side->by - side->ay) * (x - side->ax);
}

/* Not where they only touch, as those of neighbors do. */
static gboolean
cross (const UrbSide *a, const UrbSide *b)
{
  return get_turn (a, b->ax, b->ay) * get_turn (a, b->bx, b->by) < 0
         && get_turn (b, a->ax, a->ay) * get_turn (b, a->bx, a->by) < 0;
}

gint64
urb_union_measure_work (const UrbSide *sides, gint64 n_sides, gint64 most)
{
  UrbBox extent = URB_BOX_EMPTY;
  g_autoptr(UrbRtree) tree = NULL;
  g_autoptr(GArray) found = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 work = 0;

  for (gint64 i = 0; i < n_sides; i++)
    urb_box_add (&extent, get_box (&sides[i]));
  tree = urb_rtree_new (n_sides, extent, get_box_cb, (gpointer) sides);
  for (gint64 i = 0; i < n_sides && work <= most; i++)
    {
      g_array_set_size (found, 0);
      urb_rtree_query (tree, get_box (&sides[i]), found);
      work += found->len;
      for (guint f = 0; f < found->len; f++)
        {
          gint64 other = g_array_index (found, gint64, f);

          if (other > i && cross (&sides[i], &sides[other]))
            work += WORK_OF_CROSSING;
        }
    }
  return work;
}
