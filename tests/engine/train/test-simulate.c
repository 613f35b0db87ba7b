/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-simulate.c - the simulator against closed forms, against formulas for the bytes that ranks send,
 * and against the clock: the real interpreter with operations that sleep.
 */
#include <math.h>

#include "clockwork.h"
#include "model/networks.h"
#include "parallel/comm.h"
#include "parallel/lower.h"
#include "parallel/schedule.h"
#include "step/interpreter.h"
#include "train/compile.h"
#include "train/simulate.h"

enum { MAX_RANKS = 64, N_SHORT = 16 /* ranks of tests that are not slow */ };

/* The clock and the simulator must agree within the second; the first is what they reach on a machine
 * that is not busy, and ends the tries.  A busy machine wakes sleepers late, so the best try counts. */
#define AIM 0.03
#define TOLERANCE 0.20
enum { N_TRIES = 20 };

typedef struct
{
  int          n;
  UrbMesh      mesh; /* zeros: all ranks lie along one axis */
  UrbProgram  *programs[MAX_RANKS]; /* owned, lowered, not planned */
  double      *seconds[MAX_RANKS];  /* owned */
  UkBackend   *backends[MAX_RANKS]; /* owned */
  const ClockworkLink *link;        /* (nullable) borrowed; NULL: exchanges take no time */
  int          n_lanes;
} Ranks;

static UrbExchangeCost
get_exchange (gpointer data, const UrbCollective *what, int n_members, int n_hosts)
{
  const Ranks *self = data;

  return (UrbExchangeCost) { self->link != NULL ? clockwork_link_get_seconds (self->link, what) : 0, 0 };
}

static void
ranks_clear (Ranks *self)
{
  for (int r = 0; r < self->n; r++)
    {
      urb_program_free (self->programs[r]);
      if (self->backends[r] != NULL)
        self->backends[r]->table->close (self->backends[r]);
      g_free (self->seconds[r]);
    }
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Ranks, ranks_clear)

/* @cost: of an operation; anything else takes no time */
static void
find_seconds (Ranks *self, ClockworkCost cost)
{
  for (int r = 0; r < self->n; r++)
    {
      guint n = self->programs[r]->instructions->len;

      self->seconds[r] = g_new0 (double, n + 1);
      for (guint i = 0; i < n; i++)
        {
          const UrbInstruction *instruction = urb_program_get_instruction (self->programs[r], i);

          if (instruction->kind == URB_DO_OP)
            self->seconds[r][i] = cost (&instruction->desc);
        }
    }
}

static void
simulate (Ranks *self, double n_cores, UrbSimulated *out)
{
  UrbSimulationRank ranks[MAX_RANKS];
  UrbSimulation setup = { .ranks = ranks, .n_ranks = self->n, .mesh = self->mesh, .n_lanes = self->n_lanes,
                          .n_cores = n_cores, .n_threads = 1, .exchange = get_exchange, .data = self };
  g_autoptr(GError) error = NULL;

  for (int r = 0; r < self->n; r++)
    ranks[r] = (UrbSimulationRank) { self->programs[r], self->seconds[r], 0 };
  urb_simulate (&setup, out, &error);
  g_assert_no_error (error);
}

/* ------------------------------------------------------------------------ */
/* A chain of parts                                                          */

/* One unit of work: part @part of microbatch @microbatch; a value goes from each to the next. */
typedef struct
{
  int rank, microbatch, part;
} Work;

static double
get_unit (const UkOpDesc *desc)
{
  return 0.02;
}

static void
emit_work (UrbProgram *program, UrbView in, UrbView out)
{
  UrbInstruction work = urb_instruction_new (URB_DO_OP);

  work.desc = (UkOpDesc) { .kind = UK_OP_ADD, .x = { 1, 1, 1, 1 }, .y = { 1, 1, 1, 1 } };
  work.args[0] = work.args[1] = in;
  work.args[2] = out;
  urb_program_emit (program, work);
}

