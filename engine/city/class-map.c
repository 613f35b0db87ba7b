/* SPDX-License-Identifier: Apache-2.0 */
/*
 * class-map.c - classifies levels, and cleans up the result.
 *
 * The hard part is the sieve: two adjacent specks must not swap their classes forever.
 * Specks are processed one at a time, smallest first, based on the changes so far, and each
 * joins an adjacent class.  So every change reduces the number of components, and the loop
 * terminates.
 */
#include "city/class-map.h"

#include <string.h>

#include "city/components.h"

G_DEFINE_QUARK (urb-city-error-quark, urb_city_error)

UrbClassMap *
urb_class_map_new (int width_px, int height_px, double pixel_m)
{
  UrbClassMap *self;

  g_return_val_if_fail (width_px > 0 && width_px <= URB_CLASS_MAP_MAX_EDGE_PX, NULL);
  g_return_val_if_fail (height_px > 0 && height_px <= URB_CLASS_MAP_MAX_EDGE_PX, NULL);

  self = g_new0 (UrbClassMap, 1);
  self->width_px = width_px;
  self->height_px = height_px;
  self->pixel_m = pixel_m;
  self->classes = g_malloc ((gsize) width_px * (gsize) height_px);
  memset (self->classes, URB_CLASS_OTHER, (gsize) width_px * (gsize) height_px);
  return self;
}

void
urb_class_map_free (UrbClassMap *self)
{
  if (self == NULL)
    return;
  g_free (self->classes);
  g_free (self);
}

UrbClass
urb_class_from_levels (const guint8 *levels, int n_channels)
{
  if (n_channels == 1)
    return levels[0] < 64 ? URB_CLASS_ROAD
           : levels[0] < 192 ? URB_CLASS_OTHER
           : URB_CLASS_BUILDING;
  if (levels[0] == levels[1] && levels[1] == levels[2])
    return URB_CLASS_OTHER;
  if (levels[0] >= levels[1] && levels[0] >= levels[2])
    return URB_CLASS_BUILDING;
  return levels[1] >= levels[2] ? URB_CLASS_ROAD : URB_CLASS_OTHER;
}

/* The position of sample @i of the fine grid between two coarse pixels. */
static void
place_sample (int i, int zoom, int n, int *low, int *high, int *weight)
{
  int position = ((2 * i + 1) * 128) / zoom - 128; /* of the pixel center, in 256ths */

  if (position < 0)
    position = 0;
  *low = MIN (position / 256, n - 1);
  *high = MIN (*low + 1, n - 1);
  *weight = position % 256;
}

static void
interpolate (const guint8 *levels, int width, int height, int n_channels, int zoom,
             int row, int col, guint8 *out)
{
  int top, bottom, left, right, down, across;

  place_sample (row, zoom, height, &top, &bottom, &down);
  place_sample (col, zoom, width, &left, &right, &across);
  for (int c = 0; c < n_channels; c++)
    {
      int a = levels[((gint64) top * width + left) * n_channels + c];
      int b = levels[((gint64) top * width + right) * n_channels + c];
      int d = levels[((gint64) bottom * width + left) * n_channels + c];
      int e = levels[((gint64) bottom * width + right) * n_channels + c];

      out[c] = (guint8) (((a * (256 - across) + b * across) * (256 - down)
                          + (d * (256 - across) + e * across) * down + 32768) >> 16);
    }
}

UrbClassMap *
urb_class_map_new_from_levels (const guint8 *levels, int width_px, int height_px,
                               int n_channels, double width_m, int zoom)
{
  UrbClassMap *self;
  guint8 mixed[3];

  g_return_val_if_fail (n_channels == 1 || n_channels == 3, NULL);
  g_return_val_if_fail (zoom >= 1 && zoom <= 64, NULL);

  self = urb_class_map_new (width_px * zoom, height_px * zoom, width_m / (width_px * zoom));
  g_return_val_if_fail (self != NULL, NULL);
  for (int row = 0; row < self->height_px; row++)
    for (int col = 0; col < self->width_px; col++)
      {
        const guint8 *pixel = mixed;

        if (zoom == 1)
          pixel = levels + ((gint64) row * width_px + col) * n_channels;
        else
          interpolate (levels, width_px, height_px, n_channels, zoom, row, col, mixed);
        self->classes[(gint64) row * self->width_px + col] = urb_class_from_levels (pixel,
                                                                                    n_channels);
      }
  return self;
}

void
urb_clean_options_init (UrbCleanOptions *options)
{
  *options = (UrbCleanOptions) {
    .mode_filter = TRUE,
    .min_area_m2 = { [URB_CLASS_BUILDING] = 10, [URB_CLASS_ROAD] = 40, [URB_CLASS_OTHER] = 10 },
  };
}

