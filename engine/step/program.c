/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.c - the container of a step program: buffers and instructions.
 */
#include "step/program.h"

G_DEFINE_QUARK (urb-step-error-quark, urb_step_error)

/* More than any block has, and it can be added to any offset. */
#define UNKNOWN_COUNT (G_MAXINT64 / 2)

static const char *const pass_names[URB_N_PASSES] = {
  [URB_PASS_LOAD] = "load",
  [URB_PASS_FORWARD] = "forward",
  [URB_PASS_LOSS] = "loss",
  [URB_PASS_BACKWARD] = "backward",
  [URB_PASS_TANGENT] = "tangent",
  [URB_PASS_UPDATE] = "update",
};

const char *
urb_pass_get_name (UrbPass pass)
{
  return pass_names[pass];
}

const char *
urb_collective_get_name (UrbCollectiveKind kind)
{
  static const char *const names[URB_N_COLLECTIVES] = {
    "barrier", "broadcast", "scatter", "gather", "all-gather", "reduce", "all-reduce",
    "reduce-scatter", "send", "receive",
  };

  return names[kind];
}

gboolean
urb_collective_is_message (UrbCollectiveKind kind)
{
  return kind == URB_COLLECTIVE_SEND || kind == URB_COLLECTIVE_RECV;
}

const char *
urb_element_get_name (UrbElement element, gint64 count)
{
  static const char *const names[URB_N_ELEMENTS][2] = {
    [URB_ELEMENT_F32] = { "float", "floats" },
    [URB_ELEMENT_F64] = { "double", "doubles" },
    [URB_ELEMENT_BF16] = { "bf16 number", "bf16 numbers" },
    [URB_ELEMENT_F16] = { "fp16 number", "fp16 numbers" },
    [URB_ELEMENT_U8] = { "byte", "bytes" },
  };

  return names[element][count != 1];
}

gsize
urb_element_get_size (UrbElement element)
{
  static const gsize sizes[URB_N_ELEMENTS] = {
    [URB_ELEMENT_F32] = 4,
    [URB_ELEMENT_F64] = 8,
    [URB_ELEMENT_BF16] = 2,
    [URB_ELEMENT_F16] = 2,
    [URB_ELEMENT_U8] = 1,
  };

  return sizes[element];
}

static void
buffer_clear (gpointer data)
{
  UrbBuffer *self = data;

  g_clear_pointer (&self->parts, g_array_unref);
  g_free (self->name);
}

static void
release_op (gpointer data)
{
  UkOp *op = data;

  op->backend->table->release (op);
}

UrbProgram *
urb_program_new (void)
{
  UrbProgram *self = g_new0 (UrbProgram, 1);

  self->buffers = g_array_new (FALSE, TRUE, sizeof (UrbBuffer));
  self->instructions = g_array_new (FALSE, TRUE, sizeof (UrbInstruction));
  self->prologue = g_array_new (FALSE, TRUE, sizeof (UrbInstruction));
  g_array_set_clear_func (self->buffers, buffer_clear);
  self->ops = g_ptr_array_new_with_free_func (release_op);
  self->n_microbatches = 1;
  self->n_d_steps = 1;
  self->tiles = self->rng = self->penalty = self->augment = self->refine = self->shares = self->z = -1;
  self->next_tiles[0] = self->next_tiles[1] = self->metrics = self->images = -1;
  self->weights = self->shifts = self->dz = -1;
  return self;
}

static void
clear_net (UrbProgramNet *slot)
{
  g_clear_pointer (&slot->runs, g_array_unref);
  g_clear_pointer (&slot->moment_runs, g_array_unref);
  g_clear_pointer (&slot->state_runs, g_array_unref);
}

void
urb_program_free (UrbProgram *self)
{
  if (self == NULL)
    return;
  clear_net (&self->g);
  clear_net (&self->d);
  g_array_unref (self->prologue);
  g_array_unref (self->instructions);
  g_array_unref (self->buffers);
  g_ptr_array_unref (self->ops);
  g_free (self);
}

UrbBuffer *
urb_program_get_buffer (const UrbProgram *self, int index)
{
  return &g_array_index (self->buffers, UrbBuffer, index);
}

UrbInstruction *
urb_program_get_instruction (const UrbProgram *self, guint index)
{
  return &g_array_index (self->instructions, UrbInstruction, index);
}

int
urb_program_add_buffer (UrbProgram *self, char *name, UrbStore store, UkArgType type, gint64 count)
{
  UrbBuffer buffer = { .name = name, .store = store, .type = type, .count = count,
                       .offset = -1, .alias_of = -1, .first_use = -1, .last_use = -1 };

  g_array_append_val (self->buffers, buffer);
  return (int) self->buffers->len - 1;
}

