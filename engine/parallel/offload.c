/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offload.c - see offload.h.
 *
 * All transfers of a program run one after the other.  So a part may be fetched into a buffer right
 * after another one was sent from there to the storage, without a wait between them.
 */
#include "parallel/offload.h"

#include <string.h>

enum { N_STAGES = 2, N_BLOCKS = 3 };

/* What an update has of each parameter: arguments of UK_OP_ADAM. */
static const int block_args[N_BLOCKS] = { 2, 3, 4 };

/* Elements of an update. */
typedef struct
{
  guint  adam;    /* the instruction */
  gint64 first, count;
  int    fetched; /* the last request to fetch something of it */
} Part;

typedef struct
{
  UrbProgram *program;
  GArray     *parts;  /* of Part, owned: in the order of the updates */
  GArray     *out;    /* of UrbInstruction, owned */
  int         stages[N_STAGES][N_BLOCKS]; /* buffers */
  guint       n_fetched; /* parts whose fetches are emitted */
} Offload;

static gboolean
is_op (const UrbInstruction *instruction, UkOpKind kind)
{
  return instruction->kind == URB_DO_OP && instruction->desc.kind == kind;
}

static Part *
get_part (const Offload *self, guint index)
{
  return &g_array_index (self->parts, Part, index);
}

static void
find_parts (Offload *self, gint64 most)
{
  for (guint i = 0; i < self->program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (self->program, i);

      for (gint64 first = 0; is_op (instruction, UK_OP_ADAM) && first < instruction->desc.x.n; first += most)
        {
          Part part = { i, first, MIN (most, instruction->desc.x.n - first), -1 };

          g_array_append_val (self->parts, part);
        }
    }
}

static void
add_stages (Offload *self)
{
  gint64 count = 0;

  for (guint p = 0; p < self->parts->len; p++)
    count = MAX (count, get_part (self, p)->count);
  for (int s = 0; s < N_STAGES; s++)
    for (int b = 0; b < N_BLOCKS; b++)
      self->stages[s][b] = urb_program_add_temp (self->program, g_strdup_printf ("stage.%d.%d", s, b),
                                                 UK_REAL, count).buffer;
}

/* Part @index of a block, in the storage and on the device.  Its transfers follow each other. */
static UrbView
get_outside (const Offload *self, guint index, int block)
{
  const Part *part = get_part (self, index);
  UrbView view = urb_program_get_instruction (self->program, part->adam)->args[block_args[block]];

  view.offset += part->first;
  return view;
}

static UrbView
get_stage (const Offload *self, guint index, int block)
{
  return (UrbView) { self->stages[index % N_STAGES][block], 0 };
}

/* Returns: the last request */
static int
emit_transfers (Offload *self, guint index, UrbCollectiveKind kind)
{
  const UrbInstruction *adam = urb_program_get_instruction (self->program, get_part (self, index)->adam);
  gboolean is_fetch = kind == URB_COLLECTIVE_RECV;
  int request = -1;

  for (int b = 0; b < N_BLOCKS; b++)
    {
      UrbView outside = get_outside (self, index, b), stage = get_stage (self, index, b);
      UrbInstruction transfer;

      if (outside.buffer < 0)
        continue; /* the update has no such block */
      transfer = urb_program_new_transfer (self->program, kind, get_part (self, index)->count,
                                           is_fetch ? outside : stage, is_fetch ? stage : outside);
      transfer.net = adam->net;
      transfer.pass = adam->pass;
      g_array_append_val (self->out, transfer);
      request = transfer.request;
    }
  return request;
}

/* Fetches the parts of @net up to @end, as far as there are so many. */
static void
fetch (Offload *self, const char *net, guint end)
{
  for (; self->n_fetched < MIN (end, self->parts->len); self->n_fetched++)
    {
      Part *part = get_part (self, self->n_fetched);

      if (strcmp (urb_program_get_instruction (self->program, part->adam)->net, net) != 0)
        return;
      part->fetched = emit_transfers (self, self->n_fetched, URB_COLLECTIVE_RECV);
    }
}

static void
update (Offload *self, guint index)
{
  const Part *part = get_part (self, index);
  UrbInstruction adam = *urb_program_get_instruction (self->program, part->adam);
  UrbInstruction await;

  adam.request = part->fetched;
  await = urb_program_new_await (&adam);
  g_array_append_val (self->out, await);
  adam.desc.x.n = adam.desc.y.n = part->count;
  adam.args[0].offset += part->first; /* weights */
  adam.args[1].offset += part->first; /* gradients */
  for (int b = 0; b < N_BLOCKS; b++)
    if (adam.args[block_args[b]].buffer >= 0)
      adam.args[block_args[b]] = get_stage (self, index, b);
  g_array_append_val (self->out, adam);
  emit_transfers (self, index, URB_COLLECTIVE_SEND);
}

