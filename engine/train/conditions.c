/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conditions.c - see conditions.h.
 */
#include "train/conditions.h"

#include <math.h>
#include <string.h>

#include "kernels/uk-random.h"
#include "model/streams.h"
#include "settings/strategy.h"
#include "step/build.h"

enum
{
  MAX_ROWS = 1024,
  MAX_STORED_ROWS = 1 << 20, /* in a file of unknown origin */
  BATCH = 16
};

/* Wider than houses: boxes of this edge are filled by large buildings only. */
#define BOX_M 20.0

const char *const urb_share_names[UK_N_SHARES + 1] = { "built", "roads", "halls", NULL };

int
urb_conditions_get_box (int size_px, double area_size_m)
{
  double half = (BOX_M * size_px / area_size_m - 1) / 2;

  return 2 * (int) CLAMP (half + 0.5, 0, size_px / 2) + 1;
}

/* ------------------------------------------------------------------------ */
/* The distribution                                                          */

static int
compare_floats (gconstpointer a, gconstpointer b)
{
  float x = *(const float *) a, y = *(const float *) b;

  return (x > y) - (x < y);
}

static void
summarize (UrbConditions *self, int share)
{
  g_autofree float *sorted = g_new (float, self->n_rows);
  double sum = 0, squares = 0, variance;

  for (int i = 0; i < self->n_rows; i++)
    {
      sorted[i] = self->rows[i * UK_N_SHARES + share];
      sum += sorted[i];
    }
  self->mean[share] = sum / self->n_rows;
  for (int i = 0; i < self->n_rows; i++)
    squares += (sorted[i] - self->mean[share]) * (sorted[i] - self->mean[share]);
  variance = squares / self->n_rows;
  self->inv_std[share] = variance > 1e-12 ? 1 / sqrt (variance) : 0;
  qsort (sorted, (size_t) self->n_rows, sizeof *sorted, compare_floats);
  self->low[share] = sorted[(int) (0.01 * (self->n_rows - 1))];
  self->high[share] = sorted[(int) ceil (0.99 * (self->n_rows - 1))];
}

UrbConditions *
urb_conditions_new (float *rows, int n_rows)
{
  UrbConditions *self = g_new0 (UrbConditions, 1);

  g_return_val_if_fail (n_rows > 0, NULL);
  self->rows = rows;
  self->n_rows = n_rows;
  for (int i = 0; i < UK_N_SHARES; i++)
    summarize (self, i);
  return self;
}

void
urb_conditions_free (UrbConditions *self)
{
  if (self == NULL)
    return;
  g_free (self->rows);
  g_free (self);
}

void
urb_conditions_get_scale (const UrbConditions *self, float scale[2 * UK_N_SHARES])
{
  for (int i = 0; i < UK_N_SHARES; i++)
    {
      scale[i] = (float) self->mean[i];
      scale[UK_N_SHARES + i] = (float) self->inv_std[i];
    }
}

void
urb_conditions_normalize (const UrbConditions *self, const float shares[UK_N_SHARES],
                          float out[UK_N_SHARES])
{
  for (int i = 0; i < UK_N_SHARES; i++)
    out[i] = (float) ((shares[i] - self->mean[i]) * self->inv_std[i]);
}

/* ------------------------------------------------------------------------ */
/* Measuring                                                                 */

static UkStatus
measure (UkBackend *backend, const UkOpDesc *desc, const float *x, float *shares)
{
  const float scale[2 * UK_N_SHARES] = { 0, 0, 0, 1, 1, 1 };
  void *const args[] = { (void *) x, (void *) scale, shares };
  g_autofree void *scratch = NULL;
  UkOp *op = NULL;
  UkStatus status = backend->table->prepare (backend, desc, &op);

  if (status != UK_OK)
    return status;
  scratch = backend->table->alloc (backend, op->scratch_bytes);
  status = scratch == NULL ? UK_NO_MEMORY : backend->table->run (op, args, scratch);
  backend->table->free (backend, g_steal_pointer (&scratch), op->scratch_bytes);
  backend->table->release (op);
  return status;
}

gboolean
urb_conditions_measure_images (const guint8 *levels, gint64 n, int size_px, int n_channels,
                               double area_size_m, float *shares, GError **error)
{
  const UkBackendConfig config = { .n_threads = 1 };
  const UkBackendTable *cpu = uk_backend_cpu ();
  gint64 per_image = (gint64) size_px * size_px * n_channels;
  g_autofree float *x = g_new (float, BATCH * per_image);
  UkBackend *backend = NULL;
  UkStatus status = cpu->open (&config, &backend);

  for (gint64 first = 0; first < n && status == UK_OK; first += BATCH)
    {
      gint64 count = MIN (BATCH, n - first);
      const UkOpDesc desc = { .kind = UK_OP_SHARES, .x = { count, size_px, size_px, n_channels },
                              .y = { count, 1, 1, UK_N_SHARES }, .target = URB_SHARES_LEVEL,
                              .kernel = urb_conditions_get_box (size_px, area_size_m) };

      for (gint64 i = 0; i < count * per_image; i++)
        x[i] = (float) (levels[first * per_image + i] / 127.5 - 1); /* as UK_OP_LOAD */
      status = measure (backend, &desc, x, shares + first * UK_N_SHARES);
    }
  if (status != UK_OK)
    urb_step_set_error (error, backend, status, "The shares of images cannot be measured");
  if (backend != NULL)
    cpu->close (backend);
  return status == UK_OK;
}

