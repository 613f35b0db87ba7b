/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read-source.c - reads one source into the map, object by object.
 *
 * Three kinds of sources: ordinary ones, layer by layer; streams (OpenStreetMap), whose
 * layers come interleaved and only once; and INTERLIS 1 tables with the outlines in
 * another table.  Anything not understood is counted and reported by report.c.
 */
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "base/show-text.h"
#include "map/notes.h"
#include "map/ogr-private.h"

#define PROGRESS_EVERY_US 100000

/* State of one layer while it is read. */
typedef struct
{
  const UrbSource *source;   /* borrowed */
  UrbMapLayer *layer;        /* borrowed */
  UrbClassifier *classifier; /* owned */
  UrbOgrTransform transform; /* (nullable) owned */
  UrbNest *nest;             /* owned */
  UrbSink sink;
  gint64 n_announced; /* objects according to the source; 0: unknown */
  gboolean is_cut;    /* GDAL could not go on to the next object */
  gint64 n_failures;  /* of GDAL's, for which no object has been found yet; it may read ahead */
  UrbBox near;        /* if only a part of the map is read: where objects may reach into it, in the layer's coordinates */
  UrbBox outside;     /* of objects elsewhere */
  gint64 n_outside;   /* objects elsewhere */
  gboolean is_quick;  /* GDAL leaves them out by itself */
} LayerReader;

static void
layer_reader_free (gpointer data)
{
  LayerReader *self = data;

  if (self == NULL)
    return;
  urb_classifier_free (self->classifier);
  urb_nest_free (self->nest);
  g_clear_pointer (&self->transform, OCTDestroyCoordinateTransformation);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LayerReader, layer_reader_free)

/* Called per object: reports progress from time to time; FALSE: cancelled. */
static gboolean
tick (UrbReader *self, const char *name, double fraction, GError **error)
{
  gint64 now;

  if (++self->n_done % 256 != 0)
    return TRUE;
  if (g_cancellable_set_error_if_cancelled (self->cancellable, error))
    return FALSE;
  now = g_get_monotonic_time ();
  if (self->progress != NULL && now - self->last_progress_us > PROGRESS_EVERY_US)
    {
      g_autofree char *raw = g_strdup_printf ("Reading %s", name);
      g_autofree char *what = urb_show_text (raw);
      if (fraction < 0 && self->n_total > 0)
        fraction = MIN ((double) self->n_done / self->n_total, 1);
      self->progress (fraction, what, self->progress_data);
      self->last_progress_us = now;
    }
  return TRUE;
}

static gboolean
fail_full (const char *path, GError **error)
{
  g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_LARGE,
               N_ ("'%s' has more vertices than a map can hold (2^31), or than fit into memory; cut "
                   "out the part you need"),
               path);
  return FALSE;
}

/* -------- One object -------- */

/* Whether the object becomes part of the map, and how. */
static gboolean
decide (UrbReader *self, LayerReader *reader, const UrbRow *row, UrbGeometryKind kind,
        UrbDecision *decision)
{
  UrbMapLayer *layer = reader->layer;

  if (urb_classifier_decide (reader->classifier, row, kind, decision) == URB_VERDICT_SUPERSEDED)
    {
      layer->n_superseded++;
      return FALSE;
    }
  layer->n_unexpected += decision->is_unexpected;
  ((UrbMapValue *) g_ptr_array_index (layer->values, decision->value))->n_features++;
  if (self->options->road_width_m > 0)
    decision->width_m = self->options->road_width_m;
  return decision->class_ != URB_CLASS_IGNORE;
}

/* Whether the object is far from the part that is read. */
static gboolean
leave_out (LayerReader *self, OGRGeometryH geometry)
{
  UrbBox box;

  if (self->sink.clip == NULL || geometry == NULL || OGR_G_IsEmpty (geometry))
    return FALSE;
  box = urb_geometry_get_box (geometry);
  if (urb_box_meets (self->near, box))
    return FALSE;
  self->n_outside++;
  urb_box_add (&self->outside, box);
  return TRUE;
}

