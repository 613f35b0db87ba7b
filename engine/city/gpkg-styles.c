/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpkg-styles.c - see gpkg-styles.h.
 *
 * Source: the columns of QGIS's own table, and its QML; properties as `prop`, which QGIS 3 reads in all versions.
 */
#include "city/gpkg-styles.h"

#include <ogr_api.h>

#include "city/plan-drawing.h"

static const char fill[]
  = "<layer class=\"SimpleFill\"><prop k=\"color\" v=\"%d,%d,%d,255\"/><prop k=\"style\" v=\"solid\"/>"
    "<prop k=\"outline_style\" v=\"no\"/></layer>";
static const char line[]
  = "<layer class=\"SimpleLine\"><prop k=\"line_color\" v=\"%d,%d,%d,255\"/><prop k=\"line_width\" v=\"0.2\"/>"
    "<prop k=\"line_width_unit\" v=\"MM\"/></layer>";

static const struct { const char *name; OGRFieldType type; } fields[] = {
  { "f_table_catalog", OFTString },   { "f_table_schema", OFTString }, { "f_table_name", OFTString },
  { "f_geometry_column", OFTString }, { "styleName", OFTString },      { "styleQML", OFTString },
  { "styleSLD", OFTString },          { "useAsDefault", OFTInteger },  { "description", OFTString },
  { "owner", OFTString },             { "ui", OFTString },             { "update_time", OFTDateTime },
};

static OGRLayerH
create_table (GDALDatasetH dataset)
{
  char *options[] = { (char *) "FID=id", NULL };
  OGRLayerH table = GDALDatasetCreateLayer (dataset, "layer_styles", NULL, wkbNone, options);

  for (gsize i = 0; i < G_N_ELEMENTS (fields) && table != NULL; i++)
    {
      OGRFieldDefnH field = OGR_Fld_Create (fields[i].name, fields[i].type);

      if (fields[i].type == OFTInteger)
        OGR_Fld_SetSubType (field, OFSTBoolean);
      if (OGR_L_CreateField (table, field, TRUE) != OGRERR_NONE)
        table = NULL;
      OGR_Fld_Destroy (field);
    }
  return table;
}

/* @symbol: a format with a color */
static char *
make_qml (const char *type, const char *symbol, UrbColor color)
{
  g_autoptr(GString) text = g_string_new (NULL);

  g_string_append_printf (text, "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n"
                                "<qgis version=\"3.22\" styleCategories=\"Symbology\">"
                                "<renderer-v2 type=\"singleSymbol\"><symbols><symbol type=\"%s\" name=\"0\">", type);
  g_string_append_printf (text, symbol, color.r, color.g, color.b);
  g_string_append (text, "</symbol></symbols></renderer-v2></qgis>");
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static gboolean
add_style (OGRLayerH table, OGRLayerH layer, const char *qml)
{
  OGRFeatureH feature = OGR_F_Create (OGR_L_GetLayerDefn (table));
  const char *values[] = { "", "", OGR_L_GetName (layer), OGR_L_GetGeometryColumn (layer), "Urbarium", qml, "" };
  gboolean done;

  for (int i = 0; i < (int) G_N_ELEMENTS (values); i++)
    OGR_F_SetFieldString (feature, i, values[i]);
  OGR_F_SetFieldInteger (feature, OGR_F_GetFieldIndex (feature, "useAsDefault"), TRUE);
  done = OGR_L_CreateFeature (table, feature) == OGRERR_NONE;
  OGR_F_Destroy (feature);
  return done;
}

gboolean
urb_gpkg_styles_add (GDALDatasetH dataset)
{
  OGRLayerH table = create_table (dataset), layer;
  gboolean done = table != NULL;

  for (int c = 0; c < URB_N_CLASSES && done; c++)
    {
      g_autofree char *qml = make_qml ("fill", fill, urb_class_get_color ((UrbClass) c));

      layer = GDALDatasetGetLayerByName (dataset, urb_class_get_name ((UrbClass) c));
      done = layer != NULL && add_style (table, layer, qml);
    }
  layer = GDALDatasetGetLayerByName (dataset, "centerline");
  if (layer != NULL && done)
    {
      g_autofree char *qml = make_qml ("line", line, URB_CENTERLINE_COLOR);

      done = add_style (table, layer, qml);
    }
  return done;
}
