/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preflight-memory.c - the memory of all ranks, and the smallest change of the
 * options with which it fits.
 *
 * A plan of many microbatches takes seconds, so the search plans the first
 * microbatch alone, and the whole program only of what it is about to advise.
 */
#include "train/preflight-private.h"

#include "kernels/uk-half.h"
#include "train/bench.h"
#include "train/device.h"
#include "train/network-pair.h"

/* More are not advised: each makes the step program longer. */
enum { MAX_MICROBATCHES = 64 };

/* ------------------------------------------------------------------------ */
/* Memory of the ranks                                                       */

static void
free_plan (gpointer data)
{
  urb_plan_clear (data);
  g_free (data);
}

/* The lowest rank with such a program: ranks along tensor and data are alike, but rank 0 draws cities. */
static int
find_kin (const UrbTrainOptions *options, int rank)
{
  UrbMesh mesh = urb_train_options_get_mesh (options);
  int first = urb_mesh_get_rank (&mesh, rank, URB_AXES_SAMPLES, 0);

  return urb_strategy_is_asynchronous (options->strategy) || first == 0 ? MIN (rank, 1) : first;
}

const UrbPlan *
urb_preflight_get_plan (const UrbPreflight *self, int rank)
{
  return self->plans->pdata[g_array_index (self->plan_of, guint, rank)];
}

gboolean
urb_preflight_measure_ranks (UrbPreflight *self, const UrbTrainOptions *options,
                             UrbDataset *dataset, GError **error)
{
  self->rank_bytes = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->plan_of = g_array_new (FALSE, FALSE, sizeof (guint));
  self->plans = g_ptr_array_new_with_free_func (free_plan);
  for (int rank = 0; rank < options->n_ranks; rank++)
    {
      int kin = find_kin (options, rank);
      guint index = self->plans->len;
      gint64 bytes;
      UrbPlan *plan;

      if (kin < rank)
        {
          bytes = g_array_index (self->rank_bytes, gint64, kin);
          index = g_array_index (self->plan_of, guint, kin);
          g_array_append_val (self->rank_bytes, bytes);
          g_array_append_val (self->plan_of, index);
          self->outside_bytes += urb_preflight_get_plan (self, kin)->bytes_outside;
          self->served_bytes += urb_preflight_get_plan (self, kin)->bytes_served;
          continue;
        }
      plan = g_new0 (UrbPlan, 1);
      g_ptr_array_add (self->plans, plan);
      g_array_append_val (self->plan_of, index);
      if (!urb_plan_make_rank (options, rank, dataset, plan, error))
        return FALSE;
      /* Tiles are kept and loaded in the host's memory. */
      bytes = urb_device_is_host (options->backend) ? plan->bytes_total + plan->bytes_kept
                                                    : plan->bytes_total - plan->bytes_loader;
      g_array_append_val (self->rank_bytes, bytes);
      self->outside_bytes += plan->bytes_outside;
      self->served_bytes += plan->bytes_served;
      if (rank == 0)
        {
          self->checkpoint_bytes = plan->bytes_checkpoint;
          self->shared_bytes = plan->bytes_shared;
        }
    }
  self->n_devices = urb_train_options_count_devices (options);
  self->n_processes = urb_train_options_have_processes (options) ? options->n_ranks : 1;
  self->context_bytes = urb_device_get_overhead (options->backend);
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

  if (keeping->is_hub && !self->on_gpu)
    sum += self->served_bytes;
  if (keeping->several_hosts)
    return sum;
  sum += n_contexts * self->context_bytes;
  for (guint i = (guint) self->n_devices; i < self->rank_bytes->len; i += (guint) self->n_devices)
    if (__builtin_add_overflow (sum, g_array_index (self->rank_bytes, gint64, i), &sum))
      return G_MAXINT64;
  return sum;
}

