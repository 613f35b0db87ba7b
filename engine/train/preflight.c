/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preflight.c - see preflight.h.
 */
#include "train/preflight-private.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include "train/bench.h"
#include "train/device.h"
#include "train/memory.h"

#define SHARED_MEMORY_FOLDER "/dev/shm"

/* Of a supervisor, besides those of each worker: its database, lock, log and
 * sockets, and the 32 clients that may watch. */
enum { OWN_DESCRIPTORS = 64, DESCRIPTORS_PER_PROCESS = 4 };

static const char *const resource_names[URB_N_RESOURCES] = {
  [URB_RESOURCE_MEMORY] = "memory",           [URB_RESOURCE_SHARED_MEMORY] = "shared-memory",
  [URB_RESOURCE_DESCRIPTORS] = "descriptors", [URB_RESOURCE_DISK] = "disk",
  [URB_RESOURCE_CORES] = "cores",
};

const char *
urb_resource_get_name (UrbResource self)
{
  return resource_names[self];
}

const char *
urb_fit_get_name (UrbFit self)
{
  return self == URB_FIT_YES ? "fits" : self == URB_FIT_TIGHT ? "tight" : "does not fit";
}

/* ------------------------------------------------------------------------ */
/* What there is                                                             */

static gint64
get_free_bytes (const char *path)
{
  struct statvfs info;

  /* Those that count no blocks are no disk, such as /proc, or have no limit. */
  return statvfs (path, &info) == 0 && info.f_blocks > 0
           ? (gint64) info.f_bavail * (gint64) info.f_frsize : G_MAXINT64;
}

/* A run's folder may not be there yet: the nearest one above it that is. */
static gint64
get_free_disk (const char *folder)
{
  g_autofree char *path = g_canonicalize_filename (folder, NULL);

  while (!g_file_test (path, G_FILE_TEST_IS_DIR) && strlen (path) > 1)
    {
      char *parent = g_path_get_dirname (path);

      g_free (path);
      path = parent;
    }
  return get_free_bytes (path);
}

