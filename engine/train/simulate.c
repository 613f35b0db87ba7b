/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate.c - see simulate.h.
 *
 * Work in progress has a rate from 0 to 1, which changes only when other work begins or ends; between two
 * such events everything advances by its rate (processor sharing).  Consecutive instructions without
 * an exchange between them are one piece of work.
 */
#include "train/simulate.h"

/* Work of less is done: rounding. */
#define EPSILON 1e-12

/* ------------------------------------------------------------------------ */
/* A program as the simulation sees it                                       */

typedef enum { COMPUTE, START, WAIT } StepKind;

typedef struct
{
  StepKind kind;
  double   seconds; /* COMPUTE */
  int      request; /* START, WAIT */
} Step;

typedef struct
{
  const UrbProgram *program; /* borrowed: the key, with seconds */
  const double     *seconds;
  GArray           *steps;   /* of Step, owned */
  const UrbInstruction **requests; /* (n_requests), owned; the program's, which start them */
} Script;

static void
add_step (GArray *steps, StepKind kind, double seconds, int request)
{
  Step step = { kind, seconds, request };
  Step *last = steps->len == 0 ? NULL : &g_array_index (steps, Step, steps->len - 1);

  if (kind == COMPUTE && last != NULL && last->kind == COMPUTE)
    last->seconds += seconds;
  else
    g_array_append_val (steps, step);
}

static Script *
script_new (const UrbSimulationRank *rank)
{
  const UrbProgram *program = rank->program;
  Script *self = g_new0 (Script, 1);

  self->program = program;
  self->seconds = rank->seconds;
  self->steps = g_array_new (FALSE, FALSE, sizeof (Step));
  self->requests = g_new0 (const UrbInstruction *, MAX (program->n_requests, 1));
  for (guint i = 0; i < program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (program, i);

      switch (instruction->kind)
        {
        case URB_DO_COLLECTIVE:
          self->requests[instruction->request] = instruction;
          add_step (self->steps, START, 0, instruction->request);
          break;
        case URB_DO_WAIT:
          add_step (self->steps, WAIT, 0, instruction->request);
          break;
        case URB_DO_NOTE:
          break;
        default:
          add_step (self->steps, COMPUTE, rank->seconds[i], -1);
        }
    }
  return self;
}

static void
script_free (gpointer data)
{
  Script *self = data;

  g_array_unref (self->steps);
  g_free (self->requests);
  g_free (self);
}

static const Script *
find_script (GPtrArray *scripts, const UrbSimulationRank *rank)
{
  for (guint i = 0; i < scripts->len; i++)
    {
      const Script *script = scripts->pdata[i];

      if (script->program == rank->program && script->seconds == rank->seconds)
        return script;
    }
  g_ptr_array_add (scripts, script_new (rank));
  return scripts->pdata[scripts->len - 1];
}

/* ------------------------------------------------------------------------ */
/* State                                                                     */

/* An exchange that runs. */
typedef struct
{
  double latency, work; /* left */
  double rate;
  int    lane;
  int    from, to;      /* of a message; -1: a group */
  guint  axes;          /* of the group; of all ranks: all */
  int    first;         /* its first rank */
  int    n_hosts;
} Exchange;

/* Exchanges of a rank that run one after the other. */
typedef struct
{
  int     *started;  /* owned; (n_requests): requests in the order of their start; NULL before the first */
  int      n_started, n_finished;
  gboolean has_come; /* to the exchange that is next in that order */
} Lane;

typedef struct
{
  const Script *script;  /* borrowed */
  guint         at;      /* the next step */
  double        left;    /* of the computation that runs; 0: none */
  int           waits;   /* for this request; -1: for none */
  gboolean      is_done;
  Lane          lanes[URB_ALL_AXES];
  int          *position; /* owned; (n_requests): of each request in its lane, from 1; 0: not started */
  int           n_running; /* exchanges */
} Rank;

typedef struct
{
  const UrbSimulation *setup; /* borrowed */
  UrbSimulated        *out;   /* borrowed */
  GPtrArray           *scripts; /* of Script, owned */
  Rank                *ranks; /* (n_ranks), owned */
  GArray              *running; /* of Exchange, owned */
  int                  n_hosts;
  double              *load, *links; /* (n_hosts), owned: threads that want to run; exchanges on the link */
  int                 *n_on_host; /* (n_hosts), owned: ranks */
  UrbMesh              mesh;
  int                 *n_come;  /* (URB_ALL_AXES + 1, n_ranks), owned: by axes and a group's first rank: ranks
                                 * that have come to its next collective */
} State;

