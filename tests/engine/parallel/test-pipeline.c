/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-pipeline.c - how a model is cut into parts, and in which order its ranks work.  That every
 * pipeline trains the same bits as one process is in test-strategies.c.
 */
#include <string.h>

#include "model-fixture.h"
#include "parallel/lower.h"
#include "parallel/schedule.h"

enum { BATCH = 16, N_MICROBATCHES = 8 };

static void
set_up (Model *self)
{
  model_set_up (self, "tiny", (UrbGanOptions) {
    .batch = BATCH, .n_microbatches = N_MICROBATCHES, .relativistic = TRUE, .penalty = TRUE });
}

/* ------------------------------------------------------------------------ */
/* Runs                                                                      */

static void
test_runs (void)
{
  static const UrbRun held[] = { { 10, 0, 5 }, { 20, 5, 3 } };
  static const struct { gint64 whole, local, count; } rows[] = {
    { 0, -1, 10 }, { 9, -1, 1 }, { 10, 0, 5 }, { 14, 4, 1 }, { 15, -1, 5 }, { 20, 5, 3 }, { 22, 7, 1 },
    { 23, -1, G_MAXINT64 - 23 },
  };
  g_autoptr(GArray) runs = g_array_new (FALSE, FALSE, sizeof (UrbRun));

  g_array_append_vals (runs, held, G_N_ELEMENTS (held));
  g_assert_cmpint (urb_runs_count (runs), ==, 8);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      gint64 count;

      g_assert_cmpint (urb_runs_find (runs, rows[i].whole, &count), ==, rows[i].local);
      g_assert_cmpint (count, ==, rows[i].count);
    }
  g_assert_cmpint (urb_runs_find (NULL, 7, NULL), ==, 7);
}

/* ------------------------------------------------------------------------ */
/* Cuts                                                                      */

/* Estimated time of each layer of the discriminator in all sweeps of a step. (transfer full) */
static double *
sum_costs (const UrbProgram *program, int n_layers)
{
  double *costs = g_new0 (double, n_layers);

  for (guint i = 0; i < program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (program, i);

      if (g_str_equal (instruction->net, "d") && instruction->layer >= 0)
        costs[instruction->layer] += urb_instruction_estimate (instruction);
    }
  return costs;
}

static double
get_slowest (const double *costs, const int *parts, int n_layers)
{
  double slowest = 0, cost = 0;

  for (int i = 0; i < n_layers; i++)
    {
      cost = i > 0 && parts[i] == parts[i - 1] ? cost + costs[i] : costs[i];
      slowest = MAX (slowest, cost);
    }
  return slowest;
}

/* Every way to cut into contiguous parts is tried. */
static double
find_best_slowest (const double *costs, int n_layers, int n_parts)
{
  double best = G_MAXDOUBLE;

  for (guint cuts = 0; cuts < 1u << (n_layers - 1); cuts++)
    {
      g_autofree int *parts = g_new0 (int, n_layers);

      for (int i = 1; i < n_layers; i++)
        parts[i] = parts[i - 1] + (cuts >> (i - 1) & 1);
      if (parts[n_layers - 1] == n_parts - 1)
        best = MIN (best, get_slowest (costs, parts, n_layers));
    }
  return best;
}

static void
test_cut (void)
{
  g_auto(Model) model = { 0 };
  g_autofree double *costs = NULL;
  int n_d;

  set_up (&model);
  n_d = urb_net_get_n_layers (model.d);
  costs = sum_costs (model.program, n_d);
  for (int n_stages = 1; n_stages <= 4; n_stages++)
    {
      g_auto(UrbLayout) layout = { .n_stages = n_stages, .n_chunks = 1 };
      g_autoptr(GError) error = NULL;

      g_assert_true (urb_layout_cut (&layout, model.program, urb_net_get_n_layers (model.g), &error));
      g_assert_no_error (error);
      g_assert_cmpint (layout.d[0], ==, 0);
      g_assert_cmpint (layout.d[n_d - 1], ==, n_stages - 1);
      for (int i = 1; i < n_d; i++)
        g_assert_true (layout.d[i] == layout.d[i - 1] || layout.d[i] == layout.d[i - 1] + 1);
      g_assert_cmpfloat_with_epsilon (get_slowest (costs, layout.d, n_d),
                                      find_best_slowest (costs, n_d, n_stages), 1e-6 * costs[0]);
    }
}

