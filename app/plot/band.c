/* SPDX-License-Identifier: Apache-2.0 */
/*
 * band.c - a band's outline has thousands of steep edges, which take Cairo some milliseconds.  In
 * an image, a band is one vertical run per pixel column, which is blended directly; for vector
 * output, it is a path.
 */
#include "app/plot/band.h"

#include <math.h>

guint
urbarium_band_find_run_end (const UrbariumBandPart *parts, guint n_parts, guint start)
{
  guint end = start + 1;

  while (end < n_parts && parts[end].run == parts[start].run)
    end++;
  return end;
}

static void
fill_path (const UrbariumBandPart *parts, guint n_parts, cairo_t *cr, const GdkRGBA *color,
           double line_width)
{
  double half = line_width / 2;

  gdk_cairo_set_source_rgba (cr, color);
  for (guint start = 0, end; start < n_parts; start = end)
    {
      end = urbarium_band_find_run_end (parts, n_parts, start);
      cairo_move_to (cr, parts[start].x - half, parts[start].bottom + half);
      for (guint i = start; i < end; i++)
        cairo_line_to (cr, parts[i].x, parts[i].top - half);
      for (guint i = end; i > start; i--)
        cairo_line_to (cr, parts[i - 1].x, parts[i - 1].bottom + half);
      cairo_close_path (cr);
    }
  cairo_fill (cr);
}

/* The target image; lengths are in device pixels. */
typedef struct
{
  guint8  *data;
  int      width, height, stride;
  double   scale;
  guint    alpha, red, green, blue; /* premultiplied color, 0 to 255 */
  double   half;
  gboolean is_line;
  double   clip_top, clip_bottom;
} Image;

static inline guint
scaled (guint value, guint by)
{
  return (value * by + 127) / 255;
}

/* @coverage: 0 to 255 */
static inline void
blend (const Image *image, guint32 *pixel, guint coverage)
{
  guint rest = 255 - scaled (image->alpha, coverage);
  guint alpha = scaled (image->alpha, coverage) + scaled (*pixel >> 24, rest);
  guint red = scaled (image->red, coverage) + scaled (*pixel >> 16 & 255, rest);
  guint green = scaled (image->green, coverage) + scaled (*pixel >> 8 & 255, rest);
  guint blue = scaled (image->blue, coverage) + scaled (*pixel & 255, rest);

  *pixel = MIN (alpha, 255) << 24 | MIN (red, 255) << 16 | MIN (green, 255) << 8 | MIN (blue, 255);
}

static void
blend_column (const Image *image, int column, double top, double bottom)
{
  int first, last;

  top = MAX (top - image->half, image->clip_top);
  bottom = MIN (bottom + image->half, image->clip_bottom);
  if (column < 0 || column >= image->width || !(top < bottom))
    return;
  first = (int) floor (top);
  last = MIN ((int) ceil (bottom), image->height);
  for (int row = MAX (first, 0); row < last; row++)
    {
      double covered = MIN (bottom, row + 1) - MAX (top, row);
      guint32 *pixel = (guint32 *) (image->data + (gsize) row * image->stride) + column;
      blend (image, pixel, (guint) (255 * covered + 0.5));
    }
}

/* Blends one run: each column covers its parts, or interpolates between the adjacent parts, and is
 * extended to touch the previous column. */
static void
blend_run (const Image *image, const UrbariumBandPart *parts, guint n_parts)
{
  double scale = image->scale, before_top = 0, before_bottom = 0;
  int first = (int) floor (parts[0].x * scale);
  int last = (int) floor (parts[n_parts - 1].x * scale);
  guint next = 0; /* first part not yet passed */

  /* Points beyond the edges may be far away. */
  for (int column = MAX (first, -1); column <= MIN (last, image->width); column++)
    {
      double top = INFINITY, bottom = -INFINITY, from_top, from_bottom;
      while (next < n_parts && parts[next].x * scale < column)
        next++;
      for (; next < n_parts && parts[next].x * scale < column + 1; next++)
        {
          top = MIN (top, parts[next].top * scale);
          bottom = MAX (bottom, parts[next].bottom * scale);
        }
      if (top > bottom)
        {
          const UrbariumBandPart *from = &parts[MAX (next, 1) - 1];
          const UrbariumBandPart *to = &parts[MIN (next, n_parts - 1)];
          double share = to->x > from->x ? ((column + 0.5) / scale - from->x) / (to->x - from->x)
                                         : 0;
          top = scale * (from->top + share * (to->top - from->top));
          bottom = scale * (from->bottom + share * (to->bottom - from->bottom));
        }
      from_top = top;
      from_bottom = bottom;
      if (column > MAX (first, -1))
        {
          /* To keep its width, a steep line covers two columns. */
          from_top = MIN (top, image->is_line ? before_top : before_bottom);
          from_bottom = MAX (bottom, image->is_line ? before_bottom : before_top);
        }
      blend_column (image, column, from_top, from_bottom);
      before_top = top;
      before_bottom = bottom;
    }
}

/* Returns: %FALSE if the target is not an ARGB32 image, or the matrix is not the identity */
static gboolean
image_init (Image *image, cairo_t *cr, const GdkRGBA *color, double line_width,
            UrbariumBandClip clip)
{
  cairo_surface_t *surface = cairo_get_target (cr);
  cairo_matrix_t matrix;
  double scale_x, scale_y;

  cairo_get_matrix (cr, &matrix);
  if (cairo_surface_get_type (surface) != CAIRO_SURFACE_TYPE_IMAGE
      || cairo_image_surface_get_format (surface) != CAIRO_FORMAT_ARGB32 || matrix.xx != 1
      || matrix.yy != 1 || matrix.xy != 0 || matrix.yx != 0 || matrix.x0 != 0 || matrix.y0 != 0)
    return FALSE;
  cairo_surface_get_device_scale (surface, &scale_x, &scale_y);
  cairo_surface_flush (surface);
  *image = (Image) {
    .data = cairo_image_surface_get_data (surface),
    .width = cairo_image_surface_get_width (surface),
    .height = cairo_image_surface_get_height (surface),
    .stride = cairo_image_surface_get_stride (surface),
    .scale = scale_x,
    .alpha = (guint) (255 * color->alpha + 0.5f),
    .red = (guint) (255 * color->alpha * color->red + 0.5f),
    .green = (guint) (255 * color->alpha * color->green + 0.5f),
    .blue = (guint) (255 * color->alpha * color->blue + 0.5f),
    .half = line_width / 2 * scale_x,
    .is_line = line_width > 1,
    .clip_top = clip.top * scale_x,
    .clip_bottom = clip.bottom * scale_x,
  };
  return image->data != NULL;
}

void
urbarium_band_fill (const UrbariumBandPart *parts, guint n_parts, cairo_t *cr, const GdkRGBA *color,
                    double line_width, UrbariumBandClip clip)
{
  Image image;

  if (!image_init (&image, cr, color, line_width, clip))
    {
      fill_path (parts, n_parts, cr, color, line_width);
      return;
    }
  for (guint start = 0, end; start < n_parts; start = end)
    {
      end = urbarium_band_find_run_end (parts, n_parts, start);
      blend_run (&image, parts + start, end - start);
    }
  cairo_surface_mark_dirty (cairo_get_target (cr));
}
