/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crs.c - transforms from each layer's coordinates to the map's meters.
 *
 * The first layer decides the map's CRS.  The hard part is sources that state no
 * CRS or an impossible one: their coordinates are compared with where a profile
 * says its data lies, and the guess is always reported.
 */
#include <cpl_conv.h>
#include <cpl_error.h>
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "map/notes.h"
#include "map/ogr-private.h"

struct _UrbCrs
{
  const UrbMapOptions *options; /* borrowed */
  UrbMapBuilder *builder;    /* borrowed */
  UrbOgrSrs by_user;         /* (nullable) owned */
  UrbOgrSrs wgs84;           /* owned */
  UrbOgrSrs target;          /* (nullable) owned; NULL: undecided, or plain meters */
  gboolean is_decided;
  gboolean is_local;         /* plain meters, whatever the sources state */
  gboolean has_clip;
  UrbBox clip;               /* as it was chosen; once the CRS is decided, in the map's meters */
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

/* As a user wrote it. */
static OGRSpatialReferenceH
parse (const char *text, GError **error)
{
  OGRSpatialReferenceH srs = srs_from_text (text);

  if (srs == NULL)
    g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_CRS,
                 N_ ("'%s' is not a coordinate system; try EPSG:2056, for example"), text);
  return srs;
}

OGRSpatialReferenceH
urb_crs_new_of_model (const char *layer)
{
  return g_str_has_prefix (layer, "DMAV_") ? srs_from_text ("EPSG:2056") : NULL;
}

void
urb_crs_load (void)
{
  g_auto(UrbOgrSrs) wgs84 = srs_from_text ("EPSG:4326");

  if (wgs84 == NULL)
    g_debug ("PROJ has no database");
}

