/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image-set.c - see image-set.h.
 *
 * Images come from any program, so what their colors mean must be guessed; a wrong guess would be
 * judged as a bad generator.  What is likely to be a mistake is refused.
 */
#include "city/image-set.h"

#include <math.h>
#include <string.h>

#include "city/plan-drawing.h"
#include "city/png-pixels.h"
#include "dataset/tile-codec.h"

enum
{
  MAX_LABEL = 7 /* grey images without a higher level are numbers of classes */
};

struct _UrbImageSet
{
  UrbImageSetInfo info;
  GPtrArray      *paths; /* owned */
};

void
urb_image_set_free (UrbImageSet *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->paths);
  g_free (self);
}

const UrbImageSetInfo *
urb_image_set_get_info (const UrbImageSet *self)
{
  return &self->info;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  g_autofree char *x = g_utf8_collate_key_for_filename (*(char *const *) a, -1);
  g_autofree char *y = g_utf8_collate_key_for_filename (*(char *const *) b, -1);

  return strcmp (x, y);
}

static GPtrArray *
list_images (const char *folder, GError **error)
{
  g_autoptr(GDir) dir = g_dir_open (folder, 0, error);
  g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  if (dir == NULL)
    return NULL;
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *lower = g_ascii_strdown (name, -1);

      if (g_str_has_suffix (lower, ".png"))
        g_ptr_array_add (paths, g_build_filename (folder, name, NULL));
    }
  g_ptr_array_sort (paths, compare_names);
  return g_steal_pointer (&paths);
}

/* The nearest of @resolution_px, @resolution_px / 2, @resolution_px / 4 … */
static int
choose_size (int image_px, int resolution_px)
{
  int best = resolution_px;

  for (int size = resolution_px; size >= URB_TILE_MIN_PX; size /= 2)
    {
      if (fabs (log2 ((double) size / image_px)) < fabs (log2 ((double) best / image_px)))
        best = size;
      if (size % 2 != 0 || resolution_px / (size / 2) > URB_TILE_MAX_FACTOR)
        break;
    }
  return best;
}

static gboolean
fail (GError **error, const char *path, const char *what)
{
  g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_IMAGE, "'%s' %s", path, what);
  return FALSE;
}

static guint8
get_highest (const UrbPngPixels *pixels)
{
  guint8 highest = 0;

  for (gint64 i = 0; i < 3 * (gint64) pixels->width_px * pixels->height_px; i++)
    highest = MAX (highest, pixels->rgb[i]);
  return highest;
}

static gboolean
check_images (UrbImageSet *self, GError **error)
{
  gboolean all_grey = TRUE;
  guint8 highest = 0;

  for (guint i = 0; i < self->paths->len; i++)
    {
      const char *path = self->paths->pdata[i];
      g_autoptr(UrbPngPixels) pixels = urb_png_pixels_load (path, error);

      if (pixels == NULL)
        return FALSE;
      if (pixels->width_px != pixels->height_px)
        return fail (error, path, "is not square; give one image per area.");
      if (pixels->width_px < URB_TILE_MIN_PX)
        return fail (error, path, "is smaller than 8 x 8 pixels.");
      if (i == 0)
        self->info.image_px = pixels->width_px;
      if (pixels->width_px != self->info.image_px)
        return fail (error, path, "has another size than the first image of the folder.");
      all_grey &= pixels->is_grey;
      highest = MAX (highest, get_highest (pixels));
    }
  self->info.n_channels = all_grey ? 1 : 3;
  if (all_grey && highest <= MAX_LABEL)
    return fail (error, self->paths->pdata[0],
                 "and the other images are nearly black, as if their pixels were numbers of classes. "
                 "Write building 255, other 128, road 0.");
  return TRUE;
}

UrbImageSet *
urb_image_set_open (const char *folder, int resolution_px, GError **error)
{
  g_autoptr(UrbImageSet) self = g_new0 (UrbImageSet, 1);

  self->paths = list_images (folder, error);
  if (self->paths == NULL)
    return g_free (g_steal_pointer (&self)), NULL;
  self->info.n = self->paths->len;
  if (self->info.n == 0)
    {
      g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_IMAGE,
                   "The folder '%s' has no files *.png. Write one image per area to it.", folder);
      return NULL;
    }
  if (!check_images (self, error))
    return NULL;
  self->info.size_px = choose_size (self->info.image_px, resolution_px);
  return g_steal_pointer (&self);
}