static void
state_init (State *self, const UrbSimulation *setup, UrbSimulated *out)
{
  *self = (State) { .setup = setup, .out = out };
  self->scripts = g_ptr_array_new_with_free_func (script_free);
  self->ranks = g_new0 (Rank, setup->n_ranks);
  self->mesh = urb_mesh_count (&setup->mesh, URB_ALL_AXES) > 0 ? setup->mesh
                                                               : (UrbMesh) { 1, setup->n_ranks, 1 };
  self->n_come = g_new0 (int, (URB_ALL_AXES + 1) * setup->n_ranks);
  self->running = g_array_new (FALSE, FALSE, sizeof (Exchange));
  for (int r = 0; r < setup->n_ranks; r++)
    {
      Rank *rank = &self->ranks[r];
      gsize n;

      rank->script = find_script (self->scripts, &setup->ranks[r]);
      rank->waits = -1;
      n = (gsize) MAX (rank->script->program->n_requests, 1);
      rank->position = g_new0 (int, n);
      self->n_hosts = MAX (self->n_hosts, setup->ranks[r].host + 1);
    }
  self->load = g_new0 (double, self->n_hosts);
  self->links = g_new0 (double, self->n_hosts);
  self->n_on_host = g_new0 (int, self->n_hosts);
  for (int r = 0; r < setup->n_ranks; r++)
    self->n_on_host[setup->ranks[r].host]++;
}

static void
state_clear (State *self)
{
  for (int r = 0; r < self->setup->n_ranks; r++)
    {
      for (int l = 0; l < URB_ALL_AXES; l++)
        g_free (self->ranks[r].lanes[l].started);
      g_free (self->ranks[r].position);
    }
  g_ptr_array_unref (self->scripts);
  g_array_unref (self->running);
  g_free (self->ranks);
  g_free (self->load);
  g_free (self->links);
  g_free (self->n_on_host);
  g_free (self->n_come);
}

static int
find_lane (const State *self, const Rank *rank, int request)
{
  return (int) urb_lane_of ((guint) self->setup->n_lanes, rank->script->requests[request]->axes);
}

static gboolean
is_finished (const State *self, const Rank *rank, int request)
{
  return rank->position[request] <= rank->lanes[find_lane (self, rank, request)].n_finished;
}

static gboolean
is_pending (const Lane *lane)
{
  return lane->n_finished < lane->n_started;
}

static const UrbInstruction *
get_next_instruction (const Rank *self, int lane)
{
  return self->script->requests[self->lanes[lane].started[self->lanes[lane].n_finished]];
}

static const UrbCollective *
get_next_exchange (const Rank *self, int lane)
{
  return &get_next_instruction (self, lane)->collective;
}

/* The axes of the group in its next exchange. */
static guint
get_next_axes (const Rank *self, int lane)
{
  return urb_axes_of_group (get_next_instruction (self, lane)->axes);
}

/* ------------------------------------------------------------------------ */
/* Exchanges                                                                 */

static int
get_host (const State *self, int rank)
{
  return self->setup->ranks[rank].host;
}

static void
count_sent (State *self, int rank, int lane)
{
  const UrbCollective *what = get_next_exchange (&self->ranks[rank], lane);
  guint axes = get_next_axes (&self->ranks[rank], lane);

  self->out->ranks[rank].sent_bytes
    += urb_collective_count_sent (what, urb_mesh_get_index (&self->mesh, rank, axes),
                                  urb_mesh_count (&self->mesh, axes))
       * (double) urb_element_get_size (what->element);
}

static gboolean
is_member (const State *self, const Exchange *exchange, int rank)
{
  if (exchange->from >= 0)
    return rank == exchange->from || rank == exchange->to;
  return urb_mesh_get_rank (&self->mesh, rank, exchange->axes, 0) == exchange->first;
}

static int
count_hosts (const State *self, const Exchange *exchange)
{
  int n = 0;

  if (exchange->from >= 0)
    return get_host (self, exchange->from) == get_host (self, exchange->to) ? 1 : 2;
  if (exchange->axes == URB_ALL_AXES)
    return self->n_hosts;
  for (int i = 0; i < urb_mesh_count (&self->mesh, exchange->axes); i++)
    {
      int rank = urb_mesh_get_rank (&self->mesh, exchange->first, exchange->axes, i), before = 0;

      while (before < i
             && get_host (self, urb_mesh_get_rank (&self->mesh, rank, exchange->axes, before))
                  != get_host (self, rank))
        before++;
      n += before == i;
    }
  return n;
}