static int
emit_exchange (UrbProgram *program, UrbCollectiveKind kind, int peer, UrbView value)
{
  UrbInstruction collect = urb_program_new_collect (program, kind, 1, peer,
                                                    kind == URB_COLLECTIVE_SEND ? value : URB_NO_VIEW,
                                                    kind == URB_COLLECTIVE_SEND ? URB_NO_VIEW : value);

  collect.collective.element = URB_ELEMENT_F32;
  urb_program_emit (program, collect);
  return collect.request;
}

/* The programs of @n ranks that do @order, which keeps the order of each chain of @n_parts. */
static void
make_ranks (Ranks *self, int n, const Work *order, int n_work, int n_parts)
{
  self->n = n;
  for (int r = 0; r < n; r++)
    {
      UrbProgram *program = self->programs[r] = urb_program_new ();
      UrbView value[64][2 * MAX_RANKS + 1]; /* by microbatch and part that reads it */
      int     arrives[64][2 * MAX_RANKS + 1]; /* the request; -1: it is made here */

      for (int w = 0; w < n_work; w++)
        {
          const Work *work = &order[w];
          int m = work->microbatch, p = work->part, next = -1;

          for (int k = w + 1; k < n_work && next < 0; k++)
            if (order[k].microbatch == m && order[k].part == p + 1)
              next = order[k].rank;
          if (work->rank == r)
            {
              UrbView in = p == 0 ? urb_program_add_temp (program, NULL, UK_VALUE, 1) : value[m][p];
              UrbView out = urb_program_add_temp (program, NULL, UK_VALUE, 1);

              if (p > 0 && arrives[m][p] >= 0)
                {
                  UrbInstruction wait = urb_instruction_new (URB_DO_WAIT);

                  wait.request = arrives[m][p];
                  urb_program_emit (program, wait);
                }
              emit_work (program, in, out);
              value[m][p + 1] = out;
              arrives[m][p + 1] = -1;
              if (next >= 0 && next != r)
                emit_exchange (program, URB_COLLECTIVE_SEND, next, out);
            }
          else if (next == r)
            {
              value[m][p + 1] = urb_program_add_temp (program, NULL, UK_VALUE, 1);
              arrives[m][p + 1] = emit_exchange (program, URB_COLLECTIVE_RECV, work->rank, value[m][p + 1]);
            }
        }
    }
}

/* As make_ranks(), of a chain forward and backward in the order of schedule.c. */
static void
make_pipeline (Ranks *self, int n, int n_microbatches, UrbOrder how)
{
  const UrbLayout layout = { .n_stages = n, .n_chunks = 1, .order = how };
  g_autoptr(UrbProgram) whole = urb_program_new ();
  g_autoptr(GArray) parts = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr(GArray) order = g_array_new (FALSE, FALSE, sizeof (Work));
  g_autofree double *costs = NULL;

  for (int m = 0; m < n_microbatches; m++)
    {
      UrbView in = urb_program_add_temp (whole, NULL, UK_VALUE, 1);

      for (int p = 0; p < 2 * n; p++)
        {
          UrbView out = urb_program_add_temp (whole, NULL, UK_VALUE, 1);
          int part = p < n ? p : 2 * n - 1 - p;

          emit_work (whole, in, out);
          urb_program_get_instruction (whole, whole->instructions->len - 1)->microbatch = m;
          urb_program_get_instruction (whole, whole->instructions->len - 1)->layer = p;
          g_array_append_val (parts, part);
          in = out;
        }
    }
  costs = g_new (double, parts->len);
  for (guint i = 0; i < parts->len; i++)
    costs[i] = 1;
  urb_program_schedule (whole, &layout, (int *) (void *) parts->data, costs, NULL);
  for (guint i = 0; i < parts->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (whole, i);
      Work work = { g_array_index (parts, int, i), instruction->microbatch, instruction->layer };

      g_array_append_val (order, work);
    }
  make_ranks (self, n, (const Work *) (void *) order->data, (int) order->len, 2 * n);
}

/* V chunks a rank, forward: each rank does chunk after chunk of S microbatches at a time, without pause
 * once it has begun.  In the order of time. */
