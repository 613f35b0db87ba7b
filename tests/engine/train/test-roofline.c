/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-roofline.c - the least cost of a step on a GPU: numbers of GPUs, sums against counts by hand, and the
 * program on paper against that of the emulated GPU.
 */
#include "train/compile.h"
#include "train/device.h"
#include "train/roofline.h"

static void
test_gpus (void)
{
  static const char *const wrong[] = { "", "v100", "tflops", "tflops=", "tflops=0", "tbytes=fast", "link=4",
                                       "h200,", "tflops=nan", "tflops=7", "tbytes=2", "tflops=7,h100", "h200,h100" };
  g_autoptr(GError) error = NULL;
  UrbGpu h200, h100, mine;

  g_assert_true (urb_gpu_parse ("h200", &h200, &error));
  g_assert_true (urb_gpu_parse (" H100", &h100, &error));
  g_assert_cmpfloat (h100.bytes, <, h200.bytes);
  g_assert_cmpfloat (h100.flops[UK_BF16], ==, h200.flops[UK_BF16]);
  g_assert_cmpfloat (h200.flops[UK_FP32], <, h200.flops[UK_TF32]);
  g_assert_cmpfloat (h200.flops[UK_TF32], <, h200.flops[UK_BF16]);
  g_assert_cmpstr (h100.name, ==, "H100");
  g_assert_true (urb_gpu_parse ("tbytes=2,tflops=7", &mine, &error));
  g_assert_null (mine.name);
  g_assert_cmpfloat (mine.bytes, ==, 2e12);
  g_assert_cmpfloat (mine.flops[UK_BF16], ==, 7e12);
  g_assert_true (urb_gpu_parse ("h100, tflops=0.5", &mine, &error));
  g_assert_cmpfloat (mine.bytes, ==, h100.bytes);
  g_assert_cmpfloat (mine.flops[UK_TF32], ==, 0.5e12);
  g_assert_no_error (error);
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_assert_false (urb_gpu_parse (wrong[i], &mine, &error));
      g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS);
      g_clear_error (&error);
    }
}

/* ------------------------------------------------------------------------ */

enum { N = 2, X = N * 4 * 4 * 3, Y = N * 2 * 2 * 8, W = 3 * 8 * 4 * 4 };

static void
emit (UrbProgram *program, UkOpDesc desc, const UrbView *args)
{
  UrbInstruction instruction = urb_instruction_new (URB_DO_OP);

  instruction.desc = desc;
  for (int i = 0; i < uk_op_info (desc.kind)->n_args; i++)
    instruction.args[i] = args[i];
  urb_program_emit (program, instruction);
}

static UrbView
block (UrbProgram *program, const char *name, UrbStore store, gint64 count)
{
  return (UrbView) { urb_program_add_buffer (program, g_strdup (name), store, UK_REAL, count), 0 };
}

/* A layer of 8 channels from an image of 4 x 4 px: convolution with bias and activation, batch norm, both
 * gradients, the second weight gradient added to the first, and Adam. */