gint64
urb_preflight_get_process (const UrbPreflight *self, const UrbKeeping *keeping)
{
  gint64 most = 0, sum = self->shared_bytes;

  if (keeping->is_hub && !self->on_gpu)
    return urb_preflight_sum_memory (self, keeping);

  for (guint i = 0; i < self->rank_bytes->len; i++)
    {
      gint64 bytes = g_array_index (self->rank_bytes, gint64, i);

      most = MAX (most, bytes + self->shared_bytes);
      if (__builtin_add_overflow (sum, bytes, &sum))
        sum = G_MAXINT64;
    }
  if (self->on_gpu)
    return 0; /* what is in the host's memory is little */
  return self->n_processes > 1 ? most : sum;
}

gint64
urb_preflight_get_largest (const UrbPreflight *self)
{
  gint64 most = 0;

  for (guint i = 0; i < self->rank_bytes->len; i++)
    most = MAX (most, g_array_index (self->rank_bytes, gint64, i));
  return most;
}

/* ------------------------------------------------------------------------ */
/* The smallest change that fits                                             */

/* Variants of options borrow their texts. */
typedef struct
{
  UrbDataset       *dataset; /* (nullable) borrowed */
  const UrbKeeping *keeping; /* borrowed */
  gint64            available; /* bytes, of this host … */
  gint64            process;   /* … and of each process */
} Search;

/* @bytes: (out): that are needed */
static gboolean
fits_within (const Search *self, const UrbTrainOptions *tried, gint64 slack, gint64 *bytes)
{
  g_auto(UrbPreflight) measured = { .on_gpu = !urb_device_is_host (tried->backend) };

  if (!urb_preflight_measure_ranks (&measured, tried, self->dataset, NULL))
    return FALSE;
  *bytes = urb_preflight_sum_memory (&measured, self->keeping);
  return *bytes - slack <= self->available && urb_preflight_get_process (&measured, self->keeping) - slack <= self->process
         && urb_preflight_get_largest (&measured) - slack <= urb_train_options_get_rank_bytes (tried);
}

static gboolean
fits (const Search *self, const UrbTrainOptions *tried, gint64 slack)
{
  gint64 bytes;

  return fits_within (self, tried, slack, &bytes);
}

gboolean
urb_preflight_fits (const UrbTrainOptions *options, UrbDataset *dataset, const UrbKeeping *keeping,
                    const UrbLimits *limits, gint64 *bytes)
{
  const Search search = { dataset, keeping, limits->available[URB_RESOURCE_MEMORY],
                          limits->available[URB_RESOURCE_PROCESS] };

  return fits_within (&search, options, 0, bytes);
}

/* With several hosts, only one rank is certain to be here; a mesh has its ranks, and each GPU of a list one. */
static int
get_fewest_ranks (const Search *self, const UrbTrainOptions *options)
{
  g_autoptr(GArray) gpus = urb_device_parse_gpus (options->backend, NULL);

  if (self->keeping->several_hosts || options->strategy == URB_STRATEGY_MESH)
    return options->n_ranks;
  return gpus != NULL ? (int) MAX (gpus->len, 1) : 1;
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
  gint64 least = MIN (self->available, self->process);

  while (low < high)
    {
      guint middle = (low + high) / 2;
      UrbTrainOptions first = g_array_index (variants, UrbTrainOptions, middle);

      first.batch /= first.accumulate;
      first.accumulate = 1;
      if (fits (self, &first, MIN (least, urb_train_options_get_rank_bytes (&first)) / 50))
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
      if (fits (self, found, 0))
        return TRUE;
    }
  return FALSE;
}

/* As many microbatches or more; none if the ranks cannot share the batch. */
static GArray *
list_microbatches (const UrbTrainOptions *options)
{
  GArray *variants = g_array_new (FALSE, FALSE, sizeof (UrbTrainOptions));
  int parts = urb_train_options_count_parts (options);
  UrbTrainOptions tried = *options;

  for (; tried.accumulate <= MAX (options->accumulate, MAX_MICROBATCHES); tried.accumulate++)
    if (options->batch % (parts * tried.accumulate) == 0)
      g_array_append_val (variants, tried);
  return variants;
}

