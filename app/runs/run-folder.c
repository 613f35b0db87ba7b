/* SPDX-License-Identifier: Apache-2.0 */
#include "app/runs/run-folder.h"

/* A name that is valid on any file system and not hidden. */
static char *
make_file_name (const char *name)
{
  enum { MAX_CHARS = 60 };
  g_autoptr(GString) safe = g_string_new (NULL);
  int n = 0;
  for (const char *c = name; *c != '\0' && n < MAX_CHARS; c = g_utf8_next_char (c), n++)
    {
      gunichar letter = g_utf8_get_char (c);
      gboolean good = g_unichar_isalnum (letter) || letter == '-' || letter == '_'
                      || (letter == '.' && n > 0) || g_unichar_ismark (letter);
      if (good)
        g_string_append_unichar (safe, letter);
      else if (safe->len > 0 && safe->str[safe->len - 1] != '-')
        g_string_append_c (safe, '-');
    }
  while (safe->len > 0 && (safe->str[safe->len - 1] == '-' || safe->str[safe->len - 1] == '.'))
    g_string_truncate (safe, safe->len - 1);
  return g_strdup (safe->len > 0 ? safe->str : "run");
}

char *
urbarium_run_folder_choose (const char *parent, const char *name)
{
  g_autofree char *file_name = make_file_name (name != NULL ? name : "");
  char *path = g_build_filename (parent, file_name, NULL);
  for (int i = 2; g_file_test (path, G_FILE_TEST_EXISTS); i++)
    {
      g_free (path);
      path = g_strdup_printf ("%s/%s-%d", parent, file_name, i);
    }
  return path;
}
