/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.c - reads class profiles.
 *
 * A profile is a key file that people write by hand, so anything not understood is
 * an error that names the group and the key; nothing is ignored.
 */
#include <errno.h>
#include <string.h>

#include "base/data.h"
#include "base/key-file.h"
#include "base/small-file.h"
#include "map/profile-private.h"

#define MAX_BYTES (1024 * 1024)
#define MAX_RULES 256

static void
table_free (gpointer data)
{
  UrbTable *self = data;
  g_hash_table_unref (self->exact);
  g_ptr_array_unref (self->patterns);
  g_array_unref (self->pattern_numbers);
  g_free (self);
}

gboolean
urb_table_lookup (const UrbTable *self, const char *plain_value, double *number)
{
  const double *found = g_hash_table_lookup (self->exact, plain_value);

  if (found != NULL)
    {
      *number = *found;
      return TRUE;
    }
  for (guint i = 0; i < self->patterns->len; i++)
    if (g_pattern_match_simple (g_ptr_array_index (self->patterns, i), plain_value))
      {
        *number = g_array_index (self->pattern_numbers, double, i);
        return TRUE;
      }
  return FALSE;
}

static void
condition_free (gpointer data)
{
  UrbCondition *self = data;
  g_free (self->field);
  g_strfreev (self->values);
  g_free (self);
}

static void
rule_free (gpointer data)
{
  UrbRule *self = data;
  g_free (self->name);
  g_strfreev (self->layers);
  g_strfreev (self->drivers);
  g_strfreev (self->needs);
  g_strfreev (self->attributes);
  g_strfreev (self->width_attributes);
  g_free (self->widths_attribute);
  g_ptr_array_unref (self->drop);
  g_strfreev (self->label);
  g_free (self->outlines);
  g_free (self);
}

static void
guess_free (gpointer data)
{
  UrbCrsGuess *self = data;
  g_free (self->crs);
  g_free (self);
}

void
urb_profile_free (UrbProfile *self)
{
  if (self == NULL)
    return;
  g_free (self->name);
  g_free (self->title);
  g_free (self->licence);
  g_ptr_array_unref (self->rules);
  g_ptr_array_unref (self->guesses);
  g_hash_table_unref (self->tables);
  g_free (self);
}

const char *
urb_profile_get_title (UrbProfile *self)
{
  return self->title;
}

/* -------- Parsing one group at a time -------- */

typedef struct
{
  GKeyFile *file;      /* borrowed */
  const char *path;    /* borrowed; for messages */
  const char *group;   /* borrowed */
  UrbProfile *profile; /* borrowed */
} Parser;

static gboolean fail (const Parser *self, GError **error, const char *key, const char *format, ...)
  G_GNUC_PRINTF (4, 5);

static gboolean
fail (const Parser *self, GError **error, const char *key, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_PROFILE,
               "The class profile '%s' is invalid: [%s] %s%s%s", self->path, self->group,
               key != NULL ? key : "", key != NULL ? ": " : "", text);
  return FALSE;
}

static char **
dup_list (const Parser *self, const char *key)
{
  char **list = g_key_file_get_string_list (self->file, self->group, key, NULL, NULL);

  for (char **item = list; item != NULL && *item != NULL; item++)
    g_strstrip (*item);
  if (list != NULL && list[0] == NULL)
    g_clear_pointer (&list, g_strfreev);
  return list;
}

/* Replaces each item by its plain form. */
static char **
make_plain (char **list)
{

  for (char **item = list; item != NULL && *item != NULL; item++)
    {
      char *plain = urb_plain_text (g_strstrip (*item), TRUE);
      g_free (*item);
      *item = plain;
    }
  return list;
}

static gboolean
class_from_name (const char *name, gboolean or_next, UrbClass *class_)
{
  if (urb_class_find (name, class_))
    return TRUE;
  if (or_next && g_str_equal (name, "next"))
    {
      *class_ = URB_CLASS_NEXT;
      return TRUE;
    }
  return FALSE;
}

