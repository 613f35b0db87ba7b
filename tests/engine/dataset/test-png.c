/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-png.c - our images, read by another library.
 */
#include <cairo.h>
#include <string.h>

#include "dataset/png.h"

typedef struct
{
  const GByteArray *file;
  gsize             position;
} Reader;

static cairo_status_t
read_cb (void *closure, unsigned char *data, unsigned int length)
{
  Reader *self = closure;

  if (length > self->file->len - self->position)
    return CAIRO_STATUS_READ_ERROR;
  memcpy (data, self->file->data + self->position, length);
  self->position += length;
  return CAIRO_STATUS_SUCCESS;
}

/* Pixels beyond the width and the upper byte are ignored. */
static void
test_round_trip (gconstpointer data)
{
  const int *size = data;
  int width = size[0], height = size[1], stride = width + 3;
  g_autofree guint32 *pixels = g_new (guint32, (gsize) stride * height);
  g_autoptr(GByteArray) file = NULL;
  Reader reader = { 0 };
  cairo_surface_t *surface;

  for (int i = 0; i < stride * height; i++)
    pixels[i] = i % 5 == 0 ? 0xff000000u + (guint32) i * 2654435761u : 0xfff1ede2u;
  file = urb_png_encode (pixels, stride, width, height);
  g_assert_nonnull (file);
  reader.file = file;
  surface = cairo_image_surface_create_from_png_stream (read_cb, &reader);
  g_assert_cmpint (cairo_surface_status (surface), ==, CAIRO_STATUS_SUCCESS);
  g_assert_cmpint (cairo_image_surface_get_width (surface), ==, width);
  g_assert_cmpint (cairo_image_surface_get_height (surface), ==, height);
  for (int y = 0; y < height; y++)
    {
      const guint32 *row = (const guint32 *) (gconstpointer) (
        cairo_image_surface_get_data (surface) + y * cairo_image_surface_get_stride (surface));

      for (int x = 0; x < width; x++)
        g_assert_cmphex (row[x] & 0xffffff, ==, pixels[y * stride + x] & 0xffffff);
    }
  cairo_surface_destroy (surface);
}

/* Much smaller than uncompressed pixels. */
static void
test_small (void)
{
  enum { EDGE = 500 };
  g_autofree guint32 *pixels = g_new0 (guint32, EDGE * EDGE);
  g_autoptr(GByteArray) file = urb_png_encode (pixels, EDGE, EDGE, EDGE);

  g_assert_cmpuint (file->len, <, 5000);
}

int
main (int argc, char **argv)
{
  static const int point[] = { 1, 1 }, row[] = { 700, 1 }, column[] = { 1, 900 }, many[] = { 333, 217 };

  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/png/point", point, test_round_trip);
  g_test_add_data_func ("/png/row", row, test_round_trip);
  g_test_add_data_func ("/png/column", column, test_round_trip);
  g_test_add_data_func ("/png/many", many, test_round_trip);
  g_test_add_func ("/png/small", test_small);
  return g_test_run ();
}
