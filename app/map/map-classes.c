/* SPDX-License-Identifier: Apache-2.0 */
#include "app/map/map-classes.h"

static void
clear_change (gpointer data)
{
  UrbMapOverride *self = data;
  g_free ((char *) self->layer);
  g_free ((char *) self->value);
}

GArray *
urbarium_map_classes_new (void)
{
  GArray *self = g_array_new (FALSE, FALSE, sizeof (UrbMapOverride));
  g_array_set_clear_func (self, clear_change);
  return self;
}

GArray *
urbarium_map_classes_copy (GArray *self)
{
  GArray *copy = urbarium_map_classes_new ();
  for (guint i = 0; i < self->len; i++)
    {
      const UrbMapOverride *change = &g_array_index (self, UrbMapOverride, i);
      urbarium_map_classes_set (copy, change->layer, change->value, change->class_);
    }
  return copy;
}

/* Returns: (nullable): NULL if the class was not changed by hand */
static UrbMapOverride *
find (GArray *self, const char *layer, const char *value)
{
  for (guint i = 0; i < self->len; i++)
    {
      UrbMapOverride *change = &g_array_index (self, UrbMapOverride, i);
      if (g_str_equal (change->layer, layer) && g_str_equal (change->value, value))
        return change;
    }
  return NULL;
}

gboolean
urbarium_map_classes_equal (GArray *a, GArray *b)
{
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    {
      const UrbMapOverride *change = &g_array_index (a, UrbMapOverride, i);
      const UrbMapOverride *other = find (b, change->layer, change->value);
      if (other == NULL || other->class_ != change->class_)
        return FALSE;
    }
  return TRUE;
}

gboolean
urbarium_map_classes_get (GArray *self, const char *layer, const char *value, UrbClass *class_)
{
  const UrbMapOverride *change = find (self, layer, value);
  if (change != NULL && class_ != NULL)
    *class_ = change->class_;
  return change != NULL;
}

void
urbarium_map_classes_set (GArray *self, const char *layer, const char *value, UrbClass class_)
{
  UrbMapOverride *change = find (self, layer, value);
  if (change == NULL)
    {
      UrbMapOverride added = { g_strdup (layer), g_strdup (value), class_ };
      g_array_append_val (self, added);
    }
  else
    change->class_ = class_;
}

void
urbarium_map_classes_reset (GArray *self, const char *layer, const char *value)
{
  UrbMapOverride *change = find (self, layer, value);
  if (change != NULL)
    g_array_remove_index (self, (guint) (change - (UrbMapOverride *) (gpointer) self->data));
}
