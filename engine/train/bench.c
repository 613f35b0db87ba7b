/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench.c - training speed, compared with the machine's measured peaks.
 */
#include "train/bench.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/compare.h"
#include "train/device.h"
#include "train/group.h"
#include "train/network-pair.h"

void
urb_bench_clear (UrbBench *self)
{
  urb_train_options_clear (&self->options);
  g_clear_pointer (&self->profile, g_free);
  g_clear_pointer (&self->layers, g_array_unref);
  g_clear_pointer (&self->slow, g_free);
}

/* Seconds since this process began, as the kernel counts them (resolution 10 ms); 0 if unknown. */
static double
seconds_of_life (void)
{
  g_autofree char *text = NULL;
  struct timespec now;
  const char *field;
  double begin;

  if (!g_file_get_contents ("/proc/self/stat", &text, NULL, NULL)
      || clock_gettime (CLOCK_BOOTTIME, &now) != 0)
    return 0;
  field = strrchr (text, ')'); /* the second field, a name in parentheses, may contain any
                                * character */
  for (int i = 2; i < 22 && field != NULL; i++)
    field = strchr (field + 1, ' ');
  begin = field != NULL ? g_ascii_strtod (field, NULL) / (double) sysconf (_SC_CLK_TCK) : 0;
  return begin > 0 ? (double) now.tv_sec + 1e-9 * (double) now.tv_nsec - begin : 0;
}

static gboolean
run_steps (UrbGroup *group, int n_steps, double *seconds, GCancellable *cancellable,
           GError **error)
{
  for (int i = 0; i < n_steps; i++)
    {
      UrbStepMetrics metrics;

      urb_trainer_allow_ahead (urb_group_get_trainer (group), i + 1 < n_steps);
      if (g_cancellable_set_error_if_cancelled (cancellable, error)
          || !urb_group_step (group, &metrics, error))
        return FALSE;
      if (seconds != NULL)
        seconds[i] = metrics.seconds;
    }
  return TRUE;
}

/* All benchmarked ranks are threads of this process. */
static gboolean
check_strategy (const UrbTrainOptions *options, GError **error)
{
  if (options->strategy == URB_STRATEGY_HOGWILD)
    g_set_error_literal (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS,
                         "The ranks of hogwild are processes of a run: give a --dataset, or measure "
                         "streams, which does the same with threads.");
  else if (urb_strategy_is_distributed (options->strategy)
           && strcmp (options->communicator, "mpi") == 0)
    g_set_error_literal (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS,
                         "The ranks of --communicator mpi are processes of a run, which mpirun "
                         "starts: train one and read its images per second, or measure "
                         "--communicator threads.");
  else
    return TRUE;
  return FALSE;
}

/* FLOPs of a step per image, of all ranks together; prepares nothing on the device. */
static gboolean
count_flops (const UrbTrainOptions *options, double *flops, GError **error)
{
  const UrbRank context = { .n_ranks = 1, .n_local = 1 };
  g_auto(UrbTrainOptions) alone = { 0 };
  g_auto(UrbCompiled) compiled = { 0 };

  urb_train_options_copy (&alone, options);
  alone.strategy = URB_STRATEGY_SINGLE;
  alone.n_ranks = 1;
  if (!urb_compile_on_paper (&alone, &context, &compiled, error))
    return FALSE;
  *flops = urb_program_get_flops (compiled.program) / compiled.program->batch;
  return TRUE;
}

gboolean
urb_bench_run (const UrbTrainOptions *options, int n_warmup, int n_steps, gboolean profile,
               GCancellable *cancellable, UrbBench *out, GError **error)
{
  g_autoptr(UrbGroup) group = NULL;
  g_autofree double *seconds = g_new (double, MAX (n_steps, 1));
  struct rusage usage;
  gint64 begin_us, end_us;
  double first, n_images, flops_per_image;

  if (!check_strategy (options, error))
    return FALSE;
  group = urb_group_new (options, NULL, error);
  if (group == NULL || !run_steps (group, n_warmup > 0 ? 1 : 0, NULL, cancellable, error))
    return FALSE;
  first = n_warmup > 0 ? seconds_of_life () : 0;
  if (!count_flops (options, &flops_per_image, error)
      || !run_steps (group, n_warmup - 1, NULL, cancellable, error))
    return FALSE;
  begin_us = g_get_monotonic_time ();
  if (!run_steps (group, n_steps, seconds, cancellable, error))
    return FALSE;
  end_us = g_get_monotonic_time ();
  getrusage (RUSAGE_SELF, &usage);
  *out = (UrbBench) { .n_steps = n_steps, .seconds_to_first_step = first,
                      .peak_rss_bytes = (gint64) usage.ru_maxrss * 1024 };
  urb_train_options_copy (&out->options, urb_trainer_get_options (urb_group_get_trainer (group)));
  qsort (seconds, (size_t) n_steps, sizeof *seconds, urb_compare_doubles);
  out->seconds_median = seconds[n_steps / 2];
  out->seconds_min = seconds[0];
  out->seconds_max = seconds[n_steps - 1];
  n_images = (double) urb_train_options_count_images (&out->options);
  out->images_per_second = n_images / out->seconds_median;
  if (options->strategy == URB_STRATEGY_STREAMS) /* ranks step concurrently */
    out->images_per_second = 1e6 * n_steps * n_images / (double) MAX (end_us - begin_us, 1);
  out->flops_per_second = flops_per_image * out->images_per_second;
  out->n_threads = urb_train_options_count_threads (options, options->n_ranks) * options->n_ranks;
  urb_device_measure_peaks (urb_trainer_get_backend (urb_group_get_trainer (group)), out->n_threads,
                            &out->peak_flops, &out->peak_copy);
  out->slow = urb_trainer_dup_slow (urb_group_get_trainer (group));
  if (!profile)
    return TRUE;
  urb_trainer_set_profiling (urb_group_get_trainer (group), TRUE);
  if (!run_steps (group, n_steps, NULL, cancellable, error))
    return FALSE;
  out->profile = urb_trainer_dup_profile (urb_group_get_trainer (group));
  out->layers = urb_trainer_list_layers (urb_group_get_trainer (group), &out->profiled_seconds);
  return TRUE;
}
