/* SPDX-License-Identifier: Apache-2.0 */
/*
 * made-up-map.c - see made-up-map.h.
 */
#include "made-up-map.h"

#include <string.h>

#include "map/map-private.h"

UrbMap *
made_up_map_new (const double *xy, const guint32 *ring_sizes, const guint32 *rings_per_polygon,
                 const guint8 *classes, gint64 n_polygons, int epsg)
{
  g_autofree char *name = epsg > 0 ? g_strdup_printf ("EPSG:%d", epsg) : g_strdup ("unknown");
  UrbMapBuilder *builder = urb_map_builder_new ();
  UrbMapLayer *layer = urb_map_builder_add_layer (builder, "rings", "");

  for (int i = 0; i < URB_N_CLASSES; i++)
    urb_map_layer_add_value (layer, urb_class_get_name (i), i, TRUE);
  for (gint64 i = 0; i < n_polygons; i++)
    {
      for (guint32 r = 0; r < rings_per_polygon[i]; r++)
        {
          guint32 n = *ring_sizes++;
          double *room = urb_map_builder_reserve (builder, n);
          g_assert (room != NULL);
          memcpy (room, xy, n * 2 * sizeof (double));
          urb_map_builder_commit_ring (builder, n);
          xy += 2 * (gsize) n;
        }
      layer->n_features++;
      ((UrbMapValue *) g_ptr_array_index (layer->values, classes[i]))->n_features++;
      urb_map_builder_commit_polygon (builder, classes[i], 0, classes[i]);
    }
  urb_map_builder_set_crs (builder, "", name, epsg);
  return urb_map_builder_finish (builder, URB_MAP_CLEAN_NOTHING);
}

/* Spreads eight bits to the lowest bits of eight bytes, lowest first. */
static inline guint64
bits_to_bytes (guint64 bits)
{
  guint64 one_each = (bits & 0xff) * G_GUINT64_CONSTANT (0x0101010101010101)
                     & G_GUINT64_CONSTANT (0x8040201008040201);

  return (one_each + G_GUINT64_CONSTANT (0x7f7f7f7f7f7f7f7f)) >> 7
         & G_GUINT64_CONSTANT (0x0101010101010101);
}

/* Writes @n codes of two bits each, at most 64, to bytes. */
static void
write_codes (guint64 low, guint64 high, int n, guint8 *codes)
{
  for (; n > 0; n -= 8, low >>= 8, high >>= 8, codes += 8)
    {
      guint64 eight = GUINT64_TO_LE (bits_to_bytes (low) | bits_to_bytes (high) << 1);

      if (n >= 8)
        memcpy (codes, &eight, 8);
      else
        memcpy (codes, &eight, n);
    }
}

void
made_up_map_get_classes (UrbRaster *raster, const UrbFrame *frame, guint8 *codes)
{
  const int width = frame->width;
  const guint64 *planes[URB_N_CLASSES];
  gsize stride = 0;

  for (int c = 0; c < URB_N_CLASSES; c++)
    planes[c] = urb_raster_get_plane (raster, c, &stride);
  for (int y = 0; y < frame->height; y++)
    for (int x = 0; x < width; x += 64)
      {
        gsize i = y * stride + x / 64;
        guint64 road = planes[URB_CLASS_ROAD][i], other = planes[URB_CLASS_OTHER][i];
        guint64 none = ~(planes[URB_CLASS_BUILDING][i] | road | other);
        guint64 low = road | none, high = other | none;
        int n = MIN (64, width - x);
        guint8 *to = codes + (gsize) y * width + x;

        /* Fast path: most words have a single class. */
        if ((low == 0 || ~low == 0) && (high == 0 || ~high == 0))
          memset (to, (low & 1) | (high & 1) << 1, n);
        else
          write_codes (low, high, n, to);
      }
}