static void
rewrite (Offload *self)
{
  guint next = 0; /* part */

  for (guint i = 0; i < self->program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (self->program, i);

      /* Before anything of the update needs them. */
      if (is_op (instruction, UK_OP_GRAD_FACTOR))
        fetch (self, instruction->net, next + N_STAGES);
      if (!is_op (instruction, UK_OP_ADAM))
        g_array_append_val (self->out, *instruction);
      for (; next < self->parts->len && get_part (self, next)->adam == i; next++)
        {
          update (self, next);
          fetch (self, instruction->net, next + 1 + N_STAGES);
        }
    }
}

static void
move_outside (UrbProgram *program, const UrbProgramNet *slot)
{
  const int buffers[N_BLOCKS] = { slot->moment1, slot->moment2, slot->ema };

  for (int b = 0; b < N_BLOCKS; b++)
    if (buffers[b] >= 0)
      urb_program_get_buffer (program, buffers[b])->store = URB_STORE_OUTSIDE;
}

void
urb_program_offload (UrbProgram *program, gint64 most)
{
  Offload self = { .program = program,
                   .parts = g_array_new (FALSE, FALSE, sizeof (Part)),
                   .out = g_array_new (FALSE, FALSE, sizeof (UrbInstruction)) };

  g_return_if_fail (!program->planned && most > 0);

  find_parts (&self, most);
  add_stages (&self);
  rewrite (&self);
  g_array_set_size (program->instructions, 0);
  g_array_append_vals (program->instructions, self.out->data, self.out->len);
  move_outside (program, &program->g);
  move_outside (program, &program->d);
  g_array_unref (self.parts);
  g_array_unref (self.out);
}

/* ------------------------------------------------------------------------ */
/* Parameters, for each use                                                  */

static gboolean
is_param (const UrbProgram *program, const UrbInstruction *instruction, int arg)
{
  return instruction->args[arg].buffer == program->g.params;
}

/* Puts fetched parameters in the place of those that @instruction reads.  Returns: the last request to
 * fetch them; -1 if it reads none */
static int
fetch_params (UrbProgram *program, UrbInstruction *instruction, GArray *out)
{
  int request = -1;

  for (int a = 0; a < UK_MAX_ARGS; a++)
    if (is_param (program, instruction, a))
      {
        gint64 count = urb_instruction_count_arg (instruction, a);
        UrbView fetched = urb_program_add_temp (program, g_strdup ("fetched"), UK_REAL, count);
        UrbInstruction transfer = urb_program_new_transfer (program, URB_COLLECTIVE_RECV, count,
                                                            instruction->args[a], fetched);

        transfer.net = instruction->net;
        transfer.layer = instruction->layer;
        transfer.pass = instruction->pass;
        g_array_append_val (out, transfer);
        instruction->args[a] = fetched;
        request = transfer.request;
      }
  return request;
}

void
urb_program_fetch_params (UrbProgram *program)
{
  g_autoptr(GArray) in = program->instructions;
  guint n = in->len, ahead = 0;
  gint64 latest = -1; /* instruction whose parameters are fetched */
  g_autofree int *requests = g_new (int, MAX (n, 1));

  g_return_if_fail (!program->planned && program->g.params >= 0);

  program->instructions = g_array_new (FALSE, TRUE, sizeof (UrbInstruction));
  for (guint i = 0; i < n; i++)
    {
      UrbInstruction instruction;

      /* Those of this instruction, and of the next one that needs any. */
      for (; ahead < n && latest <= i; ahead++)
        {
          requests[ahead] = fetch_params (program, &g_array_index (in, UrbInstruction, ahead),
                                          program->instructions);
          latest = requests[ahead] >= 0 ? ahead : latest;
        }
      instruction = g_array_index (in, UrbInstruction, i);
      if (requests[i] >= 0)
        {
          instruction.request = requests[i];
          urb_program_emit (program, urb_program_new_await (&instruction));
        }
      urb_program_emit (program, instruction);
    }
  urb_program_get_buffer (program, program->g.params)->store = URB_STORE_OUTSIDE;
}
