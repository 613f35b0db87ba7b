/* SPDX-License-Identifier: Apache-2.0 */
/*
 * building-plan.c - the buildings of a tile; see building-plan.h.
 *
 * building-field.c finds parts, building-split.c divides them, building-direction.c finds their directions; each
 * part is composed of rectangles (building-compose.c, building-turn.c) or, if these explain it badly, keeps a
 * simplified outline (building-outline.c).  Then all walls are fitted at once (building-fit.c), neighbors are
 * separated (building-touch.c), and what lies beyond the tile is cut off (building-clip.c).
 */
#include "city/building-private.h"

#include <math.h>

/* Walls nearer than this are one. */
static const double shared_wall_m = 0.8;
/* Nothing of a building is narrower. */
static const double least_wall_m = 1.5;
/* Least depth of a building around its courtyard. */
static const double least_depth_m = 5;
/* A wall with so many steps in a row slants on the grid of the building's rectangles. */
enum { N_STAIRS = 3 };

void
urb_building_options_init (UrbBuildingOptions *options, double detail_m)
{
  *options = (UrbBuildingOptions) {
    .min_area_m2 = 20,
    .min_width_m = 3,
    .part_m2 = detail_m > 1.5 ? 14 : 3,
    /* Halls have fewer jogs for their size; of those that a generator draws, more are chance. */
    .part_share = detail_m > 1.5 ? 0.03 : 0.01,
    .court_m2 = G_MAXDOUBLE,
    .jog_m = detail_m > 1.5 ? 2.5 : 1.2,
    .street_pull = detail_m > 1.5 ? 0.1 : 0,
    .agree_m = 45,
    .free_outlines = detail_m <= 1.5,
  };
}

void
urb_building_plan_free (UrbBuildingPlan *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->buildings);
  g_array_unref (self->rings);
  g_array_unref (self->points);
  g_free (self);
}

static UrbBuildingField *
find_field (const UrbSoftMap *map, const UrbBuildingOptions *options)
{
  UrbBuildingField *field = urb_building_field_new (map);

  if (options->split_m2 > 0 && field->zoom == 1)
    urb_building_field_split (field, options->split_m2);
  return field;
}

static gboolean
is_too_small (const UrbBuildingField *field, guint part, const UrbBuildingOptions *options)
{
  double mass_px = g_array_index (field->parts, UrbBuildingPart, part).mass_px;

  /* Small houses may still grow. */
  return mass_px * field->pixel_m * field->pixel_m < 0.6 * options->min_area_m2;
}

static UrbBuildingDirection *
find_directions (const UrbBuildingField *field, const UrbStreetGraph *streets,
                 const UrbBuildingOptions *options)
{
  UrbBuildingDirection *directions = g_new0 (UrbBuildingDirection, field->parts->len + 1);

  for (guint i = 0; i < field->parts->len; i++)
    if (!is_too_small (field, i, options))
      directions[i] = urb_building_field_find_direction (field, i);
  urb_building_directions_agree (field, streets, options, directions);
  return directions;
}

static UrbBuildingDraft *
compose_part (const UrbBuildingField *field, guint part, const UrbBuildingDirection *direction,
              const UrbBuildingOptions *options, double jog_m)
{
  double px2 = field->pixel_m * field->pixel_m;
  double area_m2 = g_array_index (field->parts, UrbBuildingPart, part).mass_px * px2;
  double part_m2 = MAX (options->part_m2, options->part_share * area_m2);
  UrbBuildingGrain grain = { part_m2 / px2, MIN (part_m2, options->court_m2) / px2, least_depth_m / field->pixel_m,
                             jog_m / field->pixel_m };

  return options->turn_m2 > 0 && area_m2 >= options->turn_m2
           ? urb_building_compose_turned (field, part, direction, &grain)
           : urb_building_compose (field, part, direction->angle, &grain);
}

static GPtrArray *
compose_parts (const UrbBuildingField *field, const UrbBuildingDirection *directions,
               const UrbBuildingOptions *options)
{
  GPtrArray *drafts = g_ptr_array_new_with_free_func ((GDestroyNotify) urb_building_draft_free);

  for (guint i = 0; i < field->parts->len; i++)
    {
      g_autoptr(UrbBuildingDraft) draft = NULL;

      if (is_too_small (field, i, options))
        continue;
      draft = compose_part (field, i, &directions[i], options, options->jog_m);
      if (draft != NULL && options->stairs_jog_m > 0 && urb_building_draft_count_steps (draft) >= N_STAIRS)
        {
          urb_building_draft_free (draft);
          draft = compose_part (field, i, &directions[i], options, options->stairs_jog_m);
        }
      if (draft != NULL)
        g_ptr_array_add (drafts, g_steal_pointer (&draft));
    }
  return drafts;
}

/* The outline of the part, if it explains much more with its corners than rectangles do: a church,
 * a round tower. */
