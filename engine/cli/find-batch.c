/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find-batch.c - see find-batch.h.
 */
#include "cli/find-batch.h"

#include <math.h>
#include <stdio.h>

#include "base/json-build.h"
#include "cli/bench-run.h"
#include "cli/cli.h"
#include "train/batch-finder.h"

enum { MOST_S = 120, N_WARMUP = 1 };

typedef struct
{
  const UrbRunConfig *config; /* borrowed */
  gboolean            quiet;
} Measure;

/* Ranks that are processes are measured by a run. */
static double
measure (const UrbTrainOptions *options, int n_steps, gpointer user_data, GError **error)
{
  const Measure *self = user_data;
  g_auto(UrbRunConfig) config = { 0 };
  g_auto(UrbBench) bench = { 0 };

  if (!self->quiet)
    fprintf (stderr, "Batch %d, %d steps …\n", options->batch, n_steps);
  urb_run_config_copy (&config, self->config);
  config.train.batch = options->batch;
  config.train.n_steps = options->n_steps;
  if (!(urb_train_options_have_processes (options)
          ? urb_cli_bench_run (&config, N_WARMUP + n_steps, urb_cli_get_cancellable (), &bench, error)
          : urb_bench_run (&config.train, N_WARMUP, n_steps, FALSE, urb_cli_get_cancellable (), &bench, error)))
    return 0;
  return bench.images_per_second;
}

static void
print_trial (const UrbBatchTrial *trial)
{
  g_autofree char *bytes = g_format_size_full ((guint64) trial->bytes, G_FORMAT_SIZE_IEC_UNITS);

  if (isnan (trial->images_per_second))
    g_print ("batch %6d  %12s  %s\n", trial->batch, bytes, trial->has_failed ? "failed" : "not measured");
  else
    g_print ("batch %6d  %12s  %.1f images/s\n", trial->batch, bytes, trial->images_per_second);
}

static void
print_largest (const UrbBatchSearch *self, const UrbTrainOptions *options)
{
  int largest = urb_batch_search_get_trial (self, self->largest)->batch;
  g_autofree char *available = g_format_size_full ((guint64) self->available, G_FORMAT_SIZE_IEC_UNITS);

  if (self->failure != NULL)
    g_print ("Largest that worked: --batch %d.  A batch of %d failed: %s\n", largest,
             urb_batch_search_get_trial (self, self->trials->len - 1)->batch, self->failure);
  else if (self->is_bound && self->n_areas > 0)
    g_print ("Largest: --batch %d.  A larger one would have areas twice: the dataset has %" G_GINT64_FORMAT
             " for training.\n", largest, self->n_areas);
  else if (self->is_bound)
    g_print ("Largest: --batch %d, the most that a run may have.\n", largest);
  else if (options->rank_memory > 0)
    g_print ("Largest that fits: --batch %d.\n", largest);
  else
    g_print ("Largest that fits: --batch %d, into %s.\n", largest, available);
}

static void
print_text (const UrbBatchSearch *self, const UrbTrainOptions *options)
{
  const UrbBatchTrial *fastest = urb_batch_search_get_trial (self, self->fastest);

  for (guint i = 0; i < self->trials->len; i++)
    print_trial (urb_batch_search_get_trial (self, i));
  g_print ("Fastest per image: --batch %d, %.1f images/s%s.\n", fastest->batch, fastest->images_per_second,
           self->is_short ? " (larger ones would have taken too long to measure)" : "");
  print_largest (self, options);
  g_print ("Another batch may need other learning rates (--find-rates).\n");
}

static void
print_json (const UrbBatchSearch *self)
{
  JsonBuilder *json = urb_json_new ();

  urb_json_add_int (json, "fastest", urb_batch_search_get_trial (self, self->fastest)->batch);
  urb_json_add_int (json, "largest", urb_batch_search_get_trial (self, self->largest)->batch);
  urb_json_add_bool (json, "largest_possible", self->is_bound);
  if (self->is_bound && self->n_areas > 0)
    urb_json_add_int (json, "training_areas", self->n_areas);
  if (self->failure != NULL)
    urb_json_add_string (json, "failure", self->failure);
  urb_json_add_bool (json, "out_of_time", self->is_short);
  if (self->available != G_MAXINT64)
    urb_json_add_int (json, "bytes_available", self->available);
  urb_json_begin_array (json, "trials");
  for (guint i = 0; i < self->trials->len; i++)
    {
      const UrbBatchTrial *trial = urb_batch_search_get_trial (self, i);

      urb_json_begin_object (json, NULL);
      urb_json_add_int (json, "batch", trial->batch);
      urb_json_add_int (json, "bytes", trial->bytes);
      urb_json_add_double (json, "images_per_second", trial->images_per_second);
      if (trial->has_failed)
        urb_json_add_bool (json, "failed", TRUE);
      urb_json_end_object (json);
    }
  urb_json_end_array (json);
  urb_cli_print_json (json);
}

int
urb_cli_find_batch (const UrbRunConfig *config, const UrbCliSession *session)
{
  const UrbKeeping keeping = { .keep_checkpoints = config->keep_checkpoints,
                               .several_hosts = urb_run_config_has_hosts (config) };
  Measure measurement = { config, session->quiet || session->json };
  g_auto(UrbBatchSearch) search = { 0 };
  g_autoptr(GError) error = NULL;
  UrbLimits limits;

  urb_limits_read (&limits, NULL);
  if (keeping.several_hosts)
    urb_options_fail (&error, "Batches are measured on this machine alone: leave out --hosts, or measure whole runs, as "
                              "in --several batch=64,128.");
  if (error != NULL || !urb_limits_read_device (&limits, &config->train, &error)
      || !urb_batches_find (&config->train, &keeping, &limits, MOST_S, measure, &measurement,
                            urb_cli_get_cancellable (), &search, &error))
    return urb_cli_fail (error);
  if (session->json)
    print_json (&search);
  else
    print_text (&search, &config->train);
  return URB_EXIT_OK;
}
