/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-op-check.c - descriptions: which are rejected, the element count of every argument, the cost of an
 * operation, and that the table is complete.
 */
#include "test-kernels-util.h"

#include <math.h>

#define S(...) ((UkShape) { __VA_ARGS__ })
#define HUGE_SIZE ((int64_t) 1 << 40)

/* A valid description of every kind, the basis for invalid ones. */
static UkOpDesc
sensible (UkOpKind kind)
{
  UkOpDesc desc = {
    .kind = kind, .x = { 2, 4, 4, 3 }, .y = { 2, 4, 4, 3 }, .scale = 1, .eps = 1e-5f, .batch = 2
  };

  switch (kind)
    {
    case UK_OP_CONV:
    case UK_OP_CONV_DGRAD:
    case UK_OP_CONV_WGRAD:
      desc.y = S (2, 2, 2, 5);
      desc.kernel = 4;
      desc.stride = 2;
      desc.pad = 1;
      break;
    case UK_OP_DEPTHWISE:
    case UK_OP_DEPTHWISE_DGRAD:
    case UK_OP_DEPTHWISE_WGRAD:
      desc.y = S (2, 1, 1, 3);
      break;
    case UK_OP_UPSAMPLE:
      desc.y = S (2, 8, 8, 3);
      break;
    case UK_OP_DOWNSAMPLE:
      desc.y = S (2, 2, 2, 3);
      break;
    case UK_OP_LOSS_BCE:
    case UK_OP_LOSS_PAIR_D:
    case UK_OP_LOSS_PAIR_G:
      desc.x = S (2, 1, 1, 1);
      break;
    case UK_OP_CONCAT:
      desc.y = S (2, 4, 4, 5);
      break;
    case UK_OP_SHARES:
    case UK_OP_SHARES_GRAD:
      desc.y = S (2, 1, 1, 3);
      desc.kernel = 5;
      desc.target = 0.5f;
      break;
    default:
      break;
    }
  return desc;
}

static void
test_table (void)
{
  for (int kind = 0; kind < UK_N_OPS; kind++)
    {
      const UkOpInfo *info = uk_op_info (kind);
      UkOpDesc desc = sensible (kind);
      const UkBackend floats = { uk_backend_cpu (), UK_DATA_F32 };
      bool has_output = false;

      g_assert_nonnull (info);
      g_assert_nonnull (info->name);
      g_assert_cmpint (info->n_args, >, 0);
      g_assert_cmpint (info->n_args, <=, UK_MAX_ARGS);
      for (int other = 0; other < kind; other++)
        g_assert_cmpstr (info->name, !=, uk_op_info (other)->name);
      for (int arg = 0; arg < info->n_args; arg++)
        {
          g_assert_nonnull (info->args[arg].name);
          g_assert_cmpint (uk_op_arg_count (&desc, arg), >, 0);
          has_output = has_output || info->args[arg].role != UK_IN;
        }
      g_assert_true (has_output);
      g_assert_cmpint (uk_op_check (&desc), ==, UK_OK);
      g_assert_cmpfloat (uk_op_flops (&desc), >=, 0);
      g_assert_cmpfloat (uk_op_bytes (&desc, &floats), >, 0);
      g_assert_cmpint (uk_op_arg_count (&desc, -1), ==, 0);
      g_assert_cmpint (uk_op_arg_count (&desc, info->n_args), ==, 0);
    }
  g_assert_null (uk_op_info (UK_N_OPS));
  g_assert_null (uk_op_info ((UkOpKind) -1));
}

static void
test_status_texts (void)
{
  for (int status = UK_OK; status <= UK_DEVICE_ERROR; status++)
    for (int other = UK_OK; other < status; other++)
      g_assert_cmpstr (uk_status_text (status), !=, uk_status_text (other));
  g_assert_nonnull (uk_status_text ((UkStatus) 99));
}