void
urb_limits_read (UrbLimits *self, const char *folder)
{
  struct rlimit files;
  gboolean bounded = getrlimit (RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != RLIM_INFINITY;

  *self = (UrbLimits) { .available = {
    [URB_RESOURCE_MEMORY] = urb_memory_get_available (),
    [URB_RESOURCE_SHARED_MEMORY] = get_free_bytes (SHARED_MEMORY_FOLDER),
    [URB_RESOURCE_DESCRIPTORS] = bounded ? (gint64) files.rlim_cur : G_MAXINT64,
    [URB_RESOURCE_DISK] = folder != NULL ? get_free_disk (folder) : G_MAXINT64,
    [URB_RESOURCE_CORES] = g_get_num_processors (),
  } };
}

/* ------------------------------------------------------------------------ */
/* What it takes                                                             */

static gint64
times (gint64 a, gint64 b)
{
  gint64 product;

  return __builtin_mul_overflow (a, b, &product) ? G_MAXINT64 : product;
}

int
urb_preflight_count_processes (const UrbTrainOptions *options)
{
  gboolean apart = options->strategy == URB_STRATEGY_HOGWILD
                   || (options->strategy == URB_STRATEGY_DDP
                       && strcmp (options->communicator, "mpi") == 0);

  return apart ? options->n_ranks : 1;
}

gboolean
urb_limits_read_device (UrbLimits *self, const UrbTrainOptions *options, GError **error)
{
  UkBackend *backend;

  if (urb_device_is_host (options->backend))
    return TRUE;
  backend = urb_device_open (options->backend, options->precision, 1, error);
  if (backend == NULL)
    return FALSE;
  /* Free beside this process's own context, in whose place there is that of the first rank. */
  self->available[URB_RESOURCE_MEMORY] = urb_device_get_available (backend);
  backend->table->close (backend);
  return TRUE;
}

/* Checkpoints that are written from now on until the oldest go: one more than
 * are kept, since the new one is whole before an old one is deleted. */
static gint64
count_checkpoints (const UrbTrainOptions *options, const UrbKeeping *keeping)
{
  gint64 all = keeping->checkpoint_every > 0
                 ? options->n_steps / keeping->checkpoint_every + 1
                 : 1; /* by time: nobody knows; at least the last */

  return keeping->keep_checkpoints > 0
           ? MAX (keeping->keep_checkpoints - keeping->n_checkpoints, 0) + 1
           : all;
}

/* ------------------------------------------------------------------------ */
/* What would help                                                           */

static char *
find_disk_remedy (const UrbPreflight *self, gint64 available)
{
  gint64 n = available / MAX (self->checkpoint_bytes, 1);

  return n < 2 ? g_strdup ("fits after some files were deleted")
               : g_strdup_printf ("fits if --keep-checkpoints %" G_GINT64_FORMAT, n - 1);
}

/* Ranks that share a batch have equal parts of it. */
static gint64
find_ranks (const UrbTrainOptions *options, gint64 n_cores)
{
  gboolean shares = urb_strategy_is_synchronous (options->strategy);
  gint64 n = MAX (n_cores, 1);

  while (shares && n > 1 && options->batch % (n * options->accumulate) != 0)
    n--;
  return n;
}

static char *
find_remedy (const UrbPreflight *self, UrbResource resource, const UrbTrainOptions *options,
             const UrbKeeping *keeping)
{
  gint64 needed = self->findings[resource].needed, available = self->findings[resource].available;

  switch (resource)
    {
    case URB_RESOURCE_MEMORY:
      return urb_preflight_find_memory_remedy (self, options, keeping, available);
    case URB_RESOURCE_SHARED_MEMORY:
      return g_strdup ("fits if --sharing file_descriptor");
    case URB_RESOURCE_DESCRIPTORS:
      return g_strdup_printf ("fits after “ulimit -n %" G_GINT64_FORMAT "”", needed);
    case URB_RESOURCE_DISK:
      return find_disk_remedy (self, available);
    case URB_RESOURCE_CORES:
      return available >= self->n_ranks
               ? g_strdup_printf ("better with --threads %" G_GINT64_FORMAT, available)
               : g_strdup_printf ("better with --ranks %" G_GINT64_FORMAT,
                                  find_ranks (options, available));
    case URB_N_RESOURCES:
      break;
    }
  g_return_val_if_reached (NULL);
}

/* ------------------------------------------------------------------------ */
/* In words                                                                  */

/* In the units of the plan above it. */
static char *
format_bytes (gint64 n_bytes)
{
  return g_format_size_full ((guint64) n_bytes, G_FORMAT_SIZE_IEC_UNITS);
}

char *
urb_resource_dup_available (UrbResource self, gint64 available)
{
  gboolean counted = self == URB_RESOURCE_DESCRIPTORS || self == URB_RESOURCE_CORES;
  g_autofree char *bytes = NULL;

  if (available == G_MAXINT64)
    return g_strdup (counted ? "there are any number" : "there is any amount");
  if (counted)
    return g_strdup_printf ("there %s %" G_GINT64_FORMAT, available == 1 ? "is" : "are", available);
  bytes = format_bytes (available);
  return g_strdup_printf ("there is %s", bytes);
}

/* "the other", "each of the other 3", of @n in all */
static char *
describe_others (int n)
{
  return n == 2 ? g_strdup ("the other") : g_strdup_printf ("each of the other %d", n - 1);
}

/* ", 768.0 MiB (estimated) for CUDA itself in the other process"; "" where there is none. */
static char *
describe_contexts (const UrbPreflight *self)
{
  int n = urb_preflight_count_on_first (self, self->n_processes);
  g_autofree char *others = describe_others (n);
  g_autofree char *bytes = format_bytes (self->context_bytes);

  return self->context_bytes == 0 || n == 1
           ? g_strdup ("")
           : g_strdup_printf (", %s (estimated) for CUDA itself in %s process%s", bytes, others,
                              n == 2 ? "" : "es");
}

/* Of the first of several GPUs, which has at least as many ranks as any other. */
static char *
describe_gpus (const UrbPreflight *self, const char *all, const char *first, const char *other)
{
  int n_more = urb_preflight_count_on_first (self, self->n_ranks) - 1;
  g_autofree char *contexts = describe_contexts (self);

  if (n_more == 0)
    return g_strdup_printf ("%s of the first GPU's memory, %s of each other one's", all, other);
  return g_strdup_printf ("%s of the first GPU's memory: %s for the first rank, %s for each of %d more "
                          "there%s", all, first, other, n_more, contexts);
}

static char *
describe_memory (const UrbPreflight *self, const UrbKeeping *keeping, gint64 needed)
{
  g_autofree char *first = format_bytes (g_array_index (self->rank_bytes, gint64, 0));
  g_autofree char *bytes = format_bytes (needed);
  g_autofree char *all = g_strconcat (bytes, self->on_gpu ? " of the GPU's memory" : NULL, NULL);
  g_autofree char *shared = format_bytes (self->shared_bytes);
  g_autofree char *others = describe_others (self->n_ranks);
  g_autofree char *contexts = describe_contexts (self);
  g_autofree char *other = NULL;

  if (self->n_ranks == 1)
    return g_steal_pointer (&all);
  other = format_bytes (g_array_index (self->rank_bytes, gint64, 1));
  if (keeping->several_hosts)
    return g_strdup_printf ("%s for the first rank, %s for each other one, wherever it is", first,
                            other);
  if (self->n_gpus > 1)
    return describe_gpus (self, bytes, first, other);
  if (self->shared_bytes > 0)
    return g_strdup_printf ("%s: %s for the first rank, %s for %s, %s shared by all%s", all, first,
                            other, others, shared, contexts);
  return g_strdup_printf ("%s: %s for the first rank, %s for %s%s", all, first, other, others,
                          contexts);
}

static char *
describe (const UrbPreflight *self, UrbResource resource, const UrbKeeping *keeping, gint64 needed)
{
  g_autofree char *bytes = format_bytes (needed);
  g_autofree char *one = format_bytes (self->checkpoint_bytes);

  switch (resource)
    {
    case URB_RESOURCE_MEMORY:
      return describe_memory (self, keeping, needed);
    case URB_RESOURCE_SHARED_MEMORY:
      return needed == 0 ? g_strdup ("none in " SHARED_MEMORY_FOLDER)
                         : g_strdup_printf ("%s in " SHARED_MEMORY_FOLDER, bytes);
    case URB_RESOURCE_DESCRIPTORS:
      return g_strdup_printf ("at most %" G_GINT64_FORMAT " open files", needed);
    case URB_RESOURCE_DISK:
      return g_strdup_printf ("%s%s for checkpoints of %s each",
                              keeping->keep_checkpoints == 0 && keeping->checkpoint_every == 0
                                ? "at least " : "", bytes, one);
    case URB_RESOURCE_CORES:
      if (self->on_gpu)
        return g_strdup ("a GPU computes");
      return self->n_ranks == 1
               ? g_strdup_printf ("%d thread%s", self->n_threads, self->n_threads == 1 ? "" : "s")
               : g_strdup_printf ("%d ranks of %d thread%s", self->n_ranks, self->n_threads,
                                  self->n_threads == 1 ? "" : "s");
    case URB_N_RESOURCES:
      break;
    }
  g_return_val_if_reached (NULL);
}

static gint64
get_needed (const UrbPreflight *self, UrbResource resource, const UrbTrainOptions *options,
            const UrbKeeping *keeping)
{
  switch (resource)
    {
    case URB_RESOURCE_MEMORY:
      return urb_preflight_sum_memory (self, keeping);
    case URB_RESOURCE_SHARED_MEMORY:
      return strcmp (options->sharing, "file_system") == 0 && urb_device_is_host (options->backend)
               ? self->shared_bytes : 0; /* a device's are in its memory */
    case URB_RESOURCE_DESCRIPTORS:
      return OWN_DESCRIPTORS + (gint64) DESCRIPTORS_PER_PROCESS * self->n_processes;
    case URB_RESOURCE_DISK:
      return times (count_checkpoints (options, keeping), self->checkpoint_bytes);
    case URB_RESOURCE_CORES:
      if (self->on_gpu)
        return 0; /* what feeds it waits most of the time */
      return keeping->several_hosts ? self->n_threads : (gint64) self->n_ranks * self->n_threads;
    case URB_N_RESOURCES:
      break;
    }
  g_return_val_if_reached (0);
}

static void
judge (UrbPreflight *self, UrbResource resource, const UrbTrainOptions *options,
       const UrbKeeping *keeping, const UrbLimits *limits)
{
  UrbFinding *finding = &self->findings[resource];

  finding->needed = get_needed (self, resource, options, keeping);
  finding->available = limits->available[resource];
  finding->text = describe (self, resource, keeping, finding->needed);
  if (finding->needed > finding->available)
    finding->fit = resource == URB_RESOURCE_CORES ? URB_FIT_TIGHT : URB_FIT_NO;
  if (finding->fit != URB_FIT_YES)
    finding->remedy = find_remedy (self, resource, options, keeping);
  self->fit = MAX (self->fit, finding->fit);
}

gboolean
urb_preflight_make (const UrbTrainOptions *options, const UrbKeeping *keeping,
                    const UrbLimits *limits, UrbPreflight *out, GError **error)
{
  g_auto(UrbTrainOptions) used = { 0 };
  g_autoptr(UrbDataset) dataset = NULL;
  int cores = (int) limits->available[URB_RESOURCE_CORES];

  if (!urb_plan_resolve (options, &used, error))
    return FALSE;
  if (used.dataset != NULL)
    {
      dataset = urb_dataset_open (used.dataset, error);
      if (dataset == NULL)
        return FALSE;
    }
  *out = (UrbPreflight) {
    .strategy = used.strategy,
    .n_ranks = used.n_ranks,
    .n_threads = MAX ((used.n_threads > 0 ? used.n_threads : cores) / used.n_ranks, 1),
    .on_gpu = !urb_device_is_host (used.backend),
    .dataset = dataset,
    .rank_bytes = g_array_new (FALSE, FALSE, sizeof (gint64)),
  };
  if (!urb_preflight_measure_ranks (out, &used, error))
    {
      urb_preflight_clear (out);
      return FALSE;
    }
  out->n_gpus = out->on_gpu && !keeping->several_hosts ? out->n_devices : 0;
  for (int i = 0; i < URB_N_RESOURCES; i++)
    judge (out, (UrbResource) i, &used, keeping, limits);
  out->dataset = NULL;
  return TRUE;
}

void
urb_preflight_clear (UrbPreflight *self)
{
  g_clear_pointer (&self->rank_bytes, g_array_unref);
  for (int i = 0; i < URB_N_RESOURCES; i++)
    {
      g_clear_pointer (&self->findings[i].text, g_free);
      g_clear_pointer (&self->findings[i].remedy, g_free);
    }
}

char *
urb_preflight_dup_advice (const UrbPreflight *self)
{
  gboolean in_step = urb_strategy_is_synchronous (self->strategy);
  g_autofree char *better = NULL;

  if (self->n_gpus == 0 || self->n_ranks <= self->n_gpus || !in_step)
    return NULL;
  better = self->n_gpus == 1 ? g_strdup ("one process (--strategy single)")
                             : g_strdup_printf ("one rank for each GPU (--ranks %d)", self->n_gpus);
  return g_strdup_printf ("%d ranks on %d GPU%s take turns, and what they send each other goes through "
                          "the host's memory: %s should be faster.",
                          self->n_ranks, self->n_gpus, self->n_gpus == 1 ? "" : "s", better);
}

char *
urb_preflight_dup_verdict (const UrbPreflight *self)
{
  g_autoptr(GString) text = g_string_new (self->fit == URB_FIT_NO ? "Does not fit" : "Fits");
  const char *separator = self->fit == URB_FIT_NO ? ": " : ", but: ";

  for (int i = 0; i < URB_N_RESOURCES; i++)
    if (self->findings[i].fit != URB_FIT_YES)
      {
        const UrbFinding *finding = &self->findings[i];
        g_autofree char *available
          = urb_resource_dup_available ((UrbResource) i, finding->available);

        g_string_append_printf (text, "%s%s, %s, and %s (%s)", separator,
                                urb_resource_get_name ((UrbResource) i), finding->text, available,
                                finding->remedy);
        separator = "; ";
      }
  g_string_append_c (text, '.');
  return g_string_free (g_steal_pointer (&text), FALSE);
}
