/* SPDX-License-Identifier: Apache-2.0 */
#include "app/areas/edits.h"

/* Searches with the same options place candidates bit-identically; a millimeter of tolerance allows
 * for a reclassified map. */
#define SAME_M 0.001

static UrbariumEdits *
edits_new (void)
{
  UrbariumEdits *self = g_new0 (UrbariumEdits, 1);
  self->added = g_array_new (FALSE, FALSE, sizeof (UrbariumEdit));
  self->removed = g_array_new (FALSE, FALSE, sizeof (UrbariumEdit));
  return self;
}

void
urbarium_edits_free (UrbariumEdits *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->added);
  g_array_unref (self->removed);
  g_free (self);
}

/* Appends the candidate of @edit in this search to @to, unless it is in @taken.
 * Returns: whether there is a candidate */
static gboolean
resolve_one (const UrbariumEdit *edit, UrbCurator *curator, GHashTable *taken, GArray *to,
             gboolean *moved)
{
  UrbariumEdit found = *edit;
  *moved = edit->id >= urb_curator_get_n_candidates (curator);
  if (!*moved)
    {
      const UrbSquare *before = &edit->square;
      found.square = urb_curator_get_square (curator, edit->id, NULL);
      *moved = ABS (found.square.x - before->x) >= SAME_M
               || ABS (found.square.y - before->y) >= SAME_M
               || ABS (found.square.angle_deg - before->angle_deg) >= SAME_M
               || ABS (found.square.size_m - before->size_m) >= SAME_M;
    }
  if (*moved)
    {
      found.id = urb_curator_find_at (curator, edit->square.x, edit->square.y);
      if (found.id < 0)
        return FALSE;
      found.square = urb_curator_get_square (curator, found.id, NULL);
    }
  if (g_hash_table_add (taken, g_memdup2 (&found.id, sizeof found.id)))
    g_array_append_val (to, found);
  return TRUE;
}

UrbariumEdits *
urbarium_edits_resolve (const UrbariumDecisions *decisions, UrbCurator *curator)
{
  UrbariumEdits *self = edits_new ();
  g_autoptr(GHashTable) taken
    = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  gboolean moved;
  /* Added areas first: if two edits resolve to the same candidate, it is added. */
  for (guint i = 0; i < decisions->added->len; i++)
    if (!resolve_one (&g_array_index (decisions->added, UrbariumEdit, i), curator, taken,
                      self->added, &moved))
      self->n_lost++;
    else if (moved)
      self->n_moved++;
  for (guint i = 0; i < decisions->removed->len; i++)
    resolve_one (&g_array_index (decisions->removed, UrbariumEdit, i), curator, taken,
                 self->removed, &moved);
  return self;
}

static GArray *
ids_of (GArray *edits)
{
  GArray *ids = g_array_sized_new (FALSE, FALSE, sizeof (gint64), edits->len);
  for (guint i = 0; i < edits->len; i++)
    g_array_append_val (ids, g_array_index (edits, UrbariumEdit, i).id);
  return ids;
}

UrbRanking *
urbarium_edits_rank (const UrbariumEdits *self, UrbCurator *curator,
                     const UrbCurateOptions *options, GCancellable *cancellable, GError **error)
{
  g_autoptr(GArray) added = ids_of (self->added);
  g_autoptr(GArray) removed = ids_of (self->removed);
  const UrbRankOptions rank = urb_curate_get_rank_options (options);
  const UrbCuratorEdits edits = {
    .added = (const gint64 *) (void *) added->data,
    .n_added = added->len,
    .removed = (const gint64 *) (void *) removed->data,
    .n_removed = removed->len,
  };
  return urb_curator_rank (curator, &rank, &edits, cancellable, error);
}

/* Appends the edits that are not in @ids, in order. */
static void
copy_without (GArray *from, GHashTable *ids, GArray *to)
{
  for (guint i = 0; i < from->len; i++)
    {
      const UrbariumEdit *edit = &g_array_index (from, UrbariumEdit, i);
      if (!g_hash_table_contains (ids, &edit->id))
        g_array_append_val (to, *edit);
    }
}

static UrbariumEdits *
edits_change (const UrbariumEdits *self, UrbCurator *curator, const gint64 *ids, gsize n,
              gboolean add)
{
  UrbariumEdits *changed = edits_new ();
  GArray *to = add ? changed->added : changed->removed;
  g_autoptr(GHashTable) set = g_hash_table_new (g_int64_hash, g_int64_equal);
  for (gsize i = 0; i < n; i++)
    g_hash_table_add (set, (gpointer) &ids[i]);
  copy_without (self->added, set, changed->added);
  copy_without (self->removed, set, changed->removed);
  for (gsize i = 0; i < n; i++)
    {
      UrbariumEdit edit = { ids[i], urb_curator_get_square (curator, ids[i], NULL) };
      g_array_append_val (to, edit);
    }
  return changed;
}

UrbariumEdits *
urbarium_edits_add (const UrbariumEdits *self, UrbCurator *curator, const gint64 *ids, gsize n)
{
  return edits_change (self, curator, ids, n, TRUE);
}

UrbariumEdits *
urbarium_edits_remove (const UrbariumEdits *self, UrbCurator *curator, const gint64 *ids, gsize n)
{
  return edits_change (self, curator, ids, n, FALSE);
}

GArray *
urbarium_edits_find_rivals (UrbCurator *curator, gint64 id, double max_overlap)
{
  UrbSquare square = urb_curator_get_square (curator, id, NULL);
  UrbSquare reach = square;
  double corners[4][2];
  GArray *found;
  guint n = 0;
  /* Squares whose centers are farther apart cannot overlap. */
  reach.size_m = 2 * G_SQRT2 * square.size_m;
  urb_square_get_corners (&reach, corners);
  found = urb_curator_find_within (curator, &corners[0][0], 4);
  for (guint i = 0; i < found->len; i++)
    {
      gint64 other_id = g_array_index (found, gint64, i);
      UrbSquare other = urb_curator_get_square (curator, other_id, NULL);
      double share = urb_square_overlap_m2 (&square, &other) / (square.size_m * square.size_m);
      if (other_id == id || share > max_overlap)
        g_array_index (found, gint64, n++) = other_id;
    }
  g_array_set_size (found, n);
  return found;
}