static void
make_interleaved (Ranks *self, int n, int n_microbatches, int n_chunks)
{
  g_autoptr(GArray) order = g_array_new (FALSE, FALSE, sizeof (Work));
  int n_mine = n_microbatches * n_chunks;

  for (int time = 0; time < n_mine + n - 1; time++)
    for (int r = 0; r < n; r++)
      {
        int k = time - r, round = k / (n * n_chunks);
        Work work = { r, round * n + k % n, k / n % n_chunks * n + r };

        if (k >= 0 && k < n_mine)
          g_array_append_val (order, work);
      }
  make_ranks (self, n, (const Work *) (void *) order->data, (int) order->len, n_chunks * n);
}

static double
find_bubble (Ranks *self)
{
  g_auto(UrbSimulated) simulated = { 0 };

  find_seconds (self, get_unit);
  simulate (self, 0, &simulated);
  return urb_simulated_get_bubble (&simulated);
}

/* Every microbatch sends a value over each cut in each direction, 4 bytes. */
static void
check_sent (Ranks *self, int n_microbatches)
{
  g_auto(UrbSimulated) simulated = { 0 };
  double sum = 0;

  simulate (self, 0, &simulated);
  for (int r = 0; r < self->n; r++)
    sum += simulated.ranks[r].sent_bytes;
  g_assert_cmpfloat (sum, ==, 4.0 * 2 * (self->n - 1) * n_microbatches);
}

/* Of S stages and M microbatches (S - 1) / (M + S - 1); with V chunks per rank (S - 1) / (V M + S - 1). */
static void
test_bubbles (void)
{
  for (int s = 1; s <= 8; s++)
    for (int m = s; m <= 4 * s && m <= 24; m += s)
      {
        g_auto(Ranks) gpipe = { 0 }, one = { 0 }, interleaved = { 0 };
        double bubble = (s - 1.0) / (m + s - 1);

        make_pipeline (&gpipe, s, m, URB_ORDER_GPIPE);
        make_pipeline (&one, s, m, URB_ORDER_1F1B);
        make_interleaved (&interleaved, s, m, 3);
        g_assert_cmpfloat_with_epsilon (find_bubble (&gpipe), bubble, 1e-9);
        g_assert_cmpfloat_with_epsilon (find_bubble (&one), bubble, 1e-9);
        g_assert_cmpfloat_with_epsilon (find_bubble (&interleaved), (s - 1.0) / (3 * m + s - 1), 1e-9);
        check_sent (&gpipe, m);
        check_sent (&one, m);
      }
}

/* @n_data pipelines side by side, each rank with a stage; then the ranks of a stage sum @count floats. */
static void
make_mesh (Ranks *self, int n_data, int n_stages, int n_microbatches, gint64 count)
{
  self->n = n_data * n_stages;
  self->mesh = (UrbMesh) { .tensor = 1, .data = n_data, .pipe = n_stages };
  for (int r = 0; r < self->n; r++)
    {
      g_auto(Ranks) pipeline = { 0 };
      UrbProgram *program;
      UrbView sums;

      make_pipeline (&pipeline, n_stages, n_microbatches, URB_ORDER_1F1B);
      program = self->programs[r]
        = g_steal_pointer (&pipeline.programs[urb_mesh_get_index (&self->mesh, r, URB_AXIS_PIPE)]);
      for (guint i = 0; i < program->instructions->len; i++)
        urb_program_get_instruction (program, i)->axes = URB_AXIS_PIPE;
      sums = urb_program_add_temp (program, NULL, UK_REAL, count);
      urb_program_emit (program, urb_program_new_collect (program, URB_COLLECTIVE_ALL_REDUCE, count, 0, sums, sums));
      urb_program_get_instruction (program, program->instructions->len - 1)->axes = URB_AXIS_DATA;
    }
}

/* Pipelines beside each other wait as one alone does, and each rank sends what the formulas of
 * docs/strategies.md say: to each neighbor a value per microbatch, and 2 (D - 1) / D of its sums. */
