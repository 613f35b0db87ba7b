/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identify-read.c - looks up the objects at a point in the files of a map.
 *
 * A server is asked for the objects at the point, and only in layers that have one.  Of files there are
 * three kinds, as in read-source.c: ordinary layers are queried by their
 * spatial index, or scanned where they have none; the layers of streams come
 * interleaved; and for INTERLIS 1 the label points are looked up, since only the map
 * knows their areas.
 */
#include <math.h>
#include <string.h>

#include "base/show-text.h"
#include "map/identify-private.h"
#include "map/ogr-private.h"
#include "map/server.h"

#define MAX_DEPTH 8
#define MAX_VALUE_CHARS 2000
#define POINT_M 0.01 /* half the edge of the box around the point */

/* One layer of a source. */
typedef struct
{
  UrbMapQuestion *question;  /* borrowed */
  guint           index;     /* of the map's layer */
  UrbOgrTransform transform; /* (nullable) owned; to the map's coordinates */
  UrbBox          wanted;    /* meters: everything in it is inspected */
  UrbBox          filter;    /* the same in the layer's coordinates */
  gboolean        has_filter;
  gboolean        has_hits;
} LayerScan;

static void
layer_scan_free (LayerScan *self)
{
  g_clear_pointer (&self->transform, OCTDestroyCoordinateTransformation);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LayerScan, layer_scan_free)

static const UrbMapLayer *
get_layer (const LayerScan *self)
{
  return g_ptr_array_index (urb_map_get_layers (self->question->map), self->index);
}

/* If the box has no counterpart in the layer's coordinates, all objects are inspected. */
static void
set_filter (LayerScan *self)
{
  enum { N_EDGE_POINTS = 21 };
  UrbBox box = self->wanted;
  g_auto(UrbOgrTransform) back = NULL;

  self->filter = box;
  self->has_filter = TRUE;
  if (self->transform == NULL)
    return;
  back = urb_crs_transform_between (urb_map_get_crs_wkt (self->question->map),
                                    get_layer (self)->crs_wkt);
  self->has_filter
    = back != NULL
      && OCTTransformBounds (back, box.min_x, box.min_y, box.max_x, box.max_y,
                             &self->filter.min_x, &self->filter.min_y, &self->filter.max_x,
                             &self->filter.max_y, N_EDGE_POINTS);
}

/* An area that contains the point meets the point.  A line that became an area by its
 * width, or by being closed, only lies in the box of that area. */
static LayerScan *
layer_scan_new (UrbMapQuestion *question, guint index)
{
  const UrbMapLayer *layer = g_ptr_array_index (urb_map_get_layers (question->map), index);
  LayerScan *self = g_new0 (LayerScan, 1);

  self->question = question;
  self->index = index;
  self->wanted = (UrbBox) { question->x - POINT_M, question->y - POINT_M, question->x + POINT_M,
                            question->y + POINT_M };
  self->transform = urb_crs_transform_between (layer->crs_wkt,
                                               urb_map_get_crs_wkt (question->map));
  for (guint i = 0; i < question->hits->len; i++)
    {
      const UrbMapHit *hit = &g_array_index (question->hits, UrbMapHit, i);

      if (hit->layer != index)
        continue;
      self->has_hits = TRUE;
      if (layer->n_lines > 0)
        urb_box_add (&self->wanted, hit->box);
    }
  set_filter (self);
  return self;
}

/* -------- One object -------- */

static char *
dup_text (const char *text)
{
  g_autofree char *valid = urb_show_text (text);

  if (g_utf8_strlen (valid, -1) > MAX_VALUE_CHARS)
    {
      g_autofree char *start = g_utf8_substring (valid, 0, MAX_VALUE_CHARS);
      return g_strconcat (start, "…", NULL);
    }
  return g_steal_pointer (&valid);
}

