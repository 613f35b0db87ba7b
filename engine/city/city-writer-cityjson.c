/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-writer-cityjson.c - writes CityJSON 2.0: flat outlines (LoD 0) at height 0.
 *
 * Vertices are integers, in millimeters from the layout's corner, in one list at the end of the file; they are the
 * only thing that is kept until then (16 bytes each).
 *
 * Source: CityJSON 2.0 Specifications (OGC 20-072r5).
 */
#include "city/city-writer-private.h"

#include <math.h>

typedef struct
{
  GArray *vertices; /* gint64, in pairs; owned */
  gint64  n_objects;
} CityJson;

static const char *const types[URB_N_CLASSES] = {
  [URB_CLASS_BUILDING] = "Building",
  [URB_CLASS_ROAD] = "Road",
  [URB_CLASS_OTHER] = "LandUse",
};

static void
write_number (FILE *out, double value)
{
  urb_city_writer_put_decimal (out, "%.3f", value);
}

static gboolean
begin (UrbCityWriter *self, GError **error)
{
  FILE *out = urb_output_file_get_stream (self->file);
  const UrbCityLayout *layout = &self->layout;
  CityJson *json = self->data = g_new0 (CityJson, 1);
  UrbBox box = urb_city_layout_get_box (layout);

  json->vertices = g_array_new (FALSE, FALSE, 2 * sizeof (gint64));
  fputs ("{\"type\":\"CityJSON\",\"version\":\"2.0\",\n\"transform\":{\"scale\":[0.001,0.001,0.001],\"translate\":[",
         out);
  write_number (out, layout->place.x);
  fputc (',', out);
  write_number (out, layout->place.y);
  fputs (",0.0]},\n\"metadata\":{\"geographicalExtent\":[", out);
  write_number (out, box.min_x);
  fputc (',', out);
  write_number (out, box.min_y);
  fputs (",0.0,", out);
  write_number (out, box.max_x);
  fputc (',', out);
  write_number (out, box.max_y);
  fputs (",0.0]", out);
  /* Only systems with a code have a name here: for others there is no reference system. */
  if (layout->place.epsg > 0)
    fprintf (out, ",\"referenceSystem\":\"https://www.opengis.net/def/crs/EPSG/0/%d\"", layout->place.epsg);
  if (layout->provenance != NULL)
    {
      g_autofree char *line = urb_provenance_dup_line (layout->provenance);

      fputs (",\"title\":", out); /* the only member for text that the format defines */
      urb_city_writer_put_json_string (out, line);
    }
  fputs ("},\n\"CityObjects\":{", out);
  return urb_city_writer_check_stream (self, error);
}

/* "[0,1,2]": the vertices' places in the list */
static void
write_indices (UrbCityWriter *self, const double *xy, guint n)
{
  FILE *out = urb_output_file_get_stream (self->file);
  GArray *vertices = ((CityJson *) self->data)->vertices;
  const UrbPlace *place = &self->layout.place;

  for (guint v = 0; v < n; v++)
    {
      gint64 vertex[2] = { llrint ((xy[2 * v] - place->x) * 1000), llrint ((xy[2 * v + 1] - place->y) * 1000) };

      fprintf (out, "%c%u", v == 0 ? '[' : ',', vertices->len);
      g_array_append_val (vertices, vertex);
    }
  fputc (']', out);
}

/* @size: "area_m2" or "width_m".  An object follows with its attributes, up to its boundaries. */
static void
begin_object (UrbCityWriter *self, const char *name, guint number, const char *type, const UrbCityLabel *label,
              const char *size, double value, const char *geometry)
{
  FILE *out = urb_output_file_get_stream (self->file);

  fprintf (out, "%s\n\"city-%" G_GINT64_FORMAT "-%s-%u\":{\"type\":\"%s\",\"attributes\":{\"city\":%" G_GINT64_FORMAT
                ",\"seed\":\"%" G_GUINT64_FORMAT "\",\"%s\":",
           ((CityJson *) self->data)->n_objects++ == 0 ? "" : ",", label->number, name, number, type, label->number,
           label->seed, size);
  write_number (out, value);
  fprintf (out, "},\"geometry\":[{\"type\":\"%s\",\"lod\":\"0\",\"boundaries\":[", geometry);
}

static gboolean
add (UrbCityWriter *self, const UrbCityVectors *vectors, const UrbCityLabel *label, GError **error)
{
  FILE *out = urb_output_file_get_stream (self->file);
  guint n_polygons = vectors->polygons->len;

  for (guint i = 0; i < n_polygons; i++)
    {
      const UrbCityPolygon *polygon = &g_array_index (vectors->polygons, UrbCityPolygon, i);

      begin_object (self, urb_class_get_name (polygon->class_), i, types[polygon->class_], label, "area_m2",
                    polygon->area_m2, "MultiSurface");
      for (guint k = 0; k < polygon->n_rings; k++)
        {
          guint n;
          const double *xy = urb_city_vectors_get_ring (vectors, polygon, k, &n);

          fputc (k == 0 ? '[' : ',', out);
          write_indices (self, xy, n);
        }
      fputs ("]]}]}", out);
    }
  for (guint i = 0; i < vectors->streets->len; i++)
    {
      const UrbCityStreet *street = &g_array_index (vectors->streets, UrbCityStreet, i);

      begin_object (self, "centerline", n_polygons + i, "Road", label, "width_m", street->width_m, "MultiLineString");
      write_indices (self, urb_city_vectors_get_street (vectors, street), street->n_vertices);
      fputs ("]}]}", out);
    }
  return urb_city_writer_check_stream (self, error);
}

static gboolean
finish (UrbCityWriter *self, GError **error)
{
  FILE *out = urb_output_file_get_stream (self->file);
  const GArray *vertices = ((CityJson *) self->data)->vertices;

  fputs ("},\n\"vertices\":[", out);
  for (guint v = 0; v < vertices->len; v++)
    {
      const gint64 *vertex = (const gint64 *) (gpointer) vertices->data + 2 * (gsize) v;

      fprintf (out, "%s[%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",0]", v == 0 ? "" : ",", vertex[0], vertex[1]);
    }
  fputs ("]}\n", out);
  return urb_city_writer_check_stream (self, error);
}

static void
clear (UrbCityWriter *self)
{
  CityJson *json = self->data;

  if (json == NULL)
    return;
  g_array_unref (json->vertices);
  g_free (json);
}

const UrbCityFormat urb_city_format_cityjson = {
  .suffix = ".city.json",
  .begin = begin,
  .add = add,
  .finish = finish,
  .clear = clear,
};
