/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cities/city-export-files.h"

#include <math.h>
#include <string.h>

enum { MAX_NAME_BYTES = 150 }; /* of the run: numbers follow, and most file systems allow 255 */

/* Replaces characters that other systems reject. */
static char *
make_safe (const char *name)
{
  char *safe = g_utf8_make_valid (name, -1);
  gsize length = strlen (safe);
  if (length > MAX_NAME_BYTES)
    *g_utf8_find_prev_char (safe, safe + MAX_NAME_BYTES + 1) = '\0';
  for (char *c = safe; *c != '\0'; c++)
    if (g_ascii_iscntrl (*c) || strchr ("/\\:*?\"<>|", *c) != NULL || (c == safe && *c == '.'))
      *c = '_';
  return safe;
}

/* The run's name for RUN/checkpoints/step-….safetensors, else the file's own. */
static char *
dup_run_name (const char *checkpoint)
{
  g_autofree char *folder = g_path_get_dirname (checkpoint);
  g_autofree char *folder_name = g_path_get_basename (folder);
  g_autofree char *name = NULL;
  if (strcmp (folder_name, "checkpoints") == 0)
    {
      g_autofree char *run = g_path_get_dirname (folder);
      name = g_path_get_basename (run);
    }
  else
    {
      name = g_path_get_basename (checkpoint);
      if (g_str_has_suffix (name, ".safetensors"))
        name[strlen (name) - strlen (".safetensors")] = '\0';
    }
  return make_safe (name);
}

static char *
dup_image_name (const char *prefix, UrbariumCity *city)
{
  double truncation = urbarium_city_get_truncation (city);
  g_autoptr(GString) name = g_string_new (prefix);
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append_printf (name, "city-%" G_GINT64_FORMAT "-%04" G_GINT64_FORMAT,
                          urbarium_city_get_seed (city), urbarium_city_get_index (city));
  if (fabs (truncation - 1) > 1e-6) /* favourites may mix several */
    g_string_append_printf (name, "-truncation-%s",
                            g_ascii_formatd (number, sizeof number, "%.4g", truncation));
  g_string_append (name, ".png");
  return g_string_free (g_steal_pointer (&name), FALSE);
}

GStrv
urbarium_city_export_files (UrbariumCitySource *source, GPtrArray *cities, const char *path,
                            gboolean folder)
{
  g_autoptr(GStrvBuilder) files = g_strv_builder_new ();
  const UrbariumCityModel *model = urbarium_city_source_get_last_model (source);
  g_autofree char *run = model != NULL ? dup_run_name (model->checkpoint) : NULL;
  g_autofree char *prefix
    = model != NULL ? g_strdup_printf ("%s-step-%" G_GINT64_FORMAT "-", run, model->step)
                    : g_strdup ("");
  if (!folder)
    g_strv_builder_add (files, path);
  for (guint i = 0; folder && i < cities->len; i++)
    {
      g_autofree char *name = dup_image_name (prefix, cities->pdata[i]);
      g_autofree char *file = g_build_filename (path, name, NULL);
      g_strv_builder_add (files, file);
    }
  return g_strv_builder_end (files);
}
