/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fit.c - see fit.h.
 *
 * The derivative of a cross entropy with respect to what softmax and tanh are applied to is the
 * difference of image and target, so the backward pass begins there: no division by a probability,
 * and no gradient that vanishes where the image is surely wrong.  The weighted difference is the
 * operation of batch norm with given statistics, on images whose pixels are channels: weights y +
 * shifts.
 */
#include "step/fit.h"

#include "step/emit.h"

static const UrbLayer *
get_last (const UrbNet *g)
{
  return urb_net_get_layer (g, urb_net_get_n_layers (g) - 1);
}

float
urb_fit_get_factor (const UrbNet *g)
{
  return get_last (g)->act == UK_ACT_SOFTMAX ? 0.5f : 1;
}

static int
add_input (UrbProgram *program, const char *name, UkArgType type, gint64 count)
{
  return urb_program_add_buffer (program, g_strdup (name), URB_STORE_INPUT, type, count);
}

/* weights y + shifts */
static UrbView
emit_difference (UrbProgram *program, gint64 n, gint64 n_values)
{
  UrbView result = urb_program_add_temp (program, g_strdup ("difference"), UK_VALUE, n * n_values);
  UrbInstruction instruction = urb_instruction_new (URB_DO_OP);
  int zeros = add_input (program, "zeros", UK_REAL, n_values); /* never written: memory is born 0 */
  const UrbView args[] = { { program->images, 0 }, { program->weights, 0 }, { program->shifts, 0 },
                           { zeros, 0 }, { zeros, 0 }, result };

  instruction.desc = (UkOpDesc) { .kind = UK_OP_BATCH_NORM_INFER, .x = { n, 1, 1, n_values },
                                  .y = { n, 1, 1, n_values }, .eps = 1 };
  instruction.pass = URB_PASS_LOSS;
  for (gsize i = 0; i < G_N_ELEMENTS (args); i++)
    instruction.args[i] = args[i];
  urb_program_emit (program, instruction);
  return result;
}

UrbProgram *
urb_program_new_fit (const UrbNet *g, gint64 n)
{
  UrbProgram *program = urb_program_new ();
  UrbEmitter emitter = { .program = program };
  gint64 n_in = uk_shape_count (g->in), n_out = uk_shape_count (g->out);
  UrbBackwardOptions backward = { .n = n, .want_input = TRUE, .before_act = TRUE,
                                  .scale = URB_NO_VIEW };
  UrbInstruction copy = urb_instruction_new (URB_DO_COPY);
  g_autoptr(UrbActivations) acts = NULL;

  g_return_val_if_fail (!urb_net_has_batch_norm (g), NULL);
  program->batch = n;
  urb_program_add_net (program, &program->g, g, FALSE, FALSE, FALSE);
  program->z = add_input (program, "z", UK_VALUE, n * n_in);
  program->weights = add_input (program, "weights", UK_REAL, n_out);
  program->shifts = add_input (program, "shifts", UK_REAL, n_out);
  program->images = urb_program_add_buffer (program, g_strdup ("images"), URB_STORE_OUTPUT,
                                            UK_VALUE, n * n_out);
  program->dz = urb_program_add_buffer (program, g_strdup ("dz"), URB_STORE_OUTPUT, UK_VALUE,
                                        n * n_in);
  acts = urb_emit_forward (&emitter, &program->g, n, 1, (UrbView) { program->z, 0 },
                           (UrbView) { program->images, 0 }, URB_BATCH_NORM_GIVEN);
  copy.args[0] = urb_emit_backward (&emitter, acts, emit_difference (program, n, n_out), &backward);
  copy.args[1] = (UrbView) { program->dz, 0 };
  copy.count = n * n_in;
  copy.pass = URB_PASS_BACKWARD;
  urb_program_emit (program, copy);
  return program;
}
