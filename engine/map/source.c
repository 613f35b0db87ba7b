/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.c - opens a source and inspects it.
 *
 * The first objects of each layer show where the map lies and which profile fits.
 * Only some sources stay open between inspection and reading: a folder may hold more
 * files than a process may open.
 */
#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "base/compare.h"
#include "base/permission.h"
#include "base/show-text.h"
#include "map/city-model.h"
#include "map/ogr-private.h"
#include "map/server.h"

#define MAX_KML_BYTES (128 << 20)

static void
layer_free (gpointer data)
{
  UrbSourceLayer *self = data;
  g_free (self->name);
  g_free (self->plain_name);
  g_free (self->fits);
  g_clear_pointer (&self->srs, OSRRelease);
  g_free (self);
}

void
urb_source_free (UrbSource *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->layers);
  g_ptr_array_unref (self->warnings);
  g_clear_pointer (&self->dataset, GDALClose);
  g_free (self->path);
  g_free (self->display_name);
  g_free (self->plain_stem);
  g_free (self->driver);
  g_free (self->trouble);
  if (self->copy != NULL)
    VSIUnlink (self->copy);
  g_free (self->copy);
  g_free (self);
}

static void
inspect_samples (UrbSourceLayer *layer, OGRFeatureH *samples, int n_samples)
{
  double x[URB_N_SAMPLES], y[URB_N_SAMPLES];
  int n = 0;

  for (int i = 0; i < n_samples; i++)
    {
      OGRGeometryH geometry = urb_feature_get_shape (samples[i]);
      OGREnvelope box;
      if (geometry == NULL || OGR_G_IsEmpty (geometry))
        continue;
      OGR_G_GetEnvelope (geometry, &box);
      x[n] = (box.MinX + box.MaxX) / 2;
      y[n] = (box.MinY + box.MaxY) / 2;
      if (isfinite (x[n]) && isfinite (y[n]))
        n++;
    }
  if (n == 0)
    return;
  qsort (x, n, sizeof *x, urb_compare_doubles);
  qsort (y, n, sizeof *y, urb_compare_doubles);
  layer->middle_x = x[n / 2]; /* the medians */
  layer->middle_y = y[n / 2];
  layer->spread = MAX (x[n - 1 - n / 4] - x[n / 4], y[n - 1 - n / 4] - y[n / 4]);
}

/* OpenStreetMap's layers come interleaved; most files state their extent in the header. */
gboolean
urb_driver_is_stream (const char *driver)
{
  return g_str_equal (driver, "OSM");
}

static void
inspect_stream (UrbSource *self)
{
  OGRLayerH layer = GDALDatasetGetLayer (self->dataset, 0);
  UrbSourceLayer first = { .middle_x = NAN, .middle_y = NAN };
  OGREnvelope box;

  if (layer != NULL && OGR_L_GetExtent (layer, &box, FALSE) == OGRERR_NONE)
    {
      first.middle_x = (box.MinX + box.MaxX) / 2;
      first.middle_y = (box.MinY + box.MaxY) / 2;
    }
  while (isnan (first.middle_x))
    {
      g_auto(UrbOgrFeature) feature = GDALDatasetGetNextFeature (self->dataset, NULL, NULL, NULL,
                                                                  NULL);
      if (feature == NULL)
        break;
      inspect_samples (&first, &feature, 1);
    }
  GDALDatasetResetReading (self->dataset);
  self->stream_x = first.middle_x;
  self->stream_y = first.middle_y;
}

