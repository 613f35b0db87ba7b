/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curate.c - finds, splits and chooses the areas of a map.
 *
 * The places for testing are settled before the choice, so that an area that
 * straddles cannot push out a good one that does not.
 */
#include "dataset/curate.h"

#include <math.h>

#include "dataset/dataset-private.h"
#include "dataset/hull.h"
#include "dataset/selection.h"
#include "dataset/tile-codec.h"

/* Half of the areas at 125 m apart overlap by a half: allowed.  Rotations of one
 * place overlap by 83 % and more: not. */
#define DEFAULT_MAX_OVERLAP 0.5

/* A partition of the ground covers the areas within it wholly, whatever its
 * shape; if so few of the areas it meets are covered, it is no partition. */
#define FEW_COVERED 0.02

void
urb_curate_options_init (UrbCurateOptions *options)
{
  *options = (UrbCurateOptions) {
    .area_size_m = 250,
    .stride_m = 125,
    .n_rotations = 1,
    .min_variance = -1,
    .min_coverage = 0.99,
    .max_overlap = DEFAULT_MAX_OVERLAP,
    .encoding = URB_ENCODING_RGB,
    .resolution_px = 256,
    .test_share = 0.15,
    .fill = URB_FILL_AUTO,
    .seed = 1,
  };
}

double
urb_curate_get_default_variance (UrbEncoding encoding)
{
  return encoding == URB_ENCODING_GREY ? 0.12 : 0.3;
}

static gboolean G_GNUC_PRINTF (2, 3)
refuse_options (GError **error, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  if (error != NULL)
    *error = g_error_new_valist (URB_DATASET_ERROR, URB_DATASET_ERROR_OPTIONS, format, args);
  va_end (args);
  return FALSE;
}

static gboolean
check_options (const UrbCurateOptions *o, GError **error)
{
  if (!(o->area_size_m > 0 && o->area_size_m <= URB_DATASET_MAX_AREA_SIZE_M))
    return refuse_options (error, "Areas of %g m are not possible: choose more than 0 and at most "
                           "%g m", o->area_size_m, URB_DATASET_MAX_AREA_SIZE_M);
  if (o->resolution_px < URB_TILE_MIN_PX || o->resolution_px > URB_TILE_MAX_PX)
    return refuse_options (error, "Tiles of %d pixels are not possible: choose %d to %d",
                           o->resolution_px, URB_TILE_MIN_PX, URB_TILE_MAX_PX);
  if (o->n_rotations < 1 || o->n_rotations > URB_MAX_ROTATIONS)
    return refuse_options (error, "%d rotations are not possible: choose 1 to %d", o->n_rotations,
                           URB_MAX_ROTATIONS);
  if (!(o->min_coverage >= 0 && o->min_coverage <= 1))
    return refuse_options (error, "A coverage of %g is not possible: choose 0 to 1",
                           o->min_coverage);
  if (!(o->min_variance <= 1))
    return refuse_options (error, "A variance of %g is not possible: choose 0 to 1",
                           o->min_variance);
  if (!(o->max_overlap >= 0 && o->max_overlap <= 1))
    return refuse_options (error, "An overlap of %g is not possible: choose 0 to 1",
                           o->max_overlap);
  if (!(o->test_share >= 0 && o->test_share <= 0.9))
    return refuse_options (error, "A test share of %g is not possible: choose 0 to 0.9",
                           o->test_share);
  if (o->top < 0)
    return refuse_options (error, "At most %" G_GINT64_FORMAT " areas are not possible: choose 0 "
                           "for all of them", o->top);
  return TRUE;
}

static gboolean
is_no_partition (const UrbCandidates *candidates)
{
  gint64 n_met = candidates->n_positions - candidates->n_nearly_empty;
  gint64 n_covered = candidates->n_positions - candidates->n_uncovered;

  return n_covered < FEW_COVERED * n_met;
}

