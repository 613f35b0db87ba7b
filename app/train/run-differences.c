/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/run-differences.h"

/* A path, or the name of a built-in preset. */
static gboolean
is_file (const UrbSetting *setting)
{
  return setting->type == URB_SETTING_FILE || g_str_equal (setting->key, "preset");
}

char *
urbarium_run_dup_setting (UrbariumRun *run, const UrbSetting *setting)
{
  const UrbRunConfig *config = urbarium_run_get_config (run);
  g_autofree char *text = config == NULL ? NULL : urb_setting_dup_text (setting, config);
  return text == NULL || !is_file (setting) ? g_steal_pointer (&text) : g_path_get_basename (text);
}

/* Runs whose settings have not been read, or cannot be, count as equal. */
static gboolean
differs (GPtrArray *runs, const UrbSetting *setting)
{
  const UrbRunConfig *first = NULL;
  for (guint i = 0; i < runs->len; i++)
    {
      const UrbRunConfig *config = urbarium_run_get_config (runs->pdata[i]);
      g_autofree char *a = NULL, *b = NULL;
      if (first == NULL)
        first = config;
      if (config == NULL)
        continue;
      a = urb_setting_dup_text (setting, first);
      b = urb_setting_dup_text (setting, config);
      if (g_strcmp0 (a, b) != 0)
        return TRUE;
    }
  return FALSE;
}

GPtrArray *
urbarium_run_find_differences (GPtrArray *runs)
{
  GPtrArray *found = g_ptr_array_new ();
  for (guint i = 0; runs->len > 1 && i < urb_run_settings.n_rows; i++)
    {
      const UrbSetting *setting = &urb_run_settings.rows[i];
      if (setting->flags & URB_SETTING_TRAIN && !(setting->flags & URB_SETTING_SECRET) && differs (runs, setting))
        g_ptr_array_add (found, (gpointer) setting);
    }
  return found;
}
