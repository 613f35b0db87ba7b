/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.c - turns the counts of a map into warnings and errors.
 *
 * A map that was repaired, guessed at or read in part must not look intact.
 */
#include <glib/gi18n.h>
#include <string.h>

#include "map/notes.h"
#include "map/ogr-private.h"

static void warn (UrbMap *map, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
warn (UrbMap *map, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_ptr_array_add (map->warnings, g_strdup_vprintf (format, args));
  va_end (args);
}

static void
report_unreadable (UrbMap *map, const UrbMapLayer *layer)
{
  g_autoptr(GString) names = g_string_new (NULL);

  if (layer->n_unreadable == 0)
    return;
  for (guint i = 0; i < layer->unreadable->len; i++)
    g_string_append_printf (names, "%s'%s'", i > 0 ? ", " : ": ",
                            (const char *) g_ptr_array_index (layer->unreadable, i));
  if (names->len > 0 && layer->n_unreadable > layer->unreadable->len)
    g_string_append (names, ", …");
  if (layer->n_features == 1)
    warn (map, URB_NOTE_UNREADABLE_ONLY, layer->source, layer->name, names->str);
  else
    warn (map, layer->n_unreadable == 1 ? URB_NOTE_UNREADABLE_ONE : URB_NOTE_UNREADABLE_MANY, layer->source,
          (long long) layer->n_unreadable, (long long) layer->n_features, layer->name, names->str);
}

static gboolean
is_used (const UrbMapLayer *layer)
{
  for (guint i = 0; i < layer->values->len; i++)
    if (((UrbMapValue *) g_ptr_array_index (layer->values, i))->class_ != URB_CLASS_IGNORE)
      return TRUE;
  return FALSE;
}

/* Objects whose geometry is not that of the layer's class. */
static void
report_unexpected (UrbMap *map, const UrbMapLayer *layer)
{
  gint64 n = layer->n_points_ignored;

  if (n > 0 && n == layer->n_features)
    warn (map, URB_NOTE_POINTS_ONLY, layer->source, layer->name);
  else if (n > 0 && is_used (layer))
    warn (map, n == 1 ? URB_NOTE_POINTS_ONE : URB_NOTE_POINTS_MANY, layer->source, (long long) n,
          (long long) layer->n_features, layer->name);
  n = layer->n_unexpected;
  if (n > 0)
    warn (map, n == 1 ? URB_NOTE_UNEXPECTED_ONE : URB_NOTE_UNEXPECTED_MANY, layer->source, (long long) n,
          (long long) layer->n_features, layer->name, map->profile);
}

static void
report_unknown (UrbMap *map, const UrbMapLayer *layer)
{
  g_autoptr(GString) names = g_string_new (NULL);
  gint64 n = 0;
  int n_values = 0;

  for (guint i = 0; i < layer->values->len; i++)
    {
      const UrbMapValue *value = g_ptr_array_index (layer->values, i);
      if (value->known || value->by_hand || value->class_ == URB_CLASS_IGNORE || value->n_features == 0)
        continue;
      n += value->n_features;
      if (n_values++ < URB_MAP_MAX_NAMED)
        g_string_append_printf (names, "%s'%s'", names->len > 0 ? ", " : "", value->value);
    }
  if (n == 0)
    return;
  if (n_values > URB_MAP_MAX_NAMED)
    g_string_append (names, ", …");
  warn (map, n == 1 ? URB_NOTE_UNKNOWN_ONE : URB_NOTE_UNKNOWN_MANY, layer->source, layer->name, (long long) n, map->profile,
        names->str);
}

static void
report_layer (UrbMap *map, const UrbMapLayer *layer)
{
  report_unreadable (map, layer);
  report_unexpected (map, layer);
  if (layer->n_repaired > 0)
    warn (map, layer->n_repaired == 1 ? URB_NOTE_REPAIRED_ONE : URB_NOTE_REPAIRED_MANY, layer->source, layer->name,
          (long long) layer->n_repaired);
  if (layer->n_dropped > 0)
    warn (map, layer->n_dropped == 1 ? URB_NOTE_DROPPED_ONE : URB_NOTE_DROPPED_MANY, layer->source, layer->name,
          (long long) layer->n_dropped);
  if (layer->n_superseded > 0)
    warn (map, layer->n_superseded == 1 ? URB_NOTE_SUPERSEDED_ONE : URB_NOTE_SUPERSEDED_MANY, layer->source, layer->name,
          (long long) layer->n_superseded);
  report_unknown (map, layer);
}

void
urb_map_report_layers (UrbMap *map)
{
  for (guint i = 0; i < map->layers->len; i++)
    report_layer (map, g_ptr_array_index (map->layers, i));
}

static gboolean
is_truncated (const char *path)
{
  return urb_has_ending (path, ".itf") && !urb_itf_is_whole (path);
}

static void
explain_nothing (const char *path, GError **error)
{
  if (is_truncated (path))
    g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_EMPTY,
                 N_ ("'%s' contains no shapes: it seems truncated, as its last line ENDE is missing. "
                     "Download or export it again."),
                 path);
  else
    g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_EMPTY,
                 urb_has_ending (path, ".dbf")
                   ? N_ ("'%s' contains no shapes; choose a map with areas. (A .dbf is only the table of a shapefile: its .shp "
                         "and .shx are needed.)")
                   : N_ ("'%s' contains no shapes; choose a map with areas."),
                 path);
}

