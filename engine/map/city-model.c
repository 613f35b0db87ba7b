/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-model.c - see city-model.h.
 */
#include "map/city-model.h"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_vsi.h>
#include <glib/gi18n.h>
#include <math.h>
#include <ogr_api.h>
#include <string.h>

#include "base/json-build.h"
#include "base/show-text.h"
#include "map/city-crs.h"
#include "map/notes.h"
#include "map/ogr-private.h"
#include "map/union-work.h"

/* Faces at the bottom of a building are no higher than this above its lowest point. */
#define BOTTOM_M 0.5
/* Kinds that were left out, in a warning. */
#define MAX_KINDS 8
/* Of joining faces (union-work.h): for each side of a face, many times what models of real buildings need; and once, for buildings
 * that need more: 100,000 crossings, which take two to three seconds. */
#define WORK_OF_SIDE  1000
#define WORK_OF_MODEL ((gint64) 10000000)

typedef struct
{
  guint first_ring, n_rings;
  guint solid;
  int   rank;
} Face;

struct _UrbCityModel
{
  GString *features; /* owned */
  guint    n_objects;
  guint    n_skipped_lines;
  GHashTable *left_out; /* owned; kind (owned) to the number of its objects */
  guint    n_unjoined; /* objects whose faces are too much work to join */
  gint64   work_left;  /* of joining faces, for sides that were and the model */
  UrbCityCrs crs;      /* owned */
  GArray  *xyz;      /* double, in threes; of the object; all three owned */
  GArray  *rings;    /* guint: each ring's first vertex */
  GArray  *faces;    /* Face */
  GArray  *bottoms;  /* double: each solid's lowest height; owned */
  guint    first_face; /* of the part that is being read */
  GArray  *chosen;   /* Face; of all parts; owned */
};

UrbCityModel *
urb_city_model_new (void)
{
  UrbCityModel *self = g_new0 (UrbCityModel, 1);

  self->features = g_string_new (NULL);
  self->left_out = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->xyz = g_array_new (FALSE, FALSE, 3 * sizeof (double));
  self->rings = g_array_new (FALSE, FALSE, sizeof (guint));
  self->faces = g_array_new (FALSE, FALSE, sizeof (Face));
  self->bottoms = g_array_new (FALSE, FALSE, sizeof (double));
  self->chosen = g_array_new (FALSE, FALSE, sizeof (Face));
  self->work_left = WORK_OF_MODEL;
  urb_city_model_begin_solid (self);
  return self;
}

void
urb_city_model_free (UrbCityModel *self)
{
  if (self == NULL)
    return;
  g_string_free (self->features, TRUE);
  g_hash_table_unref (self->left_out);
  g_array_unref (self->xyz);
  g_array_unref (self->rings);
  g_array_unref (self->faces);
  g_array_unref (self->bottoms);
  g_array_unref (self->chosen);
  urb_city_crs_clear (&self->crs);
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
urb_city_model_begin_solid (UrbCityModel *self)
{
  const double bottom = INFINITY;

  g_array_append_val (self->bottoms, bottom);
}

void
urb_city_model_begin_face (UrbCityModel *self, int rank)
{
  g_array_append_val (self->faces,
                      ((Face){ .first_ring = self->rings->len, .solid = self->bottoms->len - 1, .rank = rank }));
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
  double *bottom = &g_array_index (self->bottoms, double, self->bottoms->len - 1);

  *bottom = fmin (*bottom, z);
  g_array_append_val (self->xyz, xyz);
}

/* NULL if it has no vertex. */
static const double *
get_ring (const UrbCityModel *self, guint ring, guint *n)
{
  guint first = g_array_index (self->rings, guint, ring);
  guint end = ring + 1 < self->rings->len ? g_array_index (self->rings, guint, ring + 1) : self->xyz->len;

  *n = end - first;
  return *n > 0 ? &g_array_index (self->xyz, double, 3 * (gsize) first) : NULL;
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

/* A block (level of detail 1) has no roof that sticks out: all its faces are above its footprint, on whatever height. */
static gboolean
is_at_bottom (const UrbCityModel *self, const Face *face)
{
  double bottom = g_array_index (self->bottoms, double, face->solid);
  guint n;
  const double *xyz = get_ring (self, face->first_ring, &n);

  if (face->rank <= URB_FACE_SOLID + 1)
    return TRUE;
  for (guint i = 0; i < n; i++)
    if (!(xyz[3 * i + 2] <= bottom + BOTTOM_M))
      return FALSE;
  return TRUE;
}

/* Of the part's faces that can be its area on the ground, those of the lowest rank stay.
 * @only_bottom: whether of the faces of a solid only those at its bottom count
 * Returns: whether there are any */
static gboolean
choose_faces (UrbCityModel *self, gboolean only_bottom)
{
  guint n_before = self->chosen->len;
  int best = G_MAXINT;

  for (guint i = self->first_face; i < self->faces->len; i++)
    {
      Face face = g_array_index (self->faces, Face, i);

      if (!is_area (self, &face) || face.rank > best
          || (only_bottom && !is_at_bottom (self, &face)))
        continue;
      if (face.rank < best)
        g_array_set_size (self->chosen, n_before);
      best = face.rank;
      g_array_append_val (self->chosen, face);
    }
  return self->chosen->len > n_before;
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
          OGR_G_AddPoint_2D (ring, vertex[self->crs.is_north_first ? 1 : 0],
                              vertex[self->crs.is_north_first ? 0 : 1]);
        }
      if (n >= 3)
        OGR_G_AddGeometry (polygon, ring);
      OGR_G_DestroyGeometry (ring);
    }
  return polygon;
}

