/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-writer-gpkg.c - writes a GeoPackage with one layer per class and their styles, using GDAL.
 *
 * GDAL writes late and may report errors late: a full disk shows only at a commit, or when
 * the file is closed.  So transactions are committed explicitly, every result is checked,
 * and the last error is read before the handle is closed.
 */
#include "city/city-writer-private.h"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <gdal.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <math.h>
#include <ogr_api.h>
#include <ogr_srs_api.h>
#include <string.h>

#include "city/gpkg-styles.h"

/* The GeoPackage standard's name for coordinates without a position on Earth. */
static const char local_wkt[]
  = "ENGCRS[\"Undefined Cartesian SRS\",EDATUM[\"\"],CS[Cartesian,2],"
    "AXIS[\"(E)\",east,ORDER[1]],AXIS[\"(N)\",north,ORDER[2]],LENGTHUNIT[\"metre\",1]]";

typedef struct
{
  GDALDatasetH dataset;
  OGRLayerH    layers[URB_N_CLASSES], centerlines; /* borrowed from the dataset */
  gint64       n_pending;                          /* features since the last commit */
} Gpkg;

gboolean
urb_city_writer_has_gpkg (void)
{
  return TRUE;
}

static gboolean
fail (UrbCityWriter *self, GError **error)
{
  const char *message = CPLGetLastErrorMsg ();

  g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_WRITE, N_ ("Could not write '%s': %s"), self->path,
               message[0] != '\0' ? message : "GDAL gave no reason.");
  return FALSE;
}

/* @wkt: (nullable): without a code */
static OGRSpatialReferenceH
make_reference (int epsg, const char *wkt)
{
  OGRSpatialReferenceH reference = OSRNewSpatialReference (NULL);
  OGRErr result;

  OSRSetAxisMappingStrategy (reference, OAMS_TRADITIONAL_GIS_ORDER);
  result = epsg > 0 ? OSRImportFromEPSG (reference, epsg)
                    : OSRSetFromUserInput (reference, wkt != NULL ? wkt : local_wkt);
  if (result == OGRERR_NONE)
    return reference;
  OSRDestroySpatialReference (reference);
  return NULL;
}

char *
urb_city_writer_dup_odd_unit (int epsg)
{
  OGRSpatialReferenceH reference;
  char *unit = NULL, *name = NULL; /* the name is borrowed from the reference */

  CPLPushErrorHandler (CPLQuietErrorHandler);
  reference = make_reference (epsg, NULL);
  CPLPopErrorHandler ();
  if (reference == NULL)
    return NULL;
  if (OSRIsGeographic (reference))
    unit = g_strdup ("degrees");
  else if (fabs (OSRGetLinearUnits (reference, &name) - 1) > 1e-6)
    unit = g_strdup (name);
  OSRRelease (reference);
  return unit;
}

static gboolean
create_field (OGRLayerH layer, const char *name, OGRFieldType type)
{
  OGRFieldDefnH field = OGR_Fld_Create (name, type);
  gboolean done = OGR_L_CreateField (layer, field, TRUE) == OGRERR_NONE;

  OGR_Fld_Destroy (field);
  return done;
}

/* As the file's metadata, which GDAL and QGIS show, and as a table. */
static gboolean
write_provenance (UrbCityWriter *self)
{
  Gpkg *gpkg = self->data;
  const UrbProvenance *provenance = self->layout.provenance;
  OGRLayerH table;
  gboolean done;

  if (provenance == NULL)
    return TRUE;
  table = GDALDatasetCreateLayer (gpkg->dataset, "provenance", NULL, wkbNone, NULL);
  done = table != NULL && create_field (table, "name", OFTString) && create_field (table, "value", OFTString);
  for (guint i = 0; done && i < provenance->facts->len; i++)
    {
      const UrbFact *fact = &g_array_index (provenance->facts, UrbFact, i);
      OGRFeatureH row = OGR_F_Create (OGR_L_GetLayerDefn (table));

      OGR_F_SetFieldString (row, 0, fact->name);
      OGR_F_SetFieldString (row, 1, fact->text);
      done = OGR_L_CreateFeature (table, row) == OGRERR_NONE
             && GDALSetMetadataItem (gpkg->dataset, fact->name, fact->text, NULL) == CE_None;
      OGR_F_Destroy (row);
    }
  return done;
}

