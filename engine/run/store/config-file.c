/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config-file.c - see config-file.h.
 */
#include "run/store/config-file.h"

#include <errno.h>
#include <string.h>

#include <glib/gstdio.h>

#include "base/atomic-file.h"
#include "run/store/run.h"

/* (transfer full) (nullable) */
static char *
read_text (const char *path, GError **error)
{
  enum { MAX_BYTES = 1 << 20 };
  g_autoptr(GError) cause = NULL;
  char *text = NULL;
  GStatBuf info;
  if (g_stat (path, &info) != 0)
    {
      g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_FOLDER, "Cannot read '%s': %s", path,
                   g_strerror (errno));
      return NULL;
    }
  if (!S_ISREG (info.st_mode) || info.st_size > MAX_BYTES)
    {
      g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_CONFIG, "'%s' is not a configuration file",
                   path);
      return NULL;
    }
  if (!g_file_get_contents (path, &text, NULL, &cause))
    g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_FOLDER, "Cannot read '%s': %s", path,
                 cause->message);
  return text;
}

/* @problem: between the file's name and what is wrong with it */
static gboolean
read_file (const char *path, gboolean (*parse) (UrbRunConfig *, const char *, GError **),
           const char *problem, UrbRunConfig *config, GError **error)
{
  g_autofree char *text = read_text (path, error);
  g_autoptr(GError) cause = NULL;
  if (text == NULL)
    return FALSE;
  if (parse (config, text, &cause))
    return TRUE;
  g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_CONFIG, "'%s'%s: %s", path, problem,
               cause->message);
  return FALSE;
}

gboolean
urb_run_config_read_file (const char *path, UrbRunConfig *config, GError **error)
{
  return read_file (path, urb_run_config_from_text, " cannot be used", config, error);
}

gboolean
urb_run_config_read_written_file (const char *path, UrbRunConfig *config, GError **error)
{
  return read_file (path, urb_run_config_from_written_text, "", config, error);
}

gboolean
urb_run_config_write_file (const char *path, const UrbRunConfig *config, GError **error)
{
  g_autofree char *text = urb_run_config_to_text (config);
  g_autoptr(UrbAtomicFile) file = urb_atomic_file_open (path, error);
  GStatBuf old;
  int mode = g_stat (path, &old) == 0 ? (int) (old.st_mode & 0777) : 0600;
  return file != NULL && urb_atomic_file_set_mode (file, mode, error)
         && urb_atomic_file_write (file, text, strlen (text), error)
         && urb_atomic_file_commit (file, error);
}
