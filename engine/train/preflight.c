/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preflight.c - see preflight.h.
 */
#include "train/preflight-private.h"

#include <string.h>
#include <sys/resource.h>

#include <glib/gstdio.h>

#include "base/free-space.h"
#include "dataset/sample-grid.h"
#include "parallel/check.h"
#include "train/bench.h"
#include "train/device.h"
#include "train/memory.h"
#include "train/network-pair.h"

#define SHARED_MEMORY_FOLDER "/dev/shm"

/* Of the supervisor itself: database, lock, log, sockets and up to 32 clients; and for each worker. */
enum { OWN_DESCRIPTORS = 64, DESCRIPTORS_PER_PROCESS = 4 };

static const char *const resource_names[URB_N_RESOURCES] = {
  [URB_RESOURCE_MEMORY] = "memory",           [URB_RESOURCE_SHARED_MEMORY] = "shared-memory",
  [URB_RESOURCE_DESCRIPTORS] = "descriptors", [URB_RESOURCE_DISK] = "disk",
  [URB_RESOURCE_CORES] = "cores",             [URB_RESOURCE_PROCESS] = "process",
  [URB_RESOURCE_RANK] = "rank-memory",         [URB_RESOURCE_OFFLOAD] = "offload",
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
/* Limits of the machine                                                     */

/* The folder of a run may not exist yet: its nearest parent that does counts. (transfer full) */
static char *
find_existing (const char *folder)
{
  char *path = g_canonicalize_filename (folder, NULL);

  while (!g_file_test (path, G_FILE_TEST_IS_DIR) && strlen (path) > 1)
    {
      g_autofree char *below = g_steal_pointer (&path);

      path = g_path_get_dirname (below);
    }
  return path;
}

static gint64
get_disk (const char *path)
{
  GStatBuf info;

  return g_stat (path, &info) == 0 ? (gint64) info.st_dev : -1;
}

void
urb_limits_read (UrbLimits *self, const char *folder)
{
  g_autofree char *path = folder != NULL ? find_existing (folder) : NULL;
  struct rlimit files;
  gboolean bounded = getrlimit (RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != RLIM_INFINITY;

  *self = (UrbLimits) { .available = {
    [URB_RESOURCE_MEMORY] = urb_memory_get_of_host (),
    [URB_RESOURCE_SHARED_MEMORY] = urb_free_space_get_bytes (SHARED_MEMORY_FOLDER),
    [URB_RESOURCE_DESCRIPTORS] = bounded ? (gint64) files.rlim_cur : G_MAXINT64,
    [URB_RESOURCE_DISK] = path != NULL ? urb_free_space_get_bytes (path) : G_MAXINT64,
    [URB_RESOURCE_CORES] = g_get_num_processors (),
    [URB_RESOURCE_PROCESS] = urb_memory_get_of_process (),
    [URB_RESOURCE_RANK] = G_MAXINT64,
    [URB_RESOURCE_OFFLOAD] = G_MAXINT64,
  }, .disk = path != NULL ? get_disk (path) : -1 };
}

static void
read_offload (UrbLimits *self, const UrbTrainOptions *options)
{
  g_autofree char *path = NULL;

  if (options->offload == NULL)
    return;
  self->available[URB_RESOURCE_OFFLOAD] = urb_memory_get_of_host ();
  if (!urb_train_options_offload_to_folder (options))
    return;
  path = find_existing (options->offload);
  self->available[URB_RESOURCE_OFFLOAD] = urb_free_space_get_bytes (path);
  self->offloads_to_disk = self->disk >= 0 && get_disk (path) == self->disk;
}

gboolean
urb_limits_read_device (UrbLimits *self, const UrbTrainOptions *options, GError **error)
{
  read_offload (self, options);
  if (urb_device_is_host (options->backend))
    return TRUE;
  self->available[URB_RESOURCE_MEMORY] = G_MAXINT64;
  for (int i = 0; i < urb_train_options_count_devices (options); i++)
    {
      g_autofree char *name = urb_device_dup_of_rank (options->backend, i);
      g_autoptr(UkBackend) backend = urb_device_open (name, options->precision, 1, error);

      if (backend == NULL)
        return FALSE;
      /* This process's context is already subtracted; the first rank's takes its place. */
      self->available[URB_RESOURCE_MEMORY]
        = MIN (self->available[URB_RESOURCE_MEMORY], urb_device_get_available (backend));
    }
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* Words                                                                     */

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
  if (self == URB_RESOURCE_RANK)
    return g_strdup_printf ("the limit is %g GB, %s", (double) available * 1e-9, bytes);
  return g_strdup_printf ("there is %s", bytes);
}

/* "the other", "each of the other 3", of @n in all */
static char *
describe_others (int n)
{
  return n == 2 ? g_strdup ("the other") : g_strdup_printf ("each of the other %d", n - 1);
}

/* ", 768.0 MiB (estimated) for CUDA itself in the other process"; "" if there is no other. */
static char *
describe_contexts (const UrbPreflight *self)
{
  int n = urb_preflight_count_on_first (self, self->n_processes);
  g_autofree char *others = describe_others (n);
  g_autofree char *bytes = format_bytes (self->context_bytes);

  if (self->context_bytes == 0 || n == 1)
    return g_strdup ("");
  return g_strdup_printf (", %s (estimated) for CUDA itself in %s process%s", bytes, others,
                          n == 2 ? "" : "es");
}

/* Of each rank but the first, "at most" if they differ. */
static char *
describe_other (const UrbPreflight *self)
{
  gint64 least = G_MAXINT64, most = 0;
  g_autofree char *text = NULL;

  for (guint rank = 1; rank < self->rank_bytes->len; rank++)
    {
      least = MIN (least, g_array_index (self->rank_bytes, gint64, rank));
      most = MAX (most, g_array_index (self->rank_bytes, gint64, rank));
    }
  text = format_bytes (most);
  return least == most ? g_steal_pointer (&text) : g_strdup_printf ("at most %s", text);
}

static char *
describe_memory (const UrbPreflight *self, const UrbKeeping *keeping, gint64 needed)
{
  g_autofree char *all = format_bytes (needed);
  g_autofree char *first = format_bytes (g_array_index (self->rank_bytes, gint64, 0));
  g_autofree char *shared = format_bytes (self->shared_bytes);
  g_autofree char *served = format_bytes (self->served_bytes);
  g_autofree char *others = describe_others (self->n_ranks);
  g_autofree char *contexts = describe_contexts (self);
  g_autofree char *other = NULL;
  const char *where = self->on_gpu ? " of the GPU's memory" : "";
  int n_more = urb_preflight_count_on_first (self, self->n_ranks) - 1;

  if (self->n_ranks == 1)
    return g_strconcat (all, where, NULL);
  other = describe_other (self);
  if (keeping->is_hub && !self->on_gpu)
    return g_strdup_printf ("%s for the first rank, %s for what the others exchange through it, %s for each other one, "
                            "wherever it is", first, served, other);
  if (keeping->several_hosts)
    return g_strdup_printf ("%s for the first rank, %s for each other one, wherever it is", first,
                            other);
  /* The first of several GPUs has at least as many ranks as any other. */
  if (self->n_gpus > 1 && n_more == 0)
    return g_strdup_printf ("%s of the first GPU's memory, %s of each other one's", all, other);
  if (self->n_gpus > 1)
    return g_strdup_printf ("%s of the first GPU's memory: %s for the first rank, %s for each of %d "
                            "more there%s", all, first, other, n_more, contexts);
  return g_strdup_printf ("%s%s: %s for the first rank, %s for %s%s%s%s%s", all, where, first, other,
                          others, self->shared_bytes > 0 ? ", " : "",
                          self->shared_bytes > 0 ? shared : "",
                          self->shared_bytes > 0 ? " shared by all" : "", contexts);
}

/* ------------------------------------------------------------------------ */
/* Findings: the need, and what would help where it is not met               */

static void
judge_memory (UrbPreflight *self, UrbFinding *finding, const UrbTrainOptions *options,
              const UrbKeeping *keeping)
{
  finding->needed = urb_preflight_sum_memory (self, keeping);
  finding->text = describe_memory (self, keeping, finding->needed);
}

static void
judge_shared_memory (UrbPreflight *self, UrbFinding *finding, const UrbTrainOptions *options,
                     const UrbKeeping *keeping)
{
  g_autofree char *bytes = format_bytes (self->shared_bytes);
  /* A device's shared blocks are in its own memory. */
  gboolean named = strcmp (options->sharing, "file_system") == 0 && !self->on_gpu
                   && self->shared_bytes > 0;

  finding->needed = named ? self->shared_bytes : 0;
  finding->text = g_strdup_printf ("%s in " SHARED_MEMORY_FOLDER, named ? bytes : "none");
  if (finding->needed > finding->available)
    finding->remedy = g_strdup ("fits if --sharing file_descriptor");
}

static void
judge_descriptors (UrbPreflight *self, UrbFinding *finding, const UrbTrainOptions *options,
                   const UrbKeeping *keeping)
{
  finding->needed = OWN_DESCRIPTORS + (gint64) DESCRIPTORS_PER_PROCESS * self->n_processes;
  finding->text = g_strdup_printf ("at most %" G_GINT64_FORMAT " open files", finding->needed);
  if (finding->needed > finding->available)
    finding->remedy = g_strdup_printf ("fits after “ulimit -n %" G_GINT64_FORMAT "”", finding->needed);
}

/* About the pixels of the tiles: they are compressed, but those of small ones are drawn larger. */
static gint64
count_sample_bytes (const UrbPreflight *self, const UrbKeeping *keeping)
{
  enum { N_CHANNELS = 3 };
  const UrbPlan *first = self->plans->pdata[0];
  gint64 edge_px = (gint64) first->size_px * urb_sample_grid_choose_edge (first->size_px);

  return keeping->n_samples * edge_px * edge_px * N_CHANNELS;
}

static void
judge_disk (UrbPreflight *self, UrbFinding *finding, const UrbTrainOptions *options,
            const UrbKeeping *keeping)
{
  gint64 samples = count_sample_bytes (self, keeping), n;
  gint64 n_kept = (finding->available - samples) / MAX (self->checkpoint_bytes, 1) - 1;
  gboolean by_time = keeping->checkpoint_every == 0; /* an unknown number; at least the last */
  g_autofree char *all = NULL, *one = format_bytes (self->checkpoint_bytes);

  /* One more than are kept: a new checkpoint is complete before an old one is deleted. */
  if (keeping->keep_checkpoints > 0)
    n = MAX (keeping->keep_checkpoints - keeping->n_checkpoints, 0) + 1;
  else
    n = by_time ? 1 : options->n_steps / keeping->checkpoint_every + 1;
  if (__builtin_mul_overflow (n, self->checkpoint_bytes, &finding->needed)
      || __builtin_add_overflow (finding->needed, samples, &finding->needed))
    finding->needed = G_MAXINT64;
  all = format_bytes (finding->needed);
  finding->text = g_strdup_printf ("%s%s for checkpoints of %s each%s",
                                   keeping->keep_checkpoints == 0 && by_time ? "at least " : "", all,
                                   one, samples > 0 ? " and for sample grids" : "");
  if (finding->needed > finding->available)
    finding->remedy = n_kept < 1
                        ? g_strdup ("fits after some files were deleted")
                        : g_strdup_printf ("fits if --keep-checkpoints %" G_GINT64_FORMAT, n_kept);
}

/* Too few cores are slow, but they do. */
static void
judge_cores (UrbPreflight *self, UrbFinding *finding, const UrbTrainOptions *options,
             const UrbKeeping *keeping)
{
  const char *s = self->n_threads == 1 ? "" : "s";
  gint64 n_ranks = MAX (finding->available, 1);

  if (self->on_gpu)
    {
      finding->text = g_strdup ("a GPU computes");
      return;
    }
  finding->needed = (gint64) self->n_threads * (keeping->several_hosts ? 1 : self->n_ranks);
  finding->text = self->n_ranks == 1
                    ? g_strdup_printf ("%d thread%s", self->n_threads, s)
                    : g_strdup_printf ("%d ranks of %d thread%s", self->n_ranks, self->n_threads, s);
  if (finding->needed <= finding->available)
    return;
  if (options->strategy == URB_STRATEGY_MESH && finding->available < self->n_ranks)
    {
      finding->remedy = g_strdup_printf ("better with a mesh of %" G_GINT64_FORMAT " ranks", n_ranks);
      return;
    }
  /* Synchronous ranks have equal shares of the batch. */
  while (urb_strategy_shares_batch (options->strategy) && n_ranks > 1
         && options->batch % (n_ranks * options->accumulate) != 0)
    n_ranks--;
  finding->remedy = finding->available >= self->n_ranks
                      ? g_strdup_printf ("better with --threads %" G_GINT64_FORMAT, finding->available)
                      : g_strdup_printf ("better with --ranks %" G_GINT64_FORMAT, n_ranks);
}

static void
judge_process (UrbPreflight *self, UrbFinding *finding, const UrbTrainOptions *options,
               const UrbKeeping *keeping)
{
  g_autofree char *bytes = NULL;

  finding->needed = urb_preflight_get_process (self, keeping);
  bytes = format_bytes (finding->needed);
  finding->text = self->n_processes == 1
                    ? g_strdup_printf ("%s of one process", bytes)
                    : g_strdup_printf ("%s of the largest of %d processes", bytes, self->n_processes);
}

static void
judge_rank (UrbPreflight *self, UrbFinding *finding, const UrbTrainOptions *options, const UrbKeeping *keeping)
{
  g_autofree char *bytes = NULL;

  finding->needed = urb_preflight_get_largest (self);
  bytes = format_bytes (finding->needed);
  finding->text = g_strdup_printf (self->n_ranks == 1 ? "%s" : "%s of the largest rank", bytes);
}

/* Checkpoints on the same disk come first. */
static void
judge_offload (UrbPreflight *self, UrbFinding *finding, const UrbTrainOptions *options,
               const UrbKeeping *keeping)
{
  const UrbPlan *first = self->plans->pdata[0];
  g_autofree char *bytes = NULL;

  finding->needed = keeping->several_hosts ? first->bytes_outside : self->outside_bytes;
  bytes = format_bytes (finding->needed);
  if (options->offload == NULL)
    finding->text = g_strdup ("none");
  else
    finding->text = g_strdup_printf ("%s for moments and averages in %s", bytes,
                                     urb_train_options_offload_to_folder (options) ? options->offload
                                                                                   : "the host's memory");
  if (finding->needed > finding->available)
    finding->remedy = g_strdup ("fits with --offload to a folder with more room");
}

/* Asynchronous ranks exchange nothing. */
static gboolean
check_programs (const UrbPreflight *self, GError **error)
{
  g_autofree UrbProgram **programs = g_new (UrbProgram *, (gsize) self->n_ranks);

  for (int rank = 0; rank < self->n_ranks; rank++)
    programs[rank] = urb_preflight_get_plan (self, rank)->compiled->program;
  return urb_strategy_is_asynchronous (self->strategy)
         || urb_programs_check (programs, self->n_ranks, &self->mesh, error);
}

/* What would fit into the memory of the host, of its processes and of each rank. */
static void
advise (UrbPreflight *self, const UrbTrainOptions *options, UrbDataset *dataset, const UrbKeeping *keeping)
{
  static const UrbResource memories[] = { URB_RESOURCE_MEMORY, URB_RESOURCE_PROCESS, URB_RESOURCE_RANK };
  g_autofree char *remedy = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (memories); i++)
    {
      UrbFinding *finding = &self->findings[memories[i]];

      if (finding->fit != URB_FIT_NO)
        continue;
      if (remedy == NULL)
        remedy = urb_preflight_find_memory_remedy (options, dataset, keeping,
                                                   self->findings[URB_RESOURCE_MEMORY].available,
                                                   self->findings[URB_RESOURCE_PROCESS].available);
      finding->remedy = g_strconcat (remedy, memories[i] == URB_RESOURCE_RANK ? ", or with more --rank-memory" : NULL, NULL);
    }
}

gboolean
urb_preflight_make (const UrbTrainOptions *options, const UrbKeeping *keeping,
                    const UrbLimits *limits, UrbPreflight *out, GError **error)
{
  static void (*const judges[URB_N_RESOURCES]) (UrbPreflight *, UrbFinding *, const UrbTrainOptions *,
                                                const UrbKeeping *) = {
    [URB_RESOURCE_MEMORY] = judge_memory,           [URB_RESOURCE_SHARED_MEMORY] = judge_shared_memory,
    [URB_RESOURCE_DESCRIPTORS] = judge_descriptors, [URB_RESOURCE_DISK] = judge_disk,
    [URB_RESOURCE_CORES] = judge_cores,             [URB_RESOURCE_PROCESS] = judge_process,
    [URB_RESOURCE_RANK] = judge_rank,               [URB_RESOURCE_OFFLOAD] = judge_offload,
  };
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
    .mesh = urb_train_options_get_mesh (&used),
    .n_threads = MAX ((used.n_threads > 0 ? used.n_threads : cores) / used.n_ranks, 1),
    .on_gpu = !urb_device_is_host (used.backend),
  };
  if (!urb_preflight_measure_ranks (out, &used, dataset, error) || !check_programs (out, error))
    {
      urb_preflight_clear (out);
      return FALSE;
    }
  out->n_gpus = out->on_gpu && !keeping->several_hosts ? out->n_devices : 0;
  for (int i = 0; i < URB_N_RESOURCES; i++)
    {
      UrbFinding *finding = &out->findings[i];

      finding->available = i == URB_RESOURCE_RANK ? urb_train_options_get_rank_bytes (&used) : limits->available[i];
      if (i == URB_RESOURCE_OFFLOAD && limits->offloads_to_disk)
        finding->available = MAX (finding->available - out->findings[URB_RESOURCE_DISK].needed, 0);
      judges[i] (out, finding, &used, keeping);
      if (finding->needed > finding->available)
        finding->fit = i == URB_RESOURCE_CORES ? URB_FIT_TIGHT : URB_FIT_NO;
      out->fit = MAX (out->fit, finding->fit);
    }
  advise (out, &used, dataset, keeping);
  return TRUE;
}

void
urb_preflight_clear (UrbPreflight *self)
{
  g_clear_pointer (&self->rank_bytes, g_array_unref);
  g_clear_pointer (&self->plans, g_ptr_array_unref);
  g_clear_pointer (&self->plan_of, g_array_unref);
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
