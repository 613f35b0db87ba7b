/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zero.c - see zero.h.
 *
 * Whole gradients and, at level 3, whole parameters are buffers of the arena, one for each unit and
 * sweep, so that the planner gives them memory only while they are needed.
 */
#include "parallel/zero.h"

#include <string.h>

#include "parallel/rewrite-private.h"
#include "parallel/units.h"

enum { MAX_ZEROS = 1 << 20 };

/* Of a unit. */
typedef struct
{
  int      gradient;   /* the buffer of the whole gradient now; -1: none */
  int      parameters; /* level 3: the buffer of the gathered parameters now; -1: none */
  gboolean has_sum;    /* this rank's part of the gradient has the sum of earlier microbatches */
  gboolean from_zero;  /* something adds to the gradient before anything writes it */
  GArray  *complete;   /* of guint, owned: instructions after which a gradient is complete, in order */
  guint    n_complete; /* of them, how many have passed */
} Unit;

typedef struct
{
  UrbProgramNet *slot;
  GArray        *units; /* of UrbUnit, owned */
  Unit          *state; /* (n_units), owned */
  int            squares; /* a buffer, (n_params) for at most as many units; what the rank has nothing of
                           * stays 0 */
  guint          updated; /* the instruction after the update */
} Net;

/* The parameters of a unit from one instruction that reads them to another. */
typedef struct
{
  int   net;
  guint unit;
  guint first, last; /* instructions */
  guint at;          /* the instruction before which it begins */
  int   buffer;
} Gather;

typedef struct
{
  UrbProgram           *program;
  const UrbZeroOptions *options;
  int                   rank, n_ranks; /* along data */
  UrbRewrite            rewrite;
  Net                   nets[2];
  GArray               *gathers; /* of Gather, owned: by first use */
  guint                 n_begun, n_reached;
  int                   zeros;   /* a buffer of zeros; -1: none yet */
  int                   reduced; /* the last request to reduce a gradient; -1: none */
  UrbView               norm;    /* of the update that is being emitted */
} Zero;

static const UrbUnit *
get_unit (const Net *net, guint unit)
{
  return &g_array_index (net->units, UrbUnit, unit);
}

static const Gather *
get_gather (const Zero *self, guint index)
{
  return &g_array_index (self->gathers, Gather, index);
}

static int
find_net (const Zero *self, const UrbInstruction *instruction)
{
  return strcmp (instruction->net, self->nets[1].slot->net->name) == 0;
}

/* ------------------------------------------------------------------------ */
/* When gradients are complete                                               */

/* Whether the argument is a gradient of @net.  @unit: (out) */
static gboolean
is_gradient (const Net *net, const UrbInstruction *instruction, int arg, guint *unit)
{
  UrbView view = instruction->args[arg];

  if (view.buffer < 0 || view.buffer != net->slot->grads || instruction->pass == URB_PASS_UPDATE)
    return FALSE;
  *unit = urb_units_get_index (net->units, view.offset);
  return TRUE;
}

/* A gradient is complete after its last writer: of all microbatches, or of each. */
static void
find_complete (Zero *self, Net *net)
{
  gboolean each = self->options->level >= 2;
  g_autofree int *last = g_new0 (int, MAX (net->units->len, 1)); /* microbatch + 1; 0: none */
  g_autoptr(GHashTable) written = g_hash_table_new (g_direct_hash, g_direct_equal);
  guint unit;

  for (guint i = 0; i < self->program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (self->program, i);

      for (int a = 0; a < UK_MAX_ARGS; a++)
        if (is_gradient (net, instruction, a, &unit))
          {
            GArray *complete = net->state[unit].complete;

            if (last[unit] > 0 && (!each || last[unit] == instruction->microbatch + 1))
              g_array_set_size (complete, complete->len - 1);
            last[unit] = instruction->microbatch + 1;
            g_array_append_val (complete, i);
            if (g_hash_table_add (written, GSIZE_TO_POINTER (instruction->args[a].offset + 1)))
              net->state[unit].from_zero |= instruction->desc.accumulate;
          }
    }
  for (guint p = 0; p < net->slot->net->params->len; p++)
    {
      gint64 at = urb_runs_find (net->slot->runs, urb_net_get_param (net->slot->net, (int) p)->offset, NULL);

      if (at >= 0 && !g_hash_table_contains (written, GSIZE_TO_POINTER (at + 1)))
        net->state[urb_units_get_index (net->units, at)].from_zero = TRUE;
    }
}

