/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preflight.c - see preflight.h.
 */
#include "cli/preflight.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "base/compare.h"
#include "base/json-build.h"
#include "cli/cli.h"
#include "run/store/folder.h"
#include "train/bench.h"
#include "train/device.h"

void
urb_cli_preflight_print (const UrbPreflight *self)
{
  g_autofree char *verdict = urb_preflight_dup_verdict (self);
  g_autofree char *advice = urb_preflight_dup_advice (self);

  g_print ("Pre-flight: %s, %d rank%s in %d process%s\n", urb_strategy_names[self->strategy],
           self->n_ranks, self->n_ranks == 1 ? "" : "s", self->n_processes,
           self->n_processes == 1 ? "" : "es");
  for (int i = 0; i < URB_N_RESOURCES; i++)
    {
      const UrbFinding *finding = &self->findings[i];
      g_autofree char *available = urb_resource_dup_available ((UrbResource) i, finding->available);

      g_print ("  %-14s %-13s %s; %s%s%s\n", urb_resource_get_name ((UrbResource) i),
               urb_fit_get_name (finding->fit), finding->text, available,
               finding->remedy != NULL ? "; " : "", finding->remedy != NULL ? finding->remedy : "");
    }
  g_print ("%s\n", verdict);
  if (advice != NULL)
    g_print ("%s\n", advice);
}

/* What the memory of a rank holds; the sum is that of "bytes_rank". */
static void
add_rank_memory (JsonBuilder *json, const UrbPreflight *self, int rank)
{
  const UrbPlan *plan = urb_preflight_get_plan (self, rank);
  gint64 weights = plan->bytes_weights + plan->bytes_packed, optimizer = plan->bytes_moments + plan->bytes_ema;

  urb_json_begin_object (json, NULL);
  urb_json_add_int (json, "weights", weights);
  urb_json_add_int (json, "optimizer", optimizer);
  urb_json_add_int (json, "work", plan->bytes_work);
  urb_json_add_int (json, "other", g_array_index (self->rank_bytes, gint64, (guint) rank) - weights - optimizer
                                     - plan->bytes_work);
  if (self->mesh.pipe > 1)
    {
      g_autofree char *layers = urb_plan_dup_layers (plan);

      urb_json_add_string (json, "layers", layers);
    }
  urb_json_end_object (json);
}

void
urb_cli_preflight_build_json (JsonBuilder *json, const UrbPreflight *self)
{
  g_autofree char *verdict = urb_preflight_dup_verdict (self);
  g_autofree char *advice = urb_preflight_dup_advice (self);

  urb_json_begin_object (json, "preflight");
  urb_json_add_string (json, "fit", urb_fit_get_name (self->fit));
  urb_json_add_string (json, "verdict", verdict);
  if (advice != NULL)
    urb_json_add_string (json, "advice", advice);
  urb_json_add_string (json, "strategy", urb_strategy_names[self->strategy]);
  urb_json_add_int (json, "ranks", self->n_ranks);
  urb_json_add_int (json, "processes", self->n_processes);
  urb_json_add_int (json, "threads", self->n_threads);
  urb_json_begin_array (json, "bytes_rank");
  for (guint i = 0; i < self->rank_bytes->len; i++)
    urb_json_add_int (json, NULL, g_array_index (self->rank_bytes, gint64, i));
  urb_json_end_array (json);
  urb_json_begin_array (json, "rank_memory");
  for (int rank = 0; rank < self->n_ranks; rank++)
    add_rank_memory (json, self, rank);
  urb_json_end_array (json);
  urb_json_add_int (json, "bytes_shared", self->shared_bytes);
  urb_json_add_int (json, "bytes_checkpoint", self->checkpoint_bytes);
  for (int i = 0; i < URB_N_RESOURCES; i++)
    {
      const UrbFinding *finding = &self->findings[i];

      urb_json_begin_object (json, urb_resource_get_name ((UrbResource) i));
      urb_json_add_string (json, "fit", urb_fit_get_name (finding->fit));
      urb_json_add_int (json, "needed", finding->needed);
      if (finding->available != G_MAXINT64)
        urb_json_add_int (json, "available", finding->available);
      urb_json_add_string (json, "text", finding->text);
      if (finding->remedy != NULL)
        urb_json_add_string (json, "remedy", finding->remedy);
      urb_json_end_object (json);
    }
  urb_json_end_object (json);
}

/* ------------------------------------------------------------------------ */
/* Questions, each answered by a child process with its exit code            */

typedef struct
{
  const char               *folder;             /* of the run, or of all runs */
  const UrbRunConfig       *configs;
  guint                     n_configs, n_at_once;
  const UrbCliPreflightRun *run;                /* (nullable) of one run */
  const char               *device;             /* (nullable) */
} Question;

