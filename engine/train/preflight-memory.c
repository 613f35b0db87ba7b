/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preflight-memory.c - the bytes of all ranks, and which change of the options
 * would make them fit.
 *
 * Each try plans the programs of two ranks.  So what cannot fit is found first
 * by bounds from below, and by programs of a single microbatch.
 */
#include "train/preflight-private.h"

#include "train/bench.h"
#include "train/device.h"
#include "train/network-pair.h"

/* More are not advised: each makes the step program longer. */
enum { MAX_MICROBATCHES = 64 };

/* So often programs are planned for advice by which the batch stays as it is, mostly of one
 * microbatch, which takes some tens of milliseconds; for a smaller batch 32 times more at most. */
enum { MAX_TRIES = 64 };

static gint64
add (gint64 a, gint64 b)
{
  gint64 sum;

  return __builtin_add_overflow (a, b, &sum) ? G_MAXINT64 : sum;
}

static gint64
times (gint64 a, gint64 b)
{
  gint64 product;

  return __builtin_mul_overflow (a, b, &product) ? G_MAXINT64 : product;
}

/* ------------------------------------------------------------------------ */
/* What it takes                                                             */

/* Ranks are alike, but for the first. */
gboolean
urb_preflight_measure_ranks (UrbPreflight *self, const UrbTrainOptions *options, GError **error)
{
  g_auto(UrbPlan) first = { 0 }, other = { 0 };
  gint64 bytes;

  if (!urb_plan_make_rank (options, 0, self->dataset, &first, error)
      || (options->n_ranks > 1 && !urb_plan_make_rank (options, 1, self->dataset, &other, error)))
    return FALSE;
  for (int rank = 0; rank < options->n_ranks; rank++)
    {
      const UrbPlan *plan = rank == 0 ? &first : &other;

      /* Tiles that wait are the host's. */
      bytes = urb_device_is_host (options->backend) ? add (plan->bytes_total, plan->bytes_kept)
                                                    : plan->bytes_total - plan->bytes_loader;
      g_array_append_val (self->rank_bytes, bytes);
    }
  self->n_devices = urb_train_options_count_devices (options);
  self->n_processes = urb_preflight_count_processes (options);
  self->context_bytes = urb_device_get_overhead (options->backend);
  self->shared_bytes = first.bytes_shared;
  self->checkpoint_bytes = first.bytes_checkpoint;
  return TRUE;
}

int
urb_preflight_count_on_first (const UrbPreflight *self, int n)
{
  return (n + self->n_devices - 1) / self->n_devices;
}

gint64
urb_preflight_sum_memory (const UrbPreflight *self, const UrbKeeping *keeping)
{
  gint64 sum = self->shared_bytes;
  guint n = keeping->several_hosts ? 1 : self->rank_bytes->len;

  if (!keeping->several_hosts)
    sum = add (sum, times (urb_preflight_count_on_first (self, self->n_processes) - 1,
                           self->context_bytes));
  for (guint i = 0; i < n; i += (guint) self->n_devices)
    sum = add (sum, g_array_index (self->rank_bytes, gint64, i));
  return sum;
}

/* ------------------------------------------------------------------------ */
/* What would help                                                           */

typedef struct
{
  const UrbPreflight    *found;
  const UrbTrainOptions *options;
  const UrbKeeping      *keeping;
  gint64 available;
  UrbTrainOptions smallest; /* borrows its texts, as do all here */
  gboolean        is_hopeless; /* not even that fits */
  gint64 least_first, least_other; /* bytes of ranks that have one image at a time */
  int    n_tries;
} Search;

/* Of other options with the same dataset, nothing measured yet. */
static UrbPreflight
begin_try (const UrbPreflight *found)
{
  return (UrbPreflight) { .dataset = found->dataset,
                          .rank_bytes = g_array_new (FALSE, FALSE, sizeof (gint64)) };
}

static gboolean
fits_memory (const Search *self, const UrbTrainOptions *options, gint64 available)
{
  g_auto(UrbPreflight) tried = begin_try (self->found);

  return urb_preflight_measure_ranks (&tried, options, NULL)
         && urb_preflight_sum_memory (&tried, self->keeping) <= available;
}