static gboolean
create_layers (UrbCityWriter *self, OGRSpatialReferenceH reference)
{
  Gpkg *gpkg = self->data;

  for (int c = 0; c < URB_N_CLASSES; c++)
    {
      gpkg->layers[c] = GDALDatasetCreateLayer (gpkg->dataset, urb_class_get_name ((UrbClass) c),
                                                reference, wkbPolygon, NULL);
      if (gpkg->layers[c] == NULL || !create_field (gpkg->layers[c], "city", OFTInteger64)
          || !create_field (gpkg->layers[c], "seed", OFTString)
          || !create_field (gpkg->layers[c], "area_m2", OFTReal))
        return FALSE;
    }
  gpkg->centerlines = GDALDatasetCreateLayer (gpkg->dataset, "centerline", reference, wkbLineString,
                                              NULL);
  return gpkg->centerlines != NULL && create_field (gpkg->centerlines, "city", OFTInteger64)
         && create_field (gpkg->centerlines, "seed", OFTString)
         && create_field (gpkg->centerlines, "width_m", OFTReal)
         && urb_gpkg_styles_add (gpkg->dataset) && write_provenance (self)
         && GDALDatasetStartTransaction (gpkg->dataset, FALSE) == OGRERR_NONE;
}

static gboolean
begin (UrbCityWriter *self, GError **error)
{
  Gpkg *gpkg = g_new0 (Gpkg, 1);
  GDALDriverH driver;
  OGRSpatialReferenceH reference;
  const char *temporary = urb_output_file_get_temporary (self->file);
  gboolean done;

  self->data = gpkg;
  GDALAllRegister ();
  driver = GDALGetDriverByName ("GPKG");
  if (driver == NULL)
    {
      g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_UNAVAILABLE,
                   N_ ("Could not write '%s': this GDAL has no GeoPackage driver."), self->path);
      return FALSE;
    }
  CPLPushErrorHandler (CPLQuietErrorHandler);
  CPLErrorReset ();
  /* GDAL has to create the file itself. */
  g_unlink (temporary);
  gpkg->dataset = GDALCreate (driver, temporary, 0, 0, 0, GDT_Unknown, NULL);
  reference = gpkg->dataset != NULL ? make_reference (self->layout.place.epsg, self->layout.place.crs_wkt) : NULL;
  done = reference != NULL && create_layers (self, reference);
  if (!done)
    fail (self, error);
  if (reference != NULL)
    OSRRelease (reference);
  CPLPopErrorHandler ();
  return done;
}

static OGRGeometryH
make_polygon (const UrbCityVectors *vectors, const UrbCityPolygon *polygon)
{
  OGRGeometryH geometry = OGR_G_CreateGeometry (wkbPolygon);

  for (guint k = 0; k < polygon->n_rings; k++)
    {
      guint n;
      const double *xy = urb_city_vectors_get_ring (vectors, polygon, k, &n);
      OGRGeometryH line = OGR_G_CreateGeometry (wkbLinearRing);

      OGR_G_SetPointCount (line, (int) n + 1);
      for (guint i = 0; i <= n; i++)
        {
          gsize v = 2 * (gsize) (i % n);

          OGR_G_SetPoint_2D (line, (int) i, xy[v], xy[v + 1]);
        }
      OGR_G_AddGeometryDirectly (geometry, line);
    }
  return geometry;
}

static OGRGeometryH
make_centerline (const UrbCityVectors *vectors, const UrbCityStreet *street)
{
  const double *xy = urb_city_vectors_get_street (vectors, street);
  OGRGeometryH line = OGR_G_CreateGeometry (wkbLineString);

  OGR_G_SetPointCount (line, (int) street->n_vertices);
  for (guint i = 0; i < street->n_vertices; i++)
    OGR_G_SetPoint_2D (line, (int) i, xy[2 * i], xy[2 * i + 1]);
  return line;
}

