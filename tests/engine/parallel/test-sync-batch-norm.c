/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-sync-batch-norm.c - forward and backward passes of a network with batch
 * norm: ranks (threads) with a part of the samples each must give the result of
 * one rank with all samples, and groups of samples that of one pass for each group.
 */
#include <math.h>
#include <string.h>

#include "parallel/comm.h"
#include "step/emit.h"
#include "step/interpreter.h"

enum { N = 12, MAX_RANKS = 4, EDGE = 6, C_IN = 2, C_OUT = 3, STEPS = 3 };

#define N_IN (N * EDGE * EDGE * C_IN)
#define N_OUT (N * EDGE * EDGE * C_OUT)

/* Two batch norms, because the second one's sums depend on the first. */
static UrbNet *
net_new (void)
{
  UrbNet *net = urb_net_new ("g", (UkShape) { 1, EDGE, EDGE, C_IN });
  UrbConvOptions conv = { .n_channels = 5, .kernel = 3, .stride = 1, .pad = 1 };
  int value = urb_net_add_conv (net, 0, &conv);

  value = urb_net_add_batch_norm (net, value, UK_ACT_LEAKY_RELU);
  conv.n_channels = C_OUT;
  value = urb_net_add_conv (net, value, &conv);
  urb_net_add_batch_norm (net, value, UK_ACT_TANH);
  return net;
}

/* The results of one rank, or of all ranks; doubles on every backend. */
typedef struct
{
  double y[N_OUT], dx[N_IN];
  double *grads, *state; /* owned: (n_params), (n_state) */
} Results;

static void
results_init (Results *self, const UrbNet *net)
{
  self->grads = g_new0 (double, net->n_params);
  self->state = g_new0 (double, net->n_state);
}

static void
results_clear (Results *self)
{
  g_free (self->grads);
  g_free (self->state);
}

/* ------------------------------------------------------------------------ */
/* One rank                                                                  */

typedef struct
{
  const char      *backend;
  const UrbNet    *net;     /* borrowed */
  UrbComm         *comm;    /* owned by the rank's thread */
  UrbBatchNormMode mode;
  gboolean         want_params;
  int              n_groups;
  gboolean         is_apart; /* each group in passes of its own */
  Results         *results; /* borrowed: the values of its own samples */
} Rank;

typedef struct
{
  UkBackend      *backend;
  UrbProgram     *program;
  UrbInterpreter *interpreter;
  int             x, dy, y, dx;
} Machine;

static int
add (UrbProgram *program, const char *name, UrbStore store, gint64 count)
{
  return urb_program_add_buffer (program, g_strdup (name), store, UK_REAL, count);
}

/* Both passes of part @part of @n_parts of the rank's samples, in @n_groups groups. */
static void
emit_passes (Machine *self, const Rank *rank, int n_ranks, int part, int n_parts, int n_groups)
{
  UrbProgram *program = self->program;
  UrbEmitter emitter = { .program = program, .sync_ranks = n_ranks };
  gint64 n = N / n_ranks / n_parts;
  UrbBackwardOptions backward = { .n = n, .want_params = rank->want_params, .accumulate = part > 0,
                                  .want_input = TRUE, .scale = URB_NO_VIEW };
  gint64 x = part * n * N_IN / N, y = part * n * N_OUT / N;
  g_autoptr(UrbActivations) acts = urb_emit_forward (&emitter, &program->g, n, n_groups,
                                                     (UrbView) { self->x, x }, (UrbView) { self->y, y },
                                                     rank->mode);
  UrbInstruction copy = urb_instruction_new (URB_DO_COPY);

  copy.count = n * N_IN / N;
  copy.args[0] = urb_emit_backward (&emitter, acts, (UrbView) { self->dy, y }, &backward);
  copy.args[1] = (UrbView) { self->dx, x };
  urb_program_emit (program, copy);
}

static void
build (Machine *self, const Rank *rank, int n_ranks)
{
  UrbProgram *program = self->program = urb_program_new ();
  int n_parts = rank->is_apart ? rank->n_groups : 1;

  urb_program_add_net (program, &program->g, rank->net, TRUE, FALSE, FALSE);
  program->keeps_gradients = TRUE;
  self->x = add (program, "x", URB_STORE_INPUT, N_IN / n_ranks);
  self->dy = add (program, "dy", URB_STORE_INPUT, N_OUT / n_ranks);
  self->y = add (program, "y", URB_STORE_OUTPUT, N_OUT / n_ranks);
  self->dx = add (program, "dx", URB_STORE_OUTPUT, N_IN / n_ranks);
  for (int part = 0; part < n_parts; part++)
    emit_passes (self, rank, n_ranks, part, n_parts, rank->n_groups / n_parts);
}