static void
inspect_layer (UrbSource *self, OGRLayerH handle, UrbSourceLayer *layer, GPtrArray *profiles)
{
  OGRFeatureH samples[URB_N_SAMPLES], later;
  int n = 0;
  UrbLayerFacts facts = { .plain_name = layer->plain_name,
                          .plain_stem = self->plain_stem,
                          .driver = self->driver,
                          .defn = OGR_L_GetLayerDefn (handle) };

  if (!urb_driver_is_stream (self->driver))
    {
      OGR_L_ResetReading (handle);
      while (n < URB_N_SAMPLES && (samples[n] = OGR_L_GetNextFeature (handle)) != NULL)
        n++;
      inspect_samples (layer, samples, n);
      while (isnan (layer->middle_x) && (later = OGR_L_GetNextFeature (handle)) != NULL)
        {
          inspect_samples (layer, &later, 1);
          OGR_F_Destroy (later);
        }
      OGR_L_ResetReading (handle);
    }
  else
    {
      layer->middle_x = self->stream_x;
      layer->middle_y = self->stream_y;
    }
  urb_recognize_layer (layer, &facts, profiles, samples, n);
  while (n > 0)
    OGR_F_Destroy (samples[--n]);
}

static void
add_layer (UrbSource *self, OGRLayerH handle, GPtrArray *profiles)
{
  UrbSourceLayer *layer = g_new0 (UrbSourceLayer, 1);
  OGRSpatialReferenceH srs = OGR_L_GetSpatialRef (handle);

  layer->name = urb_show_text (OGR_L_GetName (handle));
  layer->plain_name = urb_plain_text (layer->name, FALSE);
  layer->has_geometry = OGR_L_GetGeomType (handle) != wkbNone;
  layer->n_features = OGR_L_GetFeatureCount (handle, FALSE);
  layer->fits = g_new0 (UrbFit, profiles->len);
  layer->middle_x = layer->middle_y = NAN;
  if (srs != NULL)
    layer->srs = OSRClone (srs);
  else if (g_str_equal (self->driver, "Interlis 2"))
    layer->srs = urb_crs_new_of_model (layer->name);
  g_ptr_array_add (self->layers, layer);
  /* Without a model, an INTERLIS table has its points among its fields. */
  if (layer->has_geometry || g_str_equal (self->driver, "Interlis 1"))
    inspect_layer (self, handle, layer, profiles);
}

/* -------- Opening -------- */

static UrbGdalDataset
open_dataset (const char *path, const char *const *drivers)
{
  /* Keeps GDAL from writing a .gfs file next to a GML without schema, and from downloading one. */
  static const char *const gml[] = { "WRITE_GFS=NO", "DOWNLOAD_SCHEMA=NO", NULL };
  static const char *const csv[] = {
    "GEOM_POSSIBLE_NAMES=WKT,wkt,geom,geometry,the_geom,geom_wkt,wkt_geom,shape",
    "KEEP_GEOM_COLUMNS=NO", NULL
  };
  const char *const *options = g_strv_contains (drivers, "GML") ? gml
                               : urb_has_ending (path, ".csv") ? csv
                                                               : NULL;
  return GDALOpenEx (path, GDAL_OF_VECTOR | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, drivers,
                     options, NULL);
}

static gboolean
starts_as_shapefile (const char *path)
{
  static const guint8 magic[4] = { 0, 0, 0x27, 0x0a };
  guint8 head[4] = { 0 };
  FILE *file = urb_has_ending (path, ".shp") ? g_fopen (path, "rb") : NULL;
  gboolean is_one = file != NULL && fread (head, 1, sizeof head, file) == sizeof head &&
                    memcmp (head, magic, sizeof magic) == 0;

  if (file != NULL)
    fclose (file);
  return is_one;
}