static void
test_too_many (void)
{
  g_auto(Model) model = { 0 };
  g_auto(UrbLayout) layout = { .n_stages = 1000, .n_chunks = 1 };
  g_autoptr(GError) error = NULL;

  set_up (&model);
  g_assert_false (urb_layout_cut (&layout, model.program, urb_net_get_n_layers (model.g), &error));
  g_assert_error (error, URB_STEP_ERROR, URB_STEP_ERROR_LAYOUT);
  g_assert_nonnull (strstr (error->message, "1000 ranks; choose fewer ranks"));
}

/* ------------------------------------------------------------------------ */
/* Schedules                                                                 */

static UrbView
add_value (UrbProgram *program)
{
  return urb_program_add_temp (program, NULL, UK_VALUE, 1);
}

static void
add_work (UrbProgram *program, GArray *parts, int part, int microbatch, UrbPass pass, UrbView in,
          UrbView out)
{
  UrbInstruction instruction = urb_instruction_new (URB_DO_COPY);

  instruction.count = 1;
  instruction.microbatch = microbatch;
  instruction.pass = pass;
  instruction.args[0] = in;
  instruction.args[1] = out;
  urb_program_emit (program, instruction);
  g_array_append_val (parts, part);
}

/* The pipelines of the papers: a chain of parts, forward and backward, each of which takes a unit. */
static UrbProgram *
make_chain (int n_parts, GArray *parts)
{
  UrbProgram *program = urb_program_new ();

  for (int m = 0; m < N_MICROBATCHES; m++)
    {
      UrbView value = add_value (program);

      for (int p = 0; p < 2 * n_parts; p++)
        {
          UrbView next = add_value (program);
          gboolean forward = p < n_parts;

          add_work (program, parts, forward ? p : 2 * n_parts - 1 - p, m,
                    forward ? URB_PASS_FORWARD : URB_PASS_BACKWARD, value, next);
          value = next;
        }
    }
  return program;
}

static double
simulate (const UrbLayout *layout)
{
  int n_parts = layout->n_stages * layout->n_chunks;
  g_autoptr(GArray) parts = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr(UrbProgram) program = make_chain (n_parts, parts);
  g_autofree double *costs = g_new (double, parts->len);
  UrbPipelineSchedule schedule;

  for (guint i = 0; i < parts->len; i++)
    costs[i] = 1;
  urb_program_schedule (program, layout, (int *) parts->data, costs, &schedule);
  g_assert_cmpfloat (schedule.busy, ==, 2 * n_parts * N_MICROBATCHES);
  g_test_message ("%d stages, %d chunks: %g, %d microbatches under way", layout->n_stages,
                  layout->n_chunks, schedule.makespan, schedule.n_in_flight);
  return urb_pipeline_schedule_get_bubble (&schedule, layout->n_stages);
}

/* The shares of idle time in the papers: of S stages and M microbatches (S - 1) / (M + S - 1), and
 * with V parts per rank (S - 1) / (V M + S - 1).  1F1B keeps few microbatches under way. */
static void
test_bubbles (void)
{
  for (int s = 1; s <= 4; s++)
    {
      const UrbLayout built = { .n_stages = s, .n_chunks = 1, .order = URB_ORDER_BUILT };
      const UrbLayout gpipe = { .n_stages = s, .n_chunks = 1, .order = URB_ORDER_GPIPE };
      const UrbLayout few = { .n_stages = s, .n_chunks = 1, .order = URB_ORDER_1F1B };
      const UrbLayout interleaved = { .n_stages = s, .n_chunks = 2, .order = URB_ORDER_1F1B };
      double bubble = (s - 1.0) / (N_MICROBATCHES + s - 1);

      g_assert_cmpfloat_with_epsilon (simulate (&built), (s - 1.0) / s, 1e-9);
      g_assert_cmpfloat_with_epsilon (simulate (&gpipe), bubble, 1e-9);
      g_assert_cmpfloat_with_epsilon (simulate (&few), bubble, 1e-9);
      /* Nearly: the rank that is free first takes what it can, and does not look ahead. */
      g_assert_cmpfloat (simulate (&interleaved), <=, 1.5 * (s - 1.0) / (2 * N_MICROBATCHES + s - 1));
    }
}

/* ------------------------------------------------------------------------ */
/* Lowering                                                                  */

