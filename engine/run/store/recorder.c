/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder.c - see recorder.h.
 *
 * The first failure of the database is kept and reported once from the main loop, so that no caller
 * has to handle it in the middle of a message.
 */
#include "run/store/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <glib/gstdio.h>

enum { COMMIT_MS = 250, RESERVED_BYTES = 16 * 1024 };

struct _UrbRecorder
{
  UrbRunDb             *db; /* owned */
  int                   log_fd;
  guint                 commit_id; /* source; 0: nothing to commit */
  guint                 failed_id;
  gboolean              failed;
  GError               *error;     /* owned, nullable; the first */
  const UrbRecorderOps *ops;       /* borrowed */
  gpointer              user_data; /* borrowed */
  gboolean  is_new; /* there was no database */
};

static gboolean
failed_cb (gpointer user_data)
{
  UrbRecorder *self = user_data;
  self->failed_id = 0;
  self->ops->failed (self->error, self->user_data);
  return G_SOURCE_REMOVE;
}

static gboolean
commit_cb (gpointer user_data)
{
  UrbRecorder *self = user_data;
  self->commit_id = 0;
  urb_recorder_commit (self);
  return G_SOURCE_REMOVE;
}

/* The first error is kept. */
static GError **
get_error (UrbRecorder *self)
{
  return self->error == NULL ? &self->error : NULL;
}

/* Called with the result of every write. */
static void
handle_result (UrbRecorder *self, gboolean good)
{
  if (good && self->commit_id == 0)
    self->commit_id = g_timeout_add (COMMIT_MS, commit_cb, self);
  if (good || self->failed)
    return;
  self->failed = TRUE;
  self->failed_id = g_idle_add (failed_cb, self);
}

void
urb_recorder_commit (UrbRecorder *self)
{
  g_clear_handle_id (&self->commit_id, g_source_remove);
  if (!urb_run_db_is_dirty (self->db))
    return;
  if (urb_run_db_commit (self->db, get_error (self)))
    self->ops->committed (self->user_data);
  else
    handle_result (self, FALSE);
}

gboolean
urb_recorder_sync (UrbRecorder *self)
{
  urb_recorder_commit (self);
  if (!urb_run_db_sync (self->db, get_error (self)))
    handle_result (self, FALSE);
  return self->error == NULL;
}

/* Reserves room for the last words of a run on a full disk; not every file system can. */
static void
reserve_log (UrbRecorder *self)
{
  off_t end = lseek (self->log_fd, 0, SEEK_END);
  if (end < 0 || fallocate (self->log_fd, FALLOC_FL_KEEP_SIZE, end, RESERVED_BYTES) != 0)
    g_debug ("no room is reserved in the log");
}

UrbRecorder *
urb_recorder_new (UrbRunFolder *folder, const UrbRecorderOps *ops, gpointer user_data,
                  GError **error)
{
  g_autoptr(UrbRecorder) self = g_new0 (UrbRecorder, 1);
  g_autofree char *db = urb_run_folder_dup_file (folder, "run.db");
  g_autofree char *log = urb_run_folder_dup_file (folder, "log");
  self->ops = ops;
  self->user_data = user_data;
  self->log_fd = open (log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (self->log_fd < 0)
    {
      g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_FOLDER, "Cannot write '%s': %s", log,
                   g_strerror (errno));
      return NULL;
    }
  reserve_log (self);
  self->is_new = !g_file_test (db, G_FILE_TEST_EXISTS);
  self->db = urb_run_db_open (db, error);
  return self->db != NULL ? g_steal_pointer (&self) : NULL;
}

void
urb_recorder_free (UrbRecorder *self)
{
  if (self == NULL)
    return;
  g_clear_handle_id (&self->commit_id, g_source_remove);
  g_clear_handle_id (&self->failed_id, g_source_remove);
  urb_run_db_free (self->db);
  if (self->log_fd >= 0)
    close (self->log_fd);
  g_clear_error (&self->error);
  g_free (self);
}

gboolean
urb_recorder_is_new (UrbRecorder *self)
{
  return self->is_new;
}

/* Lines as log_event() writes them; the others are of workers and libraries. */
static void
rebuild_events (UrbRecorder *self, const char *log)
{
  g_autoptr(GRegex) line = g_regex_new ("^([0-9]+-[0-9]+-[0-9]+ [0-9:]+) (info|warning|error): (.*)$",
                                        G_REGEX_MULTILINE, 0, NULL);
  g_autoptr(GMatchInfo) match = NULL;
  g_autofree char *valid = g_utf8_make_valid (log, -1);
  g_assert (line != NULL);
  for (g_regex_match (line, valid, 0, &match); g_match_info_matches (match); g_match_info_next (match, NULL))
    {
      g_autofree char *time = g_match_info_fetch (match, 1), *level = g_match_info_fetch (match, 2);
      g_autofree char *text = g_match_info_fetch (match, 3);
      g_autofree char *dated = g_strdup_printf ("%s (%s)", text, time);
      handle_result (self, urb_run_db_add_event (self->db, level, "log", 0, dated, get_error (self)));
    }
}

