/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seams.c - closes gaps and overlaps between the files of neighbors.
 *
 * Two municipalities survey the border between them each for itself, so their land covers leave slivers of
 * some centimeters, or cover them twice.  Where the borders of two files are nearer than a tolerance, the later
 * file takes over the border of the earlier one: its corners move there, and it gets the other's corners.
 *
 * The border of a file is made of the edges that only one of its polygons has.  So this is for layers whose
 * polygons are neighbors of each other, in files that have the layer by the same name; not for layers of
 * buildings alone, whose distance is real.
 */
#include "map/notes.h"
#include "map/seams-private.h"

/* Pairs of corners; areas with more are taken as different. */
#define MAX_COMPARED 10000000

/* -------- What takes part -------- */

static UrbMapLayer *
get_layer (const UrbSeams *self, guint index)
{
  return g_ptr_array_index (self->map->layers, index);
}

/* FALSE: no layer is in two files. */
static gboolean
find_groups (UrbSeams *self)
{
  g_autoptr(GHashTable) first = g_hash_table_new (g_str_hash, g_str_equal);
  gboolean are_several = FALSE;
  gpointer found;

  for (guint i = 0; i < self->map->layers->len; i++)
    {
      const UrbMapLayer *layer = get_layer (self, i);
      self->groups[i] = (guint16) i;
      if (!g_hash_table_lookup_extended (first, layer->name, NULL, &found))
        g_hash_table_insert (first, layer->name, GUINT_TO_POINTER (i));
      else if (strcmp (get_layer (self, GPOINTER_TO_UINT (found))->source, layer->source) != 0)
        {
          self->groups[i] = (guint16) GPOINTER_TO_UINT (found);
          are_several = TRUE;
        }
    }
  return are_several;
}

static UrbBox
extent_box (gint64 index, gpointer extents)
{
  return ((const UrbBox *) extents)[index];
}

/* Polygons that reach into the extent of another file of their group. */
static void
find_participants (UrbSeams *self, const UrbBox *boxes)
{
  UrbMap *map = self->map;
  UrbBox all = URB_BOX_EMPTY;
  g_autoptr(UrbRtree) tree = NULL;

  for (guint i = 0; i < map->layers->len; i++)
    self->extents[i] = URB_BOX_EMPTY;
  for (gint64 i = 0; i < map->n_polygons; i++)
    urb_box_add (&self->extents[map->polygons[i].layer], boxes[i]);
  for (guint i = 0; i < map->layers->len; i++)
    {
      if (!(self->extents[i].min_x <= self->extents[i].max_x))
        self->extents[i] = boxes[0]; /* it has none */
      urb_box_add (&all, self->extents[i]);
    }
  tree = urb_rtree_new (map->layers->len, all, extent_box, self->extents);
  for (gint64 i = 0; i < map->n_polygons; i++)
    {
      guint16 own = map->polygons[i].layer;
      g_array_set_size (self->found, 0);
      urb_rtree_query (tree, urb_seam_widen (boxes[i], URB_SEAM_TOLERANCE_M), self->found);
      for (guint f = 0; f < self->found->len; f++)
        {
          gint64 other = g_array_index (self->found, gint64, f);
          self->takes_part[i] |= other != own && self->groups[other] == self->groups[own];
        }
    }
}

UrbSeam *
urb_seams_get (UrbSeams *self, guint16 first, guint16 second)
{
  gpointer key = GUINT_TO_POINTER ((guint) first << 16 | second);
  UrbSeam *seam = g_hash_table_lookup (self->seams, key);

  if (seam == NULL)
    {
      seam = g_new0 (UrbSeam, 1);
      seam->first = first;
      seam->second = second;
      g_hash_table_insert (self->seams, key, seam);
    }
  return seam;
}

/* -------- Polygons in two files -------- */

