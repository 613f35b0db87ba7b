/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curate.c - finds, splits and selects the areas of a map from options alone.
 */
#include "dataset/advice.h"
#include "dataset/curator-private.h"

double
urb_curate_get_default_variance (UrbEncoding encoding)
{
  return encoding == URB_ENCODING_GREY ? 0.12 : 0.3;
}

UrbCuration *
urb_curation_try (UrbMap *map, const UrbCurateOptions *options, UrbProgressFunc progress,
                  gpointer user_data, GCancellable *cancellable, GError **error)
{
  g_autoptr(UrbCurator) curator = NULL;
  g_autoptr(UrbRanking) ranking = NULL;
  const UrbRankOptions rank = urb_curate_get_rank_options (options);

  if (!urb_curate_check_rank_options (&rank, error))
    return NULL;
  curator = urb_curator_search (map, options, progress, user_data, cancellable, error);
  if (curator == NULL)
    return NULL;
  ranking = urb_curator_rank (curator, &rank, NULL, cancellable, error);
  return ranking != NULL ? urb_ranking_to_curation (ranking, options->min_variance, error) : NULL;
}

/* Adds to the error what would give areas. */
static void
advise (UrbMap *map, const UrbCurateOptions *options, GCancellable *cancellable, GError *error)
{
  g_autoptr(GArray) advice = urb_advice_find (map, options, cancellable);
  g_autoptr(GString) text = g_string_new (error->message);

  for (guint i = 0; i < advice->len; i++)
    {
      const UrbAdvice *one = &g_array_index (advice, UrbAdvice, i);
      g_string_append_printf (text, "%s%s gives %" G_GINT64_FORMAT " %s", i == 0 ? ". Tried: " : ", ",
                              one->option, one->n_areas, one->n_areas == 1 ? "area" : "areas");
    }
  g_free (error->message);
  error->message = g_strdup (text->str);
}

UrbCuration *
urb_curation_new (UrbMap *map, const UrbCurateOptions *options, UrbProgressFunc progress,
                  gpointer user_data, GCancellable *cancellable, GError **error)
{
  g_autoptr(GError) local_error = NULL;
  UrbCurateOptions o;
  UrbCuration *curation;

  g_return_val_if_fail (map != NULL && options != NULL, NULL);

  o = *options;
  if (o.min_variance < 0)
    o.min_variance = urb_curate_get_default_variance (o.encoding);
  curation = urb_curation_try (map, &o, progress, user_data, cancellable, &local_error);
  if (curation != NULL)
    return curation;
  if (g_error_matches (local_error, URB_DATASET_ERROR, URB_DATASET_ERROR_EMPTY))
    advise (map, &o, cancellable, local_error);
  g_propagate_error (error, g_steal_pointer (&local_error));
  return NULL;
}

void
urb_curation_free (UrbCuration *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->areas);
  urb_blocks_free (self->blocks);
  g_ptr_array_unref (self->warnings);
  g_free (self);
}
