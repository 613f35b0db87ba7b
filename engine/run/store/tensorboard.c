/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensorboard.c - see tensorboard.h.
 *
 * Histograms are counted in a thread, with the lowest priority: a checkpoint may be large, and the supervisor has to
 * watch its workers meanwhile.  urb_tensorboard_follow() writes those that are ready.
 */
#include "run/store/tensorboard.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>

#include <glib/gstdio.h>

#include "run/store/checkpoint-values.h"
#include "run/store/event-file.h"
#include "run/store/earlier-events.h"
#include "run/store/folder.h"
#include "run/store/tracker-pace.h"

enum { PAGE = 500 };

struct _UrbTensorboard
{
  char         *run, *folder, *name; /* owned; of the new file */
  UrbRunDb     *db;         /* owned */
  UrbEventFile *file;       /* owned */
  gint64        seq;        /* of the last record written */
  gint64        step;       /* newest */
  gint64        image_step, counted_step; /* of the last sample grid written and checkpoint counted; -1: none */
  GPtrArray    *counts;     /* (element-type Counts) owned; to be written, in the order of their records */
  GThreadPool  *pool;       /* (element-type Counts) owned; one thread counts them */
  GMutex        mutex;      /* of their results */
  gint          is_ending;  /* atomic */
  /* owned; what files of earlier sessions have, whose checkpoints and sample grids may be deleted; NULL: these files
   * are deleted, too */
  UrbEarlierEvents *before;
};

/* The histograms of a checkpoint. */
typedef struct
{
  char      *path;
  double     time;
  gint64     step;
  gint       is_newest;  /* atomic */
  gboolean   is_dropped; /* the run went back before it */
  gboolean   is_counted; /* with the mutex, as the values */
  GPtrArray *values;     /* (nullable) (element-type UrbValueCounts) owned; NULL: it could not be read */
} Counts;

static void
counts_free (gpointer data)
{
  Counts *self = data;
  g_clear_pointer (&self->values, g_ptr_array_unref);
  g_free (self->path);
  g_free (self);
}

/* At the end of a run only the last one is worth waiting for. */
static void
count_cb (gpointer data, gpointer user_data)
{
  Counts *counts = data;
  UrbTensorboard *self = user_data;
  const int lowest = 19;
  GPtrArray *values = NULL;
  setpriority (PRIO_PROCESS, 0, lowest); /* of this thread */
  if (!g_atomic_int_get (&self->is_ending) || g_atomic_int_get (&counts->is_newest))
    values = urb_checkpoint_count_values (counts->path, NULL); /* it may have been thinned since */
  g_mutex_lock (&self->mutex);
  counts->values = values;
  counts->is_counted = TRUE;
  g_mutex_unlock (&self->mutex);
}

static void
write_histograms (UrbTensorboard *self, const Counts *counts)
{
  urb_event_file_begin (self->file, counts->time, counts->step);
  for (guint i = 0; i < counts->values->len; i++)
    {
      const UrbValueCounts *values = counts->values->pdata[i];
      urb_event_file_add_histogram (self->file, values->tag, values->min, values->max, values->counts, URB_N_VALUE_BINS);
    }
  urb_event_file_end (self->file);
}

/* Those that are ready, and not the ones after one that is not. */
static void
write_counted (UrbTensorboard *self)
{
  gboolean is_counted = TRUE;
  while (is_counted && self->counts->len > 0)
    {
      const Counts *first = self->counts->pdata[0];
      g_mutex_lock (&self->mutex);
      is_counted = first->is_counted;
      g_mutex_unlock (&self->mutex);
      if (is_counted && first->values != NULL && !first->is_dropped)
        write_histograms (self, first);
      if (is_counted)
        g_ptr_array_remove_index (self->counts, 0);
    }
}

/* Returns: (transfer full) (element-type filename): files of events in the folder, without the new one */
static GPtrArray *
list_others (UrbTensorboard *self)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr(GDir) dir = g_dir_open (self->folder, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_prefix (name, URB_RUN_EVENTS_PREFIX) && g_str_has_suffix (name, URB_RUN_EVENTS_SUFFIX)
        && strcmp (name, self->name) != 0)
      g_ptr_array_add (paths, g_build_filename (self->folder, name, NULL));
  return paths;
}

