/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-packs.c - which weights a step on a GPU packs, and which Adam packs as it writes them.
 */
#include "train/compile.h"

#define ADAM_PACKED 7 /* its place among Adam's arguments */

typedef struct
{
  const char *name;
  UkPrecision precision;
  UrbStrategy strategy;
  gboolean    refine, offload;
  gboolean    by_adam;          /* Adam writes packed weights */
  gboolean    step, prologue;   /* something is packed there */
} Row;

static const Row rows[] = {
  { "halves", UK_BF16, URB_STRATEGY_SINGLE, FALSE, FALSE, TRUE, FALSE, TRUE },
  { "fp16", UK_FP16, URB_STRATEGY_DDP, FALSE, FALSE, TRUE, FALSE, TRUE },
  { "parts", UK_BF16, URB_STRATEGY_SINGLE, FALSE, TRUE, TRUE, FALSE, TRUE },
  /* Ranks gather the weights that each has updated; those of D stay packed for the next step. */
  { "gathered", UK_BF16, URB_STRATEGY_ZERO1, FALSE, FALSE, FALSE, TRUE, TRUE },
  /* A refiner's weights come after a bias of three channels, and so are not aligned. */
  { "unaligned", UK_BF16, URB_STRATEGY_SINGLE, TRUE, FALSE, TRUE, TRUE, TRUE },
  { "floats", UK_FP32, URB_STRATEGY_SINGLE, FALSE, FALSE, FALSE, FALSE, FALSE },
  { "unaligned-floats", UK_TF32, URB_STRATEGY_SINGLE, TRUE, FALSE, FALSE, TRUE, FALSE },
};

static guint
count_packs (const GArray *instructions)
{
  guint n = 0;

  for (guint i = 0; i < instructions->len; i++)
    n += g_array_index (instructions, UrbInstruction, i).kind == URB_DO_PACK;
  return n;
}

/* Each Adam writes the packed weights of its own part. */
static guint
check_adams (const UrbProgram *program, gboolean by_adam)
{
  guint n = 0;

  for (guint i = 0; i < program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (program, i);

      if (instruction->kind != URB_DO_OP || instruction->desc.kind != UK_OP_ADAM)
        continue;
      g_assert_cmpint (instruction->args[ADAM_PACKED].buffer >= 0, ==, by_adam);
      if (by_adam)
        g_assert_cmpint (instruction->args[ADAM_PACKED].offset, ==, instruction->args[0].offset);
      n++;
    }
  return n;
}

/* Whether all convolutions read weights where they are packed; those of floats, if they are not aligned. */
static void
check_readers (const UrbProgram *program, const Row *row)
{
  for (guint i = 0; i < program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (program, i);
      UrbView w = instruction->args[1];
      gboolean is_stored;

      if (instruction->kind != URB_DO_OP
          || (instruction->desc.kind != UK_OP_CONV && instruction->desc.kind != UK_OP_CONV_DGRAD))
        continue;
      is_stored = w.buffer == program->g.params || w.buffer == program->d.params;
      if (uk_data_size (uk_data_type_of (row->precision)) == sizeof (float))
        g_assert_true (!is_stored || w.offset % 4 == 0);
      else
        g_assert_false (is_stored);
    }
}

static void
test_packs (gconstpointer data)
{
  const Row *row = data;
  UrbRank context = { .n_ranks = row->strategy == URB_STRATEGY_SINGLE ? 1 : 2, .n_local = 1 };
  g_auto(UrbCompiled) compiled = { 0 };
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(GError) error = NULL;
  guint n_adams;

  urb_train_options_init (&options);
  g_free (options.recipe);
  options.recipe = g_strdup ("dcgan");
  g_free (options.backend);
  options.backend = g_strdup ("cuda");
  options.batch = 4;
  options.precision = row->precision;
  options.strategy = row->strategy;
  options.refine = row->refine;
  options.n_ranks = context.n_ranks;
  if (row->offload)
    {
      g_free (options.preset); /* large enough for several parts */
      options.preset = g_strdup ("dcgan-32m");
      options.offload = g_strdup (URB_OFFLOAD_HOST);
    }
  g_assert_true (urb_compile_on_paper (&options, &context, &compiled, &error));
  g_assert_no_error (error);
  if (row->offload)
    g_assert_cmpuint (check_adams (compiled.program, FALSE), >, 2); /* one for each part */
  g_assert_true (urb_program_plan (compiled.program, compiled.backend, &error));
  n_adams = check_adams (compiled.program, row->by_adam);
  g_assert_cmpuint (n_adams, >=, 2);
  g_assert_cmpint (count_packs (compiled.program->instructions) > 0, ==, row->step);
  g_assert_cmpint (count_packs (compiled.program->prologue) > 0, ==, row->prologue);
  check_readers (compiled.program, row);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strdup_printf ("/packs/%s", rows[i].name);

      g_test_add_data_func (path, &rows[i], test_packs);
    }
  return g_test_run ();
}