UrbCrs *
urb_crs_new (const UrbMapOptions *options, UrbMapBuilder *builder, GError **error)
{
  g_autoptr(UrbCrs) self = g_new0 (UrbCrs, 1);

  self->options = options;
  self->builder = builder;
  self->is_local = options->is_local;
  self->wgs84 = srs_from_text ("EPSG:4326");
  if (self->wgs84 == NULL)
    {
      g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_CRS,
                   N_ ("PROJ cannot find its database of coordinate systems; install proj-data, or "
                       "set PROJ_LIB to the folder that contains proj.db"));
      return NULL;
    }
  if (options->crs != NULL && (self->by_user = parse (options->crs, error)) == NULL)
    return NULL;
  self->has_clip = options->clip != NULL;
  if (self->has_clip && !urb_map_clip_parse (options->clip, &self->clip))
    {
      g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_CRS,
                   "'%s' is not a part of a map: write its west, south, east and north in degrees, as 7.41,43.72,7.43,43.74",
                   options->clip);
      return NULL;
    }
  for (gsize i = 0; i < options->n_layers; i++)
    {
      g_auto(UrbOgrSrs) of_layer = NULL;

      if (*options->layers[i].crs != '\0' && (of_layer = parse (options->layers[i].crs, error)) == NULL)
        return NULL;
    }
  for (const char *const *crs = options->path_crs; crs != NULL && *crs != NULL; crs++)
    {
      g_auto(UrbOgrSrs) of_path = NULL;

      if (**crs != '\0' && (of_path = parse (*crs, error)) == NULL)
        return NULL;
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

/* -------- Properties of a CRS -------- */

/* Meters on the ground, nearly true to scale: not degrees, feet, or Mercator, which
 * stretches a Swiss town by half. */
static gboolean
is_metric (OGRSpatialReferenceH srs)
{
  const char *projection = OSRGetAttrValue (srs, "PROJECTION", 0);
  double meters = OSRGetLinearUnits (srs, NULL);

  if (!OSRIsProjected (srs) || fabs (meters - 1) > 1e-6)
    return FALSE;
  return projection == NULL ||
         !(g_str_has_prefix (projection, "Mercator") || strstr (projection, "Pseudo_Mercator") ||
           strstr (projection, "Pseudo Mercator") || strstr (projection, "Equirectangular") ||
           strstr (projection, "Plate_Carree"));
}

static gboolean
is_defined (OGRSpatialReferenceH srs)
{
  const char *name;

  if (srs == NULL || OSRIsLocal (srs) || (!OSRIsProjected (srs) && !OSRIsGeographic (srs)))
    return FALSE;
  /* GeoPackage's entries for "none" start like this. */
  name = OSRGetName (srs);
  return name == NULL || !g_str_has_prefix (name, "Undefined");
}

static gboolean
to_lon_lat (OGRSpatialReferenceH wgs84, OGRSpatialReferenceH srs, double x, double y, double *lon,
            double *lat)
{
  g_auto(UrbOgrTransform) transform = OCTNewCoordinateTransformation (srs, wgs84);

  *lon = x;
  *lat = y;
  return transform != NULL && OCTTransform (transform, 1, lon, lat, NULL) && fabs (*lon) <= 360 &&
         fabs (*lat) <= 90.01;
}

/* Whether a point with these coordinates lies on Earth, and near the area of use of
 * the CRS. */
static gboolean
is_plausible (OGRSpatialReferenceH wgs84, OGRSpatialReferenceH srs, double x, double y)
{
  const double margin = 6;
  double lon, lat, west, south, east, north;

  if (OSRIsGeographic (srs) && (fabs (x) > 360 || fabs (y) > 360))
    return FALSE;
  if (!to_lon_lat (wgs84, srs, x, y, &lon, &lat))
    return FALSE;
  if (!OSRGetAreaOfUse (srs, &west, &south, &east, &north, NULL) || west <= -1000 || west > east)
    return TRUE;
  return lon >= west - margin && lon <= east + margin && lat >= south - margin &&
         lat <= north + margin;
}

/* 0 if it is not an EPSG code. */
static int
get_epsg_code (OGRSpatialReferenceH srs)
{
  const char *authority = OSRGetAuthorityName (srs, NULL);
  const char *code = OSRGetAuthorityCode (srs, NULL);

  return authority != NULL && code != NULL && g_str_equal (authority, "EPSG")
           ? (int) g_ascii_strtoll (code, NULL, 10)
           : 0;
}

static int
find_epsg (OGRSpatialReferenceH srs)
{
  int n = 0, *confidence = NULL, epsg = get_epsg_code (srs);
  OGRSpatialReferenceH *matches;

  if (epsg != 0)
    return epsg;
  matches = OSRFindMatches (srs, NULL, &n, &confidence);
  if (n > 0 && confidence[0] >= 90)
    epsg = get_epsg_code (matches[0]);
  OSRFreeSRSArray (matches);
  CPLFree (confidence);
  return epsg;
}

/* -------- Guesses -------- */

const UrbCrsGuess *
urb_profile_find_guess (const UrbProfile *profile, double x, double y)
{
  for (guint i = 0; i < profile->guesses->len; i++)
    {
      const UrbCrsGuess *guess = g_ptr_array_index (profile->guesses, i);
      if (urb_box_contains_point (guess->box, x, y))
        return guess;
    }
  return NULL;
}

/* The profile's system that puts the point to the same place, for a system that has no code here: the French cadastre
 * names its own by the codes of another register.  (transfer full) (nullable) */
static OGRSpatialReferenceH
find_twin (const UrbProfile *profile, OGRSpatialReferenceH wgs84, OGRSpatialReferenceH srs, double x, double y)
{
  const double tolerance = 1e-8; /* degrees: a millimeter */
  const UrbCrsGuess *guess = find_epsg (srs) == 0 ? urb_profile_find_guess (profile, x, y) : NULL;
  g_auto(UrbOgrSrs) twin = guess != NULL ? srs_from_text (guess->crs) : NULL;
  double lon, lat, lon_twin, lat_twin;

  return twin != NULL && to_lon_lat (wgs84, srs, x, y, &lon, &lat)
             && to_lon_lat (wgs84, twin, x, y, &lon_twin, &lat_twin) && fabs (lon - lon_twin) < tolerance
             && fabs (lat - lat_twin) < tolerance
           ? g_steal_pointer (&twin)
           : NULL;
}

UrbPlace
urb_crs_find_place (const UrbProfile *profile, const UrbSourceLayer *layer)
{
  double x = layer->middle_x, y = layer->middle_y, lon, lat;
  g_autofree char *code = NULL;
  g_auto(UrbOgrSrs) wgs84 = NULL, twin = NULL;

  if (!profile->has_country || isnan (x))
    return URB_PLACE_UNKNOWN;
  wgs84 = srs_from_text ("EPSG:4326");
  if (wgs84 == NULL || !is_defined (layer->srs) || !is_plausible (wgs84, layer->srs, x, y)
      || !to_lon_lat (wgs84, layer->srs, x, y, &lon, &lat))
    return urb_profile_find_guess (profile, x, y) != NULL ? URB_PLACE_GUESSED : URB_PLACE_UNKNOWN;
  if (!urb_box_contains_point (profile->country, lon, lat))
    return URB_PLACE_OUTSIDE;
  twin = find_twin (profile, wgs84, layer->srs, x, y);
  code = g_strdup_printf ("EPSG:%d", find_epsg (twin != NULL ? twin : layer->srs));
  for (guint i = 0; i < profile->guesses->len; i++)
    if (g_str_equal (((const UrbCrsGuess *) g_ptr_array_index (profile->guesses, i))->crs, code))
      return URB_PLACE_NATIONAL;
  return URB_PLACE_INSIDE;
}

static OGRSpatialReferenceH
guess_srs (UrbCrs *self, const UrbProfile *profile, const UrbSourceLayer *layer)
{
  double x = layer->middle_x, y = layer->middle_y;
  const UrbCrsGuess *guess = urb_profile_find_guess (profile, x, y);

  if (guess != NULL)
    return srs_from_text (guess->crs);
  /* Degrees: a town spans a small part of one, a drawing in meters does not. */
  if (fabs (x) <= 180 && fabs (y) <= 90 && layer->spread < 2)
    return OSRClone (self->wgs84);
  return NULL;
}

/* As the user states it for this layer, else as stated by the source, else by the user for its path or for the map, else
 * guessed; NULL: plain meters. */
static OGRSpatialReferenceH
find_source_srs (UrbCrs *self, const UrbProfile *profile, const UrbSourceLayer *layer, const UrbSource *source)
{
  const UrbMapLayerOptions *own = urb_map_options_find_layer (self->options, layer->name);
  g_auto(UrbOgrSrs) guessed = NULL, twin = NULL;

  if (self->is_local)
    return NULL;
  if (own != NULL && *own->crs != '\0')
    return srs_from_text (own->crs);
  if (is_defined (layer->srs) &&
      is_plausible (self->wgs84, layer->srs, layer->middle_x, layer->middle_y))
    {
      twin = find_twin (profile, self->wgs84, layer->srs, layer->middle_x, layer->middle_y);
      return twin != NULL ? g_steal_pointer (&twin) : OSRClone (layer->srs);
    }
  if (source->crs != NULL)
    return srs_from_text (source->crs);
  if (self->by_user != NULL)
    return OSRClone (self->by_user);
  guessed = guess_srs (self, profile, layer);
  if (is_defined (layer->srs))
    {
      if (guessed == NULL)
        return OSRClone (layer->srs);
      urb_map_builder_warn (self->builder, URB_NOTE_CRS_CONTRADICTED, source->display_name, OSRGetName (layer->srs),
                            OSRGetName (guessed));
    }
  else if (guessed != NULL)
    urb_map_builder_warn (self->builder, URB_NOTE_CRS_GUESSED, source->display_name, OSRGetName (guessed));
  else
    urb_map_builder_warn (self->builder, URB_NOTE_CRS_NONE, source->display_name);
  return g_steal_pointer (&guessed);
}

/* -------- The map's CRS -------- */

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
  if (self->has_clip)
    {
      lon = (self->clip.min_x + self->clip.max_x) / 2;
      lat = (self->clip.min_y + self->clip.max_y) / 2;
    }
  else if (!to_lon_lat (self->wgs84, source, layer->middle_x, layer->middle_y, &lon, &lat))
    return NULL;
  /* Switzerland and surroundings, where LV95 is true to a millimeter in ten meters. */
  if (lon > 5.9 && lon < 10.6 && lat > 45.8 && lat < 47.85)
    return srs_from_text ("EPSG:2056");
  zone = CLAMP ((int) floor ((lon + 180) / 6) + 1, 1, 60);
  code = g_strdup_printf ("EPSG:%d", (lat >= 0 ? 32600 : 32700) + zone);
  return srs_from_text (code);
}

