/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-model.c - see city-model.h.
 */
#include "map/city-model.h"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_vsi.h>
#include <math.h>
#include <ogr_api.h>
#include <ogr_srs_api.h>
#include <stdlib.h>
#include <string.h>

#include "map/ogr-private.h"

/* Faces at the bottom of a building are no higher than this above its lowest point. */
#define BOTTOM_M 0.5

typedef struct
{
  guint first_ring, n_rings;
  int   rank;
} Face;

struct _UrbCityModel
{
  GString *features; /* owned */
  guint    n_objects;
  int      epsg;     /* 0: unknown */
  gboolean is_north_first;
  GArray  *xyz;      /* double, in threes; of the object; all three owned */
  GArray  *rings;    /* guint: each ring's first vertex */
  GArray  *faces;    /* Face */
  GArray  *chosen;   /* Face; of these; owned */
};

UrbCityModel *
urb_city_model_new (void)
{
  UrbCityModel *self = g_new0 (UrbCityModel, 1);

  self->features = g_string_new (NULL);
  self->xyz = g_array_new (FALSE, FALSE, 3 * sizeof (double));
  self->rings = g_array_new (FALSE, FALSE, sizeof (guint));
  self->faces = g_array_new (FALSE, FALSE, sizeof (Face));
  self->chosen = g_array_new (FALSE, FALSE, sizeof (Face));
  return self;
}

void
urb_city_model_free (UrbCityModel *self)
{
  if (self == NULL)
    return;
  g_string_free (self->features, TRUE);
  g_array_unref (self->xyz);
  g_array_unref (self->rings);
  g_array_unref (self->faces);
  g_array_unref (self->chosen);
  g_free (self);
}

gboolean
urb_city_model_is_solid (const char *type)
{
  return g_strv_contains ((const char *const[]){ "Building", "BuildingPart", NULL }, type);
}

gboolean
urb_city_model_knows (const char *type)
{
  static const char *const flat[] = { "Road", "Square", "TransportSquare", "Track", "Railway", "Waterway",
                                      "WaterBody", "LandUse", "PlantCover", NULL };

  return urb_city_model_is_solid (type) || g_strv_contains (flat, type);
}

/* -------- One object -------- */

void
urb_city_model_begin_face (UrbCityModel *self, int rank)
{
  g_array_append_val (self->faces, ((Face){ .first_ring = self->rings->len, .rank = rank }));
}

void
urb_city_model_begin_ring (UrbCityModel *self)
{
  g_array_append_val (self->rings, self->xyz->len);
  g_array_index (self->faces, Face, self->faces->len - 1).n_rings++;
}

void
urb_city_model_add_vertex (UrbCityModel *self, double x, double y, double z)
{
  const double xyz[3] = { x, y, z };

  g_array_append_val (self->xyz, xyz);
}

static const double *
get_ring (const UrbCityModel *self, guint ring, guint *n)
{
  guint first = g_array_index (self->rings, guint, ring);
  guint end = ring + 1 < self->rings->len ? g_array_index (self->rings, guint, ring + 1) : self->xyz->len;

  *n = end - first;
  return (const double *) (gpointer) self->xyz->data + 3 * (gsize) first;
}

static gboolean
is_finite (const UrbCityModel *self, const Face *face)
{
  for (guint r = 0; r < face->n_rings; r++)
    {
      guint n;
      const double *xyz = get_ring (self, face->first_ring + r, &n);

      for (guint i = 0; i < 3 * n; i++)
        if (!isfinite (xyz[i]))
          return FALSE;
    }
  return TRUE;
}

/* Whether it has an area, seen from above: walls have none. */
static gboolean
is_area (const UrbCityModel *self, const Face *face)
{
  double doubled = 0, extent = 0;
  const double *xyz;
  guint n = 0;

  if (face->n_rings == 0 || !is_finite (self, face))
    return FALSE;
  xyz = get_ring (self, face->first_ring, &n);
  for (guint a = 0, b = n - 1; a < n; b = a++)
    {
      double ax = xyz[3 * a] - xyz[0], ay = xyz[3 * a + 1] - xyz[1];
      double bx = xyz[3 * b] - xyz[0], by = xyz[3 * b + 1] - xyz[1];

      doubled += bx * ay - ax * by;
      extent = fmax (extent, fmax (fabs (ax), fabs (ay)));
    }
  return n >= 3 && fabs (doubled) > 1e-6 * extent * extent;
}

