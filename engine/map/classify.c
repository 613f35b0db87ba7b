/* SPDX-License-Identifier: Apache-2.0 */
/*
 * classify.c - the class of an object by the rules of a profile.
 *
 * Anything that depends on the layer only (applicable rules, fields) is found once.
 * An object then costs reading a field and a hash lookup, since each distinct value
 * is converted to its plain form only once.
 */
#include <math.h>
#include <string.h>

#include "base/show-text.h"
#include "map/ogr-private.h"

/* An attribute with more values is a name rather than a class: further values are
 * counted together. */
#define MAX_VALUES 1000
#define USUAL_WIDTH_M 6 /* of a street */

static const char *const width_names[] = { "width_m", "width", "breite", "largeur", "larghezza", "anchura", "ancho",
                                           "largura", "szerokosc", "sirka", "breedte", "bredd", "bredde", NULL };

/* A field of the layer, or a key in OpenStreetMap's field of all other tags. */
typedef struct
{
  int index;
  char *tag; /* (nullable) owned */
  gboolean is_named; /* listed in the layer's attributes */
} Field;

typedef struct
{
  const UrbRule *rule;                                /* borrowed */
  OGRFeatureDefnH defn;                               /* borrowed */
  GArray *attributes, *width_attributes, *conditions; /* owned; of Field */
  Field widths_field;
  GHashTable *classes; /* owned; of value to UrbClass; NEXT if the rule does not decide */
  GHashTable *values;  /* owned; of value to its index in the layer's values + 1 */
  int fixed_value;     /* index in the layer's values; -1: not added yet */
} Step;

struct _UrbClassifier
{
  const UrbProfile *profile; /* borrowed */
  UrbMapLayer *layer;        /* borrowed */
  const UrbMapOptions *options; /* borrowed */
  GPtrArray *steps;          /* owned; of Step */
  GArray *width_fields;      /* owned; of Field: of lines that are roads by hand */
  GString *buffer;           /* owned; for read_field() */
  int null_values[URB_CLASS_IGNORE + 1], more_values[URB_CLASS_IGNORE + 1];
};

/* -------- Applicable rules -------- */

/* Index of the field, -1 if missing.  Shapefiles truncate names to ten letters. */
static int
find_index (OGRFeatureDefnH defn, const char *name)
{
  g_autofree char *shortened = g_strndup (name, 10);
  int index = OGR_FD_GetFieldIndex (defn, name);

  return index >= 0 ? index : OGR_FD_GetFieldIndex (defn, shortened);
}

static gboolean
matches_any (char **patterns, const char *text)
{
  for (; *patterns != NULL; patterns++)
    if (g_pattern_match_simple (*patterns, text))
      return TRUE;
  return FALSE;
}

gboolean
urb_rule_is_for_any_layer (const UrbRule *rule)
{
  return g_strv_contains ((const char *const *) rule->layers, "*");
}

static gboolean
rule_fits (const UrbRule *rule, const UrbLayerFacts *facts, gboolean by_file)
{
  if (rule->drivers != NULL &&
      !g_strv_contains ((const char *const *) rule->drivers, facts->driver))
    return FALSE;
  for (char **name = rule->needs; name != NULL && *name != NULL; name++)
    if (find_index (facts->defn, *name) < 0)
      return FALSE;
  return matches_any (rule->layers, facts->plain_name) ||
         (by_file && matches_any (rule->layers, facts->plain_stem));
}

/* The file's name counts only if no rule knows the layer's name. */
GPtrArray *
urb_profile_find_rules (const UrbProfile *profile, const UrbLayerFacts *facts)
{
  GPtrArray *found = g_ptr_array_new ();
  gboolean by_file = TRUE;

  for (guint i = 0; i < profile->rules->len; i++)
    {
      UrbRule *rule = g_ptr_array_index (profile->rules, i);
      if (!urb_rule_is_for_any_layer (rule) && rule_fits (rule, facts, FALSE))
        by_file = FALSE;
    }
  for (guint i = 0; i < profile->rules->len; i++)
    {
      UrbRule *rule = g_ptr_array_index (profile->rules, i);
      if (rule_fits (rule, facts, by_file))
        g_ptr_array_add (found, rule);
    }
  return found;
}

