/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-config.c - see run-config.h.
 */
#include "settings/run-config.h"

#include <string.h>

#include "base/key-file.h"

#define RUN_GROUP "run"
#define TRAIN_GROUP "train"

/* ------------------------------------------------------------------------ */
/* run.ini                                                                   */

void
urb_run_config_init (UrbRunConfig *self)
{
  *self = (UrbRunConfig) { .engine = g_strdup (URBARIUM_VERSION) };
  urb_settings_reset (&urb_run_settings, self);
}

void
urb_run_config_clear (UrbRunConfig *self)
{
  g_clear_pointer (&self->name, g_free);
  g_clear_pointer (&self->engine, g_free);
  urb_settings_clear (&urb_run_settings, self);
}

void
urb_run_config_copy (UrbRunConfig *self, const UrbRunConfig *from)
{
  urb_run_config_clear (self);
  self->name = g_strdup (from->name);
  self->engine = g_strdup (from->engine);
  self->created = from->created;
  urb_settings_copy (&urb_run_settings, self, from);
}

void
urb_run_config_set_strategy (UrbRunConfig *self, UrbStrategy strategy, int n_ranks)
{
  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    if (urb_run_settings.rows[i].strategies != 0)
      urb_setting_reset (&urb_run_settings.rows[i], self);
  self->train.strategy = strategy;
  self->train.n_ranks = n_ranks;
}

char *
urb_run_config_to_text (const UrbRunConfig *self)
{
  g_autoptr(GKeyFile) file = g_key_file_new ();

  g_key_file_set_string (file, RUN_GROUP, "name", self->name != NULL ? self->name : "");
  g_key_file_set_string (file, RUN_GROUP, "engine", self->engine);
  g_key_file_set_int64 (file, RUN_GROUP, "created", self->created);
  urb_settings_to_key_file (&urb_run_settings, self, NULL, file);
  return g_key_file_to_data (file, NULL, NULL);
}

/* The settings of a run's files must be in range; those of its training are checked together with
 * the preset, the dataset and the device. */
static gboolean
check_run_group (const UrbRunConfig *self, GError **error)
{
  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    if (strcmp (urb_run_settings.rows[i].group, RUN_GROUP) == 0
        && !urb_setting_check (&urb_run_settings, &urb_run_settings.rows[i], self, error))
      return FALSE;
  return TRUE;
}