UrbConditions *
urb_conditions_measure (UrbDataset *dataset, int size_px, GError **error)
{
  const UrbDatasetInfo *info = urb_dataset_get_info (dataset);
  int n_channels = urb_encoding_get_n_channels (info->encoding);
  gsize tile = (gsize) size_px * (gsize) size_px * (gsize) n_channels;
  g_autofree guint8 *levels = g_malloc (tile);
  g_autofree float *rows = NULL;
  gint64 n_tiles, n;
  const gint64 *tiles = urb_dataset_get_split (dataset, URB_SPLIT_TRAIN, &n_tiles);

  n = MIN (n_tiles, MAX_ROWS);
  if (n == 0)
    return urb_conditions_new_for_benchmark (); /* the loader reports it */
  rows = g_new (float, n * UK_N_SHARES);
  for (gint64 i = 0; i < n; i++)
    if (!urb_dataset_read_tile (dataset, tiles[i * n_tiles / n], size_px, levels, error)
        || !urb_conditions_measure_images (levels, 1, size_px, n_channels, info->area_size_m,
                                           rows + i * UK_N_SHARES, error))
      return NULL;
  return urb_conditions_new (g_steal_pointer (&rows), (int) n);
}

UrbConditions *
urb_conditions_new_for_benchmark (void)
{
  static const float rows[] = { 0, 0, 0, 1, 1, 1 };

  return urb_conditions_new (g_memdup2 (rows, sizeof rows), 2);
}

UrbConditions *
urb_conditions_read (UrbSafetensors *file, const char *path, GError **error)
{
  const UrbTensor *tensor = urb_safetensors_lookup (file, URB_CONDITIONS_TENSOR);
  gboolean usable = tensor != NULL && tensor->type == URB_TENSOR_F32 && tensor->n_dims == 2
                    && tensor->shape[0] >= 1 && tensor->shape[0] <= MAX_STORED_ROWS
                    && tensor->shape[1] == UK_N_SHARES;
  gint64 count = usable ? tensor->shape[0] * UK_N_SHARES : 0;

  for (gint64 i = 0; i < count && usable; i++)
    usable = ((const float *) tensor->data)[i] >= 0 && ((const float *) tensor->data)[i] <= 1;
  if (usable)
    return urb_conditions_new (g_memdup2 (tensor->data, (gsize) count * sizeof (float)),
                               (int) tensor->shape[0]);
  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_CHECKPOINT,
               "%s cannot be used as a checkpoint: its generator expects shares, and those of the "
               "training areas are missing or damaged.", path);
  return NULL;
}

/* ------------------------------------------------------------------------ */
/* Drawing                                                                   */

/* The squared distance of a row from what is asked, in bandwidths. */
static double
get_distance (const UrbConditions *self, const UrbShareWish *wish, int row, double bandwidth)
{
  double sum = 0;

  for (int i = 0; i < UK_N_SHARES; i++)
    if (wish->share[i] >= 0)
      {
        double z = (self->rows[row * UK_N_SHARES + i] - wish->share[i]) * self->inv_std[i] / bandwidth;

        sum += z * z;
      }
  return sum;
}

/* Where what is asked is far from all rows, the nearest remain: distances count from the smallest. */
static int
draw_near (const UrbConditions *self, const UrbShareWish *wish, double uniform, int n_asked)
{
  double bandwidth = pow (self->n_rows, -1.0 / (n_asked + 4)), nearest = G_MAXDOUBLE, total = 0;
  g_autofree double *weights = g_new (double, self->n_rows);
  int row = 0;

  for (int i = 0; i < self->n_rows; i++)
    {
      weights[i] = get_distance (self, wish, i, bandwidth);
      nearest = MIN (nearest, weights[i]);
    }
  for (int i = 0; i < self->n_rows; i++)
    {
      weights[i] = exp (-0.5 * (weights[i] - nearest));
      total += weights[i];
    }
  for (double rest = uniform * total; row < self->n_rows - 1 && rest >= weights[row]; row++)
    rest -= weights[row];
  return row;
}

void
urb_conditions_draw (const UrbConditions *self, const UrbShareWish *wish, guint64 seed,
                     gint64 index, float shares[UK_N_SHARES])
{
  const guint64 rng[2] = { seed, 0 };
  guint32 words[4];
  int n_asked = 0, row;

  for (int i = 0; i < UK_N_SHARES; i++)
    n_asked += wish->share[i] >= 0;
  uk_philox (rng, URB_STREAM_SHARES, (guint64) index, words);
  row = n_asked == 0 ? (int) (uk_uniform (words[0]) * self->n_rows)
                     : draw_near (self, wish, uk_uniform (words[0]), n_asked);
  for (int i = 0; i < UK_N_SHARES; i++)
    shares[i] = wish->share[i] >= 0 ? (float) wish->share[i] : self->rows[row * UK_N_SHARES + i];
}
