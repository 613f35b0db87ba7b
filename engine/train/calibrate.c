/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calibrate.c - see calibrate.h.
 *
 * An operation's time depends on what is in the caches, hence on what ran before it and on the buffers.
 * So no operation is measured by itself: the program of each rank runs without its exchanges, planned as
 * usual, and of many equal operations, such as those of microbatches, only some.  Weights and inputs are
 * random: zeros are a little faster to compute with.
 */
#include "train/calibrate.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "parallel/comm.h"
#include "step/interpreter.h"
#include "train/compile.h"
#include "train/device.h"

/* Equal operations of a program that run: enough that most networks run as they are, in as much memory.
 * Passes over it; the time after which no pass begins, µs. */
enum { MOST_EQUAL = 12, FEWEST_PASSES = 4, MOST_PASSES = 40, PASS_US = 2000000 };

/* Sizes of exchanges, bytes, and how often each is measured. */
static const gint64 sizes[] = { 4, 1 << 10, 1 << 14, 1 << 17, 1 << 20, 1 << 23, 1 << 26 };
enum { N_SIZES = G_N_ELEMENTS (sizes), N_REPEATS = 7 };

/* Pieces of a pass, at whose ends ranks are taken to wait for each other. */
enum { N_PIECES = 16 };

/* Elements that a sender copies before each message, which takes about a millisecond. */
enum { N_COPIED = 1 << 21 };

typedef struct
{
  int           n_ranks;
  gboolean      kinds[URB_N_COLLECTIVES]; /* that the programs have; of messages: SEND */
  gint64        most_bytes[URB_N_COLLECTIVES];
  GCancellable *cancellable; /* (nullable) borrowed */
} Plan;

typedef struct
{
  const Plan *plan;     /* borrowed */
  int         rank;
  UrbComm    *comm;     /* owned */
  UrbCompiled compiled; /* owned */
  int         n_passes;
  GArray     *seconds;  /* double, owned: (n_passes, n_instructions) */
  /* Microseconds: (N_COLLECTIVES, N_SIZES, N_REPEATS) */
  UrbSpan     spans[URB_N_COLLECTIVES][N_SIZES][N_REPEATS];
  GThread    *thread;   /* owned until joined */
  GError     *error;    /* (nullable) owned */
} Rank;

/* ------------------------------------------------------------------------ */
/* Operations                                                                */

/* Whether the instruction is among the first of its kind.  @seen: char * -> number */
static gboolean
is_wanted (GHashTable *seen, const UrbInstruction *instruction)
{
  char *key = urb_costs_dup_key (instruction);
  int n = key == NULL ? MOST_EQUAL : GPOINTER_TO_INT (g_hash_table_lookup (seen, key));

  if (key != NULL)
    g_hash_table_replace (seen, key, GINT_TO_POINTER (n + 1));
  return n < MOST_EQUAL;
}

