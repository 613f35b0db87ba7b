/* SPDX-License-Identifier: Apache-2.0 */
#include "app/map/map-classes.h"

static void
class_free (gpointer data)
{
  UrbariumMapClass *self = data;
  g_free (self->layer);
  g_free (self->value);
  g_free (self);
}

UrbariumMapClasses *
urbarium_map_classes_new (void)
{
  UrbariumMapClasses *self = g_new (UrbariumMapClasses, 1);
  self->changes = g_ptr_array_new_with_free_func (class_free);
  return self;
}

UrbariumMapClasses *
urbarium_map_classes_copy (const UrbariumMapClasses *self)
{
  UrbariumMapClasses *copy = urbarium_map_classes_new ();
  for (guint i = 0; i < self->changes->len; i++)
    {
      const UrbariumMapClass *change = self->changes->pdata[i];
      urbarium_map_classes_set (copy, change->layer, change->value, change->class_);
    }
  return copy;
}

void
urbarium_map_classes_free (UrbariumMapClasses *self)
{
  g_ptr_array_unref (self->changes);
  g_free (self);
}

/* The index in changes; changes->len if there is none. */
static guint
find (const UrbariumMapClasses *self, const char *layer, const char *value)
{
  guint i;
  for (i = 0; i < self->changes->len; i++)
    {
      const UrbariumMapClass *change = self->changes->pdata[i];
      if (g_str_equal (change->layer, layer) && g_str_equal (change->value, value))
        break;
    }
  return i;
}

gboolean
urbarium_map_classes_equal (const UrbariumMapClasses *a, const UrbariumMapClasses *b)
{
  if (a->changes->len != b->changes->len)
    return FALSE;
  for (guint i = 0; i < a->changes->len; i++)
    {
      const UrbariumMapClass *change = a->changes->pdata[i];
      UrbClass class_;
      if (!urbarium_map_classes_get (b, change->layer, change->value, &class_)
          || class_ != change->class_)
        return FALSE;
    }
  return TRUE;
}

gboolean
urbarium_map_classes_get (const UrbariumMapClasses *self, const char *layer, const char *value,
                          UrbClass *class_)
{
  guint i = find (self, layer, value);
  if (i == self->changes->len)
    return FALSE;
  if (class_ != NULL)
    *class_ = ((UrbariumMapClass *) self->changes->pdata[i])->class_;
  return TRUE;
}

void
urbarium_map_classes_set (UrbariumMapClasses *self, const char *layer, const char *value,
                          UrbClass class_)
{
  guint i = find (self, layer, value);
  if (i == self->changes->len)
    {
      UrbariumMapClass *change = g_new (UrbariumMapClass, 1);
      *change = (UrbariumMapClass) { g_strdup (layer), g_strdup (value), class_ };
      g_ptr_array_add (self->changes, change);
    }
  ((UrbariumMapClass *) self->changes->pdata[i])->class_ = class_;
}

void
urbarium_map_classes_reset (UrbariumMapClasses *self, const char *layer, const char *value)
{
  guint i = find (self, layer, value);
  if (i < self->changes->len)
    g_ptr_array_remove_index (self->changes, i);
}