static gboolean
read_object (UrbReader *self, LayerReader *reader, OGRGeometryH geometry, const UrbRow *row,
             GError **error)
{
  UrbMapLayer *layer = reader->layer;
  UrbGeometryKind kind;
  UrbDecision decision;

  if (leave_out (reader, geometry))
    return TRUE;
  layer->n_features++;
  if (geometry == NULL || OGR_G_IsEmpty (geometry))
    {
      layer->n_dropped++;
      return TRUE;
    }
  kind = urb_geometry_get_kind (geometry);
  layer->n_lines += kind == URB_GEOMETRY_LINE;
  if (kind == 0)
    {
      layer->n_points_ignored++;
      return TRUE;
    }
  if (kind == URB_GEOMETRY_LINE && reader->sink.all_closed_lines_are_areas &&
      wkbFlatten (OGR_G_GetGeometryType (geometry)) == wkbLineString &&
      urb_line_is_closed (geometry))
    kind = URB_GEOMETRY_AREA;
  return !decide (self, reader, row, kind, &decision) ||
         urb_sink_add (&reader->sink, geometry, &decision) ||
         fail_full (reader->source->display_name, error);
}

static gboolean
read_feature (UrbReader *self, LayerReader *reader, OGRFeatureH feature, GError **error)
{
  return read_object (self, reader, urb_feature_get_shape (feature),
                      &(UrbRow){ .feature = feature }, error);
}

/* As read_object(), from well-known binary. */
static gboolean
read_areas (UrbReader *self, LayerReader *reader, const guint8 *wkb, gsize n_bytes,
            guint64 n_points, const UrbRow *row, GError **error)
{
  UrbDecision decision;

  reader->layer->n_features++;
  if (n_points == 0)
    {
      reader->layer->n_dropped++;
      return TRUE;
    }
  return !decide (self, reader, row, URB_GEOMETRY_AREA, &decision) ||
         urb_sink_add_areas (&reader->sink, wkb, n_bytes, &decision) ||
         fail_full (reader->source->display_name, error);
}

/* -------- Damage -------- */

void
urb_reader_note_damage (UrbReader *self, const UrbSource *source, const char *reason)
{
  if (self->damage == NULL)
    self->damage = g_strdup_printf (N_ ("'%s' is damaged, and nothing of it can be used (%s). Download or "
                                        "export it again."),
                                    source->display_name, reason != NULL ? reason : "no reason given");
}

/* How the file itself calls the object, else its number. */
static char *
name_feature (OGRFeatureH feature)
{
  static const char *const fields[] = { "gml_id", "id", "osm_id", "osm_way_id", "fid" };

  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      int field = OGR_F_GetFieldIndex (feature, fields[i]);
      if (field >= 0 && OGR_F_IsFieldSetAndNotNull (feature, field))
        return g_strdup (OGR_F_GetFieldAsString (feature, field));
    }
  return g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) OGR_F_GetFID (feature));
}

/* Not if only the label of a house is left. */
static gboolean
has_shape (OGRFeatureH feature)
{
  OGRGeometryH shape = urb_feature_get_shape (feature);

  return shape != NULL && urb_geometry_get_kind (shape) != 0;
}

/* Counts what GDAL could not read on its way to @feature.
 * Returns: whether @feature itself could be read */
static gboolean
check_fetch (UrbReader *self, LayerReader *reader, OGRFeatureH feature)
{
  UrbGdalErrors *errors = self->errors;
  g_autofree char *name = NULL;
  gboolean failed = errors->n_failures > 0;

  if (failed || errors->skipped->len > 0)
    {
      urb_reader_note_damage (self, reader->source, errors->first);
      for (guint i = 0; i < errors->skipped->len; i++)
        urb_map_layer_add_unreadable (reader->layer, g_ptr_array_index (errors->skipped, i));
      reader->n_failures += errors->n_failures;
      reader->is_cut = failed && feature == NULL;
      urb_gdal_errors_reset (errors);
    }
  if (feature == NULL || reader->n_failures == 0 || has_shape (feature))
    return feature != NULL;
  reader->n_failures = failed ? 0 : reader->n_failures - 1; /* one object may fail twice */
  name = name_feature (feature);
  urb_map_layer_add_unreadable (reader->layer, name);
  return FALSE;
}

/* Objects that were read, whether or not they lie in the part that is wanted. */
static gint64
count_read (const LayerReader *self)
{
  return self->layer->n_features + self->n_outside + self->sink.n_outside;
}

