/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device.c - see device.h.
 */
#include "train/device.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "train/memory.h"

enum
{
  /* A context with the kernels of cuDNN and cuBLAS: undocumented, and differs between GPUs. */
  CUDA_OVERHEAD_BYTES = 768 << 20,
  /* Bytes copied to measure bandwidth: far beyond any cache. */
  PEAK_COPY_BYTES = 512 << 20,
  /* Edge of the three matrices of the product: doubled while a product takes less than
   * ENOUGH_PEAK_S, since a small GPU would take minutes for the largest. */
  FIRST_PEAK_MATRIX = 512,
  LAST_PEAK_MATRIX = 8192,
  N_PEAK_RUNS = 10
};

static const double ENOUGH_PEAK_S = 1e-3;

static const UkBackendTable *
find_cuda (const char *name, int *index, GError **error)
{
  g_autoptr(GArray) gpus = urb_device_parse_gpus (name, error);
  const char *why = "";
  int n = uk_cuda_count (&why), last = 0;

  if (gpus == NULL)
    return NULL;
  for (guint i = 0; i < gpus->len; i++)
    last = MAX (last, g_array_index (gpus, int, i));
  if (n == 0)
    g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_NO_DEVICE,
                 "No GPU can be used: %s. Choose --device cpu.", why);
  else if (last >= n)
    g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_NO_DEVICE,
                 "There is no device “%s”: this machine has %d GPU%s, cuda:0%s.", name, n,
                 n == 1 ? "" : "s", n == 1 ? "" : " and so on");
  else
    {
      *index = gpus->len > 0 ? g_array_index (gpus, int, 0) : 0;
      return uk_backend_cuda ();
    }
  return NULL;
}

const UkBackendTable *
urb_device_find (const char *name, int *index, GError **error)
{
  const UkBackendTable *table;

  *index = 0;
  if (urb_device_is_gpu (name))
    return find_cuda (name, index, error);
  table = urb_device_is_host (name) ? uk_backend_find (name) : NULL;
  if (table == NULL)
    g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS,
                 "There is no device “%s”; choose cpu, cuda, or GPUs by number, as in cuda:1 or cuda:0,1.",
                 name);
  return table;
}

int
urb_device_count_spread (const char *name)
{
  g_autoptr(GArray) gpus = urb_device_parse_gpus (name, NULL);

  if (gpus != NULL && gpus->len > 1)
    return (int) gpus->len;
  return strcmp (name, "cuda") == 0 ? MAX (uk_cuda_count (NULL), 1) : 1;
}

char *
urb_device_dup_of_rank (const char *name, int local_rank)
{
  g_autoptr(GArray) gpus = urb_device_parse_gpus (name, NULL);
  int n = urb_device_count_spread (name), place = local_rank % n;

  if (n == 1)
    return g_strdup (name);
  return urb_device_dup_gpu (gpus->len > 0 ? g_array_index (gpus, int, place) : place);
}

char *
urb_device_dup_address (const char *name)
{
  UkCudaInfo info;
  int index;

  if (urb_device_is_host (name) || urb_device_find (name, &index, NULL) == NULL
      || uk_cuda_info (index, &info) != UK_OK)
    return g_strdup ("");
  return g_strdup (info.pci);
}

char **
urb_device_dup_gpus (const char *name, int n)
{
  g_autoptr(GStrvBuilder) result = g_strv_builder_new ();

  if (urb_device_is_host (name))
    return NULL;
  for (int i = 0; i < n; i++)
    {
      g_autofree char *device = urb_device_dup_of_rank (name, i), *address = urb_device_dup_address (device);

      if (*address != '\0')
        g_strv_builder_add (result, address);
    }
  return g_strv_builder_end (result);
}

char *
urb_device_dup_text (const char *name, UkPrecision precision)
{
  const char *digits = uk_precision_name (precision);
  UkCpuInfo cpu;
  UkCudaInfo gpu;
  int index;

  if (urb_device_is_host (name))
    {
      uk_cpu_info (&cpu);
      return g_strdup_printf ("%s (%s), %s", cpu.model, name, digits);
    }
  if (urb_device_find (name, &index, NULL) == NULL || uk_cuda_info (index, &gpu) != UK_OK)
    return g_strdup_printf ("%s, %s", name, digits);
  if (strchr (name, ',') != NULL)
    return g_strdup_printf ("%s (%s), %s", gpu.name, name, digits);
  return g_strdup_printf ("%s (cuda:%d), %s", gpu.name, index, digits);
}

