/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crs.c - from whatever coordinates a layer has to the map's metres.
 *
 * The first layer decides.  What is hard is sources that state nothing, or
 * something that cannot be: coordinates are then compared with where a profile
 * says its data lies, and the guess is always reported.
 */
#include <cpl_conv.h>
#include <math.h>
#include <string.h>

#include "map/ogr-private.h"

struct _UrbCrs
{
  const UrbProfile *profile; /* borrowed */
  UrbMapBuilder *builder;    /* borrowed */
  UrbOgrSrs by_user;         /* (nullable) owned */
  UrbOgrSrs wgs84;           /* owned */
  UrbOgrSrs target;          /* (nullable) owned: not decided yet, or plain metres */
  gboolean is_decided;
};

static OGRSpatialReferenceH
srs_from_text (const char *text)
{
  OGRSpatialReferenceH srs = OSRNewSpatialReference (NULL);

  if (OSRSetFromUserInput (srs, text) != OGRERR_NONE)
    {
      OSRRelease (srs);
      return NULL;
    }
  OSRSetAxisMappingStrategy (srs, OAMS_TRADITIONAL_GIS_ORDER);
  return srs;
}

UrbCrs *
urb_crs_new (const UrbProfile *profile, const char *stated_by_user, UrbMapBuilder *builder,
             GError **error)
{
  g_autoptr(UrbCrs) self = g_new0 (UrbCrs, 1);

  self->profile = profile;
  self->builder = builder;
  self->wgs84 = srs_from_text ("EPSG:4326");
  if (self->wgs84 == NULL)
    {
      g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_CRS,
                   "PROJ does not find its database of coordinate systems; install proj-data, or "
                   "set PROJ_LIB to the folder that has proj.db");
      return NULL;
    }
  if (stated_by_user != NULL)
    {
      self->by_user = srs_from_text (stated_by_user);
      if (self->by_user == NULL)
        {
          g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_CRS,
                       "'%s' is no coordinate system; try EPSG:2056 or the like", stated_by_user);
          return NULL;
        }
    }
  return g_steal_pointer (&self);
}

void
urb_crs_free (UrbCrs *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->by_user, OSRRelease);
  g_clear_pointer (&self->wgs84, OSRRelease);
  g_clear_pointer (&self->target, OSRRelease);
  g_free (self);
}

/* -------- What a coordinate system is -------- */

/* Metres on the ground, near enough to true: not degrees, feet, or Mercator,
 * which stretches a Swiss town by half. */
static gboolean
is_metric (OGRSpatialReferenceH srs)
{
  const char *projection = OSRGetAttrValue (srs, "PROJECTION", 0);
  double metres = OSRGetLinearUnits (srs, NULL);

  if (!OSRIsProjected (srs) || fabs (metres - 1) > 1e-6)
    return FALSE;
  return projection == NULL ||
         !(g_str_has_prefix (projection, "Mercator") || strstr (projection, "Pseudo_Mercator") ||
           strstr (projection, "Pseudo Mercator") || strstr (projection, "Equirectangular") ||
           strstr (projection, "Plate_Carree"));
}

static gboolean
states_something (OGRSpatialReferenceH srs)
{
  const char *name;

  if (srs == NULL || OSRIsLocal (srs) || (!OSRIsProjected (srs) && !OSRIsGeographic (srs)))
    return FALSE;
  /* GeoPackage's entries for "none". */
  name = OSRGetName (srs);
  return name == NULL || !g_str_has_prefix (name, "Undefined");
}

static gboolean
to_lon_lat (UrbCrs *self, OGRSpatialReferenceH srs, double x, double y, double *lon, double *lat)
{
  g_auto(UrbOgrTransform) transform = OCTNewCoordinateTransformation (srs, self->wgs84);

  *lon = x;
  *lat = y;
  return transform != NULL && OCTTransform (transform, 1, lon, lat, NULL) && fabs (*lon) <= 360 &&
         fabs (*lat) <= 90.01;
}

/* Whether a point with these coordinates lies on Earth, and not far from where
 * the system is meant to be used. */
