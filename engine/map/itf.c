/* SPDX-License-Identifier: Apache-2.0 */
/*
 * itf.c - areas of an INTERLIS 1 transfer without its model.
 *
 * The file has no polygons, but the lines between areas, each once, and for each
 * area a point inside it with its kind.  Lines are noded and polygonized, and each
 * face takes the kind of the point in it.  Lines may end a few centimeters away from
 * the line they should meet (the model tolerates 5 cm, and files exceed it), so loose
 * ends are snapped first.
 */
#include <cpl_vsi.h>
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "map/notes.h"
#include "map/ogr-private.h"
#include "map/point.h"
#include "map/rtree.h"

#define ARC_STEP_DEGREES 5.0
#define SNAP_M           0.1

typedef struct
{
  GArray *xy;     /* owned; (n_points, 2) of double */
  GArray *starts; /* owned; (n_lines + 1) of guint32: first point of each line */
} Lines;

static void
lines_init (Lines *self)
{
  guint32 zero = 0;

  self->xy = g_array_new (FALSE, FALSE, sizeof (double));
  self->starts = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_append_val (self->starts, zero);
}

static void
lines_clear (Lines *self)
{
  g_clear_pointer (&self->xy, g_array_unref);
  g_clear_pointer (&self->starts, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Lines, lines_clear)

static double *
point (const Lines *self, guint32 index)
{
  return &g_array_index (self->xy, double, 2 * (gsize) index);
}

static void
lines_close (Lines *self)
{
  guint32 n_points = self->xy->len / 2;
  g_array_append_val (self->starts, n_points);
}

static void
lines_append (Lines *self, double x, double y)
{
  guint32 first = g_array_index (self->starts, guint32, self->starts->len - 1);
  guint32 n = self->xy->len / 2;

  if (n > first && point (self, n - 1)[0] == x && point (self, n - 1)[1] == y)
    return;
  g_array_append_val (self->xy, x);
  g_array_append_val (self->xy, y);
}

static gboolean
lines_add (Lines *self, OGRGeometryH geometry, GError **error, const char *file)
{
  int n = OGR_G_GetPointCount (geometry);
  guint32 before = self->xy->len / 2;

  for (int i = 0; i < OGR_G_GetGeometryCount (geometry); i++)
    if (!lines_add (self, OGR_G_GetGeometryRef (geometry, i), error, file))
      return FALSE;
  if (wkbFlatten (OGR_G_GetGeometryType (geometry)) != wkbLineString)
    return TRUE;
  if ((gsize) self->xy->len + 2 * (gsize) n > G_MAXINT32)
    {
      g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_LIMIT,
                   N_ ("'%s' has too many lines for one transfer file; split it by municipality"), file);
      return FALSE;
    }
  for (int i = 0; i < n; i++)
    {
      double x = OGR_G_GetX (geometry, i), y = OGR_G_GetY (geometry, i);
      if (fabs (x) < URB_MAP_MAX_COORDINATE && fabs (y) < URB_MAP_MAX_COORDINATE)
        lines_append (self, x, y);
    }
  if (self->xy->len / 2 >= before + 2)
    lines_close (self);
  else
    g_array_set_size (self->xy, 2 * before);
  return TRUE;
}

static gboolean
read_outlines (Lines *self, OGRLayerH outlines, const char *file, GCancellable *cancellable,
               GError **error)
{
  OGR_L_ResetReading (outlines);
  while (TRUE)
    {
      g_auto(UrbOgrFeature) feature = OGR_L_GetNextFeature (outlines);
      g_auto(UrbOgrGeometry) linear = NULL;
      if (feature == NULL)
        return TRUE;
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (OGR_F_GetGeometryRef (feature) == NULL)
        continue;
      linear = OGR_G_GetLinearGeometry (OGR_F_GetGeometryRef (feature), ARC_STEP_DEGREES, NULL);
      if (linear != NULL && !lines_add (self, linear, error, file))
        return FALSE;
    }
}

/* -------- Loose ends -------- */

/* Segment i goes from point i to i + 1; the last point of a line has none. */
static UrbBox
segment_box (gint64 index, gpointer user_data)
{
  const Lines *lines = user_data;
  const double *a = point (lines, (guint32) index);
  const double *b = (guint32) index + 1 < lines->xy->len / 2 ? point (lines, (guint32) index + 1)
                                                             : a;

  return (UrbBox){ MIN (a[0], b[0]), MIN (a[1], b[1]), MAX (a[0], b[0]), MAX (a[1], b[1]) };
}

