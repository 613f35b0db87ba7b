/* SPDX-License-Identifier: Apache-2.0 */
#include "app/map/map-words.h"

#include <glib/gi18n.h>

char *
urbarium_map_words_make_plain (const char *text, const char *const *paths)
{
  const struct
  {
    const char *from, *to;
  } hints[] = {
    { "; --profile chooses another", "." },
    { "and --profile chooses another.", _ ("and classes can be chosen by hand.") },
    { " If that is wrong, say which with --crs.",
      _ (" If that is wrong, state it in the file, and open it again.") },
  };
  GString *plain = g_string_new (text);
  char *valid;
  for (guint i = 0; i < G_N_ELEMENTS (hints); i++)
    g_string_replace (plain, hints[i].from, hints[i].to, 0);
  for (; paths != NULL && *paths != NULL; paths++)
    {
      g_autofree char *folder = g_path_get_dirname (*paths);
      g_autofree char *prefix = g_strconcat (folder, G_DIR_SEPARATOR_S, NULL);
      if (!g_str_equal (folder, ".") && !g_str_equal (folder, G_DIR_SEPARATOR_S))
        g_string_replace (plain, prefix, "", 0);
    }
  valid = g_utf8_make_valid (plain->str, (gssize) plain->len);
  g_string_free (plain, TRUE);
  return valid;
}
