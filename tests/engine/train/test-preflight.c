/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-preflight.c - whether runs fit on simulated machines.
 */
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "made-up-tiles.h"
#include "train/bench.h"
#include "train/device.h"
#include "train/preflight.h"

static const UrbLimits plenty = { .available = { G_MAXINT64, G_MAXINT64, G_MAXINT64, G_MAXINT64, 64,
                                                 G_MAXINT64, G_MAXINT64, G_MAXINT64 } };
static const UrbKeeping keeping = { .keep_checkpoints = 3 };

static void
set_up (UrbTrainOptions *options, UrbStrategy strategy, int n_ranks)
{
  urb_train_options_init (options);
  options->strategy = strategy;
  options->n_ranks = n_ranks;
  options->n_threads = 1;
  options->batch = 48;
}

static void
make (const UrbTrainOptions *options, const UrbKeeping *kept, const UrbLimits *limits,
      UrbPreflight *out)
{
  g_autoptr(GError) error = NULL;

  urb_preflight_make (options, kept, limits, out, &error);
  g_assert_no_error (error);
}

static gint64
get_rank (const UrbPreflight *self, int rank)
{
  return g_array_index (self->rank_bytes, gint64, rank);
}

/* The number behind "--option " in a remedy. */
static int
read_remedy (const UrbFinding *finding, const char *option)
{
  const char *at = finding->remedy != NULL ? strstr (finding->remedy, option) : NULL;

  if (at == NULL)
    g_test_message ("“%s” does not name %s", finding->remedy, option);
  g_assert_nonnull (at);
  return atoi (at + strlen (option));
}

static void
test_single (void)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_auto(UrbPreflight) preflight = { 0 };
  g_auto(UrbPlan) plan = { 0 };
  g_autofree char *verdict = NULL;
  g_autoptr(GError) error = NULL;

  set_up (&options, URB_STRATEGY_SINGLE, 1);
  make (&options, &keeping, &plenty, &preflight);
  g_assert_true (urb_plan_make_rank (&options, 0, NULL, &plan, &error));
  g_assert_no_error (error);
  g_assert_cmpint (preflight.fit, ==, URB_FIT_YES);
  g_assert_cmpint (preflight.findings[URB_RESOURCE_MEMORY].needed, ==, plan.bytes_total);
  g_assert_cmpint (preflight.shared_bytes, ==, 0);
  g_assert_cmpint (preflight.n_processes, ==, 1);
  verdict = urb_preflight_dup_verdict (&preflight);
  g_assert_cmpstr (verdict, ==, "Fits.");
}

/* Empty tiles of 64 pixels. */
static void
write_dataset (const char *path, gboolean soft, int n_areas)
{
  UrbDatasetInfo info = { .encoding = URB_ENCODING_RGB, .soft = soft, .resolution_px = 64,
                          .area_size_m = 250 };
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbDatasetWriter) writer = urb_dataset_writer_new (path, &info, NULL, &error);
  g_autofree guint8 *levels = g_malloc0 (64 * 64 * 3);

  g_assert_no_error (error);
  for (int i = 0; i < n_areas; i++)
    {
      UrbArea area = { .center_x = 1000.0 * i, .share = { 0.5, 0.25, 0.25 }, .variance = 0.5,
                       .coverage = 1, .split = URB_SPLIT_TRAIN };

      g_assert_true (made_up_tile_add (writer, &info, &area, NULL, levels, &error));
    }
  g_assert_true (urb_dataset_writer_finish (writer, &error));
}

/* The memory of a dataset: all of it, two batches and the one in use; a bit for each value if all
 * are 0 or 255. */