static void
add_sides (const UrbCityModel *self, const Face *face, GArray *sides)
{
  for (guint r = 0; r < face->n_rings; r++)
    {
      guint n;
      const double *xyz = get_ring (self, face->first_ring + r, &n);

      for (guint i = 0; i < n; i++)
        {
          const double *a = &xyz[3 * i], *b = &xyz[3 * ((i + 1) % n)];

          g_array_append_val (sides, ((UrbSide){ a[0], a[1], b[0], b[1] }));
        }
    }
}

/* Whether the faces can be joined in a time that is in proportion to the file: thousands that all cross each other cannot.  Work that
 * one object does not need is left for the others. */
static gboolean
can_join (UrbCityModel *self)
{
  g_autoptr(GArray) sides = g_array_new (FALSE, FALSE, sizeof (UrbSide));
  gint64 most, work;

  for (guint i = 0; i < self->chosen->len; i++)
    add_sides (self, &g_array_index (self->chosen, Face, i), sides);
  most = self->work_left + WORK_OF_SIDE * (gint64) sides->len;
  work = urb_union_measure_work ((const UrbSide *) (gpointer) sides->data, sides->len, most);
  self->work_left = MAX (most - work, 0);
  return work <= most;
}

/* Faces are often triangles, and those of a roof may hide each other: together they are one area.
 * Returns: (transfer full) (nullable): %NULL if that would be too much work */
static OGRGeometryH
make_shape (UrbCityModel *self)
{
  OGRGeometryH parts, whole;

  if (self->chosen->len > 1 && !can_join (self))
    {
      self->n_unjoined++;
      return NULL;
    }
  parts = OGR_G_CreateGeometry (wkbMultiPolygon);
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
  g_autofree char *quoted = urb_json_quote (text);

  g_string_append (out, quoted);
}

void
urb_city_model_end_part (UrbCityModel *self)
{
  if (!choose_faces (self, TRUE))
    choose_faces (self, FALSE); /* without a floor, or on a slope: its roof, seen from above */
  self->first_face = self->faces->len;
  urb_city_model_begin_solid (self);
}

void
urb_city_model_end_object (UrbCityModel *self, const char *id, const char *type)
{
  g_auto(UrbOgrGeometry) shape = NULL;
  char *json;

  urb_city_model_end_part (self);
  shape = self->chosen->len > 0 ? make_shape (self) : NULL;
  json = shape != NULL ? OGR_G_ExportToJson (shape) : NULL;
  g_string_append (self->features, self->n_objects++ > 0 ? ",\n" : "");
  g_string_append (self->features, "{\"type\":\"Feature\",\"properties\":{\"id\":");
  put_text (self->features, id != NULL ? id : "");
  g_string_append (self->features, ",\"type\":");
  put_text (self->features, type);
  g_string_append (self->features, "},\"geometry\":");
  g_string_append_printf (self->features, "%s}", json != NULL ? json : "null");
  CPLFree (json);
  g_array_set_size (self->faces, 0);
  g_array_set_size (self->rings, 0);
  g_array_set_size (self->xyz, 0);
  g_array_set_size (self->bottoms, 0);
  g_array_set_size (self->chosen, 0);
  self->first_face = 0;
  urb_city_model_begin_solid (self);
}

void
urb_city_model_skip_line (UrbCityModel *self)
{
  self->n_skipped_lines++;
}

void
urb_city_model_leave_out (UrbCityModel *self, const char *kind)
{
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (self->left_out, kind));

  /* Groups only refer to objects. */
  if (!g_str_equal (kind, "CityObjectGroup"))
    g_hash_table_insert (self->left_out, g_strdup (kind), GUINT_TO_POINTER (n + 1));
}

void
urb_city_model_set_crs (UrbCityModel *self, const char *name, gboolean keeps_order)
{
  urb_city_crs_set (&self->crs, name, keeps_order);
}

/* -------- The whole -------- */

