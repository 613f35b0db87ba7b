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

/* Batch norm @index of @acts with the views that all samples share. */
typedef struct
{
  UrbEmitter           *emitter;
  const UrbActivations *acts;
  const UrbLayer       *layer;
  int                   index;
  UrbView               gamma, beta;
} Norm;

static Norm
norm_new (UrbEmitter *emitter, const UrbActivations *acts, int index)
{
  const UrbProgramNet *slot = acts->slot;
  const UrbLayer *layer = urb_net_get_layer (slot->net, index);

  return (Norm) { emitter, acts, layer, index, urb_emit_param (slot, slot->params, layer->weight),
                  urb_emit_param (slot, slot->params, layer->bias) };
}

static UrbInstruction
norm_instruction (const Norm *self, UrbPass pass, UkOpKind kind)
{
  UkOpDesc desc = urb_net_get_forward_desc (self->acts->slot->net, self->index,
                                            self->acts->n / self->acts->n_groups);

  desc.kind = kind;
  if (self->emitter->sync_ranks > 1)
    desc.batch = desc.x.n * self->emitter->sync_ranks;
  return urb_emit_instruction (self->emitter, self->acts->slot, self->index, pass, desc);
}

static UrbView
norm_temp (const Norm *self, const char *what, gint64 count)
{
  return urb_emit_temp (self->emitter, self->acts->slot, what, self->index, UK_REAL, count);
}

/* Samples of @v before group @group. */
static UrbView
skip_groups (const Norm *self, UrbView v, int group)
{
  return urb_view_skip (v, self->layer->in, group * (self->acts->n / self->acts->n_groups));
}

/* A group's part of the means or of the inverse standard deviations. */
static UrbView
statistics_of (const Norm *self, const UrbView *all, int group)
{
  return (UrbView) { all[self->index].buffer, all[self->index].offset + group * self->layer->in.c };
}

/* ------------------------------------------------------------------------ */
/* Forward                                                                   */

static void
forward_of_ranks (const Norm *self, UrbView x, UrbView running_mean, UrbView running_var, UrbView y,
                  UrbView mean, UrbView inv_std)
{
  UrbEmitter *emitter = self->emitter;
  gint64 c = self->layer->in.c;
  UrbView own = norm_temp (self, "statistics", 2 * c);
  UrbView all = norm_temp (self, "all-statistics", 2 * c * emitter->sync_ranks);
  UrbInstruction local = norm_instruction (self, URB_PASS_FORWARD, UK_OP_BATCH_NORM_LOCAL);

  EMIT (emitter, local, x, own);
  exchange (emitter, &local, URB_COLLECTIVE_ALL_GATHER, 2 * c, own, all);
  EMIT (emitter, norm_instruction (self, URB_PASS_FORWARD, UK_OP_BATCH_NORM_GLOBAL), x, all, self->gamma,
        self->beta, running_mean, running_var, y, mean, inv_std);
}

void
urb_emit_norm_forward (UrbEmitter *emitter, UrbActivations *acts, int index, UrbView y,
                       UrbBatchNormMode mode)
{
  Norm self = norm_new (emitter, acts, index);
  UrbView x = acts->values[self.layer->input];
  UrbView running_mean = state_view (acts->slot, self.layer->running_mean);
  UrbView running_var = state_view (acts->slot, self.layer->running_var);

  if (mode != URB_BATCH_NORM_GIVEN)
    {
      acts->means[index] = norm_temp (&self, "mean", acts->n_groups * self.layer->in.c);
      acts->inv_stds[index] = norm_temp (&self, "inv-std", acts->n_groups * self.layer->in.c);
    }
  if (mode == URB_BATCH_NORM_REPLAY)
    running_mean = running_var = URB_NO_VIEW;
  for (int g = 0; g < acts->n_groups; g++)
    {
      UrbView in = skip_groups (&self, x, g), out = skip_groups (&self, y, g);

      if (mode == URB_BATCH_NORM_GIVEN)
        EMIT (emitter, norm_instruction (&self, URB_PASS_FORWARD, UK_OP_BATCH_NORM_INFER), in, self.gamma,
              self.beta, running_mean, running_var, out);
      else if (emitter->sync_ranks > 1)
        forward_of_ranks (&self, in, running_mean, running_var, out, statistics_of (&self, acts->means, g),
                          statistics_of (&self, acts->inv_stds, g));
      else
        EMIT (emitter, norm_instruction (&self, URB_PASS_FORWARD, UK_OP_BATCH_NORM), in, self.gamma,
              self.beta, running_mean, running_var, out, statistics_of (&self, acts->means, g),
              statistics_of (&self, acts->inv_stds, g));
    }
}

