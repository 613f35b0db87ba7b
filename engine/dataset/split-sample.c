/* SPDX-License-Identifier: Apache-2.0 */
/*
 * split-sample.c - the areas by which a map's ground is divided into splits.
 *
 * They depend on the map alone, so that the same ground is for testing whatever the threshold, the
 * resolution or the encoding of a dataset: otherwise a later dataset trains on what an earlier one
 * tested on.  Only areas larger than these need larger blocks.
 */
#include "dataset/curator-private.h"
#include "dataset/selection.h"

#define SIZE_M       250
#define LEAST_SIZE_M 4
#define SIZES_ALONG_EDGE 8 /* at least, of the map */
#define RESOLUTION_PX 64
#define VARIANCE     0.3 /* of a village */
#define COVERAGE     0.95
/* A map with fewer areas of that variance is divided by its most varied ones. */
#define FEW          40

static double
choose_size (UrbBox extent, double area_size_m)
{
  double edge_m = MIN (extent.max_x - extent.min_x, extent.max_y - extent.min_y), size_m = SIZE_M;

  while (size_m > LEAST_SIZE_M && edge_m < SIZES_ALONG_EDGE * size_m)
    size_m /= 2;
  while (size_m < area_size_m)
    size_m *= 2;
  return size_m;
}

static UrbCandidates *
find (const UrbCurator *self, UrbMap *map, double min_variance, GCancellable *cancellable, GError **error)
{
  UrbCurateOptions options;

  urb_curate_options_init (&options);
  options.area_size_m = choose_size (self->extent, self->options.area_size_m);
  options.stride_m = options.area_size_m / 2;
  options.resolution_px = RESOLUTION_PX;
  options.min_variance = min_variance;
  options.min_coverage = COVERAGE;
  options.n_threads = self->options.n_threads;
  return urb_candidates_find (map, self->hull, self->is_open, &options, NULL, NULL, cancellable, error);
}

/* Areas that overlap little, as the chosen ones will: a small place with many overlapping candidates is
 * still a small place. */
static void
keep_apart (UrbSplitSample *self, const UrbCandidates *found, guint n)
{
  const double max_overlap = 0.5;
  g_autoptr(UrbSelection) apart = urb_selection_new (found->options.area_size_m, max_overlap);

  for (guint i = 0; i < n; i += (guint) urb_blocks_get_sample_step (n))
    {
      const UrbCandidate *candidate = &g_array_index (found->items, UrbCandidate, i);
      UrbSquare square = urb_candidates_get_square (found, candidate);
      float built = (float) candidate->share[URB_CLASS_BUILDING] / URB_SHARE_UNIT;

      if (!urb_selection_offer (apart, &square))
        continue;
      g_array_append_val (self->squares, square);
      g_array_append_val (self->variances, candidate->variance);
      g_array_append_val (self->built, built);
    }
}

gboolean
urb_split_sample_init (UrbSplitSample *self, const UrbCurator *curator, UrbMap *map,
                       GCancellable *cancellable, GError **error)
{
  g_autoptr(UrbCandidates) found = NULL;

  self->squares = g_array_new (FALSE, FALSE, sizeof (UrbSquare));
  self->variances = g_array_new (FALSE, FALSE, sizeof (float));
  self->built = g_array_new (FALSE, FALSE, sizeof (float));
  found = find (curator, map, VARIANCE, cancellable, error);
  if (found != NULL && found->items->len < FEW)
    {
      g_clear_pointer (&found, urb_candidates_free);
      found = find (curator, map, 0, cancellable, error);
    }
  if (found == NULL)
    return FALSE;
  keep_apart (self, found, found->options.min_variance > 0 ? found->items->len : MIN (found->items->len, FEW));
  return TRUE;
}

void
urb_split_sample_clear (UrbSplitSample *self)
{
  g_clear_pointer (&self->squares, g_array_unref);
  g_clear_pointer (&self->variances, g_array_unref);
  g_clear_pointer (&self->built, g_array_unref);
}
