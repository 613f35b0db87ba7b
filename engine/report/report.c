/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.c - see report.h: gathers what the chapters need.
 */
#include "report/report.h"

#include <string.h>

#include <glib/gi18n.h>

#include "base/data.h"
#include "base/show-text.h"
#include "report/repeat.h"
#include "report/report-private.h"
#include "run/store/folder.h"

char *
urb_report_dup_step (gint64 step)
{
  g_autofree char *count = urb_page_dup_count (step);

  return g_strdup_printf (_ ("step %s"), count);
}

char *
urb_report_dup_cost (const UrbReport *self, double joules)
{
  const char *currency = self->price != NULL ? self->price->currency : NULL;
  g_autofree char *value = self->price != NULL ? urb_page_dup_value (joules / URB_KWH_J * self->price->per_kwh) : NULL;

  return value == NULL ? NULL : currency == NULL ? g_steal_pointer (&value) : g_strdup_printf ("%s %s", currency, value);
}

static void
clear (UrbReport *self)
{
  urb_run_config_clear (&self->config);
  urb_run_config_clear (&self->chosen);
  g_clear_pointer (&self->preset, urb_preset_free);
  g_clear_pointer (&self->history, urb_history_free);
  g_clear_pointer (&self->provenance, urb_provenance_free);
  g_clear_pointer (&self->dataset, urb_dataset_free);
  g_clear_pointer (&self->hider, urb_hider_free);
  g_clear_pointer (&self->name, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbReport, clear)

/* A run that waits for its first worker has no database yet. */
static gboolean
read_history (UrbReport *self, GError **error)
{
  g_autofree char *path = g_build_filename (self->run, "run.db", NULL);
  g_autoptr(UrbRunDb) db = urb_run_db_open_reader (path, error);

  if (db == NULL || !urb_run_db_summarize (db, &self->summary, error))
    return FALSE;
  self->history = urb_history_new (db, error);
  return self->history != NULL;
}

/* Of another dataset under the same name nothing is shown. */
static void
open_dataset (UrbReport *self)
{
  const char *id = urb_provenance_get (self->provenance, "dataset_id");

  if (self->config.train.dataset != NULL)
    self->dataset = urb_dataset_open_unverified (self->config.train.dataset, NULL);
  if (self->dataset != NULL && id != NULL && g_strcmp0 (urb_dataset_get_info (self->dataset)->id, id) != 0)
    g_clear_pointer (&self->dataset, urb_dataset_free);
}

static gboolean
gather (UrbReport *self, GError **error)
{
  g_autofree char *preset = NULL, *checkpoint = NULL, *name = NULL;
  gint64 newest;

  if (!urb_run_folder_load_config (self->run, &self->config, error) || !read_history (self, error))
    return FALSE;
  self->name = urb_show_text (self->config.name != NULL ? self->config.name : _ ("Run"));
  self->hider = urb_hider_new (&self->config, self->run);
  preset = urb_preset_is_built_in (self->config.train.preset)
             ? g_strdup (self->config.train.preset)
             : g_build_filename (self->run, self->config.train.preset, NULL);
  self->preset = urb_preset_load (preset, NULL);
  urb_repeat_find_chosen (&self->config, preset, &self->chosen);
  newest = urb_run_folder_get_newest_checkpoint (self->run);
  name = urb_run_checkpoint_name (MAX (newest, 0));
  checkpoint = g_build_filename (self->run, name, NULL);
  self->provenance = urb_provenance_new (newest >= 0 ? checkpoint : NULL);
  open_dataset (self);
  return TRUE;
}

char *
urb_report_new (const char *run, const UrbEnergyPrice *price, gboolean *has_energy, GError **error)
{
  g_auto(UrbReport) self = { .run = run, .price = price };
  g_autofree char *style = urb_data_dup_text ("report/report.css"), *title = NULL;

  if (!gather (&self, error))
    return NULL;
  if (has_energy != NULL)
    *has_energy = urb_history_get_joules (self.history) > 0;
  g_assert (style != NULL);
  title = g_strdup_printf ("%s – Urbarium", self.name);
  self.page = urb_page_new (title, style);
  urb_report_add_head (&self);
  urb_report_add_realism (&self);
  urb_report_add_nearest (&self);
  urb_report_add_curves (&self);
  urb_report_add_samples (&self);
  urb_report_add_map (&self);
  urb_report_add_settings (&self);
  urb_report_add_machine (&self);
  urb_report_add_events (&self);
  urb_report_add_repeat (&self);
  urb_page_end (self.page);
  return g_string_free (self.page, FALSE);
}
