/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample-town-builder.c - a block under construction: footprints become holes of its
 * ground unchanged, so the block stays filled exactly.
 */
#include "map/sample-town-private.h"

enum { STREAM_BUILD = 30 };

static void
clear_footprint (gpointer data)
{
  TownFootprint *footprint = data;

  g_clear_pointer (&footprint->ring, g_array_unref);
}

void
town_builder_init (TownBuilder *self, TownPlan *plan, TownBlock *block, guint64 thing)
{
  self->plan = plan;
  self->block = block;
  self->around = town_ring_rectangle (block->polygon->rings->pdata[0]);
  self->footprints = g_array_new (FALSE, FALSE, sizeof (TownFootprint));
  g_array_set_clear_func (self->footprints, clear_footprint);
  town_random_init (&self->random, plan->seed, thing, STREAM_BUILD);
}

void
town_builder_clear (TownBuilder *self)
{
  g_clear_pointer (&self->footprints, g_array_unref);
}

gboolean
town_builder_place (TownBuilder *self, GArray *ring, UrbTownKind kind, double from_edge_m,
                    double from_others_m)
{
  TownFootprint footprint = { ring, kind };
  gboolean fits = town_polygon_contains_ring (self->block->polygon, ring, from_edge_m);

  for (guint i = 0; fits && i < self->footprints->len; i++)
    {
      const GArray *other = g_array_index (self->footprints, TownFootprint, i).ring;

      fits = other == NULL /* in a finished yard */ ||
             !town_rings_are_near (other, ring, from_others_m);
    }
  if (fits)
    g_array_append_val (self->footprints, footprint);
  else
    g_array_unref (ring);
  return fits;
}

void
town_builder_finish_ground (TownBuilder *self, TownPolygon *ground, UrbTownKind kind)
{
  for (guint i = 0; i < self->footprints->len; i++)
    {
      TownFootprint *footprint = &g_array_index (self->footprints, TownFootprint, i);
      GArray *hole;

      if (footprint->ring == NULL || !town_polygon_contains_ring (ground, footprint->ring, 0.01))
        continue;
      hole = g_array_copy (footprint->ring);
      town_ring_reverse (hole);
      g_ptr_array_add (ground->rings, hole);
      town_plan_add_piece (self->plan, town_polygon_new (g_steal_pointer (&footprint->ring)),
                           footprint->kind);
    }
  town_plan_add_piece (self->plan, ground, kind);
}

void
town_builder_finish_block (TownBuilder *self, UrbTownKind kind)
{
  town_builder_finish_ground (self, g_steal_pointer (&self->block->polygon), kind);
}