/* Explains why a file does not open, and what to do about it. */
static void
explain_failure (const char *path, const char *reason, GError **error)
{
  int stem = (int) MAX (strlen (path), 3) - 3;
  g_autofree char *shx = g_strdup_printf ("%.*sshx", stem, path);
  /* GDAL opens a .dbf for the shapefile's table, too. */
  g_autofree char *shp = urb_has_ending (path, ".dbf") ? g_strdup_printf ("%.*sshp", stem, path)
                                                       : g_strdup (path);
  g_autofree char *forbidden = urb_permission_dup_read_problem (path);
  GStatBuf info;

  if (forbidden != NULL)
    g_set_error_literal (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN, forbidden);
  else if (g_stat (path, &info) == 0 && S_ISREG (info.st_mode) && info.st_size == 0)
    g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN,
                 N_ ("'%s' is empty (0 bytes); download or export it again"), path);
  else if (urb_has_ending (path, ".bz2") && !urb_has_ending (path, ".tar.bz2"))
    g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN,
                 N_ ("'%s' cannot be unpacked: it is damaged, or no file of bzip2; download it again"), path);
  else if (starts_as_shapefile (shp) && !g_file_test (shx, G_FILE_TEST_EXISTS))
    g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN,
                 N_ ("'%s' lacks its index '%s'; download it too, or restore it with "
                     "ogrinfo --config SHAPE_RESTORE_SHX YES '%s'"),
                 shp, shx, shp);
  else if (reason != NULL && strstr (reason, "not recognized") == NULL)
    g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN,
                 N_ ("'%s' cannot be opened, it seems damaged: %.*s. Download or export it again."), path,
                 (int) strlen (reason) - g_str_has_suffix (reason, "."), reason);
  else
    g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN,
                 N_ ("'%s' is not a vector map that GDAL can read; export it as GeoPackage or GeoJSON"),
                 path);
}

/* GDAL holds a whole KML file in memory, at fifteen times its size. */
static gboolean
check_size (const UrbSource *self, GError **error)
{
  VSIStatBufL info;

  if (!urb_has_ending (self->path, ".kml") || VSIStatL (self->path, &info) != 0
      || info.st_size <= MAX_KML_BYTES)
    return TRUE;
  g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_LIMIT,
               N_ ("'%s' is larger than %d MiB, and KML files are held in memory; convert it with "
                   "ogr2ogr map.gpkg"),
               self->display_name, MAX_KML_BYTES >> 20);
  return FALSE;
}

/* Makes a copy that GDAL can read: OSM without bad nodes, INTERLIS 2.4 as 2.3, a city model as GeoJSON.
 * @drivers: (inout) */
static gboolean
make_copy (UrbSource *self, const char *const **drivers, GError **error)
{
  static const char *const json[] = { "GeoJSON", NULL }, *const interlis_2[] = { "Interlis 2", NULL };
  gboolean is_json = g_strv_contains (*drivers, URB_DRIVER_CITY_JSON);

  if (g_strv_contains (*drivers, "OSM") && self->copy == NULL)
    self->copy = urb_osm_mend (self->path, &self->n_mended);
  if (g_strv_contains (*drivers, URB_DRIVER_INTERLIS_24))
    {
      *drivers = interlis_2;
      if (self->copy == NULL)
        self->copy = urb_interlis_24_copy (self->path, self->display_name, &self->is_cut, error);
      return self->copy != NULL;
    }
  if (!is_json && !g_strv_contains (*drivers, URB_DRIVER_CITY_GML))
    return TRUE;
  *drivers = json;
  if (self->copy == NULL)
    self->copy = urb_city_model_flatten (self->path, self->display_name, self->plain_stem, is_json, &self->is_cut,
                                         self->warnings, error);
  return self->copy != NULL;
}

/* Packagers leave out drivers whose libraries they lack. */
static gboolean
check_drivers (const UrbSource *self, const char *const *drivers, GError **error)
{
  for (const char *const *name = drivers; *name != NULL; name++)
    if (GDALGetDriverByName (*name) != NULL)
      return TRUE;
  g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN,
               N_ ("'%s' has the format %s, which the GDAL %s of this machine was built without. Convert it with ogr2ogr "
                   "map.gpkg where GDAL has this format (Parquet: conda's package libgdal-arrow-parquet), or save it as "
                   "GeoPackage in QGIS."),
               self->display_name, drivers[0], GDALVersionInfo ("RELEASE_NAME"));
  return FALSE;
}

