/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host-test.c - see host-test.h.
 *
 * A host is asked by `ssh HOST urbarium-engine devices --json`, with the agent that mpirun would use.  Its
 * answer is untrusted and bounded in time and length.  A question ends when three things have happened:
 * both pipes were read, and the process was waited for.
 */
#include "cli/host-test.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/show-text.h"
#include "run/store/json-line.h"

enum
{
  MOST_AT_ONCE = 32,
  MOST_OUTPUT_BYTES = 256 * 1024, /* a machine with many GPUs has ten */
  MOST_DETAILS = 300,             /* characters */
  LOGIN_FAILED = 255,             /* ssh's exit status */
  NOT_FOUND = 127,                /* a shell's */
  CONNECT_S = 10,
  LINGER_S = 1 /* ssh may leave a process behind that holds the pipes */
};

typedef struct
{
  const GPtrArray *hosts;
  GPtrArray       *answers;
  JsonObject      *own;
  GStrv            agent;   /* program and arguments, before the name of the host */
  char            *command; /* that a shell on the host runs */
  guint            patience_s;
  guint            n_started, n_running;
} Test;

typedef struct
{
  char  *text; /* owned */
  gsize  n_bytes;
} Output;

typedef struct
{
  Test          *test;   /* borrowed */
  UrbHostAnswer *answer; /* borrowed */
  GSubprocess   *process;
  GCancellable  *reading;
  Output         out, err;
  int            n_pending;
  guint          timer; /* 0: none */
  gboolean       is_late;
} Question;

static void
answer_free (UrbHostAnswer *self)
{
  g_free (self->details);
  g_clear_pointer (&self->devices, json_object_unref);
  g_free (self);
}

/* ------------------------------------------------------------------------ */
/* How to ask                                                                */

/* As mpirun chooses it: Open MPI 4, then 5.  Of alternatives, as "ssh : rsh", the first. */
static GStrv
find_agent (void)
{
  static const char *const keys[] = { "OMPI_MCA_plm_rsh_agent", "PRTE_MCA_plm_ssh_agent" };
  g_auto(GStrv) chosen = NULL;
  GStrvBuilder *agent = g_strv_builder_new ();
  GStrv argv;

  for (gsize i = 0; i < G_N_ELEMENTS (keys) && chosen == NULL; i++)
    {
      g_auto(GStrv) ways = g_strsplit (g_getenv (keys[i]) != NULL ? g_getenv (keys[i]) : "", ":", 2);
      g_shell_parse_argv (ways[0] != NULL ? ways[0] : "", NULL, &chosen, NULL);
    }
  g_strv_builder_addv (agent, chosen != NULL ? (const char **) chosen : (const char *[]) { "ssh", NULL });
  if (chosen == NULL || g_str_has_suffix (chosen[0], "ssh"))
    {
      /* Nobody is there to enter a password or to accept a key. */
      g_autofree char *patience = g_strdup_printf ("ConnectTimeout=%d", CONNECT_S);
      g_strv_builder_addv (agent, (const char *[]) { "-x", "-o", "BatchMode=yes", "-o", patience, NULL });
    }
  argv = g_strv_builder_end (agent);
  g_strv_builder_unref (agent);
  return argv;
}

static char *
make_command (const char *dataset)
{
  g_autofree char *own = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *program = g_shell_quote (own != NULL ? own : "urbarium-engine");
  g_autofree char *file = g_shell_quote (dataset != NULL ? dataset : "");

  return g_strdup_printf ("%s devices --json%s%s", program, dataset != NULL ? " --dataset " : "",
                          dataset != NULL ? file : "");
}

static gboolean
is_own_address (const char *name)
{
  struct ifaddrs *first = NULL;
  gboolean found = FALSE;

  if (getifaddrs (&first) != 0)
    return FALSE;
  for (const struct ifaddrs *at = first; at != NULL && !found; at = at->ifa_next)
    {
      char text[INET6_ADDRSTRLEN] = "";
      if (at->ifa_addr != NULL && at->ifa_addr->sa_family == AF_INET)
        inet_ntop (AF_INET, &((const struct sockaddr_in *) (gconstpointer) at->ifa_addr)->sin_addr, text,
                   sizeof text);
      else if (at->ifa_addr != NULL && at->ifa_addr->sa_family == AF_INET6)
        inet_ntop (AF_INET6, &((const struct sockaddr_in6 *) (gconstpointer) at->ifa_addr)->sin6_addr, text,
                   sizeof text);
      found = strcmp (text, name) == 0;
    }
  freeifaddrs (first);
  return found;
}