/* Returns: the exit code */
static int
ask_child (int (*answer) (const Question *asked), const Question *asked)
{
  int status = 0;
  pid_t child;

  fflush (NULL); /* or both processes would print what is buffered */
  child = fork ();
  if (child == 0)
    _exit (answer (asked));
  while (child > 0 && waitpid (child, &status, 0) < 0)
    if (errno != EINTR)
      return URB_EXIT_OK; /* the worker will report what is wrong */
  /* A killed child ran out of memory, too. */
  return child < 0 || !WIFEXITED (status) ? URB_EXIT_DOES_NOT_FIT : WEXITSTATUS (status);
}

/* Counts the checkpoints that stay, and adds the bytes of those that will be deleted to the free disk. */
static int
count_checkpoints (const UrbCliPreflightRun *run, UrbLimits *limits)
{
  g_autoptr(GArray) steps = urb_run_folder_list_checkpoints (run->folder);
  gint64 *disk = &limits->available[URB_RESOURCE_DISK];
  int n = 0;

  for (guint i = 0; i < steps->len; i++)
    {
      gint64 step = g_array_index (steps, gint64, i);
      g_autofree char *name = urb_run_checkpoint_name (step);
      g_autofree char *path = g_build_filename (run->folder, name, NULL);
      GStatBuf info;

      if (step <= run->last_step)
        n++;
      else if (g_stat (path, &info) == 0)
        *disk += MIN ((gint64) info.st_size, G_MAXINT64 - *disk);
    }
  return n;
}

/* Of those that are drawn by time, as many as in a month, of which nearly as many stay as in a year. */
static gint64
count_new_samples (const UrbRunConfig *config)
{
  enum { A_MONTH = 30 * 24 * 60 };

  return urb_run_count_kept_samples (config->sample_every > 0 ? config->train.n_steps / config->sample_every + 1
                                                              : A_MONTH);
}

/* Of the machine, of a process, or of what the options leave to a rank. */
static gboolean
is_memory_short (const UrbPreflight *preflight)
{
  return preflight->findings[URB_RESOURCE_MEMORY].fit == URB_FIT_NO
         || preflight->findings[URB_RESOURCE_PROCESS].fit == URB_FIT_NO
         || preflight->findings[URB_RESOURCE_RANK].fit == URB_FIT_NO;
}

static int
check_one (const Question *asked)
{
  const UrbRunConfig *config = asked->configs;
  UrbKeeping keeping = { .keep_checkpoints = config->keep_checkpoints,
                         .checkpoint_every = config->checkpoint_every,
                         .n_samples = count_new_samples (config),
                         .several_hosts = urb_run_config_has_hosts (config),
                         .is_hub = config->master != NULL };
  g_auto(UrbPreflight) preflight = { 0 };
  g_autoptr(GError) error = NULL;
  g_autofree char *verdict = NULL, *advice = NULL;
  UrbLimits limits;

  /* The worker looks for a preset file from the run's folder, which a new run does not have yet. */
  if (asked->run->last_step >= 0 && chdir (asked->folder) != 0)
    return URB_EXIT_BAD_INPUT;
  urb_limits_read (&limits, asked->folder);
  keeping.n_checkpoints = count_checkpoints (asked->run, &limits);
  if (!urb_limits_read_device (&limits, &config->train, &error)
      || !urb_preflight_make (&config->train, &keeping, &limits, &preflight, &error))
    return urb_cli_fail (error);
  verdict = urb_preflight_dup_verdict (&preflight);
  if (!asked->run->quiet)
    {
      advice = urb_preflight_dup_advice (&preflight);
      if (advice != NULL)
        fprintf (stderr, "%s: %s\n", g_get_prgname (), advice);
      urb_cli_warn_of_cache (config->train.backend);
      if (preflight.fit == URB_FIT_TIGHT)
        fprintf (stderr, "%s: %s\n", g_get_prgname (), verdict);
    }
  if (preflight.fit != URB_FIT_NO)
    return URB_EXIT_OK;
  /* The exit code and the domain are those of the first resource that is short. */
  if (is_memory_short (&preflight) || preflight.findings[URB_RESOURCE_SHARED_MEMORY].fit == URB_FIT_NO)
    error = g_error_new_literal (URB_TRAIN_ERROR, URB_TRAIN_ERROR_MEMORY, verdict);
  else
    error = g_error_new_literal (G_FILE_ERROR,
                                 preflight.findings[URB_RESOURCE_DISK].fit == URB_FIT_NO
                                     || preflight.findings[URB_RESOURCE_OFFLOAD].fit == URB_FIT_NO
                                   ? G_FILE_ERROR_NOSPC : G_FILE_ERROR_MFILE, verdict);
  return urb_cli_fail (error);
}

