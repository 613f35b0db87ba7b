/* SPDX-License-Identifier: Apache-2.0 */
/*
 * png-pixels.c - reads PNG images with Cairo.
 */
#include "city/png-pixels.h"

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

UrbClass
urb_class_from_color (const guint8 *rgb)
{
  static const guint8 channels[URB_N_CLASSES][3] = { { 255, 0, 0 }, { 0, 255, 0 }, { 0, 0, 255 } };
  UrbClass best = 0;
  int least = G_MAXINT;

  for (UrbClass c = 0; c < URB_N_CLASSES; c++)
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

static UrbPngPixels *
copy_pixels (cairo_surface_t *surface)
{
  UrbPngPixels *self = g_new0 (UrbPngPixels, 1);
  gsize stride = (gsize) cairo_image_surface_get_stride (surface);
  const guchar *data = cairo_image_surface_get_data (surface);
  gboolean has_alpha = cairo_image_surface_get_format (surface) == CAIRO_FORMAT_ARGB32;
  gsize i = 0;

  self->width_px = cairo_image_surface_get_width (surface);
  self->height_px = cairo_image_surface_get_height (surface);
  self->rgb = g_malloc ((gsize) self->width_px * (gsize) self->height_px * 3);
  self->opaque = g_malloc ((gsize) self->width_px * (gsize) self->height_px);
  self->is_grey = TRUE;
  for (int row = 0; row < self->height_px; row++)
    for (int col = 0; col < self->width_px; col++, i++)
      {
        guint32 pixel = ((const guint32 *) (gconstpointer) (data + (gsize) row * stride))[col];

        for (int c = 0; c < 3; c++)
          self->rgb[3 * i + (gsize) c] = (guint8) (pixel >> (16 - 8 * c));
        self->opaque[i] = !has_alpha || pixel >> 24 >= 128;
        /* Grey images written by this program have no saturated pixels; plans always have some,
         * since their ground is not pure grey. */
        self->is_grey &= (pixel & 0xffffff) == (pixel & 0xff) * 0x010101;
      }
  return self;
}

void
urb_png_pixels_free (UrbPngPixels *self)
{
  if (self == NULL)
    return;
  g_free (self->rgb);
  g_free (self->opaque);
  g_free (self);
}

UrbPngPixels *
urb_png_pixels_load (const char *path, GError **error)
{
  UrbPngPixels *self = NULL;
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
    self = copy_pixels (surface);
  cairo_surface_destroy (surface);
  return self;
}
