/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-check.c - the programs of all ranks are checked before they run: those of every strategy are good, and
 * any of them is refused after one instruction was spoilt.
 */
#include <string.h>

#include "model/networks.h"
#include "parallel/check.h"
#include "parallel/lower.h"
#include "parallel/schedule.h"
#include "parallel/synchronous.h"
#include "parallel/tensor.h"
#include "parallel/zero.h"
#include "step/build.h"

enum { N_RANKS = 3, BATCH = 12, N_MICROBATCHES = 4 };

static const UrbMesh one_axis = { 1, N_RANKS, 1 }; /* collectives are of all ranks, whichever it is */

typedef struct
{
  UrbNet     *g, *d;
  UrbProgram *programs[N_RANKS];
} Ranks;

static void
ranks_clear (Ranks *self)
{
  for (int rank = 0; rank < N_RANKS; rank++)
    urb_program_free (self->programs[rank]);
  urb_net_free (self->g);
  urb_net_free (self->d);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Ranks, ranks_clear)

static void
divide (UrbProgram *program, const UrbNet *g, int rank)
{
  g_auto(UrbLayout) layout = { .n_stages = N_RANKS, .n_chunks = 1, .order = URB_ORDER_1F1B };
  g_autofree double *costs = g_new (double, program->instructions->len);
  g_autofree int *parts = NULL;

  g_assert_true (urb_layout_cut (&layout, program, urb_net_get_n_layers (g), NULL));
  parts = urb_layout_find_parts (&layout, program);
  for (guint i = 0; i < program->instructions->len; i++)
    costs[i] = urb_instruction_estimate (urb_program_get_instruction (program, i));
  urb_program_schedule (program, &layout, parts, costs, NULL);
  urb_program_lower (program, &layout, parts, &(UrbMesh) { 1, 1, N_RANKS }, rank, FALSE);
}

/* @what: "ddp", "dp", "1f1b", "tensor", or "zero1" to "zero3" */
static void
ranks_set_up (Ranks *self, const char *what)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbPreset) preset = urb_preset_load ("tiny", &error);
  gboolean is_pipeline = g_str_equal (what, "1f1b");

  g_assert_no_error (error);
  self->g = urb_preset_build_generator (preset, 3, FALSE, &error);
  self->d = urb_preset_build_discriminator (preset, 3, FALSE, &error);
  g_assert_no_error (error);
  for (int rank = 0; rank < N_RANKS; rank++)
    {
      g_autofree UrbDivision *of_g = NULL, *of_d = NULL;
      UrbProgram *program = self->programs[rank] = urb_program_new_gan (&(UrbGanOptions) {
        .g = self->g, .d = self->d, .base = self->g, .batch = BATCH, .n_microbatches = N_MICROBATCHES,
        .rank = is_pipeline ? 0 : rank, .n_ranks = is_pipeline ? 1 : N_RANKS,
        .sync_ranks = is_pipeline ? 1 : N_RANKS, .relativistic = TRUE, .penalty = TRUE, .tile_bits = 8 });

      of_g = urb_pairs_choose (program, &program->g, urb_net_get_n_layers (self->g), N_RANKS,
                               URB_DIVISION_OF_MOST);
      of_d = urb_pairs_choose (program, &program->d, urb_net_get_n_layers (self->g), N_RANKS,
                               URB_DIVISION_OF_MOST);
      if (is_pipeline)
        divide (program, self->g, rank);
      else if (g_str_equal (what, "ddp"))
        urb_program_make_ddp (program, &(UrbMesh) { 1, N_RANKS, 1 }, 0.1);
      else if (g_str_equal (what, "dp"))
        urb_program_make_dp (program, rank, N_RANKS, 0.1);
      else if (g_str_equal (what, "tensor"))
        urb_program_make_tensor (program, &(UrbTensorOptions) {
          .rank = rank, .mesh = &(UrbMesh) { N_RANKS, 1, 1 }, .n_base_layers = urb_net_get_n_layers (self->g),
          .g = of_g, .d = of_d, .bucket_mib = 0.1 });
      else
        urb_program_make_zero (program, &(UrbZeroOptions) { .level = what[4] - '0', .prefetch = 2,
                                                            .reshard = TRUE, .rank = rank,
                                                            .mesh = &(UrbMesh) { 1, N_RANKS, 1 } });
    }
}

static void
test_good (void)
{
  static const char *const strategies[] = { "ddp", "dp", "1f1b", "zero1", "zero2", "zero3", "tensor" };

  for (gsize i = 0; i < G_N_ELEMENTS (strategies); i++)
    {
      g_auto(Ranks) ranks = { 0 };
      g_autoptr(GError) error = NULL;

      ranks_set_up (&ranks, strategies[i]);
      urb_programs_check (ranks.programs, N_RANKS, &one_axis, &error);
      g_assert_no_error (error);
    }
}

