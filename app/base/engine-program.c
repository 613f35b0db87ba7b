/* SPDX-License-Identifier: Apache-2.0 */
#include "app/base/engine-program.h"

#include <glib/gi18n.h>
#include <json-glib/json-glib.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "app/base/engine-texts.h"
#include "base/memory-file.h"

#define NAME "urbarium-engine"

char *
urbarium_engine_program_find (GError **error)
{
  /* Installed next to this program; in the build tree, engine/cli/ is next to app/. */
  static const char *const candidates[] = { NAME, "../../engine/cli/" NAME, "../libexec/" NAME };
  const char *chosen = g_getenv ("URBARIUM_ENGINE");
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = self == NULL ? NULL : g_path_get_dirname (self);
  char *path;
  if (chosen != NULL && *chosen != '\0')
    return g_strdup (chosen);
  for (guint i = 0; folder != NULL && i < G_N_ELEMENTS (candidates); i++)
    {
      g_autofree char *joined = g_build_filename (folder, candidates[i], NULL);
      if (g_file_test (joined, G_FILE_TEST_IS_EXECUTABLE))
        return g_canonicalize_filename (joined, NULL);
    }
  path = g_find_program_in_path (NAME);
  if (path == NULL)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                 _ ("urbarium-engine was not found. Install it next to this program, "
                    "or set URBARIUM_ENGINE to its path."));
  return path;
}

/* @input: (nullable): standard input of the engine
 * @environment: (nullable): names and values of variables, added to its own
 * @json: whether the engine also reports errors as JSON */
static GSubprocess *
spawn (const char *const *args, GSubprocessFlags flags, const char *input, const char *const *environment,
       gboolean json, GError **error)
{
  g_autofree char *path = urbarium_engine_program_find (error);
  g_autoptr(GSubprocessLauncher) launcher = NULL;
  g_autoptr(GStrvBuilder) argv = g_strv_builder_new ();
  g_auto(GStrv) strings = NULL;
  if (path == NULL)
    return NULL;
  /* fork() must be avoided: libraries' atfork handlers run in the child and may wait for locks
   * held by our other threads (PROJ's closes a database, and the window hung).  With
   * INHERIT_FDS, GLib uses posix_spawn(), which runs no handlers; CLOEXEC keeps our file
   * descriptors from being inherited all the same. */
  close_range (3, ~0U, CLOSE_RANGE_CLOEXEC);
  launcher = g_subprocess_launcher_new (flags | G_SUBPROCESS_FLAGS_INHERIT_FDS);
  if (input != NULL)
    {
      int fd = urb_memory_file_new (input, strlen (input));
      if (fd < 0)
        {
          g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno),
                       _ ("The settings could not be passed to the engine: %s"), g_strerror (errno));
          return NULL;
        }
      g_subprocess_launcher_take_stdin_fd (launcher, fd);
    }
  for (; environment != NULL && *environment != NULL; environment += 2)
    g_subprocess_launcher_setenv (launcher, environment[0], environment[1], TRUE);
  if (json)
    g_subprocess_launcher_setenv (launcher, "URBARIUM_ERRORS", "json", TRUE);
  g_strv_builder_add (argv, path);
  g_strv_builder_addv (argv, (const char **) args);
  strings = g_strv_builder_end (argv);
  return g_subprocess_launcher_spawnv (launcher, (const char *const *) strings, error);
}

GSubprocess *
urbarium_engine_program_spawn (const char *const *args, GSubprocessFlags flags, GError **error)
{
  return spawn (args, flags, NULL, NULL, FALSE, error);
}

/* @line: {"error":{"domain":…,"code":…,"text":…}}
 * Returns: (nullable): %NULL for any other line */