/* Why @n of the objects do not become areas: of a single one, of all, of one of several, and of many, with their number. */
typedef struct
{
  gint64      n;
  const char *only, *all, *one, *many;
} Reason;

/* "of 872 objects 870 are points and 2 are lines"; "all 872 objects are points" */
static char *
list_reasons (gint64 n_features, const Reason *reasons, guint n_reasons)
{
  g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);
  char **part;

  for (guint i = 0; i < n_reasons; i++)
    {
      if (reasons[i].n == n_features && n_features == 1)
        return g_strdup (reasons[i].only);
      if (reasons[i].n == n_features)
        return g_strdup_printf (reasons[i].all, (long long) n_features);
      if (reasons[i].n > 0)
        g_ptr_array_add (parts, g_strdup_printf (reasons[i].n == 1 ? reasons[i].one : reasons[i].many,
                                                 (long long) reasons[i].n));
    }
  part = (char **) parts->pdata;
  switch (parts->len)
    {
    case 0: return g_strdup_printf (N_ ("none of its %lld objects has a class"), (long long) n_features);
    case 1: return g_strdup_printf (N_ ("of %lld objects %s"), (long long) n_features, part[0]);
    case 2: return g_strdup_printf (N_ ("of %lld objects %s and %s"), (long long) n_features, part[0], part[1]);
    case 3: return g_strdup_printf (N_ ("of %lld objects %s, %s and %s"), (long long) n_features, part[0], part[1], part[2]);
    default:
      return g_strdup_printf (N_ ("of %lld objects %s, %s, %s and %s"), (long long) n_features, part[0], part[1], part[2], part[3]);
    }
}

void
urb_map_explain_empty (UrbMap *map, const char *path, GError **error)
{
  gint64 n_features = 0, n_points = 0, n_lines = 0, n_dropped = 0, n_ignored = 0;

  for (guint i = 0; i < map->layers->len; i++)
    {
      const UrbMapLayer *layer = g_ptr_array_index (map->layers, i);
      n_features += layer->n_features;
      n_points += layer->n_points_ignored;
      n_lines += layer->n_lines;
      n_dropped += layer->n_dropped;
      for (guint v = 0; v < layer->values->len; v++)
        {
          const UrbMapValue *value = g_ptr_array_index (layer->values, v);
          n_ignored += value->class_ == URB_CLASS_IGNORE ? value->n_features : 0;
        }
    }
  if (n_features == 0 || is_truncated (path))
    explain_nothing (path, error);
  else
    {
      const Reason reasons[] = {
        { n_points, N_ ("its only object is a point"), N_ ("all %lld objects are points"), N_ ("%lld is a point"),
          N_ ("%lld are points") },
        { n_lines, N_ ("its only object is a line"), N_ ("all %lld objects are lines"), N_ ("%lld is a line"),
          N_ ("%lld are lines") },
        { n_dropped, N_ ("its only object has no usable shape"), N_ ("all %lld objects have no usable shape"),
          N_ ("%lld has no usable shape"), N_ ("%lld have no usable shape") },
        { n_ignored, N_ ("its only object is left out"), N_ ("all %lld objects are left out"), N_ ("%lld is left out"),
          N_ ("%lld are left out") },
      };
      g_autofree char *text = list_reasons (n_features, reasons, G_N_ELEMENTS (reasons));
      g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_EMPTY,
                   N_ ("'%s' yields no areas with the profile '%s': %s. Choose a map with areas of "
                       "buildings and roads, or another --profile."),
                   path, map->profile, text);
    }
}
