/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-model-gml.c - reads CityGML 1.0 to 3.0.
 *
 * Parts of a building are inside of it, and so are its surfaces, each with faces in any level of detail.  A solid
 * refers to faces of other elements; faces are used where they are written.
 *
 * Source: OGC City Geography Markup Language (12-019, 20-010).
 */
#include <glib/gi18n.h>
#include <string.h>

#include "map/city-model.h"
#include "map/map.h"

typedef struct
{
  UrbCityModel *model;  /* borrowed */
  char     *type;       /* (nullable) owned; of the object that is being read */
  char     *id;         /* (nullable) owned */
  int       depth, object_depth;
  int       member_depth; /* of the element whose child is an object of the city, or 0 */
  int       skip_depth; /* of an element that is left out with all that is in it; 0: none */
  int       surface_depth; /* of the GroundSurface, or 0 */
  int       lod_depth, lod; /* of the element lod2MultiSurface and the like, or 0 */
  int       lod_rank;   /* of the faces in it, without the level of detail */
  int       face_depth;
  GArray   *dimensions; /* int; owned; by depth: numbers of a vertex as stated for the element, or 0 */
  int       dimension;  /* of the ring, or 0: not stated */
  GString  *numbers;    /* owned; the text of posList, pos or coordinates */
  gboolean  is_numbers;
} Reader;

/* "bldg:Building": "Building" */
static const char *
get_local (const char *name)
{
  const char *colon = strchr (name, ':');

  return colon != NULL ? colon + 1 : name;
}

static const char *
find_attribute (const char *wanted, const char **names, const char **values)
{
  for (; *names != NULL; names++, values++)
    if (g_str_equal (get_local (*names), wanted))
      return *values;
  return NULL;
}

/* Only there the order of the axes is that of the register. */
static gboolean
keeps_order (const char *crs)
{
  return g_str_has_prefix (crs, "urn:") || strstr (crs, "opengis.net/def") != NULL;
}

/* "lod0FootPrint", "lod2MultiSurface" */
static gboolean
is_lod (const char *name)
{
  return g_str_has_prefix (name, "lod") && g_ascii_isdigit (name[3]);
}

static int
rank_faces (const Reader *self)
{
  if (!urb_city_model_is_solid (self->type))
    return URB_FACE_AREA + self->lod;
  return (self->surface_depth > 0 ? URB_FACE_GROUND : self->lod_rank) + self->lod;
}

static int
rank_lod (const char *name)
{
  if (g_str_has_suffix (name, "RoofEdge"))
    return URB_FACE_EDGE;
  return name[3] == '0' ? URB_FACE_AREA : URB_FACE_SOLID;
}

static void
start_in_object (Reader *self, const char *name)
{
  /* They are inside of the building, or stick out of it. */
  static const char *const left_out[] = { "interiorRoom", "interiorBuildingInstallation", "outerBuildingInstallation",
                                          "opening", "buildingRoom", "buildingInstallation", "buildingConstructiveElement",
                                          "buildingFurniture", NULL };
  static const char *const faces[] = { "Polygon", "PolygonPatch", "Triangle", "Rectangle", NULL };

  if (g_str_equal (name, "BuildingPart"))
    urb_city_model_end_part (self->model);
  else if (g_strv_contains (left_out, name))
    self->skip_depth = self->depth;
  else if (g_str_equal (name, "GroundSurface"))
    self->surface_depth = self->depth;
  else if (is_lod (name))
    {
      self->lod_depth = self->depth;
      self->lod = name[3] - '0';
      self->lod_rank = rank_lod (name);
      urb_city_model_begin_solid (self->model);
    }
  else if (g_str_equal (name, "Solid"))
    urb_city_model_begin_solid (self->model);
  else if (self->lod_depth > 0 && self->face_depth == 0 && g_strv_contains (faces, name))
    {
      self->face_depth = self->depth;
      urb_city_model_begin_face (self->model, rank_faces (self));
    }
  else if (self->face_depth > 0 && g_str_equal (name, "LinearRing"))
    {
      urb_city_model_begin_ring (self->model);
      g_string_truncate (self->numbers, 0);
    }
}

/* Holds for all that is in the element, unless that states its own.  An envelope has nothing but its corners. */
static void
push_dimension (Reader *self, const char *name, const char *stated)
{
  int dimension = self->depth > 0 ? g_array_index (self->dimensions, int, self->depth - 1) : 0;

  if (stated != NULL && !g_str_equal (name, "Envelope"))
    dimension = g_str_equal (stated, "2") ? 2 : g_str_equal (stated, "3") ? 3 : dimension;
  g_array_append_val (self->dimensions, dimension);
}

static void
start_cb (GMarkupParseContext *context, const char *element, const char **names, const char **values, gpointer data,
          GError **error)
{
  Reader *self = data;
  const char *name = get_local (element), *crs = find_attribute ("srsName", names, values);

  push_dimension (self, name, find_attribute ("srsDimension", names, values));
  self->depth++;
  if (self->skip_depth > 0)
    return;
  if (crs != NULL)
    urb_city_model_set_crs (self->model, crs, keeps_order (crs));
  if (self->type == NULL && self->depth == self->member_depth + 1 && self->member_depth > 0
      && !urb_city_model_knows (name))
    urb_city_model_leave_out (self->model, name);
  if (self->type == NULL && g_str_equal (name, "cityObjectMember"))
    self->member_depth = self->depth;
  if (self->type == NULL && urb_city_model_knows (name))
    {
      self->type = g_strdup (name);
      self->id = g_strdup (find_attribute ("id", names, values));
      self->object_depth = self->depth;
    }
  else if (self->type != NULL)
    start_in_object (self, name);
  self->is_numbers = self->face_depth > 0
                     && g_strv_contains ((const char *const[]){ "posList", "pos", "coordinates", NULL }, name);
  if (self->is_numbers)
    self->dimension = g_array_index (self->dimensions, int, self->depth - 1);
}