/* ------------------------------------------------------------------------ */
/* Backward                                                                  */

/* Of a group; dgamma and dbeta may be missing. */
typedef struct
{
  UrbView  x, dy, dx, mean, inv_std, dgamma, dbeta;
  gboolean accumulate;
} Backward;

/* dgamma and dbeta are this rank's only: they are summed with all gradients. */
static void
backward_of_ranks (const Norm *self, const Backward *v)
{
  UrbEmitter *emitter = self->emitter;
  gint64 c = self->layer->in.c;
  UrbView sums = norm_temp (self, "sums", 2 * c);
  UrbInstruction local = norm_instruction (self, URB_PASS_BACKWARD, UK_OP_BATCH_NORM_GRAD_LOCAL);

  local.desc.accumulate = v->accumulate;
  EMIT (emitter, local, v->x, v->dy, self->gamma, self->beta, v->mean, v->inv_std, sums, v->dgamma, v->dbeta);
  exchange (emitter, &local, URB_COLLECTIVE_ALL_REDUCE, 2 * c, sums, sums);
  EMIT (emitter, norm_instruction (self, URB_PASS_BACKWARD, UK_OP_BATCH_NORM_GRAD_GLOBAL), v->x, v->dy,
        self->gamma, self->beta, v->mean, v->inv_std, sums, v->dx);
}

static void
backward_of_rank (const Norm *self, const Backward *v)
{
  UrbInstruction instruction = norm_instruction (self, URB_PASS_BACKWARD, UK_OP_BATCH_NORM_GRAD);
  UrbView dgamma = v->dgamma, dbeta = v->dbeta;

  if (dgamma.buffer < 0) /* the operation writes them anyway */
    {
      dgamma = norm_temp (self, "unused-gamma", self->layer->in.c);
      dbeta = norm_temp (self, "unused-beta", self->layer->in.c);
    }
  instruction.desc.accumulate = v->accumulate;
  EMIT (self->emitter, instruction, v->x, v->dy, self->gamma, self->beta, v->mean, v->inv_std, v->dx, dgamma,
        dbeta);
}

void
urb_emit_norm_backward (UrbEmitter *emitter, const UrbActivations *acts, int index,
                        const UrbBackwardOptions *options, UrbView dy, UrbView dx)
{
  const UrbProgramNet *slot = acts->slot;
  Norm self = norm_new (emitter, acts, index);
  gint64 n = acts->n / acts->n_groups;
  int first = (int) (options->first / n), n_groups = (int) (options->n / n);

  g_assert (first * n == options->first && n_groups * n == options->n);
  for (int g = 0; g < n_groups; g++)
    {
      Backward views = { .x = skip_groups (&self, acts->values[self.layer->input], first + g),
                         .dy = skip_groups (&self, dy, g), .dx = skip_groups (&self, dx, g),
                         .mean = statistics_of (&self, acts->means, first + g),
                         .inv_std = statistics_of (&self, acts->inv_stds, first + g),
                         .dgamma = URB_NO_VIEW, .dbeta = URB_NO_VIEW };

      if (options->want_params)
        {
          views.dgamma = urb_emit_param (slot, slot->grads, self.layer->weight);
          views.dbeta = urb_emit_param (slot, slot->grads, self.layer->bias);
          views.accumulate = options->accumulate || g > 0;
        }
      if (emitter->sync_ranks > 1)
        backward_of_ranks (&self, &views);
      else
        backward_of_rank (&self, &views);
    }
}
