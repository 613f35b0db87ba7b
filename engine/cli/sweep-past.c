/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep-past.c - see sweep-past.h.
 */
#include "cli/sweep-past.h"

#include <string.h>

#include "run/store/folder.h"
#include "run/store/run-db.h"
#include "train/trainer.h"

/* ------------------------------------------------------------------------ */
/* One run                                                                   */

typedef struct
{
  UrbSweepPast *past;
  gint64        seq;
  gint64        first_images;
  double        first_time; /* of the session's first step; 0: none yet */
} Reading;

static void
record_cb (const UrbRunRecord *record, gpointer user_data)
{
  Reading *self = user_data;
  const UrbStepMetrics *metrics = &record->metrics;

  self->seq = record->seq;
  if (record->type == URB_RUN_RECORD_SESSION)
    self->first_time = 0;
  if (record->type != URB_RUN_RECORD_STEP)
    return;
  if (self->first_time == 0)
    {
      self->first_time = record->time;
      self->first_images = metrics->images;
    }
  self->past->last = (UrbChildPoint) {
    .step = record->step,
    .images = metrics->images,
    .loss_d = metrics->values[URB_METRIC_LOSS_D],
    .loss_g = metrics->values[URB_METRIC_LOSS_G],
  };
  /* Several short steps are recorded at once. */
  if (record->time - self->first_time > 0.1)
    self->past->images_per_s
      = (double) (metrics->images - self->first_images) / (record->time - self->first_time);
}

void
urb_sweep_past_read (UrbSweepPast *self, const char *folder, gint64 n_steps)
{
  enum { PAGE = 1000 };
  g_autofree char *ini = g_build_filename (folder, "run.ini", NULL);
  g_autofree char *history = g_build_filename (folder, "run.db", NULL);
  g_autoptr(UrbRunDb) db = urb_run_db_open_reader (history, NULL);
  Reading reading = { .past = self };
  gint64 newest = urb_run_folder_get_newest_checkpoint (folder);
  g_auto(UrbRunConfig) config = { 0 };

  *self = (UrbSweepPast) { URB_SWEEP_PAST_NONE };
  if (!g_file_test (ini, G_FILE_TEST_EXISTS))
    return;
  self->state = URB_SWEEP_PAST_STOPPED;
  while (db != NULL && urb_run_db_read (db, reading.seq, PAGE, record_cb, &reading, NULL) == PAGE)
    ;
  urb_run_config_init (&config);
  if (urb_run_is_held (folder))
    self->state = URB_SWEEP_PAST_RUNNING;
  else if (urb_run_folder_load_config (folder, &config, NULL) && newest >= 0
           && newest >= (n_steps > 0 ? n_steps : config.train.n_steps))
    self->state = URB_SWEEP_PAST_FINISHED;
  /* A run that failed before its first record starts anew, with the options of now. */
  else if (newest < 0 && !g_file_test (history, G_FILE_TEST_EXISTS))
    self->state = URB_SWEEP_PAST_NONE;
}

/* ------------------------------------------------------------------------ */
/* The folder                                                                */

static void
append_field (GString *line, const char *text)
{
  g_auto(GStrv) parts = g_strsplit (text, "\"", -1);
  g_autofree char *quoted = g_strjoinv ("\"\"", parts);

  if (strpbrk (text, ",\"\n") != NULL)
    g_string_append_printf (line, "\"%s\",", quoted);
  else
    g_string_append_printf (line, "%s,", text);
}

char *
urb_sweep_dup_fields (const UrbSweepRun *run)
{
  GString *line = g_string_new (NULL);

  append_field (line, run->name);
  for (guint i = 0; run->values[i] != NULL; i++)
    append_field (line, run->values[i]);
  return g_string_free (line, FALSE);
}

/* Names have keys and values in them, so the header need not be compared. */
static gboolean
has_same_runs (const UrbSweep *sweep, const char *csv)
{
  const char *line = strchr (csv, '\n');

  for (guint i = 0; i < sweep->runs->len; i++)
    {
      g_autofree char *fields = urb_sweep_dup_fields (sweep->runs->pdata[i]);

      if (line == NULL || !g_str_has_prefix (line + 1, fields))
        return FALSE;
      line = strchr (line + 1, '\n');
    }
  return line != NULL && line[1] == '\0';
}

gboolean
urb_sweep_check_folder (const UrbSweep *sweep, const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename (folder, URB_SWEEP_SUMMARY, NULL);
  g_autofree char *csv = NULL;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  if (!g_file_get_contents (path, &csv, NULL, error))
    return FALSE;
  if (has_same_runs (sweep, csv))
    return TRUE;
  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS,
               "--several: '%s' is of other runs. Give the lists that the sweep began with to go on "
               "with it, or choose another --run.", path);
  return FALSE;
}
