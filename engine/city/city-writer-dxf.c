/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-writer-dxf.c - writes a CAD drawing: DXF for AutoCAD R12, ASCII.
 *
 * Every program reads R12, and it needs neither handles nor objects.  It has no polygons
 * with holes, so each ring is a closed polyline on the layer of its class; center lines are open
 * polylines.  A drawing unit is a meter, which R12 has no variable for.
 */
#include "city/city-writer-private.h"

/* AutoCAD palette colors that are distinct on black and on white. */
typedef struct
{
  const char *name;
  int         color;
} Layer;

static const Layer layers[URB_N_CLASSES] = {
  [URB_CLASS_BUILDING] = { "BUILDING", 1 },
  [URB_CLASS_ROAD] = { "ROAD", 8 },
  [URB_CLASS_OTHER] = { "OTHER", 3 },
};
static const Layer centerlines = { "CENTERLINE", 5 };

/* A group code and its value, on a line each. */
static void
write_number (FILE *out, int code, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  fprintf (out, "%d\n%s\n", code, g_ascii_formatd (text, sizeof text, "%.4f", value));
}

static void
write_corner (FILE *out, const char *variable, double x, double y)
{
  fprintf (out, "9\n%s\n", variable);
  write_number (out, 10, x);
  write_number (out, 20, y);
}

static void
write_layer (FILE *out, const Layer *layer)
{
  fprintf (out, "0\nLAYER\n2\n%s\n70\n0\n62\n%d\n6\nCONTINUOUS\n", layer->name, layer->color);
}

static gboolean
begin (UrbCityWriter *self, GError **error)
{
  FILE *out = urb_output_file_get_stream (self->file);
  const UrbCityLayout *layout = &self->layout;
  double width_m, height_m;

  urb_city_layout_get_extent (layout, &width_m, &height_m);
  fputs ("0\nSECTION\n2\nHEADER\n9\n$ACADVER\n1\nAC1009\n", out);
  write_corner (out, "$EXTMIN", layout->origin_x, layout->origin_y);
  write_corner (out, "$EXTMAX", layout->origin_x + width_m, layout->origin_y + height_m);
  fputs ("0\nENDSEC\n0\nSECTION\n2\nTABLES\n0\nTABLE\n2\nLTYPE\n70\n1\n0\nLTYPE\n2\nCONTINUOUS\n"
         "70\n0\n3\nSolid line\n72\n65\n73\n0\n40\n0.0\n0\nENDTAB\n", out);
  fprintf (out, "0\nTABLE\n2\nLAYER\n70\n%d\n", URB_N_CLASSES + 1);
  for (int c = 0; c < URB_N_CLASSES; c++)
    write_layer (out, &layers[c]);
  write_layer (out, &centerlines);
  fputs ("0\nENDTAB\n0\nENDSEC\n0\nSECTION\n2\nENTITIES\n", out);
  return urb_city_writer_check_stream (self, error);
}

static void
write_polyline (FILE *out, const char *layer, gboolean closed, const double *xy, guint n,
                const UrbCityPlace *place)
{
  /* 66: vertices follow; 70: closed; the point is unused but mandatory. */
  fprintf (out, "0\nPOLYLINE\n8\n%s\n66\n1\n70\n%d\n10\n0.0\n20\n0.0\n30\n0.0\n", layer, closed);
  for (guint v = 0; v < n; v++)
    {
      fprintf (out, "0\nVERTEX\n8\n%s\n", layer);
      write_number (out, 10, place->x + xy[2 * v]);
      write_number (out, 20, place->y + xy[2 * v + 1]);
    }
  fprintf (out, "0\nSEQEND\n8\n%s\n", layer);
}

static gboolean
add (UrbCityWriter *self, const UrbCityVectors *vectors, const UrbCityPlace *place, GError **error)
{
  FILE *out = urb_output_file_get_stream (self->file);

  for (guint i = 0; i < vectors->polygons->len; i++)
    {
      const UrbCityPolygon *polygon = &g_array_index (vectors->polygons, UrbCityPolygon, i);
      const char *layer = layers[polygon->class_].name;

      for (guint k = 0; k < polygon->n_rings; k++)
        {
          guint n;
          const double *xy = urb_city_vectors_get_ring (vectors, polygon, k, &n);

          write_polyline (out, layer, TRUE, xy, n, place);
        }
    }
  for (guint i = 0; i < vectors->streets->len; i++)
    {
      const UrbCityStreet *street = &g_array_index (vectors->streets, UrbCityStreet, i);

      write_polyline (out, centerlines.name, FALSE, urb_city_vectors_get_street (vectors, street),
                      street->n_vertices, place);
    }
  return urb_city_writer_check_stream (self, error);
}

static gboolean
finish (UrbCityWriter *self, GError **error)
{
  fputs ("0\nENDSEC\n0\nEOF\n", urb_output_file_get_stream (self->file));
  return urb_city_writer_check_stream (self, error);
}

const UrbCityFormat urb_city_format_dxf = {
  .suffix = ".dxf",
  .begin = begin,
  .add = add,
  .finish = finish,
};