static UrbCandidates *
find_candidates (UrbCuration *self, UrbMap *map, UrbProgressFunc progress, gpointer user_data,
                 GCancellable *cancellable, GError **error)
{
  const UrbCurateOptions *o = &self->options;
  const UrbSearch search = {
    .area_size_m = o->area_size_m,
    .stride_m = o->stride_m,
    .resolution_px = o->resolution_px,
    .n_rotations = o->n_rotations,
    .encoding = o->encoding,
    .min_variance = o->min_variance,
    .min_coverage = o->min_coverage,
    .n_threads = o->n_threads,
  };
  g_autoptr(UrbCandidates) found = NULL;

  self->filled = o->fill == URB_FILL_YES;
  found = urb_candidates_find (map, self->hull, self->filled ? self->hull : NULL, &search, progress,
                               user_data, cancellable, error);
  if (found == NULL || o->fill != URB_FILL_AUTO || !is_no_partition (found))
    return g_steal_pointer (&found);

  self->filled = TRUE;
  g_ptr_array_add (self->warnings,
                   g_strdup ("The map covers hardly any area wholly, so the ground between its "
                             "objects is taken as 'other' (--no-fill-uncovered refuses it)"));
  urb_candidates_free (found);
  found = urb_candidates_find (map, self->hull, self->hull, &search, progress, user_data,
                               cancellable, error);
  return g_steal_pointer (&found);
}

static gboolean
fail_too_small (UrbCuration *self, UrbMap *map, GError **error)
{
  UrbBox e = urb_map_get_extent (map);
  double w = e.max_x - e.min_x, h = e.max_y - e.min_y;

  g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_EMPTY,
               "The map is %.0f x %.0f m, smaller than an area of %g m. Choose a smaller "
               "--area-size-m, such as %.0f",
               w, h, self->options.area_size_m, MAX (floor (MIN (w, h) / 4), 1));
  return FALSE;
}

static gboolean
fail_none (UrbCuration *self, const UrbCandidates *found, GError **error)
{
  g_autoptr(GString) text = g_string_new (NULL);

  g_string_append_printf (text, "None of the %" G_GINT64_FORMAT " areas qualifies:",
                          found->n_positions);
  if (found->n_uncovered > 0)
    g_string_append_printf (text,
                            " %" G_GINT64_FORMAT " are covered by less than %g %% (lower "
                            "--min-coverage%s);",
                            found->n_uncovered, 100 * self->options.min_coverage,
                            self->filled ? "" : ", or --fill-uncovered");
  if (found->n_dull > 0)
    g_string_append_printf (text,
                            " %" G_GINT64_FORMAT " have a variance below %g, the best of them "
                            "%.3f (lower --min-variance);",
                            found->n_dull, self->options.min_variance, found->best_dull);
  g_string_truncate (text, text->len - 1);
  g_set_error_literal (error, URB_DATASET_ERROR, URB_DATASET_ERROR_EMPTY, text->str);
  return FALSE;
}

static UrbArea
area_of (const UrbSquare *square, const UrbCandidate *candidate, UrbSplit split)
{
  UrbArea area = {
    .center_x = square->x,
    .center_y = square->y,
    .angle_deg = square->angle_deg,
    .variance = candidate->variance,
    .split = split,
  };

  return area;
}

static void
choose_places (UrbCuration *self, UrbMap *map, const UrbCandidates *found, GArray *squares)
{
  g_autofree float *variances = g_new (float, found->items->len);

  for (guint i = 0; i < found->items->len; i++)
    {
      const UrbCandidate *candidate = &g_array_index (found->items, UrbCandidate, i);
      UrbSquare square = urb_candidates_get_square (found, candidate);

      variances[i] = candidate->variance;
      g_array_append_val (squares, square);
    }
  self->blocks = urb_blocks_choose (squares, variances, urb_map_get_extent (map),
                                    self->options.test_share, self->options.seed);
}

/* How many of each split --top allows. */
static void
limits_of_top (const UrbCurateOptions *options, gint64 limit[URB_N_SPLITS])
{
  if (options->top == 0)
    limit[URB_SPLIT_TRAIN] = limit[URB_SPLIT_TEST] = G_MAXINT64;
  else
    {
      limit[URB_SPLIT_TEST] = llround (options->top * options->test_share);
      limit[URB_SPLIT_TRAIN] = options->top - limit[URB_SPLIT_TEST];
    }
}

