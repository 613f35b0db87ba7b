/* SPDX-License-Identifier: Apache-2.0 */
#include "app/map/map-words.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/base/engine-texts.h"

/* Removes the file name in front: "town.gpkg: in the layer…" */
static void
drop_file (GString *text, const char *path)
{
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *prefix = g_strconcat (name, ": ", NULL);
  if (!g_str_has_prefix (text->str, prefix))
    return;
  g_string_erase (text, 0, (gssize) strlen (prefix));
  if (text->len > 0)
    text->str[0] = g_ascii_toupper (text->str[0]);
}

char *
urbarium_map_words_make_plain (const char *text, const char *const *paths)
{
  const struct
  {
    const char *from, *to;
  } hints[] = {
    { ", or another --profile.", "." },
    { "and another can be chosen with --profile.", _ ("and another can be chosen above.") },
    { " If that is wrong, specify it with --crs.",
      _ (" If that is wrong, choose it above.") },
    { " Choose another part with --clip.", _ (" Choose another part, or open the map again to read all of it.") },
    { " Specify it with --crs.", _ (" Choose it above.") },
    { "; open them separately, or specify it with --crs",
      _ ("; open the one without alone, choose its coordinate system, and then open them together") },
    { "; if that is wrong, specify it with --crs", _ ("; convert it to another one") },
    { "; specify its coordinate system with --crs", _ ("; convert it to another one") },
  };
  /* 'name', but not the apostrophe of l'eau */
  g_autoptr(GRegex) quoted
    = g_regex_new ("(?<![^\\s(])'([^']*)'(?=[\\s,.;:)]|$)", G_REGEX_OPTIMIZE, 0, NULL);
  g_autofree char *translated = urbarium_engine_texts_translate (text);
  GString *plain = g_string_new (translated != NULL ? translated : text);
  g_autofree char *valid = NULL;
  const char *const *first = paths;
  for (guint i = 0; i < G_N_ELEMENTS (hints); i++)
    g_string_replace (plain, hints[i].from, hints[i].to, 0);
  for (; paths != NULL && *paths != NULL; paths++)
    {
      g_autofree char *folder = g_path_get_dirname (*paths);
      g_autofree char *prefix = g_strconcat (folder, G_DIR_SEPARATOR_S, NULL);
      if (!g_str_equal (folder, ".") && !g_str_equal (folder, G_DIR_SEPARATOR_S))
        g_string_replace (plain, prefix, "", 0);
    }
  if (first != NULL && first[0] != NULL && first[1] == NULL)
    drop_file (plain, first[0]);
  valid = g_utf8_make_valid (plain->str, (gssize) plain->len);
  g_string_free (plain, TRUE);
  return g_regex_replace (quoted, valid, -1, 0, "“\\1”", 0, NULL);
}

char *
urbarium_map_words_make_breakable (const char *name)
{
  GString *text = g_string_new (NULL);
  for (const char *c = name; *c != '\0'; c++)
    {
      g_string_append_c (text, *c);
      if (strchr ("._-/", *c) != NULL && c[1] != '\0')
        g_string_append (text, "\u200b");
    }
  return g_string_free (text, FALSE);
}

char *
urbarium_map_words_make_crs (const char *text)
{
  g_autofree char *crs = g_strstrip (g_strdup (text));
  return g_ascii_isdigit (*crs) ? g_strconcat ("EPSG:", crs, NULL) : g_steal_pointer (&crs);
}