/* ------------------------------------------------------------------------ */
/* When parameters are needed                                                */

/* The uses of a unit's parameters, one after the other. */
typedef struct
{
  int   gather; /* -1: none */
  guint sweep;
} Uses;

static void
use (Zero *self, Uses *uses, int net, guint unit, guint at, guint sweep, gboolean again)
{
  Gather gather = { net, unit, at, at, 0, -1 };

  if (uses->gather >= 0 && (!self->options->reshard || again || uses->sweep == sweep))
    g_array_index (self->gathers, Gather, uses->gather).last = at;
  else
    {
      uses->gather = (int) self->gathers->len;
      g_array_append_val (self->gathers, gather);
    }
  uses->sweep = sweep;
}

static Uses *
new_uses (const Net *net)
{
  Uses *uses = g_new0 (Uses, MAX (net->units->len, 1));

  for (guint u = 0; u < net->units->len; u++)
    uses[u].gather = -1;
  return uses;
}

/* A unit that is needed again in the same sweep, or before any other is, stays. */
static void
find_gathers (Zero *self)
{
  g_autofree Uses *of_g = new_uses (&self->nets[0]), *of_d = new_uses (&self->nets[1]);
  Uses *const uses[] = { of_g, of_d };
  const UrbInstruction *before = NULL;
  guint sweep = 0, last_unit = 0;
  int last_net = -1;

  for (guint i = 0; i < self->program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (self->program, i);
      int n = find_net (self, instruction);

      if (instruction->kind == URB_DO_OP && instruction->desc.kind == UK_OP_ADAM)
        {
          for (guint u = 0; u < self->nets[n].units->len; u++)
            uses[n][u].gather = -1; /* other parameters from here on */
          self->nets[n].updated = i + 1;
        }
      for (int a = 0; a < UK_MAX_ARGS && instruction->pass != URB_PASS_UPDATE; a++)
        for (n = 0; n < 2; n++)
          if (instruction->args[a].buffer >= 0
              && instruction->args[a].buffer == self->nets[n].slot->params)
            {
              guint unit = urb_units_get_index (self->nets[n].units, instruction->args[a].offset);

              sweep += before != NULL && (before->pass != instruction->pass
                                          || before->microbatch != instruction->microbatch
                                          || strcmp (before->net, instruction->net) != 0);
              use (self, &uses[n][unit], n, unit, i, sweep, n == last_net && unit == last_unit);
              before = instruction;
              last_net = n;
              last_unit = unit;
            }
    }
}

/* Each begins when the one some places before it is needed, and none before the one before it. */
static void
place_gathers (Zero *self)
{
  guint prefetch = (guint) self->options->prefetch;

  for (guint k = 0; k < self->gathers->len; k++)
    {
      Gather *gather = &g_array_index (self->gathers, Gather, k);
      guint at = k >= prefetch ? get_gather (self, k - prefetch)->first : 0;
      guint updated = self->nets[gather->net].updated;

      at = MAX (at, k > 0 ? get_gather (self, k - 1)->at : 0);
      gather->at = MAX (at, gather->first >= updated ? updated : 0);
    }
}

/* Before instruction @at. */
static void
begin_gathers (Zero *self, guint at)
{
  for (; self->n_begun < self->gathers->len && get_gather (self, self->n_begun)->at == at; self->n_begun++)
    {
      Gather *gather = &g_array_index (self->gathers, Gather, self->n_begun);
      const Net *net = &self->nets[gather->net];
      const UrbUnit *unit = get_unit (net, gather->unit);
      char *name = g_strdup_printf ("%s.params.%u", net->slot->net->name, gather->unit);
      UrbView part = { net->slot->params, unit->local };
      UrbView whole = urb_program_add_temp (self->program, name, UK_REAL,
                                            self->n_ranks * unit->part);

      gather->buffer = whole.buffer;
      urb_rewrite_collect (&self->rewrite, URB_COLLECTIVE_ALL_GATHER, unit->part, 0, part, whole,
                           urb_program_get_instruction (self->program, gather->first));
    }
}

