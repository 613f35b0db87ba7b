/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks.c - see hooks.h.
 *
 * An address is posted to by curl.
 */
#include "run/supervisor/hooks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/curl.h"
#include "parallel/tcp-token.h"
#include "run/supervisor/hook-call.h"

enum { MAX_TRIES = 3, MAX_WAITING = 64, MAX_LOG_BYTES = 4 * 1024 * 1024 };

typedef struct
{
  UrbHookEvent event;
  gint64       step;
  char        *file; /* owned, nullable; absolute */
  char        *json; /* owned */
} Posting;

struct _UrbHooks
{
  UrbRunFolder *folder; /* borrowed */
  char         *hook;   /* owned */
  guint         events; /* bits */
  int           timeout_ms, retry_ms;
  int           log_fd;
  GQueue        waiting; /* of Posting, owned; the first one is being posted */
  UrbHookCall  *call;    /* owned, nullable */
  int           n_tries; /* of the first one */
  guint         retry_id;
  gint64        end_us;  /* when urb_hooks_finish() stops waiting; 0: it was not called */
  gboolean      is_failing;
  UrbHooksFunc  func;
  gpointer      user_data; /* borrowed */
};

static void
posting_free (gpointer data)
{
  Posting *self = data;
  g_free (self->file);
  g_free (self->json);
  g_free (self);
}

/* ------------------------------------------------------------------------ */
/* The log                                                                   */

