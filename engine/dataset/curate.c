/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curate.c - finds, splits and selects the areas of a map from options alone.
 */
#include "dataset/curator-private.h"

double
urb_curate_get_default_variance (UrbEncoding encoding)
{
  return encoding == URB_ENCODING_GREY ? 0.12 : 0.3;
}

UrbCuration *
urb_curation_new (UrbMap *map, const UrbCurateOptions *options, UrbProgressFunc progress,
                  gpointer user_data, GCancellable *cancellable, GError **error)
{
  g_autoptr(UrbCurator) curator = NULL;
  g_autoptr(UrbRanking) ranking = NULL;
  UrbCurateOptions o;
  UrbRankOptions rank;

  g_return_val_if_fail (map != NULL && options != NULL, NULL);

  o = *options;
  if (o.min_variance < 0)
    o.min_variance = urb_curate_get_default_variance (o.encoding);
  rank = (UrbRankOptions) {
    .max_overlap = o.max_overlap,
    .test_share = o.test_share,
    .validation_share = o.validation_share,
    .seed = o.seed,
    .split_variance = o.min_variance,
    .top = o.top,
  };
  if (!urb_curate_check_rank_options (&rank, error))
    return NULL;
  curator = urb_curator_search (map, &o, progress, user_data, cancellable, error);
  if (curator == NULL)
    return NULL;
  ranking = urb_curator_rank (curator, &rank, NULL, cancellable, error);
  return ranking != NULL ? urb_ranking_to_curation (ranking, o.min_variance, error) : NULL;
}

void
urb_curation_free (UrbCuration *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->areas);
  g_clear_pointer (&self->hull, g_array_unref);
  urb_blocks_free (self->blocks);
  g_ptr_array_unref (self->warnings);
  g_free (self);
}