/* The first microbatch alone takes less than all, and is planned in a fraction of the time.  Nearly
 * so: a shorter program's buffers may lie less tightly, by half a per cent of tiny as was seen. */
static gboolean
first_fits (Search *self, const UrbTrainOptions *options, int accumulate)
{
  UrbTrainOptions first = *options;

  first.batch = options->batch / accumulate;
  first.accumulate = 1;
  return self->n_tries++ < MAX_TRIES
         && fits_memory (self, &first, add (self->available, self->available / 50));
}

static gboolean
fits (Search *self, const UrbTrainOptions *tried)
{
  return (tried->accumulate == 1 || first_fits (self, tried, tried->accumulate))
         && self->n_tries++ < MAX_TRIES && fits_memory (self, tried, self->available);
}

/* The fewest microbatches, more than asked for. */
static gboolean
try_microbatches (Search *self, UrbTrainOptions *tried)
{
  int share = tried->batch / urb_train_options_count_parts (tried);
  int asked = self->options->accumulate;
  int most = MIN (share, MAX_MICROBATCHES);

  while (most > asked && share % most != 0)
    most--;
  if (most <= asked || !first_fits (self, tried, most))
    return FALSE;
  for (tried->accumulate = asked + 1; tried->accumulate <= most; tried->accumulate++)
    if (share % tried->accumulate == 0 && fits (self, tried))
      return TRUE;
  tried->accumulate = asked;
  return FALSE;
}

static gint64
sum_ranks (const UrbPreflight *found, gint64 first, gint64 other, int n_ranks)
{
  int n = urb_preflight_count_on_first (found, n_ranks);

  /* Where ranks are processes, each has a context; without them it is less, and still a bound. */
  return add (add (found->shared_bytes, first), times (n - 1, other));
}

/* Of fewer ranks none takes less than it does now, and in whatever microbatches none takes less
 * than with one image: most numbers of ranks need not be planned. */
static gboolean
may_fit (Search *self, int n_ranks, gboolean microbatches)
{
  const GArray *bytes = self->found->rank_bytes;
  gint64 first = microbatches ? self->least_first : g_array_index (bytes, gint64, 0);
  gint64 other = microbatches ? self->least_other : g_array_index (bytes, gint64, 1);

  return n_ranks == 1 || sum_ranks (self->found, first, other, n_ranks) <= self->available;
}

static void
measure_least (Search *self)
{
  g_auto(UrbPreflight) least = begin_try (self->found);
  UrbTrainOptions two = *self->options;

  two.n_ranks = 2;
  two.batch = urb_train_options_count_parts (&two);
  two.accumulate = 1;
  if (!urb_preflight_measure_ranks (&least, &two, NULL))
    return;
  self->least_first = g_array_index (least.rank_bytes, gint64, 0);
  self->least_other = g_array_index (least.rank_bytes, gint64, 1);
}

static gboolean
try_fewer_ranks (Search *self, UrbTrainOptions *tried, gboolean microbatches)
{
  for (tried->n_ranks = self->options->n_ranks - 1; tried->n_ranks > 0; tried->n_ranks--)
    {
      if (tried->batch % (urb_train_options_count_parts (tried) * tried->accumulate) == 0
          && may_fit (self, tried->n_ranks, microbatches)
          && (microbatches ? try_microbatches (self, tried) : fits (self, tried)))
        return TRUE;
    }
  tried->n_ranks = self->options->n_ranks;
  return FALSE;
}

/* Halves, each the nearest that can be shared. */
static gboolean
try_smaller_batches (Search *self, UrbTrainOptions *tried)
{
  int parts = urb_train_options_count_parts (tried) * tried->accumulate;

  for (int batch = self->options->batch / 2; batch >= parts; batch /= 2)
    {
      tried->batch = batch - batch % parts;
      if (fits_memory (self, tried, self->available))
        return TRUE;
    }
  return FALSE;
}

