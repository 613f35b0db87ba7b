/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit-norm.c - batch norm's passes over the samples of one rank or of several.
 *
 * With several ranks, both passes exchange data halfway: statistics in the forward
 * pass, sums in the backward pass.  The data is small, so the cost is latency, and it
 * cannot be hidden because the next instruction needs the result.
 */
#include "step/emit-private.h"

static UrbView
state_view (const UrbProgramNet *slot, int state)
{
  return state < 0 || slot->state < 0
           ? URB_NO_VIEW : (UrbView) { slot->state, urb_net_get_state (slot->net, state)->offset };
}

/* A collective with the origin of @like, and the wait for it. */
static void
exchange (UrbEmitter *self, const UrbInstruction *like, UrbCollectiveKind kind, gint64 count,
          UrbView in, UrbView out)
{
  UrbInstruction collect = urb_program_new_collect (self->program, kind, count, 0, in, out);

  collect.axes = self->sync_axes;
  collect.n_parts = self->sync_ranks;
  collect.net = like->net;
  collect.layer = like->layer;
  collect.microbatch = like->microbatch;
  collect.pass = like->pass;
  urb_program_emit (self->program, collect);
  urb_program_emit (self->program, urb_program_new_wait (&collect));
}

/* ------------------------------------------------------------------------ */
/* Forward                                                                   */

typedef struct
{
  UrbView x, gamma, beta, running_mean, running_var, y, mean, inv_std;
} Forward;

static void
forward_of_ranks (UrbEmitter *self, const UrbProgramNet *slot, UrbInstruction instruction,
                  const Forward *views)
{
  gint64 c = instruction.desc.x.c;
  UrbView own = urb_emit_temp (self, slot, "statistics", instruction.layer, UK_REAL, 2 * c);
  UrbView all = urb_emit_temp (self, slot, "all-statistics", instruction.layer, UK_REAL,
                               2 * c * self->sync_ranks);

  instruction.desc.batch = instruction.desc.x.n * self->sync_ranks;
  instruction.desc.kind = UK_OP_BATCH_NORM_LOCAL;
  EMIT (self, instruction, views->x, own);
  exchange (self, &instruction, URB_COLLECTIVE_ALL_GATHER, 2 * c, own, all);
  instruction.desc.kind = UK_OP_BATCH_NORM_GLOBAL;
  EMIT (self, instruction, views->x, all, views->gamma, views->beta, views->running_mean,
        views->running_var, views->y, views->mean, views->inv_std);
}

void
urb_emit_norm_forward (UrbEmitter *self, UrbActivations *acts, int index, UrbView y,
                       UrbBatchNormMode mode)
{
  const UrbProgramNet *slot = acts->slot;
  const UrbLayer *layer = urb_net_get_layer (slot->net, index);
  UkOpDesc desc = urb_net_get_forward_desc (slot->net, index, acts->n);
  UrbInstruction instruction = urb_emit_instruction (self, slot, index, URB_PASS_FORWARD, desc);
  Forward v = { .x = acts->values[layer->input], .y = y,
                .gamma = urb_emit_param (slot, slot->params, layer->weight),
                .beta = urb_emit_param (slot, slot->params, layer->bias),
                .running_mean = state_view (slot, layer->running_mean),
                .running_var = state_view (slot, layer->running_var) };

  if (mode == URB_BATCH_NORM_GIVEN)
    {
      instruction.desc.kind = UK_OP_BATCH_NORM_INFER;
      EMIT (self, instruction, v.x, v.gamma, v.beta, v.running_mean, v.running_var, y);
      return;
    }
  if (mode == URB_BATCH_NORM_REPLAY)
    v.running_mean = v.running_var = URB_NO_VIEW;
  acts->means[index] = v.mean = urb_emit_temp (self, slot, "mean", index, UK_REAL, layer->in.c);
  acts->inv_stds[index] = v.inv_std = urb_emit_temp (self, slot, "inv-std", index, UK_REAL, layer->in.c);
  if (self->sync_ranks > 1)
    forward_of_ranks (self, slot, instruction, &v);
  else
    EMIT (self, instruction, v.x, v.gamma, v.beta, v.running_mean, v.running_var, y, v.mean,
          v.inv_std);
}

/* ------------------------------------------------------------------------ */
/* Backward                                                                  */

/* dgamma and dbeta are this rank's only: they are summed with all gradients. */
static void
backward_of_ranks (UrbEmitter *self, const UrbActivations *acts, UrbInstruction instruction,
                   const UrbNormBackward *views, UrbView dgamma, UrbView dbeta)
{
  int index = instruction.layer;
  gint64 c = instruction.desc.x.c;
  const UrbProgramNet *slot = acts->slot;
  const UrbLayer *layer = urb_net_get_layer (slot->net, index);
  UrbView gamma = urb_emit_param (slot, slot->params, layer->weight);
  UrbView beta = urb_emit_param (slot, slot->params, layer->bias);
  UrbView mean = acts->means[index], inv_std = acts->inv_stds[index];
  UrbView sums = urb_emit_temp (self, slot, "sums", index, UK_REAL, 2 * c);

  instruction.desc.batch = instruction.desc.x.n * self->sync_ranks;
  instruction.desc.kind = UK_OP_BATCH_NORM_GRAD_LOCAL;
  EMIT (self, instruction, views->x, views->dy, gamma, beta, mean, inv_std, sums, dgamma, dbeta);
  exchange (self, &instruction, URB_COLLECTIVE_ALL_REDUCE, 2 * c, sums, sums);
  instruction.desc.kind = UK_OP_BATCH_NORM_GRAD_GLOBAL;
  EMIT (self, instruction, views->x, views->dy, gamma, beta, mean, inv_std, sums, views->dx);
}

void
urb_emit_norm_backward (UrbEmitter *self, const UrbActivations *acts, int index,
                        const UrbBackwardOptions *options, const UrbNormBackward *views)
{
  const UrbProgramNet *slot = acts->slot;
  const UrbLayer *layer = urb_net_get_layer (slot->net, index);
  UkOpDesc desc = urb_net_get_forward_desc (slot->net, index, options->n);
  UrbInstruction instruction = urb_emit_instruction (self, slot, index, URB_PASS_BACKWARD, desc);
  UrbView gamma = urb_emit_param (slot, slot->params, layer->weight);
  UrbView beta = urb_emit_param (slot, slot->params, layer->bias);
  UrbView dgamma = URB_NO_VIEW, dbeta = URB_NO_VIEW;

  if (options->want_params)
    {
      dgamma = urb_emit_param (slot, slot->grads, layer->weight);
      dbeta = urb_emit_param (slot, slot->grads, layer->bias);
    }
  instruction.desc.kind = UK_OP_BATCH_NORM_GRAD;
  instruction.desc.accumulate = options->want_params && options->accumulate;
  if (self->sync_ranks > 1)
    {
      backward_of_ranks (self, acts, instruction, views, dgamma, dbeta);
      return;
    }
  if (!options->want_params) /* the operation writes them anyway */
    {
      dgamma = urb_emit_temp (self, slot, "unused-gamma", index, UK_REAL, layer->in.c);
      dbeta = urb_emit_temp (self, slot, "unused-beta", index, UK_REAL, layer->in.c);
    }
  EMIT (self, instruction, views->x, views->dy, gamma, beta, acts->means[index],
        acts->inv_stds[index], views->dx, dgamma, dbeta);
}
