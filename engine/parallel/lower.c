/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lower.c - see lower.h.
 *
 * Buffers of the arena are written once, so a value is the range that an instruction wrote.  Each value
 * is sent once to each rank that reads it.
 */
#include "parallel/lower.h"

#include <string.h>

#include "parallel/rewrite-private.h"

/* A range that an instruction wrote. */
typedef struct
{
  UrbView view;
  gint64  count;
  guint   at; /* the instruction */
  int     rank;
  GArray *readers; /* of int, owned: the other ranks that get it */
} Value;

/* A value that another rank reads. */
typedef struct
{
  UrbView view;
  gint64  count;
  guint   at;   /* it is sent after this instruction */
  int     from, to;
} Message;

typedef struct
{
  UrbProgram      *program;
  const UrbLayout *layout;
  const int       *parts;
  const UrbMesh   *mesh;
  int              rank;     /* among those along pipe */
  gboolean         is_first; /* of all ranks */
  gboolean         leaves_updates;
  GArray         **values;   /* (n_buffers), of Value (nullable), owned */
  GArray          *messages; /* of Message, owned: in the order of their instructions */
  UrbRewrite       rewrite;
  int             *sent;     /* (n_stages), owned: the last request to each; -1: none */
  int              zero;     /* a buffer of one zero; -1: not needed */
  /* Of the update that is being emitted. */
  UrbView          squares, norm;
} Lowering;

/* The rank of an instruction, as all ranks here: along pipe.  -1: all. */
static int
rank_of (const Lowering *self, guint at)
{
  return self->parts[at] == URB_EVERY_PART ? -1 : self->parts[at] % self->layout->n_stages;
}

static gboolean
is_mine (const Lowering *self, guint at)
{
  return rank_of (self, at) < 0 || rank_of (self, at) == self->rank;
}

/* ------------------------------------------------------------------------ */
/* Messages                                                                  */

static void
clear_value (gpointer data)
{
  g_array_unref (((Value *) data)->readers);
}

static void
add_value (Lowering *self, const UrbInstruction *instruction, int arg, guint at)
{
  UrbView view = instruction->args[arg];
  Value value = { view, urb_instruction_count_arg (instruction, arg), at, rank_of (self, at),
                  g_array_new (FALSE, FALSE, sizeof (int)) };
  GArray **values = &self->values[view.buffer];

  if (*values == NULL)
    {
      *values = g_array_new (FALSE, FALSE, sizeof (Value));
      g_array_set_clear_func (*values, clear_value);
    }
  g_array_append_val (*values, value);
}

/* FALSE if the rank gets it already. */
static gboolean
add_reader (Value *value, int rank)
{
  for (guint i = 0; i < value->readers->len; i++)
    if (g_array_index (value->readers, int, i) == rank)
      return FALSE;
  g_array_append_val (value->readers, rank);
  return TRUE;
}

/* Messages for the values of other ranks in an argument that this instruction reads. */
static void
add_messages (Lowering *self, const UrbInstruction *instruction, int arg, guint at)
{
  UrbView view = instruction->args[arg];
  gint64 end = view.offset + urb_instruction_count_arg (instruction, arg);
  GArray *values = self->values[view.buffer];

  for (guint i = 0; values != NULL && i < values->len; i++)
    {
      Value *value = &g_array_index (values, Value, i);
      Message message = { value->view, value->count, value->at, value->rank, rank_of (self, at) };

      if (value->view.offset < end && view.offset < value->view.offset + value->count
          && value->rank != message.to && add_reader (value, message.to))
        g_array_append_val (self->messages, message);
    }
}

static int
compare_messages (gconstpointer a, gconstpointer b)
{
  const Message *x = a, *y = b;

  if (x->at != y->at)
    return x->at < y->at ? -1 : 1;
  if (x->view.buffer != y->view.buffer)
    return x->view.buffer - y->view.buffer;
  return x->to - y->to;
}

static void
find_messages (Lowering *self)
{
  for (guint i = 0; i < self->program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (self->program, i);

      for (int pass = 0; pass < 2; pass++) /* what it reads, then what it writes */
        for (int a = 0; a < UK_MAX_ARGS && rank_of (self, i) >= 0; a++)
          {
            int buffer = instruction->args[a].buffer;
            gboolean is_read = buffer >= 0 && urb_instruction_get_role (instruction, a) == UK_IN;

            if (buffer < 0 || urb_program_get_buffer (self->program, buffer)->store != URB_STORE_ARENA)
              continue;
            if (pass == 0 && is_read)
              add_messages (self, instruction, a, i);
            else if (pass == 1 && !is_read)
              add_value (self, instruction, a, i);
          }
    }
  g_array_sort (self->messages, compare_messages);
}