static void
reach_gathers (Zero *self, guint at)
{
  for (; self->n_reached < self->gathers->len && get_gather (self, self->n_reached)->first == at;
       self->n_reached++)
    {
      const Gather *gather = get_gather (self, self->n_reached);

      self->nets[gather->net].state[gather->unit].parameters = gather->buffer;
    }
}

/* ------------------------------------------------------------------------ */
/* Gradients                                                                 */

static void
copy (Zero *self, UrbView from, UrbView to, gint64 count, const UrbInstruction *like)
{
  UrbInstruction copy = urb_instruction_new (URB_DO_COPY);

  copy.net = like->net;
  copy.microbatch = like->microbatch;
  copy.pass = like->pass;
  copy.count = count;
  copy.args[0] = from;
  copy.args[1] = to;
  if (count > 0)
    urb_rewrite_emit (&self->rewrite, &copy);
}

/* Clears elements [@first, @end) of a buffer. */
static void
clear (Zero *self, int buffer, gint64 first, gint64 end, const UrbInstruction *like)
{
  if (self->zeros < 0)
    self->zeros = urb_program_add_buffer (self->program, g_strdup ("zeros"), URB_STORE_INPUT, UK_REAL, 1);
  for (gint64 at = first, n; at < end; at += n)
    {
      UrbBuffer *zeros = urb_program_get_buffer (self->program, self->zeros);

      n = MIN (end - at, MAX_ZEROS);
      zeros->count = MAX (zeros->count, n);
      copy (self, (UrbView) { self->zeros, 0 }, (UrbView) { buffer, at }, n, like);
    }
}

/* The buffer of a unit's whole gradient before its first writer, which adds to it if there are earlier
 * microbatches.  Their sum begins in the part of the rank that has it. */
static void
begin_gradient (Zero *self, Net *net, guint index, const UrbInstruction *like)
{
  const UrbUnit *unit = get_unit (net, index);
  Unit *state = &net->state[index];
  gint64 n = self->n_ranks * unit->part, own = self->rank * unit->part;

  state->gradient = urb_program_add_buffer (self->program,
                                            g_strdup_printf ("%s.grads.%u", net->slot->net->name, index),
                                            URB_STORE_ARENA, UK_REAL, n);
  if (!state->has_sum && !state->from_zero)
    return;
  clear (self, state->gradient, 0, own, like);
  clear (self, state->gradient, own + unit->part, n, like);
  if (state->has_sum)
    copy (self, (UrbView) { net->slot->grads, unit->local }, (UrbView) { state->gradient, own },
          unit->part, like);
  else
    clear (self, state->gradient, own, own + unit->part, like);
}

/* Sums the gradients that are complete after instruction @at.  Each sum waits for the one before it, so
 * that a whole gradient does not stay in memory until the update. */
static void
reduce_gradients (Zero *self, Net *net, guint at, const UrbInstruction *like)
{
  for (guint u = 0; u < net->units->len; u++)
    {
      Unit *state = &net->state[u];
      const UrbUnit *unit = get_unit (net, u);

      if (state->n_complete == state->complete->len
          || g_array_index (state->complete, guint, state->n_complete) != at)
        continue;
      if (self->reduced >= 0)
        urb_rewrite_wait (&self->rewrite, self->reduced);
      self->reduced = urb_rewrite_collect (&self->rewrite, URB_COLLECTIVE_REDUCE_SCATTER, unit->part, 0,
                                           (UrbView) { state->gradient, 0 },
                                           (UrbView) { net->slot->grads, unit->local }, like);
      state->gradient = -1;
      state->has_sum = TRUE;
      state->n_complete++;
    }
}

/* ------------------------------------------------------------------------ */
/* Updates                                                                   */

