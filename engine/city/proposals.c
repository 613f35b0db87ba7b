/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proposals.c - see proposals.h.
 *
 * Of the searches, the better half is considered.  The best is the first proposal; each further one
 * is that which differs most from the chosen ones, in the free part of the area.
 */
#include "city/proposals.h"

#include <string.h>

enum { MIN_STARTS = 16, STARTS_EACH = 2 };

typedef struct
{
  const UrbSite *site;
  int            n_channels;
  gsize          tile_bytes;
  int            n_starts;
  guint8        *levels;  /* (n_starts, tile), owned */
  double        *losses;  /* (n_starts), owned */
  int           *order;   /* (n_starts): by loss, owned */
  guint8       **classes; /* (n_starts) (size, size) (nullable), owned: of the considered ones */
} Search;

static void
search_clear (Search *self)
{
  for (int i = 0; self->classes != NULL && i < self->n_starts; i++)
    g_free (self->classes[i]);
  g_free (self->classes);
  g_free (self->levels);
  g_free (self->losses);
  g_free (self->order);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Search, search_clear)

static UrbClassMap *
classify (const Search *self, int start)
{
  return urb_class_map_new_from_levels (self->levels + (gsize) start * self->tile_bytes,
                                        self->site->size_px, self->site->size_px, self->n_channels,
                                        self->site->size_m);
}

static int
compare_losses (gconstpointer a, gconstpointer b, gpointer losses)
{
  int i = *(const int *) a, k = *(const int *) b;
  double d = ((double *) losses)[i] - ((double *) losses)[k];

  return d < 0 ? -1 : d > 0 ? 1 : i - k;
}

static gint64
count_different (const Search *self, int a, int b)
{
  gint64 n = 0;

  for (gint64 i = 0; i < (gint64) self->site->size_px * self->site->size_px; i++)
    n += self->classes[a][i] != self->classes[b][i] && urb_site_get_given (self->site, i) < 0.5f;
  return n;
}

/* @chosen: (@n): in the order of choice.  Returns: the considered start that is farthest from them */
static int
choose_next (const Search *self, int n_considered, const int *chosen, int n)
{
  gint64 farthest = -1;
  int best = 0;

  for (int i = 0; i < n_considered; i++)
    {
      gint64 nearest = G_MAXINT64;
      gboolean taken = FALSE;

      for (int k = 0; k < n; k++)
        {
          taken = taken || chosen[k] == self->order[i];
          nearest = MIN (nearest, count_different (self, chosen[k], self->order[i]));
        }
      if (!taken && nearest > farthest)
        {
          farthest = nearest;
          best = self->order[i];
        }
    }
  return best;
}

static void
choose (Search *self, int count, int *chosen)
{
  int n_considered = MAX (count, (self->n_starts + 1) / 2);

  for (int i = 0; i < self->n_starts; i++)
    self->order[i] = i;
  g_qsort_with_data (self->order, self->n_starts, sizeof (int), compare_losses, self->losses);
  for (int i = 0; i < n_considered; i++)
    {
      g_autoptr(UrbClassMap) map = classify (self, self->order[i]);

      self->classes[self->order[i]] = g_steal_pointer (&map->classes);
    }
  chosen[0] = self->order[0];
  for (int n = 1; n < count; n++)
    chosen[n] = choose_next (self, n_considered, chosen, n);
  g_qsort_with_data (chosen, count, sizeof (int), compare_losses, self->losses);
}

static void
report (const Search *self, int start, guint8 *levels, UrbProposal *proposal)
{
  g_autoptr(UrbClassMap) map = classify (self, start);

  proposal->loss = self->losses[start];
  proposal->met = urb_site_get_met (self->site, map, proposal->met_class);
  memcpy (levels, self->levels + (gsize) start * self->tile_bytes, self->tile_bytes);
  urb_site_compose (self->site, self->n_channels, levels);
}

gboolean
urb_propose (UrbSampler *sampler, const UrbSite *site, guint64 seed, int count, guint8 *levels,
             UrbProposal *proposals, UrbProgressFunc progress, gpointer user_data,
             GCancellable *cancellable, GError **error)
{
  const UrbSamplerInfo *info = urb_sampler_get_info (sampler);
  gsize n_base = (gsize) info->base_px * (gsize) info->base_px, n_channels = (gsize) info->n_channels;
  g_autofree guint8 *weights = g_malloc (n_base), *wanted = g_malloc (n_base * n_channels);
  UrbFitTarget target = { weights, wanted };
  g_auto(Search) search = { site, info->n_channels };
  int chosen[URB_PROPOSALS_MAX];

  g_return_val_if_fail (count >= 1 && count <= URB_PROPOSALS_MAX, FALSE);
  g_return_val_if_fail (site->size_px == info->size_px, FALSE);
  search.n_starts = MAX (MIN_STARTS, STARTS_EACH * count);
  search.tile_bytes = (gsize) info->size_px * (gsize) info->size_px * n_channels;
  search.levels = g_malloc (search.tile_bytes * (gsize) search.n_starts);
  search.losses = g_new (double, search.n_starts);
  search.order = g_new (int, search.n_starts);
  search.classes = g_new0 (guint8 *, search.n_starts);
  urb_site_get_target (site, info->base_px, info->n_channels, weights, wanted);
  if (!urb_sampler_fit (sampler, &target, seed, 0, search.n_starts, search.levels, search.losses,
                        progress, user_data, cancellable, error))
    return FALSE;
  choose (&search, count, chosen);
  for (int i = 0; i < count; i++)
    report (&search, chosen[i], levels + (gsize) i * search.tile_bytes, &proposals[i]);
  return TRUE;
}

void
urb_proposal_measure_plan (UrbProposal *self, const UrbSite *site, const UrbCityVectors *plan)
{
  g_autoptr(UrbClassMap) map = urb_class_map_new_from_vectors (plan, site->size_px, NULL, NULL);

  self->kept = urb_site_get_met (site, map, NULL);
  self->connected = urb_site_get_connected (site, map);
}