/* Leaves what is measured, before planning. */
static void
shorten (UrbProgram *program)
{
  g_autoptr(GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GArray *kept = g_array_new (FALSE, TRUE, sizeof (UrbInstruction));

  for (guint i = 0; i < program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (program, i);

      if (is_wanted (seen, instruction))
        g_array_append_val (kept, *instruction);
    }
  g_array_unref (program->instructions);
  program->instructions = kept;
  program->keeps_gradients = program->n_requests > 0; /* as with the exchanges */
  program->n_requests = 0;
}

static gboolean
is_filled (const UrbBuffer *buffer)
{
  return buffer->type == UK_REAL
         && (buffer->store == URB_STORE_PARAMS || buffer->store == URB_STORE_EMA || buffer->store == URB_STORE_STATE
             || buffer->store == URB_STORE_INPUT);
}

static gboolean
fill_memory (UkBackend *backend, const UrbProgram *program, UrbInterpreter *interpreter, GError **error)
{
  g_autoptr(GRand) random = g_rand_new_with_seed (1);

  for (guint b = 0; b < program->buffers->len; b++)
    {
      const UrbBuffer *buffer = urb_program_get_buffer (program, (int) b);
      void *memory = urb_interpreter_get_memory (interpreter, (int) b);
      g_autofree float *values = NULL;

      if (!is_filled (buffer) || memory == NULL)
        continue;
      values = g_new (float, buffer->count);
      for (gint64 i = 0; i < buffer->count; i++)
        values[i] = (float) g_rand_double_range (random, -0.05, 0.05);
      if (!urb_device_check (backend->table->upload (backend, UK_REAL, memory, values, buffer->count), error))
        return FALSE;
    }
  return TRUE;
}

/* Adam divides by its corrections. */
static gboolean
set_hyper (UkBackend *backend, UrbInterpreter *interpreter, const UrbProgramNet *slot, int n_updates, GError **error)
{
  const float hyper[UK_N_HYPER] = { [UK_HYPER_BETA1] = slot->moment1 >= 0 ? 0.5f : 0, [UK_HYPER_BETA2] = 0.9f,
                                    [UK_HYPER_EPS] = 1e-8f, [UK_HYPER_CORRECTION1] = 1, [UK_HYPER_LOSS_SCALE] = 1,
                                    [UK_HYPER_CORRECTION2] = 1, [UK_HYPER_EMA_BETA] = 0.9f };
  char *memory = slot->hyper < 0 ? NULL : urb_interpreter_get_memory (interpreter, slot->hyper);

  for (int i = 0; i < n_updates && memory != NULL; i++)
    if (!urb_device_check (backend->table->upload (backend, UK_REAL,
                                                   memory + (gsize) i * UK_N_HYPER * backend->table->element_size,
                                                   hyper, UK_N_HYPER), error))
      return FALSE;
  return TRUE;
}

/* From the begin of each to the begin of the next: with what the interpreter takes. */
static void
add_pass (Rank *self, UrbInterpreter *interpreter)
{
  guint n = self->compiled.program->instructions->len;

  for (guint i = 0; i < n; i++)
    {
      UrbSpan span = urb_interpreter_get_span (interpreter, i);
      gint64 end_us = i + 1 < n ? urb_interpreter_get_span (interpreter, i + 1).begin_us : span.end_us;
      double seconds = 1e-6 * (double) (end_us - span.begin_us);

      g_array_append_val (self->seconds, seconds);
    }
}

/* All ranks begin at once.  Rank 0 decides. */
static gboolean
begin_pass (Rank *self, int n_passes, gint64 began_us, gboolean *goes_on, GError **error)
{
  UrbCollective what = { URB_COLLECTIVE_BROADCAST, URB_ELEMENT_U8, 1, 0 };
  guint8 more = n_passes < FEWEST_PASSES
                || (n_passes < MOST_PASSES && g_get_monotonic_time () - began_us < PASS_US);

  if (g_cancellable_is_cancelled (self->plan->cancellable))
    more = FALSE;
  if (!urb_comm_run (self->comm, &what, &more, &more, error))
    return FALSE;
  *goes_on = more;
  return TRUE;
}

static gboolean
measure_operations (Rank *self, GError **error)
{
  UrbProgram *program = self->compiled.program;
  UkBackend *backend = self->compiled.backend;
  g_autoptr(UrbInterpreter) interpreter = NULL;
  gint64 began_us = 0;
  gboolean goes_on = TRUE;

  shorten (program);
  if (!urb_program_plan (program, backend, error))
    return FALSE;
  interpreter = urb_interpreter_new (program, backend, NULL, NULL, error);
  if (interpreter == NULL || !fill_memory (backend, program, interpreter, error)
      || !set_hyper (backend, interpreter, &program->g, 1, error)
      || !set_hyper (backend, interpreter, &program->d, program->n_d_steps, error)
      || !urb_interpreter_run_prologue (interpreter, error))
    return FALSE;
  urb_interpreter_set_tracing (interpreter, TRUE);
  for (int n_passes = 0; program->instructions->len > 0; n_passes++)
    {
      if (!begin_pass (self, n_passes, began_us, &goes_on, error))
        return FALSE;
      if (!goes_on)
        return TRUE;
      if (!urb_interpreter_run (interpreter, error))
        return FALSE;
      if (n_passes == 0) /* libraries load what they load lazily */
        {
          began_us = g_get_monotonic_time ();
          continue;
        }
      add_pass (self, interpreter);
      self->n_passes = n_passes;
    }
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* Exchanges                                                                 */

static gboolean
has_parts (UrbCollectiveKind kind)
{
  return kind == URB_COLLECTIVE_SCATTER || kind == URB_COLLECTIVE_GATHER
         || kind == URB_COLLECTIVE_ALL_GATHER || kind == URB_COLLECTIVE_REDUCE_SCATTER;
}

/* Appends a collective and the wait for it. */
static void
emit_exchange (UrbProgram *program, UrbCollectiveKind kind, gint64 count, int peer, UrbView in, UrbView out)
{
  UrbInstruction collect = urb_program_new_collect (program, kind, count, peer, in, out);

  urb_program_emit (program, collect);
  urb_program_emit (program, urb_program_new_wait (&collect));
}

/* What rank @self does in an exchange of @kind: sends, receives or (FALSE) nothing. */
static gboolean
find_role (const Rank *self, UrbCollectiveKind *kind, int *peer)
{
  *peer = 0;
  if (*kind != URB_COLLECTIVE_SEND)
    return TRUE;
  *kind = self->rank == 0 ? URB_COLLECTIVE_SEND : URB_COLLECTIVE_RECV;
  *peer = 1 - self->rank;
  return self->rank < 2;
}

static int
count_sizes (const Plan *plan, UrbCollectiveKind kind)
{
  int n = 2;

  while (n < N_SIZES && sizes[n - 1] < plan->most_bytes[kind])
    n++;
  return n;
}

/* Lets a sender come later than its receiver, as between the stages of a pipeline: the receiver's thread then
 * sleeps, and must be woken. */
static UrbInstruction
new_work (UrbProgram *program)
{
  UrbInstruction copy = urb_instruction_new (URB_DO_COPY);

  copy.count = N_COPIED;
  copy.args[0].buffer = urb_program_add_buffer (program, g_strdup ("from"), URB_STORE_INPUT, UK_REAL, N_COPIED);
  copy.args[1].buffer = urb_program_add_buffer (program, g_strdup ("to"), URB_STORE_OUTPUT, UK_REAL, N_COPIED);
  return copy;
}

/* All repeats of all sizes, each after a barrier.  A receiver already waits for its message. */
static UrbProgram *
build_exchanges (Rank *self, UrbCollectiveKind wanted)
{
  UrbProgram *program = urb_program_new ();
  int n_sizes = count_sizes (self->plan, wanted), peer;
  UrbCollectiveKind kind = wanted;
  gboolean takes_part = find_role (self, &kind, &peer);
  gint64 most = sizes[n_sizes - 1] / (gint64) sizeof (float) * (has_parts (kind) ? self->plan->n_ranks : 1);
  gboolean sends = takes_part && kind == URB_COLLECTIVE_SEND;
  UrbInstruction work = sends ? new_work (program) : (UrbInstruction) { 0 };
  UrbView in = { urb_program_add_buffer (program, g_strdup ("in"), URB_STORE_INPUT, UK_REAL, most), 0 };
  UrbView out = { urb_program_add_buffer (program, g_strdup ("out"), URB_STORE_OUTPUT, UK_REAL, most), 0 };

  for (int s = 0; s < n_sizes; s++)
    for (int k = 0; k < N_REPEATS; k++)
      {
        emit_exchange (program, URB_COLLECTIVE_BARRIER, 0, 0, URB_NO_VIEW, URB_NO_VIEW);
        if (sends)
          urb_program_emit (program, work);
        if (takes_part)
          emit_exchange (program, kind, sizes[s] / (gint64) sizeof (float), peer,
                         kind == URB_COLLECTIVE_RECV ? URB_NO_VIEW : in,
                         kind == URB_COLLECTIVE_SEND ? URB_NO_VIEW : out);
      }
  return program;
}

static void
read_spans (Rank *self, UrbInterpreter *interpreter, const UrbProgram *program, UrbCollectiveKind wanted)
{
  int n = 0;

  for (guint i = 0; i + 1 < program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (program, i);

      if (instruction->kind != URB_DO_COLLECTIVE
          || instruction->collective.kind == URB_COLLECTIVE_BARRIER)
        continue;
      self->spans[wanted][n / N_REPEATS][n % N_REPEATS]
        = (UrbSpan) { urb_interpreter_get_span (interpreter, i).begin_us,
                      urb_interpreter_get_span (interpreter, i + 1).end_us };
      n++;
    }
}

static gboolean
measure_exchange (Rank *self, UrbCollectiveKind wanted, GError **error)
{
  g_autoptr(UrbProgram) program = build_exchanges (self, wanted);
  UrbTransport transport = urb_comm_get_transport (self->comm);
  g_autoptr(UrbInterpreter) interpreter = NULL;

  if (!urb_program_plan (program, self->compiled.backend, error))
    return FALSE;
  interpreter = urb_interpreter_new (program, self->compiled.backend, NULL, &transport, error);
  if (interpreter == NULL)
    return FALSE;
  urb_interpreter_set_tracing (interpreter, TRUE);
  if (!urb_interpreter_run (interpreter, error) || !urb_interpreter_run (interpreter, error))
    return FALSE;
  read_spans (self, interpreter, program, wanted);
  return TRUE;
}

static gboolean
measure (Rank *self, GError **error)
{
  if (!measure_operations (self, error))
    return FALSE;
  for (int kind = 0; kind < URB_N_COLLECTIVES; kind++)
    if (self->plan->kinds[kind] && !g_cancellable_is_cancelled (self->plan->cancellable)
        && !measure_exchange (self, (UrbCollectiveKind) kind, error))
      return FALSE;
  return TRUE;
}

static gpointer
rank_thread (gpointer data)
{
  Rank *self = data;

  if (!measure (self, &self->error))
    urb_comm_abort (self->comm, self->error->message);
  return NULL;
}

/* ------------------------------------------------------------------------ */
/* Results                                                                   */

typedef struct
{
  int    index;
  double seconds;
} Pass;

static int
compare_passes (gconstpointer a, gconstpointer b)
{
  return urb_compare_doubles (&((const Pass *) a)->seconds, &((const Pass *) b)->seconds);
}

/* The passes from the shortest to the longest; each takes what its slowest rank takes. */
static Pass *
sort_passes (const Rank *ranks, int n_ranks, int n_passes)
{
  Pass *passes = g_new0 (Pass, MAX (n_passes, 1));

  for (int p = 0; p < n_passes; p++)
    {
      passes[p].index = p;
      for (int r = 0; r < n_ranks; r++)
        {
          guint n = ranks[r].compiled.program->instructions->len;
          double sum = 0;

          for (guint i = 0; i < n; i++)
            sum += g_array_index (ranks[r].seconds, double, (guint) p * n + i);
          passes[p].seconds = MAX (passes[p].seconds, sum);
        }
    }
  qsort (passes, (gsize) n_passes, sizeof *passes, compare_passes);
  return passes;
}

typedef struct
{
  double sum;
  int    n;
} Mean;

static void
add_instruction (GHashTable *means, const UrbInstruction *instruction, double seconds)
{
  g_autofree char *key = urb_costs_dup_key (instruction);
  Mean *mean = g_hash_table_lookup (means, key);

  if (mean == NULL)
    g_hash_table_insert (means, g_strdup (key), mean = g_new0 (Mean, 1));
  mean->sum += seconds;
  mean->n++;
}

/* Means of the middle half of the passes, over all ranks: their sum is what a step of median length takes.  A
 * sum of medians would be less, since operations seldom are slow at once. */
static void
store_operations (const Rank *ranks, int n_ranks, UrbCosts *costs)
{
  g_autoptr(GHashTable) means = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  int n_passes = ranks[0].n_passes;
  g_autofree Pass *passes = sort_passes (ranks, n_ranks, n_passes);
  GHashTableIter iter;
  gpointer key, value;

  for (int p = n_passes / 4; p < n_passes - n_passes / 4; p++)
    for (int r = 0; r < n_ranks; r++)
      {
        const UrbProgram *program = ranks[r].compiled.program;
        guint n = program->instructions->len;

        for (guint i = 0; i < n; i++)
          add_instruction (means, urb_program_get_instruction (program, i),
                           g_array_index (ranks[r].seconds, double, (guint) passes[p].index * n + i));
      }
  g_hash_table_iter_init (&iter, means);
  while (g_hash_table_iter_next (&iter, &key, &value))
    urb_costs_set (costs, key, ((Mean *) value)->sum / ((Mean *) value)->n);
}

/* Seconds of each piece of a pass.  @seconds: (out): (N_PIECES) */
static void
sum_pieces (const Rank *self, int pass, double *seconds)
{
  guint n = self->compiled.program->instructions->len;

  memset (seconds, 0, N_PIECES * sizeof *seconds);
  for (guint i = 0; i < n; i++)
    seconds[i * N_PIECES / n] += g_array_index (self->seconds, double, (guint) pass * n + i);
}

/* How much longer the slowest rank takes than each of them on average, 1 or more: what disturbs a rank
 * seldom disturbs all, and all wait for it. */
static double
find_imbalance (const Rank *ranks, int n_ranks)
{
  int n_passes = ranks[0].n_passes;
  g_autofree double *means = g_new0 (double, n_ranks * N_PIECES);
  double slowest[N_PIECES], seconds[N_PIECES], sum = 0, n = 0;

  for (int r = 0; r < n_ranks; r++)
    for (int p = 0; p < n_passes; p++)
      {
        sum_pieces (&ranks[r], p, seconds);
        for (int k = 0; k < N_PIECES; k++)
          means[r * N_PIECES + k] += seconds[k] / n_passes;
      }
  for (int p = 0; p < n_passes; p++)
    {
      memset (slowest, 0, sizeof slowest);
      for (int r = 0; r < n_ranks; r++)
        {
          sum_pieces (&ranks[r], p, seconds);
          for (int k = 0; k < N_PIECES; k++)
            if (means[r * N_PIECES + k] > 0)
              slowest[k] = MAX (slowest[k], seconds[k] / means[r * N_PIECES + k]);
        }
      for (int k = 0; k < N_PIECES; k++)
        {
          sum += slowest[k] * means[k];
          n += means[k];
        }
    }
  return n > 0 ? MAX (sum / n, 1) : 1;
}

static double
find_median (double *values, guint n)
{
  qsort (values, n, sizeof *values, urb_compare_doubles);
  return values[n / 2];
}

/* From when the last rank came to when the last one had it. */
static void
store_exchange (const Rank *ranks, const Plan *plan, UrbCollectiveKind kind, UrbCosts *costs)
{
  int n_members = kind == URB_COLLECTIVE_SEND ? 2 : plan->n_ranks;
  g_autofree char *key = urb_costs_dup_exchange_key (kind, n_members);

  for (int s = 0; s < count_sizes (plan, kind); s++)
    {
      double seconds[N_REPEATS];

      for (int k = 0; k < N_REPEATS; k++)
        {
          gint64 begin_us = 0, end_us = 0;

          for (int r = 0; r < n_members; r++)
            {
              begin_us = MAX (begin_us, ranks[r].spans[kind][s][k].begin_us);
              end_us = MAX (end_us, ranks[r].spans[kind][s][k].end_us);
            }
          seconds[k] = 1e-6 * (double) (end_us - begin_us);
        }
      urb_costs_set_exchange (costs, key, sizes[s], find_median (seconds, N_REPEATS));
    }
}

/* Adds the exchanges of a rank's program, which is not planned. */
static void
find_kinds (Plan *self, const UrbProgram *program)
{
  for (guint i = 0; i < program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (program, i);
      UrbCollectiveKind kind = instruction->collective.kind;

      if (instruction->kind != URB_DO_COLLECTIVE || kind == URB_COLLECTIVE_BARRIER)
        continue;
      kind = kind == URB_COLLECTIVE_RECV ? URB_COLLECTIVE_SEND : kind;
      self->kinds[kind] = TRUE;
      self->most_bytes[kind] = MAX (self->most_bytes[kind],
                                    instruction->collective.count * (gint64) sizeof (float));
    }
}

static void
rank_clear (Rank *self)
{
  urb_compiled_clear (&self->compiled);
  g_clear_pointer (&self->seconds, g_array_unref);
  g_clear_pointer (&self->comm, urb_comm_free);
  g_clear_error (&self->error);
}

static gboolean
open_ranks (Rank *ranks, Plan *plan, const UrbTrainOptions *options, GError **error)
{
  for (int r = 0; r < plan->n_ranks; r++)
    {
      UrbRank context = { .rank = r, .n_ranks = plan->n_ranks, .local_rank = r,
                          .n_local = plan->n_ranks, .comm = ranks[r].comm };

      ranks[r].plan = plan;
      ranks[r].rank = r;
      ranks[r].seconds = g_array_new (FALSE, FALSE, sizeof (double));
      if (!urb_compile (options, &context, NULL, &ranks[r].compiled, error))
        return FALSE;
      find_kinds (plan, ranks[r].compiled.program);
    }
  return TRUE;
}

/* One thread for each rank, also for a single one.  FALSE: the first rank's error. */
static gboolean
run_ranks (Rank *ranks, int n_ranks, GError **error)
{
  gboolean ok = TRUE;

  for (int r = 0; r < n_ranks; r++)
    ranks[r].thread = g_thread_new ("calibrate", rank_thread, &ranks[r]);
  for (int r = 0; r < n_ranks; r++)
    g_thread_join (ranks[r].thread);
  for (int r = 0; r < n_ranks && ok; r++)
    if (ranks[r].error != NULL)
      {
        g_propagate_error (error, g_steal_pointer (&ranks[r].error));
        ok = FALSE;
      }
  return ok;
}

gboolean
urb_calibrate (const UrbTrainOptions *options, UrbCosts *costs, GCancellable *cancellable, GError **error)
{
  Plan plan = { .n_ranks = options->n_ranks, .cancellable = cancellable };
  g_autofree Rank *ranks = g_new0 (Rank, plan.n_ranks);
  g_autofree UrbComm **comms = g_new0 (UrbComm *, plan.n_ranks);
  gboolean ok;

  g_return_val_if_fail (options->n_ranks == urb_costs_get_n_local (costs), FALSE);
  urb_comm_new_threads (plan.n_ranks, comms);
  for (int r = 0; r < plan.n_ranks; r++)
    ranks[r].comm = comms[r];
  ok = open_ranks (ranks, &plan, options, error) && run_ranks (ranks, plan.n_ranks, error)
       && !g_cancellable_set_error_if_cancelled (cancellable, error);
  if (ok)
    {
      store_operations (ranks, plan.n_ranks, costs);
      urb_costs_set_imbalance (costs, find_imbalance (ranks, plan.n_ranks));
      for (int kind = 0; kind < URB_N_COLLECTIVES; kind++)
        if (plan.kinds[kind])
          store_exchange (ranks, &plan, (UrbCollectiveKind) kind, costs);
    }
  for (int r = 0; r < plan.n_ranks; r++)
    rank_clear (&ranks[r]);
  return ok;
}