static char *
export_wkt (OGRSpatialReferenceH srs)
{
  char *wkt = NULL, *copy;

  OSRExportToWktEx (srs, &wkt, (const char *const[]){ "FORMAT=WKT2_2018", NULL });
  copy = g_strdup (wkt);
  CPLFree (wkt);
  return copy;
}

/* Turns the part as it was chosen into one of the map. */
static gboolean
decide_clip (UrbCrs *self, GError **error)
{
  g_auto(UrbOgrTransform) transform = OCTNewCoordinateTransformation (self->wgs84, self->target);

  if (fabs (self->clip.min_x) <= 180 && fabs (self->clip.max_x) <= 180 && fabs (self->clip.min_y) <= 90
      && fabs (self->clip.max_y) <= 90 && transform != NULL && urb_clip_transform (self->clip, transform, &self->clip))
    return TRUE;
  g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_CRS,
               N_ ("The part %s cannot be converted to the map's coordinate system '%s': its numbers must be degrees, west, "
                   "south, east and north. Choose another part with --clip."),
               self->options->clip, OSRGetName (self->target));
  return FALSE;
}

static gboolean
decide (UrbCrs *self, OGRSpatialReferenceH source, const UrbSourceLayer *layer, const char *file,
        GError **error)
{
  g_autofree char *name = NULL, *wkt = NULL;
  int epsg;

  self->is_decided = TRUE;
  if (source == NULL)
    return TRUE;
  self->target = choose_target (self, source, layer);
  if (self->target == NULL)
    {
      g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_CRS,
                   N_ ("The coordinates of '%s' cannot be converted to meters from its coordinate "
                       "system '%s'; if that is wrong, specify it with --crs"),
                   file, OSRGetName (source));
      return FALSE;
    }
  epsg = find_epsg (self->target);
  name = epsg > 0 ? g_strdup_printf ("EPSG:%d %s", epsg, OSRGetName (self->target))
                  : g_strdup (OSRGetName (self->target));
  wkt = export_wkt (self->target);
  urb_map_builder_set_crs (self->builder, wkt != NULL ? wkt : "", name, epsg);
  return !self->has_clip || decide_clip (self, error);
}

