/* SPDX-License-Identifier: Apache-2.0 */
#include "app/map/map-memory.h"

GVariant *
urbarium_map_state_new (const char *const *paths, const UrbariumMapChoices *choices)
{
  GVariantBuilder builder;
  g_variant_builder_init (&builder, G_VARIANT_TYPE (URBARIUM_MAP_STATE_TYPE));
  g_variant_builder_open (&builder, G_VARIANT_TYPE ("as"));
  for (guint i = 0; paths != NULL && paths[i] != NULL; i++)
    {
      /* A path may contain any bytes, but strings in a GVariant must be UTF-8. */
      g_autofree char *uri = g_filename_to_uri (paths[i], NULL, NULL);
      if (uri != NULL)
        g_variant_builder_add (&builder, "s", uri);
    }
  g_variant_builder_close (&builder);
  g_variant_builder_add (&builder, "d", choices->road_width_m);
  g_variant_builder_open (&builder, G_VARIANT_TYPE ("a(ssi)"));
  for (guint i = 0; i < choices->classes->len; i++)
    {
      const UrbMapOverride *change = &g_array_index (choices->classes, UrbMapOverride, i);
      g_variant_builder_add (&builder, "(ssi)", change->layer, change->value,
                             (int) change->class_);
    }
  g_variant_builder_close (&builder);
  g_variant_builder_add (&builder, "s", choices->profile);
  g_variant_builder_add (&builder, "s", choices->crs);
  g_variant_builder_add (&builder, "s", choices->part);
  g_variant_builder_open (&builder, G_VARIANT_TYPE ("a(sss)"));
  for (guint i = 0; i < choices->layers->len; i++)
    {
      const UrbMapLayerOptions *chosen = &g_array_index (choices->layers, UrbMapLayerOptions, i);
      g_variant_builder_add (&builder, "(sss)", chosen->layer, chosen->profile, chosen->crs);
    }
  g_variant_builder_close (&builder);
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}

gboolean
urbarium_map_state_read (GVariant *state, GStrv *paths, UrbariumMapChoices *choices)
{
  g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
  g_autoptr(GVariantIter) uris = NULL;
  g_autoptr(GVariantIter) changes = NULL, layers = NULL;
  const char *uri, *layer, *value, *profile, *crs, *part;
  int class_;
  if (!g_variant_is_of_type (state, G_VARIANT_TYPE (URBARIUM_MAP_STATE_TYPE)))
    return FALSE;
  g_variant_get (state, "(asda(ssi)&s&s&sa(sss))", &uris, &choices->road_width_m, &changes, &profile, &crs,
                 &part, &layers);
  while (g_variant_iter_next (uris, "&s", &uri))
    {
      char *path = g_filename_from_uri (uri, NULL, NULL);
      if (path != NULL)
        g_ptr_array_add (files, path);
    }
  if (files->len == 0 || !(choices->road_width_m >= 0))
    return FALSE;
  g_free (choices->profile);
  choices->profile = g_strdup (profile);
  g_free (choices->crs);
  choices->crs = g_strdup (crs);
  g_free (choices->part);
  choices->part = g_strdup (part);
  while (g_variant_iter_next (changes, "(&s&si)", &layer, &value, &class_))
    if (class_ >= 0 && class_ <= URB_CLASS_IGNORE)
      urbarium_map_classes_set (choices->classes, layer, value, (UrbClass) class_);
  while (g_variant_iter_next (layers, "(&s&s&s)", &layer, &profile, &crs))
    urbarium_map_layers_set (choices->layers, layer, profile, crs);
  g_ptr_array_add (files, NULL);
  if (paths != NULL)
    *paths = g_strdupv ((GStrv) files->pdata);
  return TRUE;
}

UrbariumRecent *
urbarium_map_memory_new (void)
{
  return urbarium_recent_new (URBARIUM_MAP_STATE_TYPE);
}

void
urbarium_map_memory_keep (UrbariumRecent *self, GVariant *state)
{
  g_autoptr(UrbariumMapChoices) choices = urbarium_map_choices_new ();
  g_autoptr(GVariant) files = NULL;
  if (!urbarium_map_state_read (state, NULL, choices))
    return;
  files = g_variant_get_child_value (state, 0);
  if (!urbarium_map_choices_is_empty (choices))
    urbarium_recent_keep (self, state);
  else
    urbarium_recent_forget (self, files);
}

void
urbarium_map_memory_recall (UrbariumRecent *self, const char *const *paths, UrbariumMapChoices *choices)
{
  g_autoptr(UrbariumMapChoices) none = urbarium_map_choices_new ();
  g_autoptr(GVariant) unchosen = urbarium_map_state_new (paths, none);
  g_autoptr(GVariant) files = g_variant_get_child_value (unchosen, 0);
  GVariant *state = urbarium_recent_find (self, files);
  if (state != NULL)
    urbarium_map_state_read (state, NULL, choices);
}

char **
urbarium_map_memory_dup_path_crs (UrbariumRecent *self, const char *const *paths)
{
  g_autoptr(GStrvBuilder) path_crs = g_strv_builder_new ();
  gboolean is_any = FALSE;
  if (paths[1] == NULL)
    return NULL;
  for (; *paths != NULL; paths++)
    {
      g_autoptr(UrbariumMapChoices) alone = urbarium_map_choices_new ();
      urbarium_map_memory_recall (self, (const char *const[]) { *paths, NULL }, alone);
      g_strv_builder_add (path_crs, alone->crs);
      is_any |= *alone->crs != '\0';
    }
  return !is_any ? NULL : g_strv_builder_end (path_crs);
}
