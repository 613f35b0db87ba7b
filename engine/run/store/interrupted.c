/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interrupted.c - see interrupted.h.
 *
 * By which signal a run ended is in its newest records; its history, which may be long, is not read.
 */
#include "run/store/interrupted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json-build.h"
#include "base/json-read.h"
#include "base/machine.h"
#include "run/store/folder.h"
#include "run/store/json-line.h"
#include "run/store/queue-order.h"
#include "run/store/run-db.h"

enum { N_RECORDS = 200, MAX_DAYS = 30, DAY_S = 24 * 60 * 60 };

typedef struct
{
  UrbRunState state; /* the newest */
  UrbRunState work;  /* before it was stopped */
  double      since; /* of work */
  double      time;  /* of the newest record */
  gboolean    by_sigterm;
  gboolean    here; /* on this machine */
  char      **after; /* owned, nullable; folders of the runs for which it waited */
} Ending;

static void
ending_clear (Ending *self)
{
  g_strfreev (self->after);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Ending, ending_clear)

static gboolean
is_over (UrbRunState state)
{
  return state == URB_RUN_STOPPING || state == URB_RUN_STOPPED;
}

static void
record_cb (const UrbRunRecord *record, gpointer user_data)
{
  Ending *self = user_data;
  UrbRunState state;
  self->time = record->time;
  if (record->type != URB_RUN_RECORD_EVENT)
    return;
  if (strcmp (record->texts[1], "interrupted") == 0)
    self->by_sigterm = g_strcmp0 (record->texts[3], "SIGTERM") == 0;
  else if (strcmp (record->texts[1], "state") == 0 && urb_run_state_from_name (record->texts[2], &state)
           && !is_over (state))
    self->by_sigterm = FALSE; /* it was resumed since */
}

/* (transfer full) (nullable): of the newest event with that code */
static JsonObject *
read_details (UrbRunDb *db, const char *code)
{
  g_autofree char *text = urb_run_db_dup_details (db, code);
  return text != NULL ? urb_json_parse_line (text, strlen (text), NULL) : NULL;
}

static GStrv
dup_after (UrbRunDb *db)
{
  g_autoptr(JsonObject) details = read_details (db, "queued");
  return urb_json_dup_strings (details, "after");
}

/* Runs of older engines do not tell. */
static gboolean
was_here (UrbRunDb *db)
{
  g_autofree char *here = urb_machine_dup_id ();
  g_autoptr(JsonObject) details = read_details (db, "state");
  return details != NULL && g_strcmp0 (urb_json_get_string (details, "machine", NULL), here) == 0;
}

static gboolean
read_ending (const char *folder, Ending *out)
{
  g_autofree char *path = g_build_filename (folder, "run.db", NULL);
  g_autoptr(UrbRunDb) db = g_file_test (path, G_FILE_TEST_IS_REGULAR) ? urb_run_db_open_reader (path, NULL) : NULL;
  UrbRunDbSummary summary;
  if (db == NULL || !urb_run_db_summarize (db, &summary, NULL) || !summary.has_state)
    return FALSE;
  *out = (Ending) { .state = summary.state, .here = was_here (db), .after = dup_after (db) };
  return urb_run_db_find_work (db, &out->work, &out->since)
         && urb_run_db_read (db, urb_run_db_get_last_seq (db) - N_RECORDS, N_RECORDS, record_cb, out, NULL) > 0;
}

static gboolean
works_or_waits (UrbRunState state)
{
  return state == URB_RUN_QUEUED || state == URB_RUN_STARTING || state == URB_RUN_RUNNING;
}

static gboolean
was_interrupted (const Ending *ending, double boot_time)
{
  return ending->time < boot_time && works_or_waits (ending->work)
         && (ending->state == ending->work || (is_over (ending->state) && ending->by_sigterm));
}

/* (nullable) */
static const char *
find_reason_to_leave_out (const Ending *ending, double boot_time)
{
  if (!ending->here)
    return "ran last on another machine, or with an older version of the program";
  return ending->time < boot_time - (double) MAX_DAYS * DAY_S ? "ended more than 30 days before the machine was started"
                                                              : NULL;
}

static void
interrupted_free (gpointer data)
{
  UrbInterruptedRun *self = data;
  g_free (self->folder);
  g_free (self->real_folder);
  g_strfreev (self->after);
  g_free (self);
}

static int
compare_kinds (gconstpointer a, gconstpointer b)
{
  const UrbInterruptedRun *first = *(UrbInterruptedRun *const *) a, *second = *(UrbInterruptedRun *const *) b;
  return first->was_queued - second->was_queued;
}

