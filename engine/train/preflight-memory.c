/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preflight-memory.c - the memory of all ranks, and the smallest change of the
 * options with which it fits.
 *
 * A plan of many microbatches takes seconds, so the search plans the first
 * microbatch alone, and the whole program only of what it is about to advise.
 */
#include "train/preflight-private.h"

#include <string.h>

#include "train/bench.h"
#include "train/device.h"
#include "train/network-pair.h"

/* More are not advised: each makes the step program longer. */
enum { MAX_MICROBATCHES = 64 };

/* ------------------------------------------------------------------------ */
/* Memory of the ranks                                                       */

/* All ranks but the first are alike. */
gboolean
urb_preflight_measure_ranks (UrbPreflight *self, const UrbTrainOptions *options,
                             UrbDataset *dataset, GError **error)
{
  g_auto(UrbPlan) first = { 0 }, other = { 0 };
  gboolean has_processes = options->strategy == URB_STRATEGY_HOGWILD
                           || (options->strategy == URB_STRATEGY_DDP
                               && strcmp (options->communicator, "mpi") == 0);

  if (!urb_plan_make_rank (options, 0, dataset, &first, error)
      || (options->n_ranks > 1 && !urb_plan_make_rank (options, 1, dataset, &other, error)))
    return FALSE;
  for (int rank = 0; rank < options->n_ranks; rank++)
    {
      const UrbPlan *plan = rank == 0 ? &first : &other;
      /* Tiles are kept and loaded in the host's memory. */
      gint64 bytes = urb_device_is_host (options->backend) ? plan->bytes_total + plan->bytes_kept
                                                           : plan->bytes_total - plan->bytes_loader;

      g_array_append_val (self->rank_bytes, bytes);
    }
  self->n_devices = urb_train_options_count_devices (options);
  self->n_processes = has_processes ? options->n_ranks : 1;
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
  int n_contexts = urb_preflight_count_on_first (self, self->n_processes) - 1;
  gint64 sum = self->shared_bytes + g_array_index (self->rank_bytes, gint64, 0);

  if (keeping->several_hosts)
    return sum;
  sum += n_contexts * self->context_bytes;
  for (guint i = (guint) self->n_devices; i < self->rank_bytes->len; i += (guint) self->n_devices)
    if (__builtin_add_overflow (sum, g_array_index (self->rank_bytes, gint64, i), &sum))
      return G_MAXINT64;
  return sum;
}

/* ------------------------------------------------------------------------ */
/* The smallest change that fits                                             */

/* Variants of options borrow their texts. */
typedef struct
{
  UrbDataset       *dataset; /* (nullable) borrowed */
  const UrbKeeping *keeping; /* borrowed */
  gint64            available;
} Search;

static gboolean
fits (const Search *self, const UrbTrainOptions *tried, gint64 available)
{
  g_auto(UrbPreflight) measured = { .rank_bytes = g_array_new (FALSE, FALSE, sizeof (gint64)) };

  return urb_preflight_measure_ranks (&measured, tried, self->dataset, NULL)
         && urb_preflight_sum_memory (&measured, self->keeping) <= available;
}

/* Tries the first microbatch alone, which needs less than all of them, and takes a fraction of the
 * time to plan.  Nearly so: the buffers of a shorter program may be packed less tightly, by half a
 * percent of tiny as measured.
 * @variants: (element-type UrbTrainOptions): each needs less than the one before
 * Returns: the first that may fit; their number if none */
static guint
bisect (const Search *self, const GArray *variants)
{
  guint low = 0, high = variants->len;

  while (low < high)
    {
      guint middle = (low + high) / 2;
      UrbTrainOptions first = g_array_index (variants, UrbTrainOptions, middle);

      first.batch /= first.accumulate;
      first.accumulate = 1;
      if (fits (self, &first, self->available + self->available / 50))
        high = middle;
      else
        low = middle + 1;
    }
  return low;
}

/* Takes @variants. */
static gboolean
find_first (const Search *self, GArray *variants, UrbTrainOptions *found)
{
  g_autoptr(GArray) tried = variants;

  for (guint i = bisect (self, tried); i < tried->len; i++)
    {
      *found = g_array_index (tried, UrbTrainOptions, i);
      if (fits (self, found, self->available))
        return TRUE;
    }
  return FALSE;
}

/* More microbatches. */
static GArray *
list_microbatches (const UrbTrainOptions *options)
{
  GArray *variants = g_array_new (FALSE, FALSE, sizeof (UrbTrainOptions));
  int share = options->batch / urb_train_options_count_parts (options);
  UrbTrainOptions tried = *options;

  for (tried.accumulate++; tried.accumulate <= MIN (share, MAX_MICROBATCHES); tried.accumulate++)
    if (share % tried.accumulate == 0)
      g_array_append_val (variants, tried);
  return variants;
}

/* Fewer ranks, as far as they can share the batch.
 * @finest: each with the most microbatches, and without those that can have no more */