/* Fewer objects were read than the source announced.  The shapes and the table of a
 * shapefile then belong to different maps; elsewhere the count may be outdated. */
static gboolean
check_count (UrbReader *self, const LayerReader *reader, GError **error)
{
  if (reader->is_cut)
    {
      while (count_read (reader) < reader->n_announced)
        urb_map_layer_add_unreadable (reader->layer, NULL);
      return TRUE;
    }
  if (g_str_equal (reader->source->driver, "ESRI Shapefile"))
    {
      g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_READ,
                   N_ ("'%s' has %lld shapes, but its .dbf table has only %lld rows: they do not belong together. Download or "
                       "export all its files again."),
                   reader->source->display_name, (long long) reader->n_announced, (long long) count_read (reader));
      return FALSE;
    }
  urb_map_builder_warn (self->builder, URB_NOTE_FEWER, reader->source->display_name, reader->layer->name,
                        (long long) reader->n_announced, (long long) count_read (reader));
  return TRUE;
}

/* Counts what lies outside of the part that is read.  @handle: of the layer */
static void
count_outside (UrbReader *self, LayerReader *reader, OGRLayerH handle)
{
  gint64 n_skipped = reader->is_quick ? MAX (reader->n_announced - count_read (reader), 0) : 0;
  UrbBox box = reader->outside;
  OGREnvelope all;

  self->n_inside += reader->layer->n_features;
  self->n_outside += n_skipped + reader->n_outside + reader->sink.n_outside;
  self->n_done += n_skipped;
  if (reader->sink.clip == NULL || reader->layer->n_features > 0)
    return;
  if (reader->is_quick)
    OGR_L_SetSpatialFilter (handle, NULL);
  if (reader->is_quick && OGR_L_GetExtent (handle, &all, TRUE) == OGRERR_NONE)
    urb_box_add (&box, (UrbBox){ all.MinX, all.MinY, all.MaxX, all.MaxY });
  if (urb_clip_transform (box, reader->transform, &box))
    urb_box_add (&self->outside, box);
}

static void
warn_cut (UrbReader *self, const UrbSource *source)
{
  urb_map_builder_warn (self->builder, URB_NOTE_CUT, source->display_name);
}

static gboolean
finish_layer (UrbReader *self, LayerReader *reader, OGRLayerH handle, GError **error)
{
  UrbMapLayer *layer = reader->layer;

  if (!urb_nest_finish (reader->nest, &reader->sink))
    return fail_full (reader->source->display_name, error);
  if (!reader->is_quick && reader->n_announced > count_read (reader) && !check_count (self, reader, error))
    return FALSE;
  count_outside (self, reader, handle);
  if (reader->is_cut && reader->source->address != NULL)
    {
      g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_READ,
                   N_ ("The server stopped within the layer '%s' of '%s'. Try again later, or leave the layer out by naming "
                       "the others in the address."), layer->name, reader->source->display_name);
      return FALSE;
    }
  if (reader->is_cut || reader->source->is_cut)
    warn_cut (self, reader->source);
  if (reader->sink.n_lines_left_out > 0)
    urb_map_builder_warn (self->builder, reader->sink.n_lines_left_out == 1 ? URB_NOTE_LINES_ONE : URB_NOTE_LINES_MANY,
                          reader->source->display_name, (long long) reader->sink.n_lines_left_out, layer->name);
  return TRUE;
}

/* -------- One layer -------- */

static UrbLayerFacts
get_facts (const UrbSource *source, const UrbSourceLayer *info, OGRLayerH handle)
{
  return (UrbLayerFacts){ .plain_name = info->plain_name,
                          .plain_stem = source->plain_stem,
                          .driver = source->driver,
                          .defn = OGR_L_GetLayerDefn (handle) };
}

static const UrbProfile *
get_profile (const UrbReader *self, const UrbSourceLayer *info)
{
  const UrbProfile *own = g_hash_table_lookup (self->layer_profiles, info->name);

  return own != NULL ? own : self->profile;
}

/* Whether no object of this layer can become part of the map; lists it then, with its number
 * of objects. */
