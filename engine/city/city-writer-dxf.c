/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-writer-dxf.c - writes a CAD drawing: DXF for AutoCAD 2018, ASCII, in meters.
 *
 * Each polygon is a solid hatch, with its holes, on the fill layer of its class, and a closed line per ring on the
 * layer of its class; center lines are open lines.  Lines are drawn over hatches: each city's hatches come first.
 *
 * Source: Autodesk, DXF Reference for AutoCAD 2018.  Every object has a handle and names its owner; programs refuse
 * a drawing without the tables, blocks and dictionaries that begin() and finish() write.
 */
#include "city/city-writer-private.h"

#include "city/plan-drawing.h"

/* Handles of what every drawing has; those of entities follow. */
enum
{
  TABLE_HANDLE = 0x1,          /* … of as many tables */
  MODEL_RECORD_HANDLE = 0x10,
  PAPER_RECORD_HANDLE,
  BLOCKS_HANDLE = 0x12,        /* two for each block */
  DICTIONARY_HANDLE = 0x18,
  ENTRY_HANDLE = 0x20,         /* … of as many entries of tables */
  FIRST_ENTITY_HANDLE = 0x100,
};

/* Must be above all handles; how many there will be is not known when the head is written. */
#define HANDLE_SEED "7FFFFFFFFFFF"

typedef struct
{
  const char *name, *fill; /* (nullable) */
  int         color;       /* of AutoCAD's palette, distinct on black and on white */
} Layer;

static const Layer layers[URB_N_CLASSES] = {
  [URB_CLASS_BUILDING] = { "BUILDING", "BUILDING-FILL", 1 },
  [URB_CLASS_ROAD] = { "ROAD", "ROAD-FILL", 8 },
  [URB_CLASS_OTHER] = { "OTHER", "OTHER-FILL", 3 },
};
static const Layer centerlines = { "CENTERLINE", NULL, 5 };

typedef struct
{
  guint64 n_handles; /* of entities */
  int     n_tables, n_entries;
} Dxf;

/* A group code and its value, on a line each. */
static void
write_number (FILE *out, int code, double value)
{
  fprintf (out, "%d\n", code);
  urb_city_writer_put_decimal (out, "%.4f", value);
  fputc ('\n', out);
}

static void
write_point (FILE *out, double x, double y)
{
  write_number (out, 10, x);
  write_number (out, 20, y);
}

/* -------- Head -------- */

static void
write_header (FILE *out, UrbBox box, const UrbProvenance *provenance)
{
  fputs ("0\nSECTION\n2\nHEADER\n9\n$ACADVER\n1\nAC1032\n9\n$DWGCODEPAGE\n3\nANSI_1252\n", out);
  fputs ("9\n$INSUNITS\n70\n6\n9\n$MEASUREMENT\n70\n1\n", out); /* meters; metric */
  fputs ("9\n$HANDSEED\n5\n" HANDLE_SEED "\n9\n$EXTMIN\n", out);
  write_point (out, box.min_x, box.min_y);
  fputs ("30\n0.0\n9\n$EXTMAX\n", out);
  write_point (out, box.max_x, box.max_y);
  fputs ("30\n0.0\n", out);
  for (guint i = 0; provenance != NULL && i < provenance->facts->len; i++) /* AutoCAD: drawing properties */
    {
      const UrbFact *fact = &g_array_index (provenance->facts, UrbFact, i);

      fprintf (out, "9\n$CUSTOMPROPERTYTAG\n1\n%s\n9\n$CUSTOMPROPERTY\n1\n%s\n", fact->name, fact->text);
    }
  fputs ("0\nENDSEC\n", out);
}

static void
begin_table (FILE *out, Dxf *dxf, const char *name, int n_entries)
{
  fprintf (out, "0\nTABLE\n2\n%s\n5\n%X\n330\n0\n100\nAcDbSymbolTable\n70\n%d\n", name,
           (unsigned int) (TABLE_HANDLE + dxf->n_tables++), n_entries);
}

static void
end_table (FILE *out)
{
  fputs ("0\nENDTAB\n", out);
}

/* Of the table begun last. */
static void
begin_entry (FILE *out, Dxf *dxf, const char *type, const char *class_, const char *name)
{
  fprintf (out, "0\n%s\n5\n%X\n330\n%X\n100\nAcDbSymbolTableRecord\n100\n%s\n2\n%s\n", type,
           (unsigned int) (ENTRY_HANDLE + dxf->n_entries++), (unsigned int) (TABLE_HANDLE + dxf->n_tables - 1),
           class_, name);
}

/* Opened drawings show all of the plan. */
static void
write_view_port (FILE *out, Dxf *dxf, UrbBox box)
{
  double shown = 1.1 * MAX (box.max_y - box.min_y, (box.max_x - box.min_x) / 2);

  begin_table (out, dxf, "VPORT", 1);
  begin_entry (out, dxf, "VPORT", "AcDbViewportTableRecord", "*Active");
  fputs ("70\n0\n10\n0.0\n20\n0.0\n11\n1.0\n21\n1.0\n", out);
  write_number (out, 12, (box.min_x + box.max_x) / 2);
  write_number (out, 22, (box.min_y + box.max_y) / 2);
  fputs ("16\n0.0\n26\n0.0\n36\n1.0\n17\n0.0\n27\n0.0\n37\n0.0\n", out);
  write_number (out, 40, shown);
  write_number (out, 41, 2);
  write_number (out, 42, 50);
  end_table (out);
}

