/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.c - see layout.h.
 */
#include "parallel/layout.h"

#include <string.h>

/* Moving a value takes as long as this many operations on it: 4 bytes at 8 GB/s against 60 GFLOP/s,
 * about a core's ratio. */
#define FLOPS_PER_VALUE 30

void
urb_layout_clear (UrbLayout *self)
{
  g_clear_pointer (&self->g, g_free);
  g_clear_pointer (&self->d, g_free);
}

double
urb_instruction_estimate (const UrbInstruction *self)
{
  double n_values = 0;

  if (self->kind == URB_DO_PACK) /* read and written, 4 bytes each */
    return FLOPS_PER_VALUE * (double) self->op->packed_bytes / 2;
  for (int a = 0; a < UK_MAX_ARGS; a++)
    if (self->args[a].buffer >= 0)
      n_values += (double) urb_instruction_count_arg (self, a);
  return (self->kind == URB_DO_OP ? uk_op_flops (&self->desc) : 0) + FLOPS_PER_VALUE * n_values;
}

/* ------------------------------------------------------------------------ */
/* Cutting                                                                   */

int
urb_program_find_layer (const UrbProgram *program, const UrbInstruction *instruction,
                        int n_base_layers, const UrbProgramNet **net)
{
  gboolean is_refiner = strcmp (instruction->net, "refiner") == 0;

  *net = strcmp (instruction->net, program->d.net->name) == 0 ? &program->d : &program->g;
  if (instruction->net[0] == '\0' || instruction->layer < 0)
    return -1;
  return instruction->layer + (is_refiner ? n_base_layers : 0);
}

/* Which layers of a network the program computes; what a rank only exchanges is not among them.
 * (transfer full) (n_layers) */
static gboolean *
list_layers (const UrbProgram *program, const UrbProgramNet *network, int n_base_layers)
{
  gboolean *computed = g_new0 (gboolean, MAX (urb_net_get_n_layers (network->net), 1));

  for (guint i = 0; i < program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (program, i);
      const UrbProgramNet *net;
      int layer = urb_program_find_layer (program, instruction, n_base_layers, &net);

      if (layer >= 0 && net == network && instruction->kind == URB_DO_OP && instruction->pass != URB_PASS_UPDATE)
        computed[layer] = TRUE;
    }
  return computed;
}

static void
append_layers (GString *text, const UrbProgram *program, const UrbProgramNet *network, const char *name,
               int n_base_layers)
{
  g_autofree gboolean *computed = list_layers (program, network, n_base_layers);
  int n = urb_net_get_n_layers (network->net);

  for (int first = 0, last; first < n; first = last + 1)
    {
      last = first;
      if (!computed[first])
        continue;
      while (last + 1 < n && computed[last + 1])
        last++;
      g_string_append_printf (text, "%s%s%d", text->len > 0 ? ", " : "", name, first + 1);
      if (last > first)
        g_string_append_printf (text, "–%d", last + 1);
      name = ""; /* it stands before the first */
    }
}

char *
urb_program_dup_layers (const UrbProgram *program, int n_base_layers)
{
  GString *text = g_string_new (NULL);

  append_layers (text, program, &program->g, "G ", n_base_layers);
  append_layers (text, program, &program->d, "D ", n_base_layers);
  return g_string_free (text, FALSE);
}

/* Estimated time of each layer in all sweeps of a step. */
static double *
sum_costs (const UrbLayout *self, const UrbProgram *program, const UrbProgramNet *slot)
{
  double *costs = g_new0 (double, MAX (urb_net_get_n_layers (slot->net), 1));

  for (guint i = 0; i < program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (program, i);
      const UrbProgramNet *net;
      int layer = urb_program_find_layer (program, instruction, self->first_refiner_layer, &net);

      if (layer >= 0 && net == slot)
        costs[layer] += urb_instruction_estimate (instruction);
    }
  return costs;
}

/* A division of the first layers into some parts. */
typedef struct
{
  double slowest, squares; /* of the parts' times: squares break ties, in favor of even parts */
  int    begin;            /* first layer of the last part */
} Division;

static gboolean
is_better (const Division *a, const Division *b)
{
  return a->slowest < b->slowest || (a->slowest == b->slowest && a->squares < b->squares);
}

/* Contiguous parts, of which the slowest is as fast as possible: dynamic programming over (number of
 * parts, end of the last one).  @joined: see UrbLayout; @parts: (out): (n) */
static void
partition (const double *costs, const gboolean *joined, int n, int n_parts, int *parts)
{
  g_autofree Division *best = g_new (Division, (gsize) (n_parts + 1) * (gsize) (n + 1));
#define BEST(p, end) best[(p) * (n + 1) + (end)]

  for (int end = 0; end <= n; end++)
    BEST (0, end) = (Division) { end == 0 ? 0 : G_MAXDOUBLE, 0, 0 };
  for (int p = 1; p <= n_parts; p++)
    for (int end = 0; end <= n; end++)
      {
        double cost = 0;

        BEST (p, end) = (Division) { G_MAXDOUBLE, G_MAXDOUBLE, end };
        for (int begin = end; begin >= 0; begin--)
          {
            const Division *before = &BEST (p - 1, begin);
            Division division = { MAX (before->slowest, cost), before->squares + cost * cost, begin };

            if ((begin == 0 || joined == NULL || !joined[begin - 1]) && is_better (&division, &BEST (p, end)))
              BEST (p, end) = division;
            cost += begin > 0 ? costs[begin - 1] : 0;
          }
      }
  for (int p = n_parts, end = n; p > 0; end = BEST (p, end).begin, p--)
    for (int layer = BEST (p, end).begin; layer < end; layer++)
      parts[layer] = p - 1;
#undef BEST
}

