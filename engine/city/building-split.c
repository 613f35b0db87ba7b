/* SPDX-License-Identifier: Apache-2.0 */
/*
 * building-split.c - separates houses that a refiner joined.
 *
 * A pixel of the generator is as wide as the gap between a house and its garage.  Where a refiner is not sure of
 * the gap, the share sinks there, but not below 1/2.  So pieces grow from the highest shares down, as in a watershed
 * (Vincent and Soille 1991).  Where two of them meet, they are two buildings if each is large enough by then, and the share has
 * sunk far enough from its highest in each (area and dynamics of Vachier and Meyer 1995); else they are one.
 */
#include "city/building-private.h"

enum { N_LEVELS = 64, N_SIDES = 4 };

/* Higher shares count as this one: the refiner sees no gap there. */
static const float certain = 0.97f;
/* How far the share sinks in a gap, at least.  With this, of real areas that were reduced to 3.9 m a pixel and refined, about as
 * many buildings are wrongly divided as are left joined (bench-vectors --refiner). */
static const float gap_depth = 0.06f;
static const double building_m2 = 12; /* less is dropped or merged */

typedef struct
{
  gint32 parent; /* the piece that it is part of by now, or itself */
  gint64 n_pixels;
  float  crest; /* its highest share, at most `certain` */
} Piece;

typedef struct
{
  const UrbBuildingField *field;
  double least_px;          /* of a building */
  gint32 *numbers;          /* (height_px, width_px): an index of pieces, or -1 */
  GArray *pieces;           /* Piece */
  GArray *levels[N_LEVELS]; /* gint32, the pixels of each range of shares */
  GArray *queue;            /* gint32, pixels from which a piece grows within a level */
} Flood;