static gboolean
parse_class (const Parser *self, const char *key, gboolean or_next, UrbClass *class_,
             GError **error)
{
  g_autofree char *name = g_key_file_get_string (self->file, self->group, key, NULL);

  if (name == NULL || class_from_name (g_strstrip (name), or_next, class_))
    return TRUE;
  return fail (self, error, key, "'%s' is not a class; use building, road, other%s or ignore", name,
               or_next ? ", next" : "");
}

static gboolean
number_from_text (const char *text, double *number)
{
  char *end;

  errno = 0;
  *number = g_ascii_strtod (text, &end);
  return errno == 0 && end != text && *end == '\0' && *number > -1e12 && *number < 1e12;
}

static gboolean
parse_width (const Parser *self, const char *key, double *width_m, GError **error)
{
  g_autofree char *text = g_key_file_get_string (self->file, self->group, key, NULL);

  if (text == NULL)
    return TRUE;
  if (number_from_text (g_strstrip (text), width_m) && *width_m >= 0 && *width_m <= 200)
    return TRUE;
  return fail (self, error, key, "'%s' is not a width from 0 to 200 meters", text);
}

/* "field", "!field", "field=a|b", "field<0", "field>0" */
static gboolean
parse_condition (const Parser *self, const char *text, UrbRule *rule, GError **error)
{
  UrbCondition *condition = g_new0 (UrbCondition, 1);
  gsize length = strcspn (text, "=<>");
  const char *rest = text + length;
  gboolean negated = text[0] == '!';

  g_ptr_array_add (rule->drop, condition);
  condition->field = g_strstrip (g_strndup (text + negated, length - negated));
  if (condition->field[0] == '\0' || (negated && *rest != '\0'))
    return fail (self, error, "drop", "'%s' is not a condition", text);
  if (*rest == '\0')
    condition->kind = negated ? URB_CONDITION_NOT_SET : URB_CONDITION_SET;
  else if (*rest == '=')
    {
      condition->kind = URB_CONDITION_EQUAL;
      condition->values = make_plain (g_strsplit (rest + 1, "|", -1));
    }
  else
    {
      condition->kind = *rest == '<' ? URB_CONDITION_LESS : URB_CONDITION_GREATER;
      if (!number_from_text (rest + 1, &condition->number))
        return fail (self, error, "drop", "'%s' is not a number", rest + 1);
    }
  return TRUE;
}

static gboolean
parse_drop (const Parser *self, UrbRule *rule, GError **error)
{
  g_auto(GStrv) list = dup_list (self, "drop");

  for (char **item = list; item != NULL && *item != NULL; item++)
    if (!parse_condition (self, *item, rule, error))
      return FALSE;
  return TRUE;
}

static gboolean
parse_geometry (const Parser *self, UrbRule *rule, GError **error)
{
  g_autofree char *text = g_key_file_get_string (self->file, self->group, "geometry", NULL);

  rule->geometry = URB_GEOMETRY_ANY;
  if (text == NULL || g_str_equal (text, "any"))
    return TRUE;
  if (g_str_equal (text, "area"))
    rule->geometry = URB_GEOMETRY_AREA;
  else if (g_str_equal (text, "line"))
    rule->geometry = URB_GEOMETRY_LINE;
  else
    return fail (self, error, "geometry", "'%s' is neither area, line nor any", text);
  return TRUE;
}

static gboolean
parse_proof (const Parser *self, UrbRule *rule, GError **error)
{
  g_autofree char *text = g_key_file_get_string (self->file, self->group, "proof", NULL);

  rule->is_common = text != NULL;
  return text == NULL || g_str_equal (text, "no")
         || fail (self, error, "proof", "'%s' is not no", text);
}

/* Looks up the table that a rule names; tables are parsed before rules. */
static gboolean
find_table (const Parser *self, const char *key, const char *kind, UrbTable **table, GError **error)
{
  g_autofree char *name = g_key_file_get_string (self->file, self->group, key, NULL);
  g_autofree char *group = NULL;

  if (name == NULL)
    return TRUE;
  group = g_strdup_printf ("%s %s", kind, name);
  *table = g_hash_table_lookup (self->profile->tables, group);
  return *table != NULL || fail (self, error, key, "there is no group [%s]", group);
}