static GError *
parse_error (const char *line)
{
  g_autoptr(JsonParser) parser = json_parser_new ();
  const char *domain = NULL;
  JsonObject *error;
  JsonNode *node;
  if (!g_str_has_prefix (line, "{\"error\":")
      || !json_parser_load_from_data (parser, line, -1, NULL))
    return NULL;
  node = json_object_get_member (json_node_get_object (json_parser_get_root (parser)), "error");
  error = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  if (error != NULL)
    domain = json_object_get_string_member_with_default (error, "domain", NULL);
  if (domain == NULL)
    return NULL;
  return g_error_new_literal (g_quark_from_string (domain),
                              (int) json_object_get_int_member_with_default (error, "code", 0),
                              json_object_get_string_member_with_default (error, "text", ""));
}

/* The last line that is not blank, without the program's name in front. */
static char *
dup_last_message (char **lines)
{
  const char *last = NULL;
  for (guint i = 0; lines[i] != NULL; i++)
    if (*g_strstrip (lines[i]) != '\0')
      last = lines[i];
  if (last == NULL)
    return g_strdup (_ ("The engine exited without an error message."));
  if (g_str_has_prefix (last, NAME))
    {
      const char *colon = strstr (last, ": ");
      last = colon == NULL ? last : colon + 2;
    }
  return g_strdup (last);
}

/* @text: (nullable): standard error of the engine */
static GError *
create_error (const char *text)
{
  g_auto(GStrv) lines = g_strsplit (text == NULL ? "" : text, "\n", -1);
  g_autofree char *message = NULL;
  GError *error = NULL;
  for (guint i = 0; lines[i] != NULL && error == NULL; i++)
    error = parse_error (lines[i]);
  message = dup_last_message (lines);
  if (error == NULL)
    error = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_FAILED, message);
  urbarium_engine_texts_translate_error (error);
  return error;
}

/* The engine was interrupted. */
static void
ended_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GTask) task = data;
  g_subprocess_wait_finish (G_SUBPROCESS (source), result, NULL);
  g_task_return_error (task, g_error_copy (g_task_get_task_data (task)));
}

static void
communicate_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  GSubprocess *process = G_SUBPROCESS (source);
  g_autoptr(GTask) task = data;
  g_autofree char *out = NULL;
  g_autofree char *err = NULL;
  GError *error = NULL;
  if (!g_subprocess_communicate_utf8_finish (process, result, &out, &err, &error))
    {
      g_task_set_task_data (task, error, (GDestroyNotify) g_error_free);
      g_subprocess_send_signal (process, SIGTERM);
      g_subprocess_wait_async (process, NULL, ended_cb, g_steal_pointer (&task));
    }
  else if (g_subprocess_get_if_signaled (process))
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_FAILED,
                             _ ("The engine was killed by signal %d."),
                             g_subprocess_get_term_sig (process));
  else if (g_subprocess_get_exit_status (process) != 0)
    {
      g_object_set_data_full (G_OBJECT (task), "output", g_steal_pointer (&out), g_free);
      g_task_return_error (task, create_error (err));
    }
  else
    g_task_return_pointer (task, g_steal_pointer (&out), g_free);
}

static void
run_async (const char *const *args, const char *input, const char *const *environment, GCancellable *cancellable,
           GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task = g_task_new (NULL, cancellable, callback, user_data);
  GError *error = NULL;
  g_autoptr(GSubprocess) process = spawn (
    args, G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE, input, environment, TRUE, &error);
  if (process == NULL)
    {
      g_task_return_error (task, error);
      g_object_unref (task);
      return;
    }
  g_subprocess_communicate_utf8_async (process, NULL, cancellable, communicate_cb, task);
}

void
urbarium_engine_program_run_async (const char *const *args, const char *input,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer user_data)
{
  run_async (args, input, NULL, cancellable, callback, user_data);
}

void
urbarium_engine_program_run_with_async (const char *const *args, const char *const *environment,
                                        GCancellable *cancellable, GAsyncReadyCallback callback,
                                        gpointer user_data)
{
  run_async (args, NULL, environment, cancellable, callback, user_data);
}

char *
urbarium_engine_program_run_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

const char *
urbarium_engine_program_get_output (GAsyncResult *result)
{
  return g_object_get_data (G_OBJECT (result), "output");
}
