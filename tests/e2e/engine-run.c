/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine-run.c - see engine-run.h.
 */
#include "engine-run.h"

EngineResult
engine_run (const char *arguments)
{
  g_autofree char *line = g_strdup_printf ("%s %s", g_getenv ("URBARIUM_ENGINE"), arguments);
  g_auto(GStrv) argv = g_strsplit (line, " ", -1);
  g_autoptr(GError) error = NULL;
  g_autoptr(GSubprocess) process = NULL;
  EngineResult result = { 0 };

  process = g_subprocess_newv ((const char *const *) argv,
                               G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE,
                               &error);
  g_assert_no_error (error);
  g_assert_true (
    g_subprocess_communicate_utf8 (process, NULL, NULL, &result.out, &result.err, &error));
  g_assert_no_error (error);
  result.code = g_subprocess_get_if_exited (process) ? g_subprocess_get_exit_status (process) : -1;
  return result;
}

EngineResult
engine_run_in (const char *folder, const char *arguments)
{
  g_auto(GStrv) parts = g_strsplit (arguments, "@", -1);
  g_autofree char *line = g_strjoinv (folder, parts);
  EngineResult result = engine_run (line);

  g_test_message ("%s: exit code %d\n%s", line, result.code, result.err);
  return result;
}

void
engine_run_well_in (const char *folder, const char *arguments)
{
  g_auto(EngineResult) result = engine_run_in (folder, arguments);

  g_assert_cmpint (result.code, ==, 0);
}

void
engine_result_clear (EngineResult *self)
{
  g_clear_pointer (&self->out, g_free);
  g_clear_pointer (&self->err, g_free);
}

char *
engine_read_setting (const char *folder, const char *run, const char *group, const char *key)
{
  g_autofree char *path = g_build_filename (folder, run, "run.ini", NULL);
  g_autoptr(GKeyFile) file = g_key_file_new ();
  g_autoptr(GError) error = NULL;

  g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, &error);
  g_assert_no_error (error);
  return g_key_file_get_string (file, group, key, NULL);
}
