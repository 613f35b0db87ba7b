/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-plans.c - which plans of cuDNN are made, timed, compiled and cached, on the emulated GPU with an emulated
 * cuDNN, whose engines are listed in cudnn.cc.
 */
#include "../test-kernels-util.h"

#include <glib/gstdio.h>
#include <string.h>

typedef struct
{
  char *folder; /* owned */
} Fixture;

static const UkShape image = { 2, 8, 8, 8 }, response = { 2, 4, 4, 16 };

static void
set_up (Fixture *self, gconstpointer data)
{
  (void) data;
  self->folder = g_dir_make_tmp ("plans-XXXXXX", NULL);
  g_assert_nonnull (self->folder);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  g_autoptr(GDir) folder = g_dir_open (self->folder, 0, NULL);
  const char *name;

  (void) data;
  while ((name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *path = g_build_filename (self->folder, name, NULL);

      g_unlink (path);
    }
  g_assert_cmpint (g_rmdir (self->folder), ==, 0);
  g_free (self->folder);
}

/* The cache's file of short texts, or its only one of a long text.  (transfer full) */
static char *
find_file (const Fixture *self, gboolean is_long)
{
  g_autoptr(GDir) folder = g_dir_open (self->folder, 0, NULL);
  g_autofree char *found = NULL;
  const char *name;

  while ((name = g_dir_read_name (folder)) != NULL)
    if (!g_str_has_suffix (name, ".lock") && g_str_has_suffix (name, ".txt") != is_long)
      {
        g_assert_null (found);
        found = g_build_filename (self->folder, name, NULL);
      }
  g_assert_nonnull (found);
  return g_steal_pointer (&found);
}

/* ------------------------------------------------------------------------ */
/* Operations                                                                */

static UkBackend *
open_backend (const Fixture *self, UkPrecision precision, int max_compiled)
{
  const UkBackendConfig config = { .precision = precision, .cache = self->folder, .max_compiled = max_compiled };
  UkBackend *backend = NULL;

  g_assert_cmpint (uk_backend_cuda ()->open (&config, &backend), ==, UK_OK);
  return backend;
}

static UkOpDesc
desc_of (UkOpKind kind, UkAct act)
{
  return (UkOpDesc) { .kind = kind, .x = image, .y = response, .kernel = 4, .stride = 2, .pad = 1, .act = act,
                      .slope = 0.2f };
}

static UkOp *
prepare (UkBackend *backend, UkOpDesc desc)
{
  UkOp *op = NULL;

  g_assert_cmpint (backend->table->prepare (backend, &desc, &op), ==, UK_OK);
  return op;
}

/* Runs a convolution or its weight gradient on random inputs, and compares it with the reference.
 * @misalign: bytes by which each value is moved from an aligned address */
static void
run (UkOp *op, gsize misalign)
{
  UkBackend *backend = op->backend;
  const UkBackendTable *uk = backend->table;
  const UkOpInfo *info = uk_op_info (op->desc.kind);
  double tolerance = backend->value_type == UK_DATA_F32 ? 1e-5 : 2e-2;
  void *args[UK_MAX_ARGS] = { 0 }, *expected_args[UK_MAX_ARGS] = { 0 }, *memory[UK_MAX_ARGS] = { 0 };
  void *scratch = uk->alloc (backend, op->scratch_bytes), *packed = uk->alloc (backend, op->packed_bytes);
  g_autoptr(GRand) rand = g_rand_new_with_seed (1);
  int out = info->n_args - 1;
  gint64 count = 0;

  for (int i = 0; i < info->n_args; i++)
    {
      g_autofree float *values = NULL;
      gsize size = uk_type_size (backend, info->args[i].type), shift = info->args[i].type == UK_VALUE ? misalign : 0;

      count = uk_op_arg_count (&op->desc, i);
      expected_args[i] = test_random_array (rand, count);
      values = g_new (float, count);
      for (gint64 k = 0; k < count; k++)
        values[k] = (float) ((double *) expected_args[i])[k];
      memory[i] = uk->alloc (backend, (gsize) count * size + shift);
      args[i] = (char *) memory[i] + shift;
      g_assert_cmpint (uk->upload (backend, info->args[i].type, args[i], values, count), ==, UK_OK);
    }
  if (op->packed_bytes > 0)
    {
      g_assert_cmpint (uk->pack (op, args[1], packed), ==, UK_OK);
      args[1] = packed;
    }
  g_assert_cmpint (uk->run (op, args, scratch), ==, UK_OK);
  test_reference (&op->desc, expected_args);
  {
    g_autofree float *got = g_new (float, count);
    g_autofree double *wide = g_new (double, count);

    g_assert_cmpint (uk->download (backend, info->args[out].type, got, args[out], count), ==, UK_OK);
    for (gint64 k = 0; k < count; k++)
      wide[k] = (double) got[k];
    test_assert_near (info->name, wide, expected_args[out], count, tolerance);
  }
  for (int i = 0; i < info->n_args; i++)
    {
      uk->free (backend, memory[i], 1);
      g_free (expected_args[i]);
    }
  uk->free (backend, scratch, op->scratch_bytes);
  uk->free (backend, packed, op->packed_bytes);
}

static void
assert_counts (UkBackend *backend, int n_timed, int n_finalized, int n_compiled)
{
  UkPlanCounts counts = backend->table->count_plans (backend);

  g_assert_cmpint (counts.n_timed, ==, n_timed);
  g_assert_cmpint (counts.n_finalized, ==, n_finalized);
  g_assert_cmpint (counts.n_compiled, ==, n_compiled);
}

static gboolean
describe (const UkOp *op, char **text)
{
  char buffer[256];
  gboolean is_fast = op->backend->table->describe (op, buffer, sizeof buffer);

  g_free (*text);
  *text = g_strdup (buffer);
  return is_fast;
}

/* ------------------------------------------------------------------------ */

/* In fp32 cuDNN has three precompiled candidates, one of which cannot be made. */
enum { N_CANDIDATES = 3 };

/* Three operations with one problem share one plan.  The second start times nothing, and finalizes the plan
 * only when it is run, once. */
static void
test_once (Fixture *self, gconstpointer data)
{
  (void) data;
  for (int start = 0; start < 2; start++)
    {
      UkBackend *backend = open_backend (self, UK_FP32, 0);
      UkOpDesc desc = desc_of (UK_OP_CONV_WGRAD, UK_ACT_NONE), adds = desc;
      UkOp *ops[3];

      adds.accumulate = true;
      ops[0] = prepare (backend, desc);
      ops[1] = prepare (backend, desc);
      ops[2] = prepare (backend, adds);
      if (start == 0)
        assert_counts (backend, 1, N_CANDIDATES, 0);
      else
        assert_counts (backend, 0, 0, 0);
      for (int i = 0; i < 2; i++)
        run (ops[i], 0);
      if (start == 0)
        assert_counts (backend, 1, N_CANDIDATES, 0);
      else
        assert_counts (backend, 0, 1, 0);
      for (int i = 0; i < 3; i++)
        backend->table->release (ops[i]);
      backend->table->close (backend);
    }
}

/* At the second start, the first run makes the plans of all operations. */
static void
test_all_at_once (Fixture *self, gconstpointer data)
{
  static const UkOpKind kinds[] = { UK_OP_CONV, UK_OP_CONV_DGRAD, UK_OP_CONV_WGRAD };

  (void) data;
  for (int start = 0; start < 2; start++)
    {
      UkBackend *backend = open_backend (self, UK_FP32, 0);
      UkOp *ops[G_N_ELEMENTS (kinds)];

      for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
        ops[i] = prepare (backend, desc_of (kinds[i], UK_ACT_NONE));
      for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
        {
          run (ops[i], 0);
          if (start == 1)
            assert_counts (backend, 0, G_N_ELEMENTS (kinds), 0);
        }
      for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
        backend->table->release (ops[i]);
      backend->table->close (backend);
    }
}

/* Without candidates that are compiled, an activation is a separate kernel, and the gradient of 16-bit weights is
 * rounded.  Each precision has plans of its own. */
static void
check_nothing_compiled (Fixture *self, UkPrecision precision)
{
  UkBackend *backend = open_backend (self, precision, 0);
  UkOp *forward = prepare (backend, desc_of (UK_OP_CONV, UK_ACT_LEAKY_RELU));
  UkOp *wgrad = prepare (backend, desc_of (UK_OP_CONV_WGRAD, UK_ACT_NONE));
  g_autofree char *text = NULL, *rounded = g_strdup_printf ("gradient rounded to %s", uk_precision_name (precision));

  run (forward, 0);
  run (wgrad, 0);
  assert_counts (backend, 2, 2 * N_CANDIDATES, 0);
  g_assert_true (describe (forward, &text));
  g_assert_null (strstr (text, "with activation"));
  g_assert_true (describe (wgrad, &text));
  g_assert_nonnull (strstr (text, rounded));
  backend->table->release (forward);
  backend->table->release (wgrad);
  backend->table->close (backend);
}

static void
test_nothing_compiled (Fixture *self, gconstpointer data)
{
  (void) data;
  check_nothing_compiled (self, UK_BF16);
  check_nothing_compiled (self, UK_FP16);
}

/* With three channels there are only compiled kernels. */
static UkOpDesc
only_compiled (void)
{
  UkOpDesc desc = desc_of (UK_OP_CONV, UK_ACT_TANH);

  desc.x.c = 3;
  return desc;
}

/* Few channels beside 32. */
static const UkOpDesc of_own_kernel = {
  .kind = UK_OP_CONV, .x = { 1, 8, 64, 3 }, .y = { 1, 4, 32, 32 }, .kernel = 4, .stride = 2, .pad = 1,
  .act = UK_ACT_LEAKY_RELU, .slope = 0.2f,
};

/* No library is asked, and unaligned memory is noted. */
static void
test_own_kernel (Fixture *self, gconstpointer data)
{
  UkBackend *backend = open_backend (self, UK_BF16, 0);
  UkOp *op = prepare (backend, of_own_kernel);
  g_autofree char *text = NULL;

  (void) data;
  run (op, 0);
  assert_counts (backend, 0, 0, 0);
  g_assert_true (describe (op, &text));
  g_assert_cmpstr (text, ==, "own kernel");
  run (op, 2);
  g_assert_false (describe (op, &text));
  g_assert_nonnull (strstr (text, "not aligned"));
  backend->table->release (op);
  backend->table->close (backend);
}

/* A GPU of compute capability 7.5 has fp16, but not the instructions of our own convolutions. */
static void
test_old_gpu (Fixture *self, gconstpointer data)
{
  const UkBackendConfig bf16 = { .precision = UK_BF16 };
  UkBackend *backend = NULL;
  g_autofree char *text = NULL;
  UkOp *op;

  (void) data;
  if (!g_test_subprocess ())
    {
      g_setenv ("UK_EMULATED_CAPABILITY", "75", TRUE);
      g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
      g_unsetenv ("UK_EMULATED_CAPABILITY");
      g_test_trap_assert_passed ();
      return;
    }
  g_assert_cmpint (uk_backend_cuda ()->open (&bf16, &backend), ==, UK_UNSUPPORTED);
  g_assert_nonnull (strstr (uk_backend_cuda ()->explain (NULL), "does not support bf16 in hardware; choose fp32 or fp16"));
  backend = open_backend (self, UK_FP16, 0);
  op = prepare (backend, of_own_kernel);
  run (op, 0);
  g_assert_false (describe (op, &text));
  g_assert_true (g_str_has_prefix (text, "plain kernel"));
  backend->table->release (op);
  backend->table->close (backend);
}

/* That there is no plan is cached, too. */
static void
test_no_plan (Fixture *self, gconstpointer data)
{
  (void) data;
  for (int start = 0; start < 2; start++)
    {
      UkBackend *backend = open_backend (self, UK_BF16, 0);
      UkOp *op = prepare (backend, only_compiled ());
      g_autofree char *text = NULL;

      run (op, 0);
      assert_counts (backend, start == 0, 0, 0);
      g_assert_false (describe (op, &text));
      g_assert_nonnull (strstr (text, "no plan"));
      backend->table->release (op);
      backend->table->close (backend);
    }
}

/* A kernel that was compiled once is not compiled again, unless its JSON is damaged. */
static void
test_compiled (Fixture *self, gconstpointer data)
{
  enum { COLD, WARM, DAMAGED, N_STARTS };

  (void) data;
  for (int start = COLD; start < N_STARTS; start++)
    {
      UkBackend *backend = open_backend (self, UK_BF16, 2);
      UkOp *op = prepare (backend, only_compiled ());
      g_autofree char *text = NULL, *path = NULL;

      run (op, 0);
      g_assert_true (describe (op, &text));
      g_assert_nonnull (strstr (text, "(compiled)"));
      if (start == COLD)
        assert_counts (backend, 1, 4, 4); /* with the activation and without */
      else
        assert_counts (backend, 0, 1, start == DAMAGED);
      backend->table->release (op);
      backend->table->close (backend);
      path = find_file (self, TRUE);
      if (start == WARM)
        g_assert_true (g_file_set_contents (path, "{", -1, NULL));
    }
}

/* An entry that names what cuDNN does not have costs speed, not the run, and is replaced at the next start.
 * One without memory for its plan costs the same, and is kept. */
static void
test_wrong_entry (Fixture *self, gconstpointer data)
{
  enum { COLD, WRONG, NEXT, SHORT, STILL_SHORT, N_STARTS };

  (void) data;
  for (int start = COLD; start < N_STARTS; start++)
    {
      UkBackend *backend = open_backend (self, UK_FP32, 0);
      UkOp *op = prepare (backend, desc_of (UK_OP_CONV_DGRAD, UK_ACT_NONE));
      gboolean is_good = start == COLD || start == NEXT;
      g_autofree char *text = NULL, *path = find_file (self, FALSE), *entries = NULL;
      g_auto(GStrv) parts = NULL;

      run (op, 0);
      g_assert_cmpint (describe (op, &text), ==, is_good);
      if (!is_good)
        g_assert_nonnull (strstr (text, start == WRONG ? "the cached plan does not exist" : "no memory for its plan"));
      assert_counts (backend, is_good, is_good ? N_CANDIDATES : 1, 0);
      backend->table->release (op);
      backend->table->close (backend);
      if (!is_good)
        continue;
      g_assert_true (g_file_get_contents (path, &entries, NULL, NULL));
      parts = g_strsplit (entries, "compiled 0\t", 2);
      g_free (entries);
      entries = g_strconcat (parts[0], "compiled 0\t0 0 0 ", start == COLD ? "77" : "6", "\n", NULL);
      g_assert_true (g_file_set_contents (path, entries, -1, NULL));
    }
}

/* Memory that is aligned to its values alone is read by the plain kernel, which says so. */
static void
test_unaligned (Fixture *self, gconstpointer data)
{
  UkBackend *backend = open_backend (self, UK_BF16, 0);
  UkOp *op = prepare (backend, desc_of (UK_OP_CONV, UK_ACT_RELU));
  g_autofree char *text = NULL;

  (void) data;
  run (op, 0);
  g_assert_true (describe (op, &text));
  run (op, 2);
  g_assert_false (describe (op, &text));
  g_assert_nonnull (strstr (text, "not aligned to 16 bytes"));
  backend->table->release (op);
  backend->table->close (backend);
}

int
main (int argc, char *argv[])
{
  static const struct
  {
    const char *name;
    void      (*run) (Fixture *self, gconstpointer data);
  } tests[] = {
    { "/plans/once", test_once },
    { "/plans/all-at-once", test_all_at_once },
    { "/plans/nothing-compiled", test_nothing_compiled },
    { "/plans/no-plan", test_no_plan },
    { "/plans/own-kernel", test_own_kernel },
    { "/plans/old-gpu", test_old_gpu },
    { "/plans/compiled", test_compiled },
    { "/plans/wrong-entry", test_wrong_entry },
    { "/plans/unaligned", test_unaligned },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].name, Fixture, NULL, set_up, tests[i].run, tear_down);
  return g_test_run ();
}
