/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - how a map is read, and copies of it that own their texts.
 */
#include <math.h>

#include "map/map-private.h"

#define PATIENCE_S 30 /* with a server, by default */

const UrbMapLayerOptions *
urb_map_options_find_layer (const UrbMapOptions *self, const char *layer)
{
  for (gsize i = 0; i < self->n_layers; i++)
    if (g_str_equal (self->layers[i].layer, layer))
      return &self->layers[i];
  return NULL;
}

int
urb_map_options_get_patience_s (const UrbMapOptions *self)
{
  return self->patience_s > 0 ? self->patience_s : PATIENCE_S;
}

gboolean
urb_map_clip_parse (const char *text, UrbBox *box)
{
  g_auto(GStrv) parts = g_strsplit (text, ",", 5);
  double values[4];

  if (g_strv_length (parts) != G_N_ELEMENTS (values))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    {
      char *end;

      values[i] = g_ascii_strtod (g_strstrip (parts[i]), &end);
      if (end == parts[i] || *end != '\0' || !isfinite (values[i]))
        return FALSE;
    }
  *box = (UrbBox){ values[0], values[1], values[2], values[3] };
  return box->min_x < box->max_x && box->min_y < box->max_y;
}

void
urb_map_options_copy_choices (UrbMapOptions *to, const UrbMapOptions *from)
{
  UrbMapOverride *overrides = g_new0 (UrbMapOverride, from->n_overrides + 1);
  UrbMapLayerOptions *layers = g_new0 (UrbMapLayerOptions, from->n_layers + 1);

  for (gsize i = 0; i < from->n_overrides; i++)
    overrides[i] = (UrbMapOverride){ g_strdup (from->overrides[i].layer), g_strdup (from->overrides[i].value),
                                     from->overrides[i].class_ };
  for (gsize i = 0; i < from->n_layers; i++)
    layers[i] = (UrbMapLayerOptions){ g_strdup (from->layers[i].layer), g_strdup (from->layers[i].profile),
                                      g_strdup (from->layers[i].crs) };
  *to = (UrbMapOptions){ .profile = g_strdup (from->profile),
                         .road_width_m = from->road_width_m,
                         .crs = g_strdup (from->crs),
                         .path_crs = (const char *const *) g_strdupv ((char **) from->path_crs),
                         .is_local = from->is_local,
                         .clip = g_strdup (from->clip),
                         .overrides = overrides,
                         .n_overrides = from->n_overrides,
                         .layers = layers,
                         .n_layers = from->n_layers };
}

void
urb_map_options_clear (UrbMapOptions *self)
{
  for (gsize i = 0; i < self->n_overrides; i++)
    {
      g_free ((char *) self->overrides[i].layer);
      g_free ((char *) self->overrides[i].value);
    }
  g_free ((UrbMapOverride *) self->overrides);
  for (gsize i = 0; i < self->n_layers; i++)
    {
      g_free ((char *) self->layers[i].layer);
      g_free ((char *) self->layers[i].profile);
      g_free ((char *) self->layers[i].crs);
    }
  g_free ((UrbMapLayerOptions *) self->layers);
  g_free ((char *) self->profile);
  g_free ((char *) self->crs);
  g_strfreev ((char **) self->path_crs);
  g_free ((char *) self->clip);
  g_free ((char *) self->address);
  *self = (UrbMapOptions){ 0 };
}