/* A point inserted between the ends of a segment. */
typedef struct
{
  guint32 segment;
  double along; /* 0..1 */
  UrbPoint at;
} Insertion;

static int
compare_insertions (gconstpointer a, gconstpointer b)
{
  const Insertion *p = a, *q = b;

  if (p->segment != q->segment)
    return p->segment < q->segment ? -1 : 1;
  return (p->along > q->along) - (p->along < q->along);
}

typedef struct
{
  Lines *lines;
  UrbRtree *tree;     /* owned; over the segments */
  guint8 *is_last;    /* owned; (n_points) whether the point ends its line */
  guint8 *is_loose;   /* owned; (n_points) */
  GArray *insertions; /* owned; of Insertion */
  GArray *found;      /* owned; of gint64 */
  gint64 n_snapped;
  double farthest; /* of them, in meters */
} Snapper;

/* Snaps the loose end @index to the nearest corner in reach, else to the nearest
 * line, which gets a corner there. */
static void
snap_end (Snapper *self, guint32 index)
{
  double *p = point (self->lines, index);
  double distance = 0;
  double best_corner = SNAP_M, best_segment = SNAP_M;
  guint32 corner = G_MAXUINT32;
  Insertion insertion = { .segment = G_MAXUINT32 };

  g_array_set_size (self->found, 0);
  urb_rtree_query (self->tree,
                   (UrbBox){ p[0] - SNAP_M, p[1] - SNAP_M, p[0] + SNAP_M, p[1] + SNAP_M },
                   self->found);
  for (guint i = 0; i < self->found->len; i++)
    {
      guint32 segment = (guint32) g_array_index (self->found, gint64, i);
      const double *a = point (self->lines, segment);
      double to_corner = hypot (a[0] - p[0], a[1] - p[1]), dx, dy, along, to_segment;
      if (segment != index && to_corner < best_corner)
        {
          best_corner = to_corner;
          corner = segment;
        }
      if (self->is_last[segment] || segment == index || segment + 1 == index)
        continue;
      dx = a[2] - a[0];
      dy = a[3] - a[1];
      along = ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / (dx * dx + dy * dy);
      along = CLAMP (along, 0, 1);
      to_segment = hypot (a[0] + along * dx - p[0], a[1] + along * dy - p[1]);
      if (to_segment < best_segment && along > 0 && along < 1)
        {
          best_segment = to_segment;
          insertion = (Insertion){ segment, along, { a[0] + along * dx, a[1] + along * dy } };
        }
    }
  if (corner != G_MAXUINT32)
    {
      memcpy (p, point (self->lines, corner), sizeof (UrbPoint));
      self->is_loose[corner] = FALSE;
      distance = best_corner;
    }
  else if (insertion.segment != G_MAXUINT32)
    {
      memcpy (p, &insertion.at, sizeof (UrbPoint));
      g_array_append_val (self->insertions, insertion);
      distance = best_segment;
    }
  self->n_snapped += distance > 0;
  self->farthest = MAX (self->farthest, distance);
}

static void
insert_corners (Lines *lines, GArray *insertions)
{
  g_auto(Lines) result = { 0 };
  guint next = 0;
  Lines swap;

  g_array_sort (insertions, compare_insertions);
  lines_init (&result);
  for (guint line = 0; line + 1 < lines->starts->len; line++)
    {
      for (guint32 i = g_array_index (lines->starts, guint32, line);
           i < g_array_index (lines->starts, guint32, line + 1); i++)
        {
          lines_append (&result, point (lines, i)[0], point (lines, i)[1]);
          for (; next < insertions->len && g_array_index (insertions, Insertion, next).segment == i;
               next++)
            {
              UrbPoint at = g_array_index (insertions, Insertion, next).at;
              lines_append (&result, at.x, at.y);
            }
        }
      lines_close (&result);
    }
  swap = *lines;
  *lines = result;
  result = swap;
}

static void
mark_ends (Snapper *self)
{
  GHashTable *counts = g_hash_table_new (urb_point_hash, urb_point_equal); /* of lines at each point */
  const Lines *lines = self->lines;

  for (guint32 i = 0; i < lines->xy->len / 2; i++)
    {
      gpointer key = point (lines, i);
      guint n = GPOINTER_TO_UINT (g_hash_table_lookup (counts, key));
      g_hash_table_insert (counts, key, GUINT_TO_POINTER (n + 1));
    }
  for (guint line = 0; line + 1 < lines->starts->len; line++)
    {
      guint32 ends[] = { g_array_index (lines->starts, guint32, line),
                         g_array_index (lines->starts, guint32, line + 1) - 1 };
      self->is_last[ends[1]] = TRUE;
      for (int i = 0; i < 2; i++)
        self->is_loose[ends[i]]
          = GPOINTER_TO_UINT (g_hash_table_lookup (counts, point (lines, ends[i]))) == 1;
    }
  g_hash_table_unref (counts);
}

