/* SPDX-License-Identifier: Apache-2.0 */
/*
 * data.c - reads the files compiled in from data/.
 *
 * The resource is obtained from its own function, not from the registered ones:
 * otherwise a static library would not link it in.
 */
#include "base/data.h"

#include <string.h>

#include "base/compare.h"
#include "urbarium-data.h"

#define PREFIX "/org/urbarium/"

char *
urb_data_dup_text (const char *path)
{
  g_autofree char *full = g_strconcat (PREFIX, path, NULL);
  g_autoptr(GBytes) bytes = g_resource_lookup_data (urbarium_data_get_resource (), full, 0, NULL);

  return bytes == NULL ? NULL
                       : g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

char **
urb_data_list (const char *folder, const char *suffix)
{
  g_autofree char *full = g_strconcat (PREFIX, folder, "/", NULL);
  g_auto(GStrv) files = g_resource_enumerate_children (urbarium_data_get_resource (), full, 0, NULL);
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; files != NULL && files[i] != NULL; i++)
    if (g_str_has_suffix (files[i], suffix))
      g_ptr_array_add (names, g_strndup (files[i], strlen (files[i]) - strlen (suffix)));
  g_ptr_array_sort (names, urb_compare_strings);
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_steal (names, NULL);
}