int
urb_cli_preflight_check (const UrbRunConfig *config, const UrbCliPreflightRun *run)
{
  return ask_child (check_one, &(Question) { .folder = run->folder, .configs = config, .run = run });
}

static int
find_device (const Question *asked)
{
  g_autoptr(GError) error = NULL;
  int index;

  return urb_device_find (asked->device, &index, &error) != NULL
           ? URB_EXIT_OK : (int) urb_cli_fail (error);
}

/* A child asks, since CUDA works in no child of a process that has used it. */
int
urb_cli_preflight_check_device (const char *device)
{
  return ask_child (find_device, &(Question) { .device = device });
}

/* Memory of each run; 0 for one that cannot be planned, which will fail with its own error.
 * @verdict: (out): of the first that does not fit even alone */
static gint64 *
measure_all (const Question *asked, const UrbLimits *limits, char **verdict)
{
  gint64 *needed = g_new0 (gint64, asked->n_configs);

  for (guint i = 0; i < asked->n_configs; i++)
    {
      const UrbRunConfig *config = &asked->configs[i];
      UrbKeeping keeping = { .keep_checkpoints = config->keep_checkpoints,
                             .checkpoint_every = config->checkpoint_every,
                             .several_hosts = urb_run_config_has_hosts (config),
                             .is_hub = config->master != NULL };
      g_auto(UrbPreflight) preflight = { 0 };
      guint same = 0;

      while (same < i
             && (strcmp (asked->configs[same].train.preset, config->train.preset) != 0
                 || strcmp (asked->configs[same].train.recipe, config->train.recipe) != 0
                 || strcmp (asked->configs[same].train.backend, config->train.backend) != 0))
        same++;
      if (same < i)
        needed[i] = needed[same];
      else if (urb_preflight_make (&config->train, &keeping, limits, &preflight, NULL))
        {
          needed[i] = preflight.findings[URB_RESOURCE_MEMORY].needed;
          if (is_memory_short (&preflight) && *verdict == NULL)
            *verdict = urb_preflight_dup_verdict (&preflight);
        }
    }
  return needed;
}

static int
check_many (const Question *asked)
{
  gint64 context = urb_device_get_overhead (asked->configs[0].train.backend), sum = 0;
  guint n_at_once = MIN (asked->n_at_once, asked->n_configs), n_fitting = 0;
  g_autofree char *verdict = NULL, *all = NULL, *available = NULL, *bytes = NULL, *contexts = NULL;
  g_autofree gint64 *needed = NULL;
  g_autoptr(GError) error = NULL;
  UrbLimits limits;

  urb_limits_read (&limits, asked->folder);
  /* Simultaneous runs share one device; if it cannot be asked, each run will report it. */
  urb_limits_read_device (&limits, &asked->configs[0].train, NULL);
  needed = measure_all (asked, &limits, &verdict);
  /* In the worst case the largest run at the same time. */
  qsort (needed, asked->n_configs, sizeof *needed, urb_compare_int64s);
  for (guint i = 0; i < n_at_once; i++)
    {
      if (__builtin_add_overflow (sum, needed[asked->n_configs - 1 - i], &sum)
          || __builtin_add_overflow (sum, i > 0 ? context : 0, &sum))
        sum = G_MAXINT64;
      if (sum <= limits.available[URB_RESOURCE_MEMORY])
        n_fitting = i + 1;
    }
  if (n_fitting == n_at_once && verdict == NULL)
    return URB_EXIT_OK;
  if (verdict == NULL)
    {
      all = g_format_size_full ((guint64) sum, G_FORMAT_SIZE_IEC_UNITS);
      available = urb_resource_dup_available (URB_RESOURCE_MEMORY,
                                              limits.available[URB_RESOURCE_MEMORY]);
      bytes = g_format_size_full ((guint64) context, G_FORMAT_SIZE_IEC_UNITS);
      contexts = g_strdup_printf (", with %s (estimated) for CUDA itself in each but the first", bytes);
      verdict = g_strdup_printf ("Does not fit: memory, %s%s for %u runs at once%s, and %s (fits if "
                                 "--at-once %u).", all,
                                 context > 0 ? " of the GPU's memory" : "", n_at_once,
                                 context > 0 ? contexts : "", available, n_fitting);
    }
  error = g_error_new_literal (URB_TRAIN_ERROR, URB_TRAIN_ERROR_MEMORY, verdict);
  return urb_cli_fail (error);
}

int
urb_cli_preflight_check_many (const UrbRunConfig *configs, guint n_configs, guint n_at_once,
                              const char *folder)
{
  return ask_child (check_many, &(Question) { .folder = folder, .configs = configs,
                                              .n_configs = n_configs, .n_at_once = n_at_once });
}