/* Whether each corner of the outline of @a is near that of @b. */
static gboolean
is_along (UrbMap *map, gint64 a, gint64 b)
{
  gint64 n, m;
  const UrbPoint *p = (const void *) urb_map_get_ring (map, map->polygons[a].first_ring, &n);
  const UrbPoint *q = (const void *) urb_map_get_ring (map, map->polygons[b].first_ring, &m);

  for (gint64 i = 0; i < n; i++)
    {
      double nearest = INFINITY, along;
      for (gint64 k = 0; k < m && nearest > URB_SEAM_TOLERANCE_M; k++)
        nearest = MIN (nearest, urb_seam_distance (p[i], q[k], q[(k + 1) % m], &along));
      if (nearest > URB_SEAM_TOLERANCE_M)
        return FALSE;
    }
  return TRUE;
}

static gboolean
are_similar (UrbMap *map, const UrbBox *boxes, gint64 a, gint64 b)
{
  double area_a, area_b;
  gint64 n_a, n_b;

  if (map->polygons[a].class_ != map->polygons[b].class_ || map->polygons[a].n_rings != map->polygons[b].n_rings
      || fabs (boxes[a].min_x - boxes[b].min_x) > URB_SEAM_TOLERANCE_M
      || fabs (boxes[a].min_y - boxes[b].min_y) > URB_SEAM_TOLERANCE_M
      || fabs (boxes[a].max_x - boxes[b].max_x) > URB_SEAM_TOLERANCE_M
      || fabs (boxes[a].max_y - boxes[b].max_y) > URB_SEAM_TOLERANCE_M)
    return FALSE;
  urb_map_get_ring (map, map->polygons[a].first_ring, &n_a);
  urb_map_get_ring (map, map->polygons[b].first_ring, &n_b);
  if (n_a > MAX_COMPARED / n_b)
    return FALSE;
  area_a = urb_map_compute_area_m2 (map, a);
  area_b = urb_map_compute_area_m2 (map, b);
  return MIN (area_a, area_b) > MAX (area_a, area_b) / 2 && is_along (map, a, b) && is_along (map, b, a);
}

static void
find_doubles (UrbSeams *self, const UrbBox *boxes)
{
  UrbMap *map = self->map;
  UrbBox extent = URB_BOX_EMPTY;
  g_autoptr(UrbRtree) tree = NULL;

  for (gint64 i = 0; i < map->n_polygons; i++)
    urb_box_add (&extent, boxes[i]);
  tree = urb_rtree_new (map->n_polygons, extent, extent_box, (gpointer) boxes);
  for (gint64 i = 0; i < map->n_polygons; i++)
    {
      guint16 own = map->polygons[i].layer;
      if (!self->takes_part[i])
        continue;
      g_array_set_size (self->found, 0);
      urb_rtree_query (tree, boxes[i], self->found);
      for (guint f = 0; f < self->found->len && !self->is_double[i]; f++)
        {
          gint64 other = g_array_index (self->found, gint64, f);
          guint16 layer = map->polygons[other].layer;
          if (layer >= own || self->groups[layer] != self->groups[own] || !self->takes_part[other]
              || self->is_double[other] || !are_similar (map, boxes, other, i))
            continue;
          self->is_double[i] = TRUE;
          urb_seams_get (self, layer, own)->n_double++;
        }
    }
}

/* -------- Telling -------- */

static int
compare_seams (gconstpointer a, gconstpointer b)
{
  const UrbSeam *p = *(UrbSeam *const *) a, *q = *(UrbSeam *const *) b;

  if (p->first != q->first)
    return p->first < q->first ? -1 : 1;
  return (p->second > q->second) - (p->second < q->second);
}

static void
warn_of (const UrbSeams *self, const char *where, const UrbSeam *seam)
{
  static const char *const notes[URB_SEAM_N_KINDS][2]
    = { [URB_SEAM_GAP] = { URB_NOTE_GAPS_ONE, URB_NOTE_GAPS_MANY },
        [URB_SEAM_OVERLAP] = { URB_NOTE_OVERLAPS_ONE, URB_NOTE_OVERLAPS_MANY } };
  GPtrArray *warnings = self->map->warnings;

  for (int kind = 0; kind < URB_SEAM_N_KINDS; kind++)
    if (seam->n[kind] > 0) /* "up to 0.01 m" holds for narrower ones, too */
      g_ptr_array_add (warnings, g_strdup_printf (notes[kind][seam->n[kind] > 1], where, seam->n[kind],
                                                  MAX (seam->farthest[kind], 0.01)));
  if (seam->n_double > 0)
    g_ptr_array_add (warnings, g_strdup_printf (seam->n_double == 1 ? URB_NOTE_DOUBLE_ONE : URB_NOTE_DOUBLE_MANY, where,
                                                seam->n_double));
}

