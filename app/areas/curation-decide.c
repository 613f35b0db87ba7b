/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curation-decide.c - each decision is a new snapshot derived from the previous one.
 *
 * Changes by hand refer to the result that is shown, so they are added to the edits as that
 * search has resolved them.
 */
#include "app/areas/curation-private.h"

#include <math.h>

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "base/compare.h"
#include "dataset/selection.h"

/* Two clicks within 1/NEAR of an area's side hit the same spot. */
#define NEAR 16

const UrbRankedArea *
urbarium_curation_get_area (UrbariumCuration *self, gsize index)
{
  UrbariumRanked *ranked = urbarium_curation_get_ranked (self);
  g_return_val_if_fail (ranked != NULL && index < ranked->ranking->areas->len, NULL);
  return &g_array_index (ranked->ranking->areas, UrbRankedArea, index);
}

static gboolean
contains (const UrbSquare *square, double x, double y, double *distance)
{
  double angle = square->angle_deg * G_PI / 180, dx = x - square->x, dy = y - square->y;
  double u = dx * cos (angle) + dy * sin (angle), v = dy * cos (angle) - dx * sin (angle);
  *distance = hypot (dx, dy);
  return MAX (fabs (u), fabs (v)) <= square->size_m / 2;
}

gssize
urbarium_curation_find_chosen (UrbariumCuration *self, double x, double y)
{
  gsize n = urbarium_curation_get_choice (self).n;
  double nearest = G_MAXDOUBLE, distance;
  gssize found = -1;
  for (gsize i = 0; i < n; i++)
    if (contains (&urbarium_curation_get_area (self, i)->square, x, y, &distance)
        && distance < nearest)
      {
        nearest = distance;
        found = (gssize) i;
      }
  return found;
}

void
urbarium_curation_set_options (UrbariumCuration *self, const UrbCurateOptions *options,
                               const char *label)
{
  UrbariumDecisions *now = urbarium_curation_get_decisions (self);
  UrbCurateOptions wanted = *options;
  g_autoptr(UrbariumDecisions) decisions = NULL;
  /* Thresholds of two encodings are not comparable, so a default threshold follows the encoding. */
  if (wanted.encoding != now->options.encoding
      && wanted.min_variance == urb_curate_get_default_variance (now->options.encoding))
    wanted.min_variance = -1;
  decisions = urbarium_decisions_with_options (now, &wanted);
  urbarium_curation_decide (self, decisions, label);
}

void
urbarium_curation_settle_threshold (UrbariumCuration *self)
{
  UrbCurateOptions options = urbarium_curation_get_decisions (self)->options;
  options.min_variance = urbarium_curation_get_threshold (self);
  urbarium_curation_set_options (self, &options, _ ("Change the threshold"));
}

static void
decide_edits (UrbariumCuration *self, UrbariumEdits *edits, int n_taken_out, const char *label)
{
  UrbariumDecisions *now = urbarium_curation_get_decisions (self);
  g_autoptr(UrbariumDecisions) decisions = urbarium_decisions_with_edits (
    now, edits->added, edits->removed, (guint) MAX (0, (int) now->n_taken_out + n_taken_out));
  urbarium_curation_decide (self, decisions, label);
}

static void
add (UrbariumCuration *self, const gint64 *ids, gsize n)
{
  UrbariumRanked *ranked = urbarium_curation_get_ranked (self);
  g_autofree char *count = urbarium_format_count ((gint64) n);
  g_autofree char *label = NULL;
  g_autoptr(UrbariumEdits) edits = NULL;
  if (n == 0)
    return;
  edits = urbarium_edits_add (ranked->edits, ranked->search->curator, ids, n);
  /* translators: an undoable action */
  label = g_strdup_printf (ngettext ("Add %s area", "Add %s areas", n), count);
  decide_edits (self, edits, 0, label);
}

/* @n_areas: number of chosen areas among the candidates */
static void
take_out (UrbariumCuration *self, GArray *ids, gsize n_areas)
{
  UrbariumRanked *ranked = urbarium_curation_get_ranked (self);
  g_autofree char *count = urbarium_format_count ((gint64) n_areas);
  g_autofree char *label = NULL;
  g_autoptr(UrbariumEdits) edits
    = urbarium_edits_remove (ranked->edits, ranked->search->curator,
                             (const gint64 *) (void *) ids->data, ids->len);
  /* translators: an undoable action */
  label = g_strdup_printf (ngettext ("Remove %s area", "Remove %s areas", n_areas), count);
  decide_edits (self, edits, (int) n_areas, label);
}

