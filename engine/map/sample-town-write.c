/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample-town-write.c - writes the sample town as a GeoPackage.
 *
 * Written under a temporary name in the same folder and renamed once it is on disk,
 * so @path is never incomplete.
 */
#include "map/sample-town.h"

#include <cpl_error.h>
#include <errno.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "base/durable.h"
#include "base/permission.h"
#include "base/temporary.h"
#include "map/ogr-private.h"

static gboolean
fail (const char *path, GError **error)
{
  const char *reason = CPLGetLastErrorMsg ();
  g_autofree char *forbidden = urb_permission_dup_create_problem (path);

  if (forbidden != NULL)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED, forbidden);
      return FALSE;
    }
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
               "The town could not be written to '%s': %s. Check that the folder exists and is "
               "writable, and that the disk is not full.",
               path, reason != NULL && *reason != '\0' ? reason : "unknown reason");
  return FALSE;
}

static OGRGeometryH
geometry_of (UrbSampleTown *self, const UrbTownPolygon *polygon, const double **xy)
{
  OGRGeometryH geometry = OGR_G_CreateGeometry (wkbPolygon);

  for (guint32 r = 0; r < polygon->n_rings; r++)
    {
      guint32 n = g_array_index (self->rings, guint32, polygon->first_ring + r);
      OGRGeometryH ring = OGR_G_CreateGeometry (wkbLinearRing);

      OGR_G_SetPoints (ring, (int) n, *xy, 2 * sizeof **xy, *xy + 1, 2 * sizeof **xy, NULL, 0);
      OGR_G_AddPoint_2D (ring, (*xy)[0], (*xy)[1]); /* closes it */
      *xy += 2 * (gsize) n;
      OGR_G_AddGeometryDirectly (geometry, ring);
    }
  return geometry;
}

static gboolean
write_polygons (UrbSampleTown *self, OGRLayerH layer)
{
  OGRFeatureDefnH fields = OGR_L_GetLayerDefn (layer);
  const double *xy = (const double *) (const void *) self->xy->data;

  for (guint i = 0; i < self->polygons->len; i++)
    {
      const UrbTownPolygon *polygon = &g_array_index (self->polygons, UrbTownPolygon, i);
      g_auto(UrbOgrFeature) feature = OGR_F_Create (fields);

      OGR_F_SetFieldString (feature, 0,
                            urb_class_get_name (urb_town_kind_get_class (polygon->kind)));
      OGR_F_SetFieldString (feature, 1, urb_town_kind_get_name (polygon->kind));
      OGR_F_SetGeometryDirectly (feature, geometry_of (self, polygon, &xy));
      if (OGR_L_CreateFeature (layer, feature) != OGRERR_NONE)
        return FALSE;
    }
  return TRUE;
}

static gboolean
add_field (OGRLayerH layer, const char *name)
{
  OGRFieldDefnH field = OGR_Fld_Create (name, OFTString);
  gboolean ok = OGR_L_CreateField (layer, field, TRUE) == OGRERR_NONE;

  OGR_Fld_Destroy (field);
  return ok;
}

static gboolean
write_layer (UrbSampleTown *self, GDALDatasetH file)
{
  g_auto(UrbOgrSrs) crs = OSRNewSpatialReference (NULL);
  OGRLayerH layer;

  if (OSRImportFromEPSG (crs, URB_SAMPLE_TOWN_EPSG) != OGRERR_NONE)
    return FALSE;
  layer = GDALDatasetCreateLayer (file, "landcover", crs, wkbPolygon, NULL);
  return layer != NULL && add_field (layer, "class") && add_field (layer, "kind") &&
         GDALDatasetStartTransaction (file, FALSE) == OGRERR_NONE && write_polygons (self, layer) &&
         GDALDatasetCommitTransaction (file) == OGRERR_NONE;
}

static gboolean
write_file (UrbSampleTown *self, const char *path)
{
  GDALDriverH driver = GDALGetDriverByName ("GPKG");
  g_auto(UrbGdalDataset) file = NULL;

  CPLErrorReset ();
  if (driver == NULL)
    return FALSE;
  file = GDALCreate (driver, path, 0, 0, 0, GDT_Unknown, NULL);
  if (file == NULL || !write_layer (self, file))
    return FALSE;
  GDALFlushCache (file);
  return CPLGetLastErrorType () < CE_Failure;
}

static gboolean
move (const char *temporary, const char *path, GError **error)
{
  int code = urb_durable_sync_file (temporary);

  if (code == 0 && g_rename (temporary, path) != 0)
    code = errno;
  if (code == 0)
    code = urb_durable_sync_parent (path);
  if (code == 0)
    return TRUE;
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (code),
               "The town could not be moved to '%s': %s", path, g_strerror (code));
  return FALSE;
}

gboolean
urb_sample_town_write (UrbSampleTown *self, const char *path, GError **error)
{
  g_autofree char *temporary = urb_temporary_dup_path (path, ".gpkg");
  gboolean ok;

  urb_temporary_sweep_beside (path);
  GDALAllRegister ();
  CPLPushErrorHandler (CPLQuietErrorHandler); /* the message goes into the GError */
  ok = write_file (self, temporary) || fail (path, error);
  CPLPopErrorHandler ();
  if (ok && !move (temporary, path, error))
    ok = FALSE;
  if (!ok)
    g_unlink (temporary);
  return ok;
}