static gboolean
has_layer (const UrbLayout *self, int rank)
{
  for (int i = 0; i < self->n_g; i++)
    if (self->g[i] % self->n_stages == rank)
      return TRUE;
  for (int i = 0; i < self->n_d; i++)
    if (self->d[i] % self->n_stages == rank)
      return TRUE;
  return FALSE;
}

gboolean
urb_layout_cut (UrbLayout *self, const UrbProgram *program, int n_base_layers, GError **error)
{
  int n_parts = self->n_stages * self->n_chunks;
  g_autofree double *g_costs = NULL, *d_costs = NULL;

  self->first_refiner_layer = n_base_layers;
  self->n_g = urb_net_get_n_layers (program->g.net);
  self->n_d = urb_net_get_n_layers (program->d.net);
  self->g = g_new0 (int, MAX (self->n_g, 1));
  self->d = g_new0 (int, MAX (self->n_d, 1));
  g_costs = sum_costs (self, program, &program->g);
  d_costs = sum_costs (self, program, &program->d);
  partition (g_costs, self->joined_g, self->n_g, n_parts, self->g);
  partition (d_costs, self->joined_d, self->n_d, n_parts, self->d);
  for (int rank = 0; rank < self->n_stages; rank++)
    if (!has_layer (self, rank))
      {
        g_set_error (error, URB_STEP_ERROR, URB_STEP_ERROR_LAYOUT,
                     "The networks have too few layers (generator %d, discriminator %d) for a pipeline of "
                     "%d ranks; choose fewer ranks or deeper networks.", self->n_g, self->n_d,
                     self->n_stages);
        return FALSE;
      }
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* Parts of instructions                                                     */

enum { UNKNOWN = -2 };

/* Where a buffer was last written: (n_buffers) each. */
typedef struct
{
  int *part; /* UNKNOWN: not written yet, or by an instruction whose part is not known */
  int *at;   /* instruction */
} Writers;

static int
find_latest_input (const UrbInstruction *instruction, const Writers *writers)
{
  int latest = -1, part = UNKNOWN;

  for (int a = 0; a < UK_MAX_ARGS; a++)
    {
      int buffer = instruction->args[a].buffer;

      if (buffer < 0 || urb_instruction_get_role (instruction, a) == UK_OUT
          || writers->part[buffer] == UNKNOWN || writers->at[buffer] < latest)
        continue;
      latest = writers->at[buffer];
      part = writers->part[buffer];
    }
  return part;
}

static int
find_own_part (const UrbLayout *self, const UrbProgram *program, const UrbInstruction *instruction,
               const Writers *writers)
{
  const UrbProgramNet *net;
  int layer = urb_program_find_layer (program, instruction, self->first_refiner_layer, &net);

  if (instruction->pass == URB_PASS_UPDATE)
    return URB_EVERY_PART;
  if (layer >= 0)
    return net == &program->g ? self->g[layer] : self->d[layer];
  return find_latest_input (instruction, writers);
}

int *
urb_layout_find_parts (const UrbLayout *self, const UrbProgram *program)
{
  guint n = program->instructions->len, n_buffers = program->buffers->len;
  int *parts = g_new (int, MAX (n, 1));
  g_autofree int *part = g_new (int, n_buffers), *at = g_new0 (int, n_buffers);
  g_autofree int *reader = g_new (int, n_buffers);
  const Writers writers = { part, at };

  for (guint b = 0; b < n_buffers; b++)
    part[b] = reader[b] = UNKNOWN;
  for (guint i = 0; i < n; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (program, i);

      parts[i] = find_own_part (self, program, instruction, &writers);
      for (int a = 0; a < UK_MAX_ARGS && parts[i] >= 0; a++)
        if (instruction->args[a].buffer >= 0 && urb_instruction_get_role (instruction, a) != UK_IN)
          {
            part[instruction->args[a].buffer] = parts[i];
            at[instruction->args[a].buffer] = (int) i;
          }
    }
  /* Operations without inputs, from the last to the first, so that chains of them follow their reader. */
  for (guint i = n; i-- > 0;)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (program, i);

      for (int a = 0; a < UK_MAX_ARGS && parts[i] == UNKNOWN; a++)
        if (instruction->args[a].buffer >= 0 && urb_instruction_get_role (instruction, a) != UK_IN
            && reader[instruction->args[a].buffer] != UNKNOWN)
          parts[i] = reader[instruction->args[a].buffer];
      g_assert (parts[i] != UNKNOWN);
      for (int a = 0; a < UK_MAX_ARGS && parts[i] >= 0; a++)
        if (instruction->args[a].buffer >= 0 && urb_instruction_get_role (instruction, a) != UK_OUT)
          reader[instruction->args[a].buffer] = parts[i];
    }
  return parts;
}