/* The same result: more microbatches, or, if those of all ranks do not fit, of fewer ranks. */
static gboolean
find_same (const Search *self, const UrbTrainOptions *options, UrbTrainOptions *found)
{
  g_autoptr(GArray) finest = g_array_new (FALSE, FALSE, sizeof (UrbTrainOptions));
  UrbTrainOptions fewer = *options;

  for (; fewer.n_ranks >= get_fewest_ranks (self, options); fewer.n_ranks--)
    {
      g_autoptr(GArray) finer = list_microbatches (&fewer);

      if (finer->len > 0)
        g_array_append_val (finest, g_array_index (finer, UrbTrainOptions, finer->len - 1));
    }
  for (guint i = bisect (self, finest); i < finest->len; i++)
    {
      fewer.n_ranks = g_array_index (finest, UrbTrainOptions, i).n_ranks;
      if (find_first (self, list_microbatches (&fewer), found))
        return TRUE;
    }
  return FALSE;
}

/* Half the batch, half of that and so on, each rounded to what can be shared; at last an image each. */
static GArray *
list_batches (const UrbTrainOptions *options, int n_ranks)
{
  GArray *variants = g_array_new (FALSE, FALSE, sizeof (UrbTrainOptions));
  UrbTrainOptions tried = *options;
  int parts;

  tried.n_ranks = n_ranks;
  parts = urb_train_options_count_parts (&tried);
  for (int batch = options->batch / 2; batch >= parts * options->accumulate; batch /= 2)
    {
      tried.batch = batch - batch % (parts * options->accumulate);
      g_array_append_val (variants, tried);
    }
  tried.batch = parts;
  tried.accumulate = 1;
  g_array_append_val (variants, tried);
  return variants;
}

static gboolean
find_smaller (const Search *self, const UrbTrainOptions *options, UrbTrainOptions *found)
{
  return find_first (self, list_batches (options, options->n_ranks), found)
         || find_first (self, list_batches (options, get_fewest_ranks (self, options)), found);
}

/* On a GPU, values of 16 bits take half the memory; on a CPU they do not.  FALSE if they have 16 bits already. */
static gboolean
find_half (const UrbTrainOptions *options, UkPrecision *half)
{
  UkCudaInfo info;
  int index;

  if (urb_device_is_host (options->backend) || uk_is_half (uk_data_type_of (options->precision))
      || urb_device_find (options->backend, &index, NULL) == NULL || uk_cuda_info (index, &info) != UK_OK)
    return FALSE;
  *half = info.has_bf16 ? UK_BF16 : UK_FP16;
  return TRUE;
}

/* The same result first, then one within the rounding of 16 bits, the same with moments and averages on a disk,
 * which takes room there, then a smaller batch. */
static gboolean
find_change (const Search *self, const UrbTrainOptions *options, UrbTrainOptions *found)
{
  gboolean may_offload = options->offload == NULL && URB_STRATEGIES_OFFLOADING & 1 << options->strategy;
  UrbTrainOptions half = *options, outside = *options;
  gboolean has_half = find_half (options, &half.precision);

  outside.offload = (char *) "FOLDER";
  return find_same (self, options, found) || (has_half && find_same (self, &half, found))
         || (may_offload && find_same (self, &outside, found))
         || find_smaller (self, options, found) || (has_half && find_smaller (self, &half, found))
         || (may_offload && find_smaller (self, &outside, found));
}

char *
urb_preflight_find_memory_remedy (const UrbTrainOptions *options, UrbDataset *dataset,
                                  const UrbKeeping *keeping, gint64 available, gint64 process)
{
  const Search search = { dataset, keeping, available, process };
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
  if (found.offload != options->offload)
    g_string_append_printf (text, " --offload %s", found.offload);
  if (found.precision != options->precision)
    g_string_append_printf (text, " --precision %s", uk_precision_name (found.precision));
  return g_string_free (g_steal_pointer (&text), FALSE);
}
