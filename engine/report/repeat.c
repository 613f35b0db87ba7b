/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repeat.c - see repeat.h.
 */
#include "report/repeat.h"

#include <string.h>

#include "base/show-text.h"
#include "settings/recipe.h"

void
urb_repeat_find_chosen (const UrbRunConfig *config, const char *preset, UrbRunConfig *out)
{
  g_autoptr(UrbPreset) networks = urb_preset_load (preset != NULL ? preset : config->train.preset, NULL);

  urb_run_config_copy (out, config);
  if (networks == NULL)
    return;
  urb_recipe_unresolve (out, networks);
  if (config->train.n_channels == 1) /* it was taken for the dataset's, which may have colors */
    out->train.n_channels = 1;
}

char *
urb_repeat_dup_value (const UrbSetting *setting, const UrbRunConfig *config)
{
  g_autofree char *text = urb_setting_dup_text (setting, config), *name = NULL;

  if (text == NULL)
    return NULL;
  if (setting->type == URB_SETTING_FILE || strcmp (setting->key, "preset") == 0)
    name = g_path_get_basename (text);
  return urb_show_text (name != NULL ? name : text);
}

/* Quotes @text only if a shell would change it. */
static void
add_word (GString *command, const char *text)
{
  g_autofree char *quoted = NULL;

  if (*text != '\0' && text[strspn (text, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-_./:,=+@%")] == '\0')
    g_string_append (command, text);
  else
    {
      quoted = g_shell_quote (text);
      g_string_append (command, quoted);
    }
}

static void
add_option (GString *command, const UrbSetting *setting, const UrbRunConfig *config)
{
  g_autofree char *value = urb_repeat_dup_value (setting, config);

  g_string_append_printf (command, " --%s", urb_setting_get_option (setting));
  if (setting->type == URB_SETTING_BOOLEAN || value == NULL)
    return; /* a switch: it is given since it is not the default */
  g_string_append_c (command, ' ');
  add_word (command, value);
}

char *
urb_repeat_dup_command (const UrbRunConfig *chosen, const char *name)
{
  GString *command = g_string_new ("urbarium-engine train");
  g_autofree char *shown = urb_show_text (name);

  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    {
      const UrbSetting *setting = &urb_run_settings.rows[i];

      /* Hooks are secret, and their other settings need one. */
      if ((setting->flags & URB_SETTING_TRAIN) != 0 && !g_str_has_prefix (setting->key, "hook")
          && urb_setting_is_set (setting, chosen))
        add_option (command, setting, chosen);
    }
  g_string_append (command, " --run ");
  add_word (command, shown);
  return g_string_free (command, FALSE);
}
