/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-crs.c - see city-crs.h.
 */
#include "map/city-crs.h"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <stdlib.h>
#include <string.h>

#include "map/ogr-private.h"

void
urb_city_crs_clear (UrbCityCrs *self)
{
  g_clear_pointer (&self->name, g_free);
  g_clear_pointer (&self->unknown, g_free);
}

/* The first code, which is the horizontal system's, of "EPSG:25832+5783", "urn:ogc:def:crs,crs:EPSG::25832,crs:EPSG::7837",
 * "http://www.opengis.net/def/crs/EPSG/0/28992" or "http://www.opengis.net/gml/srs/epsg.xml#25832", and that of Germany's
 * "urn:adv:crs:ETRS89_UTM32*DE_DHHN2016_NH".  0: another */
static int
find_epsg (const char *name)
{
  const char *at = strcasestr (name, "EPSG"), *utm = strstr (name, "ETRS89_UTM");
  int zone = utm != NULL ? atoi (utm + strlen ("ETRS89_UTM")) : 0;

  if (at != NULL)
    {
      const char *end = at + strcspn (at, ",*+&");

      while (end > at && g_ascii_isdigit (end[-1]))
        end--;
      return (int) MIN (g_ascii_strtoull (end, NULL, 10), G_MAXINT);
    }
  return zone >= 28 && zone <= 38 ? 25800 + zone : 0;
}

static void
set_unknown (UrbCityCrs *self, const char *name)
{
  g_free (self->unknown);
  self->unknown = g_strdup (name);
}

/* A definition names systems and units by codes, too, so it is not searched for one.
 * Returns: whether @text is one */
static gboolean
set_definition (UrbCityCrs *self, OGRSpatialReferenceH srs, const char *text)
{
  char *at = (char *) text, *wkt = NULL;

  if (strchr (text, '[') == NULL || OSRImportFromWkt (srs, &at) != OGRERR_NONE)
    return FALSE;
  /* A plan's own system may say no more than "meters from the corner of the site". */
  if ((OSRIsProjected (srs) || OSRIsGeographic (srs)) && OSRExportToWkt (srs, &wkt) == OGRERR_NONE)
    self->name = g_strdup (wkt);
  else
    set_unknown (self, OSRGetName (srs) != NULL ? OSRGetName (srs) : "?");
  CPLFree (wkt);
  return TRUE;
}

static void
set_code (UrbCityCrs *self, OGRSpatialReferenceH srs, const char *name, gboolean keeps_order)
{
  int epsg = find_epsg (name);
  OGRAxisOrientation orientation = OAO_Other;

  if (epsg == 0 || OSRImportFromEPSGA (srs, epsg) != OGRERR_NONE)
    {
      set_unknown (self, name);
      return;
    }
  OSRGetAxis (srs, NULL, 0, &orientation);
  self->name = g_strdup_printf ("urn:ogc:def:crs:EPSG::%d", epsg);
  self->is_north_first = keeps_order && orientation == OAO_North;
}

void
urb_city_crs_set (UrbCityCrs *self, const char *name, gboolean keeps_order)
{
  g_auto(UrbOgrSrs) srs = NULL;

  if (self->name != NULL || *name == '\0' || g_strcmp0 (name, self->unknown) == 0)
    return;
  srs = OSRNewSpatialReference (NULL);
  CPLPushErrorHandler (CPLQuietErrorHandler);
  if (!set_definition (self, srs, name))
    set_code (self, srs, name, keeps_order);
  CPLPopErrorHandler ();
}
