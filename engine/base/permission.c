/* SPDX-License-Identifier: Apache-2.0 */
/*
 * permission.c - see permission.h.
 */
#include "base/permission.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <pwd.h>
#include <unistd.h>

#include <glib/gstdio.h>

static char *
dup_user_name (uid_t id)
{
  struct passwd entry, *found = NULL;
  char buffer[4096];

  if (getpwuid_r (id, &entry, buffer, sizeof buffer, &found) == 0 && found != NULL)
    return g_utf8_make_valid (found->pw_name, -1);
  return g_strdup_printf ("user %u", (guint) id);
}

/* @mode: the access to @path that is needed */
static char *
dup_problem (const char *path, int mode)
{
  g_autofree char *barrier = g_canonicalize_filename (path, NULL);
  g_autofree char *user = dup_user_name (geteuid ()), *owner = NULL;
  gboolean is_above = FALSE;
  GStatBuf info;

  if (g_access (path, mode) == 0 || errno != EACCES)
    return NULL;
  /* Finds the first visible folder: its contents are not accessible. */
  while (g_stat (barrier, &info) != 0)
    {
      char *parent;

      if (errno != EACCES)
        return NULL;
      parent = g_path_get_dirname (barrier);
      g_free (barrier);
      barrier = parent;
      is_above = TRUE;
    }
  owner = dup_user_name (info.st_uid);
  if (mode == R_OK)
    return is_above ? g_strdup_printf (N_ ("This user (%s) may not read '%s'; %s, who owns the folder '%s', can permit it"), user,
                                       path, owner, barrier)
                    : g_strdup_printf (N_ ("This user (%s) may not read '%s'; %s, who owns it, can permit it"), user, path, owner);
  return is_above ? g_strdup_printf (N_ ("This user (%s) may not write in the folder '%s'; %s, who owns the folder '%s', can "
                                         "permit it"), user, path, owner, barrier)
                  : g_strdup_printf (N_ ("This user (%s) may not write in the folder '%s'; %s, who owns it, can permit it"), user,
                                     path, owner);
}

char *
urb_permission_dup_read_problem (const char *path)
{
  return dup_problem (path, R_OK);
}

char *
urb_permission_dup_create_problem (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);

  return dup_problem (folder, W_OK | X_OK);
}