/* Gradients that overwrite the one that they come from: of the first batch norm, group by group. */
static int
count_in_place (const UrbProgram *program)
{
  int n = 0;

  for (guint i = 0; i < program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (program, i);
      UrbView dx = instruction->args[6], dy = instruction->args[1];

      if (instruction->kind == URB_DO_OP && instruction->desc.kind == UK_OP_BATCH_NORM_GRAD)
        n += urb_program_get_buffer (program, dx.buffer)->alias_of == dy.buffer && dx.offset == dy.offset;
    }
  return n;
}

/* A sample's values do not depend on the rank that computes it. */
static void
set_input (Machine *self, int buffer, gint64 first, double frequency)
{
  gint64 count = urb_program_get_buffer (self->program, buffer)->count;
  g_autofree float *values = g_new (float, count);

  for (gint64 i = 0; i < count; i++)
    values[i] = (float) (sin (frequency * (double) (first + i)) + 0.5);
  self->backend->table->upload (self->backend, UK_VALUE,
                                urb_interpreter_get_memory (self->interpreter, buffer), values,
                                count);
}

static void
set_network (Machine *self, const UrbNet *net)
{
  const UkBackendTable *table = self->backend->table;
  const UrbProgramNet *slot = &self->program->g;
  g_autofree float *params = g_new (float, net->n_params), *state = g_new (float, net->n_state);

  urb_net_init_values (net, 3, 1, params, state);
  table->upload (self->backend, UK_REAL, urb_interpreter_get_memory (self->interpreter, slot->params),
                 params, net->n_params);
  table->upload (self->backend, UK_REAL, urb_interpreter_get_memory (self->interpreter, slot->state),
                 state, net->n_state);
}

static void
get (Machine *self, int buffer, double *values)
{
  gint64 count = urb_program_get_buffer (self->program, buffer)->count;
  void *memory = urb_interpreter_get_memory (self->interpreter, buffer);
  g_autofree float *floats = g_new (float, count);

  if (self->backend->table->element_size == sizeof (double))
    {
      self->backend->table->read (self->backend, values, memory, (gsize) count * sizeof (double));
      return;
    }
  self->backend->table->download (self->backend, UK_REAL, floats, memory, count);
  for (gint64 i = 0; i < count; i++)
    values[i] = floats[i];
}

static gpointer
rank_main (gpointer data)
{
  Rank *self = data;
  int rank = urb_comm_get_rank (self->comm), n_ranks = urb_comm_get_n_ranks (self->comm);
  const UkBackendConfig config = { .n_threads = 1 };
  UrbTransport transport = urb_comm_get_transport (self->comm);
  Machine machine = { 0 };
  g_autoptr(GError) error = NULL;

  build (&machine, self, n_ranks);
  g_assert_cmpint (uk_backend_find (self->backend)->open (&config, &machine.backend), ==, UK_OK);
  urb_program_plan (machine.program, machine.backend, &error);
  g_assert_no_error (error);
  g_assert_cmpint (machine.program->n_requests, ==, n_ranks > 1 ? 4 : 0);
  g_assert_cmpint (count_in_place (machine.program), ==, n_ranks > 1 ? 0 : self->n_groups);
  machine.interpreter = urb_interpreter_new (machine.program, machine.backend, NULL, &transport,
                                             &error);
  g_assert_no_error (error);
  set_network (&machine, self->net);
  set_input (&machine, machine.x, rank * N_IN / n_ranks, 1.7);
  set_input (&machine, machine.dy, rank * N_OUT / n_ranks, 2.3);
  for (int step = 0; step < STEPS; step++) /* each updates the running statistics */
    {
      g_assert_true (urb_interpreter_run_prologue (machine.interpreter, &error));
      g_assert_true (urb_interpreter_run (machine.interpreter, &error));
      g_assert_no_error (error);
    }
  get (&machine, machine.y, self->results->y + rank * N_OUT / n_ranks);
  get (&machine, machine.dx, self->results->dx + rank * N_IN / n_ranks);
  get (&machine, machine.program->g.grads, self->results->grads);
  get (&machine, machine.program->g.state, self->results->state);
  urb_interpreter_free (machine.interpreter);
  urb_program_free (machine.program);
  machine.backend->table->close (machine.backend);
  urb_comm_free (self->comm);
  return NULL;
}

/* ------------------------------------------------------------------------ */
/* All of them                                                               */

/* @total: the values of all samples, the sum of the gradients, and the state, which must be
 * bit-identical on every rank. */
