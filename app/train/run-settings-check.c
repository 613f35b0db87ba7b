/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/run-settings-private.h"

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "settings/recipe.h"

/* Only a run that starts now must fit now; queued runs will find other free memory. */
static char *
check_memory (UrbariumRunSettings *self)
{
  const UrbariumPlan *plan = urbarium_forecast_get_plan (self->forecast);
  g_autoptr(GPtrArray) queue = urbarium_run_settings_dup_queue (self);
  g_autofree char *needed = NULL, *available = NULL;
  g_auto(UrbRunConfig) config = { 0 };
  gint64 limit;
  if (plan == NULL)
    return NULL;
  urbarium_run_settings_get_config (self, &config);
  limit = urb_train_options_get_rank_bytes (&config.train);
  if (plan->bytes_rank > limit)
    {
      needed = urbarium_format_bytes (plan->bytes_rank);
      available = urbarium_format_bytes (limit);
      return g_strdup_printf (_ ("A rank needs %s of memory, and may have %s. Choose a smaller batch, more microbatches, "
                                 "smaller networks or more memory."), needed, available);
    }
  if (queue->len > 0 || plan->bytes_total <= plan->bytes_available)
    return NULL;
  needed = urbarium_format_bytes (plan->bytes_total);
  available = urbarium_format_bytes (plan->bytes_available);
  if (urbarium_forecast_is_on_gpu (self->forecast))
    return g_strdup_printf (_ ("The run needs %s of the GPU’s memory, and %s are free. Choose a "
                               "smaller batch, more microbatches, smaller networks or the "
                               "processor."), needed, available);
  return g_strdup_printf (_ ("The run needs %s of memory, and %s are free. Choose a smaller batch, "
                             "more microbatches or smaller networks."),
                          needed, available);
}

/* What the rows of this page cannot show: settings that only All settings offers. */
static char *
check_all (UrbariumRunSettings *self, const UrbTrainOptions *options, int n_channels)
{
  g_auto(UrbTrainOptions) resolved = { 0 };
  g_autoptr(GError) error = NULL;
  if (options->n_channels != 0 && options->n_channels != n_channels)
    return g_strdup_printf (_ ("Channels is %d in All settings, but %d in the dataset."),
                            options->n_channels, n_channels);
  urb_train_options_copy (&resolved, options);
  if (urb_recipe_resolve (&resolved, urbarium_model_group_get_preset (self->model_group), n_channels,
                          &error))
    return NULL;
  return g_strdup (error->message);
}

/* All but what the engine finds, and whether memory suffices. */
static char *
check_options (UrbariumRunSettings *self, const UrbTrainOptions *options)
{
  const UrbDatasetInfo *info = urbarium_dataset_group_get_info (self->dataset_group);
  char *text = urbarium_dataset_group_check (self->dataset_group);
  if (text == NULL)
    text = urbarium_model_group_check (self->model_group, info->resolution_px);
  if (text == NULL)
    text = urbarium_training_group_check (self->training_group, options);
  if (text == NULL)
    text = urbarium_strategy_group_check (self->strategy_group, options);
  return text != NULL ? text : check_all (self, options, urb_encoding_get_n_channels (info->encoding));
}

gboolean
urbarium_run_settings_can_find_batch (UrbariumRunSettings *self)
{
  g_auto(UrbRunConfig) config = { 0 };
  g_autofree char *problem = NULL;
  urbarium_run_settings_get_config (self, &config);
  config.train.batch = urb_train_options_count_parts (&config.train) * config.train.accumulate;
  problem = check_options (self, &config.train);
  return problem == NULL && !urbarium_trial_is_active (self->trial) && self->hosts == NULL;
}

char *
urbarium_run_settings_check (UrbariumRunSettings *self)
{
  const char *refused = urbarium_forecast_get_error (self->forecast);
  g_auto(UrbRunConfig) config = { 0 };
  char *text;
  urbarium_run_settings_get_config (self, &config);
  text = check_options (self, &config.train);
  if (text == NULL && refused != NULL)
    text = g_strdup (refused);
  return text != NULL ? text : check_memory (self);
}