static void say (UrbHooks *self, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
say (UrbHooks *self, const char *format, ...)
{
  g_autoptr(GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *time = g_date_time_format (now, "%F %T"), *text = NULL;
  va_list args;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  dprintf (self->log_fd, "%s %s\n", time, text);
}

static void
keep_output (UrbHooks *self, const GString *output)
{
  struct stat info;
  gboolean is_short;
  if (fstat (self->log_fd, &info) == 0 && info.st_size > MAX_LOG_BYTES && ftruncate (self->log_fd, 0) == 0)
    say (self, "what was here before is deleted, since it had more than %d MiB", MAX_LOG_BYTES >> 20);
  is_short = write (self->log_fd, output->str, output->len) != (gssize) output->len;
  if (output->len == URB_HOOK_MAX_OUTPUT_BYTES || is_short)
    dprintf (self->log_fd, "\n… it printed more, which is not kept\n");
  else if (output->len > 0 && output->str[output->len - 1] != '\n')
    dprintf (self->log_fd, "\n");
}

/* Once when calls begin to fail, and once when they succeed again. */
static void
tell (UrbHooks *self, const char *failure)
{
  if (self->is_failing == (failure != NULL))
    return;
  self->is_failing = failure != NULL;
  if (failure != NULL)
    self->func ("warning", failure, self->user_data);
  else
    self->func ("info", "The hook succeeds again", self->user_data);
}

/* ------------------------------------------------------------------------ */
/* Calls                                                                     */

/* A command works in the user's home folder, never in the run's: that may be somebody else's, whose "./notify.sh"
 * is not the one that the user chose. */

static char *
dup_input (UrbHooks *self, const Posting *posting)
{
  GString *options;
  if (!urb_hook_is_url (self->hook))
    return g_strconcat (posting->json, "\n", NULL);
  options = urb_curl_options_new (self->hook);
  g_string_append (options, "fail-with-body\n");
  urb_curl_add_option (options, "header", "Content-Type: application/json");
  urb_curl_add_option (options, "data-raw", posting->json);
  return g_string_free (options, FALSE);
}

static char **
dup_environment (UrbHooks *self, const Posting *posting)
{
  char **all = g_get_environ ();
  g_autofree char *step = g_strdup_printf ("%" G_GINT64_FORMAT, posting->step);
  all = g_environ_unsetenv (all, URB_TCP_TOKEN_VARIABLE);
  all = g_environ_setenv (all, "URBARIUM_EVENT", urb_hook_event_names[posting->event], TRUE);
  all = g_environ_setenv (all, "URBARIUM_RUN", urb_run_folder_get_path (self->folder), TRUE);
  all = g_environ_setenv (all, "URBARIUM_STEP", step, TRUE);
  all = posting->file != NULL ? g_environ_setenv (all, "URBARIUM_FILE", posting->file, TRUE)
                              : g_environ_unsetenv (all, "URBARIUM_FILE");
  return all;
}

static void start (UrbHooks *self);

static gboolean
retry_cb (gpointer user_data)
{
  UrbHooks *self = user_data;
  self->retry_id = 0;
  start (self);
  return G_SOURCE_REMOVE;
}

/* After the end of the run: the second half of the time is for the last posting, which tells the end. */
static int
get_time_left_ms (UrbHooks *self)
{
  gint64 left_ms = (self->end_us - g_get_monotonic_time ()) / 1000;
  if (g_queue_get_length (&self->waiting) > 1)
    left_ms -= self->timeout_ms;
  return (int) CLAMP (left_ms, 1, self->timeout_ms);
}

static gboolean
is_out_of_time (UrbHooks *self)
{
  return self->end_us > 0 && g_get_monotonic_time () >= self->end_us;
}

/* The first posting is done, or given up. */
static void
go_on (UrbHooks *self)
{
  posting_free (g_queue_pop_head (&self->waiting));
  self->n_tries = 0;
  if (self->end_us > 0 && g_get_monotonic_time () >= self->end_us - (gint64) self->timeout_ms * 1000)
    while (g_queue_get_length (&self->waiting) > 1)
      posting_free (g_queue_pop_head (&self->waiting));
  if (g_queue_is_empty (&self->waiting) || is_out_of_time (self))
    g_queue_clear_full (&self->waiting, posting_free);
  else
    self->retry_id = g_idle_add (retry_cb, self);
}

/* There is no time for all of them. */
static void
leave_all_but_last (UrbHooks *self)
{
  while (g_queue_get_length (&self->waiting) > 2)
    posting_free (g_queue_pop_nth (&self->waiting, 1));
}

static void
fail (UrbHooks *self, const char *how)
{
  const Posting *posting = g_queue_peek_head (&self->waiting);
  g_autofree char *text = NULL;
  if (self->end_us > 0 && g_queue_get_length (&self->waiting) > 1)
    leave_all_but_last (self);
  else if (self->n_tries < MAX_TRIES && !is_out_of_time (self))
    {
      self->retry_id = g_timeout_add ((guint) self->retry_ms << (self->n_tries - 1), retry_cb, self);
      return;
    }
  text = g_strdup_printf ("The hook failed for the event “%s” of step %" G_GINT64_FORMAT ", %d time%s: it %s; see "
                          URB_RUN_HOOK_LOG_NAME ".  The training goes on", urb_hook_event_names[posting->event],
                          posting->step, self->n_tries, self->n_tries == 1 ? "" : "s", how);
  tell (self, text);
  go_on (self);
}

static void
called_cb (const char *how, const GString *output, gpointer user_data)
{
  UrbHooks *self = user_data;
  keep_output (self, output);
  if (how != NULL)
    say (self, "it %s", how);
  g_clear_pointer (&self->call, urb_hook_call_free);
  if (how != NULL)
    {
      fail (self, how);
      return;
    }
  tell (self, NULL);
  go_on (self);
}

static void
start (UrbHooks *self)
{
  const char *const shell[] = { "/bin/sh", "-c", self->hook, NULL };
  const Posting *posting = g_queue_peek_head (&self->waiting);
  g_autofree char *input = dup_input (self, posting);
  g_auto(GStrv) environment = dup_environment (self, posting);
  g_autoptr(GError) error = NULL;
  UrbHookCallSpec spec = {
    .argv = urb_hook_is_url (self->hook) ? urb_curl_argv : shell, .environment = (const char *const *) environment,
    .input = input, .folder = g_get_home_dir (), .timeout_ms = self->timeout_ms,
  };
  if (self->end_us > 0)
    spec.timeout_ms = get_time_left_ms (self);
  self->n_tries++;
  say (self, "%s, step %" G_GINT64_FORMAT "%s", urb_hook_event_names[posting->event], posting->step,
       self->n_tries > 1 ? ", again" : "");
  self->call = urb_hook_call_new (&spec, called_cb, self, &error);
  if (self->call != NULL)
    return;
  say (self, "it cannot be started: %s", error->message);
  fail (self, "cannot be started");
}

/* ------------------------------------------------------------------------ */
/* Public                                                                    */

UrbHooks *
urb_hooks_new (UrbRunFolder *folder, const UrbRunConfig *config, int retry_ms, UrbHooksFunc func,
               gpointer user_data, GError **error)
{
  g_autofree char *curl = g_find_program_in_path ("curl");
  UrbHooks *self;
  guint events;
  int fd;
  g_return_val_if_fail (urb_hook_is_given (config->hook), NULL);
  if (urb_hook_is_url (config->hook) && curl == NULL)
    {
      g_set_error_literal (error, URB_RUN_ERROR, URB_RUN_ERROR_CONFIG,
                           "A hook that is an address needs the program curl: install it, or choose a command instead");
      return NULL;
    }
  if (!urb_hook_parse_events (config->hook_on, &events, error))
    return NULL;
  fd = openat (urb_run_folder_get_fd (folder), URB_RUN_HOOK_LOG_NAME, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
               0600);
  if (fd < 0)
    {
      g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_FOLDER, "Cannot write '" URB_RUN_HOOK_LOG_NAME "' in '%s': %s",
                   urb_run_folder_get_path (folder), g_strerror (errno));
      return NULL;
    }
  self = g_new0 (UrbHooks, 1);
  self->folder = folder;
  self->hook = g_strdup (config->hook);
  self->events = events;
  self->timeout_ms = config->hook_timeout * 1000;
  self->retry_ms = retry_ms;
  self->log_fd = fd;
  self->func = func;
  self->user_data = user_data;
  g_queue_init (&self->waiting);
  return self;
}

void
urb_hooks_free (UrbHooks *self)
{
  if (self == NULL)
    return;
  g_clear_handle_id (&self->retry_id, g_source_remove);
  urb_hook_call_free (self->call);
  g_queue_clear_full (&self->waiting, posting_free);
  close (self->log_fd);
  g_free (self->hook);
  g_free (self);
}

gboolean
urb_hooks_want (UrbHooks *self, UrbHookEvent event)
{
  return self != NULL && (self->events & 1u << event) != 0;
}

void
urb_hooks_call (UrbHooks *self, UrbHookEvent event, gint64 step, const char *file, const char *json)
{
  Posting *posting;
  if (!urb_hooks_want (self, event))
    return;
  if (g_queue_get_length (&self->waiting) >= MAX_WAITING) /* the oldest that has not begun */
    {
      posting = g_queue_pop_nth (&self->waiting, 1);
      say (self, "left out, since the hook is too slow: %s, step %" G_GINT64_FORMAT,
           urb_hook_event_names[posting->event], posting->step);
      posting_free (posting);
    }
  posting = g_new0 (Posting, 1);
  posting->event = event;
  posting->step = step;
  posting->file = file != NULL ? urb_run_folder_dup_file (self->folder, file) : NULL;
  posting->json = g_strdup (json);
  g_queue_push_tail (&self->waiting, posting);
  if (g_queue_get_length (&self->waiting) == 1)
    start (self);
}

/* The end is told in any case: what comes before it is left out if the hook hangs. */
void
urb_hooks_finish (UrbHooks *self)
{
  if (self == NULL)
    return;
  self->end_us = g_get_monotonic_time () + 2 * (gint64) self->timeout_ms * 1000;
  while (!g_queue_is_empty (&self->waiting))
    g_main_context_iteration (NULL, TRUE);
}