static double
find_bottom (const UrbCityModel *self)
{
  double bottom = INFINITY;

  for (guint i = 0; i < self->xyz->len; i++)
    bottom = fmin (bottom, ((const double *) (gpointer) self->xyz->data)[3 * i + 2]);
  return bottom;
}

static gboolean
is_at_bottom (const UrbCityModel *self, const Face *face, double bottom)
{
  guint n;
  const double *xyz = get_ring (self, face->first_ring, &n);

  for (guint i = 0; i < n; i++)
    if (!(xyz[3 * i + 2] <= bottom + BOTTOM_M))
      return FALSE;
  return TRUE;
}

/* Of the faces that can be its area on the ground, those of the lowest rank stay.
 * @only_bottom: whether of a heap of faces only those at its bottom count
 * Returns: whether there are any */
static gboolean
choose_faces (UrbCityModel *self, gboolean only_bottom)
{
  double bottom = find_bottom (self);
  int best = G_MAXINT;

  for (guint i = 0; i < self->faces->len; i++)
    {
      Face face = g_array_index (self->faces, Face, i);

      if (!is_area (self, &face) || face.rank > best
          || (only_bottom && face.rank >= URB_FACE_SOLID && !is_at_bottom (self, &face, bottom)))
        continue;
      if (face.rank < best)
        g_array_set_size (self->chosen, 0);
      best = face.rank;
      g_array_append_val (self->chosen, face);
    }
  return self->chosen->len > 0;
}

static OGRGeometryH
make_polygon (const UrbCityModel *self, const Face *face)
{
  OGRGeometryH polygon = OGR_G_CreateGeometry (wkbPolygon);

  for (guint r = 0; r < face->n_rings; r++)
    {
      OGRGeometryH ring = OGR_G_CreateGeometry (wkbLinearRing);
      guint n;
      const double *xyz = get_ring (self, face->first_ring + r, &n);

      for (guint i = 0; n >= 3 && i <= n; i++) /* its end is its beginning */
        {
          const double *vertex = &xyz[3 * (i % n)];
          OGR_G_AddPoint_2D (ring, vertex[self->is_north_first ? 1 : 0], vertex[self->is_north_first ? 0 : 1]);
        }
      if (n >= 3)
        OGR_G_AddGeometry (polygon, ring);
      OGR_G_DestroyGeometry (ring);
    }
  return polygon;
}

/* Faces are often triangles, and those of a roof may hide each other: together they are one area.
 * Returns: (transfer full) */
static OGRGeometryH
make_shape (const UrbCityModel *self)
{
  OGRGeometryH parts = OGR_G_CreateGeometry (wkbMultiPolygon), whole;

  for (guint i = 0; i < self->chosen->len; i++)
    OGR_G_AddGeometryDirectly (parts, make_polygon (self, &g_array_index (self->chosen, Face, i)));
  if (self->chosen->len == 1)
    return parts;
  CPLPushErrorHandler (CPLQuietErrorHandler);
  whole = OGR_G_UnionCascaded (parts);
  CPLPopErrorHandler ();
  if (whole == NULL)
    return parts; /* one of them is invalid */
  OGR_G_DestroyGeometry (parts);
  return whole;
}

static void
put_text (GString *out, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  g_string_append_c (out, '"');
  for (const char *c = valid; *c != '\0'; c++)
    if (*c == '"' || *c == '\\')
      g_string_append_printf (out, "\\%c", *c);
    else if ((guchar) *c < 0x20)
      g_string_append_printf (out, "\\u%04x", *c);
    else
      g_string_append_c (out, *c);
  g_string_append_c (out, '"');
}

void
urb_city_model_end_object (UrbCityModel *self, const char *id, const char *type)
{
  g_array_set_size (self->chosen, 0);
  if (!choose_faces (self, TRUE))
    choose_faces (self, FALSE); /* a building without a floor, or on a slope: its roof, seen from above */
  g_string_append (self->features, self->n_objects++ > 0 ? ",\n" : "");
  g_string_append (self->features, "{\"type\":\"Feature\",\"properties\":{\"id\":");
  put_text (self->features, id != NULL ? id : "");
  g_string_append (self->features, ",\"type\":");
  put_text (self->features, type);
  g_string_append (self->features, "},\"geometry\":");
  if (self->chosen->len == 0)
    g_string_append (self->features, "null}");
  else
    {
      OGRGeometryH shape = make_shape (self);
      char *json = OGR_G_ExportToJson (shape);

      g_string_append_printf (self->features, "%s}", json != NULL ? json : "null");
      CPLFree (json);
      OGR_G_DestroyGeometry (shape);
    }
  g_array_set_size (self->faces, 0);
  g_array_set_size (self->rings, 0);
  g_array_set_size (self->xyz, 0);
}