static void
test_mesh (void)
{
  enum { N_SUMS = 840 };

  for (int d = 2; d <= 4; d++)
    for (int s = 2; s * d <= N_SHORT; s++)
      for (int m = s; m <= 2 * s; m += s)
        {
          g_auto(Ranks) mesh = { 0 };
          g_auto(UrbSimulated) simulated = { 0 };

          make_mesh (&mesh, d, s, m, N_SUMS);
          g_assert_cmpfloat_with_epsilon (find_bubble (&mesh), (s - 1.0) / (m + s - 1), 1e-9);
          simulate (&mesh, 0, &simulated);
          for (int r = 0; r < mesh.n; r++)
            {
              int stage = r / d, n_neighbors = (stage > 0) + (stage + 1 < s);

              g_assert_cmpfloat_with_epsilon (simulated.ranks[r].sent_bytes,
                                              4.0 * n_neighbors * m + 2.0 * (d - 1) / d * 4 * N_SUMS, 1e-6);
            }
        }
}

/* Two sums along different axes take as long as one, unless the transport has one lane. */
static void
test_lanes (void)
{
  enum { COUNT = 100 };
  static const ClockworkLink link = { .latency = 0.1 };
  g_auto(Ranks) ranks = { .n = 4, .mesh = { .tensor = 1, .data = 2, .pipe = 2 }, .link = &link };
  g_auto(UrbSimulated) one = { 0 }, several = { 0 };

  for (int r = 0; r < ranks.n; r++)
    {
      UrbProgram *program = ranks.programs[r] = urb_program_new ();
      UrbInstruction sums[2];

      for (int i = 0; i < 2; i++)
        {
          UrbView view = urb_program_add_temp (program, NULL, UK_REAL, COUNT);

          sums[i] = urb_program_new_collect (program, URB_COLLECTIVE_ALL_REDUCE, COUNT, 0, view, view);
          sums[i].axes = i == 0 ? URB_AXIS_DATA : URB_AXIS_PIPE;
          urb_program_emit (program, sums[i]);
        }
      for (int i = 0; i < 2; i++)
        urb_program_emit (program, urb_program_new_wait (&sums[i]));
    }
  find_seconds (&ranks, get_unit);
  simulate (&ranks, 0, &one);
  ranks.n_lanes = URB_ALL_AXES;
  simulate (&ranks, 0, &several);
  g_assert_cmpfloat_with_epsilon (one.step_s, 0.2, 1e-9);
  g_assert_cmpfloat_with_epsilon (several.step_s, 0.1, 1e-9);
  g_assert_cmpfloat_with_epsilon (several.ranks[0].sent_bytes, one.ranks[0].sent_bytes, 1e-9);
}

/* Four ranks that always compute share two cores: twice the time. */
static void
test_cores (void)
{
  g_auto(Ranks) ranks = { 0 };
  g_auto(UrbSimulated) alone = { 0 }, shared = { 0 };
  Work order[4];

  for (int r = 0; r < 4; r++)
    order[r] = (Work) { r, r, 0 };
  make_ranks (&ranks, 4, order, 4, 1);
  find_seconds (&ranks, get_unit);
  simulate (&ranks, 4, &alone);
  simulate (&ranks, 2, &shared);
  g_assert_cmpfloat_with_epsilon (alone.step_s, 0.02, 1e-9);
  g_assert_cmpfloat_with_epsilon (shared.step_s, 0.04, 1e-9);
}

static void
test_deadlock (void)
{
  g_auto(Ranks) ranks = { .n = 2 };
  UrbSimulationRank setup_ranks[2];
  UrbSimulation setup = { .ranks = setup_ranks, .n_ranks = 2, .exchange = get_exchange, .data = &ranks };
  g_auto(UrbSimulated) simulated = { 0 };
  g_autoptr(GError) error = NULL;

  for (int r = 0; r < 2; r++)
    {
      UrbProgram *program = ranks.programs[r] = urb_program_new ();

      emit_exchange (program, URB_COLLECTIVE_RECV, 1 - r, urb_program_add_temp (program, NULL, UK_VALUE, 1));
    }
  find_seconds (&ranks, get_unit);
  for (int r = 0; r < 2; r++)
    setup_ranks[r] = (UrbSimulationRank) { ranks.programs[r], ranks.seconds[r], 0 };
  g_assert_false (urb_simulate (&setup, &simulated, &error));
  g_assert_error (error, URB_STEP_ERROR, URB_STEP_ERROR_LAYOUT);
}

