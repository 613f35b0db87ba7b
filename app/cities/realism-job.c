/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine's reply exceeds a pipe's buffer, and its progress output may too, so a second thread
 * reads the reply.
 */
#include "app/cities/realism-job.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/base/engine-program.h"
#include "app/cities/realism-cache.h"
#include "app/cities/realism-words.h"
#include "run/store/json-line.h"

UrbariumRealismQuestion *
urbarium_realism_question_new (const char *checkpoint, const char *dataset, int count)
{
  UrbariumRealismQuestion *self = g_new0 (UrbariumRealismQuestion, 1);
  self->checkpoint = g_strdup (checkpoint);
  self->dataset = g_strdup (dataset);
  self->count = count;
  return self;
}

void
urbarium_realism_question_free (gpointer data)
{
  UrbariumRealismQuestion *self = data;
  g_free (self->checkpoint);
  g_free (self->dataset);
  g_free (self);
}

static GSubprocess *
start (const UrbariumRealismQuestion *question, GError **error)
{
  /* Leaves one processor to the window. */
  g_autofree char *threads = g_strdup_printf ("%u", MAX (g_get_num_processors (), 2) - 1);
  g_autofree char *count = g_strdup_printf ("%d", question->count);
  g_autoptr(GStrvBuilder) args = g_strv_builder_new ();
  g_auto(GStrv) argv = NULL;
  g_strv_builder_add_many (args, "evaluate", "--json", "--values", "--progress", "--count", count,
                           "--threads", threads, NULL);
  if (question->dataset != NULL)
    g_strv_builder_add_many (args, "--dataset", question->dataset, NULL);
  g_strv_builder_add_many (args, "--", question->checkpoint, NULL);
  argv = g_strv_builder_end (args);
  return urbarium_engine_program_spawn (
    (const char *const *) argv, G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE,
    error);
}

static gpointer
read_answer_thread (gpointer process)
{
  GOutputStream *answer = g_memory_output_stream_new_resizable ();
  g_output_stream_splice (answer, g_subprocess_get_stdout_pipe (process),
                          G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET, NULL, NULL);
  return answer;
}

/* Translates the engine's progress texts. */
static const char *
translate (const char *what)
{
  static const char *const known[] = {
    N_ ("Measuring real areas"), N_ ("Measuring training areas"), N_ ("Generating"),
    N_ ("Generating without training"), N_ ("Looking for copies"),
  };
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (strcmp (known[i], what) == 0)
      return _ (known[i]);
  return what;
}

/* Reads until the engine closes its output.  Returns: (transfer full) (nullable): the last line
 * that is not progress */
static char *
follow_progress (GSubprocess *process, UrbariumJob *job)
{
  g_autoptr(GDataInputStream) lines
    = g_data_input_stream_new (g_subprocess_get_stderr_pipe (process));
  char *last = NULL, *line;
  gsize length;
  while ((line = g_data_input_stream_read_line (lines, &length, NULL, NULL)) != NULL)
    {
      g_autoptr(JsonObject) object = urb_json_parse_line (line, length, NULL);
      if (object != NULL)
        urbarium_job_progress (urb_json_get_double (object, "fraction", -1),
                               translate (urb_json_get_string (object, "what", "")), job);
      else if (length > 0)
        {
          g_free (last);
          last = g_utf8_make_valid (line, (gssize) length);
        }
      g_free (line);
    }
  return last;
}

static void
set_error (GSubprocess *process, const char *line, GError **error)
{
  const char *colon = line != NULL && g_str_has_prefix (line, "urbarium-engine")
                        ? strstr (line, ": ") : NULL;
  if (g_subprocess_get_if_signaled (process))
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, _ ("The engine was killed by signal %d."),
                 g_subprocess_get_term_sig (process));
  else if (line == NULL)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
                 _ ("The engine exited without an error message."));
  else if (urbarium_realism_get_window_text (line) != NULL)
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, urbarium_realism_get_window_text (line));
  else
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, colon != NULL ? colon + 2 : line);
}

static void
cancelled_cb (GCancellable *cancellable, GSubprocess *process)
{
  g_subprocess_force_exit (process); /* it leaves no files behind */
}

gpointer
urbarium_realism_evaluate (gpointer data, UrbariumJob *job, GCancellable *cancellable,
                           GError **error)
{
  const UrbariumRealismQuestion *question = data;
  g_autoptr(GSubprocess) process = start (question, error);
  g_autoptr(GMemoryOutputStream) answer = NULL;
  g_autofree char *last = NULL;
  UrbariumRealismResult *result;
  GThread *reader;
  const char *json;
  gsize length;
  gulong handler;
  if (process == NULL)
    return NULL;
  handler = g_cancellable_connect (cancellable, G_CALLBACK (cancelled_cb), process, NULL);
  reader = g_thread_new ("realism-answer", read_answer_thread, process);
  last = follow_progress (process, job);
  answer = g_thread_join (reader);
  g_subprocess_wait (process, NULL, NULL);
  g_cancellable_disconnect (cancellable, handler);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  if (!g_subprocess_get_successful (process))
    {
      set_error (process, last, error);
      return NULL;
    }
  json = g_memory_output_stream_get_data (answer);
  length = g_memory_output_stream_get_data_size (answer);
  result = urbarium_realism_result_parse (json != NULL ? json : "", length, error);
  if (result != NULL)
    urbarium_realism_cache_store (question->checkpoint, question->dataset, json, length);
  return result;
}

gpointer
urbarium_realism_recall (gpointer data, UrbariumJob *job, GCancellable *cancellable, GError **error)
{
  const UrbariumRealismQuestion *question = data;
  return urbarium_realism_cache_load (question->checkpoint, question->dataset);
}