static UrbBuildingDraft *
find_better (const UrbBuildingField *field, const UrbBuildingDraft *draft,
             const UrbBuildingOptions *options)
{
  const UrbBuildingPart *part = &g_array_index (field->parts, UrbBuildingPart, draft->part);
  static const double least_px = 40; /* in fewer, a slanting wall is chance */
  static const double corner_px2 = 2, tolerance_px = 0.9;
  g_autoptr(UrbBuildingDraft) outline = NULL;
  double cost, free_cost;

  if (!options->free_outlines || (double) part->n_pixels < least_px)
    return NULL;
  cost = urb_building_draft_misfit (draft, field) + corner_px2 * draft->points->len;
  if (cost < 8 * corner_px2)
    return NULL;
  outline = urb_building_outline (field, draft->part, draft->angle, tolerance_px);
  if (outline == NULL)
    return NULL;
  free_cost = 1.3 * urb_building_draft_misfit (outline, field)
              + 1.5 * corner_px2 * outline->points->len;
  return free_cost < cost ? g_steal_pointer (&outline) : NULL;
}

/* The extent across the narrower of two directions. */
static double
get_width (const UrbPoint *points, guint n, double angle)
{
  double c = cos (angle), s = sin (angle);
  double left = G_MAXDOUBLE, right = -G_MAXDOUBLE, top = G_MAXDOUBLE, bottom = -G_MAXDOUBLE;

  for (guint i = 0; i < n; i++)
    {
      double u = c * points[i].x + s * points[i].y, v = c * points[i].y - s * points[i].x;

      left = MIN (left, u);
      right = MAX (right, u);
      top = MIN (top, v);
      bottom = MAX (bottom, v);
    }
  return MIN (right - left, bottom - top);
}

static gboolean
touches_edge (const UrbBuildingField *field, const UrbPoint *points, guint n)
{
  for (guint i = 0; i < n; i++)
    if (points[i].x <= 0 || points[i].y <= 0 || points[i].x >= field->width_px
        || points[i].y >= field->height_px)
      return TRUE;
  return FALSE;
}

static void
append_ring (UrbBuildingPlan *self, const UrbPoint *points, guint n)
{
  UrbBuildingRing ring = { self->points->len, n };

  g_array_append_val (self->rings, ring);
  g_array_append_vals (self->points, points, n);
}

/* Appends each outer ring of a draft with its courtyards, if it is large enough. */
static void
append_draft (UrbBuildingPlan *self, const UrbBuildingField *field, UrbBuildingDraft *draft,
              const UrbBuildingOptions *options)
{
  double px2 = field->pixel_m * field->pixel_m;
  const UrbPoint *points;
  g_autofree guint *firsts = NULL;

  urb_building_clip (draft->points, draft->sizes, field->width_px, field->height_px);
  points = (const UrbPoint *) (gpointer) draft->points->data;
  firsts = g_new0 (guint, draft->sizes->len + 1);
  for (guint i = 0; i < draft->sizes->len; i++)
    firsts[i + 1] = firsts[i] + g_array_index (draft->sizes, guint, i);
  for (guint i = 0; i < draft->sizes->len; i++)
    {
      const UrbPoint *outer = points + firsts[i];
      guint n = firsts[i + 1] - firsts[i];
      double area = urb_ring_area (outer, n);
      UrbBuilding building = { self->rings->len, 1, draft->angle, draft->n_rectangles };

      if (area <= 0 || area * px2 < options->min_area_m2)
        continue;
      if (!touches_edge (field, outer, n)
          && get_width (outer, n, draft->angle) * field->pixel_m < options->min_width_m)
        continue;
      building.angle -= G_PI / 2 * floor (building.angle / (G_PI / 2));
      append_ring (self, outer, n);
      for (guint k = 0; k < draft->sizes->len; k++)
        {
          const UrbPoint *inner = points + firsts[k];
          guint n_inner = firsts[k + 1] - firsts[k];

          if (urb_ring_area (inner, n_inner) < 0 && urb_ring_contains (outer, n, inner[0]))
            {
              append_ring (self, inner, n_inner);
              building.n_rings++;
            }
        }
      g_array_append_val (self->buildings, building);
    }
}

UrbBuildingPlan *
urb_building_plan_new (const UrbSoftMap *map, const UrbStreetGraph *streets,
                       const UrbBuildingOptions *options)
{
  UrbBuildingPlan *self = g_new0 (UrbBuildingPlan, 1);
  g_autoptr(UrbBuildingField) field = find_field (map, options);
  g_autofree UrbBuildingDirection *directions = find_directions (field, streets, options);
  g_autoptr(GPtrArray) drafts = compose_parts (field, directions, options);

  self->buildings = g_array_new (FALSE, FALSE, sizeof (UrbBuilding));
  self->rings = g_array_new (FALSE, FALSE, sizeof (UrbBuildingRing));
  self->points = g_array_new (FALSE, FALSE, sizeof (UrbPoint));
  urb_building_drafts_fit (field, drafts, options->jog_m / field->pixel_m);
  for (guint i = 0; i < drafts->len; i++)
    {
      UrbBuildingDraft *better = find_better (field, drafts->pdata[i], options);

      if (better == NULL)
        continue;
      urb_building_draft_free (drafts->pdata[i]);
      drafts->pdata[i] = better;
    }
  urb_building_drafts_leave (drafts, streets, field->pixel_m, field->zoom > 1 ? 0.2 : 0.08);
  urb_building_drafts_part (drafts, shared_wall_m / field->pixel_m);
  for (guint i = 0; i < drafts->len; i++)
    {
      urb_building_draft_drop_slivers (drafts->pdata[i], MIN (least_wall_m, options->min_width_m) / field->pixel_m);
      append_draft (self, field, drafts->pdata[i], options);
    }
  return self;
}