const UrbRule *
urb_profile_find_label_rule (const UrbProfile *profile, const UrbLayerFacts *facts)
{
  g_autoptr(GPtrArray) rules = urb_profile_find_rules (profile, facts);
  const UrbRule *rule = rules->len > 0 ? g_ptr_array_index (rules, 0) : NULL;

  return rule != NULL && rule->label != NULL ? rule : NULL;
}

/* -------- Fields -------- */

static void
field_clear (gpointer data)
{
  g_free (((Field *) data)->tag);
}

static Field
find_field (OGRFeatureDefnH defn, const char *name)
{
  Field field = { .index = find_index (defn, name) };

  if (field.index < 0)
    {
      field.index = OGR_FD_GetFieldIndex (defn, "other_tags");
      if (field.index >= 0)
        field.tag = g_strdup_printf ("\"%s\"=>\"", name);
    }
  return field;
}

static GArray *
find_fields (OGRFeatureDefnH defn, char **names)
{
  GArray *fields = g_array_new (FALSE, FALSE, sizeof (Field));

  g_array_set_clear_func (fields, field_clear);
  for (; names != NULL && *names != NULL; names++)
    {
      Field field = find_field (defn, *names);
      if (field.index >= 0)
        g_array_append_val (fields, field);
    }
  return fields;
}

/* Finds the value of one key in "key"=>"value","key"=>"value"; uses @buffer. */
static const char *
find_tag (const char *tags, const char *tag, GString *buffer)
{
  const char *at = tags;

  while ((at = strstr (at, tag)) != NULL && at != tags && at[-1] != ',')
    at++;
  if (at == NULL)
    return NULL;
  g_string_truncate (buffer, 0);
  for (at += strlen (tag); *at != '\0' && *at != '"'; at++)
    {
      if (*at == '\\' && at[1] != '\0')
        at++;
      g_string_append_c (buffer, *at);
    }
  return buffer->str;
}

/* NULL if unset, null or blank. */
static const char *
read_field (const Field *field, const UrbRow *row, GString *buffer)
{
  const char *text;

  if (field->index < 0)
    return NULL;
  if (row->texts != NULL)
    text = row->texts[field->index];
  else if (OGR_F_IsFieldSetAndNotNull (row->feature, field->index))
    text = OGR_F_GetFieldAsString (row->feature, field->index);
  else
    text = NULL;
  if (text != NULL && field->tag != NULL)
    text = find_tag (text, field->tag, buffer);
  return text != NULL && text[strspn (text, " \t")] != '\0' ? text : NULL;
}

/* -------- Steps: rules bound to this layer -------- */

static void
step_free (gpointer data)
{
  Step *self = data;
  g_array_unref (self->attributes);
  g_array_unref (self->width_attributes);
  g_array_unref (self->conditions);
  field_clear (&self->widths_field);
  g_hash_table_unref (self->classes);
  g_hash_table_unref (self->values);
  g_free (self);
}

static Step *
step_new (const UrbRule *rule, OGRFeatureDefnH defn)
{
  Step *self = g_new0 (Step, 1);

  self->rule = rule;
  self->defn = defn;
  self->fixed_value = -1;
  self->attributes = find_fields (defn, rule->attributes);
  self->width_attributes = find_fields (defn, rule->width_attributes);
  self->conditions = g_array_new (FALSE, FALSE, sizeof (Field));
  g_array_set_clear_func (self->conditions, field_clear);
  for (guint i = 0; i < rule->drop->len; i++)
    {
      Field field = find_field (defn, ((UrbCondition *) g_ptr_array_index (rule->drop, i))->field);
      g_array_append_val (self->conditions, field);
    }
  self->widths_field.index = -1;
  if (rule->widths_attribute != NULL)
    self->widths_field = find_field (defn, rule->widths_attribute);
  self->classes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return self;
}