/* @from, @to: of a message; else -1 and the first rank of the group along @axes */
static void
begin_exchange (State *self, const UrbCollective *what, int lane, int from, int to, guint axes)
{
  int n_members = from < 0 ? urb_mesh_count (&self->mesh, axes) : 2;
  Exchange exchange = { .lane = lane, .from = from, .to = to, .axes = axes, .first = to };
  UrbExchangeCost cost;

  exchange.n_hosts = count_hosts (self, &exchange);
  cost = self->setup->exchange (self->setup->data, what, n_members, exchange.n_hosts);
  exchange.latency = cost.latency;
  exchange.work = cost.work;
  for (int r = 0; r < self->setup->n_ranks; r++)
    if (is_member (self, &exchange, r))
      {
        self->ranks[r].n_running++;
        count_sent (self, r, lane);
      }
  g_array_append_val (self->running, exchange);
}

static gboolean
fail_mismatch (const UrbCollective *a, int rank_a, const UrbCollective *b, int rank_b, GError **error)
{
  g_set_error (error, URB_STEP_ERROR, URB_STEP_ERROR_LAYOUT,
               "Rank %d would be in %s of %" G_GINT64_FORMAT " %s while rank %d is in %s of %"
               G_GINT64_FORMAT " %s.",
               rank_a, urb_collective_get_name (a->kind), a->count,
               urb_element_get_name (a->element, a->count), rank_b, urb_collective_get_name (b->kind),
               b->count, urb_element_get_name (b->element, b->count));
  return FALSE;
}

/* A rank has come to the next exchange of a lane, which begins if it was the last to come. */
static gboolean
come (State *self, int r, int lane, GError **error)
{
  Rank *rank = &self->ranks[r];
  const UrbCollective *what = get_next_exchange (rank, lane), *other;
  guint axes = get_next_axes (rank, lane);
  int first = urb_mesh_get_rank (&self->mesh, r, axes, 0);
  int *n_come = &self->n_come[(int) axes * self->setup->n_ranks + first];

  rank->lanes[lane].has_come = TRUE;
  if (urb_collective_is_message (what->kind))
    {
      int number = urb_mesh_get_rank (&self->mesh, r, axes, what->peer);
      const Rank *peer = &self->ranks[number];
      gboolean sends = what->kind == URB_COLLECTIVE_SEND;

      other = peer->lanes[lane].has_come ? get_next_exchange (peer, lane) : NULL;
      if (other == NULL || !urb_collective_is_message (other->kind) || get_next_axes (peer, lane) != axes
          || urb_mesh_get_rank (&self->mesh, number, axes, other->peer) != r)
        return TRUE;
      if (other->kind == what->kind || other->count != what->count)
        return fail_mismatch (what, r, other, number, error);
      begin_exchange (self, what, lane, sends ? r : number, sends ? number : r, axes);
      return TRUE;
    }
  if (++*n_come < urb_mesh_count (&self->mesh, axes))
    return TRUE;
  other = get_next_exchange (&self->ranks[first], lane);
  for (int i = 1; i < urb_mesh_count (&self->mesh, axes); i++)
    {
      int number = urb_mesh_get_rank (&self->mesh, r, axes, i);
      const UrbCollective *its = get_next_exchange (&self->ranks[number], lane);

      if (its->kind != other->kind || its->count != other->count || its->peer != other->peer)
        return fail_mismatch (other, first, its, number, error);
    }
  *n_come = 0;
  begin_exchange (self, what, lane, -1, first, axes);
  return TRUE;
}

static void
end_exchange (State *self, const Exchange *exchange)
{
  for (int r = 0; r < self->setup->n_ranks; r++)
    if (is_member (self, exchange, r))
      {
        Lane *lane = &self->ranks[r].lanes[exchange->lane];

        lane->has_come = FALSE;
        lane->n_finished++;
        self->ranks[r].n_running--;
      }
}

/* ------------------------------------------------------------------------ */
/* Ranks                                                                     */

static void
start (const State *self, Rank *rank, int request)
{
  Lane *lane = &rank->lanes[find_lane (self, rank, request)];

  if (lane->started == NULL)
    lane->started = g_new0 (int, rank->script->program->n_requests);
  lane->started[lane->n_started++] = request;
  rank->position[request] = lane->n_started;
}

static gboolean
has_pending (const Rank *self)
{
  for (int l = 0; l < URB_ALL_AXES; l++)
    if (is_pending (&self->lanes[l]))
      return TRUE;
  return FALSE;
}