static void
read_attributes (OGRFeatureH feature, GPtrArray *attributes)
{
  int n = OGR_F_GetFieldCount (feature);

  for (int i = 0; i < n; i++)
    {
      UrbMapAttribute *attribute;

      if (!OGR_F_IsFieldSetAndNotNull (feature, i))
        continue;
      attribute = g_new0 (UrbMapAttribute, 1);
      attribute->name = dup_text (OGR_Fld_GetNameRef (OGR_F_GetFieldDefnRef (feature, i)));
      attribute->value = dup_text (OGR_F_GetFieldAsString (feature, i));
      g_ptr_array_add (attributes, attribute);
    }
}

static void
publish (LayerScan *self, UrbMapFind *find)
{
  self->question->n_found++;
  self->question->found (find, self->question->data);
}

static gboolean
is_enough (const UrbMapQuestion *question)
{
  return question->n_found >= URB_MAP_MAX_FINDS;
}

static void
add_find (LayerScan *self, OGRFeatureH feature, OGRGeometryH part, double area_m2, gboolean is_area)
{
  UrbMapFind *find = urb_map_find_new (self->index);

  find->box = urb_geometry_get_box (part);
  find->area_m2 = area_m2;
  find->is_area = is_area;
  read_attributes (feature, find->attributes);
  publish (self, find);
}

/* Only lines inside the box of one of the hits. */
static void
inspect_line (LayerScan *self, OGRFeatureH feature, OGRGeometryH line)
{
  const double tolerance_m = 0.1;
  UrbBox box;

  if (!self->has_hits)
    return;
  box = urb_geometry_get_box (line);
  for (guint i = 0; i < self->question->hits->len; i++)
    {
      const UrbMapHit *hit = &g_array_index (self->question->hits, UrbMapHit, i);

      if (hit->layer == self->index && box.min_x >= hit->box.min_x - tolerance_m
          && box.min_y >= hit->box.min_y - tolerance_m && box.max_x <= hit->box.max_x + tolerance_m
          && box.max_y <= hit->box.max_y + tolerance_m)
        {
          add_find (self, feature, line, 0, FALSE);
          return;
        }
    }
}

static void
inspect_parts (LayerScan *self, OGRFeatureH feature, OGRGeometryH geometry, int depth)
{
  int n;

  switch (wkbFlatten (OGR_G_GetGeometryType (geometry)))
    {
    case wkbPoint:
    case wkbMultiPoint:
      return;
    case wkbPolygon:
    case wkbTriangle:
      if (urb_geometry_contains (geometry, self->question->x, self->question->y))
        add_find (self, feature, geometry, OGR_G_Area (geometry), TRUE);
      return;
    case wkbLineString:
    case wkbLinearRing:
      inspect_line (self, feature, geometry);
      return;
    default:
      break;
    }
  n = depth < MAX_DEPTH ? OGR_G_GetGeometryCount (geometry) : 0;
  for (int i = 0; i < n; i++)
    inspect_parts (self, feature, OGR_G_GetGeometryRef (geometry, i), depth + 1);
}

static void
inspect_feature (LayerScan *self, OGRFeatureH feature)
{
  OGRGeometryH geometry = urb_feature_get_shape (feature);
  g_auto(UrbOgrGeometry) plain = NULL;

  if (geometry == NULL || OGR_G_IsEmpty (geometry) || urb_geometry_get_kind (geometry) == 0)
    return;
  plain = urb_geometry_linearize (geometry);
  if (plain == NULL
      || (self->transform != NULL && OGR_G_Transform (plain, self->transform) != OGRERR_NONE))
    return;
  inspect_parts (self, feature, plain, 0);
}

/* -------- INTERLIS 1 without its model -------- */

/* Finds the hit that contains the object's label point. */
static void
inspect_label (LayerScan *self, OGRFeatureH feature, const UrbRule *rule)
{
  double x, y;

  if (!urb_feature_read_number (feature, OGR_F_GetFieldIndex (feature, rule->label[0]), &x)
      || !urb_feature_read_number (feature, OGR_F_GetFieldIndex (feature, rule->label[1]), &y)
      || (self->transform != NULL && !OCTTransform (self->transform, 1, &x, &y, NULL)))
    return;
  for (guint i = 0; i < self->question->hits->len; i++)
    {
      const UrbMapHit *hit = &g_array_index (self->question->hits, UrbMapHit, i);

      if (hit->layer == self->index && urb_box_contains_point (hit->box, x, y)
          && urb_map_polygon_contains (self->question->map, hit->polygon, x, y))
        {
          UrbMapFind *find = urb_map_find_new (self->index);

          find->polygon = hit->polygon;
          read_attributes (feature, find->attributes);
          publish (self, find);
          return;
        }
    }
}