static void
flood_free (Flood *self)
{
  for (int i = 0; i < N_LEVELS; i++)
    g_array_unref (self->levels[i]);
  g_array_unref (self->pieces);
  g_array_unref (self->queue);
  g_free (self->numbers);
  g_free (self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Flood, flood_free)

static float
get_share (const UrbBuildingField *field, gint32 pixel)
{
  return MIN (field->sharp[pixel], certain);
}

static int
get_level (const UrbBuildingField *field, gint32 pixel)
{
  return (int) ((get_share (field, pixel) - 0.5f) / (certain - 0.5f) * (N_LEVELS - 1));
}

static gboolean
is_house (const UrbBuildingField *field, gint32 pixel, double most_m2)
{
  gint32 label = field->labels[pixel];

  return label >= 0
         && g_array_index (field->parts, UrbBuildingPart, label).mass_px * field->pixel_m * field->pixel_m < most_m2;
}

static Flood *
flood_new (const UrbBuildingField *field, double most_m2)
{
  gint32 n = field->width_px * field->height_px;
  Flood *self = g_new0 (Flood, 1);

  self->field = field;
  self->least_px = building_m2 / (field->pixel_m * field->pixel_m);
  self->numbers = g_new (gint32, n);
  self->pieces = g_array_new (FALSE, FALSE, sizeof (Piece));
  self->queue = g_array_new (FALSE, FALSE, sizeof (gint32));
  for (int i = 0; i < N_LEVELS; i++)
    self->levels[i] = g_array_new (FALSE, FALSE, sizeof (gint32));
  for (gint32 i = 0; i < n; i++)
    {
      self->numbers[i] = -1;
      if (is_house (field, i, most_m2))
        g_array_append_val (self->levels[get_level (field, i)], i);
    }
  return self;
}

/* The pixel on a side of @pixel, or -1 beyond its part. */
static gint32
get_neighbor (const UrbBuildingField *field, gint32 pixel, int side)
{
  int col = pixel % field->width_px + (side == 0) - (side == 1);
  int row = pixel / field->width_px + (side == 2) - (side == 3);
  gint32 next = row * field->width_px + col;

  return col < 0 || row < 0 || col >= field->width_px || row >= field->height_px
             || field->labels[next] != field->labels[pixel]
           ? -1
           : next;
}

/* The piece of a pixel of the part, or -1. */
static gint32
find_piece (const Flood *self, gint32 pixel)
{
  Piece *pieces = (Piece *) (void *) self->pieces->data;
  gint32 piece = pixel < 0 ? -1 : self->numbers[pixel];

  while (piece >= 0 && pieces[piece].parent != piece)
    piece = pieces[piece].parent = pieces[pieces[piece].parent].parent;
  return piece;
}

/* Two pieces meet at a pixel of this share. */
static void
meet (Flood *self, gint32 a, gint32 b, float share)
{
  Piece *pieces = (Piece *) (void *) self->pieces->data;
  gboolean are_large = (double) MIN (pieces[a].n_pixels, pieces[b].n_pixels) >= self->least_px;

  if (a == b || (are_large && MIN (pieces[a].crest, pieces[b].crest) - share >= gap_depth))
    return;
  pieces[a].parent = b;
  pieces[b].n_pixels += pieces[a].n_pixels;
  pieces[b].crest = MAX (pieces[a].crest, pieces[b].crest);
}

static void
claim (Flood *self, gint32 pixel, gint32 piece)
{
  Piece *claimer = &g_array_index (self->pieces, Piece, piece);

  self->numbers[pixel] = piece;
  claimer->n_pixels++;
  claimer->crest = MAX (claimer->crest, get_share (self->field, pixel));
  g_array_append_val (self->queue, pixel);
  for (int side = 0; side < N_SIDES; side++)
    {
      gint32 other = find_piece (self, get_neighbor (self->field, pixel, side));

      if (other >= 0)
        meet (self, find_piece (self, pixel), other, get_share (self->field, pixel));
    }
}

/* From the pixels of the queue to those of a level around them. */
static void
grow (Flood *self, int level)
{
  for (guint at = 0; at < self->queue->len; at++)
    {
      gint32 pixel = g_array_index (self->queue, gint32, at);

      for (int side = 0; side < N_SIDES; side++)
        {
          gint32 next = get_neighbor (self->field, pixel, side);

          if (next >= 0 && self->numbers[next] < 0 && get_level (self->field, next) == level)
            claim (self, next, find_piece (self, pixel));
        }
    }
  g_array_set_size (self->queue, 0);
}

/* The pieces so far grow, then new ones begin. */
static void
sink (Flood *self, int level)
{
  const gint32 *pixels = (const gint32 *) (const void *) self->levels[level]->data;

  for (guint i = 0; i < self->levels[level]->len; i++)
    for (int side = 0; side < N_SIDES && self->numbers[pixels[i]] < 0; side++)
      {
        gint32 next = get_neighbor (self->field, pixels[i], side);

        if (next >= 0 && self->numbers[next] >= 0 && get_level (self->field, next) > level)
          claim (self, pixels[i], find_piece (self, next));
      }
  grow (self, level);
  for (guint i = 0; i < self->levels[level]->len; i++)
    if (self->numbers[pixels[i]] < 0)
      {
        Piece piece = { (gint32) self->pieces->len, 0, 0 };

        g_array_append_val (self->pieces, piece);
        claim (self, pixels[i], piece.parent);
        grow (self, level);
      }
}

/* Opens the ground where two pieces meet, a pixel on either side. */
static void
cut (const Flood *self, UrbBuildingField *field)
{
  gint32 n = field->width_px * field->height_px;
  g_autofree guint8 *open = g_malloc0 ((gsize) n);

  for (gint32 i = 0; i < n; i++)
    for (int side = 0; side < N_SIDES; side++)
      {
        gint32 other = find_piece (self, get_neighbor (field, i, side));

        open[i] |= other >= 0 && other != find_piece (self, i);
      }
  for (gint32 i = 0; i < n; i++)
    if (open[i])
      field->sharp[i] = field->coverage[i] = 0;
}

void
urb_building_field_split (UrbBuildingField *self, double most_m2)
{
  g_return_if_fail (self->zoom == 1);

  g_autoptr(Flood) flood = flood_new (self, most_m2);

  for (int level = N_LEVELS - 1; level >= 0; level--)
    sink (flood, level);
  cut (flood, self);
  urb_building_field_find_parts (self);
}