static GArray *
list_ranks (const UrbTrainOptions *options, gboolean finest)
{
  GArray *variants = g_array_new (FALSE, FALSE, sizeof (UrbTrainOptions));
  UrbTrainOptions tried = *options;

  for (tried.n_ranks--; tried.n_ranks > 0; tried.n_ranks--)
    {
      g_autoptr(GArray) finer = finest ? list_microbatches (&tried) : NULL;

      if (options->batch % (urb_train_options_count_parts (&tried) * options->accumulate) != 0)
        continue;
      if (!finest)
        g_array_append_val (variants, tried);
      else if (finer->len > 0)
        g_array_append_val (variants, g_array_index (finer, UrbTrainOptions, finer->len - 1));
    }
  return variants;
}

/* Half the batch, half of that and so on, each rounded to what can be shared. */
static GArray *
list_batches (const UrbTrainOptions *options)
{
  GArray *variants = g_array_new (FALSE, FALSE, sizeof (UrbTrainOptions));
  int parts = urb_train_options_count_parts (options) * options->accumulate;
  UrbTrainOptions tried = *options;

  for (int batch = options->batch / 2; batch >= parts; batch /= 2)
    {
      tried.batch = batch - batch % parts;
      g_array_append_val (variants, tried);
    }
  return variants;
}

/* The changes with the same result: more microbatches, then fewer ranks, then both. */
static gboolean
find_same (const Search *self, const UrbTrainOptions *options, UrbTrainOptions *found)
{
  g_autoptr(GArray) finest = NULL;

  if (find_first (self, list_microbatches (options), found))
    return TRUE;
  if (self->keeping->several_hosts)
    return FALSE;
  if (find_first (self, list_ranks (options, FALSE), found))
    return TRUE;
  finest = list_ranks (options, TRUE);
  for (guint i = bisect (self, finest); i < finest->len; i++)
    {
      UrbTrainOptions fewer = *options;

      fewer.n_ranks = g_array_index (finest, UrbTrainOptions, i).n_ranks;
      if (find_first (self, list_microbatches (&fewer), found))
        return TRUE;
    }
  return FALSE;
}

/* A smaller batch of as many ranks, or of one, down to one image, which is known to fit. */
static void
find_smaller (const Search *self, const UrbTrainOptions *options, const UrbTrainOptions *smallest,
              UrbTrainOptions *found)
{
  UrbTrainOptions fewer = *options;

  fewer.n_ranks = smallest->n_ranks;
  if (!find_first (self, list_batches (options), found)
      && !find_first (self, list_batches (&fewer), found))
    *found = *smallest;
}

/* On a GPU, values in bf16 take half the memory; on a CPU they do not. */
static gboolean
may_be_bf16 (const UrbTrainOptions *options)
{
  UkCudaInfo info;
  int index;

  return !urb_device_is_host (options->backend) && options->precision != UK_BF16
         && urb_device_find (options->backend, &index, NULL) != NULL
         && uk_cuda_info (index, &info) == UK_OK && info.has_bf16;
}

/* The same result first, then one within the rounding of bf16, then a smaller batch. */
static gboolean
find_change (const Search *self, const UrbTrainOptions *options, UrbTrainOptions *found)
{
  UrbTrainOptions base[2] = { *options, *options }, smallest[2];
  gboolean possible[2];

  base[1].precision = UK_BF16;
  for (int i = 0; i < 2; i++)
    {
      smallest[i] = base[i];
      smallest[i].n_ranks = self->keeping->several_hosts ? options->n_ranks : 1;
      smallest[i].batch = urb_train_options_count_parts (&smallest[i]);
      smallest[i].accumulate = 1;
      possible[i] = (i == 0 || may_be_bf16 (options)) && fits (self, &smallest[i], self->available);
      *found = base[i];
      if (possible[i]
          && ((i == 1 && fits (self, found, self->available)) || find_same (self, &base[i], found)))
        return TRUE;
    }
  for (int i = 0; i < 2; i++)
    if (possible[i])
      {
        find_smaller (self, &base[i], &smallest[i], found);
        return TRUE;
      }
  return FALSE;
}

char *
urb_preflight_find_memory_remedy (const UrbTrainOptions *options, UrbDataset *dataset,
                                  const UrbKeeping *keeping, gint64 available)
{
  const Search search = { dataset, keeping, available };
  g_autoptr(GString) text = g_string_new ("fits if");
  UrbTrainOptions found;

  if (!find_change (&search, options, &found))
    return g_strdup ("fits with a smaller preset only");
  if (found.n_ranks != options->n_ranks)
    g_string_append_printf (text, " --ranks %d", found.n_ranks);
  if (found.batch != options->batch)
    g_string_append_printf (text, " --batch %d", found.batch);
  if (found.accumulate != options->accumulate)
    g_string_append_printf (text, " --accumulate %d", found.accumulate);
  if (found.precision != options->precision)
    g_string_append_printf (text, " --precision %s", uk_precision_name (found.precision));
  return g_string_free (g_steal_pointer (&text), FALSE);
}