static void
run_ranks (const Rank *like, int n_ranks, Results *total)
{
  UrbComm *comms[MAX_RANKS];
  GThread *threads[MAX_RANKS];
  Rank ranks[MAX_RANKS];
  g_autofree Results *results = g_new0 (Results, (gsize) n_ranks);

  urb_comm_new_threads (n_ranks, comms);
  for (int r = 0; r < n_ranks; r++)
    {
      results_init (&results[r], like->net);
      ranks[r] = *like;
      ranks[r].comm = comms[r];
      ranks[r].results = &results[r];
      threads[r] = g_thread_new ("rank", rank_main, &ranks[r]);
    }
  for (int r = 0; r < n_ranks; r++)
    g_thread_join (threads[r]);
  for (int r = 0; r < n_ranks; r++)
    {
      int y = r * N_OUT / n_ranks, x = r * N_IN / n_ranks;
      gsize state_bytes = (gsize) like->net->n_state * sizeof (double);

      memcpy (total->y + y, results[r].y + y, N_OUT / n_ranks * sizeof (double));
      memcpy (total->dx + x, results[r].dx + x, N_IN / n_ranks * sizeof (double));
      for (gint64 i = 0; i < like->net->n_params; i++)
        total->grads[i] += results[r].grads[i];
      memcpy (total->state, results[0].state, state_bytes);
      g_assert_cmpmem (results[r].state, state_bytes, results[0].state, state_bytes);
    }
  for (int r = 0; r < n_ranks; r++)
    results_clear (&results[r]);
}

static void
check_near (const char *what, int n_ranks, const double *actual, const double *expected,
            gint64 count, double tolerance)
{
  double scale = 0;

  for (gint64 i = 0; i < count; i++)
    scale = fmax (scale, fabs (expected[i]));
  for (gint64 i = 0; i < count; i++)
    if (!(fabs (actual[i] - expected[i]) <= tolerance * scale))
      g_error ("%s with %d ranks: element %d is %.15g and should be %.15g (largest: %g)", what,
               n_ranks, (int) i, actual[i], expected[i], scale);
}

static void
check (const Rank *like, double tolerance)
{
  Results *one = g_new0 (Results, 1);

  results_init (one, like->net);
  run_ranks (like, 1, one);
  for (int n_ranks = 2; n_ranks <= MAX_RANKS; n_ranks++)
    {
      Results *several = g_new0 (Results, 1);

      results_init (several, like->net);
      run_ranks (like, n_ranks, several);
      check_near ("y", n_ranks, several->y, one->y, N_OUT, tolerance);
      check_near ("dx", n_ranks, several->dx, one->dx, N_IN, tolerance);
      check_near ("gradients", n_ranks, several->grads, one->grads, like->net->n_params,
                  tolerance);
      check_near ("running statistics", n_ranks, several->state, one->state, like->net->n_state,
                  tolerance);
      results_clear (several);
      g_free (several);
    }
  results_clear (one);
  g_free (one);
}

static void
test_ranks (gconstpointer backend)
{
  g_autoptr(UrbNet) net = net_new ();
  double tolerance = g_str_equal (backend, "reference") ? 1e-12 : 2e-5;

  check (&(Rank) { .backend = backend, .net = net, .mode = URB_BATCH_NORM_TRAIN,
                   .n_groups = 1, .want_params = TRUE }, tolerance);
  /* As in the generator's step, where the discriminator's state is not updated. */
  check (&(Rank) { .backend = backend, .net = net, .mode = URB_BATCH_NORM_REPLAY,
                   .n_groups = 1 }, tolerance);
}

/* Values and statistics are bit-identical, since each sample is computed alike; the sums of the gradients over
 * the samples have another order. */
static void
test_groups (gconstpointer backend)
{
  double tolerance = g_str_equal (backend, "reference") ? 1e-12 : 2e-5;
  g_autoptr(UrbNet) net = net_new ();
  Rank rank = { .backend = backend, .net = net, .mode = URB_BATCH_NORM_TRAIN, .want_params = TRUE };
  Results *apart = g_new0 (Results, 1), *together = g_new0 (Results, 1), *one = g_new0 (Results, 1);

  results_init (apart, net);
  results_init (together, net);
  results_init (one, net);
  rank.n_groups = 3;
  run_ranks (&rank, 1, together);
  rank.is_apart = TRUE;
  run_ranks (&rank, 1, apart);
  rank.n_groups = 1;
  run_ranks (&rank, 1, one);
  g_assert_cmpmem (together->y, sizeof together->y, apart->y, sizeof apart->y);
  g_assert_cmpmem (together->dx, sizeof together->dx, apart->dx, sizeof apart->dx);
  g_assert_cmpmem (together->state, (gsize) net->n_state * sizeof (double), apart->state,
                   (gsize) net->n_state * sizeof (double));
  check_near ("gradients", 1, together->grads, apart->grads, net->n_params, tolerance);
  g_assert_true (memcmp (together->y, one->y, sizeof one->y) != 0);
  results_clear (apart);
  results_clear (together);
  results_clear (one);
  g_free (apart);
  g_free (together);
  g_free (one);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/sync-batch-norm/reference", "reference", test_ranks);
  g_test_add_data_func ("/sync-batch-norm/cpu", "cpu", test_ranks);
  g_test_add_data_func ("/sync-batch-norm/groups/reference", "reference", test_groups);
  g_test_add_data_func ("/sync-batch-norm/groups/cpu", "cpu", test_groups);
  return g_test_run ();
}