static void
test_counts (void)
{
  UkOpDesc conv = sensible (UK_OP_CONV), grad = sensible (UK_OP_BATCH_NORM_GRAD);
  UkOpDesc pair = sensible (UK_OP_LOSS_PAIR_G), adam = sensible (UK_OP_ADAM);
  UkOpDesc ranks = sensible (UK_OP_BATCH_NORM_GLOBAL);
  const int64_t ranks_counts[] = { 96, 3 * 2 * 3, 3, 3, 3, 3, 96, 3, 3 };
  UkOpDesc bits = { .kind = UK_OP_LOAD, .y = { 4, 3, 5, 3 }, .bits = true };
  const int64_t conv_counts[] = { 96, 3 * 5 * 16, 5, 40 };
  const int64_t grad_counts[] = { 96, 96, 3, 3, 3, 3, 96, 3, 3 };
  const int64_t pair_counts[] = { 2, 1, 1, 3 };
  const int64_t adam_counts[] = { 2, 2, 2, 2, 2, UK_N_HYPER, 2 };
  UkOpDesc concat = sensible (UK_OP_CONCAT), shares = sensible (UK_OP_SHARES_GRAD);
  const int64_t concat_counts[] = { 96, 2 * 16 * 2, 160 }, shares_counts[] = { 96, 6, 6, 96 };

  for (int arg = 0; arg < 3; arg++)
    g_assert_cmpint (uk_op_arg_count (&concat, arg), ==, concat_counts[arg]);
  for (int arg = 0; arg < 4; arg++)
    g_assert_cmpint (uk_op_arg_count (&shares, arg), ==, shares_counts[arg]);
  g_assert_cmpint (uk_shape_count (S (2, 3, 4, 5)), ==, 120);
  for (int arg = 0; arg < 4; arg++)
    g_assert_cmpint (uk_op_arg_count (&conv, arg), ==, conv_counts[arg]);
  for (int arg = 0; arg < 9; arg++)
    g_assert_cmpint (uk_op_arg_count (&grad, arg), ==, grad_counts[arg]);
  ranks.batch = 6; /* 3 ranks of 2 */
  for (int arg = 0; arg < 9; arg++)
    g_assert_cmpint (uk_op_arg_count (&ranks, arg), ==, ranks_counts[arg]);
  ranks.x.n = 0; /* counts are queried before a description is checked */
  g_assert_cmpint (uk_op_arg_count (&ranks, 1), ==, 0);
  for (int arg = 0; arg < 4; arg++)
    g_assert_cmpint (uk_op_arg_count (&pair, arg), ==, pair_counts[arg]);
  g_assert_cmpint (uk_op_arg_count (&bits, 0), ==, 4 * 6); /* for 45 bits */
  g_assert_cmpint (uk_op_arg_count (&bits, 2), ==, 4 * 45);
  for (int arg = 0; arg < 7; arg++)
    g_assert_cmpint (uk_op_arg_count (&adam, arg), ==, adam_counts[arg]);
}

static void
test_costs (void)
{
  const UkBackend floats = { uk_backend_cpu (), UK_DATA_F32 }, halves = { uk_backend_cpu (), UK_DATA_BF16 };
  const UkBackend doubles = { uk_backend_reference (), UK_DATA_F64 };
  UkOpDesc conv = sensible (UK_OP_CONV), load = sensible (UK_OP_LOAD);
  UkOpDesc adam = sensible (UK_OP_ADAM), act = sensible (UK_OP_ACT_GRAD), norm = sensible (UK_OP_BATCH_NORM);

  g_assert_cmpfloat (uk_op_flops (&conv), ==, 2.0 * 2 * 2 * 2 * 16 * 3 * 5);
  g_assert_cmpfloat (uk_op_bytes (&conv, &floats), ==, 4.0 * (96 + 240 + 40));
  /* Values are smaller than parameters if the backend uses a smaller type. */
  g_assert_cmpfloat (uk_op_bytes (&conv, &halves), ==, 2.0 * (96 + 40) + 4.0 * 240);
  conv.transposed = true;
  conv.y = S (2, 8, 8, 5);
  g_assert_cmpfloat (uk_op_flops (&conv), ==, 2.0 * 2 * 4 * 4 * 16 * 3 * 5);
  g_assert_cmpfloat (uk_op_bytes (&load, &floats), ==, 96 + 16 + 4 * 96);
  load.bits = true;
  g_assert_cmpfloat (uk_op_bytes (&load, &floats), ==, 12 + 16 + 4 * 96);
  /* w and v read and written; m and ema may be absent. */
  g_assert_cmpfloat (uk_op_bytes (&adam, &floats), ==, 4.0 * (4 + 2 + 4 + UK_N_HYPER + 2));
  g_assert_cmpfloat (uk_op_bytes (&act, &doubles), ==, 8.0 * 96);
  act.act = UK_ACT_TANH;
  g_assert_cmpfloat (uk_op_bytes (&act, &doubles), ==, 8.0 * 3 * 96);
  /* x twice, for the statistics and again; of the gradient, x and dy. */
  g_assert_cmpfloat (uk_op_bytes (&norm, &floats), ==, 4.0 * (3 * 96 + 4 * 3));
  norm.kind = UK_OP_BATCH_NORM_GRAD;
  g_assert_cmpfloat (uk_op_bytes (&norm, &floats), ==, 4.0 * (5 * 96 + 6 * 3));
  norm.accumulate = true; /* dgamma and dbeta are read too, dx is not */
  g_assert_cmpfloat (uk_op_bytes (&norm, &floats), ==, 4.0 * (5 * 96 + 8 * 3));
  /* Optional arguments count where asked for. */
  g_assert_cmpfloat (uk_op_arg_bytes (&adam, 2, &floats), ==, 4.0 * 4);
}