/* Those that trained first; those that waited as they would have begun. */
static void
sort_by_turns (GPtrArray *runs)
{
  g_autofree UrbQueuePlace *places = g_new0 (UrbQueuePlace, runs->len);
  for (guint i = 0; i < runs->len; i++)
    {
      UrbInterruptedRun *run = runs->pdata[i];
      places[i] = (UrbQueuePlace) { .folder = run->real_folder, .after = (const char *const *) run->after,
                                    .since = run->since, .data = run };
    }
  urb_queue_sort (places, runs->len);
  for (guint i = 0; i < runs->len; i++)
    runs->pdata[i] = places[i].data;
  g_ptr_array_sort (runs, compare_kinds); /* which keeps this order */
}

/* (transfer full) (element-type filename): all runs; NULL with @error if @place cannot be read */
static GPtrArray *
list_runs (const char *place, GError **error)
{
  g_autoptr(GDir) dir = g_dir_open (place, 0, error);
  GPtrArray *folders;
  const char *name;
  if (dir == NULL)
    return NULL;
  folders = g_ptr_array_new_with_free_func (g_free);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *folder = g_build_filename (place, name, NULL);
      if (urb_run_folder_check_is_run (folder, NULL))
        g_ptr_array_add (folders, g_steal_pointer (&folder));
    }
  return folders;
}

/* Returns: (transfer full) (nullable): NULL if it was not interrupted, or goes on again */
static UrbInterruptedRun *
look_at (const char *folder, double boot_time)
{
  UrbInterruptedRun *run;
  g_auto(Ending) ending = { 0 };
  if (urb_run_is_held (folder) || !read_ending (folder, &ending) || !was_interrupted (&ending, boot_time))
    return NULL;
  run = g_new0 (UrbInterruptedRun, 1);
  run->folder = g_strdup (folder);
  run->real_folder = urb_queue_dup_real_path (folder);
  run->was_queued = ending.work == URB_RUN_QUEUED;
  run->after = run->was_queued ? g_steal_pointer (&ending.after) : NULL;
  for (guint i = 0; run->after != NULL && run->after[i] != NULL; i++)
    urb_queue_make_real (&run->after[i]);
  run->since = ending.since;
  run->left_out = find_reason_to_leave_out (&ending, boot_time);
  return run;
}

GPtrArray *
urb_run_list_interrupted (const char *place, double boot_time, GError **error)
{
  g_autoptr(GPtrArray) folders = list_runs (place, error);
  GPtrArray *found;
  if (folders == NULL)
    return NULL;
  found = g_ptr_array_new_with_free_func (interrupted_free);
  for (guint i = 0; i < folders->len; i++)
    {
      UrbInterruptedRun *run = look_at (folders->pdata[i], boot_time);
      if (run != NULL)
        g_ptr_array_add (found, run);
    }
  sort_by_turns (found);
  return found;
}

gboolean
urb_run_is_interrupted (const char *folder, double boot_time)
{
  UrbInterruptedRun *run = look_at (folder, boot_time);
  gboolean is_one = run != NULL && run->left_out == NULL;
  if (run != NULL)
    interrupted_free (run);
  return is_one;
}

GPtrArray *
urb_run_list_held (const char *place)
{
  g_autoptr(GPtrArray) folders = list_runs (place, NULL);
  GPtrArray *held = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; folders != NULL && i < folders->len; i++)
    if (urb_run_is_held (folders->pdata[i]))
      g_ptr_array_add (held, g_strdup (folders->pdata[i]));
  return held;
}

/* Returns: (transfer full): as of the supervisor's event "failed" */
static char *
dup_details (const GError *cause)
{
  JsonBuilder *details = urb_json_new ();
  urb_json_add_error (details, "error", cause);
  return urb_json_end (details);
}

gboolean
urb_run_record_failure (const char *folder, const GError *cause, GError **error)
{
  g_autoptr(UrbRunFolder) locked = urb_run_folder_open (folder, error);
  g_autofree char *path = NULL, *details = dup_details (cause);
  g_autoptr(UrbRunDb) db = NULL;
  gint64 step;
  if (locked == NULL)
    return FALSE;
  path = urb_run_folder_dup_file (locked, "run.db");
  db = urb_run_db_open (path, error);
  if (db == NULL)
    return FALSE;
  step = MAX (urb_run_db_get_last_step (db), 0);
  return urb_run_db_add_event (db, "error", "failed", step, cause->message, error)
         && urb_run_db_add_details (db, details, error)
         && urb_run_db_add_event (db, "info", "state", step, urb_run_state_name (URB_RUN_FAILED), error)
         && urb_run_db_commit (db, error);
}