static GHashTable *
ids_of_chosen (UrbariumCuration *self)
{
  GHashTable *ids = g_hash_table_new (g_int64_hash, g_int64_equal);
  gsize n = urbarium_curation_get_choice (self).n;
  for (gsize i = 0; i < n; i++)
    g_hash_table_add (ids, (gpointer) &urbarium_curation_get_area (self, i)->id);
  return ids;
}

/* Adds the rivals of @id to @ids, except chosen ones: a neighbor that was added by hand may
 * overlap by more than allowed. */
static void
add_rivals (UrbariumCuration *self, gint64 id, GHashTable *chosen, GHashTable *ids)
{
  UrbariumRanked *ranked = urbarium_curation_get_ranked (self);
  g_autoptr(GArray) rivals = urbarium_edits_find_rivals (ranked->search->curator, id,
                                                         ranked->decisions->options.max_overlap);
  for (guint i = 0; i < rivals->len; i++)
    {
      gint64 rival = g_array_index (rivals, gint64, i);
      if (rival == id || !g_hash_table_contains (chosen, &rival))
        g_hash_table_add (ids, g_memdup2 (&rival, sizeof rival));
    }
}

/* (element-type gint64) ascending */
static GArray *
array_of (GHashTable *ids)
{
  GArray *array = g_array_sized_new (FALSE, FALSE, sizeof (gint64), g_hash_table_size (ids));
  GHashTableIter iter;
  gpointer id;
  g_hash_table_iter_init (&iter, ids);
  while (g_hash_table_iter_next (&iter, &id, NULL))
    g_array_append_vals (array, id, 1);
  g_array_sort (array, urb_compare_int64s);
  return array;
}

void
urbarium_curation_remove (UrbariumCuration *self, gint64 id)
{
  g_autoptr(GHashTable) chosen = NULL;
  g_autoptr(GHashTable) ids = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autoptr(GArray) all = NULL;
  if (urbarium_curation_get_ranked (self) == NULL)
    return;
  chosen = ids_of_chosen (self);
  add_rivals (self, id, chosen, ids);
  all = array_of (ids);
  take_out (self, all, 1);
}

const UrbRankedArea *
urbarium_curation_find_removed (UrbariumCuration *self, double x, double y)
{
  const UrbariumRemoval *removal = urbarium_curation_get_removal (self);
  double near_m = removal->area.square.size_m / NEAR;
  if (removal->after == NULL || removal->after != urbarium_curation_get_decisions (self)
      || hypot (x - removal->x, y - removal->y) > near_m)
    return NULL;
  return &removal->area;
}

static void
remove_at (UrbariumCuration *self, const UrbRankedArea *area, double x, double y)
{
  UrbariumRemoval *removal = urbarium_curation_get_removal (self);
  removal->area = *area;
  removal->x = x;
  removal->y = y;
  g_clear_pointer (&removal->before, urbarium_decisions_unref);
  g_clear_pointer (&removal->after, urbarium_decisions_unref);
  removal->before = urbarium_decisions_ref (urbarium_curation_get_decisions (self));
  urbarium_curation_remove (self, removal->area.id);
  removal->after = urbarium_decisions_ref (urbarium_curation_get_decisions (self));
}

gboolean
urbarium_curation_toggle_at (UrbariumCuration *self, double x, double y)
{
  UrbariumRanked *ranked = urbarium_curation_get_ranked (self);
  gssize chosen = urbarium_curation_find_chosen (self, x, y);
  gint64 id;
  if (ranked == NULL)
    return FALSE;
  if (urbarium_curation_find_removed (self, x, y) != NULL)
    {
      g_autoptr(UrbariumDecisions) before
        = urbarium_decisions_ref (urbarium_curation_get_removal (self)->before);
      g_autofree char *count = urbarium_format_count (1);
      g_autofree char *label = g_strdup_printf (ngettext ("Add %s area", "Add %s areas", 1), count);
      urbarium_curation_decide (self, before, label);
      return TRUE;
    }
  if (chosen >= 0)
    {
      remove_at (self, urbarium_curation_get_area (self, (gsize) chosen), x, y);
      return TRUE;
    }
  id = urb_curator_find_at (ranked->search->curator, x, y);
  if (id >= 0)
    add (self, &id, 1);
  return id >= 0;
}

