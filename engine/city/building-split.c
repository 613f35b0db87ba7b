/* SPDX-License-Identifier: Apache-2.0 */
/*
 * building-split.c - separates houses that a refiner joined.
 *
 * A pixel of the generator is as wide as the gap between a house and its garage.  Where a refiner is not sure of
 * the gap, the share sinks there, but not below 1/2.  So a part is divided if it falls apart at a higher share, and each
 * piece grows back down the slopes of the share (a watershed, Vincent and Soille 1991).
 */
#include "city/building-private.h"

#include "city/components.h"

enum { N_LEVELS = 64, N_SIDES = 4 };

/* Of real areas that were reduced to 3.9 m a pixel and refined: four in five of the pairs that fall
 * apart at this share, each piece with this area above it, are two buildings in the map. */
static const float apart = 0.8f;
static const double core_m2 = 10;

typedef struct
{
  const UrbBuildingField *field;
  gint32 *pieces;           /* (height_px, width_px): a number, or -1 */
  GArray *queues[N_LEVELS]; /* gint32, of pixels to grow from, by their share */
} Watershed;

static void
watershed_free (Watershed *self)
{
  for (int i = 0; i < N_LEVELS; i++)
    g_array_unref (self->queues[i]);
  g_free (self->pieces);
  g_free (self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Watershed, watershed_free)

/* @most: the level that the growth has sunk to */
static void
enqueue (Watershed *self, gint32 pixel, int most)
{
  int level = (int) (self->field->sharp[pixel] * N_LEVELS);

  g_array_append_val (self->queues[CLAMP (level, 0, most)], pixel);
}

/* The pixel on a side of @pixel, or -1 beyond the map. */
static gint32
get_neighbor (const UrbBuildingField *field, gint32 pixel, int side)
{
  int col = pixel % field->width_px + (side == 0) - (side == 1);
  int row = pixel / field->width_px + (side == 2) - (side == 3);

  return col < 0 || row < 0 || col >= field->width_px || row >= field->height_px ? -1 : row * field->width_px + col;
}

static gboolean
is_house (const UrbBuildingField *field, gint32 pixel, double most_m2)
{
  const UrbBuildingPart *part = &g_array_index (field->parts, UrbBuildingPart, field->labels[pixel]);

  return part->mass_px * field->pixel_m * field->pixel_m < most_m2;
}

/* The cores of parts below @most_m2 are pieces. */
static Watershed *
watershed_new (const UrbBuildingField *field, double most_m2)
{
  double least_px = core_m2 / (field->pixel_m * field->pixel_m);
  gint32 n = field->width_px * field->height_px;
  Watershed *self = g_new0 (Watershed, 1);
  g_autofree guint8 *mask = g_malloc ((gsize) n);
  g_autoptr(GArray) cores = NULL;

  self->field = field;
  self->pieces = g_new (gint32, n);
  for (int i = 0; i < N_LEVELS; i++)
    self->queues[i] = g_array_new (FALSE, FALSE, sizeof (gint32));
  for (gint32 i = 0; i < n; i++)
    mask[i] = field->sharp[i] > apart && is_house (field, i, most_m2);
  cores = urb_components_label (mask, field->width_px, field->height_px, URB_CONNECT_4, self->pieces);
  for (gint32 i = 0; i < n; i++)
    {
      const UrbComponent *core = &g_array_index (cores, UrbComponent, self->pieces[i]);

      if (core->value == 0 || (double) core->n_pixels < least_px)
        self->pieces[i] = -1;
      else
        enqueue (self, i, N_LEVELS - 1);
    }
  return self;
}

/* Grows the pieces within their parts, from high shares to low ones. */
static void
grow (Watershed *self)
{
  const gint32 *labels = self->field->labels;

  for (int level = N_LEVELS - 1; level >= 0; level--)
    for (guint at = 0; at < self->queues[level]->len; at++)
      {
        gint32 pixel = g_array_index (self->queues[level], gint32, at);

        for (int side = 0; side < N_SIDES; side++)
          {
            gint32 next = get_neighbor (self->field, pixel, side);

            if (next < 0 || self->pieces[next] >= 0 || labels[next] != labels[pixel])
              continue;
            self->pieces[next] = self->pieces[pixel];
            enqueue (self, next, level);
          }
      }
}

/* Opens the ground where two pieces meet, a pixel on either side. */
static void
cut (const Watershed *self, UrbBuildingField *field)
{
  gint32 n = field->width_px * field->height_px;
  g_autofree guint8 *open = g_malloc0 ((gsize) n);

  for (gint32 i = 0; i < n; i++)
    for (int side = 0; side < N_SIDES; side++)
      {
        gint32 next = get_neighbor (field, i, side);

        open[i] |= next >= 0 && self->pieces[i] >= 0 && self->pieces[next] >= 0
                   && self->pieces[i] != self->pieces[next];
      }
  for (gint32 i = 0; i < n; i++)
    if (open[i])
      field->sharp[i] = field->coverage[i] = 0;
}

void
urb_building_field_split (UrbBuildingField *self, double most_m2)
{
  g_return_if_fail (self->zoom == 1);

  g_autoptr(Watershed) watershed = watershed_new (self, most_m2);

  grow (watershed);
  cut (watershed, self);
  urb_building_field_find_parts (self);
}