/* Goes on until the rank computes, waits or is done. */
static void
go_on (const State *self, Rank *rank)
{
  const GArray *steps = rank->script->steps;

  if (rank->waits >= 0 && !is_finished (self, rank, rank->waits))
    return;
  rank->waits = -1;
  while (rank->left <= 0 && rank->waits < 0 && rank->at < steps->len)
    {
      const Step *step = &g_array_index (steps, Step, rank->at++);

      if (step->kind == COMPUTE)
        rank->left = step->seconds;
      else if (step->kind == START)
        start (self, rank, step->request);
      else if (!is_finished (self, rank, step->request))
        rank->waits = step->request;
    }
  rank->is_done = rank->at == steps->len && rank->left <= 0 && rank->waits < 0 && !has_pending (rank);
}

static gboolean
go_on_all (State *self, gboolean *is_done, GError **error)
{
  *is_done = TRUE;
  for (int r = 0; r < self->setup->n_ranks; r++)
    {
      Rank *rank = &self->ranks[r];

      if (!rank->is_done && rank->left <= 0)
        go_on (self, rank);
      for (int l = 0; l < URB_ALL_AXES; l++)
        if (!rank->lanes[l].has_come && is_pending (&rank->lanes[l]) && !come (self, r, l, error))
          return FALSE;
      *is_done = *is_done && rank->is_done;
    }
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* Time                                                                      */

/* Whether the exchange has a member on @host; how many in @n. */
static gboolean
touches (const State *self, const Exchange *exchange, int host, int *n)
{
  if (exchange->from >= 0)
    *n = (get_host (self, exchange->from) == host) + (get_host (self, exchange->to) == host);
  else if (exchange->axes == URB_ALL_AXES)
    *n = self->n_on_host[host];
  else
    {
      *n = 0;
      for (int i = 0; i < urb_mesh_count (&self->mesh, exchange->axes); i++)
        *n += get_host (self, urb_mesh_get_rank (&self->mesh, exchange->first, exchange->axes, i)) == host;
    }
  return *n > 0;
}

static void
find_loads (State *self)
{
  for (int h = 0; h < self->n_hosts; h++)
    self->load[h] = self->links[h] = 0;
  for (int r = 0; r < self->setup->n_ranks; r++)
    if (self->ranks[r].left > 0)
      self->load[get_host (self, r)] += self->setup->n_threads;
  for (guint i = 0; i < self->running->len; i++)
    {
      const Exchange *exchange = &g_array_index (self->running, Exchange, i);
      int n;

      for (int h = 0; h < self->n_hosts && exchange->latency <= 0; h++)
        if (touches (self, exchange, h, &n))
          {
            self->load[h] += n * self->setup->exchange_threads;
            self->links[h] += exchange->n_hosts > 1;
          }
    }
}

static double
get_host_rate (const State *self, int host)
{
  double n_cores = self->setup->n_cores;

  return n_cores > 0 && self->load[host] > n_cores ? n_cores / self->load[host] : 1;
}

static double
get_exchange_rate (const State *self, const Exchange *exchange)
{
  double rate = 1;
  int n;

  for (int h = 0; h < self->n_hosts; h++)
    if (touches (self, exchange, h, &n))
      {
        if (self->setup->exchange_threads > 0)
          rate = MIN (rate, get_host_rate (self, h));
        if (exchange->n_hosts > 1)
          rate = MIN (rate, 1 / self->links[h]);
      }
  return rate;
}

/* The time until something ends; infinite if nothing runs. */
static double
find_next_event (State *self)
{
  double next = G_MAXDOUBLE;

  find_loads (self);
  for (int r = 0; r < self->setup->n_ranks; r++)
    if (self->ranks[r].left > 0)
      next = MIN (next, self->ranks[r].left / get_host_rate (self, get_host (self, r)));
  for (guint i = 0; i < self->running->len; i++)
    {
      Exchange *exchange = &g_array_index (self->running, Exchange, i);

      exchange->rate = exchange->latency > 0 ? 1 : get_exchange_rate (self, exchange);
      next = MIN (next, (exchange->latency > 0 ? exchange->latency : exchange->work) / exchange->rate);
    }
  return next;
}

static void
advance_rank (State *self, int r, double dt)
{
  Rank *rank = &self->ranks[r];
  UrbSimulatedRank *sums = &self->out->ranks[r];

  if (rank->left > 0)
    {
      rank->left -= dt * get_host_rate (self, get_host (self, r));
      rank->left = rank->left < EPSILON ? 0 : rank->left;
      sums->compute_s += dt;
      sums->hidden_s += rank->n_running > 0 ? dt : 0;
    }
  else if (rank->n_running == 0)
    sums->idle_s += dt;
  sums->exchange_s += rank->n_running > 0 ? dt : 0;
}

static void
advance (State *self, double dt)
{
  for (int r = 0; r < self->setup->n_ranks; r++)
    advance_rank (self, r, dt);
  for (guint i = self->running->len; i-- > 0;)
    {
      Exchange *exchange = &g_array_index (self->running, Exchange, i);
      double *left = exchange->latency > 0 ? &exchange->latency : &exchange->work;

      *left -= dt * exchange->rate;
      *left = *left < EPSILON ? 0 : *left;
      if (exchange->latency > 0 || exchange->work > 0)
        continue;
      end_exchange (self, exchange);
      g_array_remove_index_fast (self->running, i);
    }
  self->out->step_s += dt;
}

static gboolean
fail_deadlock (const State *self, GError **error)
{
  g_autoptr(GString) text = g_string_new ("The ranks would wait for each other for ever");

  for (int i = 0, n = 0; i < self->setup->n_ranks * URB_ALL_AXES && n < 8; i++)
    {
      int r = i / URB_ALL_AXES, lane = i % URB_ALL_AXES;

      if (self->ranks[r].lanes[lane].has_come)
        g_string_append_printf (text, "%srank %d in %s", n++ == 0 ? ": " : ", ", r,
                                urb_collective_get_name (get_next_exchange (&self->ranks[r], lane)->kind));
    }
  g_string_append_c (text, '.');
  g_set_error_literal (error, URB_STEP_ERROR, URB_STEP_ERROR_LAYOUT, text->str);
  return FALSE;
}

static gboolean
simulate (State *self, GError **error)
{
  gboolean is_done;

  for (;;)
    {
      double next;

      if (!go_on_all (self, &is_done, error))
        return FALSE;
      if (is_done)
        return TRUE;
      next = find_next_event (self);
      if (next == G_MAXDOUBLE)
        return fail_deadlock (self, error);
      advance (self, next);
    }
}

gboolean
urb_simulate (const UrbSimulation *self, UrbSimulated *out, GError **error)
{
  State state;
  gboolean ok;

  *out = (UrbSimulated) { .n_ranks = self->n_ranks, .ranks = g_new0 (UrbSimulatedRank, self->n_ranks) };
  state_init (&state, self, out);
  ok = simulate (&state, error);
  state_clear (&state);
  if (!ok)
    urb_simulated_clear (out);
  return ok;
}

void
urb_simulated_clear (UrbSimulated *self)
{
  g_clear_pointer (&self->ranks, g_free);
}

/* ------------------------------------------------------------------------ */
/* Shares                                                                    */

static double
get_share (const UrbSimulated *self, gsize part)
{
  double sum = 0;

  for (int r = 0; r < self->n_ranks; r++)
    sum += G_STRUCT_MEMBER (double, &self->ranks[r], part);
  return self->step_s > 0 ? sum / (self->n_ranks * self->step_s) : 0;
}

double
urb_simulated_get_bubble (const UrbSimulated *self)
{
  return get_share (self, G_STRUCT_OFFSET (UrbSimulatedRank, idle_s));
}

double
urb_simulated_get_exchange (const UrbSimulated *self)
{
  return get_share (self, G_STRUCT_OFFSET (UrbSimulatedRank, exchange_s));
}

double
urb_simulated_get_overlap (const UrbSimulated *self)
{
  double all = urb_simulated_get_exchange (self);

  return all > 0 ? get_share (self, G_STRUCT_OFFSET (UrbSimulatedRank, hidden_s)) / all : 0;
}

double
urb_collective_count_sent (const UrbCollective *what, int rank, int n_members)
{
  double count = (double) what->count, others = n_members - 1;
  gboolean is_root = rank == what->peer;

  switch (what->kind)
    {
    case URB_COLLECTIVE_BROADCAST:
    case URB_COLLECTIVE_SCATTER:
      return is_root ? others * count : 0;
    case URB_COLLECTIVE_GATHER:
    case URB_COLLECTIVE_REDUCE:
      return is_root ? 0 : count;
    case URB_COLLECTIVE_ALL_GATHER:
    case URB_COLLECTIVE_REDUCE_SCATTER:
      return others * count;
    case URB_COLLECTIVE_ALL_REDUCE:
      return 2 * others * count / n_members;
    case URB_COLLECTIVE_SEND:
      return count;
    default:
      return 0;
    }
}
