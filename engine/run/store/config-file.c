/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config-file.c - see config-file.h.
 */
#include "run/store/config-file.h"

#include <string.h>

#include <glib/gstdio.h>

#include "base/atomic-file.h"
#include "base/small-file.h"
#include "run/store/run.h"

/* (transfer full) (nullable) */
static char *
read_text (const char *path, GError **error)
{
  g_autoptr(GError) cause = NULL;
  char *text = urb_small_file_read (path, NULL, &cause);
  if (g_error_matches (cause, G_FILE_ERROR, G_FILE_ERROR_INVAL))
    g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_CONFIG, "%s, and so no configuration file", cause->message);
  else if (text == NULL)
    g_set_error_literal (error, URB_RUN_ERROR, URB_RUN_ERROR_FOLDER, cause->message);
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
