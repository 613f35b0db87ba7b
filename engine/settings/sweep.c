/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep.c - see sweep.h.
 */
#include "settings/sweep.h"

#include <string.h>

#include "settings/preset.h"

enum { MAX_RUNS = 1000 };

static gboolean
set_value (const UrbSetting *row, const char *value, UrbRunConfig *config, GError **error)
{
  if (strcmp (row->key, "strategy") == 0)
    {
      UrbStrategy strategy;
      int n_ranks = 0;

      if (!urb_strategy_parse (value, &strategy, &n_ranks, error))
        return FALSE;
      urb_run_config_set_strategy (config, strategy, strategy == URB_STRATEGY_SINGLE ? 1 : n_ranks);
      return n_ranks > 0 || strategy == URB_STRATEGY_SINGLE
             || urb_options_fail (error, "strategy needs a number of ranks, as in %s:2.", value);
    }
  if (urb_setting_set_text (&urb_run_settings, row, config, value, error)
      && urb_setting_check_given (&urb_run_settings, row, config, error))
    return TRUE;
  g_prefix_error (error, "%s ", row->key);
  return FALSE;
}

/* Texts are checked by the run that gets them, so that one wrong value stops no other run; but a
 * preset that cannot be read is a slip. */
static gboolean
check_value (const UrbSetting *row, const char *value, GError **error)
{
  g_auto(UrbRunConfig) config = { 0 };
  g_autoptr(UrbPreset) preset = NULL;

  if (strcmp (row->key, "preset") == 0)
    {
      preset = urb_preset_load (value, error);
      return preset != NULL;
    }
  if (urb_setting_is_text (row) && *value != '\0')
    return TRUE;
  if (urb_setting_is_text (row))
    return urb_options_fail (error, "%s has an empty value.", row->key);
  return set_value (row, value, &config, error);
}

static gboolean
check_list (const char *key, char **values, GError **error)
{
  const UrbSetting *row = urb_settings_find (&urb_run_settings, key);
  g_autoptr(GString) keys = NULL;

  if (row != NULL && row->flags & URB_SETTING_SWEEP)
    {
      for (guint v = 0; values[v] != NULL; v++)
        if (!check_value (row, values[v], error))
          return FALSE;
      return values[0] != NULL || urb_options_fail (error, "%s has no values.", key);
    }
  keys = g_string_new (NULL);
  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    if (urb_run_settings.rows[i].flags & URB_SETTING_SWEEP)
      g_string_append_printf (keys, "%s%s", keys->len > 0 ? ", " : "", urb_run_settings.rows[i].key);
  return urb_options_fail (error,
                           "“%s” cannot be varied; choose one of %s, as in seed=1,2,3.",
                           key, keys->str);
}

static void
sweep_run_free (gpointer data)
{
  UrbSweepRun *self = data;

  g_free (self->name);
  g_strfreev (self->values);
  g_free (self);
}

void
urb_sweep_free (UrbSweep *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->keys);
  g_ptr_array_unref (self->runs);
  g_free (self);
}

static char *
make_name (const UrbSweep *self, char **values)
{
  g_autoptr(GString) name = g_string_new (NULL);

  for (guint i = 0; i < self->keys->len; i++)
    {
      /* Of a preset's path, the file's name is enough. */
      g_autofree char *value = g_path_get_basename (values[i]);

      if (g_str_has_suffix (value, ".preset"))
        value[strlen (value) - strlen (".preset")] = '\0';
      g_string_append_printf (name, "%s%s-%s", i > 0 ? "_" : "",
                              (const char *) self->keys->pdata[i], value);
    }
  return g_string_free (g_steal_pointer (&name), FALSE);
}

/* Takes @values. */
static gboolean
add_run (UrbSweep *self, char **values, GError **error)
{
  UrbSweepRun *run = g_new (UrbSweepRun, 1);

  *run = (UrbSweepRun) { make_name (self, values), values };
  g_ptr_array_add (self->runs, run);
  for (guint i = 0; i + 1 < self->runs->len; i++)
    if (strcmp (((UrbSweepRun *) self->runs->pdata[i])->name, run->name) == 0)
      return urb_options_fail (error, "two runs would be “%s”.", run->name);
  return TRUE;
}

