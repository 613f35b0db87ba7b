/* SPDX-License-Identifier: Apache-2.0 */
/*
 * args.c - see args.h.
 */
#include "settings/args.h"

#include "settings/preset.h"
#include "settings/strategy.h"

struct _UrbSettingArgs
{
  const UrbSettingTable *table;
  UrbSettingFlags        command;
  char                 **texts;    /* (n_rows) owned, nullable: not given */
  gboolean              *switched; /* (n_rows) */
  GPtrArray             *help;     /* of char *, owned: texts that the entries point to */
};

/* Ranks of hogwild are processes of a supervisor, which bench does not have. */
static guint
get_strategies (UrbSettingFlags command)
{
  guint all = (1 << URB_N_STRATEGIES) - 1;

  return command == URB_SETTING_BENCH ? all & ~(1u << URB_STRATEGY_HOGWILD) : all;
}

UrbSettingArgs *
urb_setting_args_new (const UrbSettingTable *table, UrbSettingFlags command)
{
  UrbSettingArgs *self = g_new0 (UrbSettingArgs, 1);

  self->table = table;
  self->command = command;
  self->texts = g_new0 (char *, table->n_rows);
  self->switched = g_new0 (gboolean, table->n_rows);
  self->help = g_ptr_array_new_with_free_func (g_free);
  return self;
}

void
urb_setting_args_free (UrbSettingArgs *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->table->n_rows; i++)
    g_free (self->texts[i]);
  g_free (self->texts);
  g_free (self->switched);
  g_ptr_array_unref (self->help);
  g_free (self);
}

gboolean
urb_setting_args_has (const UrbSettingArgs *self, const UrbSetting *row)
{
  return (row->flags & self->command) != 0
         && (row->strategies == 0 || (row->strategies & get_strategies (self->command)) != 0);
}

/* ------------------------------------------------------------------------ */
/* --help                                                                    */

/* "small (128 px), tiny (64 px)" */
static char *
list_presets (void)
{
  g_auto(GStrv) names = urb_preset_list ();

  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autofree char *name = names[i];
      g_autoptr(UrbPreset) preset = urb_preset_load (name, NULL);

      names[i] = g_strdup_printf ("%s (%d px)", name, preset->size_px);
    }
  return g_strjoinv (", ", names);
}

char *
urb_setting_fill_in (const UrbSetting *row, UrbSettingFlags command, const char *text)
{
  g_auto(GStrv) parts = g_strsplit (text, "%s", 2);
  g_autofree char *names = NULL;

  if (parts[1] == NULL)
    return g_strdup (text);
  names = row->choices == urb_strategy_names ? urb_strategies_join (get_strategies (command), " or ")
          : row->choices != NULL             ? urb_setting_join_choices (row)
                                             : list_presets ();
  return g_strjoinv (names, parts);
}

/* "ddp: MiB of gradients per all-reduce (25)" */
static char *
make_help (const UrbSettingArgs *self, const UrbSetting *row)
{
  guint strategies = row->strategies & get_strategies (self->command);
  g_autofree char *names = urb_strategies_join (strategies, ", ");
  g_autofree char *usual = self->command == URB_SETTING_RESUME ? g_strdup ("as before")
                                                               : urb_setting_dup_default (row);
  g_autofree char *text = urb_setting_fill_in (row, self->command, row->help);
  gboolean tells_default = row->type != URB_SETTING_BOOLEAN
                           && (self->command == URB_SETTING_RESUME || row->usual != NULL
                               || row->type != URB_SETTING_FILE);

  return g_strdup_printf ("%s%s%s%s%s%s", names, strategies != 0 ? ": " : "", text,
                          tells_default ? " (" : "", tells_default ? usual : "",
                          tells_default ? ")" : "");
}

void
urb_setting_args_add (UrbSettingArgs *self, GOptionContext *options)
{
  for (guint i = 0; i < self->table->n_rows; i++)
    {
      const UrbSetting *row = &self->table->rows[i];
      gboolean is_switch = row->type == URB_SETTING_BOOLEAN;
      GOptionEntry entries[] = {
        { .long_name = urb_setting_get_option (row),
          .short_name = row->letter,
          .arg = is_switch ? G_OPTION_ARG_NONE
                           : row->type == URB_SETTING_FILE ? G_OPTION_ARG_FILENAME : G_OPTION_ARG_STRING,
          .arg_data = is_switch ? (gpointer) &self->switched[i] : (gpointer) &self->texts[i],
          .arg_description = row->arg },
        G_OPTION_ENTRY_NULL
      };

      if (!urb_setting_args_has (self, row))
        continue;
      g_ptr_array_add (self->help, make_help (self, row));
      entries[0].description = self->help->pdata[self->help->len - 1];
      g_option_context_add_main_entries (options, entries, NULL);
      if (row->alias == NULL)
        continue;
      entries[0].long_name = row->alias;
      entries[0].flags = G_OPTION_FLAG_HIDDEN;
      g_option_context_add_main_entries (options, entries, NULL);
    }
}

/* ------------------------------------------------------------------------ */
/* Values                                                                    */

/* A switch turns a setting on that is off by default, and off one that is on. */
static const char *
get_text (const UrbSettingArgs *self, guint i)
{
  if (self->switched[i])
    return self->table->rows[i].number > 0 ? "false" : "true";
  return self->texts[i];
}

const char *
urb_setting_args_get (const UrbSettingArgs *self, const char *key)
{
  const UrbSetting *row = urb_settings_find (self->table, key);

  g_return_val_if_fail (row != NULL, NULL);
  return get_text (self, (guint) (row - self->table->rows));
}

gboolean
urb_setting_args_given (const UrbSettingArgs *self, const char *key)
{
  return urb_setting_args_get (self, key) != NULL;
}

gboolean
urb_setting_args_apply_one (const UrbSettingArgs *self, const char *key, gpointer fields,
                            GError **error)
{
  const UrbSetting *row = urb_settings_find (self->table, key);
  const char *text = urb_setting_args_get (self, key);

  return text == NULL || urb_setting_set_option (self->table, row, fields, text, error);
}

gboolean
urb_setting_args_apply (const UrbSettingArgs *self, gpointer fields, GError **error)
{
  for (guint i = 0; i < self->table->n_rows; i++)
    if (!urb_setting_args_apply_one (self, self->table->rows[i].key, fields, error))
      return FALSE;
  return TRUE;
}