/* Sends and receives what instruction @at has made.  A send waits for the one before it, so that a
 * sent value does not stay in memory until the end of the step. */
static void
exchange (Lowering *self, guint *next, guint at, const UrbInstruction *like)
{
  for (; *next < self->messages->len; (*next)++)
    {
      const Message *message = &g_array_index (self->messages, Message, *next);

      if (message->at != at)
        return;
      if (message->from == self->rank)
        {
          if (self->sent[message->to] >= 0)
            urb_rewrite_wait (&self->rewrite, self->sent[message->to]);
          self->sent[message->to] = urb_rewrite_collect (&self->rewrite, URB_COLLECTIVE_SEND,
                                                         message->count, message->to, message->view,
                                                         URB_NO_VIEW, like);
        }
      else if (message->to == self->rank)
        urb_rewrite_collect (&self->rewrite, URB_COLLECTIVE_RECV, message->count, message->from,
                             URB_NO_VIEW, message->view, like);
    }
}

/* ------------------------------------------------------------------------ */
/* Blocks                                                                    */

/* Marks the tensors of @table that this rank's instructions use in @block. */
static gboolean *
find_used (const Lowering *self, int block, const GArray *table)
{
  gboolean *used = g_new0 (gboolean, MAX (table->len, 1));
  g_autoptr(GHashTable) index = g_hash_table_new (g_int64_hash, g_int64_equal);

  for (guint p = 0; p < table->len; p++)
    g_hash_table_insert (index, &g_array_index (table, UrbParam, p).offset, GUINT_TO_POINTER (p + 1));
  for (guint i = 0; i < self->program->instructions->len; i++)
    for (int a = 0; a < UK_MAX_ARGS && rank_of (self, i) == self->rank; a++)
      {
        const UrbView *view = &urb_program_get_instruction (self->program, i)->args[a];
        guint tensor = view->buffer != block || block < 0
                         ? 0 : GPOINTER_TO_UINT (g_hash_table_lookup (index, &view->offset));

        if (tensor > 0)
          used[tensor - 1] = TRUE;
      }
  return used;
}

/* The runs of a block that this rank keeps.  (element-type UrbRun) (transfer full) */
static GArray *
find_runs (const Lowering *self, int block, const GArray *table)
{
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (UrbRun));
  g_autofree gboolean *used = find_used (self, block, table);
  gint64 local = 0;

  for (guint p = 0; p < table->len; p++)
    {
      const UrbParam *param = &g_array_index (table, UrbParam, p);
      UrbRun run = { param->offset, local, param->count };
      UrbRun *last = runs->len == 0 ? NULL : &g_array_index (runs, UrbRun, runs->len - 1);

      if (!used[p])
        continue;
      local += run.count;
      if (last != NULL && last->whole + last->count == run.whole)
        last->count += run.count;
      else
        g_array_append_val (runs, run);
    }
  return runs;
}

static void
resize (Lowering *self, int buffer, const GArray *runs)
{
  if (buffer >= 0)
    urb_program_get_buffer (self->program, buffer)->count = urb_runs_count (runs);
}

static void
divide_blocks (Lowering *self, UrbProgramNet *slot)
{
  slot->runs = find_runs (self, slot->params, slot->net->params);
  slot->moment_runs = g_array_ref (slot->runs);
  slot->state_runs = find_runs (self, slot->state, slot->net->states);
  resize (self, slot->params, slot->runs);
  resize (self, slot->grads, slot->runs);
  resize (self, slot->moment1, slot->runs);
  resize (self, slot->moment2, slot->runs);
  resize (self, slot->ema, slot->runs);
  resize (self, slot->state, slot->state_runs);
}

static void
move_view (const UrbProgramNet *slot, UrbView *view)
{
  if (view->buffer < 0)
    return;
  if (view->buffer == slot->params || view->buffer == slot->grads)
    view->offset = urb_runs_find (slot->runs, view->offset, NULL);
  else if (view->buffer == slot->state)
    view->offset = urb_runs_find (slot->state_runs, view->offset, NULL);
}

/* ------------------------------------------------------------------------ */
/* Updates                                                                   */