static UrbProgram *
new_layer (void)
{
  const UkShape x = { N, 4, 4, 3 }, y = { N, 2, 2, 8 };
  UkOpDesc conv = { .kind = UK_OP_CONV, .x = x, .y = y, .kernel = 4, .stride = 2, .pad = 1,
                    .act = UK_ACT_LEAKY_RELU, .slope = 0.2f };
  UkOpDesc norm = { .kind = UK_OP_BATCH_NORM, .x = y, .y = y, .act = UK_ACT_RELU, .eps = 1e-5f, .momentum = 0.1f };
  const UkOpDesc adam = { .kind = UK_OP_ADAM, .x = { W, 1, 1, 1 } };
  UrbProgram *program = urb_program_new ();
  UrbView image = urb_program_add_temp (program, g_strdup ("x"), UK_VALUE, X);
  UrbView made = urb_program_add_temp (program, g_strdup ("y"), UK_VALUE, Y);
  UrbView normed = urb_program_add_temp (program, g_strdup ("normed"), UK_VALUE, Y);
  UrbView dy = urb_program_add_temp (program, g_strdup ("dy"), UK_VALUE, Y);
  UrbView w = block (program, "w", URB_STORE_PARAMS, W), b = block (program, "b", URB_STORE_PARAMS, 8);
  UrbView dw = block (program, "dw", URB_STORE_GRADS, W), v = block (program, "v", URB_STORE_MOMENT2, W);
  UrbView of_channels[6];

  for (int i = 0; i < 6; i++)
    of_channels[i] = block (program, "channels", URB_STORE_STATE, 8);
  program->batch = N;
  emit (program, conv, (UrbView[]) { image, w, b, made });
  emit (program, norm, (UrbView[]) { made, of_channels[0], of_channels[1], URB_NO_VIEW, URB_NO_VIEW, normed,
                                     of_channels[2], of_channels[3] });
  norm.kind = UK_OP_BATCH_NORM_GRAD;
  emit (program, norm, (UrbView[]) { made, dy, of_channels[0], of_channels[1], of_channels[2], of_channels[3], dy,
                                     of_channels[4], of_channels[5] });
  conv.act = UK_ACT_NONE;
  conv.kind = UK_OP_CONV_WGRAD;
  emit (program, conv, (UrbView[]) { image, dy, dw });
  conv.accumulate = TRUE;
  emit (program, conv, (UrbView[]) { image, dy, dw });
  emit (program, adam, (UrbView[]) { w, dw, URB_NO_VIEW, v, URB_NO_VIEW,
                                     block (program, "hyper", URB_STORE_INPUT, UK_N_HYPER),
                                     block (program, "norm", URB_STORE_INPUT, 2), URB_NO_VIEW });
  return program;
}

/* Values of bf16 have 2 bytes, and so have packed weights. */
static void
test_by_hand (void)
{
  const UkBackendConfig config = { .precision = UK_BF16 };
  const UrbGpu gpu = { .flops = { [UK_BF16] = 1e9 }, .bytes = 1e6 };
  const double conv_flops = 2.0 * Y * 3 * 16, values = 2 * (X + Y);
  g_autoptr(UkBackend) paper = NULL; /* the program uses it */
  g_autoptr(UrbProgram) program = new_layer ();
  g_autoptr(GError) error = NULL;
  UrbRoofline found;

  g_assert_cmpint (uk_backend_paper ()->open (&config, &paper), ==, UK_OK);
  g_assert_true (urb_program_plan (program, paper, &error));
  urb_roofline_count (program, paper, &gpu, UK_BF16, &found);
  g_assert_cmpint (found.images, ==, N);
  g_assert_cmpfloat (found.conv_flops, ==, 3 * conv_flops);
  g_assert_cmpfloat (found.bytes[URB_TRAFFIC_CONV], ==, 3 * values);
  /* Forward reads packed weights, each gradient is written as float. */
  g_assert_cmpfloat (found.bytes[URB_TRAFFIC_CONV_WEIGHTS], ==, 2 * W + 2 * 4 * W);
  /* In place: y is read and written; the bias. */
  g_assert_cmpfloat (found.op_bytes[UK_OP_BIAS_ACT], ==, 2 * 2 * Y + 4 * 8);
  /* x twice, y once; gamma, beta, mean and inv_std. */
  g_assert_cmpfloat (found.op_bytes[UK_OP_BATCH_NORM], ==, 3 * 2 * Y + 4 * 4 * 8);
  /* x and dy twice, dx once; gamma, beta, mean, inv_std, dgamma and dbeta. */
  g_assert_cmpfloat (found.op_bytes[UK_OP_BATCH_NORM_GRAD], ==, 5 * 2 * Y + 6 * 4 * 8);
  g_assert_cmpfloat (found.bytes[URB_TRAFFIC_ELEMENTWISE], ==, 10 * 2 * Y + 11 * 4 * 8);
  /* The sum of the gradients; w and v read and written, g, hyper and the norm read, packed weights written. */
  g_assert_cmpfloat (found.bytes[URB_TRAFFIC_UPDATE], ==, 3 * 4 * W + 4 * (5 * W + UK_N_HYPER + 2) + 2 * W);
  g_assert_cmpuint (found.n_kernels, ==, 6 + 1 /* bias */ + 1 /* sum */);
  /* The convolutions are limited by memory here. */
  g_assert_cmpfloat_with_epsilon (found.conv_s, (3 * values + 10 * W) / 1e6, 1e-12);
  g_assert_cmpfloat_with_epsilon (urb_roofline_get_seconds (&found),
                                  (3 * values + 10 * W + found.bytes[URB_TRAFFIC_ELEMENTWISE]
                                   + found.bytes[URB_TRAFFIC_UPDATE]) / 1e6, 1e-12);
  urb_roofline_count (program, paper, &(UrbGpu) { .flops = { [UK_BF16] = 1e5 }, .bytes = 1e6 }, UK_BF16, &found);
  g_assert_cmpfloat_with_epsilon (found.conv_s, 3 * conv_flops / 1e5, 1e-12); /* by arithmetic */
}