static void
read_others (UrbTensorboard *self)
{
  g_autoptr(GPtrArray) others = list_others (self);
  self->before = urb_earlier_events_new ();
  for (guint i = 0; i < others->len; i++)
    urb_earlier_events_read (self->before, others->pdata[i]);
}

UrbTensorboard *
urb_tensorboard_new (const char *run, const char *folder, GError **error)
{
  g_autoptr(UrbTensorboard) self = g_new0 (UrbTensorboard, 1);
  g_autofree char *db = g_build_filename (run, "run.db", NULL), *path = NULL;
  gint64 now_us = g_get_real_time ();
  self->run = g_strdup (run);
  self->folder = g_strdup (folder);
  /* TensorBoard reads files in the order of their names, and goes on to a later one. */
  self->name = g_strdup_printf (URB_RUN_EVENTS_PREFIX "%010" G_GINT64_FORMAT ".%06d" URB_RUN_EVENTS_SUFFIX, now_us / G_USEC_PER_SEC,
                                (int) (now_us % G_USEC_PER_SEC));
  self->image_step = self->counted_step = -1;
  self->counts = g_ptr_array_new_with_free_func (counts_free);
  self->pool = g_thread_pool_new (count_cb, self, 1, TRUE, NULL);
  g_mutex_init (&self->mutex);
  if (g_mkdir (folder, 0700) != 0 && errno != EEXIST)
    {
      int code = errno;
      g_set_error (error, G_FILE_ERROR, (int) g_file_error_from_errno (code), "Cannot make the folder '%s': %s",
                   folder, g_strerror (code));
      return NULL;
    }
  read_others (self);
  path = g_build_filename (folder, self->name, NULL);
  self->db = urb_run_db_open_reader (db, error);
  if (self->db != NULL)
    self->file = urb_event_file_new (path, (double) now_us / G_USEC_PER_SEC, error);
  return self->file != NULL ? g_steal_pointer (&self) : NULL;
}

void
urb_tensorboard_free (UrbTensorboard *self)
{
  if (self == NULL)
    return;
  g_atomic_int_set (&self->is_ending, TRUE);
  g_thread_pool_free (self->pool, FALSE, TRUE);
  if (self->file != NULL)
    {
      write_counted (self);
      urb_event_file_flush (self->file, NULL);
    }
  g_ptr_array_unref (self->counts);
  g_mutex_clear (&self->mutex);
  urb_event_file_free (self->file);
  urb_earlier_events_free (self->before);
  urb_run_db_free (self->db);
  g_free (self->run);
  g_free (self->folder);
  g_free (self->name);
  g_free (self);
}

/* ------------------------------------------------------------------------ */
/* Records                                                                   */

/* "train", "loss_d": a chart "loss_d" in the group "train". */
static void
add_scalar (UrbTensorboard *self, const char *group, const char *name, double value)
{
  g_autofree char *tag = g_strdup_printf ("%s/%s", group, name);
  urb_event_file_add_scalar (self->file, tag, value);
}

static void
write_step (UrbTensorboard *self, const UrbRunRecord *record)
{
  self->step = record->step;
  urb_event_file_begin (self->file, record->time, record->step);
  for (int i = 0; i < URB_N_METRICS; i++)
    add_scalar (self, "train", urb_step_metric_names[i], record->metrics.values[i]);
  add_scalar (self, "train", "seconds", record->metrics.seconds);
  urb_event_file_end (self->file);
}

static void
write_scores (UrbTensorboard *self, const UrbRunRecord *record)
{
  urb_event_file_begin (self->file, record->time, record->step);
  for (int i = 0; i < URB_N_SCORES; i++)
    if (!isnan (record->scores.values[i]))
      add_scalar (self, "score", urb_score_names[i], record->scores.values[i]);
  urb_event_file_end (self->file);
}