/* @size: the layer's last field, an area or a width */
static gboolean
add_feature (OGRLayerH layer, OGRGeometryH geometry, const UrbCityLabel *label, const char *seed,
             double size)
{
  OGRFeatureH feature = OGR_F_Create (OGR_L_GetLayerDefn (layer));
  gboolean done;

  OGR_F_SetFieldInteger64 (feature, 0, label->number);
  OGR_F_SetFieldString (feature, 1, seed);
  OGR_F_SetFieldDouble (feature, 2, size);
  OGR_F_SetGeometryDirectly (feature, geometry);
  done = OGR_L_CreateFeature (layer, feature) == OGRERR_NONE;
  OGR_F_Destroy (feature);
  return done;
}

static gboolean
add (UrbCityWriter *self, const UrbCityVectors *vectors, const UrbCityLabel *label, GError **error)
{
  Gpkg *gpkg = self->data;
  g_autofree char *seed = g_strdup_printf ("%" G_GUINT64_FORMAT, label->seed);
  gboolean done = TRUE;

  CPLPushErrorHandler (CPLQuietErrorHandler);
  CPLErrorReset ();
  for (guint i = 0; i < vectors->polygons->len && done; i++)
    {
      const UrbCityPolygon *polygon = &g_array_index (vectors->polygons, UrbCityPolygon, i);

      done = add_feature (gpkg->layers[polygon->class_], make_polygon (vectors, polygon), label, seed,
                          polygon->area_m2);
    }
  for (guint i = 0; i < vectors->streets->len && done; i++)
    {
      const UrbCityStreet *street = &g_array_index (vectors->streets, UrbCityStreet, i);

      done = add_feature (gpkg->centerlines, make_centerline (vectors, street), label, seed,
                          street->width_m);
    }
  gpkg->n_pending += vectors->polygons->len + vectors->streets->len;
  if (done && gpkg->n_pending > 20000)
    {
      gpkg->n_pending = 0;
      done = GDALDatasetCommitTransaction (gpkg->dataset) == OGRERR_NONE
             && GDALDatasetStartTransaction (gpkg->dataset, FALSE) == OGRERR_NONE;
    }
  if (!done)
    fail (self, error);
  CPLPopErrorHandler ();
  return done;
}

static gboolean
finish (UrbCityWriter *self, GError **error)
{
  Gpkg *gpkg = self->data;
  gboolean done;

  CPLPushErrorHandler (CPLQuietErrorHandler);
  CPLErrorReset ();
  done = GDALDatasetCommitTransaction (gpkg->dataset) == OGRERR_NONE;
  if (done)
    GDALFlushCache (gpkg->dataset);
  done = done && CPLGetLastErrorType () < CE_Failure;
  if (!done)
    fail (self, error);
  GDALClose (gpkg->dataset);
  gpkg->dataset = NULL;
  if (done && CPLGetLastErrorType () >= CE_Failure)
    done = fail (self, error);
  CPLPopErrorHandler ();
  return done;
}

static void
clear (UrbCityWriter *self)
{
  Gpkg *gpkg = self->data;
  g_autofree char *journal = NULL;

  if (gpkg == NULL)
    return;
  if (gpkg->dataset != NULL)
    {
      CPLPushErrorHandler (CPLQuietErrorHandler);
      GDALDatasetRollbackTransaction (gpkg->dataset);
      GDALClose (gpkg->dataset);
      CPLPopErrorHandler ();
    }
  journal = g_strconcat (urb_output_file_get_temporary (self->file), "-journal", NULL);
  g_unlink (journal);
  g_free (gpkg);
}

const UrbCityFormat urb_city_format_gpkg = {
  .suffix = ".gpkg",
  .begin = begin,
  .add = add,
  .finish = finish,
  .clear = clear,
};