/* ------------------------------------------------------------------------ */
/* Bytes of real programs                                                    */

static double
get_nothing (const UkOpDesc *desc)
{
  return 0;
}

/* @mesh: (nullable): instead of @strategy and @n */
static void
make_strategy (Ranks *self, UrbStrategy strategy, int n, const UrbMesh *mesh, UrbCompiled *compiled)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(GError) error = NULL;

  urb_train_options_init (&options);
  g_free (options.recipe);
  options.recipe = g_strdup ("r3");
  options.batch = 16;
  options.accumulate = 2;
  options.strategy = strategy;
  if (mesh != NULL)
    {
      self->mesh = *mesh;
      options.mesh = urb_mesh_dup_text (mesh);
      n = urb_mesh_count (mesh, URB_ALL_AXES);
    }
  options.n_ranks = self->n = n;
  for (int r = 0; r < n; r++)
    {
      UrbRank context = { .rank = r, .n_ranks = n, .local_rank = r, .n_local = n };

      urb_compile (&options, &context, NULL, &compiled[r], &error);
      g_assert_no_error (error);
      urb_program_plan (compiled[r].program, compiled[r].backend, &error); /* element types */
      g_assert_no_error (error);
      self->programs[r] = compiled[r].program;
    }
  find_seconds (self, get_nothing);
}

/* The formulas of docs/strategies.md, and the sum of the metrics, which every strategy has. */
static void
test_sent (void)
{
  for (int n = 2; n <= 4; n *= 2)
    {
      Ranks ddp = { 0 }, dp = { 0 };
      UrbCompiled of_ddp[MAX_RANKS] = { 0 }, of_dp[MAX_RANKS] = { 0 };
      g_auto(UrbSimulated) sent_ddp = { 0 }, sent_dp = { 0 };
      double p_g, p_d, metrics, ring = 2.0 * (n - 1) / n, tiles;

      make_strategy (&ddp, URB_STRATEGY_DDP, n, NULL, of_ddp);
      make_strategy (&dp, URB_STRATEGY_DP, n, NULL, of_dp);
      simulate (&ddp, 0, &sent_ddp);
      simulate (&dp, 0, &sent_dp);
      p_g = (double) of_ddp[0].nets.g->n_params;
      p_d = (double) of_ddp[0].nets.d->n_params;
      metrics = (double) urb_program_get_buffer (ddp.programs[0], ddp.programs[0]->metrics)->count;
      tiles = (double) urb_program_get_buffer (dp.programs[0], dp.programs[0]->tiles)->count / n;
      for (int r = 0; r < n; r++)
        g_assert_cmpfloat_with_epsilon (sent_ddp.ranks[r].sent_bytes, ring * 4 * (p_g + p_d + metrics), 1);
      g_assert_cmpfloat_with_epsilon (sent_dp.ranks[0].sent_bytes,
                                      (n - 1) * (4 * (p_g + 2 * p_d) + tiles) + ring * 4 * metrics, 1);
      g_assert_cmpfloat_with_epsilon (sent_dp.ranks[1].sent_bytes,
                                      4 * (p_g + p_d) + ring * 4 * metrics, 1);
      for (int r = 0; r < n; r++)
        {
          urb_compiled_clear (&of_ddp[r]);
          urb_compiled_clear (&of_dp[r]);
          g_free (ddp.seconds[r]);
          g_free (dp.seconds[r]);
        }
    }
}

static double
sum_sent (Ranks *self)
{
  g_auto(UrbSimulated) sent = { 0 };
  double sum = 0;

  simulate (self, 0, &sent);
  for (int r = 0; r < self->n; r++)
    sum += sent.ranks[r].sent_bytes;
  return sum;
}

/* Two pipelines of half the batch send over their cuts what one sends of the whole batch, and along data
 * twice 2 (D - 1) / D x 4 P.  What all ranks sum, metrics and norms, is less than a kilobyte. */