/* What stands before the features. */
static GString *
make_head (const UrbCityModel *self, const char *name)
{
  GString *text = g_string_new ("{\"type\":\"FeatureCollection\",\"name\":");

  put_text (text, name);
  g_string_append (text, ",\"crs\":{\"type\":\"name\",\"properties\":{\"name\":");
  /* Without any, GDAL assumes degrees. */
  put_text (text, self->crs.name != NULL ? self->crs.name : "LOCAL_CS[\"unknown\",UNIT[\"metre\",1]]");
  g_string_append (text, "}},\"features\":[\n");
  return text;
}

/* Returns: (transfer full): what GDAL calls the GeoJSON; %NULL: there is no memory left */
static char *
save (const UrbCityModel *self, const char *name)
{
  static const char tail[] = "]}\n";
  g_autoptr(GString) head = make_head (self, name);
  static gint n_copies = 0;
  g_autofree char *place = g_strdup_printf ("/vsimem/flat-%d.geojson", g_atomic_int_add (&n_copies, 1));
  VSILFILE *file = VSIFOpenL (place, "wb");
  gboolean is_whole = file != NULL && VSIFWriteL (head->str, 1, head->len, file) == head->len
                      && VSIFWriteL (self->features->str, 1, self->features->len, file) == self->features->len
                      && VSIFWriteL (tail, 1, strlen (tail), file) == strlen (tail);

  if (file != NULL && VSIFCloseL (file) == 0 && is_whole)
    return g_steal_pointer (&place);
  VSIUnlink (place);
  return NULL;
}

/* "Bridge (2), Tunnel (1)" */
static void
warn_of_kinds (const UrbCityModel *self, const char *shown, GPtrArray *warnings)
{
  g_autoptr(GList) kinds = g_list_sort (g_hash_table_get_keys (self->left_out), (GCompareFunc) strcmp);
  g_autoptr(GString) list = g_string_new (NULL);
  guint n_objects = 0, n_kinds = 0;

  for (GList *kind = kinds; kind != NULL; kind = kind->next, n_kinds++)
    {
      guint n = GPOINTER_TO_UINT (g_hash_table_lookup (self->left_out, kind->data));
      g_autofree char *name = urb_show_text (kind->data);

      n_objects += n;
      if (n_kinds < MAX_KINDS)
        g_string_append_printf (list, "%s%s (%u)", n_kinds > 0 ? ", " : "", name, n);
    }
  if (n_objects > 0)
    {
      if (n_kinds > MAX_KINDS)
        g_string_append (list, ", …");
      g_ptr_array_add (warnings, g_strdup_printf (n_objects == 1 ? URB_NOTE_KINDS_ONE : URB_NOTE_KINDS_MANY, shown,
                                                  (long long) n_objects, list->str));
    }
}

static void
add_warnings (const UrbCityModel *self, const char *shown, GPtrArray *warnings)
{
  if (self->crs.name == NULL && self->crs.unknown != NULL)
    {
      g_autofree char *crs = urb_show_text (self->crs.unknown);
      g_ptr_array_add (warnings, g_strdup_printf (URB_NOTE_CRS_UNKNOWN, shown, crs));
    }
  warn_of_kinds (self, shown, warnings);
  if (self->n_unjoined > 0)
    g_ptr_array_add (warnings, g_strdup_printf (self->n_unjoined == 1 ? URB_NOTE_UNJOINED_ONE : URB_NOTE_UNJOINED_MANY, shown,
                                                (long long) self->n_unjoined));
  if (self->n_skipped_lines > 0)
    g_ptr_array_add (warnings, g_strdup_printf (self->n_skipped_lines == 1 ? URB_NOTE_SKIPPED_ONE : URB_NOTE_SKIPPED_MANY, shown,
                                                (long long) self->n_skipped_lines));
}

char *
urb_city_model_flatten (const char *path, const char *shown, const char *name, gboolean is_json, gboolean *is_cut,
                        GPtrArray *warnings, GError **error)
{
  g_autoptr(UrbCityModel) self = urb_city_model_new ();
  g_autoptr(GError) damage = NULL;
  GByte *bytes = NULL;
  vsi_l_offset n = 0;
  char *place;

  if (!VSIIngestFile (NULL, path, &bytes, &n, -1))
    {
      g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN, N_ ("'%s' cannot be read; copy or download it again"), shown);
      return NULL;
    }
  *is_cut = is_json ? !urb_city_json_read (self, (char *) bytes, n, &damage)
                    : !urb_city_gml_read (self, (char *) bytes, n, &damage);
  VSIFree (bytes);
  if (*is_cut && self->n_objects == 0)
    {
      g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN, N_ ("'%s' %s; download or export it again"), shown, damage->message);
      return NULL;
    }
  place = save (self, name);
  if (place == NULL)
    g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_LIMIT, N_ ("'%s' needs more memory than there is; split it"), shown);
  else
    add_warnings (self, shown, warnings);
  return place;
}
