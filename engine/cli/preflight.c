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

#include "base/json-build.h"
#include "cli/cli.h"
#include "run/folder.h"
#include "train/bench.h"
#include "train/device.h"

void
urb_cli_preflight_print (const UrbPreflight *self)
{
  g_autofree char *verdict = urb_preflight_dup_verdict (self);
  g_autofree char *advice = urb_preflight_dup_advice (self);

  g_print ("Pre-flight: %s, %d rank%s in %d process%s\n", urb_strategy_get_name (self->strategy),
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

static void
build_resource (JsonBuilder *json, UrbResource resource, const UrbFinding *finding)
{
  urb_json_build_begin_object (json, urb_resource_get_name (resource));
  urb_json_build_string (json, "fit", urb_fit_get_name (finding->fit));
  urb_json_build_int (json, "needed", finding->needed);
  if (finding->available != G_MAXINT64)
    urb_json_build_int (json, "available", finding->available);
  urb_json_build_string (json, "text", finding->text);
  if (finding->remedy != NULL)
    urb_json_build_string (json, "remedy", finding->remedy);
  urb_json_build_end_object (json);
}

void
urb_cli_preflight_build_json (JsonBuilder *json, const UrbPreflight *self)
{
  g_autofree char *verdict = urb_preflight_dup_verdict (self);
  g_autofree char *advice = urb_preflight_dup_advice (self);

  urb_json_build_begin_object (json, "preflight");
  urb_json_build_string (json, "fit", urb_fit_get_name (self->fit));
  urb_json_build_string (json, "verdict", verdict);
  if (advice != NULL)
    urb_json_build_string (json, "advice", advice);
  urb_json_build_string (json, "strategy", urb_strategy_get_name (self->strategy));
  urb_json_build_int (json, "ranks", self->n_ranks);
  urb_json_build_int (json, "processes", self->n_processes);
  urb_json_build_int (json, "threads", self->n_threads);
  json_builder_set_member_name (json, "bytes_rank");
  json_builder_begin_array (json);
  for (guint i = 0; i < self->rank_bytes->len; i++)
    json_builder_add_int_value (json, g_array_index (self->rank_bytes, gint64, i));
  json_builder_end_array (json);
  urb_json_build_int (json, "bytes_shared", self->shared_bytes);
  urb_json_build_int (json, "bytes_checkpoint", self->checkpoint_bytes);
  for (int i = 0; i < URB_N_RESOURCES; i++)
    build_resource (json, (UrbResource) i, &self->findings[i]);
  urb_json_build_end_object (json);
}

/* ------------------------------------------------------------------------ */

/* Of the checkpoints that stay.
 * @n_bytes: (out): of those that don't */
static int
count_checkpoints (const UrbCliPreflightRun *run, gint64 *n_bytes)
{
  g_autoptr(GArray) steps = urb_run_folder_list_checkpoints (run->folder);
  int n = 0;

  *n_bytes = 0;
  for (guint i = 0; i < steps->len; i++)
    {
      gint64 step = g_array_index (steps, gint64, i);
      g_autofree char *name = urb_run_checkpoint_name (step);
      g_autofree char *path = g_build_filename (run->folder, name, NULL);
      GStatBuf info;

      if (step <= run->last_step)
        n++;
      else if (g_stat (path, &info) == 0)
        *n_bytes += info.st_size;
    }
  return n;
}

static void
read_limits (UrbLimits *self, const char *folder, gint64 n_deleted_bytes)
{
  gint64 *disk = &self->available[URB_RESOURCE_DISK];

  urb_limits_read (self, folder);
  *disk += MIN (n_deleted_bytes, G_MAXINT64 - *disk);
}

/* What does not keep a run from training. */
static void
tell_all (const char *command, const UrbPreflight *preflight, const UrbTrainOptions *used)
{
  g_autofree char *advice = urb_preflight_dup_advice (preflight);

  if (advice != NULL)
    fprintf (stderr, "urbarium-engine %s: %s\n", command, advice);
  urb_cli_warn_of_cache (command, used->backend);
}

/* Of what there is too little: the first of it. */
static GError *
create_error (const UrbPreflight *self)
{
  g_autofree char *verdict = urb_preflight_dup_verdict (self);

  if (self->findings[URB_RESOURCE_MEMORY].fit == URB_FIT_NO
      || self->findings[URB_RESOURCE_SHARED_MEMORY].fit == URB_FIT_NO)
    return g_error_new_literal (URB_TRAIN_ERROR, URB_TRAIN_ERROR_MEMORY, verdict);
  return g_error_new_literal (G_FILE_ERROR,
                              self->findings[URB_RESOURCE_DISK].fit == URB_FIT_NO
                                ? G_FILE_ERROR_NOSPC : G_FILE_ERROR_MFILE,
                              verdict);
}

/* Returns: the exit code */
static int
check (const char *command, const UrbRunConfig *config, const UrbCliPreflightRun *run,
       UrbCliPreflightTell tell)
{
  UrbKeeping keeping = { .keep_checkpoints = config->keep_checkpoints,
                         .checkpoint_every = config->checkpoint_every,
                         .several_hosts = config->hosts != NULL };
  g_auto(UrbTrainOptions) used = { 0 };
  g_auto(UrbPreflight) preflight = { 0 };
  g_autoptr(GError) error = NULL;
  g_autofree char *verdict = NULL;
  UrbLimits limits;
  gint64 n_deleted_bytes;

  if (!urb_plan_resolve (&config->train, &used, &error))
    return urb_cli_fail (command, error);
  if (run->waits)
    return URB_EXIT_OK;
  keeping.n_checkpoints = count_checkpoints (run, &n_deleted_bytes);
  read_limits (&limits, run->folder, n_deleted_bytes);
  if (!urb_limits_read_device (&limits, &used, &error)
      || !urb_preflight_make (&config->train, &keeping, &limits, &preflight, &error))
    return urb_cli_fail (command, error);
  if (tell == URB_CLI_PREFLIGHT_TELL_ALL)
    tell_all (command, &preflight, &used);
  if (preflight.fit == URB_FIT_YES
      || (preflight.fit == URB_FIT_TIGHT && tell == URB_CLI_PREFLIGHT_TELL_ERRORS))
    return URB_EXIT_OK;
  if (preflight.fit == URB_FIT_NO)
    {
      error = create_error (&preflight);
      return urb_cli_fail (command, error);
    }
  verdict = urb_preflight_dup_verdict (&preflight);
  fprintf (stderr, "urbarium-engine %s: %s\n", command, verdict);
  return URB_EXIT_OK;
}

/* Runs @func in a child process, which ends with what it returns.
 * Returns: the exit code */
static int
ask_child (int (*func) (gpointer data), gpointer data)
{
  int status = 0;
  pid_t child;

  fflush (NULL); /* else both would print it */
  child = fork ();
  if (child == 0)
    _exit (func (data));
  while (child > 0 && waitpid (child, &status, 0) < 0)
    if (errno != EINTR)
      return URB_EXIT_OK; /* the worker will say what is wrong */
  /* It was killed: the kernel, too, thinks that there is not enough of something. */
  return child < 0 || !WIFEXITED (status) ? URB_EXIT_DOES_NOT_FIT : WEXITSTATUS (status);
}

typedef struct
{
  const char               *command, *folder;
  const UrbRunConfig       *configs;
  guint                     n_configs, n_at_once;
  const UrbCliPreflightRun *run; /* the only one; NULL for several */
  UrbCliPreflightTell       tell;
} Question;

static int
check_one (gpointer data)
{
  const Question *asked = data;

  /* A preset of one's own is found from there, as by the worker; that of a new run is not there
   * yet. */
  if (asked->run->last_step >= 0 && chdir (asked->folder) != 0)
    return URB_EXIT_BAD_INPUT;
  return check (asked->command, asked->configs, asked->run, asked->tell);
}

int
urb_cli_preflight_check (const char *command, const UrbRunConfig *config,
                         const UrbCliPreflightRun *run, UrbCliPreflightTell tell)
{
  Question question = { .command = command, .folder = run->folder, .configs = config,
                        .n_configs = 1, .n_at_once = 1, .run = run, .tell = tell };

  return ask_child (check_one, &question);
}

typedef struct
{
  const char *command, *device;
} DeviceQuestion;

static int
find_device (gpointer data)
{
  const DeviceQuestion *asked = data;
  g_autoptr(GError) error = NULL;
  int index;

  return urb_device_find (asked->device, &index, &error) != NULL
           ? URB_EXIT_OK : (int) urb_cli_fail (asked->command, error);
}

/* In a child, too: CUDA, once it was asked, works in no child of this process any more. */
int
urb_cli_preflight_check_device (const char *command, const char *device)
{
  DeviceQuestion question = { command, device };

  return ask_child (find_device, &question);
}

/* ------------------------------------------------------------------------ */
/* Several runs at the same time                                             */

/* That of an earlier one with the same networks; -1: there is none. */
static gint64
find_same (const Question *asked, guint index, const gint64 *needed)
{
  const UrbTrainOptions *own = &asked->configs[index].train;

  for (guint i = 0; i < index; i++)
    if (strcmp (asked->configs[i].train.preset, own->preset) == 0
        && strcmp (asked->configs[i].train.recipe, own->recipe) == 0
        && strcmp (asked->configs[i].train.backend, own->backend) == 0)
      return needed[i];
  return -1;
}

/* 0 for one that cannot be planned: it will fail alone, and say why. */
static gint64
measure (const UrbRunConfig *config, const UrbLimits *limits, char **verdict)
{
  UrbKeeping keeping = { config->keep_checkpoints, 0, config->checkpoint_every,
                         config->hosts != NULL };
  g_auto(UrbPreflight) preflight = { 0 };

  if (!urb_preflight_make (&config->train, &keeping, limits, &preflight, NULL))
    return 0;
  if (preflight.findings[URB_RESOURCE_MEMORY].fit == URB_FIT_NO && *verdict == NULL)
    *verdict = urb_preflight_dup_verdict (&preflight);
  return preflight.findings[URB_RESOURCE_MEMORY].needed;
}

static int
compare_descending (const void *a, const void *b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x < y) - (x > y);
}

/* The largest of all may come together: so many of them fit.
 * @context: bytes that each but the first takes besides */
static guint
count_fitting (const gint64 *needed, guint n, gint64 context, gint64 available, gint64 *sum)
{
  guint n_fitting = 0;

  *sum = 0;
  for (guint i = 0; i < n; i++)
    {
      if (__builtin_add_overflow (*sum, needed[i], sum)
          || __builtin_add_overflow (*sum, i > 0 ? context : 0, sum))
        *sum = G_MAXINT64;
      if (*sum <= available)
        n_fitting = i + 1;
    }
  return n_fitting;
}

/* @context: bytes; 0: there is none */
static char *
describe_contexts (gint64 context)
{
  g_autofree char *bytes = g_format_size_full ((guint64) context, G_FORMAT_SIZE_IEC_UNITS);

  return context == 0 ? g_strdup ("")
                      : g_strdup_printf (", with %s (estimated) for CUDA itself in each but the first",
                                         bytes);
}

static int
check_many (gpointer data)
{
  const Question *asked = data;
  g_autofree gint64 *needed = g_new (gint64, asked->n_configs);
  const char *device = asked->configs[0].train.backend;
  gint64 context = urb_device_get_overhead (device);
  g_autoptr(GError) error = NULL;
  g_autofree char *verdict = NULL, *all = NULL, *there = NULL, *contexts = NULL;
  guint n_at_once = MIN (asked->n_at_once, asked->n_configs), n_fitting;
  gint64 available, sum;
  UrbLimits limits;

  urb_limits_read (&limits, asked->folder);
  /* Runs at the same time are on one device; where it cannot be asked, each run will say so. */
  urb_limits_read_device (&limits, &asked->configs[0].train, NULL);
  available = limits.available[URB_RESOURCE_MEMORY];
  for (guint i = 0; i < asked->n_configs; i++)
    {
      needed[i] = find_same (asked, i, needed);
      if (needed[i] < 0)
        needed[i] = measure (&asked->configs[i], &limits, &verdict);
    }
  qsort (needed, asked->n_configs, sizeof *needed, compare_descending);
  n_fitting = count_fitting (needed, n_at_once, context, available, &sum);
  if (n_fitting == n_at_once)
    return URB_EXIT_OK;
  if (n_fitting > 0)
    {
      all = g_format_size_full ((guint64) sum, G_FORMAT_SIZE_IEC_UNITS);
      there = urb_resource_dup_available (URB_RESOURCE_MEMORY, available);
      contexts = describe_contexts (context);
      verdict = g_strdup_printf ("Does not fit: memory, %s%s for %u runs at once%s, and %s (fits if "
                                 "--at-once %u).", all,
                                 context > 0 ? " of the GPU's memory" : "", n_at_once, contexts,
                                 there, n_fitting);
    }
  error = g_error_new_literal (URB_TRAIN_ERROR, URB_TRAIN_ERROR_MEMORY, verdict);
  return urb_cli_fail (asked->command, error);
}

int
urb_cli_preflight_check_many (const char *command, const UrbRunConfig *configs, guint n_configs,
                              guint n_at_once, const char *folder)
{
  Question question = { .command = command, .folder = folder, .configs = configs,
                        .n_configs = n_configs, .n_at_once = n_at_once };

  return ask_child (check_many, &question);
}