/* The instruction of a kind, after @skip others; of a collective: @collective. */
static guint
find (const UrbProgram *program, UrbInstructionKind kind, UrbCollectiveKind collective, int skip)
{
  for (guint i = 0; i < program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (program, i);

      if (instruction->kind == kind
          && (kind != URB_DO_COLLECTIVE || instruction->collective.kind == collective) && skip-- == 0)
        return i;
    }
  g_assert_not_reached ();
}

static void
assert_refused (Ranks *self, const char *why)
{
  g_autoptr(GError) error = NULL;

  g_assert_false (urb_programs_check (self->programs, N_RANKS, &one_axis, &error));
  g_assert_error (error, URB_STEP_ERROR, URB_STEP_ERROR_LAYOUT);
  if (strstr (error->message, why) == NULL)
    g_error ("“%s” is not in “%s”", why, error->message);
}

static void
test_message_missing (void)
{
  g_auto(Ranks) ranks = { 0 };
  GArray *instructions;

  ranks_set_up (&ranks, "1f1b");
  instructions = ranks.programs[0]->instructions;
  for (guint i = instructions->len; i-- > 0;) /* the last one: before the others there is another message */
    if (g_array_index (instructions, UrbInstruction, i).kind == URB_DO_COLLECTIVE
        && g_array_index (instructions, UrbInstruction, i).collective.kind == URB_COLLECTIVE_SEND)
      {
        g_array_remove_index (instructions, i);
        break;
      }
  assert_refused (&ranks, "waits forever in");
}

static void
test_message_short (void)
{
  g_auto(Ranks) ranks = { 0 };
  guint at;

  ranks_set_up (&ranks, "1f1b");
  at = find (ranks.programs[1], URB_DO_COLLECTIVE, URB_COLLECTIVE_SEND, 0);
  urb_program_get_instruction (ranks.programs[1], at)->collective.count--;
  assert_refused (&ranks, "for a message of");
}

static void
test_value_missing (void)
{
  g_auto(Ranks) ranks = { 0 };
  UrbProgram *program;

  ranks_set_up (&ranks, "1f1b");
  program = ranks.programs[2];
  g_array_remove_index (program->instructions, find (program, URB_DO_COLLECTIVE, URB_COLLECTIVE_RECV, 0));
  assert_refused (&ranks, "nothing has made");
}

static void
test_wait_missing (void)
{
  g_auto(Ranks) ranks = { 0 };
  UrbProgram *program;

  ranks_set_up (&ranks, "zero3");
  program = ranks.programs[1];
  g_array_remove_index (program->instructions, find (program, URB_DO_WAIT, 0, 2));
  assert_refused (&ranks, "does not wait for the all-gather");
}

static void
test_collectives_differ (void)
{
  g_auto(Ranks) ranks = { 0 };
  guint at;

  ranks_set_up (&ranks, "zero2");
  at = find (ranks.programs[2], URB_DO_COLLECTIVE, URB_COLLECTIVE_REDUCE_SCATTER, 1);
  urb_program_get_instruction (ranks.programs[2], at)->collective.count++;
  assert_refused (&ranks, "rank 0 is in reduce-scatter");
}

static void
exchange (UrbProgram *program, UrbCollectiveKind kind, int peer)
{
  UrbView value = urb_program_add_temp (program, g_strdup ("value"), UK_REAL, 1);
  UrbInstruction fill = urb_instruction_new (URB_DO_OP);

  fill.desc = (UkOpDesc) { .kind = UK_OP_FILL, .x = { 1, 1, 1, 1 }, .y = { 1, 1, 1, 1 } };
  fill.args[1] = value;
  if (kind == URB_COLLECTIVE_SEND)
    urb_program_emit (program, fill);
  urb_program_emit (program, urb_program_new_collect (program, kind, 1, peer,
                                                      kind == URB_COLLECTIVE_SEND ? value : URB_NO_VIEW,
                                                      kind == URB_COLLECTIVE_SEND ? URB_NO_VIEW : value));
}

/* ------------------------------------------------------------------------ */
/* Groups                                                                    */

enum { N_POINTS = 12 };

