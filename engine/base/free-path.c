/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free-path.c - see free-path.h.
 */
#include "base/free-path.h"

#include <glib/gstdio.h>

gboolean
urb_free_path_check (const char *path, const char *otherwise, GError **error)
{
  GStatBuf status;

  if (g_stat (path, &status) != 0 || (S_ISREG (status.st_mode) && status.st_size == 0))
    return TRUE;
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_EXIST, "'%s' already exists%s", path, otherwise);
  return FALSE;
}