typedef struct
{
  UkOpKind kind;
  UkShape  x, y;
} BadShapes;

static const BadShapes bad_shapes[] = {
  { UK_OP_ADD, { 0, 4, 4, 3 }, { 0, 4, 4, 3 } },
  { UK_OP_ADD, { 2, -4, -4, 3 }, { 2, -4, -4, 3 } },
  { UK_OP_ADD, { 2, 4, 4, 3 }, { 2, 4, 4, 4 } },
  { UK_OP_ADD, { HUGE_SIZE, HUGE_SIZE, 1, 1 }, { HUGE_SIZE, HUGE_SIZE, 1, 1 } },
  { UK_OP_ADD, { INT64_MAX, 1, 1, 1 }, { INT64_MAX, 1, 1, 1 } },
  { UK_OP_AXPBY, { 2, 4, 4, 3 }, { 3, 4, 4, 3 } },
  { UK_OP_LOAD, { 0 }, { 0, 4, 4, 3 } },
  { UK_OP_NOISE, { 0 }, { 1, 1, 1, 0 } },
  { UK_OP_NOISE, { 0 }, { 1, 1, 1, (1 << 22) + 1 } },
  { UK_OP_AUGMENT, { 2, 4, 6, 3 }, { 2, 4, 6, 3 } },
  { UK_OP_AUGMENT_GRAD, { 2, 4, 4, 3 }, { 2, 4, 4, 1 } },
  { UK_OP_CONV, { 2, 4, 4, 3 }, { 2, 3, 2, 5 } },
  { UK_OP_CONV, { 2, 4, 4, 3 }, { 1, 2, 2, 5 } },
  { UK_OP_CONV, { 2, 1, 1, 3 }, { 2, 1, 1, 5 } },
  { UK_OP_CONV_DGRAD, { 2, 4, 4, 0 }, { 2, 2, 2, 5 } },
  { UK_OP_CONV_WGRAD, { 2, 4, 4, HUGE_SIZE }, { 2, 2, 2, HUGE_SIZE } },
  { UK_OP_DEPTHWISE, { 2, 4, 4, 3 }, { 2, 1, 1, 4 } },
  { UK_OP_DEPTHWISE_DGRAD, { 2, 4, 4, 3 }, { 2, 4, 4, 3 } },
  { UK_OP_DEPTHWISE_WGRAD, { 2, 4, 4, 3 }, { 1, 1, 1, 3 } },
  { UK_OP_BIAS_ACT, { 2, 4, 4, 3 }, { 2, 4, 3, 3 } },
  { UK_OP_ACT_GRAD, { 2, 4, 4, 3 }, { 2, 3, 4, 3 } },
  { UK_OP_BATCH_NORM, { 2, 4, 4, 3 }, { 2, 4, 4, 1 } },
  { UK_OP_BATCH_NORM_GRAD, { 2, 4, 4, 3 }, { 2, 1, 1, 3 } },
  { UK_OP_BATCH_NORM_INFER, { 2, 4, 4, 3 }, { 0 } },
  { UK_OP_BATCH_NORM_RECOMPUTE, { 2, 4, 4, 3 }, { 2, 4, 4, 2 } },
  { UK_OP_BATCH_NORM_LOCAL, { 2, 0, 4, 3 }, { 2, 0, 4, 3 } },
  { UK_OP_BATCH_NORM_GLOBAL, { 2, 4, 4, 3 }, { 4, 4, 4, 3 } },
  { UK_OP_BATCH_NORM_GRAD_LOCAL, { 2, 4, 4, 3 }, { 2, 4, 4, 2 } },
  { UK_OP_BATCH_NORM_GRAD_GLOBAL, { 2, 4, 4, 3 }, { 2, 4, 2, 3 } },
  { UK_OP_UPSAMPLE, { 2, 4, 4, 3 }, { 2, 8, 4, 3 } },
  { UK_OP_UPSAMPLE, { 2, 8, 8, 3 }, { 2, 4, 4, 3 } },
  { UK_OP_DOWNSAMPLE, { 2, 5, 4, 3 }, { 2, 2, 2, 3 } },
  { UK_OP_DOWNSAMPLE, { 2, 4, 4, 3 }, { 2, 2, 2, 1 } },
  { UK_OP_SQUARED_NORM, { 0, 4, 4, 3 }, { 0 } },
  { UK_OP_LOSS_BCE, { 2, 1, 1, 2 }, { 0 } },
  { UK_OP_LOSS_PAIR_D, { 3, 1, 1, 1 }, { 0 } },
  { UK_OP_LOSS_PAIR_G, { 1, 1, 1, 1 }, { 0 } },
  { UK_OP_GRAD_SQUARES, { 0, 1, 1, 1 }, { 0 } },
  { UK_OP_GRAD_FACTOR, { 0, 1, 1, 1 }, { 0 } },
  { UK_OP_ADAM, { -1, 1, 1, 1 }, { 0 } },
  { UK_OP_ADAM, { INT64_MAX, 1, 1, 1 }, { 0 } },
  { UK_OP_FILL, { 0 }, { 1, 1, 0, 1 } },
  { UK_OP_CONCAT, { 2, 4, 4, 3 }, { 2, 4, 4, 3 } },
  { UK_OP_CONCAT, { 2, 4, 4, 3 }, { 2, 4, 5, 6 } },
  { UK_OP_SHARES, { 2, 4, 4, 2 }, { 2, 1, 1, 3 } },
  { UK_OP_SHARES, { 2, 4, 4, 3 }, { 2, 1, 1, 2 } },
  { UK_OP_SHARES_GRAD, { 2, 4, 4, 1 }, { 1, 1, 1, 3 } },
};