static void
write_gpu (UrbTensorboard *self, const UrbRunRecord *record)
{
  g_autofree char *group = g_strdup_printf ("gpu%" G_GINT64_FORMAT, record->device);
  const struct { const char *name; double value; } values[] = {
    { "utilization_percent", record->load.utilization_percent },
    { "power_w", record->load.power_w },
    { "temperature_c", record->load.temperature_c },
    { "memory_used_bytes", record->load.memory_used_bytes >= 0 ? (double) record->load.memory_used_bytes : NAN },
  };
  urb_event_file_begin (self->file, record->time, self->step);
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    if (!isnan (values[i].value))
      add_scalar (self, group, values[i].name, values[i].value);
  urb_event_file_end (self->file);
}

static void
write_energy (UrbTensorboard *self, const UrbRunRecord *record)
{
  if (record->seconds <= 0)
    return;
  urb_event_file_begin (self->file, record->time, self->step);
  add_scalar (self, "processors", "power_w", record->joules / record->seconds);
  urb_event_file_end (self->file);
}

/* Width and height are in the header of a PNG. */
static gboolean
read_size (const guint8 *png, gsize n, int *width, int *height)
{
  guint32 size[2];
  if (n < 24 || memcmp (png, "\x89PNG\r\n\x1a\n", 8) != 0)
    return FALSE;
  memcpy (size, png + 16, sizeof size);
  *width = (int) GUINT32_FROM_BE (size[0]);
  *height = (int) GUINT32_FROM_BE (size[1]);
  return *width > 0 && *height > 0;
}

/* It may have been thinned since.
 * Returns: (transfer full) (nullable): @n bytes of a PNG with at least its size */
static char *
read_sample (UrbTensorboard *self, const UrbRunRecord *record, gsize *n, int *width, int *height)
{
  g_autofree char *path = g_build_filename (self->run, record->texts[0], NULL), *bytes = NULL;
  if (!g_file_get_contents (path, &bytes, n, NULL) && self->before != NULL)
    bytes = urb_earlier_events_read_image (self->before, record->time, record->step, n);
  return bytes != NULL && read_size ((const guint8 *) bytes, *n, width, height) ? g_steal_pointer (&bytes) : NULL;
}

static void
write_sample (UrbTensorboard *self, const UrbRunRecord *record)
{
  g_autofree char *bytes = NULL;
  gsize n;
  int width, height;
  if (urb_tracker_is_soon_after (record->step, self->image_step))
    return;
  bytes = read_sample (self, record, &n, &width, &height);
  if (bytes == NULL)
    return;
  self->image_step = record->step;
  urb_event_file_begin (self->file, record->time, record->step);
  urb_event_file_add_image (self->file, "cities", width, height, (const guint8 *) bytes, n);
  urb_event_file_end (self->file);
}

static void
begin_counting (UrbTensorboard *self, const UrbRunRecord *record)
{
  Counts *counts;
  if (record->step == 0 || urb_tracker_is_soon_after (record->step, self->counted_step))
    return; /* before any training there are no gradients */
  self->counted_step = record->step;
  if (self->counts->len > 0)
    g_atomic_int_set (&((Counts *) self->counts->pdata[self->counts->len - 1])->is_newest, FALSE);
  counts = g_new0 (Counts, 1);
  counts->path = g_build_filename (self->run, record->texts[0], NULL);
  counts->time = record->time;
  counts->step = record->step;
  counts->is_newest = TRUE;
  counts->values = self->before != NULL ? urb_earlier_events_steal_histograms (self->before, record->time, record->step) : NULL;
  counts->is_counted = counts->values != NULL;
  g_ptr_array_add (self->counts, counts);
  if (!counts->is_counted)
    g_thread_pool_push (self->pool, counts, NULL);
}