void
urb_step_set_error (GError **error, const UkBackend *backend, UkStatus status, const char *format,
                    ...)
{
  const char *explanation = backend->table->explain != NULL
                              ? backend->table->explain ((UkBackend *) backend) : "";
  g_autofree char *what = NULL;
  va_list args;

  va_start (args, format);
  what = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, URB_STEP_ERROR,
               status == UK_NO_MEMORY ? URB_STEP_ERROR_MEMORY : URB_STEP_ERROR_KERNEL,
               "%s: %s%s%s.", what, uk_status_text (status), *explanation != '\0' ? "; " : "",
               explanation);
}

UrbView
urb_program_add_temp (UrbProgram *self, char *name, UkArgType type, gint64 count)
{
  return (UrbView) { urb_program_add_buffer (self, name, URB_STORE_ARENA, type, count), 0 };
}

void
urb_program_emit (UrbProgram *self, UrbInstruction instruction)
{
  g_array_append_val (self->instructions, instruction);
}

UrbInstruction
urb_instruction_new (UrbInstructionKind kind)
{
  UrbInstruction self = { .kind = kind, .net = "", .layer = -1 };

  for (int i = 0; i < UK_MAX_ARGS; i++)
    self.args[i] = URB_NO_VIEW;
  return self;
}

UrbInstruction
urb_program_new_collect (UrbProgram *self, UrbCollectiveKind kind, gint64 count, int peer,
                         UrbView in, UrbView out)
{
  UrbInstruction result = urb_instruction_new (URB_DO_COLLECTIVE);

  result.collective = (UrbCollective) { .kind = kind, .count = count, .peer = peer };
  result.request = self->n_requests++;
  result.args[0] = in;
  result.args[1] = out;
  return result;
}

/* A wait for what @start starts. */
static UrbInstruction
new_wait (UrbInstructionKind kind, const UrbInstruction *start)
{
  UrbInstruction result = urb_instruction_new (kind);

  result.request = start->request;
  result.net = start->net;
  result.layer = start->layer;
  result.microbatch = start->microbatch;
  result.pass = start->pass;
  return result;
}

UrbInstruction
urb_program_new_wait (const UrbInstruction *collect)
{
  return new_wait (URB_DO_WAIT, collect);
}

UrbInstruction
urb_program_new_transfer (UrbProgram *self, UrbCollectiveKind kind, gint64 count, UrbView from, UrbView to)
{
  UrbInstruction result = urb_instruction_new (URB_DO_TRANSFER);

  result.collective = (UrbCollective) { .kind = kind, .count = count };
  result.request = self->n_transfers++;
  result.args[0] = from;
  result.args[1] = to;
  return result;
}

UrbInstruction
urb_program_new_await (const UrbInstruction *transfer)
{
  return new_wait (URB_DO_AWAIT, transfer);
}

static int
add_block (UrbProgram *self, const UrbNet *net, const char *what, UrbStore store, gint64 count)
{
  return urb_program_add_buffer (self, g_strdup_printf ("%s.%s", net->name, what), store, UK_REAL,
                                 count);
}

void
urb_program_add_net (UrbProgram *self, UrbProgramNet *slot, const UrbNet *net, gboolean trained,
                     gboolean first_moment, gboolean ema)
{
  gint64 n = net->n_params;

  *slot = (UrbProgramNet) { net, -1, -1, -1, -1, -1, -1, -1, NULL, NULL, NULL };
  slot->params = add_block (self, net, "params", URB_STORE_PARAMS, n);
  if (net->n_state > 0)
    slot->state = add_block (self, net, "state", URB_STORE_STATE, net->n_state);
  if (ema)
    slot->ema = add_block (self, net, "ema", URB_STORE_EMA, n);
  if (!trained)
    return;
  slot->grads = add_block (self, net, "grads", URB_STORE_GRADS, n);
  if (first_moment)
    slot->moment1 = add_block (self, net, "moment1", URB_STORE_MOMENT1, n);
  slot->moment2 = add_block (self, net, "moment2", URB_STORE_MOMENT2, n);
  slot->hyper = add_block (self, net, "hyper", URB_STORE_INPUT, UK_N_HYPER);
}

/* Of a rank's buffer, in or out, with a part for each rank. */
static gint64
count_parts (const UrbInstruction *self)
{
  return self->n_parts > 0 ? self->n_parts * self->collective.count : UNKNOWN_COUNT;
}

static gint64
count_collective_arg (const UrbInstruction *self, int arg)
{
  switch (self->collective.kind)
    {
    case URB_COLLECTIVE_SCATTER:
    case URB_COLLECTIVE_REDUCE_SCATTER:
      return arg == 0 ? count_parts (self) : self->collective.count;
    case URB_COLLECTIVE_GATHER:
    case URB_COLLECTIVE_ALL_GATHER:
      return arg == 0 ? self->collective.count : count_parts (self);
    default:
      return self->collective.count;
    }
}