static void
test_bad_shapes (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (bad_shapes); i++)
    {
      UkOpDesc desc = sensible (bad_shapes[i].kind);

      desc.x = bad_shapes[i].x;
      desc.y = bad_shapes[i].y;
      if (uk_op_check (&desc) != UK_BAD_SHAPE)
        g_error ("row %" G_GSIZE_FORMAT " of bad shapes (%s) is not refused", i,
                 uk_op_info (desc.kind)->name);
    }
}

/* Each line invalidates one field of a valid description. */
#define REFUSED(KIND, FIELD, VALUE)                       \
  G_STMT_START                                            \
  {                                                       \
    UkOpDesc desc = sensible (KIND);                      \
    desc.FIELD = (VALUE);                                 \
    g_assert_cmpint (uk_op_check (&desc), ==, UK_BAD_ARGUMENT); \
  }                                                       \
  G_STMT_END

static void
test_bad_fields (void)
{
  g_assert_cmpint (uk_op_check (NULL), ==, UK_BAD_ARGUMENT);
  REFUSED (UK_OP_ADD, kind, UK_N_OPS);
  REFUSED (UK_OP_ADD, kind, (UkOpKind) -1);
  REFUSED (UK_OP_CONV, kernel, 0);
  REFUSED (UK_OP_CONV, kernel, INT_MAX);
  REFUSED (UK_OP_CONV, stride, 0);
  REFUSED (UK_OP_CONV, stride, INT_MAX);
  REFUSED (UK_OP_CONV_DGRAD, stride, -1);
  REFUSED (UK_OP_CONV_WGRAD, pad, -1);
  REFUSED (UK_OP_CONV, pad, 4);
  REFUSED (UK_OP_CONV, act, (UkAct) 17);
  REFUSED (UK_OP_BIAS_ACT, act, (UkAct) -1);
  REFUSED (UK_OP_BATCH_NORM, act, UK_ACT_SOFTMAX);
  REFUSED (UK_OP_BATCH_NORM, eps, 0);
  REFUSED (UK_OP_BATCH_NORM_GRAD, eps, NAN);
  REFUSED (UK_OP_BATCH_NORM_INFER, eps, -1);
  REFUSED (UK_OP_BATCH_NORM_RECOMPUTE, act, UK_ACT_SOFTMAX);
  REFUSED (UK_OP_BATCH_NORM, momentum, 1.5f);
  REFUSED (UK_OP_BATCH_NORM, momentum, NAN);
  REFUSED (UK_OP_BATCH_NORM_GLOBAL, momentum, -1);
  REFUSED (UK_OP_BATCH_NORM_GLOBAL, eps, 0);
  REFUSED (UK_OP_BATCH_NORM_GLOBAL, batch, 0);
  REFUSED (UK_OP_BATCH_NORM_GLOBAL, batch, 3); /* not ranks of 2 each */
  REFUSED (UK_OP_BATCH_NORM_GLOBAL, batch, INT64_MAX / 4);
  REFUSED (UK_OP_BATCH_NORM_GRAD_LOCAL, act, UK_ACT_SOFTMAX);
  REFUSED (UK_OP_BATCH_NORM_GRAD_GLOBAL, batch, 1);
  REFUSED (UK_OP_UPSAMPLE, scale, 0);
  REFUSED (UK_OP_DOWNSAMPLE, scale, INFINITY);
  REFUSED (UK_OP_FILL, scale, NAN);
  REFUSED (UK_OP_SHARES, kernel, 4);
  REFUSED (UK_OP_SHARES, kernel, -1);
  REFUSED (UK_OP_SHARES, target, 1);
  REFUSED (UK_OP_SHARES_GRAD, target, NAN);
  REFUSED (UK_OP_LOSS_BCE, target, 2);
  REFUSED (UK_OP_LOSS_BCE, target, NAN);
  REFUSED (UK_OP_LOSS_BCE, batch, 1);
  REFUSED (UK_OP_LOSS_PAIR_D, batch, 0);
  REFUSED (UK_OP_LOSS_PAIR_G, batch, -2);
  REFUSED (UK_OP_LOAD, first_sample, -1);
  REFUSED (UK_OP_NOISE, first_sample, INT64_MAX);
  REFUSED (UK_OP_AUGMENT, first_sample, -1);
}

