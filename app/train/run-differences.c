/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/run-differences.h"

/* A path, or the name of a built-in preset. */
static gboolean
is_file (const UrbSetting *setting)
{
  return setting->type == URB_SETTING_FILE || g_str_equal (setting->key, "preset");
}

static char *
dup_text (UrbariumRun *run, const UrbSetting *setting)
{
  const UrbRunConfig *config = urbarium_run_get_config (run);
  return config == NULL ? NULL : urb_setting_dup_text (setting, config);
}

char *
urbarium_run_dup_setting (UrbariumRun *run, const UrbSetting *setting)
{
  g_autofree char *text = dup_text (run, setting);
  return text == NULL || !is_file (setting) ? g_steal_pointer (&text) : g_path_get_basename (text);
}

static gboolean
differs (GPtrArray *runs, const UrbSetting *setting)
{
  g_autofree char *first = dup_text (runs->pdata[0], setting);
  for (guint i = 1; i < runs->len; i++)
    {
      g_autofree char *other = dup_text (runs->pdata[i], setting);
      if (g_strcmp0 (first, other) != 0)
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
      if (setting->flags & URB_SETTING_TRAIN && differs (runs, setting))
        g_ptr_array_add (found, (gpointer) setting);
    }
  return found;
}