void
urb_recorder_rebuild (UrbRecorder *self, UrbRunFolder *folder)
{
  enum { MAX_LOG_BYTES = 256 * 1024 };
  g_autoptr(GArray) steps = urb_run_folder_list_checkpoints (urb_run_folder_get_path (folder));
  g_autofree char *path = urb_run_folder_dup_file (folder, "log");
  g_autofree char *log = g_malloc0 (MAX_LOG_BYTES + 1);
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  gint64 end = fd >= 0 ? (gint64) lseek (fd, 0, SEEK_END) : 0;
  if (fd >= 0 && pread (fd, log, MAX_LOG_BYTES, MAX (end - MAX_LOG_BYTES, 0)) > 0)
    rebuild_events (self, log);
  if (fd >= 0)
    close (fd);
  for (guint i = 0; i < steps->len; i++)
    {
      g_autofree char *name = urb_run_checkpoint_name (g_array_index (steps, gint64, i));
      g_autofree char *file = urb_run_folder_dup_file (folder, name);
      GStatBuf info;
      if (g_stat (file, &info) == 0)
        urb_recorder_checkpoint (self, g_array_index (steps, gint64, i), name, (gint64) info.st_size);
    }
}

int
urb_recorder_get_log_fd (UrbRecorder *self)
{
  return self->log_fd;
}

void
urb_recorder_session (UrbRecorder *self, const char *config, gint64 from_step, gint64 n_steps)
{
  handle_result (self, urb_run_db_add_session (self->db, config, from_step, n_steps, get_error (self)));
}

char *
urb_recorder_dup_config (UrbRecorder *self)
{
  return urb_run_db_dup_config (self->db);
}

int
urb_recorder_get_metrics (UrbRecorder *self, gint64 step, UrbStepMetrics *metrics, int n)
{
  return urb_run_db_get_metrics (self->db, step, metrics, n);
}

void
urb_recorder_step (UrbRecorder *self, const UrbStepMetrics *metrics)
{
  handle_result (self, urb_run_db_add_step (self->db, metrics, get_error (self)));
}

void
urb_recorder_sample (UrbRecorder *self, gint64 step, const char *file)
{
  handle_result (self, urb_run_db_add_sample (self->db, step, file, get_error (self)));
}

void
urb_recorder_checkpoint (UrbRecorder *self, gint64 step, const char *file, gint64 n_bytes)
{
  handle_result (self, urb_run_db_add_checkpoint (self->db, step, file, n_bytes, get_error (self)));
}

void
urb_recorder_drop_checkpoint (UrbRecorder *self, gint64 step)
{
  g_autofree char *text = g_strdup_printf (
    "Deleted the checkpoint of step %" G_GINT64_FORMAT ", since newer ones are kept", step);
  handle_result (self, urb_run_db_drop_checkpoint (self->db, step, get_error (self))
                         && urb_run_db_add_event (self->db, "info", "checkpoint-deleted", step, text,
                                                  get_error (self)));
}

/* Too frequent for the log. */
void
urb_recorder_drop_sample (UrbRecorder *self, gint64 step)
{
  handle_result (self, urb_run_db_drop_sample (self->db, step, get_error (self))
                         && urb_run_db_add_event (self->db, "info", "sample-deleted", step,
                                                  "Deleted a sample grid, since it is old and others are near",
                                                  get_error (self)));
}

void
urb_recorder_worker (UrbRecorder *self, int rank, gint64 pid, const char *state, const char *text)
{
  handle_result (self, urb_run_db_add_worker (self->db, rank, pid, state, text, get_error (self)));
}

void
urb_recorder_gpu (UrbRecorder *self, const UrbGpu *gpu)
{
  handle_result (self, urb_run_db_add_gpu (self->db, gpu, get_error (self)));
}

void
urb_recorder_energy (UrbRecorder *self, double joules, double seconds)
{
  handle_result (self, urb_run_db_add_energy (self->db, joules, seconds, get_error (self)));
}

void
urb_recorder_score (UrbRecorder *self, const UrbScores *scores)
{
  handle_result (self, urb_run_db_add_score (self->db, scores, get_error (self)));
}

void
urb_recorder_summarize_scores (UrbRecorder *self, GArray *steps, UrbScoreSummary *summary)
{
  handle_result (self, urb_run_db_summarize_scores (self->db, steps, summary, get_error (self)));
}

/* Logs an event after it was recorded. */
static void
log_event (UrbRecorder *self, const char *level, const char *text)
{
  g_autoptr(GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *time = g_date_time_format (now, "%F %T");
  dprintf (self->log_fd, "%s %s: %s\n", time, level, text);
  reserve_log (self);
  if (self->ops->event != NULL)
    self->ops->event (level, text, self->user_data);
}

void
urb_recorder_rewind (UrbRecorder *self, gint64 step)
{
  g_autofree char *text = NULL;
  handle_result (self, urb_run_db_rewind (self->db, step, &text, get_error (self)));
  if (text != NULL)
    log_event (self, "warning", text);
}

void
urb_recorder_event (UrbRecorder *self, const char *level, const char *code, gint64 step,
                    const char *text)
{
  urb_recorder_event_with_details (self, level, code, step, text, NULL);
}

void
urb_recorder_event_with_details (UrbRecorder *self, const char *level, const char *code,
                                 gint64 step, const char *text, const char *details)
{
  handle_result (self, urb_run_db_add_event (self->db, level, code, step, text, get_error (self))
                         && (details == NULL
                             || urb_run_db_add_details (self->db, details, get_error (self))));
  log_event (self, level, text);
}