static void
snap_loose_ends (Lines *lines, gint64 *n_snapped, double *farthest)
{
  guint32 n = lines->xy->len / 2;
  UrbBox extent = urb_map_ring_get_box (point (lines, 0), n);
  Snapper self = { .lines = lines };

  self.is_last = g_malloc0 (n);
  self.is_loose = g_malloc0 (n);
  self.insertions = g_array_new (FALSE, FALSE, sizeof (Insertion));
  self.found = g_array_new (FALSE, FALSE, sizeof (gint64));
  self.tree = urb_rtree_new (n, extent, segment_box, lines);
  mark_ends (&self);
  for (guint32 i = 0; i < n; i++)
    if (self.is_loose[i])
      snap_end (&self, i);
  insert_corners (lines, self.insertions);
  *n_snapped = self.n_snapped;
  *farthest = self.farthest;
  urb_rtree_free (self.tree);
  g_array_unref (self.insertions);
  g_array_unref (self.found);
  g_free (self.is_last);
  g_free (self.is_loose);
}

/* -------- Faces -------- */

static OGRGeometryH
line_geometry (const Lines *lines, guint line)
{
  OGRGeometryH geometry = OGR_G_CreateGeometry (wkbLineString);
  guint32 first = g_array_index (lines->starts, guint32, line);
  guint32 n = g_array_index (lines->starts, guint32, line + 1) - first;
  double *xy = point (lines, first);

  OGR_G_SetPoints (geometry, (int) n, xy, 2 * sizeof *xy, xy + 1, 2 * sizeof *xy, NULL, 0);
  return geometry;
}

/* The union with one of its own lines nodes all of them; GEOS returns a union with
 * nothing unchanged. */
static OGRGeometryH
make_faces (const Lines *lines)
{
  g_auto(UrbOgrGeometry) all = OGR_G_CreateGeometry (wkbMultiLineString);
  g_auto(UrbOgrGeometry) one = line_geometry (lines, 0);
  g_auto(UrbOgrGeometry) noded = NULL;

  for (guint line = 0; line + 1 < lines->starts->len; line++)
    OGR_G_AddGeometryDirectly (all, line_geometry (lines, line));
  noded = OGR_G_Union (all, one);
  return noded != NULL ? OGR_G_Polygonize (noded) : NULL;
}

typedef struct
{
  OGRGeometryH collection; /* borrowed */
  UrbBox *boxes;           /* owned */
  gint64 n;
  guint8 *is_taken; /* owned */
  UrbRtree *tree;   /* owned */
} Faces;

static UrbBox
face_box (gint64 index, gpointer user_data)
{
  return ((Faces *) user_data)->boxes[index];
}

static void
faces_init (Faces *self, OGRGeometryH collection)
{
  UrbBox extent = URB_BOX_EMPTY;

  self->collection = collection;
  self->n = OGR_G_GetGeometryCount (collection);
  self->boxes = g_new (UrbBox, MAX (self->n, 1));
  self->is_taken = g_malloc0 (MAX (self->n, 1));
  for (gint64 i = 0; i < self->n; i++)
    {
      OGREnvelope box;
      OGR_G_GetEnvelope (OGR_G_GetGeometryRef (collection, (int) i), &box);
      self->boxes[i] = (UrbBox){ box.MinX, box.MinY, box.MaxX, box.MaxY };
      urb_box_add (&extent, self->boxes[i]);
    }
  self->tree = urb_rtree_new (self->n, extent, face_box, self);
}

static void
faces_clear (Faces *self)
{
  g_free (self->boxes);
  g_free (self->is_taken);
  urb_rtree_free (self->tree);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Faces, faces_clear)

static gint64
find_face (const Faces *self, double x, double y, GArray *found)
{
  g_array_set_size (found, 0);
  urb_rtree_query (self->tree, (UrbBox){ x, y, x, y }, found);
  for (guint i = 0; i < found->len; i++)
    {
      gint64 face = g_array_index (found, gint64, i);
      if (urb_geometry_contains (OGR_G_GetGeometryRef (self->collection, (int) face), x, y))
        return face;
    }
  return -1;
}

/* -------- Labels -------- */

/* The face takes the kind of its label.  A second label in one face means that a line
 * between two areas is missing. */