static char *
dup_cache (void)
{
  return g_build_filename (g_get_user_cache_dir (), "urbarium", NULL);
}

char *
urb_device_dup_cache_problem (const char *name)
{
  g_autofree char *cache = dup_cache ();

  if (urb_device_is_host (name)
      || (g_mkdir_with_parents (cache, 0700) == 0 && g_access (cache, W_OK | X_OK) == 0))
    return NULL;
  return g_strdup_printf ("The folder '%s' cannot be written (%s): the fastest algorithm of each "
                          "convolution is measured again at every start. Set XDG_CACHE_HOME to "
                          "another folder.",
                          cache, g_strerror (errno));
}

UkBackend *
urb_device_open (const char *name, UkPrecision precision, int n_threads, GError **error)
{
  return urb_device_open_to_train (name, precision, n_threads, 0, error);
}

UkBackend *
urb_device_open_to_train (const char *name, UkPrecision precision, int n_threads, int cudnn_compiled,
                          GError **error)
{
  g_autofree char *cache = dup_cache ();
  UkBackendConfig config = { .n_threads = n_threads, .precision = precision, .cache = cache,
                             .max_compiled = cudnn_compiled };
  const UkBackendTable *table = urb_device_find (name, &config.device, error);
  UkBackend *backend = NULL;
  UkStatus status;
  const char *why;

  if (table == NULL)
    return NULL;
  if (strchr (name, ',') != NULL)
    {
      urb_options_fail (error, "One GPU is needed here, and “%s” names several.", name);
      return NULL;
    }
  if (!table->is_host)
    g_mkdir_with_parents (cache, 0700); /* failure: see urb_device_dup_cache_problem() */
  status = table->open (&config, &backend);
  if (status == UK_OK)
    return backend;
  why = table->explain != NULL                               ? table->explain (NULL)
        : status != UK_UNSUPPORTED || precision == UK_FP32 ? ""
        : precision == UK_BF16 ? "choose --precision fp32"
                               : "choose --precision fp32, or --device cuda";
  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DEVICE,
               "The device “%s” with precision %s cannot be opened: %s%s%s.", name,
               uk_precision_name (precision), uk_status_text (status), *why != '\0' ? "; " : "", why);
  return NULL;
}

void
urb_device_close (UkBackend *self)
{
  UkPlanCounts counts;

  if (self == NULL)
    return;
  if (self->table->count_plans != NULL)
    {
      counts = self->table->count_plans (self);
      g_debug ("convolutions timed: %d, plans finalized: %d, kernels compiled: %d", (int) counts.n_timed,
               (int) counts.n_finalized, (int) counts.n_compiled);
    }
  self->table->close (self);
}

gboolean
urb_device_check (UkStatus status, GError **error)
{
  if (status == UK_OK)
    return TRUE;
  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DEVICE,
               "Data cannot be copied to or from the device: %s.", uk_status_text (status));
  return FALSE;
}

gint64
urb_device_get_available (UkBackend *self)
{
  gint64 n_free, n_total;

  if (self->table->memory == NULL)
    return urb_memory_get_available ();
  return self->table->memory (self, &n_free, &n_total) == UK_OK ? n_free : G_MAXINT64;
}

gint64
urb_device_get_overhead (const char *name)
{
  return urb_device_is_host (name) ? 0 : CUDA_OVERHEAD_BYTES;
}

/* ------------------------------------------------------------------------ */
/* Peaks                                                                     */

/* Seconds of one of N_PEAK_RUNS, after a warm-up; 0 on failure. */
static double
time_runs (UkBackend *self, UkStatus (*run) (UkBackend *self, gpointer data), gpointer data)
{
  gint64 begin_us;
  UkStatus status = run (self, data);

  if (status != UK_OK || self->table->sync (self) != UK_OK)
    return 0;
  begin_us = g_get_monotonic_time ();
  for (int i = 0; i < N_PEAK_RUNS && status == UK_OK; i++)
    status = run (self, data);
  if (self->table->sync (self) != UK_OK || status != UK_OK)
    return 0;
  return (double) (g_get_monotonic_time () - begin_us) * 1e-6 / N_PEAK_RUNS;
}