UrbClassifier *
urb_classifier_new (const UrbProfile *profile, const UrbLayerFacts *facts, UrbMapLayer *layer,
                    const UrbMapOptions *options)
{
  UrbClassifier *self = g_new0 (UrbClassifier, 1);
  g_autoptr(GPtrArray) rules = urb_profile_find_rules (profile, facts);

  self->profile = profile;
  self->layer = layer;
  self->options = options;
  self->steps = g_ptr_array_new_with_free_func (step_free);
  self->buffer = g_string_new (NULL);
  self->width_fields = find_fields (facts->defn, (char **) width_names);
  memset (self->null_values, 0xff, sizeof self->null_values);
  memset (self->more_values, 0xff, sizeof self->more_values);
  for (guint i = 0; i < rules->len; i++)
    g_ptr_array_add (self->steps, step_new (g_ptr_array_index (rules, i), facts->defn));
  return self;
}

void
urb_classifier_free (UrbClassifier *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->steps);
  g_array_unref (self->width_fields);
  g_string_free (self->buffer, TRUE);
  g_free (self);
}

/* -------- Overrides -------- */

/* The last override for this value, else for the whole layer. */
static const UrbMapOverride *
find_override (const UrbMapOptions *options, const char *layer, const char *value)
{
  for (gsize i = options->n_overrides; i-- > 0;)
    if (g_str_equal (options->overrides[i].layer, layer) &&
        g_str_equal (options->overrides[i].value, value))
      return &options->overrides[i];
  return *value != '\0' ? find_override (options, layer, "") : NULL;
}

guint32
urb_classify_add_value (UrbMapLayer *layer, const char *value, UrbClass class_, gboolean known,
                        const UrbMapOptions *options)
{
  g_autofree char *shown = urb_show_text (value);
  const UrbMapOverride *override = find_override (options, layer->name, shown);
  guint32 index = urb_map_layer_add_value (layer, shown, class_, known);
  UrbMapValue *item = g_ptr_array_index (layer->values, index);

  if (override != NULL)
    {
      item->class_ = override->class_;
      item->by_hand = TRUE;
    }
  return index;
}

static void
want_fields (const GArray *fields, gboolean *wanted)
{
  for (guint i = 0; i < fields->len; i++)
    {
      int index = g_array_index (fields, Field, i).index;
      if (index >= 0)
        wanted[index] = TRUE;
    }
}

void
urb_classifier_want_fields (UrbClassifier *self, gboolean *wanted)
{
  for (guint i = 0; i < self->steps->len; i++)
    {
      const Step *step = g_ptr_array_index (self->steps, i);
      want_fields (step->attributes, wanted);
      want_fields (step->width_attributes, wanted);
      want_fields (step->conditions, wanted);
      if (step->widths_field.index >= 0)
        wanted[step->widths_field.index] = TRUE;
    }
}

gboolean
urb_classifier_ignores_all (UrbClassifier *self)
{
  const UrbMapOverride *override = find_override (self->options, self->layer->name, "");
  const UrbRule *rule;

  if (override != NULL && override->class_ != URB_CLASS_IGNORE)
    return FALSE;
  if (self->steps->len == 0)
    return self->profile->unmatched == URB_CLASS_IGNORE;
  rule = ((Step *) g_ptr_array_index (self->steps, 0))->rule;
  return rule->attributes == NULL && rule->class_ == URB_CLASS_IGNORE &&
         rule->geometry == URB_GEOMETRY_ANY && rule->drop->len == 0;
}

/* -------- One object -------- */

static gboolean
condition_holds (const UrbCondition *condition, const Field *field, const UrbRow *row,
                 GString *buffer)
{
  const char *text = read_field (field, row, buffer);
  g_autofree char *plain = NULL;
  double number;
  char *end;

  if (condition->kind == URB_CONDITION_NOT_SET)
    return field->index >= 0 && text == NULL;
  if (text == NULL)
    return FALSE;
  if (condition->kind == URB_CONDITION_SET)
    return TRUE;
  if (condition->kind == URB_CONDITION_EQUAL)
    {
      plain = urb_plain_text (text, FALSE);
      return matches_any (condition->values, plain);
    }
  number = g_ascii_strtod (text, &end);
  if (end == text || isnan (number))
    return FALSE;
  return condition->kind == URB_CONDITION_LESS ? number < condition->number
                                               : number > condition->number;
}

