/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-in-flight.c - no rank of any strategy writes to memory that a collective or a transfer still uses.
 */
#include "settings/recipe.h"
#include "train/compile.h"

typedef struct
{
  const char *preset, *recipe, *strategy, *mesh;
  int         n_ranks, accumulate;
} Case;

static const Case cases[] = {
  { "tiny", "r3", "layers", NULL, 2, 4 },
  { "tiny", "r3", "gpipe", NULL, 2, 4 },
  { "tiny", "r3", "1f1b", NULL, 4, 4 },
  { "tiny", "r3", "zb", NULL, 2, 4 },
  { "tiny", "dcgan", "gpipe", NULL, 2, 4 },
  { "tiny", "r3", "mesh", "data=2,pipe=2", 4, 2 },
  { "tiny", "r3", "ddp", NULL, 2, 1 },
  { "tiny", "r3", "zero3", NULL, 2, 1 },
  { "modern-32m", "r3", "interleaved", NULL, 2, 4 },
  { "dcgan-32m", "dcgan", "1f1b", NULL, 2, 2 },
  { "dcgan-32m", "dcgan", "ddp", NULL, 2, 2 },
  { "dcgan-32m", "dcgan", "tensor", NULL, 2, 1 },
};

/* Bytes of the arena. */
typedef struct
{
  gint64 begin, end;
} Range;

/* Returns: FALSE if the argument is elsewhere */
static gboolean
get_range (const UrbProgram *program, const UkBackend *backend, const UrbInstruction *instruction, int arg, Range *out)
{
  UrbView view = instruction->args[arg];
  const UrbBuffer *buffer, *root;

  if (view.buffer < 0)
    return FALSE;
  for (root = buffer = urb_program_get_buffer (program, view.buffer); root->alias_of >= 0;)
    root = urb_program_get_buffer (program, root->alias_of);
  if (root->store != URB_STORE_ARENA)
    return FALSE;
  out->begin = root->offset + view.offset * (gint64) uk_type_size (backend, buffer->type);
  out->end = out->begin + urb_instruction_count_arg (instruction, arg) * (gint64) uk_type_size (backend, buffer->type);
  return TRUE;
}

/* What @begin reads may be read by others, too; what it writes may not. */
static void
assert_apart (const UrbProgram *program, const UkBackend *backend, const UrbInstruction *begin,
              const UrbInstruction *other)
{
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < UK_MAX_ARGS; b++)
      {
        g_autofree char *what = urb_instruction_dup_label (other), *meanwhile = urb_instruction_dup_label (begin);
        Range x, y;

        if (!get_range (program, backend, begin, a, &x) || !get_range (program, backend, other, b, &y)
            || x.begin >= y.end || y.begin >= x.end)
          continue;
        if (a == 0 && urb_instruction_get_role (other, b) == UK_IN)
          continue;
        g_error ("%s overwrites argument %d of %s, which is under way", what, a, meanwhile);
      }
}

static gboolean
ends (const UrbInstruction *begin, const UrbInstruction *instruction)
{
  if (begin->kind == URB_DO_COLLECTIVE)
    return instruction->kind == URB_DO_WAIT && instruction->request == begin->request;
  return instruction->kind == URB_DO_AWAIT && instruction->request >= begin->request;
}

/* Returns: how many were under way while something else ran */
static int
check (const UrbProgram *program, const UkBackend *backend)
{
  int n = 0;

  for (guint i = 0; i < program->instructions->len; i++)
    {
      const UrbInstruction *begin = urb_program_get_instruction (program, i);

      if (begin->kind != URB_DO_COLLECTIVE && begin->kind != URB_DO_TRANSFER)
        continue;
      for (guint k = i + 1; k < program->instructions->len; k++)
        {
          const UrbInstruction *other = urb_program_get_instruction (program, k);

          if (ends (begin, other))
            break;
          if (other->kind != URB_DO_OP && other->kind != URB_DO_COPY)
            continue;
          assert_apart (program, backend, begin, other);
          n++;
        }
    }
  return n;
}

static void
test_strategy (gconstpointer data)
{
  const Case *row = data;
  int n = 0;

  for (int rank = 0; rank < row->n_ranks; rank++)
    {
      UrbRank context = { .rank = rank, .n_ranks = row->n_ranks, .n_local = row->n_ranks };
      g_auto(UrbTrainOptions) options = { 0 };
      g_auto(UrbCompiled) compiled = { 0 };
      g_autoptr(GError) error = NULL;

      urb_train_options_init (&options);
      g_free (options.preset);
      g_free (options.recipe);
      options.preset = g_strdup (row->preset);
      options.recipe = g_strdup (row->recipe);
      urb_strategy_parse (row->strategy, &options.strategy, &options.n_ranks, &error);
      g_assert_no_error (error);
      g_free (options.mesh);
      options.mesh = g_strdup (row->mesh);
      options.n_ranks = row->n_ranks;
      options.batch = 16;
      options.accumulate = row->accumulate;
      urb_compile_on_paper (&options, &context, &compiled, &error);
      g_assert_no_error (error);
      urb_program_plan (compiled.program, compiled.backend, &error);
      g_assert_no_error (error);
      n += check (compiled.program, compiled.backend);
    }
  g_test_message ("%d instructions while something was under way", n);
  g_assert_true (n > 0 || row->accumulate < 4); /* pipelines send while they compute */
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path
        = g_strdup_printf ("/in-flight/%s/%s/%s", cases[i].preset, cases[i].recipe, cases[i].strategy);

      g_test_add_data_func (path, &cases[i], test_strategy);
    }
  return g_test_run ();
}