static void
emit_squares (Zero *self, const Net *net, const UrbInstruction *like)
{
  for (guint u = 0; u < net->units->len; u++)
    {
      const UrbUnit *unit = get_unit (net, u);
      gint64 n = urb_unit_count_of (unit, self->rank, NULL);
      UrbInstruction squares = urb_update_operation (like, UK_OP_GRAD_SQUARES, n);

      squares.args[0] = (UrbView) { net->slot->grads, unit->local };
      squares.args[1] = (UrbView) { net->squares, u };
      if (n > 0)
        urb_rewrite_emit (&self->rewrite, &squares);
    }
}

static void
emit_adam (Zero *self, const Net *net, const UrbInstruction *like)
{
  int rank = self->rank;

  for (guint u = 0; u < net->units->len; u++)
    {
      const UrbUnit *unit = get_unit (net, u);
      gint64 n = urb_unit_count_of (unit, rank, NULL);
      UrbInstruction adam = urb_update_operation (like, UK_OP_ADAM, n);
      UrbView whole = { net->slot->params, unit->padded };
      UrbView own = { net->slot->params, whole.offset + rank * unit->part };

      adam.args[0] = self->options->level < 3 ? own : (UrbView) { net->slot->params, unit->local };
      for (int a = 1; a < 5; a++)
        if (adam.args[a].buffer >= 0)
          adam.args[a].offset = unit->local;
      adam.args[6] = self->norm;
      if (n > 0)
        urb_rewrite_emit (&self->rewrite, &adam);
      if (self->options->level < 3)
        urb_rewrite_collect (&self->rewrite, URB_COLLECTIVE_ALL_GATHER, unit->part, 0, own, whole, like);
    }
}

static void
emit_update (Zero *self, const UrbInstruction *instruction)
{
  const Net *net = &self->nets[find_net (self, instruction)];

  switch (instruction->desc.kind)
    {
    case UK_OP_GRAD_SQUARES:
      emit_squares (self, net, instruction);
      break;
    case UK_OP_GRAD_FACTOR:
      self->norm = urb_update_emit_factor (&self->rewrite, (UrbView) { net->squares, 0 },
                                           net->slot->net->params->len,
                                           &(UrbHolders) { urb_mesh_count (self->options->mesh, URB_ALL_AXES),
                                                           0, self->options->rank == 0 }, instruction);
      break;
    case UK_OP_ADAM:
      emit_adam (self, net, instruction);
      break;
    default:
      g_assert_not_reached ();
    }
}

/* ------------------------------------------------------------------------ */

/* Puts buffers of units in the place of the network's blocks. */
static void
move_view (Zero *self, Net *net, UrbInstruction *instruction, int arg)
{
  UrbView *view = &instruction->args[arg];
  guint index;

  if (view->buffer < 0)
    return;
  if (is_gradient (net, instruction, arg, &index))
    {
      if (net->state[index].gradient < 0)
        begin_gradient (self, net, index, instruction);
      *view = (UrbView) { net->state[index].gradient, view->offset - get_unit (net, index)->first };
    }
  else if (view->buffer == net->slot->params)
    {
      const UrbUnit *unit = get_unit (net, index = urb_units_get_index (net->units, view->offset));

      view->offset += (self->options->level < 3 ? unit->padded : 0) - unit->first;
      if (self->options->level >= 3)
        view->buffer = net->state[index].parameters;
    }
}

static void
rewrite (Zero *self)
{
  UrbProgram *program = self->program;
  guint last_metrics = urb_metrics_find_last (program);

  urb_rewrite_begin (&self->rewrite, program);
  self->rewrite.n_parts = self->n_ranks;
  self->rewrite.axes = urb_mesh_simplify (self->options->mesh, URB_AXIS_DATA);
  for (guint i = 0; i < program->instructions->len; i++)
    {
      UrbInstruction instruction = *urb_program_get_instruction (program, i);

      begin_gathers (self, i);
      reach_gathers (self, i);
      if (instruction.kind == URB_DO_OP && instruction.pass == URB_PASS_UPDATE)
        emit_update (self, &instruction);
      else
        {
          for (int a = 0; a < UK_MAX_ARGS; a++)
            for (int n = 0; n < 2; n++)
              move_view (self, &self->nets[n], &instruction, a);
          urb_rewrite_emit (&self->rewrite, &instruction);
        }
      for (int n = 0; n < 2; n++)
        reduce_gradients (self, &self->nets[n], i, &instruction);
      if (i == last_metrics && self->options->mesh->pipe == 1)
        urb_metrics_collect (&self->rewrite, &instruction);
    }
  urb_rewrite_finish (&self->rewrite);
}