gint64
urb_instruction_count_arg (const UrbInstruction *self, int arg)
{
  switch (self->kind)
    {
    case URB_DO_OP:
      return uk_op_arg_count (&self->desc, arg);
    case URB_DO_COPY:
      return self->count;
    case URB_DO_COLLECTIVE:
      return count_collective_arg (self, arg);
    case URB_DO_TRANSFER:
      return self->collective.count;
    case URB_DO_PACK:
      return UNKNOWN_COUNT;
    case URB_DO_WAIT:
    case URB_DO_AWAIT:
    case URB_DO_NOTE:
      break;
    }
  return 0;
}

UkArgRole
urb_instruction_get_role (const UrbInstruction *self, int arg)
{
  UkArgRole role;

  if (self->kind != URB_DO_OP) /* copies, packings and collectives: from, to */
    return arg == 0 ? UK_IN : UK_OUT;
  role = uk_op_info (self->desc.kind)->args[arg].role;
  return role == UK_OUT && self->desc.accumulate ? UK_INOUT : role;
}

char *
urb_instruction_dup_label (const UrbInstruction *self)
{
  static const char *const names[] = { [URB_DO_PACK] = "pack", [URB_DO_COPY] = "copy",
                                       [URB_DO_WAIT] = "wait", [URB_DO_AWAIT] = "await",
                                       [URB_DO_NOTE] = "note" };
  const char *what = self->kind == URB_DO_OP        ? uk_op_info (self->desc.kind)->name
                     : self->kind == URB_DO_COLLECTIVE ? urb_collective_get_name (self->collective.kind)
                     : self->kind == URB_DO_TRANSFER
                       ? self->collective.kind == URB_COLLECTIVE_RECV ? "fetch" : "store"
                       : names[self->kind];

  if (self->layer < 0)
    return g_strdup_printf ("%s%s%s", self->net, self->net[0] != '\0' ? " " : "", what);
  return g_strdup_printf ("%s.%d %s", self->net, self->layer, what);
}

/* Bytes per element of the buffer that an instruction reads, or else writes. */
static double
count_element_bytes (const UrbProgram *self, const UrbInstruction *instruction,
                     const UkBackend *backend)
{
  int buffer = MAX (instruction->args[0].buffer, instruction->args[1].buffer);

  return buffer < 0 ? 0
                    : (double) uk_type_size (backend, urb_program_get_buffer (self, buffer)->type);
}

double
urb_instruction_count_arg_bytes (const UrbInstruction *self, int arg, const UkBackend *backend)
{
  gboolean is_packed = arg == 1 && self->op->packed_bytes > 0;

  if (self->args[arg].buffer < 0)
    return 0;
  return is_packed ? (double) self->op->packed_bytes : uk_op_arg_bytes (&self->desc, arg, backend);
}

double
urb_program_count_bytes (const UrbProgram *self, const UrbInstruction *instruction,
                         const UkBackend *backend)
{
  double n_bytes = 0;

  switch (instruction->kind)
    {
    case URB_DO_OP:
      for (int arg = 0; arg < uk_op_info (instruction->desc.kind)->n_args; arg++)
        n_bytes += urb_instruction_count_arg_bytes (instruction, arg, backend);
      return n_bytes;
    case URB_DO_PACK: /* stored weights are read, packed ones written */
      return uk_op_arg_bytes (&instruction->desc, 1, backend) + (double) instruction->op->packed_bytes;
    case URB_DO_COPY:
      return 2.0 * (double) instruction->count * count_element_bytes (self, instruction, backend);
    case URB_DO_COLLECTIVE:
    case URB_DO_TRANSFER:
      if (instruction->collective.element == URB_ELEMENT_U8)
        return (double) instruction->collective.count;
      return (double) instruction->collective.count
             * count_element_bytes (self, instruction, backend);
    case URB_DO_WAIT:
    case URB_DO_AWAIT:
    case URB_DO_NOTE:
      break;
    }
  return 0;
}

double
urb_program_get_flops (const UrbProgram *self)
{
  double sum = 0;

  for (guint i = 0; i < self->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (self, i);

      if (instruction->kind == URB_DO_OP)
        sum += uk_op_flops (&instruction->desc);
    }
  return sum;
}

void
urb_program_reserve (UrbProgram *self, gint64 n_bytes)
{
  gint64 *arena = &self->store_bytes[URB_STORE_ARENA];

  g_return_if_fail (self->planned);
  *arena = MAX (*arena, n_bytes);
}

gint64
urb_program_get_workspace_bytes (const UrbProgram *self)
{
  return self->store_bytes[URB_STORE_ARENA] + self->scratch_bytes
         + self->store_bytes[URB_STORE_PACKED];
}

gint64
urb_program_get_bytes (const UrbProgram *self)
{
  gint64 sum = self->scratch_bytes - self->store_bytes[URB_STORE_OUTSIDE];

  for (int store = 0; store < URB_N_STORES; store++)
    sum += self->store_bytes[store];
  return sum;
}