gboolean
urb_crs_begin_layer (UrbCrs *self, const UrbProfile *profile, const UrbSourceLayer *layer,
                     const UrbSource *source, UrbOgrTransform *transform, GError **error)
{
  g_auto(UrbOgrSrs) srs = NULL;

  *transform = NULL;
  if (isnan (layer->middle_x))
    return TRUE; /* no object has coordinates */
  srs = find_source_srs (self, profile, layer, source);
  if (!self->is_decided && !decide (self, srs, layer, source->display_name, error))
    return FALSE;
  if ((srs == NULL) != (self->target == NULL))
    {
      g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_CRS,
                   srs != NULL ? N_ ("'%s' has a coordinate system, unlike the files read before it; open them separately, or "
                                     "specify it with --crs")
                               : N_ ("'%s' has no coordinate system, unlike the files read before it; open them separately, or "
                                     "specify it with --crs"),
                   source->display_name);
      return FALSE;
    }
  if (srs == NULL || OSRIsSame (srs, self->target))
    return TRUE;
  *transform = OCTNewCoordinateTransformation (srs, self->target);
  if (*transform != NULL)
    return TRUE;
  g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_CRS,
               N_ ("There is no transformation from the coordinates of '%s' (%s) to '%s'; specify "
                   "its coordinate system with --crs"),
               source->display_name, OSRGetName (srs), OSRGetName (self->target));
  return FALSE;
}

const UrbBox *
urb_crs_get_clip (UrbCrs *self)
{
  return self->has_clip && self->is_decided ? &self->clip : NULL;
}

gboolean
urb_crs_unproject (UrbCrs *self, UrbBox *box)
{
  g_auto(UrbOgrTransform) transform
    = self->target != NULL ? OCTNewCoordinateTransformation (self->target, self->wgs84) : NULL;

  return (self->target == NULL || transform != NULL) && urb_clip_transform (*box, transform, box);
}

/* A definition in full (WKT) is not read here: the map may be hostile. */
char *
urb_map_dup_clip (UrbMap *map, UrbBox box)
{
  int epsg = urb_map_get_epsg (map);
  g_autofree char *code = g_strdup_printf ("EPSG:%d", epsg);
  g_auto(UrbOgrSrs) source = epsg > 0 ? srs_from_text (code) : NULL, wgs84 = NULL;
  g_auto(UrbOgrTransform) transform = NULL;
  gboolean is_known;

  if (source != NULL)
    {
      wgs84 = srs_from_text ("EPSG:4326");
      transform = wgs84 != NULL ? OCTNewCoordinateTransformation (source, wgs84) : NULL;
    }
  CPLPushErrorHandler (CPLQuietErrorHandler);
  is_known = (transform != NULL || *urb_map_get_crs_wkt (map) == '\0') && urb_clip_transform (box, transform, &box);
  CPLPopErrorHandler ();
  if (!is_known)
    return NULL;
  return urb_clip_format (box, transform != NULL ? "%.6f" : "%.2f");
}

/* -------- Between stored CRSs -------- */

char *
urb_crs_dup_wkt (OGRSpatialReferenceH srs)
{
  return is_defined (srs) ? export_wkt (srs) : NULL;
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