/* By what is known without asking a name server: one that is slow would make every test slow. */
static gboolean
is_here (const char *host)
{
  const char *own = g_get_host_name (), *name = strchr (host, '@') != NULL ? strchr (host, '@') + 1 : host;
  g_autofree char *brief = g_strndup (own, strcspn (own, "."));

  return g_ascii_strcasecmp (name, "localhost") == 0 || g_ascii_strcasecmp (name, own) == 0
         || g_ascii_strcasecmp (name, brief) == 0 || is_own_address (name);
}

/* ------------------------------------------------------------------------ */
/* What was answered                                                         */

static char *
dup_last_line (const char *text)
{
  g_auto(GStrv) lines = g_strsplit (text, "\n", -1);
  g_autofree char *shown = NULL;

  for (guint i = g_strv_length (lines); i > 0; i--)
    if (*g_strstrip (lines[i - 1]) != '\0')
      {
        shown = urb_show_text (lines[i - 1]);
        return g_utf8_substring (shown, 0, MIN (g_utf8_strlen (shown, -1), MOST_DETAILS));
      }
  return NULL;
}

static void
set_problem (UrbHostAnswer *self, UrbHostProblem problem, const char *details)
{
  self->problem = problem;
  g_free (self->details);
  self->details = details != NULL ? dup_last_line (details) : NULL;
}

/* What ssh means. */
static UrbHostProblem
find_login_problem (const char *said)
{
  static const struct { const char *words; UrbHostProblem problem; } table[] = {
    { "Host key verification failed", URB_HOST_KEY },
    { "host key", URB_HOST_KEY },
    { "Permission denied", URB_HOST_LOGIN },
    { "authentication", URB_HOST_LOGIN },
    { "Could not resolve hostname", URB_HOST_UNKNOWN },
    { "Connection refused", URB_HOST_NO_SERVER },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (table); i++)
    if (strstr (said, table[i].words) != NULL)
      return table[i].problem;
  return URB_HOST_UNREACHABLE;
}

/* A shell may print a greeting before, and after. */
static JsonObject *
parse_output (const char *text)
{
  const char *begin = *text == '{' ? text : strstr (text, "\n{"), *end = g_strrstr (text, "}");

  if (begin == NULL || end == NULL || end < begin)
    return NULL;
  return urb_json_parse_line (begin, (gsize) (end + 1 - begin), NULL);
}

static void
compare_versions (UrbHostAnswer *self, JsonObject *own)
{
  const char *here = urb_json_get_string (own, "version", ""), *there = urb_json_get_string (self->devices, "version", "");
  g_autofree char *details = g_strdup_printf ("%s instead of %s", there, here);

  if (strcmp (here, there) != 0)
    set_problem (self, URB_HOST_OTHER_VERSION, details);
}

const char *
urb_host_answer_get_dataset (const UrbHostAnswer *self, JsonObject *own)
{
  JsonObject *here = urb_json_get_object (own, "dataset"), *there = urb_json_get_object (self->devices, "dataset");
  const char *id = urb_json_get_string (there, "id", NULL);

  if (there == NULL || here == NULL)
    return NULL;
  if (!urb_json_get_bool (there, "exists", TRUE))
    return "missing";
  return id != NULL && strcmp (id, urb_json_get_string (here, "id", "")) == 0 ? "same" : "other";
}

/* What keeps a host that answered from taking part. */
static void
compare (UrbHostAnswer *self, JsonObject *own, gboolean is_first)
{
  const char *here = urb_json_get_string (own, "host", ""), *there = urb_json_get_string (self->devices, "host", "");

  compare_versions (self, own);
  if (self->problem == URB_HOST_READY && g_strcmp0 (urb_host_answer_get_dataset (self, own), "other") == 0)
    set_problem (self, URB_HOST_OTHER_DATASET,
                 urb_json_get_string (urb_json_get_object (self->devices, "dataset"), "reason", NULL));
  if (self->problem == URB_HOST_READY && is_first && strcmp (here, there) != 0)
    set_problem (self, URB_HOST_NOT_HERE, NULL);
}

static void
take_answer (Question *self)
{
  UrbHostAnswer *answer = self->answer;
  int status = g_subprocess_get_if_exited (self->process) ? g_subprocess_get_exit_status (self->process) : -1;

  if (self->is_late)
    set_problem (answer, URB_HOST_SILENT, self->err.text);
  else if (status == LOGIN_FAILED)
    set_problem (answer, find_login_problem (self->err.text), self->err.text);
  else if (status == NOT_FOUND)
    set_problem (answer, URB_HOST_NO_PROGRAM, self->err.text);
  else if (status != 0 || (answer->devices = parse_output (self->out.text)) == NULL)
    set_problem (answer, URB_HOST_FAILED, self->err.text);
  else
    compare (answer, self->test->own, answer == self->test->answers->pdata[0]);
}

/* ------------------------------------------------------------------------ */
/* Asking                                                                    */

static void start_more (Test *test);