/* Borders between the colors of a drawing are blends, hence only most pixels. */
static gboolean
is_plan (const UrbPngPixels *pixels)
{
  gint64 n = (gint64) pixels->width_px * pixels->height_px, n_plan = 0;

  for (gint64 i = 0; i < n; i++)
    for (UrbClass c = 0; c < URB_N_CLASSES; c++)
      {
        UrbColor color = urb_class_get_color (c);

        n_plan += memcmp (pixels->rgb + 3 * i, (const guint8[]) { color.r, color.g, color.b }, 3) == 0;
      }
  return 2 * n_plan > n;
}

/* @levels: (out): (height_px, width_px, @n_channels) */
static void
read_levels (const UrbPngPixels *pixels, int n_channels, float *levels)
{
  gboolean plan = n_channels == 3 && is_plan (pixels);

  for (gint64 i = 0; i < (gint64) pixels->width_px * pixels->height_px; i++)
    {
      const guint8 *rgb = pixels->rgb + 3 * i;

      if (n_channels == 1)
        levels[i] = pixels->opaque[i] ? rgb[0] : 128;
      else if (plan || !pixels->opaque[i])
        {
          UrbClass class_ = pixels->opaque[i] ? urb_class_from_color (rgb) : URB_CLASS_OTHER;

          for (int c = 0; c < 3; c++)
            levels[3 * i + c] = c == (int) class_ ? 255 : 0;
        }
      else
        for (int c = 0; c < 3; c++)
          levels[3 * i + c] = rgb[c];
    }
}

/* The mean of @line between @from and @to, in elements of @stride values. */
static float
get_mean (const float *line, gsize stride, double from, double to)
{
  double sum = 0;

  for (int i = (int) from; i < to; i++)
    sum += (MIN (i + 1, to) - MAX (i, from)) * (double) line[(gsize) i * stride];
  return (float) (sum / (to - from));
}

/* Averages the rows, then the columns.  @from: (@n, @n, @n_channels); @to: (@size, @size, @n_channels) */
static void
resample (const float *from, int n, int n_channels, int size, guint8 *to)
{
  double scale = (double) n / size;
  gsize channels = (gsize) n_channels, row = (gsize) size * channels;
  g_autofree float *rows = g_new (float, (gsize) n * row);

  for (int y = 0; y < n; y++)
    for (int x = 0; x < size; x++)
      for (gsize c = 0; c < channels; c++)
        rows[(gsize) y * row + (gsize) x * channels + c]
          = get_mean (from + (gsize) y * (gsize) n * channels + c, channels, x * scale,
                      MIN ((x + 1) * scale, n));
  for (int y = 0; y < size; y++)
    for (gsize i = 0; i < row; i++)
      to[(gsize) y * row + i]
        = (guint8) lrintf (get_mean (rows + i, row, y * scale, MIN ((y + 1) * scale, n)));
}

gboolean
urb_image_set_read (UrbImageSet *self, gint64 first, gint64 count, guint8 *levels, GError **error)
{
  const UrbImageSetInfo *info = &self->info;
  gsize tile = (gsize) info->size_px * (gsize) info->size_px * (gsize) info->n_channels;
  g_autofree float *whole = g_new (float, (gsize) info->image_px * (gsize) info->image_px
                                            * (gsize) info->n_channels);

  for (gint64 i = 0; i < count; i++)
    {
      const char *path = self->paths->pdata[first + i];
      g_autoptr(UrbPngPixels) pixels = urb_png_pixels_load (path, error);

      if (pixels == NULL)
        return FALSE;
      if (pixels->width_px != info->image_px || pixels->height_px != info->image_px)
        return fail (error, path, "was replaced by an image of another size meanwhile.");
      read_levels (pixels, info->n_channels, whole);
      resample (whole, info->image_px, info->n_channels, info->size_px, levels + (gsize) i * tile);
    }
  return TRUE;
}