static void
test_dataset (void)
{
  enum { N_AREAS = 20, BATCH = 48, N_VALUES = 64 * 64 * 3, N_TILES = N_AREAS + 3 * BATCH };
  g_autofree char *folder = g_dir_make_tmp ("urbarium-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "areas.gpkg", NULL);
  g_auto(UrbTrainOptions) options = { 0 };
  g_auto(UrbPreflight) random = { 0 }, sharp = { 0 }, soft = { 0 }, missing = { 0 };
  g_autoptr(GError) error = NULL;

  set_up (&options, URB_STRATEGY_SINGLE, 1);
  options.refine = FALSE; /* these tiles are too coarse for it */
  make (&options, &keeping, &plenty, &random);
  options.dataset = g_strdup (path);
  write_dataset (path, FALSE, N_AREAS);
  make (&options, &keeping, &plenty, &sharp);
  write_dataset (path, TRUE, N_AREAS);
  make (&options, &keeping, &plenty, &soft);
  g_assert_cmpint (get_rank (&sharp, 0), ==, get_rank (&random, 0) + N_AREAS * N_VALUES / 8);
  g_assert_cmpint (get_rank (&soft, 0) - get_rank (&sharp, 0), ==, N_TILES * N_VALUES / 8 * 7);
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_false (urb_preflight_make (&options, &keeping, &plenty, &missing, &error));
  g_assert_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_OPEN);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
test_gpu (void)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_auto(UrbPreflight) one = { 0 }, two = { 0 };
  g_autofree char *bytes = NULL, *all = NULL;
  const char *why = NULL;

  if (uk_cuda_count (&why) == 0)
    {
      g_test_skip (why);
      return;
    }
  set_up (&options, URB_STRATEGY_SINGLE, 1);
  g_free (options.backend);
  options.backend = g_strdup ("cuda");
  make (&options, &keeping, &plenty, &one);
  bytes = g_format_size_full ((guint64) one.findings[URB_RESOURCE_MEMORY].needed,
                              G_FORMAT_SIZE_IEC_UNITS);
  all = g_strdup_printf ("%s of the GPU's memory", bytes);
  g_assert_cmpstr (one.findings[URB_RESOURCE_MEMORY].text, ==, all);
  options.strategy = URB_STRATEGY_HOGWILD;
  options.n_ranks = 2;
  make (&options, &keeping, &plenty, &two);
  g_assert_nonnull (strstr (two.findings[URB_RESOURCE_MEMORY].text, " of the GPU's memory: "));
  g_assert_true (g_str_has_suffix (two.findings[URB_RESOURCE_MEMORY].text,
                                   ", 768.0\u00a0MiB (estimated) for CUDA itself in the other process"));
}

/* Rank 0 has what goes in and out of the largest collective of each other rank, once it serves them. */
static void
test_hub (void)
{
  static const UrbKeeping elsewhere = { .several_hosts = TRUE }, hub = { .several_hosts = TRUE, .is_hub = TRUE };
  gint64 each = 0;

  for (int n_ranks = 2; n_ranks <= 4; n_ranks++)
    {
      g_auto(UrbTrainOptions) options = { 0 };
      g_auto(UrbPreflight) away = { 0 }, here = { 0 };
      gint64 more;

      set_up (&options, URB_STRATEGY_DDP, n_ranks);
      options.bucket_mib = 0.25;
      make (&options, &elsewhere, &plenty, &away);
      make (&options, &hub, &plenty, &here);
      more = here.findings[URB_RESOURCE_MEMORY].needed - away.findings[URB_RESOURCE_MEMORY].needed;
      g_assert_cmpint (here.findings[URB_RESOURCE_PROCESS].needed, ==, here.findings[URB_RESOURCE_MEMORY].needed);
      g_assert_cmpint (more, ==, here.served_bytes);
      g_assert_cmpint (more % (n_ranks - 1), ==, 0);
      each = n_ranks == 2 ? more : each;
      g_assert_cmpint (more / (n_ranks - 1), ==, each);
      g_assert_nonnull (strstr (here.findings[URB_RESOURCE_MEMORY].text, " for what the others exchange through it"));
    }
  /* A bucket that is full, or of one larger tensor. */
  g_assert_cmpint (each, >=, 2 * (1 << 18));
  g_assert_cmpint (each, <, 2 * (4 << 20));
}

/* The advice must be correct, and the smallest change that fits. */
static void
test_memory_remedies (void)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_auto(UrbPreflight) before = { 0 }, refused = { 0 }, after = { 0 }, hopeless = { 0 };
  UrbLimits limits = plenty;
  int accumulate;

  set_up (&options, URB_STRATEGY_SINGLE, 1);
  make (&options, &keeping, &plenty, &before);
  limits.available[URB_RESOURCE_MEMORY] = before.findings[URB_RESOURCE_MEMORY].needed - 1;
  make (&options, &keeping, &limits, &refused);
  g_assert_cmpint (refused.fit, ==, URB_FIT_NO);
  accumulate = read_remedy (&refused.findings[URB_RESOURCE_MEMORY], "--accumulate ");
  g_assert_cmpint (accumulate, ==, 2);
  options.accumulate = accumulate;
  make (&options, &keeping, &limits, &after);
  g_assert_cmpint (after.fit, ==, URB_FIT_YES);

  limits.available[URB_RESOURCE_MEMORY] = 1000;
  make (&options, &keeping, &limits, &hopeless);
  g_assert_cmpint (hopeless.fit, ==, URB_FIT_NO);
  g_assert_nonnull (strstr (hopeless.findings[URB_RESOURCE_MEMORY].remedy, "smaller preset"));
}

