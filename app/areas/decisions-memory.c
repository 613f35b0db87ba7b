/* SPDX-License-Identifier: Apache-2.0 */
#include "app/areas/decisions-memory.h"

#define ENTRY_TYPE "(aayv)" /* paths, which may be of any bytes, and decisions */

enum { MAX_MAPS = 20 };

struct _UrbariumDecisionsMemory
{
  GPtrArray *entries; /* of GVariant; owned; the newest first */
};

UrbariumDecisionsMemory *
urbarium_decisions_memory_new (void)
{
  UrbariumDecisionsMemory *self = g_new0 (UrbariumDecisionsMemory, 1);
  self->entries = g_ptr_array_new_with_free_func ((GDestroyNotify) g_variant_unref);
  return self;
}

void
urbarium_decisions_memory_free (UrbariumDecisionsMemory *self)
{
  g_ptr_array_unref (self->entries);
  g_free (self);
}

/* @index: (out) */
static gboolean
find (UrbariumDecisionsMemory *self, const char *const *paths, guint *index)
{
  for (*index = 0; *index < self->entries->len; (*index)++)
    {
      g_autoptr(GVariant) child = g_variant_get_child_value (self->entries->pdata[*index], 0);
      g_autofree const char **kept = g_variant_get_bytestring_array (child, NULL);
      if (g_strv_equal (kept, paths))
        return TRUE;
    }
  return FALSE;
}

void
urbarium_decisions_memory_keep (UrbariumDecisionsMemory *self, const char *const *paths,
                                UrbariumDecisions *decisions)
{
  g_autoptr(GVariant) state = urbarium_decisions_to_variant (decisions);
  GVariant *entry = g_variant_new ("(^aayv)", paths, state);
  guint index;
  if (find (self, paths, &index))
    g_ptr_array_remove_index (self->entries, index);
  g_ptr_array_insert (self->entries, 0, g_variant_ref_sink (entry));
  if (self->entries->len > MAX_MAPS)
    g_ptr_array_set_size (self->entries, MAX_MAPS);
}

UrbariumDecisions *
urbarium_decisions_memory_find (UrbariumDecisionsMemory *self, const char *const *paths)
{
  g_autoptr(GVariant) state = NULL;
  guint index;
  if (!find (self, paths, &index))
    return NULL;
  g_variant_get_child (self->entries->pdata[index], 1, "v", &state);
  return urbarium_decisions_new_from_variant (state);
}

GVariant *
urbarium_decisions_memory_to_variant (UrbariumDecisionsMemory *self)
{
  GVariant *all = g_variant_new_array (G_VARIANT_TYPE (ENTRY_TYPE),
                                       (GVariant *const *) self->entries->pdata,
                                       self->entries->len);
  return g_variant_ref_sink (all);
}

void
urbarium_decisions_memory_read (UrbariumDecisionsMemory *self, GVariant *variant)
{
  gsize n = g_variant_is_of_type (variant, G_VARIANT_TYPE ("a" ENTRY_TYPE))
              ? g_variant_n_children (variant)
              : 0;
  g_ptr_array_set_size (self->entries, 0);
  for (gsize i = 0; i < MIN (n, MAX_MAPS); i++)
    g_ptr_array_add (self->entries, g_variant_get_child_value (variant, i));
}
