/* SPDX-License-Identifier: Apache-2.0 */
/*
 * class-map-png.c - reads a class map from a PNG image.
 *
 * Images are untrusted: their size is checked before Cairo allocates memory.  Grey images
 * follow the rule for one channel; in other images, a pixel gets the class with the
 * nearest color, among the plan's colors and pure red, green and blue for the three
 * channels.  Pixels that are mostly transparent are other.
 */
#include <cairo.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "city/plan-drawing.h"

static gboolean
fail (GError **error, const char *path, const char *what)
{
  g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_IMAGE, "'%s' %s", path, what);
  return FALSE;
}

static guint32
read_u32 (const guint8 *bytes)
{
  return (guint32) bytes[0] << 24 | (guint32) bytes[1] << 16 | (guint32) bytes[2] << 8 | bytes[3];
}

/* Signature, then the chunk IHDR with width and height. */
static gboolean
check_header (const char *path, FILE *stream, GError **error)
{
  static const guint8 signature[] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
  guint8 head[24];
  guint32 width, height;

  if (fread (head, 1, sizeof head, stream) != sizeof head
      || memcmp (head, signature, sizeof signature) != 0 || memcmp (head + 12, "IHDR", 4) != 0)
    return fail (error, path, "is not a PNG image.");
  width = read_u32 (head + 16);
  height = read_u32 (head + 20);
  if (width == 0 || height == 0 || width > URB_CLASS_MAP_MAX_EDGE_PX
      || height > URB_CLASS_MAP_MAX_EDGE_PX)
    return fail (error, path, "is larger than 8192 x 8192 pixels; split it into parts.");
  rewind (stream);
  return TRUE;
}

static cairo_status_t
read_cb (void *closure, unsigned char *data, unsigned int length)
{
  return fread (data, 1, length, closure) == length ? CAIRO_STATUS_SUCCESS
                                                    : CAIRO_STATUS_READ_ERROR;
}

static int
distance2 (const guint8 *a, const guint8 *b)
{
  int dr = a[0] - b[0], dg = a[1] - b[1], db = a[2] - b[2];

  return dr * dr + dg * dg + db * db;
}

static guint8
class_of_color (const guint8 *rgb)
{
  static const guint8 channels[URB_N_CLASSES][3] = { { 255, 0, 0 }, { 0, 255, 0 }, { 0, 0, 255 } };
  guint8 best = 0;
  int least = G_MAXINT;

  for (guint8 c = 0; c < URB_N_CLASSES; c++)
    {
      UrbColor color = urb_class_get_color (c);
      const guint8 plan[3] = { color.r, color.g, color.b };
      int distance = MIN (distance2 (rgb, channels[c]), distance2 (rgb, plan));

      if (distance < least)
        {
          least = distance;
          best = c;
        }
    }
  return best;
}

static guint32
get_pixel (const guchar *data, gsize stride, int row, int col)
{
  return ((const guint32 *) (gconstpointer) (data + (gsize) row * stride))[col];
}

/* Grey images written by this program have no saturated pixels; plans always have some,
 * since their ground is not pure grey. */
static gboolean
is_grey (const guchar *data, gsize stride, int width, int height)
{
  for (int row = 0; row < height; row++)
    for (int col = 0; col < width; col++)
      {
        guint32 rgb = get_pixel (data, stride, row, col) & 0xffffff;

        if (rgb != (rgb & 0xff) * 0x010101)
          return FALSE;
      }
  return TRUE;
}

/* @covered: (out) (optional) (transfer full) */
static UrbClassMap *
classify (cairo_surface_t *surface, double width_m, guint8 **covered)
{
  int width = cairo_image_surface_get_width (surface);
  int height = cairo_image_surface_get_height (surface);
  gsize stride = (gsize) cairo_image_surface_get_stride (surface);
  const guchar *data = cairo_image_surface_get_data (surface);
  gboolean grey = is_grey (data, stride, width, height);
  gboolean has_alpha = cairo_image_surface_get_format (surface) == CAIRO_FORMAT_ARGB32;
  UrbClassMap *self = urb_class_map_new (width, height, width_m / width);

  if (covered != NULL)
    *covered = g_malloc0 ((gsize) width * (gsize) height);
  for (int row = 0; row < height; row++)
    for (int col = 0; col < width; col++)
      {
        guint32 pixel = get_pixel (data, stride, row, col);
        const guint8 rgb[3] = { (guint8) (pixel >> 16), (guint8) (pixel >> 8), (guint8) pixel };

        if (has_alpha && pixel >> 24 < 128)
          continue; /* it stays other */
        self->classes[(gint64) row * width + col]
          = grey ? (guint8) urb_class_from_levels (rgb, 1) : class_of_color (rgb);
        if (covered != NULL)
          (*covered)[(gint64) row * width + col] = TRUE;
      }
  return self;
}

UrbClassMap *
urb_class_map_load_png (const char *path, double width_m, guint8 **covered, GError **error)
{
  UrbClassMap *self = NULL;
  cairo_surface_t *surface;
  cairo_format_t format;
  FILE *stream = fopen (path, "rbe");

  if (stream == NULL)
    {
      g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_IMAGE, "Could not open '%s': %s.", path,
                   g_strerror (errno));
      return NULL;
    }
  if (!check_header (path, stream, error))
    {
      fclose (stream);
      return NULL;
    }
  surface = cairo_image_surface_create_from_png_stream (read_cb, stream);
  fclose (stream);
  format = cairo_image_surface_get_format (surface);
  if (cairo_surface_status (surface) != CAIRO_STATUS_SUCCESS)
    fail (error, path, "is a damaged PNG image.");
  else if (format != CAIRO_FORMAT_RGB24 && format != CAIRO_FORMAT_ARGB32)
    fail (error, path, "has an unsupported color depth; save it with 8 bits per channel.");
  else
    self = classify (surface, width_m, covered);
  cairo_surface_destroy (surface);
  return self;
}
