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

/* Replicas of dp omit instructions, so each rank labels its own. */
void
urb_trainer_watch (UrbTrainer *self)
{
  self->nan_at = -1;
  for (guint i = 0; i < self->program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (self->program, i);
      g_autofree char *label = urb_instruction_dup_label (instruction);

      urb_board_set_label (self->rank.board, self->rank.rank, (int) i, label);
      /* Every rank computes a loss from logits. */
      if (self->nan_at < 0 && instruction->kind == URB_DO_OP && instruction->pass == URB_PASS_LOSS)
        self->nan_at = (int) i;
    }
  self->nan_step = -1;
  urb_interpreter_set_progress (self->interpreter, progress_cb, self);
  if (urb_fault_is_of_value ())
    urb_interpreter_forbid_recording (self->interpreter);
}
