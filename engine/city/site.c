/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site.c - see site.h.
 */
#include "city/site.h"

#include <math.h>

#include "city/components.h"

UrbSite *
urb_site_new (int size_px, double size_m)
{
  UrbSite *self = g_new0 (UrbSite, 1);

  self->size_px = size_px;
  self->size_m = size_m;
  for (int c = 0; c < URB_N_CLASSES; c++)
    self->shares[c] = g_new0 (float, (gsize) size_px * (gsize) size_px);
  return self;
}

void
urb_site_free (UrbSite *self)
{
  if (self == NULL)
    return;
  for (int c = 0; c < URB_N_CLASSES; c++)
    g_free (self->shares[c]);
  g_clear_pointer (&self->given, urb_given_unref);
  g_free (self);
}

static gint64
count_pixels (const UrbSite *self)
{
  return (gint64) self->size_px * self->size_px;
}

float
urb_site_get_given (const UrbSite *self, gint64 i)
{
  return self->shares[URB_CLASS_BUILDING][i] + self->shares[URB_CLASS_ROAD][i]
         + self->shares[URB_CLASS_OTHER][i];
}

UrbClass
urb_site_get_class (const UrbSite *self, gint64 i)
{
  UrbClass best = URB_CLASS_BUILDING;

  for (int c = 1; c < URB_N_CLASSES; c++)
    if (self->shares[c][i] > self->shares[best][i])
      best = (UrbClass) c;
  return best;
}

double
urb_site_get_given_share (const UrbSite *self)
{
  double sum = 0;

  for (gint64 i = 0; i < count_pixels (self); i++)
    sum += urb_site_get_given (self, i);
  return sum / (double) count_pixels (self);
}

/* ------------------------------------------------------------------------ */

/* Whether a pixel within @radius of (@row, @col) is mostly a given building. */
static gboolean
has_building_near (const UrbSite *self, const float *buildings, int row, int col, double radius)
{
  int reach = (int) ceil (radius);

  for (int y = MAX (0, row - reach); y <= MIN (self->size_px - 1, row + reach); y++)
    for (int x = MAX (0, col - reach); x <= MIN (self->size_px - 1, col + reach); x++)
      if (buildings[(gint64) y * self->size_px + x] > 0.5f
          && hypot (y - row, x - col) <= radius)
        return TRUE;
  return FALSE;
}

void
urb_site_add_margin (UrbSite *self, double margin_m)
{
  double radius = margin_m * self->size_px / self->size_m;

  for (int row = 0; row < self->size_px; row++)
    for (int col = 0; col < self->size_px; col++)
      {
        gint64 i = (gint64) row * self->size_px + col;
        float given = urb_site_get_given (self, i);

        if (given < 1 && has_building_near (self, self->shares[URB_CLASS_BUILDING], row, col, radius))
          self->shares[URB_CLASS_OTHER][i] += 1 - given;
      }
}

/* ------------------------------------------------------------------------ */
/* Levels                                                                    */

static guint8
to_byte (double value)
{
  return (guint8) CLAMP (lround (255 * value), 0, 255);
}

/* A pixel's levels in [0, 1] from shares that sum to 1: as a tile stores them. */
static void
shares_to_levels (const double *shares, int n_channels, double *levels)
{
  if (n_channels == 1) /* road 0, other a half, building 1 */
    levels[0] = shares[URB_CLASS_BUILDING] + 0.5 * shares[URB_CLASS_OTHER];
  else
    for (int c = 0; c < URB_N_CLASSES; c++)
      levels[c] = shares[c];
}

/* The errors of streets and buildings weigh more, since they cover less ground. */
static const double class_weights[URB_N_CLASSES] = {
  [URB_CLASS_BUILDING] = 0.75, [URB_CLASS_ROAD] = 1, [URB_CLASS_OTHER] = 0.5
};

/* Ground next to a given street is probably no street, or the street would be wider. */
static const double beside_street_weight = 0.25;

static gboolean
has_street_beside (const float *roads, int size_px, int row, int col)
{
  for (int y = MAX (0, row - 2); y <= MIN (size_px - 1, row + 2); y++)
    for (int x = MAX (0, col - 2); x <= MIN (size_px - 1, col + 2); x++)
      if (roads[y * size_px + x] > 0.25f)
        return TRUE;
  return FALSE;
}

static void
give_sides (const float *roads, int size_px, int n_channels, guint8 *weights, guint8 *levels)
{
  static const double ground[URB_N_CLASSES] = { 0.2, 0, 0.8 };
  double pixel[URB_N_CLASSES];

  shares_to_levels (ground, n_channels, pixel);
  for (int row = 0; row < size_px; row++)
    for (int col = 0; col < size_px; col++)
      {
        gint64 i = (gint64) row * size_px + col;

        if (weights[i] > 0 || !has_street_beside (roads, size_px, row, col))
          continue;
        weights[i] = to_byte (beside_street_weight);
        for (int c = 0; c < n_channels; c++)
          levels[i * n_channels + c] = to_byte (pixel[c]);
      }
}