gboolean
urb_run_config_from_text (UrbRunConfig *self, const char *text, GError **error)
{
  g_autoptr(GKeyFile) file = g_key_file_new ();
  g_auto(UrbRunConfig) read = { 0 };
  g_autoptr(GError) cause = NULL;
  char *engine;

  urb_run_config_init (&read);
  if (!urb_key_file_read (file, text, &cause) || !g_key_file_has_group (file, RUN_GROUP))
    return urb_options_fail (error, "this is not a run's configuration%s%s",
                             cause != NULL ? ": " : "", cause != NULL ? cause->message : "");
  read.name = g_key_file_get_string (file, RUN_GROUP, "name", NULL);
  engine = g_key_file_get_string (file, RUN_GROUP, "engine", NULL);
  if (engine != NULL)
    {
      g_free (read.engine);
      read.engine = engine;
    }
  if (g_key_file_has_key (file, RUN_GROUP, "created", NULL))
    read.created = g_key_file_get_int64 (file, RUN_GROUP, "created", &cause);
  if (cause != NULL || read.created < 0)
    return urb_options_fail (error, "[" RUN_GROUP "] created: it must be a number of seconds since "
                                    "1970");
  if (!urb_settings_from_key_file (&urb_run_settings, &read, NULL, file, error)
      || !check_run_group (&read, error))
    return FALSE;
  urb_run_config_clear (self);
  *self = read;
  read = (UrbRunConfig) { 0 };
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* The part that checkpoints hold                                            */

void
urb_train_options_init (UrbTrainOptions *self)
{
  UrbRunConfig config = { 0 };

  urb_settings_reset (&urb_run_settings, &config);
  *self = config.train;
}

void
urb_train_options_clear (UrbTrainOptions *self)
{
  UrbRunConfig config = { .train = *self };

  urb_settings_clear (&urb_run_settings, &config);
  *self = config.train;
}

void
urb_train_options_copy (UrbTrainOptions *self, const UrbTrainOptions *from)
{
  const UrbRunConfig source = { .train = *from };
  UrbRunConfig config = { 0 };

  urb_settings_copy (&urb_run_settings, &config, &source);
  *self = config.train;
}

void
urb_train_options_to_key_file (const UrbTrainOptions *self, GKeyFile *file)
{
  const UrbRunConfig config = { .train = *self };

  urb_settings_to_key_file (&urb_run_settings, &config, TRAIN_GROUP, file);
}

gboolean
urb_train_options_from_key_file (UrbTrainOptions *self, GKeyFile *file, GError **error)
{
  UrbRunConfig config = { .train = *self };
  gboolean good = urb_settings_from_key_file (&urb_run_settings, &config, TRAIN_GROUP, file, error);

  *self = config.train;
  return good;
}

/* ------------------------------------------------------------------------ */
/* What goes together                                                        */

int
urb_train_options_count_parts (const UrbTrainOptions *self)
{
  return urb_strategy_is_synchronous (self->strategy) ? self->n_ranks : 1;
}

gboolean
urb_device_is_host (const char *name)
{
  return strcmp (name, "cpu") == 0 || strcmp (name, "reference") == 0;
}

gboolean
urb_precision_parse (const char *text, UkPrecision *out, GError **error)
{
  UrbRunConfig config = { 0 };
  gboolean good = urb_setting_set_text (&urb_run_settings,
                                        urb_settings_find (&urb_run_settings, "precision"), &config,
                                        text, error);

  if (good)
    *out = config.train.precision;
  return good;
}

gboolean
urb_train_options_check_communicator (const UrbTrainOptions *self, GError **error)
{
  const UrbRunConfig config = { .train = *self };

  if (!urb_setting_check (&urb_run_settings, urb_settings_find (&urb_run_settings, "communicator"),
                          &config, error))
    return FALSE;
  if (g_strcmp0 (self->communicator, "nccl") != 0 || !urb_device_is_host (self->backend))
    return TRUE;
  return urb_options_fail (error, "The communicator nccl connects GPUs: choose --device cuda, or "
                                  "another communicator.");
}

/* The numbers of ranks next to the wanted one that can divide the batch: "2 or 4". */
static char *
find_nearest_ranks (const UrbTrainOptions *self)
{
  int most = self->batch / self->accumulate, below = MIN (self->n_ranks, most);
  int above = self->n_ranks;

  while (most % below != 0)
    below--;
  while (above < most && most % above != 0)
    above++;
  return above > most ? g_strdup_printf ("%d", below) : g_strdup_printf ("%d or %d", below, above);
}

/* Synchronous ranks get equal parts of every microbatch. */
static gboolean
check_batch (const UrbTrainOptions *self, GError **error)
{
  int parts = self->n_ranks * self->accumulate, below = self->batch / parts * parts;
  g_autofree char *batches = below > 0 ? g_strdup_printf ("%d or %d", below, below + parts)
                                       : g_strdup_printf ("%d", parts);
  g_autofree char *ranks = NULL;

  if (self->batch % self->accumulate != 0)
    return urb_options_fail (error, "The batch must be a multiple of the number of microbatches "
                                    "(--accumulate).");
  if (!urb_strategy_is_synchronous (self->strategy) || self->batch % parts == 0)
    return TRUE;
  ranks = find_nearest_ranks (self);
  return urb_options_fail (error,
                           "A batch of %d images cannot be split equally among %d ranks with "
                           "--accumulate %d; the nearest number of ranks is %s, or, for a new run, "
                           "the nearest --batch is %s.",
                           self->batch, self->n_ranks, self->accumulate, ranks, batches);
}

gboolean
urb_train_options_check (const UrbTrainOptions *self, GError **error)
{
  const UrbRunConfig config = { .keep_checkpoints = 0, .train = *self };

  if (!urb_settings_check (&urb_run_settings, &config, error))
    return FALSE;
  if (urb_strategy_is_asynchronous (self->strategy) && self->n_ranks > URB_MAX_ASYNC_RANKS)
    return urb_options_fail (error, "The strategy %s has at most %d ranks.",
                             urb_strategy_get_name (self->strategy), URB_MAX_ASYNC_RANKS);
  return (self->batch == 0 || check_batch (self, error))
         && urb_train_options_check_communicator (self, error);
}