static void
write_line_types (FILE *out, Dxf *dxf)
{
  static const char *const names[] = { "ByBlock", "ByLayer", "Continuous" };

  begin_table (out, dxf, "LTYPE", G_N_ELEMENTS (names));
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      begin_entry (out, dxf, "LTYPE", "AcDbLinetypeTableRecord", names[i]);
      fputs ("70\n0\n3\n\n72\n65\n73\n0\n40\n0.0\n", out);
    }
  end_table (out);
}

/* @color: (nullable): in place of the palette's */
static void
write_layer (FILE *out, Dxf *dxf, const char *name, int palette, const UrbColor *color)
{
  begin_entry (out, dxf, "LAYER", "AcDbLayerTableRecord", name);
  fprintf (out, "70\n0\n62\n%d\n", palette);
  if (color != NULL)
    fprintf (out, "420\n%d\n", color->r << 16 | color->g << 8 | color->b);
  fputs ("6\nContinuous\n370\n-3\n390\n0\n", out);
}

static void
write_layers (FILE *out, Dxf *dxf)
{
  begin_table (out, dxf, "LAYER", 2 * URB_N_CLASSES + 2);
  write_layer (out, dxf, "0", 7, NULL);
  for (int c = 0; c < URB_N_CLASSES; c++)
    {
      UrbColor color = urb_class_get_color ((UrbClass) c);

      write_layer (out, dxf, layers[c].fill, layers[c].color, &color);
      write_layer (out, dxf, layers[c].name, layers[c].color, NULL);
    }
  write_layer (out, dxf, centerlines.name, centerlines.color, NULL);
  end_table (out);
}

static void
write_styles (FILE *out, Dxf *dxf)
{
  begin_table (out, dxf, "STYLE", 1);
  begin_entry (out, dxf, "STYLE", "AcDbTextStyleTableRecord", "Standard");
  fputs ("70\n0\n40\n0.0\n41\n1.0\n50\n0.0\n71\n0\n42\n2.5\n3\ntxt\n4\n\n", out);
  end_table (out);
  begin_table (out, dxf, "VIEW", 0);
  end_table (out);
  begin_table (out, dxf, "UCS", 0);
  end_table (out);
  begin_table (out, dxf, "APPID", 1);
  begin_entry (out, dxf, "APPID", "AcDbRegAppTableRecord", "ACAD");
  fputs ("70\n0\n", out);
  end_table (out);
  begin_table (out, dxf, "DIMSTYLE", 0);
  fputs ("100\nAcDbDimStyleTable\n71\n0\n", out);
  end_table (out);
}

static const char *const blocks[] = { "*Model_Space", "*Paper_Space" };

static void
write_blocks (FILE *out, Dxf *dxf)
{
  begin_table (out, dxf, "BLOCK_RECORD", G_N_ELEMENTS (blocks));
  for (unsigned int i = 0; i < G_N_ELEMENTS (blocks); i++)
    fprintf (out, "0\nBLOCK_RECORD\n5\n%X\n330\n%X\n100\nAcDbSymbolTableRecord\n100\nAcDbBlockTableRecord\n2\n%s\n"
                  "340\n0\n70\n0\n280\n1\n281\n0\n", MODEL_RECORD_HANDLE + i,
             (unsigned int) (TABLE_HANDLE + dxf->n_tables - 1), blocks[i]);
  end_table (out);
  fputs ("0\nENDSEC\n0\nSECTION\n2\nBLOCKS\n", out);
  for (unsigned int i = 0; i < G_N_ELEMENTS (blocks); i++)
    fprintf (out, "0\nBLOCK\n5\n%X\n330\n%X\n100\nAcDbEntity\n8\n0\n100\nAcDbBlockBegin\n2\n%s\n70\n0\n"
                  "10\n0.0\n20\n0.0\n30\n0.0\n3\n%s\n1\n\n0\nENDBLK\n5\n%X\n330\n%X\n100\nAcDbEntity\n8\n0\n"
                  "100\nAcDbBlockEnd\n", BLOCKS_HANDLE + 2 * i, MODEL_RECORD_HANDLE + i, blocks[i], blocks[i],
             BLOCKS_HANDLE + 2 * i + 1, MODEL_RECORD_HANDLE + i);
  fputs ("0\nENDSEC\n", out);
}

static gboolean
begin (UrbCityWriter *self, GError **error)
{
  FILE *out = urb_output_file_get_stream (self->file);
  UrbBox box = urb_city_layout_get_box (&self->layout);
  Dxf *dxf = self->data = g_new0 (Dxf, 1);

  write_header (out, box, self->layout.provenance);
  fputs ("0\nSECTION\n2\nTABLES\n", out);
  write_view_port (out, dxf, box);
  write_line_types (out, dxf);
  write_layers (out, dxf);
  write_styles (out, dxf);
  write_blocks (out, dxf);
  fputs ("0\nSECTION\n2\nENTITIES\n", out);
  return urb_city_writer_check_stream (self, error);
}

