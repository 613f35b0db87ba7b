/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-batch-norm-ranks.c - batch norm over the samples of several ranks: a batch split into parts, with the
 * collectives done by hand, must give the same result as the whole batch at once; on the reference and on
 * `cpu`, or the backend named on the command line, also where means are large compared with deviations.
 * Also checks its gradient against finite differences.
 */
#include "test-kernels-util.h"

#include <math.h>

enum { N = 6, PIXELS = 4, C = 5, COUNT = N * PIXELS * C, MAX_RANKS = 6 };

#define ARGS(...) ((double *[]) { __VA_ARGS__ })

/* ------------------------------------------------------------------------ */
/* Operations on host arrays                                                 */

typedef struct
{
  const UkBackendTable *uk;
  UkBackend            *backend; /* owned */
  double                tolerance;
} Device;

static void
device_open (Device *self, const char *name)
{
  const UkBackendConfig config = { .n_threads = 2 };

  self->uk = uk_backend_find (name);
  self->tolerance = self->uk->element_size == sizeof (double) ? 1e-12 : 1e-5;
  g_assert_cmpint (self->uk->open (&config, &self->backend), ==, UK_OK);
}

static void *
to_device (Device *self, const double *x, int64_t count)
{
  gsize n_bytes = (gsize) count * self->uk->element_size;
  void *memory = self->uk->alloc (self->backend, n_bytes);
  g_autofree float *floats = g_new (float, count);

  for (int64_t i = 0; i < count; i++)
    floats[i] = (float) x[i];
  if (self->uk->element_size == sizeof (double))
    self->uk->write (self->backend, memory, x, n_bytes);
  else
    self->uk->upload (self->backend, UK_REAL, memory, floats, count);
  return memory;
}

/* Also frees @memory. */
static void
from_device (Device *self, double *x, void *memory, int64_t count)
{
  gsize n_bytes = (gsize) count * self->uk->element_size;
  g_autofree float *floats = g_new (float, count);

  if (self->uk->element_size == sizeof (double))
    self->uk->read (self->backend, x, memory, n_bytes);
  else
    {
      self->uk->download (self->backend, UK_REAL, floats, memory, count);
      for (int64_t i = 0; i < count; i++)
        x[i] = floats[i];
    }
  self->uk->free (self->backend, memory, n_bytes);
}

static void
run (Device *self, const UkOpDesc *desc, double *const *args)
{
  int n_args = uk_op_info (desc->kind)->n_args;
  void *memory[UK_MAX_ARGS] = { NULL }, *scratch;
  UkOp *op;

  for (int i = 0; i < n_args; i++)
    if (args[i] != NULL)
      memory[i] = to_device (self, args[i], uk_op_arg_count (desc, i));
  g_assert_cmpint (self->uk->prepare (self->backend, desc, &op), ==, UK_OK);
  scratch = self->uk->alloc (self->backend, op->scratch_bytes + 1);
  g_assert_cmpint (self->uk->run (op, memory, scratch), ==, UK_OK);
  g_assert_cmpint (self->uk->sync (self->backend), ==, UK_OK);
  self->uk->free (self->backend, scratch, op->scratch_bytes + 1);
  self->uk->release (op);
  for (int i = 0; i < n_args; i++)
    if (args[i] != NULL)
      from_device (self, args[i], memory[i], uk_op_arg_count (desc, i));
}

/* ------------------------------------------------------------------------ */
/* One layer, at once and split over ranks                                   */

typedef struct
{
  double x[COUNT], y[COUNT], dy[COUNT], dx[COUNT];
  double gamma[C], beta[C], dgamma[C], dbeta[C], running_mean[C], running_var[C];
  double mean[C], inv_std[C];
} Layer;

static void
fill (double *x, int64_t count, GRand *rand)
{
  for (int64_t i = 0; i < count; i++)
    x[i] = (float) g_rand_double_range (rand, -1, 1);
}

/* @mean: in units of the deviations; exactly representable as float, like all values. */
static void
layer_init (Layer *self, double mean)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (21);

  fill (self->x, COUNT, rand);
  fill (self->dy, COUNT, rand);
  fill (self->gamma, C, rand);
  fill (self->beta, C, rand);
  fill (self->dgamma, C, rand);
  fill (self->dbeta, C, rand);
  fill (self->running_mean, C, rand);
  for (int i = 0; i < C; i++)
    self->running_var[i] = 1 + i;
  for (int i = 0; i < COUNT; i++)
    self->x[i] = (float) (self->x[i] + mean * (1 + i % C));
}

