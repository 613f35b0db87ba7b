/* SPDX-License-Identifier: Apache-2.0 */
/*
 * race.c - see race.h.
 *
 * The file is a few kilobytes long, so it is read on the main loop.
 */
#include "app/train/race.h"

#include <glib/gi18n.h>
#include <signal.h>

#include "app/base/discard.h"
#include "app/base/engine-program.h"
#include "app/runs/run-error.h"
#include "app/runs/run-folder.h"

enum { POLL_S = 1 };

struct _UrbariumRace
{
  GObject          parent_instance;

  char            *folder; /* owned */
  UrbQualityRace  *race;   /* owned */
  UrbRaceProgress  progress;
  gboolean         running;
  guint            poll_id;
};

G_DEFINE_FINAL_TYPE (UrbariumRace, urbarium_race, G_TYPE_OBJECT)

enum { CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

/* ------------------------------------------------------------------------ */
/* Following                                                                 */

/* The state is read after the lock: whoever has released it has written the last state. */
static gboolean
read_all (UrbariumRace *self, GError **error)
{
  gboolean held = urb_race_file_find_holder (self->folder) != 0;
  UrbRaceProgress progress;
  UrbQualityRace *race = urb_race_file_load (self->folder, &progress, error);
  if (race == NULL)
    {
      urb_race_progress_clear (&progress);
      return FALSE;
    }
  g_clear_pointer (&self->race, urb_quality_race_free);
  urb_race_progress_clear (&self->progress);
  self->race = race;
  self->progress = progress;
  self->running = held && progress.state == URB_RACE_RUNNING;
  return TRUE;
}

static gboolean
poll_cb (gpointer data)
{
  UrbariumRace *self = data;
  read_all (self, NULL);
  if (!self->running)
    self->poll_id = 0;
  g_signal_emit (self, signals[CHANGED], 0);
  return self->running;
}

static void
follow (UrbariumRace *self)
{
  if (self->running && self->poll_id == 0)
    self->poll_id = g_timeout_add_seconds (POLL_S, poll_cb, self);
}

UrbariumRace *
urbarium_race_new (const char *folder, GError **error)
{
  g_autoptr(UrbariumRace) self = g_object_new (URBARIUM_TYPE_RACE, NULL);
  self->folder = g_strdup (folder);
  if (!read_all (self, error))
    return NULL;
  follow (self);
  return g_steal_pointer (&self);
}

const UrbQualityRace *
urbarium_race_get_race (UrbariumRace *self)
{
  return self->race;
}

const UrbRaceProgress *
urbarium_race_get_progress (UrbariumRace *self)
{
  return &self->progress;
}

gboolean
urbarium_race_is_running (UrbariumRace *self)
{
  return self->running;
}

void
urbarium_race_stop (UrbariumRace *self)
{
  pid_t holder = urb_race_file_find_holder (self->folder);
  if (holder > 0)
    kill (holder, SIGTERM);
}

/* ------------------------------------------------------------------------ */
/* Starting                                                                  */

static void
started_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GTask) task = data;
  g_autoptr(GError) error = NULL;
  g_autofree char *out = urbarium_engine_program_run_finish (result, &error);
  GError *problem = NULL;
  UrbariumRace *race = error == NULL ? urbarium_race_new (g_task_get_task_data (task), &problem) : NULL;
  if (race != NULL)
    g_task_return_pointer (task, race, g_object_unref);
  else
    g_task_return_error (task, problem != NULL ? problem
                                               : urbarium_run_error_translate (error, URBARIUM_RUN_ERROR_SETTINGS));
}

