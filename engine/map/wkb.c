/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wkb.c - converts plain areas in well-known binary directly to rings.
 *
 * Nearly all objects of a cadastre are polygons with a few corners.  Building a GDAL
 * object for each costs more than all later processing, so their rings are copied from
 * the bytes.  Everything else (lines, arcs, big-endian shapes, damage) is left to GDAL,
 * which reads the same bytes.
 *
 * Layout: OGC 06-103r4, 8.2; the flags of a third and fourth ordinate also as PostGIS
 * and old versions of GDAL set them.
 */
#include <string.h>

#include "map/ogr-private.h"

#define FLAG_Z     0x80000000u
#define FLAG_M     0x40000000u
#define HEAD_BYTES 9 /* byte order, type, number of parts */

typedef enum
{
  KIND_POLYGON = 3,
  KIND_MULTI_POLYGON = 6
} Kind;

typedef struct
{
  const guint8 *at, *end;
} Reader;

typedef struct
{
  guint32 kind;
  guint32 n_parts;
  gsize   point_bytes;
} Head;

static guint32
get_uint (const guint8 *at)
{
  guint32 value;
  memcpy (&value, at, sizeof value);
  return GUINT32_FROM_LE (value);
}

static gboolean
read_head (Reader *reader, Head *head)
{
  guint32 type, thousands;
  int n_ordinates;

  if (reader->end - reader->at < HEAD_BYTES || reader->at[0] != 1)
    return FALSE;
  type = get_uint (reader->at + 1);
  n_ordinates = 2 + ((type & FLAG_Z) != 0) + ((type & FLAG_M) != 0);
  type &= ~(FLAG_Z | FLAG_M);
  thousands = type / 1000;
  if (thousands > 3 || (thousands > 0 && n_ordinates > 2))
    return FALSE;
  n_ordinates += (thousands > 0) + (thousands == 3);
  head->kind = type % 1000;
  head->n_parts = get_uint (reader->at + 5);
  head->point_bytes = n_ordinates * sizeof (double);
  reader->at += HEAD_BYTES;
  return TRUE;
}

/* Skips the rings of a polygon; FALSE: the data ends too early. */
static gboolean
skip_rings (Reader *reader, const Head *head, guint64 *n_points)
{
  for (guint32 i = 0; i < head->n_parts; i++)
    {
      guint32 n;
      if (reader->end - reader->at < 4)
        return FALSE;
      n = get_uint (reader->at);
      reader->at += 4;
      if (n > (gsize) (reader->end - reader->at) / head->point_bytes || n > G_MAXINT32)
        return FALSE;
      reader->at += n * head->point_bytes;
      *n_points += n;
    }
  return TRUE;
}

gboolean
urb_wkb_is_areas (const guint8 *wkb, gsize n_bytes, guint64 *n_points)
{
  Reader reader = { wkb, wkb + n_bytes };
  Head head, part;

  *n_points = 0;
  if (G_BYTE_ORDER != G_LITTLE_ENDIAN || !read_head (&reader, &head))
    return FALSE;
  if (head.kind == KIND_POLYGON)
    return skip_rings (&reader, &head, n_points);
  if (head.kind != KIND_MULTI_POLYGON)
    return FALSE;
  for (guint32 i = 0; i < head.n_parts; i++)
    if (!read_head (&reader, &part) || part.kind != KIND_POLYGON ||
        !skip_rings (&reader, &part, n_points))
      return FALSE;
  return TRUE;
}

static UrbRingState
copy_ring (UrbSink *self, const guint8 *points, guint32 n, gsize point_bytes, gint64 *n_vertices)
{
  double *xy;

  if (n < 3)
    return URB_RING_DEGENERATE;
  xy = urb_map_builder_reserve (self->builder, n);
  if (xy == NULL)
    return URB_RING_TOO_MANY;
  if (point_bytes == 2 * sizeof *xy)
    memcpy (xy, points, n * point_bytes);
  else
    for (guint32 i = 0; i < n; i++)
      memcpy (xy + 2 * (gsize) i, points + i * point_bytes, 2 * sizeof *xy);
  return urb_map_ring_clean (xy, n, n_vertices);
}

static gboolean
add_polygon (UrbSink *self, Reader *reader, const Head *head, const UrbDecision *decision)
{
  UrbRingState state = URB_RING_DEGENERATE;
  gboolean is_done = FALSE;

  for (guint32 i = 0; i < head->n_parts; i++)
    {
      guint32 n = get_uint (reader->at);
      gint64 n_vertices = 0;

      reader->at += 4;
      if (!is_done)
        {
          state = copy_ring (self, reader->at, n, head->point_bytes, &n_vertices);
          if (state == URB_RING_GOOD)
            urb_map_builder_commit_ring (self->builder, n_vertices);
          else
            is_done = i == 0 || state == URB_RING_TOO_MANY;
        }
      reader->at += n * head->point_bytes;
    }
  return urb_sink_end_polygon (self, state, decision, FALSE);
}

gboolean
urb_sink_add_areas (UrbSink *self, const guint8 *wkb, gsize n_bytes, const UrbDecision *decision)
{
  Reader reader = { wkb, wkb + n_bytes };
  Head head = { 0 }, part = { 0 };
  gint64 n_dropped = self->layer->n_dropped;

  read_head (&reader, &head);
  if (head.kind == KIND_POLYGON)
    return add_polygon (self, &reader, &head, decision);
  for (guint32 i = 0; i < head.n_parts; i++)
    {
      read_head (&reader, &part);
      if (!add_polygon (self, &reader, &part, decision))
        return FALSE;
    }
  self->layer->n_dropped = MIN (self->layer->n_dropped, n_dropped + 1); /* one object */
  return TRUE;
}