/* -------- One source -------- */

static gboolean
meets_filter (const LayerScan *self, OGRFeatureH feature)
{
  OGRGeometryH geometry = urb_feature_get_shape (feature);

  if (!self->has_filter || geometry == NULL || OGR_G_IsEmpty (geometry))
    return geometry != NULL;
  return urb_box_meets (urb_geometry_get_box (geometry), self->filter);
}

/* @label_rule: (nullable): set for a table of label points, which matter only for hits.  Servers filter layers whatever
 * their driver says, and never send a whole one for a click. */
static void
inspect_layer (LayerScan *self, OGRLayerH handle, const UrbRule *label_rule)
{
  gboolean is_of_server = self->question->address != NULL;

  if ((label_rule != NULL && !self->has_hits) || (is_of_server && !self->has_filter))
    return;
  if (label_rule == NULL && self->has_filter
      && (is_of_server || OGR_L_TestCapability (handle, OLCFastSpatialFilter)))
    OGR_L_SetSpatialFilterRect (handle, self->filter.min_x, self->filter.min_y,
                                self->filter.max_x, self->filter.max_y);
  OGR_L_ResetReading (handle);
  while (!is_enough (self->question))
    {
      g_auto(UrbOgrFeature) feature = OGR_L_GetNextFeature (handle);

      if (feature == NULL)
        break;
      if (label_rule != NULL)
        inspect_label (self, feature, label_rule);
      else if (meets_filter (self, feature))
        inspect_feature (self, feature);
    }
}

static OGRLayerH
get_handle (const UrbSource *source, const char *layer_name)
{
  int n = GDALDatasetGetLayerCount (source->dataset);

  for (int i = 0; i < n; i++)
    {
      OGRLayerH handle = GDALDatasetGetLayer (source->dataset, i);
      g_autofree char *name = handle != NULL ? urb_show_text (OGR_L_GetName (handle)) : NULL;

      if (name != NULL && g_str_equal (name, layer_name))
        return handle;
    }
  return NULL;
}

/* Object by object: if its layers are filtered, the OpenStreetMap driver returns nothing
 * (GDAL 3.6). */
static void
inspect_stream (UrbMapQuestion *question, const UrbSource *source, GArray *layers)
{
  g_autoptr(GHashTable) scans
    = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) layer_scan_free);

  for (guint i = 0; i < layers->len; i++)
    {
      LayerScan *scan = layer_scan_new (question, g_array_index (layers, guint, i));

      g_hash_table_insert (scans, get_handle (source, get_layer (scan)->name), scan);
    }
  GDALDatasetResetReading (source->dataset);
  while (!is_enough (question))
    {
      OGRLayerH handle = NULL;
      g_auto(UrbOgrFeature) feature
        = GDALDatasetGetNextFeature (source->dataset, &handle, NULL, NULL, NULL);
      LayerScan *scan;

      if (feature == NULL)
        break;
      scan = g_hash_table_lookup (scans, handle);
      if (scan != NULL && meets_filter (scan, feature))
        inspect_feature (scan, feature);
    }
}

static void
inspect_one (UrbMapQuestion *question, const UrbSource *source, guint index, gboolean is_itf,
             const UrbProfile *profile)
{
  g_autoptr(LayerScan) scan = layer_scan_new (question, index);
  OGRLayerH handle = get_handle (source, get_layer (scan)->name);
  const UrbRule *rule = NULL;

  if (handle == NULL)
    return;
  if (is_itf && profile != NULL)
    {
      g_autofree char *plain_name = urb_plain_text (get_layer (scan)->name, FALSE);
      UrbLayerFacts facts = { .plain_name = plain_name,
                              .plain_stem = source->plain_stem,
                              .driver = "Interlis 1",
                              .defn = OGR_L_GetLayerDefn (handle) };
      rule = urb_profile_find_label_rule (profile, &facts);
    }
  inspect_layer (scan, handle, rule);
}

