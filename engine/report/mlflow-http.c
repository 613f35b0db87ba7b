/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mlflow-http.c - see mlflow-http.h.
 *
 * Address and password are options on curl's standard input, and what is sent is in memory without a name.
 */
#include "report/mlflow-http.h"

#include <stdlib.h>
#include <string.h>

#include "base/curl.h"
#include "base/json-read.h"
#include "base/memory-file.h"

enum { TIMEOUT_S = 30, BODY_FD = 3 };

static void
add_rights (GString *options)
{
  const char *name = g_getenv ("MLFLOW_TRACKING_USERNAME"), *password = g_getenv ("MLFLOW_TRACKING_PASSWORD");
  const char *token = g_getenv ("MLFLOW_TRACKING_TOKEN");
  g_autofree char *text = NULL;

  if (name != NULL && password != NULL)
    urb_curl_add_option (options, "user", text = g_strdup_printf ("%s:%s", name, password));
  else if (token != NULL)
    urb_curl_add_option (options, "header", text = g_strdup_printf ("Authorization: Bearer %s", token));
}

static char *
dup_options (const UrbMlflowRequest *request, const char *server)
{
  g_autofree char *url = g_strdup_printf ("%s%s%s", server, g_str_has_suffix (server, "/") ? "" : "/", request->path);
  g_autofree char *type = g_strdup_printf ("Content-Type: %s", request->type != NULL ? request->type : "");
  GString *options = urb_curl_options_new (url);

  urb_curl_add_option (options, "write-out", "\n%{http_code}");
  urb_curl_add_option (options, "request", request->method);
  g_string_append_printf (options, "max-time = %d\nmax-filesize = 16777216\n", TIMEOUT_S);
  add_rights (options);
  if (request->bytes != NULL)
    {
      urb_curl_add_option (options, "header", type);
      g_string_append_printf (options, "data-binary = \"@/dev/fd/%d\"\n", BODY_FD);
    }
  return g_string_free (options, FALSE);
}

static GSubprocess *
start (const UrbMlflowRequest *request, GError **error)
{
  g_autoptr(GSubprocessLauncher) launcher = g_subprocess_launcher_new (
    G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  int fd;

  if (request->bytes != NULL)
    {
      fd = urb_memory_file_new (request->bytes, request->n_bytes);
      if (fd < 0)
        {
          g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE, "There is no memory for what is sent");
          return NULL;
        }
      g_subprocess_launcher_take_fd (launcher, fd, BODY_FD);
    }
  return g_subprocess_launcher_spawnv (launcher, urb_curl_argv, error);
}

/* @output: the answer, a line break, and the code of HTTP */
static JsonObject *
read_answer (const char *output, const char *complaint, GError **error)
{
  const char *end = strrchr (output, '\n');
  int code = end != NULL ? atoi (end + 1) : 0;
  g_autoptr(JsonObject) answer = end != NULL ? urb_json_read_object (output, (gsize) (end - output), NULL) : NULL;
  gboolean is_missing = strcmp (urb_json_get_string (answer, "error_code", ""), "RESOURCE_DOES_NOT_EXIST") == 0;

  if (code >= 200 && code < 300)
    return answer != NULL ? g_steal_pointer (&answer) : json_object_new ();
  if (code == 0)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "The MLflow server does not answer: %s",
                 *complaint != '\0' ? complaint : "it said nothing");
  else
    g_set_error (error, G_IO_ERROR, is_missing ? URB_MLFLOW_MISSING : G_IO_ERROR_FAILED,
                 "The MLflow server refuses (HTTP %d): %s", code, urb_json_get_string (answer, "message", "no reason is given"));
  return NULL;
}

static char *
dup_text (GBytes *bytes)
{
  gsize n;
  const char *data = g_bytes_get_data (bytes, &n);

  return g_strndup (data != NULL ? data : "", n);
}

JsonObject *
urb_mlflow_http_call (const UrbMlflowRequest *request, gpointer user_data, GError **error)
{
  g_autofree char *options = dup_options (request, user_data);
  g_autoptr(GBytes) input = g_bytes_new (options, strlen (options)), output = NULL, complaint = NULL;
  g_autofree char *text = NULL, *why = NULL;
  g_autoptr(GSubprocess) curl = start (request, error);

  if (curl == NULL)
    {
      g_prefix_error (error, "MLflow is reached by the program curl: ");
      return NULL;
    }
  if (!g_subprocess_communicate (curl, input, NULL, &output, &complaint, error))
    return NULL;
  text = dup_text (output);
  why = g_strchomp (dup_text (complaint));
  return read_answer (text, why, error);
}