static gboolean
ignore_layer (UrbReader *self, const UrbSource *source, const UrbSourceLayer *info,
              OGRLayerH handle)
{
  g_autoptr(UrbMapBuilder) scratch = urb_map_builder_new ();
  UrbLayerFacts facts = get_facts (source, info, handle);
  UrbMapLayer *layer = urb_map_builder_add_layer (scratch, info->name, "");
  g_autoptr(UrbClassifier) classifier
    = urb_classifier_new (get_profile (self, info), &facts, layer, self->options);

  if (!urb_classifier_ignores_all (classifier))
    return FALSE;
  /* INTERLIS has a hundred tables on other topics. */
  if (g_str_equal (source->driver, "Interlis 1"))
    return TRUE;
  layer = urb_map_builder_add_layer (self->builder, info->name, source->display_name);
  layer->n_features = MAX (info->n_features, 0);
  layer->crs_wkt = urb_crs_dup_wkt (info->srs);
  self->n_total -= layer->n_features;
  urb_classify_add_value (layer, "", URB_CLASS_IGNORE, TRUE, self->options);
  ((UrbMapValue *) g_ptr_array_index (layer->values, 0))->n_features = layer->n_features;
  return TRUE;
}

/* @outlines: the layer whose shapes are read, usually @info itself */
static LayerReader *
layer_reader_new (UrbReader *self, const UrbSource *source, const UrbSourceLayer *info,
                  const UrbSourceLayer *outlines, OGRLayerH handle, GError **error)
{
  g_autoptr(LayerReader) reader = g_new0 (LayerReader, 1);
  UrbLayerFacts facts = get_facts (source, info, handle);

  reader->source = source;
  reader->sink.builder = self->builder;
  reader->sink.layer_index = urb_map_builder_get_n_layers (self->builder);
  reader->layer = urb_map_builder_add_layer (self->builder, info->name, source->display_name);
  reader->sink.layer = reader->layer;
  reader->nest = urb_nest_new ();
  reader->sink.nest = reader->nest;
  /* Drawings have no areas but closed lines. */
  reader->sink.all_closed_lines_are_areas
    = g_strv_contains ((const char *const[]){ "DXF", "DGN", "CAD", NULL }, source->driver);
  reader->classifier = urb_classifier_new (get_profile (self, info), &facts, reader->layer, self->options);
  if (!urb_crs_begin_layer (self->crs, get_profile (self, info), outlines, source, &reader->transform, error))
    return NULL;
  reader->sink.transform = reader->transform;
  reader->sink.clip = urb_crs_get_clip (self->crs);
  reader->outside = URB_BOX_EMPTY;
  if (reader->sink.clip != NULL)
    reader->near = urb_clip_find_near (reader->sink.clip, reader->transform);
  if (reader->transform != NULL)
    reader->layer->crs_wkt = urb_crs_dup_wkt (OCTGetSourceCS (reader->transform));
  return g_steal_pointer (&reader);
}

typedef enum
{
  ROWS_READ,
  ROWS_FAILED,
  ROWS_LEFT_TO_GDAL /* discard what was read so far */
} RowsResult;

/* Reads one row of a table without GDAL. */
static RowsResult
read_row (UrbReader *self, LayerReader *reader, const guint8 *wkb, gsize n_bytes,
          const UrbRow *row, GError **error)
{
  g_auto(UrbOgrGeometry) geometry = NULL;
  guint64 n_points;

  if (wkb != NULL && reader->transform == NULL && urb_wkb_is_areas (wkb, n_bytes, &n_points))
    return read_areas (self, reader, wkb, n_bytes, n_points, row, error) ? ROWS_READ
                                                                          : ROWS_FAILED;
  if (wkb != NULL && (n_bytes > G_MAXINT32 ||
                      OGR_G_CreateFromWkb (wkb, NULL, &geometry, (int) n_bytes) != OGRERR_NONE))
    return ROWS_LEFT_TO_GDAL;
  return read_object (self, reader, geometry, row, error) ? ROWS_READ : ROWS_FAILED;
}

/* Building an object for each row and ring takes GDAL most of the reading time.  Unusual
 * tables are left to GDAL, so that it reports errors as usual. */
