/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-writer-geojson.c - writes a FeatureCollection with one feature per polygon.
 *
 * GeoJSON coordinates are degrees by default, and GDAL takes them as degrees even after "crs": null.  A "crs" with the
 * text of a local system (GeoJSON 2008; GDAL and QGIS read it) marks meters without a position on Earth.
 *
 * Not written with json-glib, which can neither print fixed decimals nor write incrementally.
 */
#include "city/city-writer-private.h"

static void
write_number (FILE *out, double value)
{
  urb_city_writer_put_decimal (out, "%.4f", value);
}

/* A member that GeoJSON does not define; readers skip it. */
static void
write_provenance (FILE *out, const UrbProvenance *provenance)
{
  for (guint i = 0; provenance != NULL && i < provenance->facts->len; i++)
    {
      const UrbFact *fact = &g_array_index (provenance->facts, UrbFact, i);

      fprintf (out, "%s\"%s\":", i == 0 ? ",\n\"provenance\":{" : ",", fact->name);
      urb_city_writer_put_json_string (out, fact->text);
    }
  if (provenance != NULL)
    fputc ('}', out);
}

static gboolean
begin (UrbCityWriter *self, GError **error)
{
  FILE *out = urb_output_file_get_stream (self->file);

  fprintf (out, "{\"type\":\"FeatureCollection\",\n\"crs\":");
  if (self->layout.place.epsg > 0)
    fprintf (out, "{\"type\":\"name\",\"properties\":{\"name\":\"urn:ogc:def:crs:EPSG::%d\"}}",
             self->layout.place.epsg);
  else if (self->layout.place.crs_wkt != NULL)
    {
      fputs ("{\"type\":\"name\",\"properties\":{\"name\":", out);
      urb_city_writer_put_json_string (out, self->layout.place.crs_wkt);
      fputs ("}}", out);
    }
  else
    fprintf (out, "{\"type\":\"name\",\"properties\":{\"name\":\"LOCAL_CS[\\\"Local meters\\\","
                  "UNIT[\\\"metre\\\",1]]\"}}");
  write_provenance (out, self->layout.provenance);
  fprintf (out, ",\n\"features\":[");
  return urb_city_writer_check_stream (self, error);
}

static void
write_vertex (FILE *out, const double *xy, gboolean comma)
{
  fputs (comma ? ",[" : "[", out);
  write_number (out, xy[0]);
  fputc (',', out);
  write_number (out, xy[1]);
  fputc (']', out);
}

static void
write_polygon (FILE *out, const UrbCityVectors *vectors, const UrbCityPolygon *polygon,
               const UrbCityLabel *label)
{
  fprintf (out, "{\"type\":\"Feature\",\"properties\":{\"class\":\"%s\",\"city\":%" G_GINT64_FORMAT
                ",\"seed\":%" G_GUINT64_FORMAT ",\"area_m2\":",
           urb_class_get_name (polygon->class_), label->number, label->seed);
  write_number (out, polygon->area_m2);
  fprintf (out, "},\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[");
  for (guint k = 0; k < polygon->n_rings; k++)
    {
      guint n;
      const double *xy = urb_city_vectors_get_ring (vectors, polygon, k, &n);

      fputs (k > 0 ? ",[" : "[", out);
      for (guint i = 0; i <= n; i++)
        write_vertex (out, xy + 2 * (gsize) (i % n), i > 0);
      fputc (']', out);
    }
  fprintf (out, "]}}");
}

static void
write_centerline (FILE *out, const UrbCityVectors *vectors, const UrbCityStreet *street,
                  const UrbCityLabel *label)
{
  const double *xy = urb_city_vectors_get_street (vectors, street);

  fprintf (out, ",\n{\"type\":\"Feature\",\"properties\":{\"class\":\"centerline\",\"city\":%" G_GINT64_FORMAT
                ",\"seed\":%" G_GUINT64_FORMAT ",\"width_m\":",
           label->number, label->seed);
  write_number (out, street->width_m);
  fprintf (out, "},\"geometry\":{\"type\":\"LineString\",\"coordinates\":[");
  for (guint i = 0; i < street->n_vertices; i++)
    write_vertex (out, xy + 2 * (gsize) i, i > 0);
  fprintf (out, "]}}");
}

static gboolean
add (UrbCityWriter *self, const UrbCityVectors *vectors, const UrbCityLabel *label, GError **error)
{
  FILE *out = urb_output_file_get_stream (self->file);

  for (guint i = 0; i < vectors->polygons->len; i++)
    {
      fputs (self->n_written == 1 && i == 0 ? "\n" : ",\n", out);
      write_polygon (out, vectors, &g_array_index (vectors->polygons, UrbCityPolygon, i), label);
    }
  for (guint i = 0; i < vectors->streets->len; i++)
    write_centerline (out, vectors, &g_array_index (vectors->streets, UrbCityStreet, i), label);
  return urb_city_writer_check_stream (self, error);
}

static gboolean
finish (UrbCityWriter *self, GError **error)
{
  fprintf (urb_output_file_get_stream (self->file), "\n]}\n");
  return urb_city_writer_check_stream (self, error);
}

const UrbCityFormat urb_city_format_geojson = {
  .suffix = ".geojson",
  .begin = begin,
  .add = add,
  .finish = finish,
};
