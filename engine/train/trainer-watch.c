/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trainer-watch.c - shows a rank's position on the status board, and injects faults
 * (parallel/fault.h).
 */
#include <math.h>

#include "parallel/fault.h"
#include "train/trainer-private.h"

/* Writes a NaN into the first argument; the trainer has to notice. */
static void
inject_nan (UrbTrainer *self, int instruction)
{
  const UrbView *view = &urb_program_get_instruction (self->program, (guint) instruction)->args[0];
  char *memory = urb_interpreter_get_memory (self->interpreter, view->buffer);
  UkArgType type = urb_program_get_buffer (self->program, view->buffer)->type;
  const float nan = NAN;

  self->backend->table->upload (self->backend, type,
                                memory + (gsize) view->offset * uk_type_size (self->backend, type),
                                &nan, 1);
}

/* A step that is recomputed to find the NaN gets it again. */
static void
progress_cb (gpointer data, int instruction)
{
  UrbTrainer *self = data;
  UrbBoard *board = self->rank.board;
  int rank = self->rank.rank;
  UrbFault fault;

  urb_board_set_instruction (board, rank, instruction);
  if (instruction != 0 && instruction != self->nan_at)
    return;
  urb_fault_strike (board, rank, urb_board_get_step (board, rank),
                    instruction == 0 ? URB_FAULTS_OF_PROCESS : URB_FAULTS_OF_VALUE, &fault, NULL);
  if (fault == URB_FAULT_NAN)
    self->nan_step = urb_board_get_step (board, rank);
  if (instruction == self->nan_at && self->nan_step == urb_board_get_step (board, rank))
    inject_nan (self, instruction);
}

/* Every rank computes a loss from logits. */
static int
find_loss (const UrbProgram *program)
{
  for (guint i = 0; i < program->instructions->len; i++)
    if (urb_program_get_instruction (program, i)->kind == URB_DO_OP
        && urb_program_get_instruction (program, i)->pass == URB_PASS_LOSS)
      return (int) i;
  return -1;
}

/* Replicas of dp omit instructions, so each rank labels its own. */
void
urb_trainer_watch (UrbTrainer *self)
{
  guint n = MIN (self->program->instructions->len, URB_BOARD_MAX_LABELS);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *label = urb_instruction_dup_label (urb_program_get_instruction (self->program, i));

      urb_board_set_label (self->rank.board, self->rank.rank, (int) i, label);
    }
  self->nan_at = find_loss (self->program);
  self->nan_step = -1;
  urb_interpreter_set_progress (self->interpreter, progress_cb, self);
  if (urb_fault_is_of_value ())
    urb_interpreter_forbid_recording (self->interpreter);
}
