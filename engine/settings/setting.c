/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setting.c - see setting.h.
 */
#include "settings/setting.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include <glib/gi18n.h>

static const struct { const char *name, *text; } sources[] = {
  [URB_SOURCE_CONSTANT] = { "constant", NULL },
  [URB_SOURCE_PRESET] = { "preset", N_ ("the preset's") },
  [URB_SOURCE_RECIPE] = { "recipe", N_ ("the recipe's") },
  [URB_SOURCE_DATASET] = { "dataset", N_ ("the dataset's") },
  [URB_SOURCE_RUN] = { "run", N_ ("as another setting") },
  [URB_SOURCE_MACHINE] = { "machine", N_ ("as the machine allows") },
};

static const struct { const char *name, *title; } sections[URB_N_SECTIONS] = {
  [URB_SECTION_TRAINING] = { "training", N_ ("Training") },
  [URB_SECTION_SCHEDULES] = { "schedules", N_ ("Schedules") },
  [URB_SECTION_STRATEGY] = { "strategy", N_ ("Strategy") },
  [URB_SECTION_HARDWARE] = { "hardware", N_ ("Hardware") },
  [URB_SECTION_CHECKPOINTS] = { "checkpoints", N_ ("Checkpoints and samples") },
  [URB_SECTION_REPORTS] = { "reports", N_ ("Hooks and trackers") },
  [URB_SECTION_AREAS] = { "areas", N_ ("Areas") },
  [URB_SECTION_TILES] = { "tiles", N_ ("Tiles") },
};

const char *
urb_setting_source_get_name (UrbSettingSource source)
{
  return sources[source].name;
}

const char *
urb_setting_section_get_name (UrbSettingSection section)
{
  return sections[section].name;
}

const char *
urb_setting_section_get_title (UrbSettingSection section)
{
  return sections[section].title;
}

const UrbSetting *
urb_settings_find (const UrbSettingTable *table, const char *key)
{
  for (guint i = 0; i < table->n_rows; i++)
    if (strcmp (table->rows[i].key, key) == 0)
      return &table->rows[i];
  return NULL;
}

const char *
urb_setting_get_option (const UrbSetting *self)
{
  return self->option != NULL ? self->option : self->key;
}

const char *
urb_setting_get_stored_key (const UrbSetting *self)
{
  return self->group == NULL ? NULL : self->stored != NULL ? self->stored : self->key;
}

char *
urb_setting_dup_stored_name (const UrbSetting *self)
{
  if (self->group == NULL)
    return g_strconcat ("--", urb_setting_get_option (self), NULL);
  return g_strdup_printf ("[%s] %s", self->group, urb_setting_get_stored_key (self));
}

gboolean
urb_setting_is_text (const UrbSetting *self)
{
  return self->type == URB_SETTING_TEXT || self->type == URB_SETTING_FILE;
}

/* ------------------------------------------------------------------------ */
/* Fields                                                                    */

static gpointer
at (const UrbSetting *self, gconstpointer fields)
{
  return (char *) fields + self->offset;
}

static char **
text_at (const UrbSetting *self, gconstpointer fields)
{
  return at (self, fields);
}

double
urb_setting_get_number (const UrbSetting *self, gconstpointer fields)
{
  switch (self->type)
    {
    case URB_SETTING_ENUM:
    case URB_SETTING_BOOLEAN:
    case URB_SETTING_INT:
      return *(const int *) at (self, fields);
    case URB_SETTING_INT64:
      return (double) *(const gint64 *) at (self, fields);
    case URB_SETTING_UINT64:
      return (double) *(const guint64 *) at (self, fields);
    case URB_SETTING_DOUBLE:
      return *(const double *) at (self, fields);
    default:
      g_return_val_if_reached (NAN);
    }
}