static void
one_ended (Question *self)
{
  Test *test = self->test;

  if (--self->n_pending > 0)
    return;
  g_clear_handle_id (&self->timer, g_source_remove);
  take_answer (self);
  g_object_unref (self->process);
  g_object_unref (self->reading);
  g_free (self->out.text);
  g_free (self->err.text);
  g_free (self);
  test->n_running--;
  start_more (test);
}

/* What comes after that is lost; a process that still writes is ended by SIGPIPE. */
static void
read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Question *self = user_data;
  Output *output = source == G_OBJECT (g_subprocess_get_stdout_pipe (self->process)) ? &self->out : &self->err;

  g_input_stream_read_all_finish (G_INPUT_STREAM (source), result, &output->n_bytes, NULL);
  output->text[output->n_bytes] = '\0';
  g_input_stream_close (G_INPUT_STREAM (source), NULL, NULL);
  one_ended (self);
}

static void
read_output (Question *self, Output *output, GInputStream *pipe)
{
  output->text = g_malloc (MOST_OUTPUT_BYTES + 1);
  self->n_pending++;
  g_input_stream_read_all_async (pipe, output->text, MOST_OUTPUT_BYTES, G_PRIORITY_DEFAULT, self->reading, read_cb,
                                 self);
}

static gboolean
lingers_cb (gpointer user_data)
{
  Question *self = user_data;

  self->timer = 0;
  g_cancellable_cancel (self->reading);
  return G_SOURCE_REMOVE;
}

static gboolean
late_cb (gpointer user_data)
{
  Question *self = user_data;

  self->is_late = TRUE;
  g_subprocess_force_exit (self->process);
  return lingers_cb (self);
}

static void
wait_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Question *self = user_data;

  g_subprocess_wait_finish (G_SUBPROCESS (source), result, NULL);
  if (!self->is_late)
    {
      g_clear_handle_id (&self->timer, g_source_remove);
      self->timer = g_timeout_add_seconds (LINGER_S, lingers_cb, self);
    }
  one_ended (self);
}

/* In the child, between fork and exec. */
static void
end_with_us_cb (gpointer user_data)
{
  prctl (PR_SET_PDEATHSIG, SIGTERM);
}

/* Returns: whether an answer will come */
static gboolean
ask (Test *test, UrbHostAnswer *answer)
{
  g_autoptr(GSubprocessLauncher) launcher
    = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new ();
  g_auto(GStrv) argv = NULL;
  g_autoptr(GError) error = NULL;
  GSubprocess *process;
  Question *self;

  g_strv_builder_addv (builder, (const char **) test->agent);
  g_strv_builder_addv (builder, (const char *[]) { answer->host->name, test->command, NULL });
  argv = g_strv_builder_end (builder);
  g_subprocess_launcher_set_child_setup (launcher, end_with_us_cb, NULL, NULL);
  process = g_subprocess_launcher_spawnv (launcher, (const char *const *) argv, &error);
  if (process == NULL)
    {
      set_problem (answer, URB_HOST_NO_SSH, error->message);
      return FALSE;
    }
  self = g_new0 (Question, 1);
  *self = (Question) { .test = test, .answer = answer, .process = process, .reading = g_cancellable_new (),
                       .n_pending = 1 };
  read_output (self, &self->out, g_subprocess_get_stdout_pipe (process));
  read_output (self, &self->err, g_subprocess_get_stderr_pipe (process));
  self->timer = g_timeout_add_seconds (test->patience_s, late_cb, self);
  g_subprocess_wait_async (process, NULL, wait_cb, self);
  return TRUE;
}

static void
start_more (Test *test)
{
  while (test->n_started < test->hosts->len && test->n_running < MOST_AT_ONCE)
    {
      UrbHostAnswer *answer = test->answers->pdata[test->n_started++];
      if (answer->is_here)
        {
          answer->devices = json_object_ref (test->own);
          compare (answer, test->own, FALSE);
        }
      else
        test->n_running += ask (test, answer) ? 1 : 0;
    }
}

GPtrArray *
urb_host_test (const GPtrArray *hosts, JsonObject *own, const char *dataset, int patience_s)
{
  Test test = { .hosts = hosts, .own = own, .agent = find_agent (), .command = make_command (dataset),
                .patience_s = (guint) patience_s,
                .answers = g_ptr_array_new_with_free_func ((GDestroyNotify) answer_free) };

  for (guint i = 0; i < hosts->len; i++)
    {
      UrbHostAnswer *answer = g_new0 (UrbHostAnswer, 1);
      answer->host = hosts->pdata[i];
      answer->is_here = is_here (answer->host->name);
      g_ptr_array_add (test.answers, answer);
    }
  start_more (&test);
  while (test.n_running > 0)
    g_main_context_iteration (NULL, TRUE);
  g_strfreev (test.agent);
  g_free (test.command);
  return test.answers;
}