static gboolean
place_label (UrbSink *sink, Faces *faces, OGRFeatureH feature, const int *fields,
             UrbClassifier *classifier, GArray *found, gint64 *n_lost)
{
  UrbDecision decision;
  double x, y;
  gint64 face;
  g_auto(UrbOgrGeometry) polygon = NULL;

  sink->layer->n_features++;
  face = urb_feature_read_number (feature, fields[0], &x) &&
             urb_feature_read_number (feature, fields[1], &y)
           ? find_face (faces, x, y, found)
           : -1;
  if (face < 0 || faces->is_taken[face])
    {
      (*n_lost)++;
      return TRUE;
    }
  if (urb_classifier_decide (classifier, &(UrbRow){ .feature = feature }, URB_GEOMETRY_AREA,
                             &decision) == URB_VERDICT_SUPERSEDED)
    {
      sink->layer->n_superseded++;
      return TRUE;
    }
  faces->is_taken[face] = TRUE;
  ((UrbMapValue *) g_ptr_array_index (sink->layer->values, decision.value))->n_features++;
  if (decision.class_ == URB_CLASS_IGNORE)
    return TRUE;
  polygon = OGR_G_Clone (OGR_G_GetGeometryRef (faces->collection, (int) face));
  return urb_sink_add (sink, polygon, &decision);
}

static gboolean
place_labels (UrbSink *sink, Faces *faces, OGRLayerH table, const UrbRule *rule,
              UrbClassifier *classifier, const char *file, GCancellable *cancellable,
              GError **error)
{
  OGRFeatureDefnH defn = OGR_L_GetLayerDefn (table);
  int fields[2] = { OGR_FD_GetFieldIndex (defn, rule->label[0]),
                    OGR_FD_GetFieldIndex (defn, rule->label[1]) };
  g_autoptr(GArray) found = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 n_lost = 0;

  OGR_L_ResetReading (table);
  while (TRUE)
    {
      g_auto(UrbOgrFeature) feature = OGR_L_GetNextFeature (table);
      if (feature == NULL)
        break;
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (!place_label (sink, faces, feature, fields, classifier, found, &n_lost))
        {
          g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_LIMIT,
                       N_ ("'%s' has more vertices than a map can hold (2^31)"), file);
          return FALSE;
        }
    }
  if (n_lost > 0)
    urb_map_builder_warn (sink->builder, URB_NOTE_NO_OUTLINE, file, (long long) n_lost,
                          (long long) sink->layer->n_features, sink->layer->name);
  return TRUE;
}

gboolean
urb_itf_read_areas (UrbSink *sink, OGRLayerH table, OGRLayerH outlines, const UrbRule *rule,
                    UrbClassifier *classifier, const char *file, GCancellable *cancellable,
                    GError **error)
{
  g_auto(Lines) lines = { 0 };
  g_auto(UrbOgrGeometry) collection = NULL;
  g_auto(Faces) faces = { 0 };
  gint64 n_snapped;
  double farthest;

  lines_init (&lines);
  if (!read_outlines (&lines, outlines, file, cancellable, error))
    return FALSE;
  if (lines.starts->len < 2)
    return TRUE;
  snap_loose_ends (&lines, &n_snapped, &farthest);
  if (n_snapped > 0)
    urb_map_builder_warn (sink->builder, n_snapped == 1 ? URB_NOTE_LOOSE_ONE : URB_NOTE_LOOSE_MANY, file, sink->layer->name,
                          (long long) n_snapped, MAX (100 * farthest, 1));
  collection = make_faces (&lines);
  if (collection == NULL)
    {
      g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_READ,
                   N_ ("The outlines in '%s' do not form closed areas; download the file again"), file);
      return FALSE;
    }
  faces_init (&faces, collection);
  return place_labels (sink, &faces, table, rule, classifier, file, cancellable, error);
}

gboolean
urb_itf_is_whole (const char *path)
{
  enum { N_TAIL = 256 };
  char tail[N_TAIL + 1] = { 0 };
  VSILFILE *file = VSIFOpenL (path, "rb");
  vsi_l_offset n_bytes;

  if (file == NULL)
    return TRUE;
  VSIFSeekL (file, 0, SEEK_END);
  n_bytes = VSIFTellL (file);
  VSIFSeekL (file, n_bytes > N_TAIL ? n_bytes - N_TAIL : 0, SEEK_SET);
  tail[VSIFReadL (tail, 1, N_TAIL, file)] = '\0';
  VSIFCloseL (file);
  return strstr (tail, "\nENDE") != NULL;
}