static gboolean
check_keys (const Parser *self, const char *const *known, GError **error)
{
  g_auto(GStrv) keys = g_key_file_get_keys (self->file, self->group, NULL, NULL);

  for (char **key = keys; key != NULL && *key != NULL; key++)
    if (!g_strv_contains (known, *key))
      return fail (self, error, *key, "unknown key");
  return TRUE;
}

static gboolean
check_rule (const Parser *self, const UrbRule *rule, gboolean has_class, GError **error)
{
  if (rule->layers == NULL)
    return fail (self, error, "layers", "this key is missing; use * for all layers");
  if ((rule->attributes != NULL) == has_class)
    return fail (self, error, NULL, "a rule needs either a class or an attribute");
  if ((rule->attributes != NULL) != (rule->values != NULL))
    return fail (self, error, NULL, "attribute and values require each other");
  if (rule->label != NULL && g_strv_length (rule->label) != 2)
    return fail (self, error, "label", "two fields are required, x and y");
  if ((rule->widths != NULL) != (rule->widths_attribute != NULL))
    return fail (self, error, NULL, "widths and widths-attribute require each other");
  return TRUE;
}

static gboolean
parse_rule (const Parser *self, GError **error)
{
  static const char *const known[] = {
    "layers", "drivers",          "needs",    "attribute",    "values",   "class",
    "null",   "unknown",          "geometry", "closed-lines", "width",    "width-attribute",
    "widths", "widths-attribute", "drop",     "label",        "outlines", "proof",
    NULL
  };
  UrbRule *rule = g_new0 (UrbRule, 1);
  g_autofree char *closed_lines = NULL;

  rule->name = g_strdup (self->group);
  rule->drop = g_ptr_array_new_with_free_func (condition_free);
  g_ptr_array_add (self->profile->rules, rule);
  rule->layers = make_plain (dup_list (self, "layers"));
  rule->drivers = dup_list (self, "drivers");
  rule->needs = dup_list (self, "needs");
  rule->attributes = dup_list (self, "attribute");
  rule->width_attributes = dup_list (self, "width-attribute");
  rule->widths_attribute = g_key_file_get_string (self->file, self->group, "widths-attribute",
                                                  NULL);
  rule->label = dup_list (self, "label");
  rule->outlines = g_key_file_get_string (self->file, self->group, "outlines", NULL);
  rule->class_ = URB_CLASS_OTHER;
  rule->null = URB_CLASS_NEXT;
  rule->unknown = URB_CLASS_OTHER;
  closed_lines = g_key_file_get_string (self->file, self->group, "closed-lines", NULL);
  if (closed_lines != NULL && !g_str_equal (closed_lines, "area"))
    return fail (self, error, "closed-lines", "'%s' is not area", closed_lines);
  rule->closed_lines_are_areas = closed_lines != NULL;
  return check_keys (self, known, error) &&
         parse_class (self, "class", FALSE, &rule->class_, error) &&
         parse_class (self, "null", TRUE, &rule->null, error) &&
         parse_class (self, "unknown", TRUE, &rule->unknown, error) &&
         parse_proof (self, rule, error) && parse_geometry (self, rule, error) &&
         parse_width (self, "width", &rule->width_m, error) &&
         find_table (self, "values", "classes", &rule->values, error) &&
         find_table (self, "widths", "widths", &rule->widths, error) &&
         parse_drop (self, rule, error) &&
         check_rule (self, rule, g_key_file_has_key (self->file, self->group, "class", NULL),
                     error);
}