static gboolean
has_hit (const UrbMapQuestion *question, guint layer)
{
  for (guint h = 0; h < question->hits->len; h++)
    if (g_array_index (question->hits, UrbMapHit, h).layer == layer)
      return TRUE;
  return FALSE;
}

/* The map's layers from this source, those with hits first. */
static GArray *
find_layers (const UrbMapQuestion *question, const UrbSource *source)
{
  GArray *layers = g_array_new (FALSE, FALSE, sizeof (guint));
  GPtrArray *all = urb_map_get_layers (question->map);

  for (guint i = 0; i < all->len; i++)
    {
      const UrbMapLayer *layer = g_ptr_array_index (all, i);

      if (!g_str_equal (layer->source, source->display_name))
        continue;
      if (has_hit (question, i))
        g_array_prepend_val (layers, i);
      else if (source->address == NULL)
        g_array_append_val (layers, i);
    }
  return layers;
}

/* FALSE: it cannot be opened. */
static gboolean
inspect_source (UrbMapQuestion *question, UrbSource *source, const UrbProfile *profile, GError **error)
{
  g_autoptr(GArray) layers = find_layers (question, source);
  const char *driver;

  if (layers->len == 0)
    return TRUE;
  if (!urb_source_ensure_open (source, error))
    return FALSE;
  driver = GDALGetDriverShortName (GDALGetDatasetDriver (source->dataset));
  if (urb_driver_is_stream (driver))
    {
      inspect_stream (question, source, layers);
      return TRUE;
    }
  for (guint i = 0; i < layers->len && !is_enough (question); i++)
    inspect_one (question, source, g_array_index (layers, guint, i),
                 g_str_equal (driver, "Interlis 1"), profile);
  return TRUE;
}

static gboolean
inspect_server (UrbMapQuestion *question, const UrbProfile *profile, GError **error)
{
  g_auto(UrbGdalErrors) errors = { 0 };
  g_autoptr(UrbSource) source = urb_source_new_server (question->address, question->patience_s);

  urb_gdal_errors_push (&errors);
  if (!inspect_source (question, source, profile, error))
    return FALSE;
  if (errors.first != NULL)
    urb_server_explain (question->address, errors.first, question->patience_s, error);
  return errors.first == NULL;
}

static void
inspect_files (UrbMapQuestion *question, const UrbProfile *profile)
{
  g_auto(UrbGdalErrors) errors = { 0 };
  g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
  gboolean one;

  urb_gdal_errors_push (&errors);
  for (char **path = question->paths; *path != NULL; path++)
    urb_find_files (*path, files, &one, NULL);
  for (guint i = 0; i < files->len && !is_enough (question); i++)
    {
      g_autoptr(UrbSource) source = urb_source_new (g_ptr_array_index (files, i));
      inspect_source (question, source, profile, NULL);
    }
}

/* -------- The answer -------- */

static void
send_find (UrbMapFind *find, gpointer out)
{
  urb_map_find_send (find, out);
  urb_map_find_free (find);
}

gboolean
urb_map_answer_identify (UrbMapQuestion *question, UrbStreamOut *out, GError **error)
{
  g_autoptr(GArray) hits = urb_map_find_hits (question->map, question->x, question->y);
  /* A profile from a file is not found by its name; only INTERLIS 1 needs it. */
  const char *profile_name = urb_map_get_profile (question->map);
  g_autoptr(UrbProfile) profile
    = profile_name != NULL ? urb_profile_load (profile_name, NULL) : NULL;

  question->hits = hits;
  question->found = send_find;
  question->data = out;
  if (question->address != NULL)
    return inspect_server (question, profile, error);
  inspect_files (question, profile);
  return TRUE;
}
