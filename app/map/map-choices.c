/* SPDX-License-Identifier: Apache-2.0 */
#include "app/map/map-choices.h"

UrbariumMapChoices *
urbarium_map_choices_new (void)
{
  UrbariumMapChoices *self = g_new0 (UrbariumMapChoices, 1);
  self->classes = urbarium_map_classes_new ();
  self->profile = g_strdup ("");
  self->crs = g_strdup ("");
  self->part = g_strdup ("");
  self->layers = urbarium_map_layers_new ();
  return self;
}

UrbariumMapChoices *
urbarium_map_choices_copy (const UrbariumMapChoices *self)
{
  UrbariumMapChoices *copy = urbarium_map_choices_new ();
  urbarium_map_choices_set (copy, self);
  return copy;
}

void
urbarium_map_choices_free (UrbariumMapChoices *self)
{
  g_array_unref (self->classes);
  g_free (self->profile);
  g_free (self->crs);
  g_free (self->part);
  g_array_unref (self->layers);
  g_free (self);
}

void
urbarium_map_choices_set (UrbariumMapChoices *self, const UrbariumMapChoices *to)
{
  g_autoptr(GArray) old = self->classes;
  g_autoptr(GArray) old_layers = self->layers;
  self->classes = urbarium_map_classes_copy (to->classes);
  self->road_width_m = to->road_width_m;
  g_free (self->profile);
  self->profile = g_strdup (to->profile);
  g_free (self->crs);
  self->crs = g_strdup (to->crs);
  g_free (self->part);
  self->part = g_strdup (to->part);
  self->layers = urbarium_map_layers_copy (to->layers);
}

gboolean
urbarium_map_choices_equal (const UrbariumMapChoices *a, const UrbariumMapChoices *b)
{
  return a->road_width_m == b->road_width_m && g_str_equal (a->profile, b->profile)
         && g_str_equal (a->crs, b->crs) && g_str_equal (a->part, b->part)
         && urbarium_map_classes_equal (a->classes, b->classes)
         && urbarium_map_layers_equal (a->layers, b->layers);
}

gboolean
urbarium_map_choices_is_empty (const UrbariumMapChoices *self)
{
  return self->road_width_m == 0 && *self->profile == '\0' && *self->crs == '\0' && *self->part == '\0'
         && self->classes->len == 0 && self->layers->len == 0;
}