/* The first field with a value; @found: (out): that field. */
static const char *
read_first (const GArray *fields, const UrbRow *row, GString *buffer, Field **found)
{
  const char *text;

  for (guint i = 0; i < fields->len; i++)
    {
      *found = &g_array_index (fields, Field, i);
      text = read_field (*found, row, buffer);
      if (text != NULL)
        return text;
    }
  return NULL;
}

/* Lists the field among the attributes that determined the layer's classes. */
static void
name_field (UrbMapLayer *layer, const Step *step, Field *field)
{
  g_autofree char *name = NULL;
  g_autofree char *before = layer->attribute;
  g_auto(GStrv) known = before != NULL ? g_strsplit (before, ", ", -1) : NULL;

  field->is_named = TRUE;
  if (field->tag != NULL) /* "name"=>" */
    name = g_strndup (field->tag + 1, strlen (field->tag) - strlen ("\"\"=>\""));
  else
    name = urb_show_text (OGR_Fld_GetNameRef (OGR_FD_GetFieldDefn (step->defn, field->index)));
  if (known != NULL && g_strv_contains ((const char *const *) known, name))
    layer->attribute = g_steal_pointer (&before);
  else
    layer->attribute = before != NULL ? g_strconcat (before, ", ", name, NULL)
                                      : g_steal_pointer (&name);
}

static guint32
add_value (UrbClassifier *self, int *index, const char *text, UrbClass class_, gboolean known)
{
  if (*index < 0)
    *index = (int) urb_classify_add_value (self->layer, text, class_, known, self->options);
  return (guint32) *index;
}

/* Looks the value up in the rule's table; NEXT if this rule does not decide. */
static UrbClass
classify_value (UrbClassifier *self, Step *step, const char *text, guint32 *value)
{
  g_autofree char *plain = NULL;
  UrbClass class_;
  double number;
  gboolean known;
  gpointer found;

  if (g_hash_table_lookup_extended (step->classes, text, NULL, &found))
    {
      *value = GPOINTER_TO_UINT (g_hash_table_lookup (step->values, text));
      return GPOINTER_TO_INT (found);
    }
  plain = urb_plain_text (text, FALSE);
  known = urb_table_lookup (step->rule->values, plain, &number);
  class_ = known ? (UrbClass) number : step->rule->unknown;
  *value = 0;
  if (class_ != URB_CLASS_NEXT)
    {
      if (self->layer->values->len >= MAX_VALUES)
        {
          *value = add_value (self, &self->more_values[class_], "(more values)", class_, known);
          return class_;
        }
      *value = urb_classify_add_value (self->layer, text, class_, known, self->options);
    }
  if (g_hash_table_size (step->classes) < 4 * MAX_VALUES)
    {
      g_hash_table_insert (step->classes, g_strdup (text), GINT_TO_POINTER (class_));
      g_hash_table_insert (step->values, g_strdup (text), GUINT_TO_POINTER (*value));
    }
  return class_;
}

static UrbClass
apply_step (UrbClassifier *self, Step *step, const UrbRow *row, GString *buffer, guint32 *value)
{
  const char *text;
  Field *field;

  if (step->rule->attributes == NULL)
    {
      *value = add_value (self, &step->fixed_value, "", step->rule->class_, TRUE);
      return step->rule->class_;
    }
  text = read_first (step->attributes, row, buffer, &field);
  if (text != NULL)
    {
      UrbClass class_ = classify_value (self, step, text, value);
      if (class_ != URB_CLASS_NEXT && !field->is_named)
        name_field (self->layer, step, field);
      return class_;
    }
  if (step->rule->null != URB_CLASS_NEXT)
    *value = add_value (self, &self->null_values[step->rule->null], "(none)", step->rule->null,
                        step->rule->null == URB_CLASS_IGNORE);
  return step->rule->null;
}

/* Meters from "3.5", "3.5 m" or "4,2".  Feet are left to the table. */
static double
parse_width (const char *text)
{
  char *end;
  g_autofree char *copy = g_strdelimit (g_strdup (text), ",", '.');
  double width = g_ascii_strtod (copy, &end);

  end += strspn (end, " ");
  return (*end == '\0' || g_str_equal (end, "m")) && width > 0.1 && width <= 200 ? width : 0;
}