static UkStatus
run_copy (UkBackend *self, gpointer data)
{
  void **ends = data;

  return self->table->copy (self, ends[1], ends[0], PEAK_COPY_BYTES);
}

static double
measure_copy (UkBackend *self)
{
  void *ends[] = { self->table->alloc (self, PEAK_COPY_BYTES),
                   self->table->alloc (self, PEAK_COPY_BYTES) };
  double seconds = ends[0] != NULL && ends[1] != NULL ? time_runs (self, run_copy, ends) : 0;

  for (gsize i = 0; i < G_N_ELEMENTS (ends); i++)
    self->table->free (self, ends[i], PEAK_COPY_BYTES);
  return seconds > 0 ? 2.0 * PEAK_COPY_BYTES / seconds : 0;
}

/* A product of two square matrices, as a 1 x 1 convolution. */
typedef struct
{
  UkOp *op;
  void *args[UK_MAX_ARGS];
  void *w, *packed, *scratch;
} Product;

static UkStatus
run_product (UkBackend *self, gpointer data)
{
  Product *product = data;

  return self->table->run (product->op, product->args, product->scratch);
}

/* With random values: a GPU multiplies zeros faster. */
static gboolean
fill_random (UkBackend *self, UkArgType type, void *memory, gint64 count)
{
  g_autofree float *values = g_new (float, count);
  guint32 state = 1;

  for (gint64 i = 0; i < count; i++)
    {
      state = state * 1664525u + 1013904223u;
      values[i] = (float) ((double) state * 0x1p-31 - 1);
    }
  return memory != NULL && self->table->upload (self, type, memory, values, count) == UK_OK;
}

/* Seconds; 0 on failure. */
static double
time_product (UkBackend *self, gint64 edge)
{
  const gint64 count = edge * edge;
  const UkShape shape = { edge, 1, 1, edge };
  const UkOpDesc desc = { .kind = UK_OP_CONV, .x = shape, .y = shape, .kernel = 1, .stride = 1 };
  gsize value_bytes = (gsize) count * uk_type_size (self, UK_VALUE);
  gsize w_bytes = (gsize) count * self->table->element_size;
  Product product = { 0 };
  double seconds = 0;

  if (self->table->prepare (self, &desc, &product.op) != UK_OK)
    return 0;
  product.args[0] = self->table->alloc (self, value_bytes);
  product.args[3] = self->table->alloc (self, value_bytes);
  product.w = product.args[1] = self->table->alloc (self, w_bytes);
  product.scratch = self->table->alloc (self, product.op->scratch_bytes);
  if (product.op->packed_bytes > 0)
    product.packed = product.args[1] = self->table->alloc (self, product.op->packed_bytes);
  if (product.args[3] != NULL && product.args[1] != NULL && product.scratch != NULL
      && fill_random (self, UK_VALUE, product.args[0], count)
      && fill_random (self, UK_REAL, product.w, count)
      && (product.packed == NULL
          || self->table->pack (product.op, product.w, product.packed) == UK_OK))
    seconds = time_runs (self, run_product, &product);
  self->table->free (self, product.args[0], value_bytes);
  self->table->free (self, product.args[3], value_bytes);
  self->table->free (self, product.w, w_bytes);
  self->table->free (self, product.scratch, product.op->scratch_bytes);
  self->table->free (self, product.packed, product.op->packed_bytes);
  self->table->release (product.op);
  return seconds;
}

static double
measure_product (UkBackend *self)
{
  double seconds = 0, best = 0;

  for (gint64 edge = FIRST_PEAK_MATRIX; edge <= LAST_PEAK_MATRIX && seconds < ENOUGH_PEAK_S;
       edge *= 2)
    {
      seconds = time_product (self, edge);
      if (seconds <= 0)
        break;
      best = MAX (best, 2.0 * (double) (edge * edge * edge) / seconds);
    }
  return best;
}

void
urb_device_measure_peaks (UkBackend *self, int n_threads, double *flops, double *copy)
{
  *flops = self->table->is_host ? uk_cpu_peak_flops (n_threads) : measure_product (self);
  *copy = self->table->is_host ? uk_cpu_peak_copy (n_threads) : measure_copy (self);
}
