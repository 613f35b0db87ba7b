/* SPDX-License-Identifier: Apache-2.0 */
#include "app/base/recent.h"

enum { MAX_ENTRIES = 20 };

struct _UrbariumRecent
{
  const GVariantType *type;    /* static */
  GPtrArray          *entries; /* of GVariant; owned; newest first */
};

UrbariumRecent *
urbarium_recent_new (const char *type)
{
  UrbariumRecent *self = g_new0 (UrbariumRecent, 1);
  self->type = G_VARIANT_TYPE (type);
  self->entries = g_ptr_array_new_with_free_func ((GDestroyNotify) g_variant_unref);
  return self;
}

void
urbarium_recent_free (UrbariumRecent *self)
{
  g_ptr_array_unref (self->entries);
  g_free (self);
}

GVariant *
urbarium_recent_find (UrbariumRecent *self, GVariant *key)
{
  for (guint i = 0; i < self->entries->len; i++)
    {
      g_autoptr(GVariant) other = g_variant_get_child_value (self->entries->pdata[i], 0);
      if (g_variant_equal (other, key))
        return self->entries->pdata[i];
    }
  return NULL;
}

void
urbarium_recent_forget (UrbariumRecent *self, GVariant *key)
{
  g_ptr_array_remove (self->entries, urbarium_recent_find (self, key));
}

void
urbarium_recent_keep (UrbariumRecent *self, GVariant *entry)
{
  g_autoptr(GVariant) key = NULL;
  g_return_if_fail (g_variant_is_of_type (entry, self->type));
  g_variant_ref_sink (entry);
  key = g_variant_get_child_value (entry, 0);
  urbarium_recent_forget (self, key);
  g_ptr_array_insert (self->entries, 0, entry);
  if (self->entries->len > MAX_ENTRIES)
    g_ptr_array_set_size (self->entries, MAX_ENTRIES);
}

GVariant *
urbarium_recent_to_variant (UrbariumRecent *self)
{
  return g_variant_ref_sink (g_variant_new_array (
    self->type, (GVariant *const *) self->entries->pdata, self->entries->len));
}

void
urbarium_recent_read (UrbariumRecent *self, GVariant *variant)
{
  g_autoptr(GVariantType) all = g_variant_type_new_array (self->type);
  gsize n = g_variant_is_of_type (variant, all) ? g_variant_n_children (variant) : 0;
  g_ptr_array_set_size (self->entries, 0);
  for (gsize i = 0; i < MIN (n, MAX_ENTRIES); i++)
    g_ptr_array_add (self->entries, g_variant_get_child_value (variant, i));
}
