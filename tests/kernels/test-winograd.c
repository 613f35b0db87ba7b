/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-winograd.c - the Winograd convolution's matrices and its sums.
 *
 * With small integers, and weights that are multiples of four, every intermediate value of the algorithm is
 * exactly representable as float.  So its result must equal the reference's bit for bit: a wrong sign in a
 * matrix, an extra tile or a sum started twice cannot hide in a tolerance.  This holds for every number of
 * threads and every available instruction set.
 */
#include "test-kernels-util.h"

#include "kernels/cpu/cpu-private.h"

typedef struct
{
  UkShape x;
  int64_t c_out;
  int     kernel, stride, pad;
  bool    transposed;
} Shape;

/* In order: one group and many, weights stored transformed and not (512 and more), sums of the gradient in
 * parts and in one (36 x 36). */
static const Shape shapes[] = {
  { { 1, 4, 4, 32 }, 32, 3, 1, 1, false },    { { 2, 21, 18, 43 }, 33, 3, 1, 1, false },
  { { 1, 140, 144, 40 }, 32, 3, 1, 1, true }, { { 1, 16, 16, 512 }, 520, 3, 1, 0, false },
  { { 2, 16, 22, 32 }, 48, 4, 2, 1, false },  { { 3, 17, 23, 41 }, 50, 4, 2, 1, false },
  { { 1, 16, 14, 33 }, 65, 4, 2, 0, true },   { { 4, 36, 36, 48 }, 80, 4, 2, 1, false },
  { { 1, 9, 8, 260 }, 257, 4, 2, 1, true },
  /* results of 2 x 2 with 2 x 2 taps: likewise, and with per-phase tiles */
  { { 1, 8, 8, 33 }, 50, 4, 2, 1, false },    { { 50, 8, 8, 40 }, 35, 4, 2, 1, false },
  { { 300, 4, 4, 32 }, 36, 4, 2, 1, true },   { { 2, 5, 5, 43 }, 36, 4, 2, 2, true },
  { { 3, 5, 3, 33 }, 40, 4, 2, 2, true },     { { 1, 8, 8, 344 }, 342, 4, 2, 1, false },
  { { 2, 4, 4, 344 }, 342, 4, 2, 1, true },
};

static const UkCpuIsa *
find_isa (int i)
{
#ifdef UK_CPU_X86
  const UkCpuIsa *all[] = { &uk_cpu_isa_baseline, &uk_cpu_isa_avx2, &uk_cpu_isa_avx512 };
  int best = uk_cpu_isa () == all[2] ? 2 : uk_cpu_isa () == all[1] ? 1 : 0;

  return i <= best ? all[i] : NULL;
#else
  return i == 0 ? &uk_cpu_isa_baseline : NULL;
#endif
}

static UkOpDesc
describe (const Shape *shape, UkOpKind kind)
{
  int64_t edges[2] = { shape->x.h, shape->x.w };

  for (int i = 0; i < 2; i++)
    edges[i] = shape->transposed
                 ? (edges[i] - 1) * shape->stride + shape->kernel - 2 * shape->pad
                 : (edges[i] + 2 * shape->pad - shape->kernel) / shape->stride + 1;
  return (UkOpDesc) { .kind = kind, .x = shape->x,
                      .y = { shape->x.n, edges[0], edges[1], shape->c_out },
                      .kernel = shape->kernel, .stride = shape->stride, .pad = shape->pad,
                      .transposed = shape->transposed, .act = UK_ACT_RELU,
                      .accumulate = kind == UK_OP_CONV_WGRAD };
}

static bool
is_weights (UkOpKind kind, int arg)
{
  return arg == 1 && kind != UK_OP_CONV_WGRAD;
}

/* Integers; weights are multiples of four. */
static void
make_inputs (const UkOpDesc *desc, guint32 seed, double *args[UK_MAX_ARGS])
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);

  for (int arg = 0; arg < uk_op_info (desc->kind)->n_args; arg++)
    {
      int64_t count = uk_op_arg_count (desc, arg);

      args[arg] = g_new (double, count);
      for (int64_t i = 0; i < count; i++)
        args[arg][i] = (is_weights (desc->kind, arg) ? 4 : 1) * g_rand_int_range (rand, -2, 3);
    }
}