/* [classes NAME]: CLASS=value;pattern;…   [widths NAME]: METERS=value;… */
static gboolean
parse_table (const Parser *self, gboolean of_widths, GError **error)
{
  UrbTable *table = g_new0 (UrbTable, 1);
  g_auto(GStrv) keys = g_key_file_get_keys (self->file, self->group, NULL, NULL);

  table->exact = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  table->patterns = g_ptr_array_new_with_free_func (g_free);
  table->pattern_numbers = g_array_new (FALSE, FALSE, sizeof (double));
  g_hash_table_insert (self->profile->tables, g_strdup (self->group), table);
  for (char **key = keys; key != NULL && *key != NULL; key++)
    {
      g_auto(GStrv) list = dup_list (self, *key);
      double number = 0;
      UrbClass class_ = URB_CLASS_OTHER;
      if (of_widths && !(number_from_text (*key, &number) && number >= 0 && number <= 200))
        return fail (self, error, *key, "not a width from 0 to 200 meters");
      if (!of_widths && !class_from_name (*key, TRUE, &class_))
        return fail (self, error, *key, "not a class; use building, road, other, ignore or next");
      if (!of_widths)
        number = class_;
      for (char **item = list; item != NULL && *item != NULL; item++)
        {
          char *plain = urb_plain_text (*item, TRUE);
          if (strpbrk (plain, "*?") == NULL)
            g_hash_table_insert (table->exact, plain, g_memdup2 (&number, sizeof number));
          else
            {
              g_ptr_array_add (table->patterns, plain);
              g_array_append_val (table->pattern_numbers, number);
            }
        }
    }
  return TRUE;
}

/* Four numbers: min_x, min_y, max_x, max_y. */
static gboolean
box_from_words (char **words, UrbBox *box)
{
  double *numbers[] = { &box->min_x, &box->min_y, &box->max_x, &box->max_y };

  if (g_strv_length (words) != G_N_ELEMENTS (numbers))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (!number_from_text (words[i], numbers[i]))
      return FALSE;
  return TRUE;
}

/* country=5.9 45.8 10.6 47.9 */
static gboolean
parse_country (const Parser *self, GError **error)
{
  g_autofree char *text = g_key_file_get_string (self->file, self->group, "country", NULL);
  g_auto(GStrv) words = text != NULL ? g_strsplit (text, " ", -1) : NULL;

  self->profile->has_country = text != NULL;
  return text == NULL || box_from_words (words, &self->profile->country)
         || fail (self, error, "country", "'%s' is not four numbers: west south east north, in degrees",
                  text);
}

/* crs=EPSG:2056 2480000 1070000 2840000 1300000;… */
static gboolean
parse_guesses (const Parser *self, GError **error)
{
  g_auto(GStrv) list = dup_list (self, "crs");

  for (char **item = list; item != NULL && *item != NULL; item++)
    {
      g_auto(GStrv) words = g_strsplit (*item, " ", -1);
      UrbCrsGuess *guess = g_new0 (UrbCrsGuess, 1);

      g_ptr_array_add (self->profile->guesses, guess);
      if (words[0] == NULL || !box_from_words (words + 1, &guess->box))
        return fail (self, error, "crs", "'%s' is not a CRS and four numbers", *item);
      guess->crs = g_strdup (words[0]);
    }
  return TRUE;
}

static gboolean
parse_head (const Parser *self, GError **error)
{
  static const char *const known[] = { "name", "title", "licence", "unmatched", "crs", "country",
                                       NULL };
  UrbProfile *profile = self->profile;

  profile->name = g_key_file_get_string (self->file, self->group, "name", NULL);
  profile->title = g_key_file_get_string (self->file, self->group, "title", NULL);
  profile->licence = g_key_file_get_string (self->file, self->group, "licence", NULL);
  if (profile->name == NULL || profile->name[0] == '\0')
    return fail (self, error, "name", "the profile has no name");
  if (profile->title == NULL)
    profile->title = g_strdup (profile->name);
  return check_keys (self, known, error) &&
         parse_class (self, "unmatched", FALSE, &profile->unmatched, error) &&
         parse_guesses (self, error) && parse_country (self, error);
}

