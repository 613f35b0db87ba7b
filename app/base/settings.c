/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.c - GLib aborts when a schema is missing, so the schema is looked up first next to
 * this program, then in the system's folders.
 */
#include "app/base/settings.h"

#define ID "org.urbarium.Urbarium"

char *
urbarium_settings_find_data (const char *installed, const char *built)
{
  const char *candidates[] = { built, installed };
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = self == NULL ? NULL : g_path_get_dirname (self);
  for (guint i = 0; folder != NULL && i < G_N_ELEMENTS (candidates); i++)
    {
      g_autofree char *joined = g_build_filename (folder, candidates[i], NULL);
      if (g_file_test (joined, G_FILE_TEST_EXISTS))
        return g_canonicalize_filename (joined, NULL);
    }
  return NULL;
}

GSettings *
urbarium_settings_new (void)
{
  g_autofree char *folder = urbarium_settings_find_data ("../share/glib-2.0/schemas",
                                                         "../../data/desktop");
  g_autoptr(GSettingsSchemaSource) source = NULL;
  g_autoptr(GSettingsSchema) schema = NULL;
  if (folder != NULL)
    source = g_settings_schema_source_new_from_directory (
      folder, g_settings_schema_source_get_default (), FALSE, NULL);
  if (source != NULL)
    schema = g_settings_schema_source_lookup (source, ID, FALSE);
  if (schema == NULL)
    return g_settings_new (ID);
  return g_settings_new_full (schema, NULL, NULL);
}