/* The first pairs by name, the others together. */
static void
report (const UrbSeams *self)
{
  g_autoptr(GPtrArray) all = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer each;
  UrbSeam rest = { 0 };

  g_hash_table_iter_init (&iter, self->seams);
  while (g_hash_table_iter_next (&iter, NULL, &each))
    g_ptr_array_add (all, each);
  g_ptr_array_sort (all, compare_seams);
  for (guint i = 0; i < all->len; i++)
    {
      const UrbSeam *seam = g_ptr_array_index (all, i);
      g_autofree char *where = g_strdup_printf ("%s, %s", get_layer (self, seam->first)->source,
                                                get_layer (self, seam->second)->source);
      if (i < URB_MAP_MAX_NAMED)
        {
          warn_of (self, where, seam);
          continue;
        }
      rest.n_double += seam->n_double;
      for (int kind = 0; kind < URB_SEAM_N_KINDS; kind++)
        {
          rest.n[kind] += seam->n[kind];
          rest.farthest[kind] = MAX (rest.farthest[kind], seam->farthest[kind]);
        }
    }
  warn_of (self, URB_NOTE_OTHER_FILES, &rest);
  if (self->n_left > 0)
    g_ptr_array_add (self->map->warnings,
                     g_strdup_printf (self->n_left == 1 ? URB_NOTE_LEFT_ONE : URB_NOTE_LEFT_MANY, self->n_left));
}

/* -------- All of it -------- */

static void
moves_free (gpointer moves)
{
  if (moves != NULL)
    g_hash_table_unref (moves);
}

gboolean
urb_map_close_seams (UrbMap *map, const UrbBox *boxes)
{
  guint n_layers = map->layers->len;
  UrbSeams self = { .map = map, .groups = g_new0 (guint16, n_layers + 1) };
  gboolean has_changed = FALSE, is_open;

  if (map->n_polygons > 0 && find_groups (&self))
    {
      self.extents = g_new (UrbBox, n_layers);
      self.takes_part = g_malloc0 ((gsize) map->n_polygons);
      self.is_double = g_malloc0 ((gsize) map->n_polygons);
      self.edges = g_array_new (FALSE, FALSE, sizeof (UrbSeamEdge));
      self.insertions = g_array_new (FALSE, FALSE, sizeof (UrbSeamInsertion));
      self.found = g_array_new (FALSE, FALSE, sizeof (gint64));
      self.seams = g_hash_table_new_full (NULL, NULL, NULL, g_free);
      self.moves = g_ptr_array_new_full (n_layers, moves_free);
      g_ptr_array_set_size (self.moves, (int) n_layers);
      find_participants (&self, boxes);
      find_doubles (&self, boxes);
      urb_seams_find_borders (&self);
      urb_seams_move_borders (&self);
      is_open = self.has_gaps || g_hash_table_size (self.seams) > 0;
      has_changed = is_open && urb_seams_rebuild (&self);
      if (has_changed)
        {
          urb_seams_count (&self);
          report (&self);
        }
      else if (is_open)
        g_ptr_array_add (map->warnings, g_strdup (URB_NOTE_FULL));
      urb_rtree_free (self.tree);
      g_ptr_array_unref (self.moves);
      g_hash_table_unref (self.seams);
      g_array_unref (self.found);
      g_array_unref (self.insertions);
      g_array_unref (self.edges);
      g_free (self.is_double);
      g_free (self.takes_part);
      g_free (self.extents);
    }
  g_free (self.groups);
  return has_changed;
}