static gint64
measure (const UrbTrainOptions *options, int n_ranks, int batch, int accumulate)
{
  UrbTrainOptions tried = *options;
  g_auto(UrbPreflight) preflight = { 0 };

  tried.n_ranks = n_ranks;
  tried.batch = batch;
  tried.accumulate = accumulate;
  make (&tried, &keeping, &plenty, &preflight);
  return preflight.findings[URB_RESOURCE_MEMORY].needed;
}

/* Kernels of some processors need no more memory for five samples than for two. */
static int
find_least_accumulate (const UrbTrainOptions *options, int n_ranks, int batch, gint64 available)
{
  int accumulate = 1;

  while (batch % (n_ranks * accumulate) != 0 || measure (options, n_ranks, batch, accumulate) > available)
    accumulate++;
  return accumulate;
}

/* The advice with @available bytes of memory, which is checked. */
static char *
dup_remedy (const UrbTrainOptions *options, gint64 available)
{
  static const char *const names[] = { "--ranks ", "--batch ", "--accumulate " };
  g_auto(UrbPreflight) refused = { 0 }, after = { 0 };
  UrbTrainOptions tried = *options;
  int *const values[] = { &tried.n_ranks, &tried.batch, &tried.accumulate };
  UrbFinding *finding = &refused.findings[URB_RESOURCE_MEMORY];
  UrbLimits limits = plenty;

  limits.available[URB_RESOURCE_MEMORY] = available;
  make (options, &keeping, &limits, &refused);
  g_assert_cmpint (refused.fit, ==, URB_FIT_NO);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (strstr (finding->remedy, names[i]) != NULL)
      *values[i] = read_remedy (finding, names[i]);
  if (strstr (finding->remedy, "--precision bf16") != NULL)
    tried.precision = UK_BF16;
  if (strstr (finding->remedy, "--offload FOLDER") != NULL)
    tried.offload = (char *) "FOLDER"; /* its disk is as large as it must be */
  make (&tried, &keeping, &limits, &after);
  g_assert_cmpint (after.fit, ==, g_str_has_prefix (finding->remedy, "fits if") ? URB_FIT_YES
                                                                                : URB_FIT_NO);
  return g_steal_pointer (&finding->remedy);
}

/* The smallest change that fits, also where it takes two options. */
static void
test_least_change (void)
{
  static const struct { int n_ranks, batch, accumulate; const char *remedy; } rows[] = {
    { 4, 100, 5, "fits if --accumulate " },
    { 4, 100, 25, "fits if --accumulate " },
    { 2, 100, 50, "fits if --ranks 2 --accumulate " },
    { 1, 100, 50, "fits if --ranks 1 --accumulate " },
    { 1, 1, 1, "fits if --ranks 1 --batch " },
  };
  g_auto(UrbTrainOptions) options = { 0 };
  g_autofree char *offloaded = NULL, *none = NULL, *one = NULL;

  set_up (&options, URB_STRATEGY_HOGWILD, 200); /* too many to try each */
  one = dup_remedy (&options, measure (&options, 1, 48, 48));
  g_assert_cmpstr (one, ==, "fits if --ranks 1 --accumulate 48");

  options.strategy = URB_STRATEGY_DDP;
  options.n_ranks = 4;
  options.batch = 100;
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      gint64 available = measure (&options, rows[i].n_ranks, rows[i].batch, rows[i].accumulate);
      int least = find_least_accumulate (&options, rows[i].n_ranks, rows[i].batch, available);
      g_autofree char *remedy = dup_remedy (&options, available);
      g_autofree char *expected = g_strdup_printf ("%s%d", rows[i].remedy, least);

      g_assert_cmpstr (remedy, ==, expected);
    }
  offloaded = dup_remedy (&options, measure (&options, 1, 1, 1) - 1);
  g_assert_true (g_str_has_suffix (offloaded, " --offload FOLDER"));
  options.offload = g_strdup ("FOLDER");
  none = dup_remedy (&options, measure (&options, 1, 1, 1) - 1);
  g_assert_cmpstr (none, ==, "fits with a smaller preset only");
}

/* With any amount of memory, the advice fits; there is advice unless nothing fits. */
static void
test_always_true (gconstpointer strategy)
{
  g_auto(UrbTrainOptions) options = { 0 };
  gint64 smallest, needed;

  set_up (&options, (UrbStrategy) GPOINTER_TO_INT (strategy), 3);
  options.batch = 42;
  options.accumulate = 2;
  smallest = measure (&options, 1, 1, 1);
  needed = measure (&options, 3, 42, 2);
  for (int part = 0; part < 6; part++)
    {
      gint64 available = smallest + (needed - 1 - smallest) / 6 * part;
      g_autofree char *remedy = dup_remedy (&options, available);

      g_test_message ("%" G_GINT64_FORMAT ": %s", available, remedy);
      g_assert_true (g_str_has_prefix (remedy, "fits if --"));
    }
}