static void
resize (Zero *self, int buffer, gint64 count)
{
  if (buffer >= 0)
    urb_program_get_buffer (self->program, buffer)->count = count;
}

/* What the rank holds from now on. */
static void
divide_blocks (Zero *self, Net *net)
{
  UrbProgramNet *slot = net->slot;
  int rank = self->rank, n_ranks = self->n_ranks;
  gint64 local = urb_units_count_local (net->units);
  GArray *own = g_array_new (FALSE, FALSE, sizeof (UrbRun)), *whole = g_array_new (FALSE, FALSE, sizeof (UrbRun));

  for (guint u = 0; u < net->units->len; u++)
    {
      const UrbUnit *unit = get_unit (net, u);
      gint64 first, n = urb_unit_count_of (unit, rank, &first);

      urb_runs_append (own, slot->runs, unit->first + first, n, unit->local);
      urb_runs_append (whole, slot->runs, unit->first, unit->count, unit->padded);
    }
  g_clear_pointer (&slot->runs, g_array_unref);
  g_clear_pointer (&slot->moment_runs, g_array_unref);
  slot->runs = self->options->level < 3 ? g_array_ref (whole) : g_array_ref (own);
  slot->moment_runs = own;
  g_array_unref (whole);
  resize (self, slot->params, self->options->level < 3 ? urb_units_count_padded (net->units, n_ranks) : local);
  resize (self, slot->moment1, local);
  resize (self, slot->moment2, local);
  resize (self, slot->ema, local);
  resize (self, slot->grads, local);
  urb_program_get_buffer (self->program, slot->grads)->store = URB_STORE_ARENA;
}

static void
net_init (Zero *self, Net *net, UrbProgramNet *slot)
{
  net->slot = slot;
  net->units = urb_units_find (slot, (gint64) (self->options->unit_mib * (1 << 20) / sizeof (float)),
                               self->n_ranks);
  net->state = g_new0 (Unit, MAX (net->units->len, 1));
  for (guint u = 0; u < net->units->len; u++)
    {
      net->state[u].gradient = net->state[u].parameters = -1;
      net->state[u].complete = g_array_new (FALSE, FALSE, sizeof (guint));
    }
  net->squares = urb_program_add_buffer (self->program, g_strdup_printf ("%s.unit-squares", slot->net->name),
                                         URB_STORE_INPUT, UK_REAL, slot->net->params->len);
  find_complete (self, net);
}

static void
net_clear (Net *self)
{
  for (guint u = 0; u < self->units->len; u++)
    g_array_unref (self->state[u].complete);
  g_free (self->state);
  g_array_unref (self->units);
}

void
urb_program_make_zero (UrbProgram *program, const UrbZeroOptions *options)
{
  g_autoptr(GArray) gathers = g_array_new (FALSE, FALSE, sizeof (Gather));
  Zero self = { .program = program, .options = options, .gathers = gathers, .zeros = -1, .reduced = -1,
                .rank = urb_mesh_get_index (options->mesh, options->rank, URB_AXIS_DATA),
                .n_ranks = options->mesh->data };

  net_init (&self, &self.nets[0], &program->g);
  net_init (&self, &self.nets[1], &program->d);
  if (options->level >= 3)
    {
      find_gathers (&self);
      place_gathers (&self);
    }
  divide_blocks (&self, &self.nets[0]);
  divide_blocks (&self, &self.nets[1]);
  rewrite (&self);
  for (int n = 0; n < 2; n++)
    net_clear (&self.nets[n]);
}