/* ------------------------------------------------------------------------ */

static void
assert_same (const UrbCompiled *a, const UrbCompiled *b)
{
  g_assert_cmpuint (a->program->instructions->len, ==, b->program->instructions->len);
  for (guint i = 0; i < a->program->instructions->len; i++)
    {
      const UrbInstruction *left = urb_program_get_instruction (a->program, i);
      const UrbInstruction *right = urb_program_get_instruction (b->program, i);

      g_assert_cmpint (left->kind, ==, right->kind);
      if (left->kind == URB_DO_OP || left->kind == URB_DO_PACK)
        {
          g_assert_true (uk_op_desc_equal (&left->desc, &right->desc));
          g_assert_cmpuint (left->op->packed_bytes, ==, right->op->packed_bytes);
        }
      g_assert_cmpfloat (urb_program_count_bytes (a->program, left, a->backend), ==,
                         urb_program_count_bytes (b->program, right, b->backend));
    }
}

/* The program on paper is the one that the GPU runs, whose memory the cuda backend has. */
static void
test_as_on_gpu (void)
{
  static const struct { const char *recipe; UkPrecision precision; UrbStrategy strategy; } rows[] = {
    { "r3", UK_BF16, URB_STRATEGY_SINGLE }, { "dcgan", UK_BF16, URB_STRATEGY_SINGLE },
    { "dcgan", UK_FP32, URB_STRATEGY_SINGLE }, { "dcgan", UK_TF32, URB_STRATEGY_DDP },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      UrbRank context = { .n_ranks = 1, .n_local = 1 };
      g_auto(UrbCompiled) on_paper = { 0 }, on_gpu = { 0 };
      g_auto(UrbTrainOptions) options = { 0 };
      g_autoptr(GError) error = NULL;

      urb_train_options_init (&options);
      g_free (options.recipe);
      options.recipe = g_strdup (rows[i].recipe);
      g_free (options.backend);
      options.backend = g_strdup ("cuda");
      options.batch = 4;
      options.precision = rows[i].precision;
      options.strategy = rows[i].strategy;
      context.n_ranks = options.n_ranks = rows[i].strategy == URB_STRATEGY_SINGLE ? 1 : 2;
      g_assert_true (urb_compile (&options, &context, NULL, &on_gpu, &error)
                     && urb_compile_on_paper (&options, &context, &on_paper, &error)
                     && urb_program_plan (on_gpu.program, on_gpu.backend, &error)
                     && urb_program_plan (on_paper.program, on_paper.backend, &error));
      g_assert_no_error (error);
      assert_same (&on_paper, &on_gpu);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/roofline/gpus", test_gpus);
  g_test_add_func ("/roofline/by-hand", test_by_hand);
  g_test_add_func ("/roofline/as-on-gpu", test_as_on_gpu);
  return g_test_run ();
}
