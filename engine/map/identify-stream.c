/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identify-stream.c - what identify.c and identify-read.c send each other.
 */
#include "map/identify-private.h"
#include "map/map-private.h"

#include <math.h>
#include <string.h>

#define MAX_ATTRIBUTES 10000

void
urb_map_find_send (const UrbMapFind *find, UrbStreamOut *out)
{
  urb_stream_put_int (out, find->layer);
  urb_stream_put_double (out, find->box.min_x);
  urb_stream_put_double (out, find->box.min_y);
  urb_stream_put_double (out, find->box.max_x);
  urb_stream_put_double (out, find->box.max_y);
  urb_stream_put_double (out, find->area_m2);
  urb_stream_put_int (out, find->polygon);
  urb_stream_put_int (out, find->is_area);
  urb_stream_put_int (out, MIN (find->attributes->len, MAX_ATTRIBUTES));
  for (guint i = 0; i < MIN (find->attributes->len, MAX_ATTRIBUTES); i++)
    {
      const UrbMapAttribute *attribute = g_ptr_array_index (find->attributes, i);
      urb_stream_put_text (out, attribute->name);
      urb_stream_put_text (out, attribute->value);
    }
  urb_stream_send (out, URB_MESSAGE_OBJECT);
}

UrbMapFind *
urb_map_find_receive (UrbStreamIn *in, guint64 n_bytes, guint n_layers, gint64 n_polygons,
                      GError **error)
{
  UrbMapFind *find;
  gint64 n;

  if (!urb_stream_receive_fields (in, n_bytes, error))
    return NULL;
  find = urb_map_find_new ((guint) urb_stream_get_int (in, 0, (gint64) n_layers - 1));
  find->box.min_x = urb_stream_get_double (in);
  find->box.min_y = urb_stream_get_double (in);
  find->box.max_x = urb_stream_get_double (in);
  find->box.max_y = urb_stream_get_double (in);
  find->area_m2 = fabs (urb_stream_get_double (in));
  find->polygon = urb_stream_get_int (in, -1, n_polygons - 1);
  find->is_area = (gboolean) urb_stream_get_int (in, FALSE, TRUE);
  n = urb_stream_get_int (in, 0, MAX_ATTRIBUTES);
  for (gint64 i = 0; i < n && !in->is_bad; i++)
    {
      UrbMapAttribute *attribute = g_new0 (UrbMapAttribute, 1);
      attribute->name = urb_stream_get_some_text (in);
      attribute->value = urb_stream_get_some_text (in);
      g_ptr_array_add (find->attributes, attribute);
    }
  if (urb_stream_end_fields (in, error))
    return find;
  urb_map_find_free (find);
  return NULL;
}

UrbMap *
urb_map_around_hits (UrbMap *map, const GArray *hits)
{
  UrbMapBuilder *builder = urb_map_builder_new ();

  urb_map_builder_set_profile (builder, map->profile);
  urb_map_builder_set_crs (builder, map->crs_wkt, map->crs_name, map->epsg);
  for (guint i = 0; i < map->layers->len; i++)
    {
      const UrbMapLayer *layer = g_ptr_array_index (map->layers, i);
      UrbMapLayer *copy = urb_map_builder_add_layer (builder, layer->name, layer->source);
      copy->crs_wkt = g_strdup (layer->crs_wkt);
      copy->n_lines = layer->n_lines;
    }
  for (guint h = hits->len; h-- > 0;)
    {
      const UrbMapPolygon *polygon
        = urb_map_get_polygon (map, g_array_index (hits, UrbMapHit, h).polygon);
      for (guint32 r = 0; r < polygon->n_rings; r++)
        {
          gint64 n;
          const double *xy = urb_map_get_ring (map, polygon->first_ring + r, &n);
          double *copy = urb_map_builder_reserve (builder, n);
          g_assert (copy != NULL); /* a part of a map fits where the map does */
          memcpy (copy, xy, (gsize) n * 2 * sizeof *xy);
          urb_map_builder_commit_ring (builder, n);
        }
      urb_map_builder_commit_polygon (builder, (UrbClass) polygon->class_, polygon->layer, G_MAXUINT32);
    }
  return urb_map_builder_finish (builder, URB_MAP_CLEAN_NOTHING);
}