gboolean
urb_source_ensure_open (UrbSource *self, GError **error)
{
  g_auto(UrbGdalErrors) errors = { 0 };
  const char *const *drivers;

  urb_gdal_errors_push (&errors);
  if (self->dataset != NULL)
    return TRUE;
  if (self->address != NULL)
    {
      self->dataset = urb_server_open (self->address, self->patience_s, error);
      return self->dataset != NULL;
    }
  if (!check_size (self, error) || !urb_find_drivers (self->path, self->display_name, &drivers, error))
    return FALSE;
  if (drivers != NULL && (!make_copy (self, &drivers, error) || !check_drivers (self, drivers, error)))
    return FALSE;
  if (drivers != NULL)
    self->dataset = open_dataset (self->copy != NULL ? self->copy : self->path, drivers);
  if (self->trouble == NULL)
    self->trouble = g_strdup (errors.first);
  if (self->dataset == NULL)
    explain_failure (self->display_name, errors.first, error);
  return self->dataset != NULL;
}

static char *
plain_stem (const char *path)
{
  g_autofree char *base = g_path_get_basename (path);
  char *dot = strchr (base + 1, '.');

  if (dot != NULL)
    *dot = '\0';
  return urb_plain_text (base, FALSE);
}

/* The path of an archive continues inside it: "/vsizip/{/vsitar//a.tar/b.zip}/c.gml" is shown as "/a.tar/b.zip/c.gml". */
static char *
show_path (const char *path)
{
  g_autoptr(GString) shown = g_string_new (NULL);
  int n_open = 0;

  while (g_str_has_prefix (path, "/vsi") && strchr (path + 1, '/') != NULL)
    {
      path = strchr (path + 1, '/') + 1;
      n_open += *path == '{';
      path += *path == '{';
    }
  for (; *path != '\0'; path++)
    if (*path == '}' && n_open > 0)
      n_open--;
    else
      g_string_append_c (shown, *path);
  return urb_show_text (shown->str);
}

UrbSource *
urb_source_new (const char *path)
{
  UrbSource *self = g_new0 (UrbSource, 1);

  self->path = g_strdup (path);
  self->display_name = show_path (path);
  self->plain_stem = plain_stem (path);
  self->layers = g_ptr_array_new_with_free_func (layer_free);
  self->warnings = g_ptr_array_new_with_free_func (g_free);
  return self;
}

UrbSource *
urb_source_new_server (const UrbMapAddress *address, int patience_s)
{
  UrbSource *self = urb_source_new (address->shown);

  self->address = address;
  self->patience_s = patience_s;
  return self;
}

/* @source: (transfer full) */
static UrbSource *
open_new (UrbSource *source, GPtrArray *profiles, GError **error)
{
  g_autoptr(UrbSource) self = source;
  g_auto(UrbGdalErrors) errors = { 0 };
  int n_layers;

  /* Before any return, since leaving this function pops one handler. */
  urb_gdal_errors_push (&errors);
  if (!urb_source_ensure_open (self, error))
    return NULL;
  self->driver = g_strdup (GDALGetDriverShortName (GDALGetDatasetDriver (self->dataset)));
  if (urb_driver_is_stream (self->driver))
    inspect_stream (self);
  n_layers = GDALDatasetGetLayerCount (self->dataset);
  for (int i = 0; i < n_layers; i++)
    add_layer (self, GDALDatasetGetLayer (self->dataset, i), profiles);
  if (self->trouble == NULL)
    self->trouble = g_strdup (errors.first);
  /* What a server did not send is missing, while a damaged object of a file can be named. */
  if (self->address != NULL && self->trouble != NULL)
    {
      urb_server_explain (self->address, self->trouble, self->patience_s, error);
      return NULL;
    }
  return g_steal_pointer (&self);
}

UrbSource *
urb_source_open (const char *path, GPtrArray *profiles, GError **error)
{
  return open_new (urb_source_new (path), profiles, error);
}

UrbSource *
urb_source_open_server (const UrbMapAddress *address, int patience_s, GPtrArray *profiles, GError **error)
{
  return open_new (urb_source_new_server (address, patience_s), profiles, error);
}