/* Ranks of a mesh that meet along each set of axes, and pass a value along pipe. */
static void
set_up_groups (UrbProgram *programs[N_POINTS], const UrbMesh *mesh)
{
  for (int rank = 0; rank < N_POINTS; rank++)
    {
      int stage = urb_mesh_get_index (mesh, rank, URB_AXIS_PIPE);

      programs[rank] = urb_program_new ();
      for (guint axes = 0; axes < URB_ALL_AXES; axes++)
        {
          UrbInstruction barrier = urb_program_new_collect (programs[rank], URB_COLLECTIVE_BARRIER, 0, 0,
                                                            URB_NO_VIEW, URB_NO_VIEW);

          barrier.axes = axes;
          urb_program_emit (programs[rank], barrier);
        }
      if (stage > 0)
        exchange (programs[rank], URB_COLLECTIVE_RECV, stage - 1);
      if (stage + 1 < mesh->pipe)
        exchange (programs[rank], URB_COLLECTIVE_SEND, stage + 1);
      for (guint i = URB_ALL_AXES; i < programs[rank]->instructions->len; i++)
        if (urb_program_get_instruction (programs[rank], i)->kind == URB_DO_COLLECTIVE)
          urb_program_get_instruction (programs[rank], i)->axes = URB_AXIS_PIPE;
    }
}

static gboolean
check_groups (UrbProgram *programs[N_POINTS], const UrbMesh *mesh, GError **error)
{
  gboolean good = urb_programs_check (programs, N_POINTS, mesh, error);

  for (int rank = 0; rank < N_POINTS; rank++)
    urb_program_free (programs[rank]);
  return good;
}

static void
test_groups (void)
{
  static const UrbMesh mesh = { 2, 2, 3 };
  UrbProgram *programs[N_POINTS];
  g_autoptr(GError) error = NULL;

  set_up_groups (programs, &mesh);
  g_assert_true (check_groups (programs, &mesh, &error));
  g_assert_no_error (error);
  /* Rank 5 meets its neighbor along data, who waits for another one along tensor. */
  set_up_groups (programs, &mesh);
  urb_program_get_instruction (programs[5], URB_AXIS_TENSOR)->axes = URB_AXIS_DATA;
  g_assert_false (check_groups (programs, &mesh, &error));
  g_assert_nonnull (strstr (error->message, "waits forever in barrier"));
  g_clear_error (&error);
  /* The groups are the same, but one rank has another operation. */
  set_up_groups (programs, &mesh);
  urb_program_get_instruction (programs[11], URB_AXIS_PIPE)->collective
    = (UrbCollective) { .kind = URB_COLLECTIVE_ALL_REDUCE };
  g_assert_false (check_groups (programs, &mesh, &error));
  g_assert_nonnull (strstr (error->message, "rank 3 is in barrier then"));
}

/* ------------------------------------------------------------------------ */
/* Many ranks                                                                */

enum { N_MANY = 1024, N_ROUNDS = 100 };

/* Each receives from the rank before it and then sends to the one after it; @in_circle: also the first. */
static gboolean
check_chain (gboolean in_circle, GError **error)
{
  g_autofree UrbProgram **programs = g_new (UrbProgram *, N_MANY);
  gint64 begin = g_get_monotonic_time ();
  gboolean good;

  for (int rank = 0; rank < N_MANY; rank++)
    {
      programs[rank] = urb_program_new ();
      for (int round = 0; round < N_ROUNDS; round++)
        {
          if (rank > 0 || in_circle)
            exchange (programs[rank], URB_COLLECTIVE_RECV, (rank + N_MANY - 1) % N_MANY);
          if (rank + 1 < N_MANY || in_circle)
            exchange (programs[rank], URB_COLLECTIVE_SEND, (rank + 1) % N_MANY);
          urb_program_emit (programs[rank], urb_program_new_collect (programs[rank], URB_COLLECTIVE_BARRIER, 0,
                                                                     0, URB_NO_VIEW, URB_NO_VIEW));
        }
    }
  good = urb_programs_check (programs, N_MANY, &(UrbMesh) { 1, N_MANY, 1 }, error);
  g_test_message ("%d ranks, %d exchanges each: %.2f s", N_MANY, 3 * N_ROUNDS,
                  (double) (g_get_monotonic_time () - begin) * 1e-6);
  for (int rank = 0; rank < N_MANY; rank++)
    urb_program_free (programs[rank]);
  return good;
}

static void
test_many (void)
{
  g_autoptr(GError) error = NULL;

  g_assert_true (check_chain (FALSE, &error));
  g_assert_no_error (error);
  g_assert_false (check_chain (TRUE, &error));
  g_assert_nonnull (strstr (error->message, "waits forever in receive of 1 float from rank 1023"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/check/good", test_good);
  g_test_add_func ("/check/message-missing", test_message_missing);
  g_test_add_func ("/check/message-short", test_message_short);
  g_test_add_func ("/check/value-missing", test_value_missing);
  g_test_add_func ("/check/wait-missing", test_wait_missing);
  g_test_add_func ("/check/collectives-differ", test_collectives_differ);
  g_test_add_func ("/check/groups", test_groups);
  g_test_add_func ("/check/many", test_many);
  return g_test_run ();
}
