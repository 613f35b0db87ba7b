/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.c - GLib aborts when a schema is missing, so the schema is looked up first next to
 * this program, then in the system's folders.
 */
#include "app/base/settings.h"

#include "base/program-data.h"

#define ID "org.urbarium.Urbarium"

GSettings *
urbarium_settings_new (void)
{
  g_autofree char *folder = urb_program_data_find ("../share/glib-2.0/schemas", "../../data/desktop");
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
