/* SPDX-License-Identifier: Apache-2.0 */
#include "app/map/map-layers.h"

static void
clear_options (gpointer data)
{
  UrbMapLayerOptions *self = data;
  g_free ((char *) self->layer);
  g_free ((char *) self->profile);
  g_free ((char *) self->crs);
}

GArray *
urbarium_map_layers_new (void)
{
  GArray *self = g_array_new (FALSE, FALSE, sizeof (UrbMapLayerOptions));
  g_array_set_clear_func (self, clear_options);
  return self;
}

GArray *
urbarium_map_layers_copy (GArray *self)
{
  GArray *copy = urbarium_map_layers_new ();
  for (guint i = 0; i < self->len; i++)
    {
      const UrbMapLayerOptions *layer = &g_array_index (self, UrbMapLayerOptions, i);
      urbarium_map_layers_set (copy, layer->layer, layer->profile, layer->crs);
    }
  return copy;
}

static gboolean
find (GArray *self, const char *layer, guint *index)
{
  for (*index = 0; *index < self->len; (*index)++)
    if (g_str_equal (g_array_index (self, UrbMapLayerOptions, *index).layer, layer))
      return TRUE;
  return FALSE;
}

gboolean
urbarium_map_layers_equal (GArray *a, GArray *b)
{
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    {
      const UrbMapLayerOptions *layer = &g_array_index (a, UrbMapLayerOptions, i);
      UrbMapLayerOptions other = urbarium_map_layers_get (b, layer->layer);
      if (!g_str_equal (layer->profile, other.profile) || !g_str_equal (layer->crs, other.crs))
        return FALSE;
    }
  return TRUE;
}

UrbMapLayerOptions
urbarium_map_layers_get (GArray *self, const char *layer)
{
  guint index;
  return find (self, layer, &index) ? g_array_index (self, UrbMapLayerOptions, index)
                                    : (UrbMapLayerOptions){ layer, "", "" };
}

void
urbarium_map_layers_set (GArray *self, const char *layer, const char *profile, const char *crs)
{
  /* Copied first: they may belong to the entry that is removed. */
  UrbMapLayerOptions options = { g_strdup (layer), g_strdup (profile), g_strdup (crs) };
  guint index;
  if (find (self, layer, &index))
    g_array_remove_index (self, index);
  if (*options.profile != '\0' || *options.crs != '\0')
    g_array_append_val (self, options);
  else
    clear_options (&options);
}