/* The last argument is the output. */
static void
run_with (const UkCpuIsa *isa, int n_threads, const UkOpDesc *desc, double *const *host,
          const double *expected)
{
  const UkBackendTable *uk = uk_backend_cpu ();
  const UkBackendConfig config = { .n_threads = n_threads };
  int n_args = uk_op_info (desc->kind)->n_args;
  int64_t n_results = uk_op_arg_count (desc, n_args - 1);
  float *args[UK_MAX_ARGS] = { NULL };
  g_autofree char *packed = NULL, *scratch = NULL;
  UkBackend *backend = NULL;
  UkOp *op = NULL;

  g_assert_cmpint (uk->open (&config, &backend), ==, UK_OK);
  ((UkCpuBackend *) backend)->isa = isa;
  g_assert_cmpint (uk->prepare (backend, desc, &op), ==, UK_OK);
  /* Few pixels and many weights: the gradient is a plain product, which is also exact. */
  g_assert_true (((UkCpuOp *) op)->is_winograd
                 || (((UkCpuOp *) op)->is_gemm && desc->kind == UK_OP_CONV_WGRAD));
  for (int arg = 0; arg < n_args; arg++)
    {
      int64_t count = uk_op_arg_count (desc, arg);

      args[arg] = g_new (float, count);
      for (int64_t i = 0; i < count; i++)
        args[arg][i] = (float) host[arg][i];
    }
  if (op->packed_bytes > 0)
    {
      packed = g_malloc (op->packed_bytes);
      g_assert_cmpint (uk->pack (op, args[1], packed), ==, UK_OK);
      g_free (args[1]);
      args[1] = (float *) g_steal_pointer (&packed);
    }
  scratch = g_malloc (op->scratch_bytes);
  memset (scratch, 0xff, op->scratch_bytes); /* NaN */
  g_assert_cmpint (uk->run (op, (void *const *) args, scratch), ==, UK_OK);
  for (int64_t i = 0; i < n_results; i++)
    if ((double) args[n_args - 1][i] != expected[i])
      g_error ("%s, %d threads, element %" G_GINT64_FORMAT " is %.9g and should be %.9g",
               isa->name, n_threads, (gint64) i, args[n_args - 1][i], expected[i]);
  for (int arg = 0; arg < n_args; arg++)
    g_free (args[arg]);
  uk->release (op);
  uk->close (backend);
}

static void
test_exact (gconstpointer data)
{
  static const int n_threads[] = { 1, 2, 3 };
  UkOpKind kind = GPOINTER_TO_INT (data);

  for (gsize s = 0; s < G_N_ELEMENTS (shapes); s++)
    {
      UkOpDesc desc = describe (&shapes[s], kind);
      int last = uk_op_info (kind)->n_args - 1;
      double *host[UK_MAX_ARGS] = { NULL }, *expected[UK_MAX_ARGS] = { NULL };

      make_inputs (&desc, 100 + (guint32) s, host);
      for (int arg = 0; arg <= last; arg++)
        expected[arg] = g_memdup2 (host[arg], (gsize) uk_op_arg_count (&desc, arg) * sizeof (double));
      test_reference (&desc, (void *const *) expected);
      for (int i = 0; find_isa (i) != NULL; i++)
        for (gsize t = 0; t < G_N_ELEMENTS (n_threads); t++)
          run_with (find_isa (i), n_threads[t], &desc, host, expected[last]);
      for (int arg = 0; arg <= last; arg++)
        {
          g_free (host[arg]);
          g_free (expected[arg]);
        }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/winograd/forward", GINT_TO_POINTER (UK_OP_CONV), test_exact);
  g_test_add_data_func ("/winograd/data", GINT_TO_POINTER (UK_OP_CONV_DGRAD), test_exact);
  g_test_add_data_func ("/winograd/weights", GINT_TO_POINTER (UK_OP_CONV_WGRAD), test_exact);
  return g_test_run ();
}