static double
find_width (const Step *step, const UrbRow *row, GString *buffer)
{
  Field *field;
  const char *text = read_first (step->width_attributes, row, buffer, &field);
  double width = text != NULL ? parse_width (text) : 0;

  if (width > 0)
    return width;
  text = read_field (&step->widths_field, row, buffer);
  if (text != NULL && step->rule->widths != NULL)
    {
      g_autofree char *plain = urb_plain_text (text, FALSE);
      if (urb_table_lookup (step->rule->widths, plain, &width))
        return width;
    }
  return step->rule->width_m;
}

/* Of a line that the user made a road, for which the profile has no width. */
static double
propose_width (UrbClassifier *self, const UrbRow *row)
{
  Field *field;
  const char *text = read_first (self->width_fields, row, self->buffer, &field);
  double width = text != NULL ? parse_width (text) : 0;

  return width > 0 ? width : USUAL_WIDTH_M;
}

/* The class in effect, of the profile or the override, is that of the reported value. */
static void
set_class (UrbClassifier *self, UrbDecision *decision)
{
  const UrbMapValue *value = g_ptr_array_index (self->layer->values, decision->value);

  decision->class_ = value->class_;
}

/* @step: (nullable): none decided */
static void
set_width (UrbClassifier *self, const Step *step, const UrbRow *row, UrbDecision *decision)
{
  const UrbMapValue *value = g_ptr_array_index (self->layer->values, decision->value);

  if (decision->class_ != URB_CLASS_ROAD)
    return;
  if (step != NULL)
    decision->width_m = find_width (step, row, self->buffer);
  if (decision->width_m <= 0 && value->by_hand)
    decision->width_m = propose_width (self, row);
}

UrbVerdict
urb_classifier_decide (UrbClassifier *self, const UrbRow *row, UrbGeometryKind geometry,
                       UrbDecision *decision)
{
  UrbClass unmatched = geometry == URB_GEOMETRY_LINE ? URB_CLASS_IGNORE : self->profile->unmatched;
  gboolean is_whole_layer, is_missed = FALSE;

  *decision = (UrbDecision){ 0 };
  for (guint i = 0; i < self->steps->len; i++)
    {
      Step *step = g_ptr_array_index (self->steps, i);
      UrbClass class_;
      if (!(step->rule->geometry & geometry))
        {
          /* A closed line of a drawing stands for an area. */
          if (!step->rule->closed_lines_are_areas || geometry != URB_GEOMETRY_LINE)
            {
              is_missed |= !urb_rule_is_for_any_layer (step->rule)
                           && (step->rule->attributes != NULL || step->rule->class_ != URB_CLASS_IGNORE);
              continue;
            }
        }
      decision->rule = step->rule;
      for (guint c = 0; c < step->conditions->len; c++)
        if (condition_holds (g_ptr_array_index (step->rule->drop, c),
                             &g_array_index (step->conditions, Field, c), row, self->buffer))
          return URB_VERDICT_SUPERSEDED;
      class_ = apply_step (self, step, row, self->buffer, &decision->value);
      if (class_ == URB_CLASS_NEXT)
        continue;
      set_class (self, decision);
      decision->closed_lines_are_areas = step->rule->closed_lines_are_areas;
      if (geometry == URB_GEOMETRY_LINE)
        set_width (self, step, row, decision);
      return URB_VERDICT_CLASS;
    }
  decision->rule = NULL;
  /* No rule decided.  A layer that is only read because of an override has no values. */
  is_whole_layer = self->steps->len == 0 && self->profile->unmatched == URB_CLASS_IGNORE &&
                   find_override (self->options, self->layer->name, "") != NULL;
  decision->value = add_value (self, &self->null_values[unmatched], is_whole_layer ? "" : "(none)",
                               unmatched, unmatched == URB_CLASS_IGNORE);
  set_class (self, decision);
  if (geometry == URB_GEOMETRY_LINE)
    set_width (self, NULL, row, decision);
  decision->is_unexpected = is_missed && decision->class_ == URB_CLASS_IGNORE;
  return URB_VERDICT_CLASS;
}