static UkOpDesc
desc_of (UkOpKind kind, int n_ranks, UkAct act)
{
  UkShape shape = { N / n_ranks, 2, 2, C };

  return (UkOpDesc) { .kind = kind, .x = shape, .y = shape, .act = act, .slope = 0.2f,
                      .eps = 1e-5f, .momentum = 0.25f, .batch = N, .accumulate = true };
}

static void
run_at_once (Device *device, Layer *self, UkAct act)
{
  UkOpDesc forward = desc_of (UK_OP_BATCH_NORM, 1, act);
  UkOpDesc backward = desc_of (UK_OP_BATCH_NORM_GRAD, 1, act);

  run (device, &forward, ARGS (self->x, self->gamma, self->beta, self->running_mean,
                               self->running_var, self->y, self->mean, self->inv_std));
  run (device, &backward, ARGS (self->x, self->dy, self->gamma, self->beta, self->mean,
                                self->inv_std, self->dx, self->dgamma, self->dbeta));
}

/* Forward: gather.  All ranks must get the same running statistics. */
static void
forward_by_ranks (Device *device, Layer *self, int n_ranks, UkAct act)
{
  UkOpDesc local = desc_of (UK_OP_BATCH_NORM_LOCAL, n_ranks, act);
  UkOpDesc global = desc_of (UK_OP_BATCH_NORM_GLOBAL, n_ranks, act);
  double statistics[MAX_RANKS * 2 * C], first[4 * C];
  Layer rank = *self;

  for (int r = 0; r < n_ranks; r++)
    run (device, &local, ARGS (self->x + r * COUNT / n_ranks, statistics + r * 2 * C));
  for (int r = 0; r < n_ranks; r++)
    {
      double *results[] = { rank.mean, rank.inv_std, rank.running_mean, rank.running_var };

      rank = *self;
      run (device, &global, ARGS (self->x + r * COUNT / n_ranks, statistics, rank.gamma, rank.beta,
                                  rank.running_mean, rank.running_var,
                                  rank.y + r * COUNT / n_ranks, rank.mean, rank.inv_std));
      memcpy (self->y + r * COUNT / n_ranks, rank.y + r * COUNT / n_ranks,
              COUNT / n_ranks * sizeof (double));
      for (int i = 0; i < 4; i++)
        if (r == 0)
          memcpy (first + i * C, results[i], C * sizeof (double));
        else
          g_assert_cmpmem (results[i], C * sizeof (double), first + i * C, C * sizeof (double));
    }
  memcpy (self->mean, rank.mean, sizeof rank.mean);
  memcpy (self->inv_std, rank.inv_std, sizeof rank.inv_std);
  memcpy (self->running_mean, rank.running_mean, sizeof rank.running_mean);
  memcpy (self->running_var, rank.running_var, sizeof rank.running_var);
}

/* Backward: all-reduce.  dgamma and dbeta are added up too, like all parameter gradients. */
static void
backward_by_ranks (Device *device, Layer *self, int n_ranks, UkAct act)
{
  UkOpDesc local = desc_of (UK_OP_BATCH_NORM_GRAD_LOCAL, n_ranks, act);
  UkOpDesc global = desc_of (UK_OP_BATCH_NORM_GRAD_GLOBAL, n_ranks, act);
  double total[2 * C] = { 0 };

  for (int r = 0; r < n_ranks; r++)
    {
      double sums[2 * C];
      int at = r * COUNT / n_ranks;

      run (device, &local, ARGS (self->x + at, self->dy + at, self->gamma, self->beta, self->mean,
                                 self->inv_std, sums, self->dgamma, self->dbeta));
      for (int i = 0; i < 2 * C; i++)
        total[i] += sums[i];
    }
  for (int r = 0; r < n_ranks; r++)
    {
      int at = r * COUNT / n_ranks;

      run (device, &global, ARGS (self->x + at, self->dy + at, self->gamma, self->beta,
                                  self->mean, self->inv_std, total, self->dx + at));
    }
}

/* ------------------------------------------------------------------------ */

