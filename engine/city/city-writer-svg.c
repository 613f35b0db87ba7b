/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-writer-svg.c - writes an SVG drawing at a scale of 1 : 1000: a meter is a user unit and a millimeter on paper.
 *
 * One group per city, one path per class.
 */
#include "city/city-writer-private.h"

#include "city/plan-drawing.h"

static void
write_number (FILE *out, double value)
{
  urb_city_writer_put_decimal (out, "%.2f", value);
  fputc (' ', out);
}

static void
write_provenance (FILE *out, const UrbProvenance *provenance)
{
  fputs ("<metadata>\n", out);
  for (guint i = 0; i < provenance->facts->len; i++)
    {
      const UrbFact *fact = &g_array_index (provenance->facts, UrbFact, i);
      g_autofree char *text = g_markup_escape_text (fact->text, -1);

      fprintf (out, "%s: %s\n", fact->name, text);
    }
  fputs ("</metadata>\n", out);
}

static gboolean
begin (UrbCityWriter *self, GError **error)
{
  FILE *out = urb_output_file_get_stream (self->file);
  UrbBox box = urb_city_layout_get_box (&self->layout);
  double width_m = box.max_x - box.min_x, height_m = box.max_y - box.min_y;

  fprintf (out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"");
  urb_city_writer_put_decimal (out, "%.2f", width_m);
  fprintf (out, "mm\" height=\"");
  urb_city_writer_put_decimal (out, "%.2f", height_m);
  fprintf (out, "mm\" viewBox=\"0 0 ");
  write_number (out, width_m);
  write_number (out, height_m);
  fprintf (out, "\" fill-rule=\"evenodd\">\n<title>Scale 1 : 1000</title>\n");
  if (self->layout.provenance != NULL)
    write_provenance (out, self->layout.provenance);
  return urb_city_writer_check_stream (self, error);
}

static void
write_class (FILE *out, const UrbCityVectors *vectors, UrbClass class_, UrbBox box)
{
  UrbColor color = urb_class_get_color (class_);

  fprintf (out, "<path class=\"%s\" fill=\"#%02x%02x%02x\" d=\"", urb_class_get_name (class_),
           color.r, color.g, color.b);
  for (guint i = 0; i < vectors->polygons->len; i++)
    {
      const UrbCityPolygon *polygon = &g_array_index (vectors->polygons, UrbCityPolygon, i);

      for (guint k = 0; k < polygon->n_rings && polygon->class_ == class_; k++)
        {
          guint n;
          const double *xy = urb_city_vectors_get_ring (vectors, polygon, k, &n);

          fputs ("M ", out);
          for (guint v = 0; v < n; v++)
            {
              write_number (out, xy[2 * v] - box.min_x);
              write_number (out, box.max_y - xy[2 * v + 1]);
            }
          fputs ("Z ", out);
        }
    }
  fputs ("\"/>\n", out);
}

/* Hidden: a plan has none; an editor shows them as a layer. */
static void
write_centerlines (FILE *out, const UrbCityVectors *vectors, UrbBox box)
{
  const UrbColor color = URB_CENTERLINE_COLOR;

  fprintf (out, "<g class=\"centerline\" visibility=\"hidden\" fill=\"none\" stroke=\"#%02x%02x%02x\" "
                "stroke-width=\"0.5\">\n", color.r, color.g, color.b);
  for (guint i = 0; i < vectors->streets->len; i++)
    {
      const UrbCityStreet *street = &g_array_index (vectors->streets, UrbCityStreet, i);
      const double *xy = urb_city_vectors_get_street (vectors, street);

      fputs ("<path data-width-m=\"", out);
      write_number (out, street->width_m);
      fputs ("\" d=\"M ", out);
      for (guint v = 0; v < street->n_vertices; v++)
        {
          write_number (out, xy[2 * v] - box.min_x);
          write_number (out, box.max_y - xy[2 * v + 1]);
        }
      fputs ("\"/>\n", out);
    }
  fputs ("</g>\n", out);
}

static gboolean
add (UrbCityWriter *self, const UrbCityVectors *vectors, const UrbCityLabel *label, GError **error)
{
  FILE *out = urb_output_file_get_stream (self->file);
  UrbBox box = urb_city_layout_get_box (&self->layout);

  fprintf (out, "<g id=\"city-%" G_GINT64_FORMAT "\" data-seed=\"%" G_GUINT64_FORMAT "\">\n",
           label->number, label->seed);
  for (int c = URB_N_CLASSES - 1; c >= 0; c--)
    write_class (out, vectors, (UrbClass) c, box);
  write_centerlines (out, vectors, box);
  fputs ("</g>\n", out);
  return urb_city_writer_check_stream (self, error);
}

static gboolean
finish (UrbCityWriter *self, GError **error)
{
  fputs ("</svg>\n", urb_output_file_get_stream (self->file));
  return urb_city_writer_check_stream (self, error);
}

const UrbCityFormat urb_city_format_svg = {
  .suffix = ".svg",
  .begin = begin,
  .add = add,
  .finish = finish,
};