/* "1,2,3 4,5,6": 3 */
static int
count_first_tuple (const char *coordinates)
{
  int n = 1;

  coordinates += strspn (coordinates, " \t\r\n");
  for (gsize i = 0, end = strcspn (coordinates, " \t\r\n"); i < end; i++)
    n += coordinates[i] == ',';
  return n;
}

/* Where nothing is stated, the ring ends at the vertex where it began. */
static guint
find_dimension (const Reader *self, const GArray *numbers)
{
  const double *first = (const double *) (gconstpointer) numbers->data;

  if (self->dimension == 2 || self->dimension == 3)
    return (guint) self->dimension;
  for (guint n = 3; n >= 2; n--)
    if (numbers->len > n && numbers->len % n == 0 && memcmp (first, first + numbers->len - n, n * sizeof *first) == 0)
      return n;
  return 3;
}

static void
add_ring (Reader *self)
{
  const char *at = g_strdelimit (self->numbers->str, ",\t\r\n", ' ');
  g_autoptr(GArray) numbers = g_array_new (FALSE, FALSE, sizeof (double));
  guint dimension, n;
  char *end;
  double number;

  while (number = g_ascii_strtod (at, &end), end != at)
    {
      g_array_append_val (numbers, number);
      at = end;
    }
  dimension = find_dimension (self, numbers);
  if (at[strspn (at, " ")] != '\0' || numbers->len % dimension != 0)
    return; /* a ring without vertices, which is no area */
  n = numbers->len;
  if (n > dimension && memcmp (numbers->data, &g_array_index (numbers, double, n - dimension), dimension * sizeof (double)) == 0)
    n -= dimension; /* it ends where it began */
  for (guint i = 0; i < n; i += dimension)
    {
      const double *vertex = &g_array_index (numbers, double, i);

      urb_city_model_add_vertex (self->model, vertex[0], vertex[1], dimension == 3 ? vertex[2] : 0);
    }
}

static void
end_cb (GMarkupParseContext *context, const char *element, gpointer data, GError **error)
{
  Reader *self = data;
  const char *name = get_local (element);
  int depth = self->depth--;

  g_array_set_size (self->dimensions, (guint) self->depth);
  self->is_numbers = FALSE;
  if (self->skip_depth > 0)
    {
      self->skip_depth = depth == self->skip_depth ? 0 : self->skip_depth;
      return;
    }
  if (self->face_depth > 0 && g_str_equal (name, "coordinates"))
    self->dimension = count_first_tuple (self->numbers->str);
  else if (self->face_depth > 0 && g_str_equal (name, "LinearRing"))
    add_ring (self);
  else if (self->type != NULL && g_str_equal (name, "BuildingPart"))
    urb_city_model_end_part (self->model);
  if (depth == self->member_depth)
    self->member_depth = 0;
  if (depth == self->face_depth)
    self->face_depth = 0;
  if (depth == self->lod_depth)
    self->lod_depth = 0;
  if (depth == self->surface_depth)
    self->surface_depth = 0;
  if (depth != self->object_depth)
    return;
  urb_city_model_end_object (self->model, self->id, self->type);
  g_clear_pointer (&self->type, g_free);
  g_clear_pointer (&self->id, g_free);
  self->object_depth = 0;
}

static void
text_cb (GMarkupParseContext *context, const char *text, gsize n_bytes, gpointer data, GError **error)
{
  Reader *self = data;

  if (!self->is_numbers)
    return;
  g_string_append_len (self->numbers, text, (gssize) n_bytes);
  g_string_append_c (self->numbers, ' ');
}

/* Of a text that is not UTF-8, by its mark or the zero bytes beside its first "<". */
static const char *
find_encoding (const char *text, gsize n_bytes)
{
  if (n_bytes < 2)
    return "ISO-8859-1";
  if (memcmp (text, "\xff\xfe", 2) == 0 || memcmp (text, "\xfe\xff", 2) == 0)
    return "UTF-16";
  return text[0] == '\0' ? "UTF-16BE" : text[1] == '\0' ? "UTF-16LE" : "ISO-8859-1";
}

gboolean
urb_city_gml_read (UrbCityModel *model, char *text, gsize n_bytes, GError **error)
{
  static const GMarkupParser parser = { .start_element = start_cb, .end_element = end_cb, .text = text_cb };
  Reader self = { .model = model, .dimensions = g_array_new (FALSE, FALSE, sizeof (int)), .numbers = g_string_new (NULL) };
  g_autoptr(GMarkupParseContext) context = NULL;
  g_autofree char *converted = NULL;
  gboolean is_fine;
  int line;

  if (!g_utf8_validate (text, (gssize) n_bytes, NULL))
    {
      converted = g_convert (text, (gssize) n_bytes, "UTF-8", find_encoding (text, n_bytes), NULL, &n_bytes, error);
      if (converted == NULL)
        return FALSE;
      text = converted;
    }
  if (g_str_has_prefix (text, "\xef\xbb\xbf"))
    {
      text += 3;
      n_bytes -= 3;
    }
  context = g_markup_parse_context_new (&parser, 0, &self, NULL);
  is_fine = g_markup_parse_context_parse (context, text, (gssize) n_bytes, NULL)
            && g_markup_parse_context_end_parse (context, NULL);
  g_markup_parse_context_get_position (context, &line, NULL);
  if (!is_fine)
    g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN, N_ ("is damaged in line %d"), line);
  g_free (self.type);
  g_free (self.id);
  g_array_unref (self.dimensions);
  g_string_free (self.numbers, TRUE);
  return is_fine;
}
