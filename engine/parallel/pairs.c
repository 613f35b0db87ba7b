/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pairs.c - see pairs.h.
 *
 * Costs are values that a rank receives or moves in a step.
 */
#include "parallel/pairs.h"

#include "parallel/layout.h"

/* An exchange takes as long as to receive this many values: 15 us at 4 GB/s. */
#define VALUES_PER_EXCHANGE 16000.0
/* Values that Adam reads and writes for a parameter: weight, gradient, moments, average. */
#define VALUES_PER_UPDATE 9.0

/* Of a layer, in all sweeps of a step. */
typedef struct
{
  double samples, column, row;
} Cost;

enum { BY_SAMPLES, BY_CHANNELS, N_STATES };

/* The best way to a value in a state. */
typedef struct
{
  double      cost; /* infinite: impossible */
  int         from; /* the state of the value before it */
  UrbDivision division;
} Step;

/* ------------------------------------------------------------------------ */
/* Costs                                                                     */

static double
exchange (const UrbInstruction *instruction, int arg, int n_ranks)
{
  return VALUES_PER_EXCHANGE + (n_ranks - 1) * (double) uk_op_arg_count (&instruction->desc, arg);
}

/* What is gathered or reduced for an instruction if its layer is divided: see tensor.c. */
static void
add_exchanges (Cost *cost, const UrbInstruction *instruction, int n_ranks)
{
  switch (instruction->desc.kind)
    {
    case UK_OP_CONV:
      cost->column += exchange (instruction, 0, n_ranks);
      cost->row += exchange (instruction, 3, n_ranks);
      break;
    case UK_OP_CONV_DGRAD:
      cost->column += exchange (instruction, 2, n_ranks);
      cost->row += exchange (instruction, 0, n_ranks);
      break;
    case UK_OP_CONV_WGRAD:
      cost->column += exchange (instruction, 0, n_ranks);
      /* Backward has gathered it for the layer before. */
      cost->row += instruction->pass == URB_PASS_TANGENT ? exchange (instruction, 1, n_ranks) : 0;
      break;
    case UK_OP_BATCH_NORM_LOCAL:
    case UK_OP_BATCH_NORM_GRAD_LOCAL:
      cost->samples += VALUES_PER_EXCHANGE;
      break;
    default:
      break;
    }
}

static gint64
count_weights (const UrbNet *net, int layer)
{
  int weight = urb_net_get_layer (net, layer)->weight;

  return weight < 0 ? 0 : urb_net_get_param (net, weight)->count;
}

static Cost *
estimate (const UrbProgram *program, const UrbProgramNet *slot, int n_base_layers, int n_ranks,
          UrbDivisionAim aim)
{
  int n = urb_net_get_n_layers (slot->net);
  Cost *costs = g_new0 (Cost, MAX (n, 1));
  double share = (n_ranks - 1) / (double) n_ranks, total = 1;

  for (guint i = 0; i < program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (program, i);
      const UrbProgramNet *net;
      int layer = urb_program_find_layer (program, instruction, n_base_layers, &net);

      if (instruction->kind == URB_DO_OP && layer >= 0 && net == slot)
        add_exchanges (&costs[layer], instruction, n_ranks);
    }
  for (int i = 0; i < n; i++)
    {
      costs[i].samples += (2 + VALUES_PER_UPDATE) * share * (double) count_weights (slot->net, i);
      total += costs[i].samples + costs[i].column + costs[i].row;
    }
  for (int i = 0; i < n && aim == URB_DIVISION_OF_MOST; i++) /* a parameter outweighs all exchanges */
    costs[i].samples += total * (double) count_weights (slot->net, i);
  return costs;
}

/* ------------------------------------------------------------------------ */
/* Values                                                                    */

/* Marks the values that may be divided by channels.  (transfer full) (n_layers + 1) */
static gboolean *
find_divisible (const UrbNet *net, int n_base_layers, int n_ranks)
{
  int n = urb_net_get_n_layers (net);
  gboolean *divisible = g_new0 (gboolean, n + 1);
  g_autofree int *n_readers = g_new0 (int, n + 1);

  for (int v = 1; v < n; v++)
    {
      const UrbLayer *made = urb_net_get_layer (net, v - 1), *reader = urb_net_get_layer (net, v);

      divisible[v] = n_ranks > 1 && v != n_base_layers && made->out.c % n_ranks == 0 && made->act != UK_ACT_SOFTMAX
                     && reader->input == v;
    }
  for (int i = 0; i < n; i++)
    {
      const UrbLayer *layer = urb_net_get_layer (net, i);

      n_readers[layer->input]++;
      if (layer->kind == URB_LAYER_ADD)
        {
          divisible[layer->input] = FALSE;
          n_readers[layer->input2]++;
        }
    }
  for (int v = 0; v <= n; v++)
    divisible[v] &= n_readers[v] == 1;
  return divisible;
}

/* The division of a layer between two states of its values.  FALSE: there is none. */
static gboolean
find_division (const UrbLayer *layer, int from, int to, UrbDivision *division)
{
  static const UrbDivision conv[N_STATES][N_STATES] = {
    { URB_DIVISION_SAMPLES, URB_DIVISION_COLUMN }, { URB_DIVISION_ROW, URB_DIVISION_CHANNELS } };

  *division = conv[from][to];
  return layer->kind == URB_LAYER_CONV ? *division != URB_DIVISION_CHANNELS : from == to;
}

static double
cost_of (const Cost *cost, UrbDivision division)
{
  return division == URB_DIVISION_SAMPLES  ? cost->samples
         : division == URB_DIVISION_COLUMN ? cost->column
         : division == URB_DIVISION_ROW    ? cost->row
                                     : 0;
}

static Step
find_best (const Step before[N_STATES], const UrbLayer *layer, const Cost *cost, int to)
{
  Step best = { .cost = G_MAXDOUBLE };

  for (int from = 0; from < N_STATES; from++)
    {
      Step step = { .from = from };

      if (before[from].cost == G_MAXDOUBLE || !find_division (layer, from, to, &step.division))
        continue;
      step.cost = before[from].cost + cost_of (cost, step.division);
      if (step.cost < best.cost)
        best = step;
    }
  return best;
}

UrbDivision *
urb_pairs_choose (const UrbProgram *program, const UrbProgramNet *slot, int n_base_layers, int n_ranks,
                  UrbDivisionAim aim)
{
  int n = urb_net_get_n_layers (slot->net), state = BY_SAMPLES;
  g_autofree Cost *costs = estimate (program, slot, n_base_layers, n_ranks, aim);
  g_autofree gboolean *divisible
    = find_divisible (slot->net, slot == &program->g ? n_base_layers : -1, n_ranks);
  g_autofree Step (*steps)[N_STATES] = g_malloc ((gsize) (n + 1) * sizeof *steps);
  UrbDivision *divisions = g_new0 (UrbDivision, MAX (n, 1));

  steps[0][BY_SAMPLES] = (Step) { 0 };
  steps[0][BY_CHANNELS] = (Step) { .cost = G_MAXDOUBLE };
  for (int i = 0; i < n; i++)
    for (int to = 0; to < N_STATES; to++)
      steps[i + 1][to] = to == BY_SAMPLES || divisible[i + 1]
                           ? find_best (steps[i], urb_net_get_layer (slot->net, i), &costs[i], to)
                           : (Step) { .cost = G_MAXDOUBLE };
  for (int i = n; i > 0; i--)
    {
      divisions[i - 1] = steps[i][state].division;
      state = steps[i][state].from;
    }
  return divisions;
}