static void
check_layers (const Layer *by_ranks, const Layer *at_once, double tolerance)
{
  test_assert_near ("y", by_ranks->y, at_once->y, COUNT, tolerance);
  test_assert_near ("mean", by_ranks->mean, at_once->mean, C, tolerance);
  test_assert_near ("inv_std", by_ranks->inv_std, at_once->inv_std, C, tolerance);
  test_assert_near ("running mean", by_ranks->running_mean, at_once->running_mean, C, tolerance);
  test_assert_near ("running var", by_ranks->running_var, at_once->running_var, C, tolerance);
  test_assert_near ("dx", by_ranks->dx, at_once->dx, COUNT, tolerance);
  test_assert_near ("dgamma", by_ranks->dgamma, at_once->dgamma, C, tolerance);
  test_assert_near ("dbeta", by_ranks->dbeta, at_once->dbeta, C, tolerance);
}

static void
check_ranks (const char *backend, double mean, double loosened)
{
  Device device;

  device_open (&device, backend);
  for (int act = UK_ACT_NONE; act < UK_ACT_SOFTMAX; act++)
    for (int n_ranks = 1; n_ranks <= MAX_RANKS; n_ranks++)
      {
        Layer at_once, by_ranks;

        if (N % n_ranks != 0)
          continue;
        layer_init (&at_once, mean);
        by_ranks = at_once;
        run_at_once (&device, &at_once, act);
        forward_by_ranks (&device, &by_ranks, n_ranks, act);
        backward_by_ranks (&device, &by_ranks, n_ranks, act);
        check_layers (&by_ranks, &at_once, device.tolerance * loosened);
      }
  device.uk->close (device.backend);
}

static void
test_ranks (gconstpointer backend)
{
  check_ranks (backend, 0, 1);
  check_ranks (backend, 1, 1);
}

/* Means of 10^3 to 10^4 deviations: the square of such a mean, rounded to float, is off by more than the
 * variance.  Rounding the gathered means, and the mean itself, to float costs a few 10^-4 deviations. */
static void
test_large_means (gconstpointer backend)
{
  check_ranks (backend, 1e3, 30);
}

/* ------------------------------------------------------------------------ */
/* Finite differences                                                        */

typedef struct
{
  Device *device;
  Layer   layer;
  double  weights[COUNT];
  int     n_ranks;
  UkAct   act;
} Loss;

/* The loss over the samples of all ranks. */
static double
loss_of (gpointer data)
{
  Loss *self = data;

  forward_by_ranks (self->device, &self->layer, self->n_ranks, self->act);
  return test_dot (self->layer.y, self->weights, COUNT);
}

static void
check_gradient (Device *device, int n_ranks, UkAct act)
{
  Loss loss = { .device = device, .n_ranks = n_ranks, .act = act };
  double dgamma[C], dbeta[C], dx[COUNT];

  layer_init (&loss.layer, 0);
  memcpy (loss.weights, loss.layer.dy, sizeof loss.weights);
  memset (loss.layer.dgamma, 0, sizeof loss.layer.dgamma);
  memset (loss.layer.dbeta, 0, sizeof loss.layer.dbeta);
  loss_of (&loss);
  backward_by_ranks (device, &loss.layer, n_ranks, act);
  memcpy (dx, loss.layer.dx, sizeof dx);
  memcpy (dgamma, loss.layer.dgamma, sizeof dgamma);
  memcpy (dbeta, loss.layer.dbeta, sizeof dbeta);
  test_assert_gradient ("dx", loss.layer.x, COUNT, dx, 1e-5, loss_of, &loss);
  test_assert_gradient ("dgamma", loss.layer.gamma, C, dgamma, 1e-5, loss_of, &loss);
  test_assert_gradient ("dbeta", loss.layer.beta, C, dbeta, 1e-5, loss_of, &loss);
}

static void
test_gradients (void)
{
  Device device;

  device_open (&device, "reference");
  for (int act = UK_ACT_NONE; act < UK_ACT_SOFTMAX; act++)
    for (int n_ranks = 2; n_ranks <= 3; n_ranks++)
      check_gradient (&device, n_ranks, act);
  device.uk->close (device.backend);
}