static RowsResult
read_rows (UrbReader *self, LayerReader *reader, OGRLayerH handle, GError **error)
{
  g_autoptr(UrbGeopackageRows) rows = NULL;
  g_autofree char *name = g_path_get_basename (reader->source->path);
  g_autofree gboolean *wanted = g_new0 (gboolean, OGR_FD_GetFieldCount (OGR_L_GetLayerDefn (handle)) + 1);
  RowsResult result = ROWS_READ;
  UrbRowsState state;
  const guint8 *wkb;
  gsize n_bytes;
  UrbRow row;

  urb_classifier_want_fields (reader->classifier, wanted);
  /* GDAL finds those of a part by the index. */
  rows = reader->sink.clip == NULL ? urb_geopackage_rows_open (reader->source, handle, wanted) : NULL;
  if (rows == NULL)
    return ROWS_LEFT_TO_GDAL;
  while (result == ROWS_READ &&
         (state = urb_geopackage_rows_next (rows, &row, &wkb, &n_bytes)) != URB_ROWS_END)
    {
      result = state == URB_ROWS_ODD ? ROWS_LEFT_TO_GDAL
                                     : read_row (self, reader, wkb, n_bytes, &row, error);
      if (result == ROWS_READ && !tick (self, name, -1, error))
        result = ROWS_FAILED;
    }
  return result;
}

static gboolean
read_features (UrbReader *self, LayerReader *reader, OGRLayerH handle, GError **error)
{
  g_autofree char *name = g_path_get_basename (reader->source->path);

  OGR_L_ResetReading (handle);
  urb_gdal_errors_reset (self->errors);
  while (TRUE)
    {
      g_auto(UrbOgrFeature) feature = OGR_L_GetNextFeature (handle);
      gboolean is_good = check_fetch (self, reader, feature);
      if (feature == NULL)
        return TRUE;
      if ((is_good && !read_feature (self, reader, feature, error)) || !tick (self, name, -1, error))
        return FALSE;
    }
}

/* Has GDAL leave out what is far from the part that is read, where this is quicker than to read it. */
static void
set_filter (LayerReader *self, OGRLayerH handle)
{
  self->is_quick
    = self->sink.clip != NULL && self->near.max_x < G_MAXDOUBLE && urb_clip_is_quick (self->source->driver);
  if (self->is_quick)
    OGR_L_SetSpatialFilterRect (handle, self->near.min_x, self->near.min_y, self->near.max_x, self->near.max_y);
}

static gboolean
read_layer (UrbReader *self, const UrbSource *source, const UrbSourceLayer *info, OGRLayerH handle,
            GError **error)
{
  g_autoptr(LayerReader) reader = NULL;
  UrbMapMark mark = urb_map_builder_mark (self->builder);
  gint64 n_done = self->n_done;
  RowsResult result;

  if (info->n_features == 0 && isnan (info->middle_x))
    {
      if (!g_str_equal (source->driver, "Interlis 1")) /* a hundred empty tables */
        urb_map_builder_add_layer (self->builder, info->name, source->display_name);
      return TRUE;
    }
  reader = layer_reader_new (self, source, info, info, handle, error);
  result = reader != NULL ? read_rows (self, reader, handle, error) : ROWS_FAILED;
  if (result == ROWS_LEFT_TO_GDAL)
    {
      layer_reader_free (g_steal_pointer (&reader));
      urb_map_builder_rewind (self->builder, &mark);
      self->n_done = n_done;
      reader = layer_reader_new (self, source, info, info, handle, error);
      if (reader != NULL)
        set_filter (reader, handle);
      if (reader != NULL && read_features (self, reader, handle, error))
        result = ROWS_READ;
    }
  if (result != ROWS_READ)
    return FALSE;
  reader->n_announced = info->n_features;
  return finish_layer (self, reader, handle, error);
}

/* -------- INTERLIS 1 without its model -------- */

static gboolean
read_label_table (UrbReader *self, const UrbSource *source, const UrbSourceLayer *info,
                  OGRLayerH handle, const UrbRule *rule, GError **error)
{
  g_autoptr(LayerReader) reader = NULL;
  g_autofree char *name = g_strconcat (
    info->name, rule->outlines != NULL ? rule->outlines : "_Geometrie", NULL);
  const UrbSourceLayer *outlines = NULL;

  for (guint i = 0; i < source->layers->len && outlines == NULL; i++)
    {
      const UrbSourceLayer *other = g_ptr_array_index (source->layers, i);
      if (g_str_equal (other->name, name))
        outlines = other;
    }
  if (outlines == NULL)
    {
      urb_map_builder_warn (self->builder, URB_NOTE_NO_OUTLINES, source->display_name, info->name, name);
      return TRUE;
    }
  reader = layer_reader_new (self, source, info, outlines, handle, error);
  if (reader == NULL)
    return FALSE;
  urb_gdal_errors_reset (self->errors);
  return urb_itf_read_areas (&reader->sink, handle,
                             GDALDatasetGetLayerByName (source->dataset, name), rule,
                             reader->classifier, source->display_name, self->cancellable, error) &&
         finish_layer (self, reader, handle, error);
}