static gboolean
choose_areas (UrbCuration *self, const UrbCandidates *found, GArray *squares,
              GCancellable *cancellable, GError **error)
{
  const UrbCurateOptions *o = &self->options;
  /* Snapping to pixels moves an area by up to half a pixel, two by a whole one. */
  g_autoptr(UrbSelection) selection
    = urb_selection_new (o->area_size_m, o->max_overlap + 1.0 / o->resolution_px);
  gint64 limit[URB_N_SPLITS];

  limits_of_top (o, limit);
  for (guint i = 0; i < squares->len; i++)
    {
      const UrbSquare *square = &g_array_index (squares, UrbSquare, i);
      UrbSplit split;

      if (i % 1024 == 0 && g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (!urb_blocks_get_split (self->blocks, square, &split))
        self->n_straddling++;
      else if (self->n_split[split] >= limit[split])
        self->n_beyond_top++;
      else if (!urb_selection_offer (selection, square))
        self->n_overlapping++;
      else
        {
          UrbArea area
            = area_of (square, &g_array_index (found->items, UrbCandidate, i), split);

          g_array_append_val (self->areas, area);
          self->n_split[split]++;
        }
    }
  return TRUE;
}

static void
warn_about_split (UrbCuration *self)
{
  double n = self->areas->len, share = self->n_split[URB_SPLIT_TEST] / n;
  double wanted = self->options.test_share;

  if (wanted > 0 && self->n_split[URB_SPLIT_TEST] == 0)
    g_ptr_array_add (self->warnings,
                     g_strdup ("The map is too small to set places aside for testing: all areas "
                               "are for training"));
  else if (wanted > 0 && fabs (share - wanted) > 0.5 * wanted)
    g_ptr_array_add (self->warnings,
                     g_strdup_printf ("%.0f %% of the areas are for testing rather than %.0f %%: "
                                      "the map is small",
                                      100 * share, 100 * wanted));
}

static gboolean
curate (UrbCuration *self, UrbMap *map, UrbProgressFunc progress, gpointer user_data,
        GCancellable *cancellable, GError **error)
{
  g_autoptr(UrbCandidates) found = NULL;
  g_autoptr(GArray) squares = g_array_new (FALSE, FALSE, sizeof (UrbSquare));

  self->hull = urb_hull_new_of_map (map);
  found = find_candidates (self, map, progress, user_data, cancellable, error);
  if (found == NULL)
    return FALSE;
  self->n_positions = found->n_positions;
  self->n_uncovered = found->n_uncovered;
  self->n_dull = found->n_dull;
  if (found->n_positions == 0)
    return fail_too_small (self, map, error);
  if (found->items->len == 0)
    return fail_none (self, found, error);
  choose_places (self, map, found, squares);
  if (!choose_areas (self, found, squares, cancellable, error))
    return FALSE;
  if (self->areas->len == 0)
    {
      g_set_error_literal (error, URB_DATASET_ERROR, URB_DATASET_ERROR_EMPTY,
                           "No area is left once places for testing are set aside. Choose another "
                           "--test-share, or 0");
      return FALSE;
    }
  warn_about_split (self);
  return TRUE;
}

UrbCuration *
urb_curation_new (UrbMap *map, const UrbCurateOptions *options, UrbProgressFunc progress,
                  gpointer user_data, GCancellable *cancellable, GError **error)
{
  g_autoptr(UrbCuration) self = NULL;

  g_return_val_if_fail (map != NULL && options != NULL, NULL);

  if (!check_options (options, error))
    return NULL;
  self = g_new0 (UrbCuration, 1);
  self->options = *options;
  if (options->min_variance < 0)
    self->options.min_variance = urb_curate_get_default_variance (options->encoding);
  self->areas = g_array_new (FALSE, FALSE, sizeof (UrbArea));
  self->warnings = g_ptr_array_new_with_free_func (g_free);
  if (!curate (self, map, progress, user_data, cancellable, error))
    return NULL;
  return g_steal_pointer (&self);
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
