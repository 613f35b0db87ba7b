/* SPDX-License-Identifier: Apache-2.0 */
/*
 * numbered-images.c - see numbered-images.h.
 */
#include "city/numbered-images.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

char *
urb_numbered_image_dup_name (const char *kind, gint64 number)
{
  return g_strdup_printf ("%s-%04" G_GINT64_FORMAT ".png", kind, number);
}

gint64
urb_numbered_image_parse (const char *kind, const char *name)
{
  gint64 number = g_str_has_prefix (name, kind) && name[strlen (kind)] == '-'
                    ? g_ascii_strtoll (name + strlen (kind) + 1, NULL, 10) : 0;
  g_autofree char *same = urb_numbered_image_dup_name (kind, number);

  return number > 0 && strcmp (same, name) == 0 ? number : 0;
}

gboolean
urb_numbered_images_remove_others (const char *folder, const char *kind, gint64 first, gint64 last, gint64 *n_removed,
                                   GError **error)
{
  g_autoptr(GDir) dir = g_dir_open (folder, 0, error);
  const char *name;

  if (dir == NULL)
    return FALSE;
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      gint64 number = urb_numbered_image_parse (kind, name);

      if (number == 0 || (number >= first && number <= last))
        continue;
      if (g_unlink (path) != 0)
        {
          g_set_error (error, G_FILE_ERROR, (int) g_file_error_from_errno (errno),
                       "Could not delete '%s': %s.", path, g_strerror (errno));
          return FALSE;
        }
      (*n_removed)++;
    }
  return TRUE;
}