/* -------- One source -------- */

/* The layers of a stream come interleaved, so all are read at once. */
static gboolean
read_stream (UrbReader *self, const UrbSource *source, GError **error)
{
  g_autoptr(GHashTable) readers = g_hash_table_new_full (NULL, NULL, NULL, layer_reader_free);
  g_autofree char *name = g_path_get_basename (source->path);
  GHashTableIter iter;
  gpointer layer, reader;

  for (guint i = 0; i < source->layers->len; i++)
    {
      const UrbSourceLayer *info = g_ptr_array_index (source->layers, i);
      OGRLayerH handle = GDALDatasetGetLayer (source->dataset, (int) i);
      reader = layer_reader_new (self, source, info, info, handle, error);
      if (reader == NULL)
        return FALSE;
      g_hash_table_insert (readers, handle, reader);
    }
  GDALDatasetResetReading (source->dataset);
  urb_gdal_errors_reset (self->errors);
  while (TRUE)
    {
      double fraction = -1;
      OGRLayerH handle = NULL;
      g_auto(UrbOgrFeature) feature = GDALDatasetGetNextFeature (source->dataset, &handle,
                                                                  &fraction, NULL, NULL);
      if (feature == NULL)
        break;
      reader = g_hash_table_lookup (readers, handle);
      if ((check_fetch (self, reader, feature) && !read_feature (self, reader, feature, error))
          || !tick (self, name, fraction, error))
        return FALSE;
    }
  if (self->errors->n_failures > 0)
    {
      urb_reader_note_damage (self, source, self->errors->first);
      warn_cut (self, source);
    }
  if (source->n_mended > 0)
    urb_map_builder_warn (self->builder, source->n_mended == 1 ? URB_NOTE_NODES_ONE : URB_NOTE_NODES_MANY,
                          source->display_name, (long long) source->n_mended);
  g_hash_table_iter_init (&iter, readers);
  while (g_hash_table_iter_next (&iter, &layer, &reader))
    if (!finish_layer (self, reader, layer, error))
      return FALSE;
  return TRUE;
}

gboolean
urb_reader_read_source (UrbReader *self, UrbSource *source, GError **error)
{
  if (!urb_source_ensure_open (source, error))
    return FALSE;
  if (urb_map_builder_get_n_layers (self->builder) + source->layers->len > URB_MAP_MAX_LAYERS)
    {
      g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_LIMIT,
                   N_ ("More than %d layers: those of '%s' no longer fit into one map"),
                   URB_MAP_MAX_LAYERS, source->display_name);
      return FALSE;
    }
  for (guint i = 0; i < source->warnings->len; i++)
    urb_map_builder_warn (self->builder, "%s", (const char *) g_ptr_array_index (source->warnings, i));
  if (urb_driver_is_stream (source->driver))
    return read_stream (self, source, error);
  if (g_str_equal (source->driver, "Interlis 1") && !urb_itf_is_whole (source->path))
    urb_map_builder_warn (self->builder, URB_NOTE_NO_END, source->display_name);
  for (guint i = 0; i < source->layers->len; i++)
    {
      const UrbSourceLayer *info = g_ptr_array_index (source->layers, i);
      OGRLayerH handle = GDALDatasetGetLayer (source->dataset, (int) i);
      const UrbRule *label_rule;
      UrbLayerFacts facts;

      if (handle == NULL)
        continue;
      facts = get_facts (source, info, handle);
      label_rule = urb_profile_find_label_rule (get_profile (self, info), &facts);
      if (label_rule != NULL)
        {
          if (!read_label_table (self, source, info, handle, label_rule, error))
            return FALSE;
        }
      else if (info->has_geometry && !ignore_layer (self, source, info, handle) &&
               !read_layer (self, source, info, handle, error))
        return FALSE;
    }
  return TRUE;
}