/* The class of at least 5 of the 3 x 3 pixels around, or the pixel's own.  Beyond the image,
 * edge pixels are repeated. */
static guint8
vote (const guint8 *classes, int width, int height, int row, int col)
{
  int votes[URB_N_CLASSES] = { 0 };

  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      {
        int y = CLAMP (row + dy, 0, height - 1), x = CLAMP (col + dx, 0, width - 1);

        votes[classes[(gint64) y * width + x]]++;
      }
  for (int c = 0; c < URB_N_CLASSES; c++)
    if (votes[c] >= 5)
      return (guint8) c;
  return classes[(gint64) row * width + col];
}

/* The class with which the component shares most of its border, or its own if there is
 * none. */
static guint8
find_main_neighbor (const UrbClassMap *self, const gint32 *labels, gint32 label,
                    const UrbComponent *component)
{
  gint64 shared[URB_N_CLASSES] = { 0 };
  int width = self->width_px, height = self->height_px, best = component->value;

  for (int row = component->min_row; row <= component->max_row; row++)
    for (int col = component->min_col; col <= component->max_col; col++)
      {
        gint64 i = (gint64) row * width + col;

        if (labels[i] != label)
          continue;
        if (col > 0 && labels[i - 1] != label)
          shared[self->classes[i - 1]]++;
        if (col + 1 < width && labels[i + 1] != label)
          shared[self->classes[i + 1]]++;
        if (row > 0 && labels[i - width] != label)
          shared[self->classes[i - width]]++;
        if (row + 1 < height && labels[i + width] != label)
          shared[self->classes[i + width]]++;
      }
  shared[component->value] = 0; /* a speck that just got this class: merged in the next round */
  for (int c = 0; c < URB_N_CLASSES; c++)
    if (shared[c] > 0 && (best == component->value || shared[c] > shared[best]))
      best = c;
  return (guint8) best;
}

typedef struct
{
  gint64 n_pixels;
  gint32 label;
} Speck;

static int
compare_specks (gconstpointer a, gconstpointer b)
{
  const Speck *x = a, *y = b;

  if (x->n_pixels != y->n_pixels)
    return x->n_pixels < y->n_pixels ? -1 : 1;
  return (x->label > y->label) - (x->label < y->label);
}

/* Runs one round.  Returns: whether anything changed */
static gboolean
sieve_once (UrbClassMap *self, const double *min_area_m2, gint32 *labels)
{
  g_autoptr(GArray) components
    = urb_components_label (self->classes, self->width_px, self->height_px, URB_CONNECT_4, labels);
  g_autoptr(GArray) specks = g_array_new (FALSE, FALSE, sizeof (Speck));
  gboolean changed = FALSE;

  for (guint i = 0; i < components->len; i++)
    {
      const UrbComponent *component = &g_array_index (components, UrbComponent, i);
      Speck speck = { component->n_pixels, (gint32) i };

      if ((double) component->n_pixels * self->pixel_m * self->pixel_m
          < min_area_m2[component->value])
        g_array_append_val (specks, speck);
    }
  g_array_sort (specks, compare_specks);
  for (guint i = 0; i < specks->len; i++)
    {
      gint32 label = g_array_index (specks, Speck, i).label;
      const UrbComponent *component = &g_array_index (components, UrbComponent, label);
      guint8 class_ = find_main_neighbor (self, labels, label, component);

      if (class_ == component->value)
        continue;
      changed = TRUE;
      for (int row = component->min_row; row <= component->max_row; row++)
        for (int col = component->min_col; col <= component->max_col; col++)
          if (labels[(gint64) row * self->width_px + col] == label)
            self->classes[(gint64) row * self->width_px + col] = class_;
    }
  return changed;
}

void
urb_class_map_clean (UrbClassMap *self, const UrbCleanOptions *options)
{
  gsize n_pixels = (gsize) self->width_px * (gsize) self->height_px;
  g_autofree gint32 *labels = g_new (gint32, n_pixels);

  if (options->mode_filter)
    {
      g_autofree guint8 *before = g_memdup2 (self->classes, n_pixels);

      for (int row = 0; row < self->height_px; row++)
        for (int col = 0; col < self->width_px; col++)
          self->classes[(gint64) row * self->width_px + col]
            = vote (before, self->width_px, self->height_px, row, col);
    }
  while (sieve_once (self, options->min_area_m2, labels))
    ;
}

void
urb_class_map_get_shares (const UrbClassMap *self, double *shares)
{
  gint64 counts[URB_N_CLASSES] = { 0 }, n_pixels = (gint64) self->width_px * self->height_px;

  for (gint64 i = 0; i < n_pixels; i++)
    counts[self->classes[i]]++;
  for (int c = 0; c < URB_N_CLASSES; c++)
    shares[c] = (double) counts[c] / (double) n_pixels;
}