static void
test_sent_in_mesh (void)
{
  const UrbMesh both = { .tensor = 1, .data = 2, .pipe = 2 };
  Ranks mesh = { 0 }, pipeline = { 0 };
  UrbCompiled of_mesh[MAX_RANKS] = { 0 }, of_pipeline[MAX_RANKS] = { 0 };
  double n_params;

  make_strategy (&mesh, URB_STRATEGY_MESH, 4, &both, of_mesh);
  make_strategy (&pipeline, URB_STRATEGY_1F1B, 2, NULL, of_pipeline);
  n_params = (double) (of_mesh[0].nets.g->n_params + of_mesh[0].nets.d->n_params);
  g_assert_cmpfloat_with_epsilon (sum_sent (&mesh), sum_sent (&pipeline) + 2 * 4 * n_params, 1024);
  for (int r = 0; r < mesh.n; r++)
    {
      urb_compiled_clear (&of_mesh[r]);
      urb_compiled_clear (&of_pipeline[r]);
      g_free (mesh.seconds[r]);
      g_free (pipeline.seconds[r]);
    }
}

/* ------------------------------------------------------------------------ */
/* The clock                                                                 */

typedef struct
{
  UrbProgram     *program; /* borrowed */
  UkBackend      *backend; /* borrowed */
  UrbComm        *comm;    /* owned */
  ClockworkLink   link;
  UrbInterpreter *interpreter; /* owned */
  gint64          begin_us, end_us;
} Clock;

static gpointer
run_rank (gpointer data)
{
  Clock *self = data;
  const UrbCollective barrier = { .kind = URB_COLLECTIVE_BARRIER };
  g_autoptr(GError) error = NULL;

  urb_comm_run (self->comm, &barrier, NULL, NULL, &error);
  self->begin_us = g_get_monotonic_time ();
  urb_interpreter_run (self->interpreter, &error);
  self->end_us = g_get_monotonic_time ();
  g_assert_no_error (error);
  return NULL;
}

/* Seconds of a step of the real interpreter, planned before. */
static double
run_once (Ranks *self)
{
  Clock clocks[MAX_RANKS] = { 0 };
  UrbComm *comms[MAX_RANKS];
  GThread *threads[MAX_RANKS];
  gint64 begin_us = 0, end_us = 0;

  urb_comm_new_threads (self->n, comms);
  for (int r = 0; r < self->n; r++)
    {
      Clock *clock = &clocks[r];
      UrbTransport transport;
      g_autoptr(GError) error = NULL;

      clock->comm = comms[r];
      if (self->link != NULL)
        clock->link = *self->link;
      clock->link.inner = urb_comm_get_transport (comms[r]);
      transport = clockwork_link_get_transport (&clock->link);
      clock->interpreter = urb_interpreter_new (self->programs[r], self->backends[r], NULL, &transport,
                                                &error);
      g_assert_no_error (error);
    }
  for (int r = 0; r < self->n; r++)
    threads[r] = g_thread_new ("rank", run_rank, &clocks[r]);
  for (int r = 0; r < self->n; r++)
    {
      g_thread_join (threads[r]);
      begin_us = MAX (begin_us, clocks[r].begin_us);
      end_us = MAX (end_us, clocks[r].end_us);
      urb_interpreter_free (clocks[r].interpreter);
    }
  for (int r = 0; r < self->n; r++)
    urb_comm_free (comms[r]);
  return 1e-6 * (double) (end_us - begin_us);
}

static void
check_clock (Ranks *self, ClockworkCost cost, const char *what)
{
  g_auto(UrbSimulated) simulated = { 0 };
  double best = G_MAXDOUBLE;

  for (int r = 0; r < self->n; r++)
    {
      g_autoptr(GError) error = NULL;

      self->backends[r] = clockwork_new (cost);
      urb_program_plan (self->programs[r], self->backends[r], &error);
      g_assert_no_error (error);
    }
  find_seconds (self, cost);
  simulate (self, 0, &simulated);
  for (int i = 0; i < N_TRIES && !(best < 1 + AIM); i++)
    best = MIN (best, run_once (self) / simulated.step_s);
  g_test_message ("%s: simulated %.4f s, the clock %+.1f %%, bubble %.3f", what, simulated.step_s,
                  100 * (best - 1), urb_simulated_get_bubble (&simulated));
  g_assert_cmpfloat (fabs (best - 1), <, TOLERANCE);
}

