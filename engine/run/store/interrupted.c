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
#include <unistd.h>

#include "run/store/folder.h"
#include "run/store/run-db.h"

enum { N_RECORDS = 200 };

typedef struct
{
  UrbRunState state; /* the newest */
  UrbRunState work;  /* before it was stopped */
  double      since; /* of work */
  double      time;  /* of the newest record */
  gboolean    by_sigterm;
} Ending;

double
urb_get_boot_time (void)
{
  g_autofree char *text = NULL;
  const char *line;
  if (!g_file_get_contents ("/proc/stat", &text, NULL, NULL))
    return 0;
  line = strstr (text, "\nbtime ");
  return line != NULL ? g_ascii_strtod (line + strlen ("\nbtime "), NULL) : 0;
}

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

static gboolean
read_ending (const char *folder, Ending *out)
{
  g_autofree char *path = g_build_filename (folder, "run.db", NULL);
  g_autoptr(UrbRunDb) db = g_file_test (path, G_FILE_TEST_IS_REGULAR) ? urb_run_db_open_reader (path, NULL) : NULL;
  UrbRunDbSummary summary;
  if (db == NULL || !urb_run_db_summarize (db, &summary, NULL) || !summary.has_state)
    return FALSE;
  *out = (Ending) { .state = summary.state };
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

static gboolean
is_held (const char *folder)
{
  int lock = urb_run_folder_open_lock (folder, NULL);
  gboolean held = lock >= 0 && urb_run_folder_is_held (lock);
  if (lock >= 0)
    close (lock);
  return held;
}

static void
interrupted_free (gpointer data)
{
  UrbInterruptedRun *self = data;
  g_free (self->folder);
  g_free (self);
}

static int
compare_turns (gconstpointer a, gconstpointer b)
{
  const UrbInterruptedRun *first = *(UrbInterruptedRun *const *) a, *second = *(UrbInterruptedRun *const *) b;
  if (first->was_queued != second->was_queued)
    return first->was_queued - second->was_queued;
  if (first->since < second->since || first->since > second->since)
    return first->since < second->since ? -1 : 1;
  return strcmp (first->folder, second->folder);
}

/* (transfer full) (element-type filename): all runs */
static GPtrArray *
list_runs (const char *place)
{
  GPtrArray *folders = g_ptr_array_new_with_free_func (g_free);
  g_autoptr(GDir) dir = g_dir_open (place, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *folder = g_build_filename (place, name, NULL);
      if (urb_run_folder_check_is_run (folder, NULL))
        g_ptr_array_add (folders, g_steal_pointer (&folder));
    }
  return folders;
}

GPtrArray *
urb_run_list_interrupted (const char *place, double boot_time)
{
  g_autoptr(GPtrArray) folders = list_runs (place);
  GPtrArray *found = g_ptr_array_new_with_free_func (interrupted_free);
  for (guint i = 0; i < folders->len; i++)
    {
      const char *folder = folders->pdata[i];
      UrbInterruptedRun *run;
      Ending ending;
      if (is_held (folder) || !read_ending (folder, &ending) || !was_interrupted (&ending, boot_time))
        continue;
      run = g_new0 (UrbInterruptedRun, 1);
      run->folder = g_strdup (folder);
      run->was_queued = ending.work == URB_RUN_QUEUED;
      run->since = ending.since;
      g_ptr_array_add (found, run);
    }
  g_ptr_array_sort (found, compare_turns);
  return found;
}

GPtrArray *
urb_run_list_held (const char *place)
{
  g_autoptr(GPtrArray) folders = list_runs (place);
  GPtrArray *held = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < folders->len; i++)
    if (is_held (folders->pdata[i]))
      g_ptr_array_add (held, g_strdup (folders->pdata[i]));
  return held;
}
