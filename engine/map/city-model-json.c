/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-model-json.c - reads CityJSON 1.0 to 2.0, and CityJSON text sequences.
 *
 * Nothing in the file can be trusted to be of its kind, so each node is asked before it is used.
 *
 * Source: CityJSON 2.0 Specifications (OGC 20-072r5).
 */
#include <glib/gi18n.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "map/city-model.h"
#include "map/map.h"

#define MAX_DEPTH 500

typedef struct
{
  UrbCityModel *model; /* borrowed */
  double     scale[3], translate[3];
  JsonArray *vertices; /* (nullable) borrowed */
  JsonObject *objects; /* (nullable) borrowed */
} Reader;

/* -------- Nodes -------- */

static JsonObject *
as_object (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

static JsonArray *
as_array (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
}

/* NaN: it is no number */
static double
as_number (JsonNode *node)
{
  GType type = node != NULL && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node) : G_TYPE_INVALID;

  return type == G_TYPE_INT64 || type == G_TYPE_DOUBLE ? json_node_get_double (node) : NAN;
}

static const char *
as_text (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING
           ? json_node_get_string (node)
           : NULL;
}

static JsonNode *
get_member (JsonObject *object, const char *name)
{
  return object != NULL ? json_object_get_member (object, name) : NULL;
}

/* @index: may be NaN or too large */
static JsonNode *
get_element (JsonArray *array, double index)
{
  return array != NULL && index >= 0 && index < json_array_get_length (array)
           ? json_array_get_element (array, (guint) index)
           : NULL;
}

static guint
get_length (JsonArray *array)
{
  return array != NULL ? json_array_get_length (array) : 0;
}

/* -------- Geometry -------- */

static void
add_ring (Reader *self, JsonArray *ring)
{
  guint n = get_length (ring);

  urb_city_model_begin_ring (self->model);
  for (guint i = 0; i < n; i++)
    {
      JsonArray *vertex = as_array (get_element (self->vertices, as_number (get_element (ring, i))));
      double xyz[3];

      for (guint k = 0; k < 3; k++)
        xyz[k] = as_number (get_element (vertex, k)) * self->scale[k] + self->translate[k];
      urb_city_model_add_vertex (self->model, xyz[0], xyz[1], xyz[2]);
    }
}

/* @values: (nullable): which of @surfaces each face is, in lists as deep as @boundaries, which has @depth more of
 *   them than a list of faces */
static void
add_faces (Reader *self, JsonArray *boundaries, JsonNode *values, JsonArray *surfaces, int depth, int rank, int ground)
{
  JsonArray *inner = as_array (values);

  if (depth == 1)
    urb_city_model_begin_solid (self->model);
  for (guint i = 0; i < get_length (boundaries); i++)
    {
      JsonArray *part = as_array (get_element (boundaries, i));
      JsonNode *value = inner != NULL ? get_element (inner, i) : values;
      const char *type;

      if (depth > 0)
        {
          add_faces (self, part, value, surfaces, depth - 1, rank, ground);
          continue;
        }
      type = as_text (get_member (as_object (get_element (surfaces, as_number (value))), "type"));
      urb_city_model_begin_face (self->model, g_strcmp0 (type, "GroundSurface") == 0 ? ground : rank);
      for (guint r = 0; r < get_length (part); r++)
        add_ring (self, as_array (get_element (part, r)));
    }
}

/* "2.2" and 2 are level 2. */
static int
get_lod (JsonObject *geometry)
{
  JsonNode *node = get_member (geometry, "lod");
  const char *text = as_text (node);
  double number = text != NULL ? g_ascii_strtod (text, NULL) : as_number (node);

  return number >= 0 && number < 10 ? (int) number : 9;
}

/* How many lists deeper than a list of faces its boundaries are; -1: it has no faces */
static int
get_depth (JsonObject *geometry)
{
  static const struct { const char *type; int depth; } types[] = {
    { "MultiSurface", 0 }, { "CompositeSurface", 0 }, { "Solid", 1 }, { "MultiSolid", 2 }, { "CompositeSolid", 2 },
  };
  const char *type = as_text (get_member (geometry, "type"));

  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    if (g_strcmp0 (types[i].type, type) == 0)
      return types[i].depth;
  return -1;
}

static void
add_geometry (Reader *self, JsonObject *geometry, gboolean is_solid)
{
  int depth = get_depth (geometry);
  JsonObject *semantics = as_object (get_member (geometry, "semantics"));
  int lod = get_lod (geometry);
  int rank = (is_solid && lod > 0 ? URB_FACE_SOLID : URB_FACE_AREA) + lod;

  urb_city_model_begin_solid (self->model);
  if (depth >= 0)
    add_faces (self, as_array (get_member (geometry, "boundaries")), get_member (semantics, "values"),
               as_array (get_member (semantics, "surfaces")), depth, rank,
               is_solid && lod > 0 ? URB_FACE_GROUND + lod : rank);
}

/* -------- Objects -------- */

static gboolean
has_faces (JsonObject *object)
{
  JsonArray *geometries = as_array (get_member (object, "geometry"));

  for (guint i = 0; i < get_length (geometries); i++)
    {
      JsonObject *geometry = as_object (get_element (geometries, i));

      if (get_depth (geometry) >= 0 && get_length (as_array (get_member (geometry, "boundaries"))) > 0)
        return TRUE;
    }
  return FALSE;
}

