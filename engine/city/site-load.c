/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site-load.c - reads a site from an image or from vectors.
 *
 * Both are sampled at 4 x 4 points of each pixel, so that walls and the edges of streets are where they
 * were drawn.
 */
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "city/site.h"
#include "city/vector-raster.h"

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
  if (given > 0)
    g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS,
                 N_ ("'%s' covers the whole area, so nothing is free; remove what is to be planned anew."), path);
  else
    g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS, "'%s' shows nothing in the area; %s.", path, remedy);
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
                   N_ ("'%s' is not square, but the area is; crop it."), path);
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

typedef struct
{
  UrbClassMap *map; /* borrowed; of samples; URB_N_CLASSES: free */
  UrbClass     class_;
} Painter;

static void
paint_span (int row, int col_begin, int col_end, gpointer user_data)
{
  Painter *self = user_data;

  memset (self->map->classes + (gint64) row * self->map->width_px + col_begin, (int) self->class_,
          (gsize) (col_end - col_begin));
}

static void
paint_polygon (const UrbGiven *given, const UrbGivenPolygon *polygon, Painter *painter)
{
  const guint *sizes = &g_array_index (given->sizes, guint, polygon->first_ring);
  const double *xy = &g_array_index (given->xy, double, 2 * (gsize) polygon->first_vertex);
  double sample_m = painter->map->pixel_m;
  guint n = 0;
  g_autofree UrbPoint *points = NULL;

  for (guint k = 0; k < polygon->n_rings; k++)
    n += sizes[k];
  points = g_new (UrbPoint, n);
  for (guint i = 0; i < n; i++)
    points[i] = (UrbPoint) { xy[2 * i] / sample_m, (given->size_m - xy[2 * i + 1]) / sample_m };
  urb_rings_rasterize (points, sizes, polygon->n_rings, painter->map->width_px, painter->map->height_px,
                       paint_span, painter);
}

UrbSite *
urb_site_new_from_given (UrbGiven *given, int size_px)
{
  UrbSite *self = urb_site_new (size_px, given->size_m);
  int n = size_px * SAMPLES;
  g_autoptr(UrbClassMap) map = urb_class_map_new (n, n, given->size_m / n);
  Painter painter = { map };

  self->given = urb_given_ref (given);
  memset (map->classes, URB_N_CLASSES, (gsize) n * (gsize) n);
  for (int c = URB_N_CLASSES - 1; c >= 0; c--)
    for (guint i = 0; i < given->polygons->len; i++)
      {
        const UrbGivenPolygon *polygon = &g_array_index (given->polygons, UrbGivenPolygon, i);

        painter.class_ = (UrbClass) c;
        if (polygon->class_ == painter.class_)
          paint_polygon (given, polygon, &painter);
      }
  for (gint64 i = 0; i < (gint64) n * n; i++)
    if (map->classes[i] != URB_N_CLASSES)
      add_sample (self, i / n, i % n, (UrbClass) map->classes[i]);
  urb_site_add_margin (self, MARGIN_M);
  return self;
}

static gboolean
check_crs (UrbMap *map, const char *path, const UrbPlace *place, GError **error)
{
  if (place->epsg == 0 || urb_map_get_epsg (map) == place->epsg)
    return TRUE;
  g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS,
               "'%s' is in %s, but --place in EPSG:%d; state the place in the file's coordinates.",
               path, urb_map_get_crs_name (map), place->epsg);
  return FALSE;
}

static gboolean
has_class (const UrbSite *self, UrbClass class_)
{
  for (guint i = 0; i < self->given->polygons->len; i++)
    if (g_array_index (self->given->polygons, UrbGivenPolygon, i).class_ == class_)
      return TRUE;
  return FALSE;
}

static UrbSite *
load_vectors (const char *path, const UrbPlace *place, int size_px, double size_m,
              GError **error)
{
  const char *paths[] = { path, NULL };
  g_autofree char *crs = place->epsg == 0 ? NULL : g_strdup_printf ("EPSG:%d", place->epsg);
  UrbMapOptions options = { .crs = crs, .is_local = place->epsg == 0 };
  g_autoptr(UrbMap) map = urb_map_open (paths, &options, NULL, NULL, NULL, error);
  g_autoptr(UrbGiven) given = NULL;
  g_autoptr(UrbSite) self = NULL;

  if (map == NULL || !check_crs (map, path, place, error))
    return NULL;
  given = urb_given_new_from_map (map, place->x, place->y, size_m);
  self = urb_site_new_from_given (given, size_px);
  if (has_class (self, URB_CLASS_OTHER) && !has_class (self, URB_CLASS_BUILDING)
      && !has_class (self, URB_CLASS_ROAD))
    {
      g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS,
                   N_ ("No object in this area of '%s' was recognized as a building or a street. Give the objects the "
                       "attribute class with the value building, road or other."), path);
      return NULL;
    }
  return check_content (self, path, "state where its lower left corner is with --place", error)
           ? g_steal_pointer (&self) : NULL;
}

UrbSite *
urb_site_load (const char *path, const UrbPlace *place, int size_px, double size_m,
               GError **error)
{
  g_autofree char *lower = g_ascii_strdown (path, -1);
  UrbSite *self;

  if (!g_str_has_suffix (lower, ".png"))
    return load_vectors (path, place, size_px, size_m, error);
  self = load_png (path, size_px, size_m, error);
  if (self != NULL)
    urb_site_add_margin (self, MARGIN_M);
  return self;
}