static gboolean
is_plausible (UrbCrs *self, OGRSpatialReferenceH srs, double x, double y)
{
  const double margin = 6;
  double lon, lat, west, south, east, north;

  if (OSRIsGeographic (srs) && (fabs (x) > 360 || fabs (y) > 360))
    return FALSE;
  if (!to_lon_lat (self, srs, x, y, &lon, &lat))
    return FALSE;
  if (!OSRGetAreaOfUse (srs, &west, &south, &east, &north, NULL) || west <= -1000 || west > east)
    return TRUE;
  return lon >= west - margin && lon <= east + margin && lat >= south - margin &&
         lat <= north + margin;
}

/* -------- Guesses -------- */

static OGRSpatialReferenceH
guess (UrbCrs *self, const UrbSourceLayer *layer)
{
  double x = layer->middle_x, y = layer->middle_y;

  for (guint i = 0; i < self->profile->guesses->len; i++)
    {
      const UrbCrsGuess *one = g_ptr_array_index (self->profile->guesses, i);
      if (x >= one->box.min_x && x <= one->box.max_x && y >= one->box.min_y && y <= one->box.max_y)
        return srs_from_text (one->crs);
    }
  /* Degrees: a town is a small part of one; a drawing in metres is not. */
  if (fabs (x) <= 180 && fabs (y) <= 90 && layer->spread < 2)
    return OSRClone (self->wgs84);
  return NULL;
}

/* Stated by the source, else by the user, else guessed; NULL: plain metres. */
static OGRSpatialReferenceH
find_source_srs (UrbCrs *self, const UrbSourceLayer *layer, const char *file)
{
  g_auto(UrbOgrSrs) guessed = NULL;

  if (states_something (layer->srs) &&
      is_plausible (self, layer->srs, layer->middle_x, layer->middle_y))
    return OSRClone (layer->srs);
  if (self->by_user != NULL)
    return OSRClone (self->by_user);
  guessed = guess (self, layer);
  if (states_something (layer->srs))
    {
      if (guessed == NULL)
        return OSRClone (layer->srs);
      urb_map_builder_warn (self->builder,
                            "%s: states the coordinate system '%s', which does not fit its "
                            "coordinates; taken as '%s'. If that is wrong, say which with --crs.",
                            file, OSRGetName (layer->srs), OSRGetName (guessed));
    }
  else if (guessed != NULL)
    urb_map_builder_warn (self->builder,
                          "%s: states no coordinate system; by its coordinates taken as '%s'. If "
                          "that is wrong, say which with --crs.",
                          file, OSRGetName (guessed));
  else
    urb_map_builder_warn (self->builder,
                          "%s: states no coordinate system, and its coordinates do not tell; taken "
                          "as metres. If that is wrong, say which with --crs.",
                          file);
  return g_steal_pointer (&guessed);
}

/* -------- The map's own -------- */

/* Switzerland with its surroundings, where LV95 is still true to a millimetre
 * in ten metres. */
static gboolean
is_in_switzerland (double lon, double lat)
{
  return lon > 5.9 && lon < 10.6 && lat > 45.8 && lat < 47.85;
}

static OGRSpatialReferenceH
choose_target (UrbCrs *self, OGRSpatialReferenceH source, const UrbSourceLayer *layer)
{
  double lon, lat;
  int zone;
  g_autofree char *code = NULL;

  if (is_metric (source))
    {
      OGRSpatialReferenceH target = OSRClone (source);
      OSRSetAxisMappingStrategy (target, OAMS_TRADITIONAL_GIS_ORDER);
      if (OSRIsCompound (target))
        OSRStripVertical (target);
      return target;
    }
  if (!to_lon_lat (self, source, layer->middle_x, layer->middle_y, &lon, &lat))
    return NULL;
  if (is_in_switzerland (lon, lat))
    return srs_from_text ("EPSG:2056");
  zone = CLAMP ((int) floor ((lon + 180) / 6) + 1, 1, 60);
  code = g_strdup_printf ("EPSG:%d", (lat >= 0 ? 32600 : 32700) + zone);
  return srs_from_text (code);
}