static void
test_bad_slopes (void)
{
  UkOpDesc desc = sensible (UK_OP_BIAS_ACT);

  desc.act = UK_ACT_LEAKY_RELU;
  desc.slope = -0.2f;
  g_assert_cmpint (uk_op_check (&desc), ==, UK_BAD_ARGUMENT);
  desc.slope = NAN;
  g_assert_cmpint (uk_op_check (&desc), ==, UK_BAD_ARGUMENT);
  desc.slope = 0.2f;
  g_assert_cmpint (uk_op_check (&desc), ==, UK_OK);
  desc = sensible (UK_OP_LOAD);
  desc.y.w = 5;
  g_assert_cmpint (uk_op_check (&desc), ==, UK_OK);
  desc.dihedral = true; /* only squares can be rotated */
  g_assert_cmpint (uk_op_check (&desc), ==, UK_BAD_SHAPE);
}

/* Edges of convolutions: floor, transposed, and a kernel as large as its image. */
static void
test_conv_edges (void)
{
  UkOpDesc desc = { .kind = UK_OP_CONV,
                    .x = { 1, 7, 8, 1 },
                    .y = { 1, 3, 4, 1 },
                    .kernel = 4,
                    .stride = 2,
                    .pad = 1 };

  g_assert_cmpint (uk_op_check (&desc), ==, UK_OK);
  desc.transposed = true;
  g_assert_cmpint (uk_op_check (&desc), ==, UK_BAD_SHAPE);
  desc.y = S (1, 14, 16, 1);
  g_assert_cmpint (uk_op_check (&desc), ==, UK_OK);
  desc = (UkOpDesc) {
    .kind = UK_OP_CONV, .x = { 1, 4, 4, 9 }, .y = { 1, 1, 1, 7 }, .kernel = 4, .stride = 1
  };
  g_assert_cmpint (uk_op_check (&desc), ==, UK_OK);
  desc.kernel = 5;
  g_assert_cmpint (uk_op_check (&desc), ==, UK_BAD_SHAPE);
  desc = (UkOpDesc) { .kind = UK_OP_CONV,
                      .x = { 1, 1, 1, 9 },
                      .y = { 1, 4, 4, 7 },
                      .kernel = 4,
                      .stride = 1,
                      .transposed = true };
  g_assert_cmpint (uk_op_check (&desc), ==, UK_OK);
  desc.kernel = desc.pad = 3; /* padding must be smaller than the kernel */
  g_assert_cmpint (uk_op_check (&desc), ==, UK_BAD_ARGUMENT);
}