/* Two ranks of one sample each: means 1 and 3, no variance of their own. */
static void
test_by_hand (gconstpointer backend)
{
  UkOpDesc desc = { .kind = UK_OP_BATCH_NORM_LOCAL, .x = { 1, 1, 1, 1 }, .y = { 1, 1, 1, 1 },
                    .eps = 3, .momentum = 0.25f, .batch = 2 };
  double x[] = { 1, 3 }, gamma[] = { 2 }, beta[] = { 1 }, running_mean[] = { 8 };
  double running_var[] = { 4 }, y[2], mean[1], inv_std[1], statistics[4], dy[] = { 1, 0 };
  double sums[2][2], total[2], dx[2], dgamma[] = { 7 }, dbeta[] = { 7 };
  Device device;

  device_open (&device, backend);
  for (int r = 0; r < 2; r++)
    run (&device, &desc, ARGS (x + r, statistics + 2 * r));
  g_assert_cmpmem (statistics, sizeof statistics, ((double[]) { 1, 0, 3, 0 }), sizeof statistics);
  desc.kind = UK_OP_BATCH_NORM_GLOBAL;
  run (&device, &desc, ARGS (x, statistics, gamma, beta, NULL, NULL, y, mean, inv_std));
  run (&device, &desc, ARGS (x + 1, statistics, gamma, beta, running_mean, running_var, y + 1,
                             mean, inv_std));
  g_assert_cmpmem (y, sizeof y, ((double[]) { 0, 2 }), sizeof y);
  g_assert_cmpfloat (mean[0], ==, 2);
  g_assert_cmpfloat (inv_std[0], ==, 0.5);
  g_assert_cmpfloat (running_mean[0], ==, 6.5);
  g_assert_cmpfloat (running_var[0], ==, 3.5);

  desc.kind = UK_OP_BATCH_NORM_GRAD_LOCAL;
  for (int r = 0; r < 2; r++)
    run (&device, &desc, ARGS (x + r, dy + r, gamma, beta, mean, inv_std, sums[r], dgamma, dbeta));
  g_assert_cmpmem (sums, sizeof sums, ((double[]) { -0.5, 1, 0, 0 }), sizeof sums);
  g_assert_cmpfloat (dgamma[0], ==, 0); /* the second rank's value, overwritten, not accumulated */
  g_assert_cmpfloat (dbeta[0], ==, 0);
  for (int i = 0; i < 2; i++)
    total[i] = sums[0][i] + sums[1][i];
  desc.kind = UK_OP_BATCH_NORM_GRAD_GLOBAL;
  for (int r = 0; r < 2; r++)
    run (&device, &desc, ARGS (x + r, dy + r, gamma, beta, mean, inv_std, total, dx + r));
  g_assert_cmpmem (dx, sizeof dx, ((double[]) { 0.375, -0.375 }), sizeof dx);
  device.uk->close (device.backend);
}

/* The recomputed y is bit-identical. */
static void
test_again (gconstpointer name)
{
  Device device;
  Layer layer;
  double y[COUNT];

  device_open (&device, name);
  for (int act = UK_ACT_NONE; act < UK_ACT_SOFTMAX; act++)
    {
      UkOpDesc again = desc_of (UK_OP_BATCH_NORM_RECOMPUTE, 1, (UkAct) act);

      layer_init (&layer, 3);
      run_at_once (&device, &layer, (UkAct) act);
      memcpy (y, layer.y, sizeof y);
      memset (layer.y, 0, sizeof layer.y);
      run (&device, &again, ARGS (layer.x, layer.gamma, layer.beta, layer.mean, layer.inv_std,
                                  layer.y));
      g_assert_cmpmem (layer.y, sizeof layer.y, y, sizeof y);
    }
  device.uk->close (device.backend);
}

int
main (int argc, char **argv)
{
  const char *backends[] = { "reference", "cpu" };

  g_test_init (&argc, &argv, NULL);
  if (argc > 1)
    backends[1] = argv[1];
  for (gsize i = 0; i < G_N_ELEMENTS (backends); i++)
    {
      const char *name = backends[i];
      g_autofree char *by_hand = g_strdup_printf ("/batch-norm-ranks/by-hand/%s", name);
      g_autofree char *ranks = g_strdup_printf ("/batch-norm-ranks/ranks/%s", name);
      g_autofree char *again = g_strdup_printf ("/batch-norm-ranks/again/%s", name);
      g_autofree char *large = g_strdup_printf ("/batch-norm-ranks/large-means/%s", name);

      g_test_add_data_func (by_hand, name, test_by_hand);
      g_test_add_data_func (ranks, name, test_ranks);
      g_test_add_data_func (large, name, test_large_means);
      g_test_add_data_func (again, name, test_again);
    }
  g_test_add_func ("/batch-norm-ranks/gradients", test_gradients);
  return g_test_run ();
}
