/* SPDX-License-Identifier: Apache-2.0 */
#include "app/map/layer-info.h"

static void
value_free (gpointer data)
{
  UrbariumValueInfo *self = data;
  g_free (self->value);
  g_free (self);
}

static void
layer_free (gpointer data)
{
  UrbariumLayerInfo *self = data;
  g_free (self->name);
  g_free (self->attribute);
  g_ptr_array_unref (self->values);
  g_free (self);
}

/* @values: of this layer, by text; some layers have thousands. */
static void
add_value (UrbariumLayerInfo *self, GHashTable *values, const UrbMapValue *value)
{
  UrbariumValueInfo *info = g_hash_table_lookup (values, value->value);
  if (info == NULL)
    {
      info = g_new0 (UrbariumValueInfo, 1);
      info->value = g_strdup (value->value);
      info->class_ = value->class_;
      info->known = value->known;
      g_ptr_array_add (self->values, info);
      g_hash_table_insert (values, info->value, info);
    }
  info->n_features += value->n_features;
  info->area_m2 += value->area_m2;
  self->area_m2 += value->area_m2;
}

static void
add_layer (UrbariumLayerInfo *self, GHashTable *values, const UrbMapLayer *layer)
{
  self->n_sources++;
  self->n_features += layer->n_features;
  self->n_points_ignored += layer->n_points_ignored;
  self->n_lines += layer->n_lines;
  self->n_unreadable += layer->n_unreadable;
  self->n_repaired += layer->n_repaired;
  self->n_dropped += layer->n_dropped;
  self->n_superseded += layer->n_superseded;
  for (guint i = 0; i < layer->values->len; i++)
    add_value (self, values, layer->values->pdata[i]);
}

static int
compare_sizes (double a_m2, gint64 a_n, double b_m2, gint64 b_n)
{
  if (a_m2 != b_m2)
    return a_m2 > b_m2 ? -1 : 1;
  return a_n > b_n ? -1 : a_n < b_n;
}

static int
compare_values (gconstpointer a, gconstpointer b)
{
  const UrbariumValueInfo *va = *(UrbariumValueInfo *const *) a;
  const UrbariumValueInfo *vb = *(UrbariumValueInfo *const *) b;
  int order = compare_sizes (va->area_m2, va->n_features, vb->area_m2, vb->n_features);
  if (va->class_ != vb->class_)
    return va->class_ < vb->class_ ? -1 : 1;
  return order != 0 ? order : g_strcmp0 (va->value, vb->value);
}

static int
compare_layers (gconstpointer a, gconstpointer b)
{
  const UrbariumLayerInfo *la = *(UrbariumLayerInfo *const *) a;
  const UrbariumLayerInfo *lb = *(UrbariumLayerInfo *const *) b;
  int order = compare_sizes (la->area_m2, la->n_features, lb->area_m2, lb->n_features);
  return order != 0 ? order : g_strcmp0 (la->name, lb->name);
}

GPtrArray *
urbarium_layer_info_list (UrbMap *map)
{
  GPtrArray *layers = urb_map_get_layers (map);
  GPtrArray *list = g_ptr_array_new_with_free_func (layer_free);
  g_autoptr(GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr(GHashTable) values_by_name
    = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) g_hash_table_unref);
  for (guint i = 0; i < layers->len; i++)
    {
      const UrbMapLayer *layer = layers->pdata[i];
      UrbariumLayerInfo *info = g_hash_table_lookup (by_name, layer->name);
      if (layer->n_features == 0)
        continue;
      if (info == NULL)
        {
          info = g_new0 (UrbariumLayerInfo, 1);
          info->name = g_strdup (layer->name);
          info->attribute = g_strdup (layer->attribute);
          info->values = g_ptr_array_new_with_free_func (value_free);
          g_ptr_array_add (list, info);
          g_hash_table_insert (by_name, info->name, info);
          g_hash_table_insert (values_by_name, info->name,
                               g_hash_table_new (g_str_hash, g_str_equal));
        }
      add_layer (info, g_hash_table_lookup (values_by_name, info->name), layer);
    }
  for (guint i = 0; i < list->len; i++)
    g_ptr_array_sort (((UrbariumLayerInfo *) list->pdata[i])->values, compare_values);
  g_ptr_array_sort (list, compare_layers);
  return list;
}

gboolean
urbarium_layer_info_has_road_lines (GPtrArray *layers)
{
  for (guint i = 0; i < layers->len; i++)
    {
      const UrbariumLayerInfo *layer = layers->pdata[i];
      for (guint j = 0; layer->n_lines > 0 && j < layer->values->len; j++)
        if (((UrbariumValueInfo *) layer->values->pdata[j])->class_ == URB_CLASS_ROAD)
          return TRUE;
    }
  return FALSE;
}