/* -------- Entities -------- */

static void
begin_entity (UrbCityWriter *self, const char *type, const char *layer, const char *class_)
{
  Dxf *dxf = self->data;

  fprintf (urb_output_file_get_stream (self->file),
           "0\n%s\n5\n%" G_GINT64_MODIFIER "X\n330\n%X\n100\nAcDbEntity\n8\n%s\n100\n%s\n", type,
           FIRST_ENTITY_HANDLE + dxf->n_handles++, MODEL_RECORD_HANDLE, layer, class_);
}

static void
write_vertices (FILE *out, const double *xy, guint n)
{
  for (guint v = 0; v < n; v++)
    write_point (out, xy[2 * v], xy[2 * v + 1]);
}

static void
write_line (UrbCityWriter *self, const char *layer, gboolean is_closed, const double *xy, guint n)
{
  FILE *out = urb_output_file_get_stream (self->file);

  begin_entity (self, "LWPOLYLINE", layer, "AcDbPolyline");
  fprintf (out, "90\n%u\n70\n%d\n", n, is_closed);
  write_vertices (out, xy, n);
}

static void
write_hatch (UrbCityWriter *self, const UrbCityVectors *vectors, const UrbCityPolygon *polygon)
{
  enum { OUTERMOST = 1, POLYLINE = 2 }; /* kinds of a boundary */
  FILE *out = urb_output_file_get_stream (self->file);

  begin_entity (self, "HATCH", layers[polygon->class_].fill, "AcDbHatch");
  fprintf (out, "10\n0.0\n20\n0.0\n30\n0.0\n210\n0.0\n220\n0.0\n230\n1.0\n2\nSOLID\n70\n1\n71\n0\n91\n%u\n",
           polygon->n_rings);
  for (guint k = 0; k < polygon->n_rings; k++)
    {
      guint n;
      const double *xy = urb_city_vectors_get_ring (vectors, polygon, k, &n);

      /* 72: no arcs; 73: closed */
      fprintf (out, "92\n%d\n72\n0\n73\n1\n93\n%u\n", k == 0 ? OUTERMOST | POLYLINE : POLYLINE, n);
      write_vertices (out, xy, n);
      fputs ("97\n0\n", out);
    }
  /* 75: every other ring is a hole; 76: a predefined pattern; 98: one point inside, unused */
  fputs ("75\n0\n76\n1\n98\n1\n10\n0.0\n20\n0.0\n", out);
}

static gboolean
add (UrbCityWriter *self, const UrbCityVectors *vectors, const UrbCityLabel *label, GError **error)
{
  /* A comment: entities have no attributes. */
  fprintf (urb_output_file_get_stream (self->file), "999\ncity %" G_GINT64_FORMAT ", seed %" G_GUINT64_FORMAT "\n",
           label->number, label->seed);
  for (guint i = 0; i < vectors->polygons->len; i++)
    write_hatch (self, vectors, &g_array_index (vectors->polygons, UrbCityPolygon, i));
  for (guint i = 0; i < vectors->polygons->len; i++)
    {
      const UrbCityPolygon *polygon = &g_array_index (vectors->polygons, UrbCityPolygon, i);

      for (guint k = 0; k < polygon->n_rings; k++)
        {
          guint n;
          const double *xy = urb_city_vectors_get_ring (vectors, polygon, k, &n);

          write_line (self, layers[polygon->class_].name, TRUE, xy, n);
        }
    }
  for (guint i = 0; i < vectors->streets->len; i++)
    {
      const UrbCityStreet *street = &g_array_index (vectors->streets, UrbCityStreet, i);

      write_line (self, centerlines.name, FALSE, urb_city_vectors_get_street (vectors, street), street->n_vertices);
    }
  return urb_city_writer_check_stream (self, error);
}

/* -------- End -------- */

static gboolean
finish (UrbCityWriter *self, GError **error)
{
  FILE *out = urb_output_file_get_stream (self->file);

  fprintf (out, "0\nENDSEC\n0\nSECTION\n2\nOBJECTS\n0\nDICTIONARY\n5\n%X\n330\n0\n100\nAcDbDictionary\n281\n1\n"
                "3\nACAD_GROUP\n350\n%X\n0\nDICTIONARY\n5\n%X\n330\n%X\n100\nAcDbDictionary\n281\n1\n"
                "0\nENDSEC\n0\nEOF\n", DICTIONARY_HANDLE, DICTIONARY_HANDLE + 1, DICTIONARY_HANDLE + 1,
           DICTIONARY_HANDLE);
  return urb_city_writer_check_stream (self, error);
}

static void
clear (UrbCityWriter *self)
{
  g_free (self->data);
}

const UrbCityFormat urb_city_format_dxf = {
  .suffix = ".dxf",
  .begin = begin,
  .add = add,
  .finish = finish,
  .clear = clear,
};