/* Fewer processes, and 16 bits instead of 32, free memory of a GPU. */
static void
test_gpu_remedies (void)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_autofree char *half = NULL, *fewer = NULL, *both = NULL, *small = NULL, *none = NULL;
  const char *why = NULL;
  gint64 one, two, smallest_half;

  if (uk_cuda_count (&why) == 0)
    {
      g_test_skip (why);
      return;
    }
  set_up (&options, URB_STRATEGY_HOGWILD, 2);
  g_free (options.backend);
  options.backend = g_strdup ("cuda");
  options.batch = 2;
  options.accumulate = 2; /* as many microbatches as possible */
  one = measure (&options, 1, 2, 2);
  two = measure (&options, 2, 2, 2);
  g_assert_cmpint (two - one, >, urb_device_get_overhead ("cuda"));
  fewer = dup_remedy (&options, two - 1);
  g_assert_cmpstr (fewer, ==, "fits if --ranks 1");
  both = dup_remedy (&options, one - 1);
  g_assert_cmpstr (both, ==, "fits if --ranks 1 --precision bf16");
  options.strategy = URB_STRATEGY_SINGLE;
  options.n_ranks = 1;
  one = measure (&options, 1, 2, 2);
  half = dup_remedy (&options, one - 1);
  g_assert_cmpstr (half, ==, "fits if --precision bf16");
  options.offload = g_strdup ("FOLDER"); /* nothing else is left to advise */
  options.batch = options.accumulate = 1;
  options.precision = UK_BF16;
  smallest_half = measure (&options, 1, 1, 1);
  options.precision = UK_FP32;
  options.batch = 48;
  small = dup_remedy (&options, smallest_half);
  g_assert_cmpstr (small, ==, "fits if --batch 1 --precision bf16");
  none = dup_remedy (&options, smallest_half - 1);
  g_assert_cmpstr (none, ==, "fits with a smaller preset only");
}

static void
test_disk (void)
{
  const struct { UrbKeeping keeping; gint64 n; } cases[] = {
    { { .keep_checkpoints = 3 }, 4 },
    { { .keep_checkpoints = 3, .n_checkpoints = 2 }, 2 },
    { { .keep_checkpoints = 3, .n_checkpoints = 9 }, 1 },
    { { .keep_checkpoints = 0, .checkpoint_every = 10 }, 11 },
    { { .keep_checkpoints = 0 }, 1 },
  };
  g_auto(UrbTrainOptions) options = { 0 };
  g_auto(UrbPreflight) refused = { 0 }, grids = { 0 };
  UrbKeeping with_samples;
  UrbLimits limits = plenty;
  gint64 one = 0;

  set_up (&options, URB_STRATEGY_SINGLE, 1);
  options.n_steps = 100;
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto(UrbPreflight) preflight = { 0 };

      make (&options, &cases[i].keeping, &plenty, &preflight);
      one = preflight.checkpoint_bytes;
      g_assert_cmpint (one, >, 0);
      g_assert_cmpint (preflight.findings[URB_RESOURCE_DISK].needed, ==, cases[i].n * one);
    }
  with_samples = cases[0].keeping;
  with_samples.n_samples = 10;
  make (&options, &with_samples, &plenty, &grids);
  g_assert_cmpint (grids.findings[URB_RESOURCE_DISK].needed, >, cases[0].n * one);
  g_assert_nonnull (strstr (grids.findings[URB_RESOURCE_DISK].text, " and for sample grids"));
  limits.available[URB_RESOURCE_DISK] = 3 * one;
  make (&options, &keeping, &limits, &refused);
  g_assert_cmpint (refused.findings[URB_RESOURCE_DISK].fit, ==, URB_FIT_NO);
  g_assert_cmpint (read_remedy (&refused.findings[URB_RESOURCE_DISK], "--keep-checkpoints "), ==, 2);
}

/* A run with too few cores is slow, but works. */
static void
test_cores (void)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_auto(UrbPreflight) tight = { 0 }, shared = { 0 }, fewer = { 0 }, followed = { 0 };
  g_autofree char *verdict = NULL;
  UrbLimits limits = plenty;

  limits.available[URB_RESOURCE_CORES] = 4;
  set_up (&options, URB_STRATEGY_DDP, 2);
  options.n_threads = 6; /* of both together */
  make (&options, &keeping, &limits, &tight);
  g_assert_cmpint (tight.n_threads, ==, 3);
  g_assert_cmpint (tight.fit, ==, URB_FIT_TIGHT);
  g_assert_cmpint (read_remedy (&tight.findings[URB_RESOURCE_CORES], "--threads "), ==, 4);
  verdict = urb_preflight_dup_verdict (&tight);
  g_assert_true (g_str_has_prefix (verdict, "Fits, but"));
  options.n_threads = 0; /* the cores are divided among the ranks */
  make (&options, &keeping, &limits, &shared);
  g_assert_cmpint (shared.n_threads, ==, 2);
  g_assert_cmpint (shared.fit, ==, URB_FIT_YES);

  options.n_ranks = 6; /* five could not share a batch of 48 */
  limits.available[URB_RESOURCE_CORES] = 5;
  make (&options, &keeping, &limits, &fewer);
  options.n_ranks = read_remedy (&fewer.findings[URB_RESOURCE_CORES], "--ranks ");
  g_assert_cmpint (options.n_ranks, ==, 4);
  make (&options, &keeping, &limits, &followed);
  g_assert_cmpint (followed.fit, ==, URB_FIT_YES);
}