void
urbarium_race_start_async (const UrbariumRacePlan *plan, const char *parent, GCancellable *cancellable,
                           GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task = g_task_new (NULL, cancellable, callback, user_data);
  g_auto(UrbRunConfig) config = { 0 };
  g_autofree char *name = g_strdup_printf ("%s-%s", plan->first, plan->second), *text = NULL;
  g_autofree char *folder = urbarium_run_folder_choose (parent, name);
  g_autofree char *minutes = g_strdup_printf ("%g", plan->minutes), *seeds = g_strdup_printf ("%d", plan->n_seeds);
  const char *const arguments[] = { "bench", "--ab", plan->first, plan->second, "--dataset", plan->config->train.dataset,
                                    "--out", folder, "--minutes", minutes, "--seeds", seeds, "--detach", "--json",
                                    "--config", "-", NULL };
  urb_run_config_copy (&config, plan->config);
  urb_run_config_set_strategy (&config, URB_STRATEGY_SINGLE, 1);
  text = urb_run_config_to_text (&config);
  g_task_set_task_data (task, g_steal_pointer (&folder), g_free);
  urbarium_engine_program_run_async (arguments, text, cancellable, started_cb, task);
}

UrbariumRace *
urbarium_race_start_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

/* ------------------------------------------------------------------------ */
/* Continuing                                                                */

gboolean
urbarium_race_can_continue (UrbariumRace *self)
{
  return !self->running && urb_race_progress_can_continue (&self->progress);
}

static void
continued_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GTask) task = data;
  UrbariumRace *self = g_task_get_source_object (task);
  g_autoptr(GError) error = NULL;
  g_autofree char *out = urbarium_engine_program_run_finish (result, &error);
  GError *problem = NULL;
  if (error != NULL)
    problem = urbarium_run_error_translate (error, URBARIUM_RUN_ERROR_SETTINGS);
  else
    read_all (self, &problem);
  if (problem != NULL)
    {
      g_task_return_error (task, problem);
      return;
    }
  follow (self);
  g_signal_emit (self, signals[CHANGED], 0);
  g_task_return_boolean (task, TRUE);
}

void
urbarium_race_continue_async (UrbariumRace *self, GAsyncReadyCallback callback, gpointer user_data)
{
  const char *const arguments[] = { "bench", "--continue", self->folder, "--detach", "--json", NULL };
  urbarium_engine_program_run_async (arguments, NULL, NULL, continued_cb, g_task_new (self, NULL, callback, user_data));
}

gboolean
urbarium_race_continue_finish (UrbariumRace *self, GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

/* ------------------------------------------------------------------------ */
/* Deleting                                                                  */

static void
delete_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  g_autoptr(GFile) folder = g_file_new_for_path (data);
  GError *error = NULL;
  if (urb_race_file_find_holder (data) != 0)
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_BUSY, "%s", _ ("The comparison is running. Stop it first."));
  else if (urbarium_discard (folder, NULL, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

void
urbarium_race_delete_async (UrbariumRace *self, GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new (self, NULL, callback, user_data);
  g_task_set_task_data (task, g_strdup (self->folder), g_free);
  g_task_run_in_thread (task, delete_thread);
}

gboolean
urbarium_race_delete_finish (UrbariumRace *self, GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

/* ------------------------------------------------------------------------ */

static int
compare_started (gconstpointer a, gconstpointer b)
{
  UrbariumRace *const *first = a, *const *second = b;
  gint64 difference = (*second)->progress.started - (*first)->progress.started;
  return difference == 0 ? g_strcmp0 ((*second)->folder, (*first)->folder) : difference > 0 ? 1 : -1;
}

GPtrArray *
urbarium_race_list (const char *parent)
{
  GPtrArray *races = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(GDir) dir = g_dir_open (parent, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *folder = g_build_filename (parent, name, NULL);
      UrbariumRace *race = urbarium_race_new (folder, NULL);
      if (race != NULL)
        g_ptr_array_add (races, race);
    }
  g_ptr_array_sort (races, compare_started);
  return races;
}

static void
finalize (GObject *object)
{
  UrbariumRace *self = URBARIUM_RACE (object);
  g_clear_handle_id (&self->poll_id, g_source_remove);
  g_free (self->folder);
  urb_quality_race_free (self->race);
  urb_race_progress_clear (&self->progress);
  G_OBJECT_CLASS (urbarium_race_parent_class)->finalize (object);
}

static void
urbarium_race_class_init (UrbariumRaceClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 0);
}

static void
urbarium_race_init (UrbariumRace *self)
{
}