/* The squares of this rank's gradients; a rank without any adds nothing. */
static void
emit_squares (Lowering *self, const UrbProgramNet *slot, const UrbInstruction *instruction)
{
  gint64 n = urb_runs_count (slot->runs);
  UrbInstruction squares = urb_update_operation (instruction, UK_OP_GRAD_SQUARES, n);

  self->squares = (UrbView) { self->zero, 0 };
  if (n == 0 && self->zero < 0)
    self->squares.buffer = self->zero = urb_program_add_buffer (self->program, g_strdup ("zero"),
                                                                URB_STORE_INPUT, UK_REAL, 1);
  if (n == 0)
    return;
  squares.args[0] = (UrbView) { slot->grads, 0 };
  squares.args[1] = self->squares
    = urb_program_add_temp (self->program, g_strdup ("squares"), UK_REAL, 1);
  urb_rewrite_emit (&self->rewrite, &squares);
}

static void
emit_adam (Lowering *self, const UrbProgramNet *slot, const UrbInstruction *instruction)
{
  UrbInstruction adam = urb_update_operation (instruction, UK_OP_ADAM, urb_runs_count (slot->runs));

  adam.args[6] = self->norm;
  if (adam.desc.x.n > 0)
    urb_rewrite_emit (&self->rewrite, &adam);
}

static void
emit_update (Lowering *self, const UrbInstruction *instruction)
{
  const UrbProgramNet *slot = strcmp (instruction->net, self->program->g.net->name) == 0
                                ? &self->program->g : &self->program->d;

  switch (instruction->desc.kind)
    {
    case UK_OP_GRAD_SQUARES:
      emit_squares (self, slot, instruction);
      break;
    case UK_OP_GRAD_FACTOR:
      self->norm = urb_update_emit_factor (&self->rewrite, self->squares, 1,
                                           &(UrbHolders) { self->layout->n_stages, self->rewrite.axes,
                                                           self->is_first }, instruction);
      break;
    case UK_OP_ADAM:
      emit_adam (self, slot, instruction);
      break;
    default:
      g_assert_not_reached ();
    }
}

/* ------------------------------------------------------------------------ */

static void
remove_tiles (UrbProgram *program)
{
  for (guint i = 0; i < program->instructions->len; i++)
    for (int a = 0; a < UK_MAX_ARGS; a++)
      if (urb_program_get_instruction (program, i)->args[a].buffer == program->tiles)
        return;
  urb_program_get_buffer (program, program->tiles)->count = 0;
  program->tiles = -1;
}

static void
rewrite (Lowering *self)
{
  UrbProgram *program = self->program;
  guint last_metrics = urb_metrics_find_last (program), next = 0;

  urb_rewrite_begin (&self->rewrite, program);
  self->rewrite.axes = urb_mesh_simplify (self->mesh, URB_AXIS_PIPE);
  for (guint i = 0; i < program->instructions->len; i++)
    {
      UrbInstruction instruction = *urb_program_get_instruction (program, i);

      for (int a = 0; a < UK_MAX_ARGS && rank_of (self, i) == self->rank; a++)
        {
          move_view (&program->g, &instruction.args[a]);
          move_view (&program->d, &instruction.args[a]);
        }
      if (rank_of (self, i) < 0 && !self->leaves_updates)
        emit_update (self, &instruction);
      else if (is_mine (self, i))
        urb_rewrite_emit (&self->rewrite, &instruction);
      exchange (self, &next, i, &instruction);
      if (i == last_metrics)
        urb_metrics_collect (&self->rewrite, &instruction);
    }
  urb_rewrite_finish (&self->rewrite);
}

void
urb_program_lower (UrbProgram *program, const UrbLayout *layout, const int *parts, const UrbMesh *mesh,
                   int rank, gboolean leaves_updates)
{
  guint n_buffers = program->buffers->len;
  Lowering self = { .program = program, .layout = layout, .parts = parts, .mesh = mesh,
                    .rank = urb_mesh_get_index (mesh, rank, URB_AXIS_PIPE), .is_first = rank == 0,
                    .leaves_updates = leaves_updates, .zero = -1 };

  self.values = g_new0 (GArray *, n_buffers);
  self.messages = g_array_new (FALSE, FALSE, sizeof (Message));
  self.sent = g_new (int, layout->n_stages);
  for (int r = 0; r < layout->n_stages; r++)
    self.sent[r] = -1;
  find_messages (&self);
  divide_blocks (&self, &program->g);
  divide_blocks (&self, &program->d);
  rewrite (&self);
  remove_tiles (program);
  for (guint b = 0; b < n_buffers; b++)
    g_clear_pointer (&self.values[b], g_array_unref);
  g_free (self.values);
  g_free (self.sent);
  g_array_unref (self.messages);
}