static void
test_hogwild (void)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_auto(UrbPreflight) one = { 0 }, three = { 0 }, local = { 0 }, named = { 0 }, few = { 0 };
  UrbLimits limits = plenty;

  set_up (&options, URB_STRATEGY_HOGWILD, 1);
  make (&options, &keeping, &plenty, &one);
  options.n_ranks = 3;
  make (&options, &keeping, &plenty, &three);
  g_assert_cmpint (three.shared_bytes, >, 0);
  g_assert_cmpint (three.shared_bytes, ==, one.shared_bytes);
  g_assert_cmpint (three.n_processes, ==, 3);
  g_assert_cmpint (three.findings[URB_RESOURCE_MEMORY].needed, ==,
                   three.shared_bytes + get_rank (&three, 0) + 2 * get_rank (&three, 1));
  g_assert_cmpint (three.findings[URB_RESOURCE_SHARED_MEMORY].needed, ==, 0);

  options.local_moments = TRUE;
  make (&options, &keeping, &plenty, &local);
  g_assert_cmpint (local.shared_bytes, <, three.shared_bytes);
  g_assert_cmpint (get_rank (&local, 1) - get_rank (&three, 1), ==,
                   three.shared_bytes - local.shared_bytes);

  g_free (options.sharing);
  options.sharing = g_strdup ("file_system");
  limits.available[URB_RESOURCE_SHARED_MEMORY] = local.shared_bytes - 1;
  make (&options, &keeping, &limits, &named);
  g_assert_cmpint (named.findings[URB_RESOURCE_SHARED_MEMORY].needed, ==, local.shared_bytes);
  g_assert_cmpint (named.fit, ==, URB_FIT_NO);
  g_assert_nonnull (strstr (named.findings[URB_RESOURCE_SHARED_MEMORY].remedy, "file_descriptor"));

  limits = plenty;
  limits.available[URB_RESOURCE_DESCRIPTORS] = 64;
  make (&options, &keeping, &limits, &few);
  g_assert_cmpint (few.findings[URB_RESOURCE_DESCRIPTORS].fit, ==, URB_FIT_NO);
  g_assert_cmpint (read_remedy (&few.findings[URB_RESOURCE_DESCRIPTORS], "ulimit -n "), >, 64);
}

/* Shared parameters are in the GPU's memory once; --sharing is about the host's. */
static void
test_hogwild_on_device (void)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_auto(UrbPreflight) one = { 0 }, three = { 0 };

  if (uk_backend_cuda () == NULL)
    {
      g_test_skip ("there is neither a GPU nor an emulated one");
      return;
    }
  set_up (&options, URB_STRATEGY_HOGWILD, 1);
  g_free (options.backend);
  options.backend = g_strdup ("cuda");
  g_free (options.sharing);
  options.sharing = g_strdup ("file_system");
  make (&options, &keeping, &plenty, &one);
  options.n_ranks = 3;
  make (&options, &keeping, &plenty, &three);
  g_assert_cmpint (three.shared_bytes, >, 0);
  g_assert_cmpint (three.shared_bytes, ==, one.shared_bytes);
  g_assert_cmpint (three.findings[URB_RESOURCE_MEMORY].needed, ==,
                   three.shared_bytes + get_rank (&three, 0) + 2 * get_rank (&three, 1)
                     + 2 * urb_device_get_overhead ("cuda"));
  g_assert_cmpint (three.findings[URB_RESOURCE_SHARED_MEMORY].needed, ==, 0);
}