/* A missing required argument is rejected for every kind. */
static void
test_missing_arguments (void)
{
  static double room[1024];

  for (int kind = 0; kind < UK_N_OPS; kind++)
    for (int missing = 0; missing < uk_op_info (kind)->n_args; missing++)
      {
        const UkOpInfo *info = uk_op_info (kind);
        UkOpDesc desc = sensible (kind);
        void *args[UK_MAX_ARGS];

        if (info->args[missing].optional)
          continue;
        for (int arg = 0; arg < info->n_args; arg++)
          args[arg] = arg == missing ? NULL : room;
        g_assert_cmpint (test_reference_status (&desc, args), ==, UK_BAD_ARGUMENT);
      }
}

static void
test_reference_backend (void)
{
  const UkBackendTable *uk = uk_backend_reference ();
  const float x[] = { 1, -2.5f, 3 };
  UkBackend *backend;
  UkOpDesc nonsense = { .kind = UK_OP_ADD };
  UkOp *op = (UkOp *) &nonsense;
  double *memory;
  float back[3];

  for (UkPrecision p = UK_FP32 + 1; p < UK_N_PRECISIONS; p++)
    g_assert_cmpint (uk->open (&(UkBackendConfig) { .precision = p }, &backend), ==, UK_UNSUPPORTED);
  g_assert_cmpint (uk->open (&(UkBackendConfig) { 0 }, &backend), ==, UK_OK);
  g_assert_cmpint (uk->prepare (backend, &nonsense, &op), ==, UK_BAD_SHAPE);
  g_assert_null (op);
  memory = uk->alloc (backend, 100);
  g_assert_cmpuint ((uintptr_t) memory % 64, ==, 0);
  g_assert_cmpfloat (memory[11], ==, 0);
  g_assert_cmpint (uk->upload (backend, UK_REAL, memory, x, 3), ==, UK_OK);
  g_assert_cmpfloat (memory[1], ==, -2.5);
  g_assert_cmpint (uk->download (backend, UK_REAL, back, memory, 3), ==, UK_OK);
  g_assert_cmpmem (back, sizeof back, x, sizeof x);
  g_assert_cmpint (uk->write (backend, memory, x, sizeof x), ==, UK_OK);
  g_assert_cmpint (uk->read (backend, back, memory, sizeof back), ==, UK_OK);
  g_assert_cmpmem (back, sizeof back, x, sizeof x);
  uk->free (backend, memory, 100);
  g_assert_null (uk->alloc (backend, SIZE_MAX));
  uk->close (backend);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/op/table", test_table);
  g_test_add_func ("/op/status-texts", test_status_texts);
  g_test_add_func ("/op/counts", test_counts);
  g_test_add_func ("/op/costs", test_costs);
  g_test_add_func ("/op/bad-shapes", test_bad_shapes);
  g_test_add_func ("/op/bad-fields", test_bad_fields);
  g_test_add_func ("/op/bad-slopes", test_bad_slopes);
  g_test_add_func ("/op/conv-edges", test_conv_edges);
  g_test_add_func ("/op/missing-arguments", test_missing_arguments);
  g_test_add_func ("/op/reference-backend", test_reference_backend);
  return g_test_run ();
}