typedef struct
{
  gint64 id;
  float  variance;
} Found;

static int
compare_found (gconstpointer a, gconstpointer b)
{
  const Found *p = a, *q = b;
  if (p->variance != q->variance)
    return p->variance > q->variance ? -1 : 1;
  return p->id < q->id ? -1 : p->id > q->id;
}

/* (element-type Found) best first */
static GArray *
sort_by_variance (UrbCurator *curator, GArray *ids)
{
  GArray *found = g_array_sized_new (FALSE, FALSE, sizeof (Found), ids->len);
  for (guint i = 0; i < ids->len; i++)
    {
      Found item = { .id = g_array_index (ids, gint64, i) };
      urb_curator_get_square (curator, item.id, &item.variance);
      g_array_append_val (found, item);
    }
  g_array_sort (found, compare_found);
  return found;
}

void
urbarium_curation_add_within (UrbariumCuration *self, const double *xy, gsize n)
{
  UrbariumRanked *ranked = urbarium_curation_get_ranked (self);
  g_autoptr(GArray) ids = NULL;
  g_autoptr(GArray) found = NULL;
  g_autoptr(GArray) wanted = g_array_new (FALSE, FALSE, sizeof (gint64));
  UrbSelection *selection;
  const UrbCurateOptions *options;
  if (ranked == NULL)
    return;
  options = &ranked->decisions->options;
  /* Chosen areas stay; the best candidates fill the free space. */
  selection = urb_selection_new (options->area_size_m,
                                 options->max_overlap + 1.0 / options->resolution_px);
  for (gsize i = 0; i < urbarium_curation_get_choice (self).n; i++)
    urb_selection_offer (selection, &urbarium_curation_get_area (self, i)->square);
  ids = urb_curator_find_within (ranked->search->curator, xy, n);
  found = sort_by_variance (ranked->search->curator, ids);
  for (guint i = 0; i < found->len; i++)
    {
      gint64 id = g_array_index (found, Found, i).id;
      UrbSquare square = urb_curator_get_square (ranked->search->curator, id, NULL);
      UrbSplit split;
      if (urb_blocks_get_split (ranked->ranking->blocks, &square, &split)
          && urb_selection_offer (selection, &square))
        g_array_append_val (wanted, id);
    }
  urb_selection_free (selection);
  add (self, (const gint64 *) (void *) wanted->data, wanted->len);
}

void
urbarium_curation_remove_within (UrbariumCuration *self, const double *xy, gsize n)
{
  UrbariumRanked *ranked = urbarium_curation_get_ranked (self);
  g_autoptr(GArray) within = NULL;
  g_autoptr(GArray) all = NULL;
  g_autoptr(GHashTable) chosen = NULL;
  g_autoptr(GHashTable) ids = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  gsize n_chosen = 0;
  if (ranked == NULL)
    return;
  within = urb_curator_find_within (ranked->search->curator, xy, n);
  chosen = ids_of_chosen (self);
  for (guint i = 0; i < within->len; i++)
    {
      gint64 id = g_array_index (within, gint64, i);
      g_hash_table_add (ids, g_memdup2 (&id, sizeof id));
      if (!g_hash_table_contains (chosen, &id))
        continue;
      n_chosen++;
      add_rivals (self, id, chosen, ids);
    }
  all = array_of (ids);
  if (n_chosen > 0)
    take_out (self, all, n_chosen);
}

static UrbariumDecisions *
automatic (UrbariumCuration *self)
{
  g_autoptr(UrbariumDecisions) blank = urbarium_decisions_new ();
  UrbCurateOptions options = urbarium_curation_get_decisions (self)->options;
  options.min_variance = -1;
  return urbarium_decisions_with_options (blank, &options);
}

void
urbarium_curation_reset (UrbariumCuration *self)
{
  g_autoptr(UrbariumDecisions) decisions = automatic (self);
  urbarium_curation_decide (self, decisions, _ ("Reset to automatic"));
}

gboolean
urbarium_curation_is_automatic (UrbariumCuration *self)
{
  g_autoptr(UrbariumDecisions) decisions = automatic (self);
  return urbarium_decisions_equal (decisions, urbarium_curation_get_decisions (self));
}
