/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site-load.c - reads a site from an image or from vectors.
 *
 * Both are sampled at 4 x 4 points of each pixel, so that walls and the edges of streets are where they
 * were drawn.
 */
#include <math.h>
#include <string.h>

#include "city/site.h"
#include "dataset/raster.h"

enum { SAMPLES = 4 };

#define MARGIN_M 2.0

/* Adds the sample (@row, @col) of the area, in samples. */
static void
add_sample (UrbSite *self, gint64 row, gint64 col, UrbClass class_)
{
  self->shares[class_][row / SAMPLES * self->size_px + col / SAMPLES]
    += 1.0f / (SAMPLES * SAMPLES);
}

static gboolean
check_content (const UrbSite *self, const char *path, const char *remedy, GError **error)
{
  double given = urb_site_get_given_share (self);

  if (given > 0 && given < 1)
    return TRUE;
  g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS,
               given > 0 ? "'%s' covers the whole area, so nothing is free; remove what is to be "
                           "planned anew%s."
                         : "'%s' shows nothing in the area; %s.",
               path, given > 0 ? "" : remedy);
  return FALSE;
}

static UrbSite *
load_png (const char *path, int size_px, double size_m, GError **error)
{
  g_autofree guint8 *covered = NULL;
  g_autoptr(UrbClassMap) map = urb_class_map_load_png (path, size_m, &covered, error);
  g_autoptr(UrbSite) self = NULL;
  gint64 n = (gint64) size_px * SAMPLES;

  if (map == NULL)
    return NULL;
  if (map->width_px != map->height_px)
    {
      g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_IMAGE,
                   "'%s' is not square, but the area is; crop it.", path);
      return NULL;
    }
  self = urb_site_new (size_px, size_m);
  for (gint64 row = 0; row < n; row++)
    for (gint64 col = 0; col < n; col++)
      {
        gint64 from = (2 * row + 1) * map->height_px / (2 * n) * map->width_px
                      + (2 * col + 1) * map->width_px / (2 * n);

        if (covered[from])
          add_sample (self, row, col, (UrbClass) map->classes[from]);
      }
  return check_content (self, path, "draw what stays, and make the rest transparent", error)
           ? g_steal_pointer (&self) : NULL;
}

/* Returns: whether there is any */
static gboolean
add_class (UrbSite *self, UrbRaster *raster, UrbClass class_)
{
  gsize stride;
  const guint64 *plane = urb_raster_get_plane (raster, class_, &stride);
  gint64 n = (gint64) self->size_px * SAMPLES;
  gboolean has_any = FALSE;

  for (gint64 row = 0; row < n; row++)
    for (gint64 col = 0; col < n; col++)
      if (plane[(gsize) row * stride + (gsize) col / 64] >> (col % 64) & 1)
        {
          add_sample (self, row, col, class_);
          has_any = TRUE;
        }
  return has_any;
}

static gboolean
check_crs (UrbMap *map, const char *path, const UrbSitePlace *place, GError **error)
{
  if (place->epsg == 0 || urb_map_get_epsg (map) == place->epsg)
    return TRUE;
  g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS,
               "'%s' is in %s, but --place in EPSG:%d; state the place in the file's coordinates.",
               path, urb_map_get_crs_name (map), place->epsg);
  return FALSE;
}

static UrbSite *
load_vectors (const char *path, const UrbSitePlace *place, int size_px, double size_m,
              GError **error)
{
  const char *paths[] = { path, NULL };
  g_autofree char *crs = place->epsg == 0 ? NULL : g_strdup_printf ("EPSG:%d", place->epsg);
  UrbMapOptions options = { .crs = crs, .is_local = place->epsg == 0 };
  g_autoptr(UrbMap) map = urb_map_open (paths, &options, NULL, NULL, NULL, error);
  g_autoptr(UrbRaster) raster = NULL;
  g_autoptr(UrbSite) self = NULL;
  gboolean has_class[URB_N_CLASSES];
  UrbFrame frame;

  if (map == NULL || !check_crs (map, path, place, error))
    return NULL;
  self = urb_site_new (size_px, size_m);
  raster = urb_raster_new ();
  frame = urb_frame_around (place->x + size_m / 2, place->y + size_m / 2, 0, size_m,
                            size_px * SAMPLES);
  urb_raster_paint (raster, map, &frame);
  for (int c = 0; c < URB_N_CLASSES; c++)
    has_class[c] = add_class (self, raster, (UrbClass) c);
  if (has_class[URB_CLASS_OTHER] && !has_class[URB_CLASS_BUILDING] && !has_class[URB_CLASS_ROAD])
    {
      g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS,
                   "No object in this area of '%s' was recognized as a building or a street. Give the objects the "
                   "attribute class with the value building, road or other.", path);
      return NULL;
    }
  return check_content (self, path, "state where its lower left corner is with --place", error)
           ? g_steal_pointer (&self) : NULL;
}

UrbSite *
urb_site_load (const char *path, const UrbSitePlace *place, int size_px, double size_m,
               GError **error)
{
  g_autofree char *lower = g_ascii_strdown (path, -1);
  UrbSite *self = g_str_has_suffix (lower, ".png")
                    ? load_png (path, size_px, size_m, error)
                    : load_vectors (path, place, size_px, size_m, error);

  if (self != NULL)
    urb_site_add_margin (self, MARGIN_M);
  return self;
}
