/* SPDX-License-Identifier: Apache-2.0 */
#include "app/areas/decisions-memory.h"

#define ENTRY_TYPE "(aayv)" /* paths (bytes, not necessarily UTF-8) and decisions */

UrbariumRecent *
urbarium_decisions_memory_new (void)
{
  return urbarium_recent_new (ENTRY_TYPE);
}

void
urbarium_decisions_memory_keep (UrbariumRecent *self, const char *const *paths,
                                UrbariumDecisions *decisions)
{
  g_autoptr(GVariant) state = urbarium_decisions_to_variant (decisions);
  urbarium_recent_keep (self, g_variant_new ("(^aayv)", paths, state));
}

UrbariumDecisions *
urbarium_decisions_memory_find (UrbariumRecent *self, const char *const *paths)
{
  g_autoptr(GVariant) key = g_variant_ref_sink (g_variant_new_bytestring_array (paths, -1));
  GVariant *entry = urbarium_recent_find (self, key);
  g_autoptr(GVariant) state = NULL;
  if (entry == NULL)
    return NULL;
  g_variant_get_child (entry, 1, "v", &state);
  return urbarium_decisions_new_from_variant (state);
}