/* -------- The coordinate system -------- */

/* "EPSG:25832", "urn:ogc:def:crs,crs:EPSG::25832,crs:EPSG::7837", "http://www.opengis.net/def/crs/EPSG/0/28992",
 * and Germany's "urn:adv:crs:ETRS89_UTM32*DE_DHHN2016_NH".  0: another */
static int
find_epsg (const char *name)
{
  const char *at = strstr (name, "EPSG"), *utm = strstr (name, "ETRS89_UTM");
  int zone = utm != NULL ? atoi (utm + strlen ("ETRS89_UTM")) : 0;

  if (at != NULL)
    {
      gsize n = strcspn (at, ",*");
      const char *end = at + n;

      while (end > at && g_ascii_isdigit (end[-1]))
        end--;
      return atoi (end);
    }
  return zone >= 28 && zone <= 38 ? 25800 + zone : 0;
}

static gboolean
is_north_first (int epsg)
{
  OGRSpatialReferenceH srs = OSRNewSpatialReference (NULL);
  OGRAxisOrientation orientation = OAO_Other;

  if (OSRImportFromEPSGA (srs, epsg) == OGRERR_NONE)
    OSRGetAxis (srs, NULL, 0, &orientation);
  OSRRelease (srs);
  return orientation == OAO_North;
}

void
urb_city_model_set_crs (UrbCityModel *self, const char *name, gboolean keeps_order)
{
  self->epsg = find_epsg (name);
  self->is_north_first = self->epsg > 0 && keeps_order && is_north_first (self->epsg);
}

/* -------- The whole -------- */

static GString *
make_geojson (const UrbCityModel *self, const char *name)
{
  GString *text = g_string_new ("{\"type\":\"FeatureCollection\",\"name\":");

  put_text (text, name);
  g_string_append (text, ",\"crs\":{\"type\":\"name\",\"properties\":{\"name\":");
  if (self->epsg > 0)
    g_string_append_printf (text, "\"urn:ogc:def:crs:EPSG::%d\"", self->epsg);
  else
    put_text (text, "LOCAL_CS[\"unknown\",UNIT[\"metre\",1]]"); /* without any, GDAL assumes degrees */
  g_string_append (text, "}}");
  g_string_append (text, ",\"features\":[\n");
  g_string_append_len (text, self->features->str, (gssize) self->features->len);
  g_string_append (text, "]}\n");
  return text;
}

/* Returns: (transfer full): what GDAL calls it */
static char *
keep (GString *text)
{
  static gint n_copies = 0;
  char *place = g_strdup_printf ("/vsimem/flat-%d.geojson", g_atomic_int_add (&n_copies, 1));
  VSILFILE *file = VSIFOpenL (place, "wb");

  VSIFWriteL (text->str, 1, text->len, file);
  VSIFCloseL (file);
  return place;
}

char *
urb_city_model_flatten (const char *path, const char *shown, const char *name, gboolean is_json, gboolean *is_cut,
                        GError **error)
{
  g_autoptr(UrbCityModel) self = urb_city_model_new ();
  g_autoptr(GError) damage = NULL;
  g_autoptr(GString) text = NULL;
  GByte *bytes = NULL;
  vsi_l_offset n = 0;

  if (!VSIIngestFile (NULL, path, &bytes, &n, -1))
    {
      g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN, "'%s' cannot be read; copy or download it again", shown);
      return NULL;
    }
  *is_cut = is_json ? !urb_city_json_read (self, (char *) bytes, n, &damage)
                    : !urb_city_gml_read (self, (char *) bytes, n, &damage);
  VSIFree (bytes);
  if (*is_cut && self->n_objects == 0)
    {
      g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN,
                   "'%s' cannot be opened, it seems damaged: %s. Download or export it again.", shown, damage->message);
      return NULL;
    }
  text = make_geojson (self, name);
  return keep (text);
}
