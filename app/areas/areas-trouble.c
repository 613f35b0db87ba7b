/* SPDX-License-Identifier: Apache-2.0 */
/* areas-trouble.c - the engine's messages advise on command-line options; these, on the panel's. */
#include "app/areas/areas-trouble.h"

#include <math.h>

#include <glib/gi18n.h>

#include "app/base/format.h"

/* Areas along the shorter edge of a small map that the fix proposes. */
#define AREAS_ALONG_EDGE 5
#define ROUND_TO_M 5

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
describe_too_small (UrbariumAreasTrouble *self, double width_m, double height_m)
{
  double edge_m = MIN (width_m, height_m) / AREAS_ALONG_EDGE;
  g_autofree char *width = format_edge (width_m);
  g_autofree char *height = format_edge (height_m);
  g_autofree char *size = format_edge (self->fix.area_size_m);
  g_autofree char *smaller = NULL;
  edge_m = edge_m >= ROUND_TO_M ? floor (edge_m / ROUND_TO_M) * ROUND_TO_M : MAX (1, floor (edge_m));
  self->title = g_strdup (_ ("The map is smaller than an area"));
  /* translators: lengths: "The map measures 180 m × 140 m, …" */
  self->text = g_strdup_printf (_ ("The map measures %1$s × %2$s, and the edge of an area %3$s. "
                                   "Choose smaller areas, or open a larger map."),
                                width, height, size);
  self->fix.area_size_m = edge_m;
  self->fix.stride_m = edge_m / 2;
  smaller = format_edge (edge_m);
  /* translators: a button; %s is a length */
  self->fix_label = g_strdup_printf (_ ("Use areas of %s"), smaller);
}

static void
describe_uncovered (UrbariumAreasTrouble *self)
{
  g_autofree char *size = format_edge (self->fix.area_size_m);
  g_autofree char *coverage = urbarium_format_percent (self->fix.min_coverage);
  self->title = g_strdup (_ ("No area is covered sufficiently"));
  self->text = g_strdup_printf (
    /* translators: %1$s is a length, %2$s a percentage */
    _ ("The map covers no area of %1$s by at least %2$s. Lower “Minimum coverage”, choose "
       "smaller areas, or count uncovered ground as other."),
    size, coverage);
  if (self->fix.fill != URB_FILL_YES)
    {
      self->fix.fill = URB_FILL_YES;
      self->fix_label = g_strdup (_ ("Count uncovered ground as other"));
    }
  else
    {
      self->fix.min_coverage = 0.5;
      self->fix_label = g_strdup (_ ("Accept areas that are half covered"));
    }
}

UrbariumAreasTrouble *
urbarium_areas_trouble_new (UrbMap *map, const UrbCurateOptions *options, const GError *error)
{
  UrbariumAreasTrouble *self = g_new0 (UrbariumAreasTrouble, 1);
  UrbBox box = urb_map_get_extent (map);
  double width_m = box.max_x - box.min_x, height_m = box.max_y - box.min_y;
  self->fix = *options;
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      self->title = g_strdup (_ ("The search was cancelled"));
      self->text = g_strdup (_ ("This map has not been searched for areas yet."));
      self->fix_label = g_strdup (_ ("_Search again"));
    }
  else if (!g_error_matches (error, URB_DATASET_ERROR, URB_DATASET_ERROR_EMPTY))
    {
      self->title = g_strdup (_ ("No areas can be found"));
      self->text = g_strdup (error->message);
    }
  else if (MIN (width_m, height_m) < options->area_size_m)
    describe_too_small (self, width_m, height_m);
  else
    describe_uncovered (self);
  return self;
}

void
urbarium_areas_trouble_free (UrbariumAreasTrouble *self)
{
  g_free (self->title);
  g_free (self->text);
  g_free (self->fix_label);
  g_free (self);
}