void
urb_setting_set_number (const UrbSetting *self, gpointer fields, double value)
{
  switch (self->type)
    {
    case URB_SETTING_ENUM:
    case URB_SETTING_BOOLEAN:
    case URB_SETTING_INT:
      *(int *) at (self, fields) = (int) value;
      break;
    case URB_SETTING_INT64:
      *(gint64 *) at (self, fields) = (gint64) value;
      break;
    case URB_SETTING_UINT64:
      *(guint64 *) at (self, fields) = (guint64) value;
      break;
    case URB_SETTING_DOUBLE:
      *(double *) at (self, fields) = value;
      break;
    default:
      g_return_if_reached ();
    }
}

char *
urb_setting_dup_text (const UrbSetting *self, gconstpointer fields)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  int index;

  switch (self->type)
    {
    case URB_SETTING_TEXT:
    case URB_SETTING_FILE:
      return g_strdup (*text_at (self, fields));
    case URB_SETTING_ENUM:
      index = *(const int *) at (self, fields);
      return index < 0 ? NULL : g_strdup (self->choices[index]);
    case URB_SETTING_BOOLEAN:
      return g_strdup (*(const gboolean *) at (self, fields) ? "true" : "false");
    case URB_SETTING_INT:
      return g_strdup_printf ("%d", *(const int *) at (self, fields));
    case URB_SETTING_INT64:
      return g_strdup_printf ("%" G_GINT64_FORMAT, *(const gint64 *) at (self, fields));
    case URB_SETTING_UINT64:
      return g_strdup_printf ("%" G_GUINT64_FORMAT, *(const guint64 *) at (self, fields));
    case URB_SETTING_DOUBLE:
      return g_strdup (g_ascii_dtostr (digits, sizeof digits, *(const double *) at (self, fields)));
    default:
      g_return_val_if_reached (NULL);
    }
}

gboolean
urb_setting_is_set (const UrbSetting *self, gconstpointer fields)
{
  double value;

  if (urb_setting_is_text (self))
    return g_strcmp0 (*text_at (self, fields), self->text) != 0;
  value = urb_setting_get_number (self, fields);
  return !(value >= self->number && value <= self->number);
}

char *
urb_setting_dup_default (const UrbSetting *self)
{
  if (self->usual != NULL)
    return g_strdup (_ (self->usual));
  if (self->source != URB_SOURCE_CONSTANT)
    return g_strdup (_ (sources[self->source].text));
  if (urb_setting_is_text (self))
    return g_strdup (self->text != NULL ? self->text : _ ("none"));
  if (self->type == URB_SETTING_ENUM)
    return g_strdup (self->choices[(int) self->number]);
  if (self->type == URB_SETTING_BOOLEAN)
    return g_strdup (self->number > 0 ? _ ("on") : _ ("off"));
  return g_strdup_printf ("%g", self->number);
}

void
urb_setting_reset (const UrbSetting *self, gpointer fields)
{
  if (!urb_setting_is_text (self))
    urb_setting_set_number (self, fields, self->number);
  else
    {
      g_free (*text_at (self, fields));
      *text_at (self, fields) = g_strdup (self->text);
    }
}

void
urb_settings_reset (const UrbSettingTable *table, gpointer fields)
{
  for (guint i = 0; i < table->n_rows; i++)
    urb_setting_reset (&table->rows[i], fields);
}

void
urb_settings_clear (const UrbSettingTable *table, gpointer fields)
{
  for (guint i = 0; i < table->n_rows; i++)
    if (urb_setting_is_text (&table->rows[i]))
      g_clear_pointer (text_at (&table->rows[i], fields), g_free);
}

void
urb_setting_copy (const UrbSetting *self, gpointer to, gconstpointer from)
{
  if (urb_setting_is_text (self))
    {
      g_free (*text_at (self, to));
      *text_at (self, to) = g_strdup (*text_at (self, from));
    }
  else if (self->type == URB_SETTING_UINT64) /* beyond the precision of a double */
    *(guint64 *) at (self, to) = *(const guint64 *) at (self, from);
  else if (self->type == URB_SETTING_INT64)
    *(gint64 *) at (self, to) = *(const gint64 *) at (self, from);
  else
    urb_setting_set_number (self, to, urb_setting_get_number (self, from));
}