void
urb_site_get_target (const UrbSite *self, int size_px, int n_channels, guint8 *weights,
                     guint8 *levels)
{
  int zoom = self->size_px / size_px;
  g_autofree float *roads = g_new (float, (gsize) size_px * (gsize) size_px);

  g_return_if_fail (zoom * size_px == self->size_px);
  for (int row = 0; row < size_px; row++)
    for (int col = 0; col < size_px; col++)
      {
        gint64 out = (gint64) row * size_px + col;
        double sums[URB_N_CLASSES] = { 0 }, given = 0, weight = 0, pixel[URB_N_CLASSES];

        for (int k = 0; k < zoom * zoom; k++)
          for (int c = 0; c < URB_N_CLASSES; c++)
            sums[c] += self->shares[c][((gint64) row * zoom + k / zoom) * self->size_px
                                       + col * zoom + k % zoom];
        for (int c = 0; c < URB_N_CLASSES; c++)
          {
            given += sums[c];
            weight += sums[c] * class_weights[c];
          }
        for (int c = 0; c < URB_N_CLASSES; c++)
          sums[c] = given > 0 ? sums[c] / given : 1.0 / URB_N_CLASSES;
        weights[out] = to_byte (weight / (zoom * zoom));
        roads[out] = (float) (sums[URB_CLASS_ROAD] * given / (zoom * zoom));
        shares_to_levels (sums, n_channels, pixel);
        for (int c = 0; c < n_channels; c++)
          levels[out * n_channels + c] = to_byte (pixel[c]);
      }
  give_sides (roads, size_px, n_channels, weights, levels);
}

void
urb_site_compose (const UrbSite *self, int n_channels, guint8 *levels)
{
  for (gint64 i = 0; i < count_pixels (self); i++)
    {
      double given = urb_site_get_given (self, i), shares[URB_N_CLASSES], pixel[URB_N_CLASSES];

      for (int c = 0; c < URB_N_CLASSES; c++)
        shares[c] = self->shares[c][i];
      shares_to_levels (shares, n_channels, pixel); /* linear: a part of a pixel is that part of it */
      for (int c = 0; c < n_channels; c++)
        {
          guint8 *level = levels + i * n_channels + c;

          *level = to_byte (pixel[c] + (1 - given) * *level / 255);
        }
    }
}

/* ------------------------------------------------------------------------ */
/* Reports                                                                   */

double
urb_site_get_met (const UrbSite *self, const UrbClassMap *map, double *by_class)
{
  gint64 n_given[URB_N_CLASSES] = { 0 }, n_met[URB_N_CLASSES] = { 0 }, given = 0, met = 0;

  for (int row = 0; row < self->size_px; row++)
    for (int col = 0; col < self->size_px; col++)
      {
        gint64 i = (gint64) row * self->size_px + col;
        int there_row = row * map->height_px / self->size_px;
        int there_col = col * map->width_px / self->size_px;
        UrbClass class_ = urb_site_get_class (self, i);

        if (urb_site_get_given (self, i) <= 0.5f)
          continue;
        n_given[class_]++;
        n_met[class_] += map->classes[(gint64) there_row * map->width_px + there_col] == class_;
      }
  for (int c = 0; c < URB_N_CLASSES; c++)
    {
      given += n_given[c];
      met += n_met[c];
      if (by_class != NULL)
        by_class[c] = n_given[c] > 0 ? (double) n_met[c] / (double) n_given[c] : 1;
    }
  return given > 0 ? (double) met / (double) given : 1;
}

double
urb_site_get_connected (const UrbSite *self, const UrbClassMap *map)
{
  int width = map->width_px, height = map->height_px;
  g_autofree gint32 *labels = g_new (gint32, (gsize) width * (gsize) height);
  g_autoptr(GArray) parts = urb_components_label (map->classes, width, height, URB_CONNECT_8, labels);
  g_autofree gboolean *reached = g_new0 (gboolean, parts->len);
  g_autofree gboolean *is_new = g_new0 (gboolean, (gsize) width * (gsize) height);
  gint64 n_new = 0, n_reached = 0;

  for (gint64 i = 0; i < (gint64) width * height; i++)
    {
      gint64 there = i / width * self->size_px / height * self->size_px
                     + i % width * self->size_px / width;
      gboolean given = urb_site_get_given (self, there) > 0.5f;

      if (given && urb_site_get_class (self, there) == URB_CLASS_ROAD)
        reached[labels[i]] = TRUE;
      is_new[i] = !given && map->classes[i] == URB_CLASS_ROAD;
    }
  for (gint64 i = 0; i < (gint64) width * height; i++)
    {
      const UrbComponent *part = &g_array_index (parts, UrbComponent, labels[i]);

      n_new += is_new[i];
      n_reached += is_new[i] && (reached[labels[i]] || part->touches_border);
    }
  return n_new > 0 ? (double) n_reached / (double) n_new : 1;
}