static int
find_epsg (OGRSpatialReferenceH srs)
{
  const char *authority = OSRGetAuthorityName (srs, NULL);
  const char *code = OSRGetAuthorityCode (srs, NULL);
  int n = 0, *confidence = NULL, epsg = 0;
  OGRSpatialReferenceH *matches;

  if (authority != NULL && code != NULL && g_str_equal (authority, "EPSG"))
    return (int) g_ascii_strtoll (code, NULL, 10);
  matches = OSRFindMatches (srs, NULL, &n, &confidence);
  if (n > 0 && confidence[0] >= 90)
    {
      code = OSRGetAuthorityCode (matches[0], NULL);
      authority = OSRGetAuthorityName (matches[0], NULL);
      if (code != NULL && authority != NULL && g_str_equal (authority, "EPSG"))
        epsg = (int) g_ascii_strtoll (code, NULL, 10);
    }
  OSRFreeSRSArray (matches);
  CPLFree (confidence);
  return epsg;
}

static void
describe_target (UrbCrs *self)
{
  int epsg = find_epsg (self->target);
  const char *name = OSRGetName (self->target);
  g_autofree char *full = NULL;
  char *wkt = NULL;

  OSRExportToWktEx (self->target, &wkt, (const char *const[]){ "FORMAT=WKT2_2018", NULL });
  full = epsg > 0 ? g_strdup_printf ("EPSG:%d %s", epsg, name) : g_strdup (name);
  urb_map_builder_set_crs (self->builder, wkt != NULL ? wkt : "", full, epsg);
  CPLFree (wkt);
}

static gboolean
decide (UrbCrs *self, OGRSpatialReferenceH source, const UrbSourceLayer *layer, const char *file,
        GError **error)
{
  self->is_decided = TRUE;
  if (source == NULL)
    return TRUE;
  self->target = choose_target (self, source, layer);
  if (self->target == NULL)
    {
      g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_CRS,
                   "The coordinates of '%s' cannot be turned into metres: its system is '%s'; "
                   "say with --crs if that is wrong",
                   file, OSRGetName (source));
      return FALSE;
    }
  describe_target (self);
  return TRUE;
}

gboolean
urb_crs_begin_layer (UrbCrs *self, const UrbSourceLayer *layer, const char *file,
                     UrbOgrTransform *transform, GError **error)
{
  g_auto(UrbOgrSrs) source = NULL;

  *transform = NULL;
  if (isnan (layer->middle_x))
    return TRUE; /* not one object with coordinates */
  source = find_source_srs (self, layer, file);
  if (!self->is_decided && !decide (self, source, layer, file, error))
    return FALSE;
  if ((source == NULL) != (self->target == NULL))
    {
      g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_CRS,
                   "'%s' %s a coordinate system, and what was read before it %s; read them apart, "
                   "or say which with --crs",
                   file, source != NULL ? "has" : "has not", source != NULL ? "has not" : "has");
      return FALSE;
    }
  if (source == NULL || OSRIsSame (source, self->target))
    return TRUE;
  *transform = OCTNewCoordinateTransformation (source, self->target);
  if (*transform != NULL)
    return TRUE;
  g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_CRS,
               "No way is known from the coordinates of '%s' (%s) to '%s'; say with --crs what "
               "they are",
               file, OSRGetName (source), OSRGetName (self->target));
  return FALSE;
}

/* -------- Afterwards -------- */

char *
urb_crs_dup_wkt (OGRSpatialReferenceH srs)
{
  char *wkt = NULL, *copy;

  if (!states_something (srs))
    return NULL;
  OSRExportToWktEx (srs, &wkt, (const char *const[]){ "FORMAT=WKT2_2018", NULL });
  copy = g_strdup (wkt);
  CPLFree (wkt);
  return copy;
}

OGRCoordinateTransformationH
urb_crs_transform_between (const char *source_wkt, const char *target_wkt)
{
  g_auto(UrbOgrSrs) source = NULL, target = NULL;

  if (source_wkt == NULL || target_wkt == NULL || *target_wkt == '\0')
    return NULL;
  source = srs_from_text (source_wkt);
  target = srs_from_text (target_wkt);
  return source != NULL && target != NULL && !OSRIsSame (source, target)
           ? OCTNewCoordinateTransformation (source, target)
           : NULL;
}
