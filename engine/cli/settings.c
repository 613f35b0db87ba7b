/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.c - `urbarium-engine settings`: all settings, for people, programs
 * and manual pages.
 */
#include <stdio.h>
#include <string.h>

#include "base/json-build.h"
#include "cli/cli.h"
#include "dataset/curate.h"
#include "settings/args.h"
#include "settings/run-config.h"

static const struct { const char *name; UrbSettingFlags flag; } commands[] = {
  { "train", URB_SETTING_TRAIN }, { "resume", URB_SETTING_RESUME }, { "bench", URB_SETTING_BENCH },
  { "plan", URB_SETTING_PLAN },   { "curate", URB_SETTING_CURATE },
};

static const struct { const char *name; const UrbSettingTable *table; } tables[] = {
  { "run", &urb_run_settings },
  { "curate", &urb_curate_settings },
};

/* ------------------------------------------------------------------------ */
/* For programs                                                              */

static void
add_values (JsonBuilder *json, const UrbSetting *row)
{
  static const char *const types[] = { "text", "file", "choice", "boolean", "integer", "integer",
                                       "integer", "number" };
  g_autofree char *usual = urb_setting_dup_default (row);
  gboolean is_constant = row->source == URB_SOURCE_CONSTANT;

  urb_json_add_string (json, "type", types[row->type]);
  if (row->unit != NULL)
    urb_json_add_string (json, "unit", row->unit);
  if (row->max > row->min)
    {
      urb_json_add_double (json, "min", row->min);
      urb_json_add_bool (json, "above_min", row->above_min);
      if (row->max < (double) G_MAXINT64)
        urb_json_add_double (json, "max", row->max);
    }
  if (row->choices != NULL)
    urb_json_add_strings (json, "choices", row->choices);
  urb_json_add_string (json, "default", usual);
  if (!is_constant || urb_setting_is_text (row))
    urb_json_add_string (json, "default_value", is_constant ? row->text : NULL);
  else if (row->type == URB_SETTING_ENUM)
    urb_json_add_string (json, "default_value", row->choices[(int) row->number]);
  else if (row->type == URB_SETTING_BOOLEAN)
    urb_json_add_bool (json, "default_value", row->number > 0);
  else if (row->type == URB_SETTING_DOUBLE)
    urb_json_add_double (json, "default_value", row->number);
  else
    urb_json_add_int (json, "default_value", (gint64) row->number);
  urb_json_add_string (json, "default_from", urb_setting_source_get_name (row->source));
}

static void
add_setting (JsonBuilder *json, const UrbSetting *row)
{
  g_autofree char *help = urb_setting_fill_in (row, URB_SETTING_TRAIN, row->help);
  g_autofree char *details
    = row->details != NULL ? urb_setting_fill_in (row, URB_SETTING_TRAIN, row->details) : NULL;

  urb_json_begin_object (json, NULL);
  urb_json_add_string (json, "key", row->key);
  urb_json_add_string (json, "option", urb_setting_get_option (row));
  urb_json_add_string (json, "file_group", row->group);
  urb_json_add_string (json, "file_key", urb_setting_get_stored_key (row));
  urb_json_add_string (json, "section", urb_setting_section_get_name (row->section));
  add_values (json, row);
  urb_json_begin_array (json, "commands");
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    if (row->flags & commands[i].flag)
      urb_json_add_string (json, NULL, commands[i].name);
  urb_json_end_array (json);
  urb_json_begin_array (json, "strategies");
  for (int i = 0; i < URB_N_STRATEGIES && row->group != NULL; i++)
    if (row->strategies == 0 || row->strategies & 1u << i)
      urb_json_add_string (json, NULL, urb_strategy_names[i]);
  urb_json_end_array (json);
  urb_json_add_bool (json, "sweep", (row->flags & URB_SETTING_SWEEP) != 0);
  urb_json_add_string (json, "title", row->title);
  urb_json_add_string (json, "help", help);
  urb_json_add_string (json, "details", details);
  urb_json_end_object (json);
}

static void
print_json (void)
{
  JsonBuilder *json = urb_json_new ();

  for (gsize t = 0; t < G_N_ELEMENTS (tables); t++)
    {
      urb_json_begin_array (json, tables[t].name);
      for (guint i = 0; i < tables[t].table->n_rows; i++)
        add_setting (json, &tables[t].table->rows[i]);
      urb_json_end_array (json);
    }
  urb_cli_print_json (json);
}

/* ------------------------------------------------------------------------ */
/* For people                                                                */

static char *
dup_range (const UrbSetting *row)
{
  if (row->type == URB_SETTING_BOOLEAN)
    return g_strdup ("true, false");
  if (row->choices != NULL)
    return g_strjoinv (", ", (char **) row->choices);
  return urb_setting_dup_range (row);
}