void
urb_settings_copy (const UrbSettingTable *table, gpointer to, gconstpointer from)
{
  for (guint i = 0; i < table->n_rows; i++)
    urb_setting_copy (&table->rows[i], to, from);
}

/* ------------------------------------------------------------------------ */
/* Parsing and checking                                                      */

#define fail(table, error, ...) \
  (g_set_error (error, (table)->error_domain (), (table)->error_code, __VA_ARGS__), FALSE)

static gboolean
parse_number (const UrbSettingTable *table, const UrbSetting *self, gpointer fields, const char *text,
              GError **error)
{
  char *end = NULL;
  double value;
  gint64 whole;
  guint64 natural;

  switch (self->type)
    {
    case URB_SETTING_DOUBLE:
      value = g_ascii_strtod (text, &end);
      if (end == text || *end != '\0')
        break;
      *(double *) at (self, fields) = value;
      return TRUE;
    case URB_SETTING_UINT64:
      if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT64, &natural, NULL))
        break;
      *(guint64 *) at (self, fields) = natural;
      return TRUE;
    default:
      if (!g_ascii_string_to_signed (text, 10, self->type == URB_SETTING_INT ? G_MININT : G_MININT64,
                                     self->type == URB_SETTING_INT ? G_MAXINT : G_MAXINT64, &whole,
                                     NULL))
        break;
      if (self->type == URB_SETTING_INT)
        *(int *) at (self, fields) = (int) whole;
      else
        *(gint64 *) at (self, fields) = whole;
      return TRUE;
    }
  return fail (table, error, "needs a %s, not “%s”.",
               self->type == URB_SETTING_DOUBLE ? "number" : "whole number", text);
}

gboolean
urb_setting_set_text (const UrbSettingTable *table, const UrbSetting *self, gpointer fields,
                      const char *text, GError **error)
{
  g_autofree char *choices = NULL;

  switch (self->type)
    {
    case URB_SETTING_TEXT:
    case URB_SETTING_FILE:
      g_free (*text_at (self, fields));
      *text_at (self, fields) = g_strdup (text);
      return TRUE;
    case URB_SETTING_ENUM:
      for (int i = 0; self->choices[i] != NULL; i++)
        if (strcmp (text, self->choices[i]) == 0)
          {
            *(int *) at (self, fields) = i;
            return TRUE;
          }
      choices = urb_setting_join_choices (self);
      return fail (table, error, "cannot be “%s”; choose %s.", text, choices);
    case URB_SETTING_BOOLEAN:
      if (strcmp (text, "true") != 0 && strcmp (text, "false") != 0 && strcmp (text, "1") != 0
          && strcmp (text, "0") != 0)
        return fail (table, error, "cannot be “%s”; choose true or false.", text);
      *(gboolean *) at (self, fields) = *text == 't' || *text == '1';
      return TRUE;
    default:
      return parse_number (table, self, fields, text, error);
    }
}

static gboolean
check_choice (const UrbSettingTable *table, const UrbSetting *self, const char *value, GError **error)
{
  g_autofree char *choices = NULL;

  if (value == NULL || self->choices == NULL || g_strv_contains (self->choices, value))
    return TRUE;
  choices = urb_setting_join_choices (self);
  return fail (table, error, "cannot be “%s”; choose %s.", value, choices);
}