static void
test_clock_chain (void)
{
  const ClockworkLink link = { .latency = 4e-3, .bytes_per_second = 4 / 4e-3 };

  for (int s = 2; s <= (g_test_slow () ? MAX_RANKS : N_SHORT); s *= 2)
    {
      g_auto(Ranks) instant = { 0 }, linked = { .link = &link };
      g_autofree char *name = g_strdup_printf ("1f1b of %d ranks", s);
      g_autofree char *slow = g_strdup_printf ("%s, 4 ms latency and 1 kB/s", name);

      make_pipeline (&instant, s, 8, URB_ORDER_1F1B);
      make_pipeline (&linked, s, 8, URB_ORDER_1F1B);
      check_clock (&instant, get_unit, name);
      check_clock (&linked, get_unit, slow);
    }
}

/* Operations of tiny in proportion to their floating-point operations. */
static double
get_flops (const UkOpDesc *desc)
{
  return 2e-5 + 1.5e-9 * uk_op_flops (desc);
}

/* A real model: every operation, message and collective of its lowered programs. */
static void
test_clock_model (gconstpointer data)
{
  const UrbOrder *how = data;
  const ClockworkLink link = { .latency = 1e-3, .bytes_per_second = 50e6 };
  g_auto(Ranks) ranks = { .n = 3, .link = &link };
  g_autoptr(UrbPreset) preset = urb_preset_load ("tiny", NULL);
  g_autoptr(UrbNet) g = urb_preset_build_generator (preset, 3, FALSE, NULL);
  g_autoptr(UrbNet) d = urb_preset_build_discriminator (preset, 3, FALSE, NULL);

  for (int r = 0; r < ranks.n; r++)
    {
      g_auto(UrbLayout) layout = { .n_stages = ranks.n, .n_chunks = 1, .order = *how };
      g_autofree int *parts = NULL;
      g_autofree double *costs = NULL;
      UrbProgram *program = ranks.programs[r] = urb_program_new_gan (&(UrbGanOptions) {
        .g = g, .d = d, .base = g, .batch = 8, .n_microbatches = 4, .relativistic = TRUE, .penalty = TRUE });

      g_assert_true (urb_layout_cut (&layout, program, urb_net_get_n_layers (g), NULL));
      parts = urb_layout_find_parts (&layout, program);
      costs = g_new0 (double, program->instructions->len);
      for (guint i = 0; i < program->instructions->len; i++)
        costs[i] = get_flops (&urb_program_get_instruction (program, i)->desc);
      urb_program_schedule (program, &layout, parts, costs, NULL);
      urb_program_lower (program, &layout, parts, &(UrbMesh) { 1, 1, ranks.n }, r, FALSE);
    }
  check_clock (&ranks, get_flops, *how == URB_ORDER_GPIPE ? "tiny, gpipe:3" : "tiny, 1f1b:3");
}

int
main (int argc, char **argv)
{
  static const UrbOrder gpipe = URB_ORDER_GPIPE, one = URB_ORDER_1F1B;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/simulate/bubbles", test_bubbles);
  g_test_add_func ("/simulate/mesh", test_mesh);
  g_test_add_func ("/simulate/lanes", test_lanes);
  g_test_add_func ("/simulate/cores", test_cores);
  g_test_add_func ("/simulate/deadlock", test_deadlock);
  g_test_add_func ("/simulate/sent", test_sent);
  g_test_add_func ("/simulate/sent-in-mesh", test_sent_in_mesh);
  g_test_add_func ("/simulate/clock/chain", test_clock_chain);
  g_test_add_data_func ("/simulate/clock/gpipe", &gpipe, test_clock_model);
  g_test_add_data_func ("/simulate/clock/1f1b", &one, test_clock_model);
  return g_test_run ();
}