static void
print_table (void)
{
  for (gsize t = 0; t < G_N_ELEMENTS (tables); t++)
    for (int section = 0; section < URB_N_SECTIONS; section++)
      {
        gboolean titled = FALSE;

        for (guint i = 0; i < tables[t].table->n_rows; i++)
          {
            const UrbSetting *row = &tables[t].table->rows[i];
            g_autofree char *range = dup_range (row), *usual = urb_setting_dup_default (row);
            g_autofree char *name = urb_setting_dup_stored_name (row);

            if ((int) row->section != section)
              continue;
            if (!titled)
              printf ("%s%s: %s\n", t + (guint) section > 0 ? "\n" : "", tables[t].name,
                      urb_setting_section_get_title (row->section));
            titled = TRUE;
            printf ("  %-18s %-24s %-24s %s%s%s\n", row->key, row->group != NULL ? name : "", usual, range,
                    row->unit != NULL && *range != '\0' ? " " : "", row->unit != NULL ? row->unit : "");
          }
      }
}

/* ------------------------------------------------------------------------ */
/* For manual pages                                                          */

/* Escapes for mdoc, and turns `word` into bold. */
static char *
dup_mdoc (const char *text)
{
  g_autoptr(GString) out = g_string_new (NULL);
  gboolean bold = FALSE;

  for (; *text != '\0'; text++)
    if (*text == '`')
      {
        bold = !bold;
        g_string_append (out, bold ? "\\fB" : "\\fP");
      }
    else if (*text == '\\')
      g_string_append (out, "\\e");
    else if (text[0] == '.' && text[1] == ' ' && text[2] == ' ')
      {
        g_string_append (out, ".\n"); /* a sentence per line */
        text += 2;
      }
    else if (*text == '-')
      g_string_append (out, "\\-");
    else
      g_string_append_c (out, *text);
  return g_string_free (g_steal_pointer (&out), FALSE);
}

static void
print_item (const UrbSetting *row, UrbSettingFlags command)
{
  g_autofree char *filled
    = urb_setting_fill_in (row, command, row->details != NULL ? row->details : row->help);
  g_autofree char *text = dup_mdoc (filled);
  g_autofree char *usual = urb_setting_dup_default (row), *usual_mdoc = dup_mdoc (usual);
  g_autofree char *strategies = urb_strategies_join (row->strategies, ", ");

  printf (".It ");
  if (row->letter != 0)
    printf ("Fl %c , ", row->letter);
  printf ("Fl -%s", urb_setting_get_option (row));
  if (row->arg != NULL)
    printf (" Ar %s", row->arg);
  printf ("\n");
  if (row->strategies != 0)
    printf ("\\fB%s\\fP:\n", strategies);
  printf ("%s%s\n", text, g_str_has_suffix (text, ".") ? "" : ".");
  if (row->type != URB_SETTING_BOOLEAN && (row->type != URB_SETTING_FILE || row->usual != NULL)
      && command != URB_SETTING_RESUME)
    printf ("The default is %s.\n", usual_mdoc);
}

/* Copies the page, in which a line `.\" settings COMMAND` becomes the items of that command. */
static gboolean
print_page (const char *path, GError **error)
{
  static const char mark[] = ".\\\" settings ";
  g_autofree char *text = NULL;
  g_auto(GStrv) lines = NULL;

  if (!g_file_get_contents (path, &text, NULL, error))
    return FALSE;
  lines = g_strsplit (text, "\n", -1);
  for (guint l = 0; lines[l] != NULL; l++)
    {
      const char *name = g_str_has_prefix (lines[l], mark) ? lines[l] + strlen (mark) : NULL;

      if (name == NULL && (lines[l + 1] != NULL || *lines[l] != '\0'))
        printf ("%s\n", lines[l]);
      for (gsize c = 0; name != NULL && c < G_N_ELEMENTS (commands); c++)
        for (gsize t = 0; t < G_N_ELEMENTS (tables) && strcmp (name, commands[c].name) == 0; t++)
          {
            g_autoptr(UrbSettingArgs) args = urb_setting_args_new (tables[t].table, commands[c].flag);

            for (guint i = 0; i < tables[t].table->n_rows; i++)
              if (urb_setting_args_has (args, &tables[t].table->rows[i]))
                print_item (&tables[t].table->rows[i], commands[c].flag);
          }
    }
  return TRUE;
}

int
urb_cli_settings (int argc, char **argv)
{
  gboolean json = FALSE;
  g_autofree char *page = NULL;
  g_autoptr(GError) error = NULL;
  GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, "Print JSON", NULL },
    { "man-page", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_FILENAME, &page,
      "Fill the options into the source of a manual page", "FILE" },
    G_OPTION_ENTRY_NULL
  };
  GOptionContext *context = urb_cli_options_new (
    NULL, "Lists all settings of runs and of curate, with defaults and ranges.", entries);

  if (!urb_cli_parse (context, &argc, &argv))
    return URB_EXIT_USAGE;
  if (argc > 1)
    return urb_cli_fail_usage ("unexpected argument “%s”", argv[1]);
  if (page != NULL)
    return print_page (page, &error) ? URB_EXIT_OK : urb_cli_fail (error);
  if (json)
    print_json ();
  else
    print_table ();
  return URB_EXIT_OK;
}
