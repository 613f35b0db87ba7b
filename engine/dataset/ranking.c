/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ranking.c - ranks the candidates once for all thresholds.
 *
 * Candidates are selected greedily by falling variance within the overlap limit.  Each
 * decision depends only on the candidates before it, so a higher threshold gives a
 * prefix.  The test blocks are chosen first, so a straddling area cannot displace a
 * good one.
 */
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "dataset/curator-private.h"
#include "dataset/selection.h"

#define FATE_OPEN URB_N_FATES /* not decided yet */

enum { FEW_AREAS = 50 }; /* for training: fewer deserve a warning */

/* Totals over a prefix of the areas. */
typedef struct
{
  gint64 n_split[URB_N_SPLITS];
  double share[3]; /* summed */
} Sum;

typedef struct
{
  UrbRanking   *ranking;
  UrbSelection *selection;           /* owned */
  gint64        limit[URB_N_SPLITS]; /* of areas */
  gint64        n_split[URB_N_SPLITS];
} Taking;

static const UrbCandidate *
get_candidate (const UrbRanking *self, gint64 id)
{
  return &g_array_index (self->curator->found->items, UrbCandidate, id);
}

static gint64
get_n_candidates (const UrbRanking *self)
{
  return self->curator->found->items->len;
}

/* The number of candidates of at least @threshold; they come first. */
static gint64
count_from (const UrbRanking *self, double threshold)
{
  gint64 low = 0, high = get_n_candidates (self);

  while (low < high)
    {
      gint64 middle = low + (high - low) / 2;

      if (get_candidate (self, middle)->variance >= (float) threshold)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static void
choose_blocks (UrbRanking *self)
{
  const UrbSplitSample *sample = &self->curator->sample;

  self->blocks = urb_blocks_choose (sample->squares, (const float *) (void *) sample->variances->data,
                                    (const float *) (void *) sample->built->data, self->curator->extent,
                                    self->options.test_share, self->options.validation_share,
                                    self->options.seed);
}

static UrbFate
offer (Taking *taking, gint64 id, gboolean forced)
{
  UrbRanking *self = taking->ranking;
  const UrbCandidate *candidate = get_candidate (self, id);
  UrbRankedArea area = { .id = id, .forced = forced };
  Sum sum = g_array_index (self->sums, Sum, self->areas->len);
  double covered = 0;
  UrbSplit split;

  area.square = urb_curator_get_square (self->curator, id, &area.variance);
  if (!urb_blocks_get_split (self->blocks, &area.square, &split))
    return URB_FATE_STRADDLES;
  if (!forced && taking->n_split[split] >= taking->limit[split])
    return URB_FATE_BEYOND_TOP;
  if (!urb_selection_offer (taking->selection, &area.square))
    return URB_FATE_OVERLAPS;
  taking->n_split[split]++;
  area.split = split;
  sum.n_split[split]++;
  for (int c = 0; c < 3; c++)
    covered += candidate->share[c];
  for (int c = 0; c < 3; c++)
    sum.share[c] += covered > 0 ? candidate->share[c] / covered : c == URB_CLASS_OTHER;
  g_array_append_val (self->areas, area);
  g_array_append_val (self->sums, sum);
  return URB_FATE_RANKED;
}

/* @limit: (out): of the areas of each split */
static void
set_limits (const UrbRanking *self, gint64 limit[URB_N_SPLITS])
{
  const UrbRankOptions *o = &self->options;
  gboolean validates = memchr (self->blocks->split, URB_SPLIT_VALIDATION,
                               (gsize) self->blocks->n_x * self->blocks->n_y) != NULL;

  for (int s = 0; s < URB_N_SPLITS; s++)
    limit[s] = G_MAXINT64;
  if (o->top == 0)
    return;
  limit[URB_SPLIT_TEST] = llround (o->top * o->test_share);
  limit[URB_SPLIT_VALIDATION] = validates ? llround (o->top * o->validation_share) : 0;
  limit[URB_SPLIT_TRAIN] = o->top - limit[URB_SPLIT_TEST] - limit[URB_SPLIT_VALIDATION];
}

static gboolean
take_areas (UrbRanking *self, const UrbCuratorEdits *edits, GCancellable *cancellable,
            GError **error)
{
  const UrbCurateOptions *o = &self->curator->options;
  /* Snapping moves an area by up to half a pixel, hence two areas by up to one pixel. */
  g_autoptr(UrbSelection) selection
    = urb_selection_new (o->area_size_m, self->options.max_overlap + 1.0 / o->resolution_px);
  Taking taking = { self, selection };

  set_limits (self, taking.limit);
  for (gsize i = 0; i < edits->n_removed; i++)
    self->fates[edits->removed[i]] = URB_FATE_REMOVED;
  for (gsize i = 0; i < edits->n_added; i++)
    if (self->fates[edits->added[i]] == FATE_OPEN)
      self->fates[edits->added[i]] = offer (&taking, edits->added[i], TRUE);
  self->n_forced = self->areas->len;
  for (gint64 id = 0; id < get_n_candidates (self); id++)
    {
      if (id % 1024 == 0 && g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (self->fates[id] == FATE_OPEN)
        self->fates[id] = offer (&taking, id, FALSE);
    }
  return TRUE;
}

static gboolean
are_candidates (UrbCurator *self, const gint64 *ids, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (ids[i] < 0 || ids[i] >= urb_curator_get_n_candidates (self))
      return FALSE;
  return TRUE;
}

UrbRanking *
urb_curator_rank (UrbCurator *self, const UrbRankOptions *options, const UrbCuratorEdits *edits,
                  GCancellable *cancellable, GError **error)
{
  static const UrbCuratorEdits no_edits = { 0 };
  static const Sum nothing = { 0 };
  g_autoptr(UrbRanking) ranking = NULL;
  gint64 n = self->found->items->len;

  if (edits == NULL)
    edits = &no_edits;
  g_return_val_if_fail (are_candidates (self, edits->added, edits->n_added), NULL);
  g_return_val_if_fail (are_candidates (self, edits->removed, edits->n_removed), NULL);

  if (!urb_curate_check_rank_options (options, error))
    return NULL;
  ranking = g_new0 (UrbRanking, 1);
  ranking->curator = urb_curator_ref (self);
  ranking->options = *options;
  ranking->n_removed = edits->n_removed;
  ranking->areas = g_array_new (FALSE, FALSE, sizeof (UrbRankedArea));
  ranking->sums = g_array_new (FALSE, FALSE, sizeof (Sum));
  g_array_append_val (ranking->sums, nothing);
  ranking->fates = g_malloc (n + 1); /* not NULL */
  memset (ranking->fates, FATE_OPEN, n);
  choose_blocks (ranking);
  if (!take_areas (ranking, edits, cancellable, error))
    return NULL;
  return g_steal_pointer (&ranking);
}

void
urb_ranking_free (UrbRanking *self)
{
  if (self == NULL)
    return;
  urb_curator_unref (self->curator);
  g_array_unref (self->areas);
  g_array_unref (self->sums);
  urb_blocks_free (self->blocks);
  g_free (self->fates);
  g_free (self);
}

UrbFate
urb_ranking_get_fate (const UrbRanking *self, gint64 id)
{
  g_return_val_if_fail (id >= 0 && id < get_n_candidates (self), URB_FATE_REMOVED);

  return self->fates[id];
}

UrbChoice
urb_ranking_choose (const UrbRanking *self, double threshold)
{
  gsize low = self->n_forced, high = self->areas->len;
  double size_m = self->curator->options.area_size_m;
  UrbChoice choice = { 0 };
  const Sum *sum;

  while (low < high)
    {
      gsize middle = low + (high - low) / 2;

      if (g_array_index (self->areas, UrbRankedArea, middle).variance >= (float) threshold)
        low = middle + 1;
      else
        high = middle;
    }
  sum = &g_array_index (self->sums, Sum, low);
  choice.n = low;
  memcpy (choice.n_split, sum->n_split, sizeof choice.n_split);
  choice.area_m2 = low * size_m * size_m;
  for (int c = 0; c < 3 && low > 0; c++)
    choice.share[c] = sum->share[c] / low;
  return choice;
}

/* Counts the first @n_from candidates; the rest is below the threshold. */
static void
count_fates (UrbCuration *curation, const UrbRanking *self, gint64 n_from)
{
  gint64 n[URB_N_FATES] = { 0 };

  for (gint64 id = 0; id < n_from; id++)
    n[self->fates[id]]++;
  curation->n_straddling = n[URB_FATE_STRADDLES];
  curation->n_overlapping = n[URB_FATE_OVERLAPS];
  curation->n_beyond_top = n[URB_FATE_BEYOND_TOP];
  curation->n_removed = n[URB_FATE_REMOVED];
  curation->n_low_variance = self->curator->found->n_positions - self->curator->found->n_uncovered
                             - curation->areas->len - curation->n_straddling
                             - curation->n_overlapping - curation->n_beyond_top
                             - curation->n_removed;
}

static void
warn_about_split (UrbCuration *self)
{
  double n = self->areas->len, share = self->n_split[URB_SPLIT_TEST] / n;
  double wanted = self->options.test_share;

  if (wanted > 0 && self->n_split[URB_SPLIT_TEST] == 0)
    g_ptr_array_add (self->warnings,
                     g_strdup ("The map is too small to set aside test blocks: all areas are for "
                               "training"));
  else if (wanted > 0 && fabs (share - wanted) > 0.5 * wanted)
    g_ptr_array_add (self->warnings,
                     g_strdup_printf ("%.0f %% of the areas are for testing instead of %.0f %%: "
                                      "the map is small",
                                      100 * share, 100 * wanted));
}

/* So few areas are easily learned by heart. */
static void
warn_about_size (UrbCuration *self)
{
  gint64 n = self->n_split[URB_SPLIT_TRAIN];

  if (n < FEW_AREAS)
    g_ptr_array_add (self->warnings,
                     g_strdup_printf ("%" G_GINT64_FORMAT " %s for training: a generator would copy so few rather than "
                                      "learn from them. A few hundred are a small dataset. Use a larger map, or find "
                                      "more areas with a smaller --stride-m, more --rotations, a larger "
                                      "--max-overlap or a smaller --area-size-m",
                                      n, n == 1 ? "area is" : "areas are"));
}

static void
explain_empty (const UrbRanking *self, double threshold, gint64 n_from, GError **error)
{
  const UrbCandidates *found = self->curator->found;
  gint64 n_low_variance = found->n_low_variance + found->items->len - n_from;
  double best_low_variance = n_from < found->items->len ? get_candidate (self, n_from)->variance
                                                        : found->best_low_variance;

  if (n_from == 0)
    urb_curator_explain_none (self->curator, n_low_variance, threshold, best_low_variance, error);
  else
    g_set_error_literal (error, URB_DATASET_ERROR, URB_DATASET_ERROR_EMPTY,
                         self->n_removed > 0
                           ? N_ ("All areas were removed by hand or dropped to set aside test blocks")
                           : N_ ("No area is left after setting aside test blocks. Choose another "
                                 "--test-share, or 0"));
}

UrbCuration *
urb_ranking_to_curation (const UrbRanking *self, double threshold, GError **error)
{
  g_autoptr(UrbCuration) curation = NULL;
  UrbChoice choice = urb_ranking_choose (self, threshold);
  gint64 n_from = count_from (self, threshold);

  if (choice.n == 0)
    {
      explain_empty (self, threshold, n_from, error);
      return NULL;
    }
  curation = g_new0 (UrbCuration, 1);
  curation->options = self->curator->options;
  curation->options.min_variance = threshold;
  curation->options.max_overlap = self->options.max_overlap;
  curation->options.test_share = self->options.test_share;
  curation->options.validation_share = self->options.validation_share;
  curation->options.top = self->options.top;
  curation->options.seed = self->options.seed;
  curation->areas = g_array_new (FALSE, FALSE, sizeof (UrbArea));
  for (gsize i = 0; i < choice.n; i++)
    {
      const UrbRankedArea *ranked = &g_array_index (self->areas, UrbRankedArea, i);
      UrbArea area = {
        .center_x = ranked->square.x,
        .center_y = ranked->square.y,
        .angle_deg = ranked->square.angle_deg,
        .variance = ranked->variance,
        .split = ranked->split,
      };

      g_array_append_val (curation->areas, area);
    }
  curation->filled = self->curator->filled;
  curation->blocks = urb_blocks_copy (self->blocks);
  curation->warnings = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < self->curator->warnings->len; i++)
    g_ptr_array_add (curation->warnings, g_strdup (self->curator->warnings->pdata[i]));
  curation->n_positions = self->curator->found->n_positions;
  curation->n_uncovered = self->curator->found->n_uncovered;
  count_fates (curation, self, n_from);
  memcpy (curation->n_split, choice.n_split, sizeof curation->n_split);
  curation->n_added = self->n_forced;
  warn_about_split (curation);
  warn_about_size (curation);
  return g_steal_pointer (&curation);
}
