/* SPDX-License-Identifier: Apache-2.0 */
/* areas-trouble.c - the engine's messages advise on command-line options; these, on the panel's. */
#include "app/areas/areas-trouble.h"

#include <math.h>

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "dataset/advice.h"

/* "250 m", "2.5 km": an edge in whole meters. */
static char *
format_edge (double length_m)
{
  g_autofree char *number = urbarium_format_number (length_m, 0);
  /* translators: meters */
  return length_m < 1000 ? g_strdup_printf (_ ("%s m"), number)
                         : urbarium_format_length (length_m);
}

static void
describe_too_small (UrbariumAreasTrouble *self, UrbBox box, const UrbCurateOptions *options)
{
  g_autofree char *width = format_edge (box.max_x - box.min_x);
  g_autofree char *height = format_edge (box.max_y - box.min_y);
  g_autofree char *size = format_edge (options->area_size_m);
  self->title = g_strdup (_ ("The map is smaller than an area"));
  /* translators: lengths: "The map measures 180 m × 140 m, …" */
  self->text = g_strdup_printf (_ ("The map measures %1$s × %2$s, and the edge of an area %3$s."), width, height,
                                size);
}

static void
describe_uncovered (UrbariumAreasTrouble *self, const UrbCurateOptions *options)
{
  g_autofree char *size = format_edge (options->area_size_m);
  g_autofree char *coverage = urbarium_format_percent (options->min_coverage);
  self->title = g_strdup (_ ("No area is covered sufficiently"));
  /* translators: %1$s is a length, %2$s a percentage */
  self->text = g_strdup_printf (_ ("The map covers no area of %1$s by at least %2$s."), size, coverage);
}

static void
describe_dull (UrbariumAreasTrouble *self, const UrbCurateOptions *options, double max_variance)
{
  g_autofree char *wanted = urbarium_format_number (options->min_variance, 3);
  g_autofree char *most = urbarium_format_number (floor (max_variance * 1000) / 1000, 3);
  self->title = g_strdup (_ ("No area reaches the threshold"));
  /* translators: %1$s is the threshold of the variance, %2$s the largest variance: 0.180 */
  self->text = g_strdup_printf (_ ("The variance of an area has to be %1$s; the maximum is %2$s."), wanted, most);
}

/* The label of the button that changes @before to @after, which differ in one option. */
static char *
describe_change (const UrbCurateOptions *before, const UrbCurateOptions *after)
{
  g_autofree char *value = NULL;
  if (after->fill != before->fill)
    return g_strdup (_ ("Count uncovered ground as other"));
  if (after->min_coverage != before->min_coverage)
    {
      value = urbarium_format_percent (after->min_coverage);
      /* translators: a button; %s is a percentage */
      return g_strdup_printf (_ ("Lower the minimum coverage to %s"), value);
    }
  if (after->min_variance != before->min_variance)
    {
      value = urbarium_format_number (after->min_variance, 2);
      /* translators: a button; %s is a number: 0.20 */
      return g_strdup_printf (_ ("Lower the threshold to %s"), value);
    }
  value = format_edge (after->area_size_m != before->area_size_m ? after->area_size_m : after->stride_m);
  /* translators: a button; %s is a length */
  return after->area_size_m != before->area_size_m ? g_strdup_printf (_ ("Use areas of %s"), value)
                                                   /* translators: a button; %s is a length */
                                                   : g_strdup_printf (_ ("Use a step of %s"), value);
}

static void
add_advice (UrbariumAreasTrouble *self, const UrbCurateOptions *options, const GArray *advice)
{
  g_autofree char *cause = g_steal_pointer (&self->text);
  g_autofree char *hint = NULL;
  if (advice == NULL)
    hint = g_strdup (_ ("Other options are being tried…"));
  else if (advice->len == 0)
    hint = g_strdup (_ ("No change of a single option gives areas. Open a larger map, or check the classes of "
                        "its layers on the page “Map”."));
  else
    {
      const UrbAdvice *best = &g_array_index (advice, UrbAdvice, 0);
      g_autofree char *count = urbarium_format_count (best->n_areas);
      /* translators: below is a button with a change of an option */
      hint = g_strdup_printf (ngettext ("Of all changes tried, this one gives the most: %s area.",
                                        "Of all changes tried, this one gives the most: %s areas.",
                                        (gulong) best->n_areas),
                              count);
      self->fix = best->options;
      self->fix_label = describe_change (options, &best->options);
    }
  self->text = g_strconcat (cause, "\n", hint, NULL);
}

gboolean
urbarium_areas_trouble_needs_advice (const GError *error)
{
  return error == NULL || g_error_matches (error, URB_DATASET_ERROR, URB_DATASET_ERROR_EMPTY);
}

UrbariumAreasTrouble *
urbarium_areas_trouble_new (UrbMap *map, const UrbCurateOptions *options, const GError *error,
                            double max_variance, const GArray *advice)
{
  UrbariumAreasTrouble *self = g_new0 (UrbariumAreasTrouble, 1);
  UrbBox box = urb_map_get_extent (map);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      self->title = g_strdup (_ ("The search was cancelled"));
      self->text = g_strdup (_ ("This map has not been searched for areas yet."));
      self->fix_label = g_strdup (_ ("_Search again"));
      self->retry = TRUE;
    }
  else if (g_error_matches (error, URB_DATASET_ERROR, URB_DATASET_ERROR_LARGE))
    {
      self->title = g_strdup (_ ("The map is too large"));
      self->text = g_strdup (_ ("It has too many places for areas of this size and step. Choose larger ones, or read only a part "
                                "of the map. Objects with wrong coordinates can make a map so large, too."));
      self->fix_label = g_strdup (_ ("Open a _part…"));
      self->choose_part = TRUE;
    }
  else if (!urbarium_areas_trouble_needs_advice (error))
    {
      self->title = g_strdup (_ ("No areas can be found"));
      self->text = g_strdup (error->message);
    }
  else if (error == NULL)
    describe_dull (self, options, max_variance);
  else if (MIN (box.max_x - box.min_x, box.max_y - box.min_y) < options->area_size_m)
    describe_too_small (self, box, options);
  else
    describe_uncovered (self, options);
  if (urbarium_areas_trouble_needs_advice (error))
    add_advice (self, options, advice);
  return self;
}

void
urbarium_areas_trouble_fix (const UrbariumAreasTrouble *self, UrbCurateOptions *options)
{
  options->fill = self->fix.fill;
  options->min_coverage = self->fix.min_coverage;
  options->min_variance = self->fix.min_variance;
  options->area_size_m = self->fix.area_size_m;
  options->stride_m = self->fix.stride_m;
}

void
urbarium_areas_trouble_free (UrbariumAreasTrouble *self)
{
  g_free (self->title);
  g_free (self->text);
  g_free (self->fix_label);
  g_free (self);
}