/* Every combination: an odometer over the lists. */
static gboolean
add_runs (UrbSweep *self, GPtrArray *lists, GError **error)
{
  gint64 n = 1;

  for (guint i = 0; i < lists->len; i++)
    {
      n *= g_strv_length (lists->pdata[i]);
      if (n > MAX_RUNS)
        return urb_options_fail (error, "more than %d runs.", MAX_RUNS);
    }
  for (gint64 index = 0; index < n; index++)
    {
      char **values = g_new0 (char *, lists->len + 1);
      gint64 rest = index;

      for (guint i = lists->len; i-- > 0;)
        {
          char **list = lists->pdata[i];
          guint length = g_strv_length (list);

          values[i] = g_strdup (list[rest % length]);
          rest /= length;
        }
      if (!add_run (self, values, error))
        return FALSE;
    }
  return TRUE;
}

UrbSweep *
urb_sweep_parse (const char *const *lists, GError **error)
{
  g_autoptr(UrbSweep) self = g_new0 (UrbSweep, 1);
  g_autoptr(GPtrArray) values
    = g_ptr_array_new_with_free_func ((GDestroyNotify) (void (*) (void)) g_strfreev);

  self->keys = g_ptr_array_new_with_free_func (g_free);
  self->runs = g_ptr_array_new_with_free_func (sweep_run_free);
  for (; *lists != NULL; lists++)
    {
      const char *equals = strchr (*lists, '=');
      g_autofree char *key
        = g_strstrip (g_strndup (*lists, equals != NULL ? (gsize) (equals - *lists) : strlen (*lists)));
      char **list = g_strsplit (equals != NULL ? equals + 1 : "", ",", -1);

      for (guint i = 0; list[i] != NULL; i++)
        g_strstrip (list[i]);
      g_ptr_array_add (values, list);
      if (!check_list (key, list, error))
        return NULL;
      if (g_ptr_array_find_with_equal_func (self->keys, key, g_str_equal, NULL))
        {
          urb_options_fail (error,
                            "%s is there twice; write its values as one list.", key);
          return NULL;
        }
      g_ptr_array_add (self->keys, g_steal_pointer (&key));
    }
  return add_runs (self, values, error) ? g_steal_pointer (&self) : NULL;
}

gboolean
urb_sweep_apply (const UrbSweep *self, const UrbSweepRun *run, UrbRunConfig *config, GError **error)
{
  /* The strategy first: setting it resets others. */
  for (int pass = 0; pass < 2; pass++)
    for (guint i = 0; i < self->keys->len; i++)
      {
        const UrbSetting *row = urb_settings_find (&urb_run_settings, self->keys->pdata[i]);

        if ((strcmp (row->key, "strategy") == 0) == (pass == 0)
            && !set_value (row, run->values[i], config, error))
          return FALSE;
      }
  return TRUE;
}

/* 0, all cores, stays 0 for runs that train one after the other. */
static int
share_threads (int n_threads, guint n_at_once)
{
  if (n_at_once <= 1)
    return n_threads;
  return MAX ((n_threads > 0 ? n_threads : (int) g_get_num_processors ()) / (int) n_at_once, 1);
}

gboolean
urb_sweep_make_config (const UrbSweep *self, const UrbSweepRun *run, const UrbRunConfig *common, guint n_at_once,
                       UrbRunConfig *config, GError **error)
{
  urb_run_config_copy (config, common);
  config->train.n_threads = share_threads (common->train.n_threads, MIN (n_at_once, self->runs->len));
  if (!urb_sweep_apply (self, run, config, error))
    return FALSE;
  g_free (config->name);
  config->name = common->name != NULL ? g_strdup_printf ("%s %s", common->name, run->name) : NULL;
  return urb_run_config_check (config, error);
}
