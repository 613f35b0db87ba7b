/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curator-search.c - searches a map for candidate areas.
 */
#include <math.h>

#include "dataset/curator-private.h"
#include "dataset/dataset-private.h"
#include "dataset/ground.h"
#include "dataset/hull.h"
#include "dataset/tile-codec.h"

/* Of the ground beside buildings: a land cover covers all of it, apart from the map's border. */
#define MOSTLY_COVERED 0.9

static UrbCandidates *
find_candidates (UrbCurator *self, UrbMap *map, UrbProgressFunc progress, gpointer user_data,
                 GCancellable *cancellable, GError **error)
{
  const UrbCurateOptions *o = &self->options;
  double cover = urb_ground_measure_cover (map);

  self->is_open = cover < MOSTLY_COVERED;
  self->filled = o->fill == URB_FILL_YES || (o->fill == URB_FILL_AUTO && self->is_open);
  if (self->is_open && o->fill == URB_FILL_AUTO)
    g_ptr_array_add (self->warnings,
                     g_strdup_printf ("The map covers %.0f %% of the ground beside its buildings, so ground "
                                      "between its objects counts as 'other' (--no-fill-uncovered disables "
                                      "this)", 100 * cover));
  return urb_candidates_find (map, self->hull, self->filled, o, progress,
                              user_data, cancellable, error);
}

void
urb_curator_explain_none (UrbCurator *self, gint64 n_low_variance, double min_variance,
                          double best_low_variance, GError **error)
{
  g_autoptr(GString) text = g_string_new (NULL);

  g_string_append_printf (text, "None of the %" G_GINT64_FORMAT " areas qualifies:",
                          self->found->n_positions);
  if (self->found->n_uncovered > 0)
    g_string_append_printf (text,
                            " %" G_GINT64_FORMAT " have a coverage below %g %% (lower "
                            "--min-coverage%s);",
                            self->found->n_uncovered, 100 * self->options.min_coverage,
                            self->filled ? "" : ", or --fill-uncovered");
  if (n_low_variance > 0)
    g_string_append_printf (text,
                            " %" G_GINT64_FORMAT " have a variance below %g, at most %.3f (lower "
                            "--min-variance);",
                            n_low_variance, min_variance, best_low_variance);
  g_string_truncate (text, text->len - 1);
  g_set_error_literal (error, URB_DATASET_ERROR, URB_DATASET_ERROR_EMPTY, text->str);
}

UrbCurator *
urb_curator_search (UrbMap *map, const UrbCurateOptions *options, UrbProgressFunc progress,
                    gpointer user_data, GCancellable *cancellable, GError **error)
{
  g_autoptr(UrbCurator) self = NULL;

  if (!urb_settings_check (&urb_curate_settings, options, error))
    return NULL;
  self = g_new0 (UrbCurator, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->options = *options;
  self->extent = urb_map_get_extent (map);
  self->warnings = g_ptr_array_new_with_free_func (g_free);
  self->hull = urb_hull_new_of_map (map);
  self->found = find_candidates (self, map, progress, user_data, cancellable, error);
  if (self->found == NULL)
    return NULL;
  if (self->found->n_positions == 0)
    {
      double w = self->extent.max_x - self->extent.min_x;
      double h = self->extent.max_y - self->extent.min_y;

      g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_EMPTY,
                   "The map is %.0f x %.0f m, smaller than an area of %g m. Choose a smaller "
                   "--area-size-m, such as %.0f",
                   w, h, options->area_size_m, MAX (floor (MIN (w, h) / 4), 1));
      return NULL;
    }
  if (!urb_split_sample_init (&self->sample, self, map, cancellable, error))
    return NULL;
  return g_steal_pointer (&self);
}