static void
test_synchronous (void)
{
  static const char *const communicators[] = { "threads", "mpi", "auto" };
  g_auto(UrbTrainOptions) options = { 0 };
  g_auto(UrbPreflight) single = { 0 }, dp = { 0 }, ddp = { 0 }, apart = { 0 }, fewer = { 0 };
  g_autoptr(GError) error = NULL;
  UrbLimits limits = plenty;

  set_up (&options, URB_STRATEGY_SINGLE, 1);
  make (&options, &keeping, &plenty, &single);
  options.strategy = URB_STRATEGY_DP;
  options.n_ranks = 3;
  make (&options, &keeping, &plenty, &dp);
  options.strategy = URB_STRATEGY_DDP;
  make (&options, &keeping, &plenty, &ddp);
  /* Each rank has a third of the batch, and dp's replicas have no moments. */
  g_assert_cmpint (get_rank (&ddp, 0), <, get_rank (&single, 0));
  g_assert_cmpint (get_rank (&dp, 1), <, get_rank (&ddp, 1));
  g_assert_cmpint (ddp.n_processes, ==, 1);
  g_assert_cmpint (ddp.checkpoint_bytes, ==, single.checkpoint_bytes);
  for (gsize i = 0; i < G_N_ELEMENTS (communicators); i++)
    {
      g_auto(UrbPreflight) other = { 0 };

      g_free (options.communicator);
      options.communicator = g_strdup (communicators[i]);
      make (&options, &keeping, &plenty, &other);
      /* Only mpirun starts processes. */
      g_assert_cmpint (other.n_processes, ==, g_str_equal (communicators[i], "mpi") ? 3 : 1);
    }

  /* A batch of one image cannot be split: the advice is fewer ranks. */
  options.strategy = URB_STRATEGY_HOGWILD;
  options.batch = 1;
  make (&options, &keeping, &plenty, &apart);
  limits.available[URB_RESOURCE_MEMORY] = apart.findings[URB_RESOURCE_MEMORY].needed - 1;
  make (&options, &keeping, &limits, &fewer);
  g_assert_cmpint (read_remedy (&fewer.findings[URB_RESOURCE_MEMORY], "--ranks "), ==, 2);

  limits.available[URB_RESOURCE_MEMORY] = measure (&options, 1, 1, 1);
  urb_preflight_clear (&fewer);
  make (&options, &keeping, &limits, &fewer);
  g_assert_cmpint (read_remedy (&fewer.findings[URB_RESOURCE_MEMORY], "--ranks "), ==, 1);

  options.strategy = URB_STRATEGY_DDP;
  options.batch = 50;
  urb_preflight_clear (&fewer);
  g_assert_false (urb_preflight_make (&options, &keeping, &plenty, &fewer, &error));
  g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS);
  g_assert_nonnull (strstr (error->message, "48 or 51"));
}

static void
set_mesh (UrbTrainOptions *options, const char *text)
{
  UrbMesh mesh;

  g_assert_true (urb_mesh_parse (text, &mesh, NULL));
  g_free (options->mesh);
  options->mesh = g_strdup (text);
  options->n_ranks = urb_mesh_count (&mesh, URB_ALL_AXES);
}

/* Ranks of a stage are alike, but rank 0 draws cities; the programs of all are checked. */
static void
test_mesh (void)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_auto(UrbPreflight) pipe = { 0 }, both = { 0 }, divided = { 0 }, wide = { 0 }, many = { 0 };
  UrbLimits limits = plenty;

  set_up (&options, URB_STRATEGY_1F1B, 2);
  options.batch = 4;
  options.accumulate = 2;
  make (&options, &keeping, &plenty, &pipe);
  options.strategy = URB_STRATEGY_MESH;
  options.batch = 12;
  set_mesh (&options, "data=3,pipe=2");
  make (&options, &keeping, &plenty, &both);
  g_assert_cmpuint (both.plans->len, ==, 3);
  g_assert_cmpint (get_rank (&both, 1), ==, get_rank (&both, 2));
  g_assert_cmpint (get_rank (&both, 3), ==, get_rank (&both, 5));
  g_assert_cmpint (get_rank (&both, 1), <, get_rank (&both, 0));
  /* A rank has a stage of as many images as in the pipeline alone. */
  g_assert_cmpint (get_rank (&both, 5), ==, get_rank (&pipe, 1));
  options.zero = 1;
  make (&options, &keeping, &plenty, &divided);
  g_assert_cmpint (get_rank (&divided, 5), <, get_rank (&both, 5));
  options.zero = 0;
  set_mesh (&options, "tensor=2,data=3");
  make (&options, &keeping, &plenty, &wide);
  g_assert_cmpuint (wide.plans->len, ==, 2);
  set_mesh (&options, "data=64,pipe=4");
  options.batch = 128;
  make (&options, &keeping, &plenty, &many);
  g_assert_cmpuint (many.rank_bytes->len, ==, 256);
  g_assert_cmpuint (many.plans->len, ==, 5);
  /* Fewer ranks would be another mesh: the advice is about the batch. */
  set_mesh (&options, "data=2,pipe=2");
  urb_preflight_clear (&many);
  make (&options, &keeping, &plenty, &many);
  limits.available[URB_RESOURCE_MEMORY] = many.findings[URB_RESOURCE_MEMORY].needed / 2;
  limits.available[URB_RESOURCE_CORES] = 2;
  urb_preflight_clear (&many);
  make (&options, &keeping, &limits, &many);
  g_assert_cmpint (many.fit, ==, URB_FIT_NO);
  g_assert_cmpint (read_remedy (&many.findings[URB_RESOURCE_MEMORY], "--accumulate "), >, 2);
  g_assert_null (strstr (many.findings[URB_RESOURCE_MEMORY].remedy, "--ranks"));
  g_assert_cmpstr (many.findings[URB_RESOURCE_CORES].remedy, ==, "better with a mesh of 2 ranks");
}