/* With one image and one rank everything else takes less: what does not fit then never does. */
static void
begin_search (Search *self, const UrbPreflight *found, const UrbTrainOptions *options,
              const UrbKeeping *keeping, gint64 available)
{
  *self = (Search) { .found = found, .options = options, .keeping = keeping, .available = available,
                     .smallest = *options };
  self->smallest.n_ranks = keeping->several_hosts ? options->n_ranks : 1;
  self->smallest.batch = urb_train_options_count_parts (&self->smallest);
  self->smallest.accumulate = 1;
  self->is_hopeless = !fits_memory (self, &self->smallest, available);
}

/* By which the result is the same: smaller microbatches, then fewer ranks, then both. */
static gboolean
find_same (Search *self, UrbTrainOptions *tried)
{
  *tried = *self->options;
  if (self->is_hopeless)
    return FALSE;
  if (try_microbatches (self, tried))
    return TRUE;
  if (self->smallest.n_ranks == self->options->n_ranks)
    return FALSE;
  measure_least (self);
  return try_fewer_ranks (self, tried, FALSE) || try_fewer_ranks (self, tried, TRUE);
}

/* A smaller batch, of as many ranks, or of one, down to one image. */
static gboolean
find_smaller (Search *self, UrbTrainOptions *tried)
{
  *tried = *self->options;
  if (self->is_hopeless)
    return FALSE;
  if (try_smaller_batches (self, tried))
    return TRUE;
  tried->n_ranks = self->smallest.n_ranks;
  if (!try_smaller_batches (self, tried))
    *tried = self->smallest;
  return TRUE;
}

/* A GPU's values take half the memory then; a processor's do not. */
static gboolean
may_be_bf16 (const UrbTrainOptions *options)
{
  UkCudaInfo info;
  int index;

  return !urb_device_is_host (options->backend) && options->precision != UK_BF16
         && urb_device_find (options->backend, &index, NULL) != NULL
         && uk_cuda_info (index, &info) == UK_OK && info.has_bf16;
}

/* @half: (out): @options in bf16; @found: (out): what that takes.  FALSE: it cannot be had. */
static gboolean
measure_half (const UrbTrainOptions *options, UrbTrainOptions *half, UrbPreflight *found)
{
  *half = *options;
  half->precision = UK_BF16;
  return may_be_bf16 (options) && urb_preflight_measure_ranks (found, half, NULL);
}

/* The same result comes first, then one within the rounding of another precision. */
static gboolean
find_fitting (const UrbPreflight *found, const UrbTrainOptions *options, const UrbKeeping *keeping,
              gint64 available, UrbTrainOptions *tried)
{
  g_auto(UrbPreflight) half_found = begin_try (found);
  UrbTrainOptions half;
  Search search, half_search;
  gboolean has_half;

  begin_search (&search, found, options, keeping, available);
  if (find_same (&search, tried))
    return TRUE;
  has_half = measure_half (options, &half, &half_found);
  if (has_half)
    begin_search (&half_search, &half_found, &half, keeping, available);
  *tried = half;
  return (has_half
          && (urb_preflight_sum_memory (&half_found, keeping) <= available
              || find_same (&half_search, tried)))
         || find_smaller (&search, tried) || (has_half && find_smaller (&half_search, tried));
}

/* “Only” is true: the smallest was tried. */
char *
urb_preflight_find_memory_remedy (const UrbPreflight *self, const UrbTrainOptions *options,
                                  const UrbKeeping *keeping, gint64 available)
{
  g_autoptr(GString) text = g_string_new ("fits if");
  UrbTrainOptions tried;

  if (!find_fitting (self, options, keeping, available, &tried))
    return g_strdup ("fits with a smaller preset only");
  if (tried.n_ranks != options->n_ranks)
    g_string_append_printf (text, " --ranks %d", tried.n_ranks);
  if (tried.batch != options->batch)
    g_string_append_printf (text, " --batch %d", tried.batch);
  if (tried.accumulate != options->accumulate)
    g_string_append_printf (text, " --accumulate %d", tried.accumulate);
  if (tried.precision != options->precision)
    g_string_append_printf (text, " --precision %s", uk_precision_name (tried.precision));
  return g_string_free (g_steal_pointer (&text), FALSE);
}