/* The sizes of what @program sends to @peer or receives from it. (transfer full) */
static char *
list_messages (const UrbProgram *program, UrbCollectiveKind kind, int peer)
{
  g_autoptr(GString) list = g_string_new (NULL);

  for (guint i = 0; i < program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (program, i);

      if (instruction->kind == URB_DO_COLLECTIVE && instruction->collective.kind == kind
          && instruction->collective.peer == peer)
        g_string_append_printf (list, "%" G_GINT64_FORMAT " ", instruction->collective.count);
    }
  return g_string_free (g_steal_pointer (&list), FALSE);
}

/* The layers whose parts are on @rank, from 1: "2–4, 7". */
static void
append_parts (GString *text, const UrbLayout *layout, const int *parts, int n, int rank)
{
  const char *separator = "";

  for (int first = 0, last; first < n; first = last + 1)
    {
      last = first;
      if (parts[first] % layout->n_stages != rank)
        continue;
      while (last + 1 < n && parts[last + 1] % layout->n_stages == rank)
        last++;
      g_string_append_printf (text, "%s%d", separator, first + 1);
      if (last > first)
        g_string_append_printf (text, "–%d", last + 1);
      separator = ", ";
    }
}

static void
assert_layers (const Model *self, const UrbLayout *layout, int rank)
{
  g_autofree char *layers = urb_program_dup_layers (self->program, urb_net_get_n_layers (self->g));
  g_autoptr(GString) expected = g_string_new ("G ");

  append_parts (expected, layout, layout->g, layout->n_g, rank);
  g_string_append (expected, ", D ");
  append_parts (expected, layout, layout->d, layout->n_d, rank);
  g_assert_cmpstr (layers, ==, expected->str);
}

/* Leaves @rank its layers, as a trainer does.  @layout is cut. */
static void
lower (Model *self, UrbLayout *layout, int rank)
{
  g_autofree int *parts = NULL;
  g_autofree double *costs = g_new0 (double, self->program->instructions->len);

  g_assert_true (urb_layout_cut (layout, self->program, urb_net_get_n_layers (self->g), NULL));
  parts = urb_layout_find_parts (layout, self->program);
  urb_program_schedule (self->program, layout, parts, costs, NULL);
  urb_program_lower (self->program, layout, parts, &(UrbMesh) { 1, 1, layout->n_stages }, rank, FALSE);
}

/* Two parts of each network on each rank. */
static void
test_layers (void)
{
  for (int rank = 0; rank < 2; rank++)
    {
      g_auto(UrbLayout) layout = { .n_stages = 2, .n_chunks = 2, .order = URB_ORDER_1F1B };
      Model model;

      set_up (&model);
      lower (&model, &layout, rank);
      assert_layers (&model, &layout, rank);
      model_clear (&model);
    }
}

/* What each rank sends, the other receives, in the same order and size; together the ranks hold each
 * parameter once.  Each computes the layers of its part. */
static void
test_messages (void)
{
  enum { N_RANKS = 3 };
  Model models[N_RANKS];
  gint64 n_held = 0;

  for (int rank = 0; rank < N_RANKS; rank++)
    {
      g_auto(UrbLayout) layout = { .n_stages = N_RANKS, .n_chunks = 1, .order = URB_ORDER_1F1B };

      set_up (&models[rank]);
      lower (&models[rank], &layout, rank);
      n_held += urb_runs_count (models[rank].program->d.runs);
      assert_layers (&models[rank], &layout, rank);
    }
  g_assert_cmpint (n_held, ==, models[0].d->n_params);
  for (int from = 0; from < N_RANKS; from++)
    for (int to = 0; to < N_RANKS; to++)
      {
        g_autofree char *sent = list_messages (models[from].program, URB_COLLECTIVE_SEND, to);
        g_autofree char *received = list_messages (models[to].program, URB_COLLECTIVE_RECV, from);

        g_assert_cmpstr (sent, ==, received);
        g_assert_cmpint (*sent != '\0', ==, from != to);
      }
  for (int rank = 0; rank < N_RANKS; rank++)
    model_clear (&models[rank]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pipeline/runs", test_runs);
  g_test_add_func ("/pipeline/cut", test_cut);
  g_test_add_func ("/pipeline/too-many", test_too_many);
  g_test_add_func ("/pipeline/bubbles", test_bubbles);
  g_test_add_func ("/pipeline/layers", test_layers);
  g_test_add_func ("/pipeline/messages", test_messages);
  return g_test_run ();
}