/* A folder that does not exist yet counts as on the disk of its parent. */
static void
test_limits (void)
{
  g_autofree char *folder = g_dir_make_tmp ("urbarium-XXXXXX", NULL);
  g_autofree char *below = g_build_filename (folder, "not", "yet", NULL);
  UrbLimits here, there;

  urb_limits_read (&here, folder);
  urb_limits_read (&there, below);
  g_assert_cmpint (here.available[URB_RESOURCE_MEMORY], >, 0);
  g_assert_cmpint (here.available[URB_RESOURCE_DISK], <, G_MAXINT64);
  g_assert_cmpint (there.available[URB_RESOURCE_DISK], <, G_MAXINT64);
  g_assert_cmpint (here.available[URB_RESOURCE_CORES], >=, 1);
  /* A file system without blocks is not full; creating a folder there fails with its own error. */
  urb_limits_read (&there, "/proc/run");
  g_assert_cmpint (there.available[URB_RESOURCE_DISK], ==, G_MAXINT64);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* Moments and averages in a folder need its disk, which may be that of the checkpoints, and no memory. */
static void
test_offload (void)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_auto(UrbPreflight) inside = { 0 }, outside = { 0 }, full = { 0 }, shared = { 0 }, alone = { 0 }, advised = { 0 };
  UrbLimits limits = plenty;
  gint64 n_bytes;

  set_up (&options, URB_STRATEGY_ZERO1, 2);
  options.batch = 2;
  make (&options, &keeping, &limits, &inside);
  g_assert_cmpint (inside.findings[URB_RESOURCE_OFFLOAD].needed, ==, 0);
  options.offload = g_strdup ("/folder");
  make (&options, &keeping, &limits, &outside);
  n_bytes = outside.findings[URB_RESOURCE_OFFLOAD].needed;
  /* Second moments of both networks and the generator's average, of both ranks; r3 has no first ones. */
  g_assert_cmpint (n_bytes, >=, (2 * 304115 + 16931 * 2 + 175089) * 4);
  g_assert_cmpint (n_bytes, <, (2 * 304115 + 16931 * 2 + 175089) * 4 + 4096);
  g_assert_cmpint (outside.findings[URB_RESOURCE_MEMORY].needed, <,
                   inside.findings[URB_RESOURCE_MEMORY].needed - n_bytes / 2);
  g_assert_nonnull (strstr (outside.findings[URB_RESOURCE_OFFLOAD].text, "/folder"));

  limits.available[URB_RESOURCE_OFFLOAD] = n_bytes - 1;
  make (&options, &keeping, &limits, &full);
  g_assert_cmpint (full.findings[URB_RESOURCE_OFFLOAD].fit, ==, URB_FIT_NO);
  g_assert_nonnull (strstr (full.findings[URB_RESOURCE_OFFLOAD].remedy, "--offload"));
  limits.offloads_to_disk = TRUE;
  limits.available[URB_RESOURCE_OFFLOAD] = n_bytes + outside.findings[URB_RESOURCE_DISK].needed - 1;
  make (&options, &keeping, &limits, &shared);
  g_assert_cmpint (shared.findings[URB_RESOURCE_DISK].fit, ==, URB_FIT_YES);
  g_assert_cmpint (shared.findings[URB_RESOURCE_OFFLOAD].fit, ==, URB_FIT_NO);

  limits = plenty;
  options.strategy = URB_STRATEGY_SINGLE;
  options.n_ranks = options.batch = 1;
  make (&options, &keeping, &limits, &alone);
  g_clear_pointer (&options.offload, g_free);
  limits.available[URB_RESOURCE_MEMORY] = alone.findings[URB_RESOURCE_MEMORY].needed;
  make (&options, &keeping, &limits, &advised);
  g_assert_cmpstr (advised.findings[URB_RESOURCE_MEMORY].remedy, ==, "fits if --offload FOLDER");
}