/* Parts of a building are areas only where the whole is none. */
static gboolean
is_covered (const Reader *self, JsonObject *object)
{
  const char *parent = as_text (get_element (as_array (get_member (object, "parents")), 0));
  JsonObject *whole = parent != NULL ? as_object (get_member (self->objects, parent)) : NULL;

  return whole != NULL && has_faces (whole);
}

static void
add_object (Reader *self, const char *id, JsonObject *object)
{
  const char *type = as_text (get_member (object, "type"));
  JsonArray *geometries = as_array (get_member (object, "geometry"));
  gboolean has_surface = FALSE;

  if (type != NULL && !urb_city_model_knows (type) && get_member (object, "parents") == NULL)
    urb_city_model_leave_out (self->model, type);
  if (type == NULL || !urb_city_model_knows (type) || is_covered (self, object)
      || (!has_faces (object) && get_length (as_array (get_member (object, "children"))) > 0))
    return;
  for (guint i = 0; i < get_length (geometries); i++)
    {
      JsonObject *geometry = as_object (get_element (geometries, i));
      const char *kind = as_text (get_member (geometry, "type"));

      /* Lines and points say where a road or a tree is, not what it covers. */
      if (g_strcmp0 (kind, "MultiLineString") == 0 || g_strcmp0 (kind, "MultiPoint") == 0)
        continue;
      has_surface = TRUE;
      add_geometry (self, geometry, urb_city_model_is_solid (type));
    }
  if (has_surface || get_length (geometries) == 0)
    urb_city_model_end_object (self->model, id, type);
  else
    {
      g_autofree char *kind = g_strconcat (type, " without areas", NULL);
      urb_city_model_leave_out (self->model, kind);
    }
}

static void
read_triple (JsonObject *transform, const char *name, double out[3])
{
  JsonArray *array = as_array (get_member (transform, name));

  for (guint k = 0; array != NULL && k < 3; k++)
    out[k] = as_number (get_element (array, k));
}

/* The parser calls itself for each bracket, so it must not see too many in each other.  It would skip comments, which
 * may hide brackets or quotes and are not part of JSON. */
static gboolean
check_brackets (const char *text, gsize n_bytes, GError **error)
{
  gboolean is_string = FALSE;
  int depth = 0;

  for (const char *c = text; c < text + n_bytes; c++)
    if (*c == '"')
      is_string = !is_string;
    else if (is_string)
      c += *c == '\\';
    else if (*c == '[' || *c == '{')
      {
        if (++depth <= MAX_DEPTH)
          continue;
        g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN, "is nested too deeply, in more than %d brackets", MAX_DEPTH);
        return FALSE;
      }
    else if (*c == ']' || *c == '}')
      depth--;
    else if (*c == '/' || *c == '\'')
      {
        g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN, "is no valid JSON: it has a '%c' outside of texts", *c);
        return FALSE;
      }
  return TRUE;
}

/* A whole file, or one line of a sequence, of which the first has what holds for all. */
static gboolean
read_document (Reader *self, const char *text, gsize n_bytes, GError **error)
{
  g_autoptr(JsonParser) parser = json_parser_new_immutable ();
  JsonObject *root, *transform;
  const char *crs;
  GList *ids;

  if (!check_brackets (text, n_bytes, error))
    return FALSE;
  if (!json_parser_load_from_data (parser, text, (gssize) n_bytes, NULL))
    {
      g_set_error_literal (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN, N_ ("is damaged or breaks off"));
      return FALSE;
    }
  root = as_object (json_parser_get_root (parser));
  transform = as_object (get_member (root, "transform"));
  read_triple (transform, "scale", self->scale);
  read_triple (transform, "translate", self->translate);
  /* The first number is the one to the east, whatever the system. */
  crs = as_text (get_member (as_object (get_member (root, "metadata")), "referenceSystem"));
  if (crs != NULL)
    urb_city_model_set_crs (self->model, crs, FALSE);
  self->vertices = as_array (get_member (root, "vertices"));
  self->objects = as_object (get_member (root, "CityObjects"));
  ids = self->objects != NULL ? json_object_get_members (self->objects) : NULL;
  for (GList *id = ids; id != NULL; id = id->next)
    {
      JsonObject *object = as_object (get_member (self->objects, id->data));
      if (object != NULL)
        add_object (self, id->data, object);
    }
  g_list_free (ids);
  return TRUE;
}

static gsize
get_line_length (const char *text, const char *end)
{
  const char *line_end = memchr (text, '\n', (gsize) (end - text));

  return (gsize) ((line_end != NULL ? line_end : end) - text);
}

/* In a sequence, each line is a document, the first too; after a damaged line the next is read. */
gboolean
urb_city_json_read (UrbCityModel *model, char *text, gsize n_bytes, GError **error)
{
  Reader self = { .model = model, .scale = { 1, 1, 1 } };
  const char *end = text + n_bytes, *line = text;
  gsize n = get_line_length (line, end);

  if (!read_document (&self, line, n, NULL))
    return read_document (&self, text, n_bytes, error);
  while ((line += n + 1) < end)
    {
      n = get_line_length (line, end);
      if (n > 1 && !read_document (&self, line, n, NULL))
        urb_city_model_skip_line (model);
    }
  return TRUE;
}