static gboolean
parse_groups (Parser *self, GError **error)
{
  g_auto(GStrv) groups = g_key_file_get_groups (self->file, NULL);

  for (char **group = groups; *group != NULL; group++)
    {
      gboolean of_widths = g_str_has_prefix (*group, "widths ");
      self->group = *group;
      if ((of_widths || g_str_has_prefix (*group, "classes ")) &&
          !parse_table (self, of_widths, error))
        return FALSE;
    }
  for (char **group = groups; *group != NULL; group++)
    {
      self->group = *group;
      if (g_str_has_prefix (*group, "widths ") || g_str_has_prefix (*group, "classes "))
        continue;
      if (g_str_equal (*group, "profile"))
        {
          if (!parse_head (self, error))
            return FALSE;
        }
      else if (!g_str_has_prefix (*group, "rule "))
        return fail (self, error, NULL, "unknown group; use profile, rule, classes or widths");
      else if (self->profile->rules->len == MAX_RULES)
        return fail (self, error, NULL, "more than %d rules", MAX_RULES);
      else if (!parse_rule (self, error))
        return FALSE;
    }
  self->group = "profile";
  return self->profile->name != NULL || fail (self, error, NULL, "the group is missing");
}

static UrbProfile *
parse_text (const char *text, const char *path, GError **error)
{
  g_autoptr(UrbProfile) profile = g_new0 (UrbProfile, 1);
  g_autoptr(GKeyFile) file = g_key_file_new ();
  g_autoptr(GError) local_error = NULL;
  Parser parser = { .file = file, .path = path, .profile = profile };

  profile->unmatched = URB_CLASS_OTHER;
  profile->rules = g_ptr_array_new_with_free_func (rule_free);
  profile->guesses = g_ptr_array_new_with_free_func (guess_free);
  profile->tables = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, table_free);
  if (!urb_key_file_read (file, text, &local_error))
    {
      g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_PROFILE, "'%s' is not a class profile: %s",
                   path, local_error->message);
      return NULL;
    }
  return parse_groups (&parser, error) ? g_steal_pointer (&profile) : NULL;
}

UrbProfile *
urb_profile_parse (const char *bytes, gsize n_bytes, const char *name, GError **error)
{
  g_autofree char *text = NULL;

  g_return_val_if_fail (name != NULL, NULL);
  if (n_bytes > MAX_BYTES || !g_utf8_validate (bytes, (gssize) n_bytes, NULL))
    {
      g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_PROFILE,
                   "'%s' is not a class profile: it is not text, or larger than 1 MiB", name);
      return NULL;
    }
  text = g_strndup (bytes, n_bytes);
  return parse_text (text, name, error);
}

static UrbProfile *
load_file (const char *path, GError **error)
{
  g_autoptr(GError) local_error = NULL;
  gsize n_bytes;
  g_autofree char *bytes = urb_small_file_read (path, &n_bytes, &local_error);

  if (bytes != NULL)
    return urb_profile_parse (bytes, n_bytes, path, error);
  g_set_error_literal (error, URB_MAP_ERROR, URB_MAP_ERROR_PROFILE, local_error->message);
  return NULL;
}

char **
urb_profile_list (void)
{
  return urb_data_list ("profiles", ".profile");
}

UrbProfile *
urb_profile_load (const char *name_or_file, GError **error)
{
  g_autofree char *text = NULL;

  g_return_val_if_fail (name_or_file != NULL, NULL);
  if (*name_or_file != '\0' &&
      name_or_file[strspn (name_or_file, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0')
    {
      g_autofree char *path = g_strdup_printf ("profiles/%s.profile", name_or_file);
      text = urb_data_dup_text (path);
    }
  if (text == NULL && !g_file_test (name_or_file, G_FILE_TEST_EXISTS))
    {
      g_auto(GStrv) names = urb_profile_list ();
      g_autofree char *list = g_strjoinv (", ", names);
      g_set_error (error, URB_MAP_ERROR, URB_MAP_ERROR_PROFILE,
                   "There is no class profile '%s'; use one of %s, or a file", name_or_file,
                   list);
      return NULL;
    }
  return text != NULL ? parse_text (text, name_or_file, error) : load_file (name_or_file, error);
}