/* A limit of each process (ulimit -d) holds for ranks in processes of their own one by one, for threads together. */
static void
test_process (void)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_auto(UrbPreflight) threads = { 0 }, processes = { 0 }, refused = { 0 }, after = { 0 };
  UrbLimits limits = plenty;
  UrbFinding *finding = &refused.findings[URB_RESOURCE_PROCESS];

  set_up (&options, URB_STRATEGY_DDP, 2);
  make (&options, &keeping, &plenty, &threads);
  g_assert_cmpint (threads.findings[URB_RESOURCE_PROCESS].needed, ==, get_rank (&threads, 0) + get_rank (&threads, 1));
  g_free (options.communicator);
  options.communicator = g_strdup ("mpi");
  make (&options, &keeping, &plenty, &processes);
  g_assert_cmpint (processes.findings[URB_RESOURCE_PROCESS].needed, ==, get_rank (&processes, 0));
  limits.available[URB_RESOURCE_PROCESS] = get_rank (&processes, 0) - 1;
  make (&options, &keeping, &limits, &refused);
  g_assert_cmpint (refused.findings[URB_RESOURCE_MEMORY].fit, ==, URB_FIT_YES);
  g_assert_cmpint (finding->fit, ==, URB_FIT_NO);
  g_assert_cmpint (refused.fit, ==, URB_FIT_NO);
  options.accumulate = read_remedy (finding, "--accumulate ");
  make (&options, &keeping, &limits, &after);
  g_assert_cmpint (after.fit, ==, URB_FIT_YES);
}

/* What the options leave to each rank, and what would fit. */
static void
test_rank (void)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_auto(UrbPreflight) any = { 0 }, enough = { 0 }, refused = { 0 }, after = { 0 };
  UrbFinding *finding = &refused.findings[URB_RESOURCE_RANK];
  g_autofree char *verdict = NULL;

  set_up (&options, URB_STRATEGY_DDP, 2);
  make (&options, &keeping, &plenty, &any);
  g_assert_cmpint (any.findings[URB_RESOURCE_RANK].needed, ==, get_rank (&any, 0));
  g_assert_cmpint (any.findings[URB_RESOURCE_RANK].available, ==, G_MAXINT64);
  options.rank_memory = ((double) get_rank (&any, 0) + 1) / 1e9;
  make (&options, &keeping, &plenty, &enough);
  g_assert_cmpint (enough.fit, ==, URB_FIT_YES);
  options.rank_memory = ((double) get_rank (&any, 0) - 1) / 1e9;
  make (&options, &keeping, &plenty, &refused);
  g_assert_cmpint (refused.findings[URB_RESOURCE_MEMORY].fit, ==, URB_FIT_YES);
  g_assert_cmpint (finding->fit, ==, URB_FIT_NO);
  g_assert_cmpint (refused.fit, ==, URB_FIT_NO);
  verdict = urb_preflight_dup_verdict (&refused);
  g_test_message ("%s", verdict);
  g_assert_nonnull (strstr (verdict, "rank-memory, "));
  g_assert_nonnull (strstr (verdict, " of the largest rank, and the limit is "));
  g_assert_nonnull (strstr (verdict, ", or with more --rank-memory)"));
  options.accumulate = read_remedy (finding, "--accumulate ");
  make (&options, &keeping, &plenty, &after);
  g_assert_cmpint (after.fit, ==, URB_FIT_YES);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/preflight/single", test_single);
  g_test_add_func ("/preflight/dataset", test_dataset);
  g_test_add_func ("/preflight/gpu", test_gpu);
  g_test_add_func ("/preflight/hub", test_hub);
  g_test_add_func ("/preflight/memory-remedies", test_memory_remedies);
  g_test_add_func ("/preflight/least-change", test_least_change);
  g_test_add_func ("/preflight/mesh", test_mesh);
  for (int strategy = URB_STRATEGY_HOGWILD; strategy < URB_STRATEGY_MESH; strategy++)
    {
      g_autofree char *path = g_strdup_printf ("/preflight/always-true/%s",
                                               urb_strategy_names[strategy]);

      g_test_add_data_func (path, GINT_TO_POINTER (strategy), test_always_true);
    }
  g_test_add_func ("/preflight/gpu-remedies", test_gpu_remedies);
  g_test_add_func ("/preflight/disk", test_disk);
  g_test_add_func ("/preflight/offload", test_offload);
  g_test_add_func ("/preflight/process", test_process);
  g_test_add_func ("/preflight/rank", test_rank);
  g_test_add_func ("/preflight/cores", test_cores);
  g_test_add_func ("/preflight/hogwild", test_hogwild);
  g_test_add_func ("/preflight/hogwild-on-device", test_hogwild_on_device);
  g_test_add_func ("/preflight/synchronous", test_synchronous);
  g_test_add_func ("/preflight/limits", test_limits);
  return g_test_run ();
}