static void
add_setting (UrbTensorboard *self, const UrbSetting *row, const UrbRunConfig *config, GString *table)
{
  g_autofree char *text = urb_setting_dup_text (row, config);
  const char *name = row->key;
  if ((row->flags & URB_SETTING_SECRET) != 0)
    return;
  g_string_append_printf (table, "| %s | %s |\n", name, text != NULL ? text : "");
  if (row->type == URB_SETTING_BOOLEAN)
    urb_event_file_add_switch (self->file, name, urb_setting_get_number (row, config) > 0);
  else if (urb_setting_is_text (row) || row->type == URB_SETTING_ENUM)
    urb_event_file_add_word (self->file, name, text != NULL ? text : "");
  else
    urb_event_file_add_number (self->file, name, urb_setting_get_number (row, config));
}

/* The settings of the newest session: what is compared with other runs. */
static void
write_session (UrbTensorboard *self, const UrbRunRecord *record)
{
  g_autofree char *text = urb_run_db_dup_config (self->db);
  g_autoptr(GString) table = g_string_new ("| setting | value |\n|---|---|\n");
  g_auto(UrbRunConfig) config = { 0 };
  if (text == NULL || !urb_run_config_from_text (&config, text, NULL))
    return;
  urb_event_file_begin_settings (self->file, record->time);
  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    add_setting (self, &urb_run_settings.rows[i], &config, table);
  urb_event_file_end_settings (self->file);
  urb_event_file_begin (self->file, record->time, record->step);
  urb_event_file_add_text (self->file, "settings", table->str);
  urb_event_file_end (self->file);
}

static void
write_event (UrbTensorboard *self, const UrbRunRecord *record)
{
  const char *code = record->texts[1];
  UrbRunState state;
  if (strcmp (code, "rewound") == 0)
    {
      urb_event_file_restart (self->file, record->time, record->step + 1);
      self->image_step = MIN (self->image_step, record->step);
      self->counted_step = MIN (self->counted_step, record->step);
      for (guint i = 0; i < self->counts->len; i++)
        {
          Counts *counts = self->counts->pdata[i];
          counts->is_dropped = counts->is_dropped || counts->step > record->step;
        }
    }
  else if (strcmp (code, "state") == 0 && urb_run_state_from_name (record->texts[2], &state)
           && urb_run_state_has_ended (state))
    urb_event_file_add_outcome (self->file, record->time, state != URB_RUN_FAILED);
}

static void
record_cb (const UrbRunRecord *record, gpointer user_data)
{
  UrbTensorboard *self = user_data;
  self->seq = record->seq;
  switch (record->type)
    {
    case URB_RUN_RECORD_SESSION:
      write_session (self, record);
      break;
    case URB_RUN_RECORD_STEP:
      write_step (self, record);
      break;
    case URB_RUN_RECORD_SAMPLE:
      write_sample (self, record);
      break;
    case URB_RUN_RECORD_EVENT:
      write_event (self, record);
      break;
    case URB_RUN_RECORD_GPU:
      write_gpu (self, record);
      break;
    case URB_RUN_RECORD_ENERGY:
      write_energy (self, record);
      break;
    case URB_RUN_RECORD_SCORE:
      write_scores (self, record);
      break;
    case URB_RUN_RECORD_CHECKPOINT:
      begin_counting (self, record);
      break;
    case URB_RUN_RECORD_WORKER:
    case URB_RUN_RECORD_OTHER:
      break;
    }
}

/* ------------------------------------------------------------------------ */

/* The new file has all that they had. */
static void
delete_others (UrbTensorboard *self)
{
  g_autoptr(GPtrArray) others = list_others (self);
  for (guint i = 0; i < others->len; i++)
    g_unlink (others->pdata[i]);
  g_clear_pointer (&self->before, urb_earlier_events_free);
}

gboolean
urb_tensorboard_follow (UrbTensorboard *self, GError **error)
{
  int n = PAGE;
  while (n == PAGE)
    {
      n = urb_run_db_read (self->db, self->seq, PAGE, record_cb, self, error);
      write_counted (self);
      if (n < 0 || !urb_event_file_flush (self->file, error))
        return FALSE;
    }
  if (self->before != NULL)
    delete_others (self);
  return TRUE;
}
