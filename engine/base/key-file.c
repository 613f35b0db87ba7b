/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key-file.c - see key-file.h.
 */
#include "base/key-file.h"

#include <string.h>

/* Whether backslashes only form \s, \n, \t, \r, \\, or the separator of a list. */
static gboolean
is_readable (const char *value)
{
  for (const char *at = value; (at = strchr (at, '\\')) != NULL; at += 2)
    if (at[1] == '\0' || strchr ("sntr\\;", at[1]) == NULL)
      return FALSE;
  return TRUE;
}

static gboolean
check_group (GKeyFile *file, const char *group, GError **error)
{
  g_auto(GStrv) keys = g_key_file_get_keys (file, group, NULL, NULL);
  for (char **key = keys; key != NULL && *key != NULL; key++)
    {
      g_autofree char *value = g_key_file_get_value (file, group, *key, NULL);
      if (value != NULL && !is_readable (value))
        {
          g_set_error (error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_PARSE,
                       "[%s] %s: write a backslash twice (\\\\)", group, *key);
          return FALSE;
        }
    }
  return TRUE;
}

gboolean
urb_key_file_read (GKeyFile *file, const char *text, GError **error)
{
  g_auto(GStrv) groups = NULL;
  g_return_val_if_fail (text != NULL, FALSE);
  if (!g_key_file_load_from_data (file, text, strlen (text), G_KEY_FILE_NONE, error))
    return FALSE;
  groups = g_key_file_get_groups (file, NULL);
  for (char **group = groups; *group != NULL; group++)
    if (!check_group (file, *group, error))
      return FALSE;
  return TRUE;
}