char *
urb_setting_join_choices (const UrbSetting *self)
{
  g_autoptr(GString) text = g_string_new (NULL);

  for (guint i = 0; self->choices[i] != NULL; i++)
    g_string_append_printf (text, "%s%s", i == 0 ? "" : self->choices[i + 1] != NULL ? ", " : " or ",
                            self->choices[i]);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
urb_setting_dup_range (const UrbSetting *self)
{
  if (urb_setting_is_text (self) || self->max <= self->min)
    return g_strdup ("");
  if (self->max > G_MAXUINT32)
    return g_strdup_printf ("%s %g", self->above_min ? "above" : "at least", self->min);
  return g_strdup_printf (self->above_min ? "above %.10g and at most %.10g" : "from %.10g to %.10g",
                          self->min, self->max);
}

gboolean
urb_setting_check_given (const UrbSettingTable *table, const UrbSetting *self, gconstpointer fields,
                         GError **error)
{
  g_autofree char *text = NULL, *range = NULL;
  double value;

  if (urb_setting_is_text (self))
    return check_choice (table, self, *text_at (self, fields), error);
  if (self->choices != NULL && self->type == URB_SETTING_INT)
    {
      text = urb_setting_dup_text (self, fields);
      return check_choice (table, self, text, error);
    }
  value = urb_setting_get_number (self, fields);
  if (self->max <= self->min
      || (isfinite (value) && value <= self->max
          && (self->above_min ? value > self->min : value >= self->min)))
    return TRUE;
  range = urb_setting_dup_range (self);
  return fail (table, error, "must be %s, and is %g.", range, value);
}

gboolean
urb_setting_set_option (const UrbSettingTable *table, const UrbSetting *self, gpointer fields,
                        const char *text, GError **error)
{
  if (urb_setting_set_text (table, self, fields, text, error)
      && urb_setting_check_given (table, self, fields, error))
    return TRUE;
  g_prefix_error (error, "--%s ", urb_setting_get_option (self));
  return FALSE;
}

gboolean
urb_setting_check (const UrbSettingTable *table, const UrbSetting *self, gconstpointer fields,
                   GError **error)
{
  g_autofree char *name = NULL;

  if ((self->source != URB_SOURCE_CONSTANT && !urb_setting_is_set (self, fields))
      || urb_setting_check_given (table, self, fields, error))
    return TRUE;
  name = urb_setting_dup_stored_name (self);
  g_prefix_error (error, "%s ", name);
  return FALSE;
}

gboolean
urb_settings_check (const UrbSettingTable *table, gconstpointer fields, GError **error)
{
  for (guint i = 0; i < table->n_rows; i++)
    if (!urb_setting_check (table, &table->rows[i], fields, error))
      return FALSE;
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* Key files                                                                 */

static gboolean
is_stored_in (const UrbSetting *row, const char *group)
{
  return row->group != NULL && (group == NULL || strcmp (row->group, group) == 0);
}

void
urb_settings_to_key_file (const UrbSettingTable *table, gconstpointer fields, const char *group,
                          GKeyFile *file)
{
  for (guint i = 0; i < table->n_rows; i++)
    {
      const UrbSetting *row = &table->rows[i];
      g_autofree char *text = NULL;

      if (!is_stored_in (row, group))
        continue;
      text = urb_setting_dup_text (row, fields);
      if (text != NULL)
        g_key_file_set_string (file, row->group, urb_setting_get_stored_key (row), text);
    }
}

gboolean
urb_settings_from_key_file (const UrbSettingTable *table, gpointer fields, const char *group,
                            GKeyFile *file, GError **error)
{
  for (guint i = 0; i < table->n_rows; i++)
    {
      const UrbSetting *row = &table->rows[i];
      const char *key = urb_setting_get_stored_key (row);
      g_autofree char *text = NULL;
      GError *local = NULL;

      if (!is_stored_in (row, group) || !g_key_file_has_key (file, row->group, key, NULL))
        continue;
      text = g_key_file_get_string (file, row->group, key, &local);
      if (text != NULL && urb_setting_set_text (table, row, fields, text, &local))
        continue;
      g_propagate_prefixed_error (error, local, "[%s] %s%s ", row->group, key, text == NULL ? ":" : "");
      return FALSE;
    }
  return TRUE;
}
