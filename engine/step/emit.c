/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.c - forward, backward and tangent passes of one network.
 *
 * The hard part is the order in the tangent pass: a layer's tangent is pushed through
 * before it is combined with the activation (AXPBY), so that the combination may reuse
 * the tangent's memory.
 */
#include "step/emit-private.h"

UrbActivations *
urb_activations_new (const UrbProgramNet *slot, gint64 n, int n_groups)
{
  UrbActivations *self = g_new0 (UrbActivations, 1);
  int n_layers = urb_net_get_n_layers (slot->net);

  self->slot = slot;
  self->n = n;
  self->n_groups = n_groups;
  self->values = g_new0 (UrbView, n_layers + 1);
  self->means = g_new0 (UrbView, n_layers);
  self->inv_stds = g_new0 (UrbView, n_layers);
  return self;
}

void
urb_activations_free (UrbActivations *self)
{
  if (self == NULL)
    return;
  g_free (self->values);
  g_free (self->means);
  g_free (self->inv_stds);
  g_free (self);
}

UrbView
urb_view_skip (UrbView view, UkShape shape, gint64 n)
{
  shape.n = 1;
  view.offset += n * uk_shape_count (shape);
  return view;
}

/* ------------------------------------------------------------------------ */

UrbView
urb_emit_param (const UrbProgramNet *slot, int block, int param)
{
  return param < 0 ? URB_NO_VIEW : (UrbView) { block, urb_net_get_param (slot->net, param)->offset };
}

UrbView
urb_emit_temp (UrbEmitter *self, const UrbProgramNet *slot, const char *what, int layer,
               UkArgType type, gint64 count)
{
  return urb_program_add_temp (self->program,
                               g_strdup_printf ("%s.%s.%d", slot->net->name, what, layer),
                               type, count);
}

UrbInstruction
urb_emit_instruction (const UrbEmitter *self, const UrbProgramNet *slot, int layer, UrbPass pass,
                      UkOpDesc desc)
{
  UrbInstruction result = urb_instruction_new (URB_DO_OP);

  result.desc = desc;
  result.net = slot->net->name;
  result.layer = layer;
  result.microbatch = self->microbatch;
  result.pass = pass;
  return result;
}

void
urb_emit_with (UrbEmitter *self, UrbInstruction instruction, const UrbView *args, gsize n_args)
{
  g_assert ((int) n_args == uk_op_info (instruction.desc.kind)->n_args);
  for (gsize i = 0; i < n_args; i++)
    instruction.args[i] = args[i];
  urb_program_emit (self->program, instruction);
}

static gint64
count_elements (UkShape shape, gint64 n)
{
  shape.n = n;
  return uk_shape_count (shape);
}

/* ------------------------------------------------------------------------ */
/* Forward                                                                   */

static void
forward_layer (UrbEmitter *self, UrbActivations *acts, int index, UrbView y, UrbBatchNormMode mode)
{
  const UrbProgramNet *slot = acts->slot;
  const UrbLayer *layer = urb_net_get_layer (slot->net, index);
  UrbInstruction instruction = urb_emit_instruction (self, slot, index, URB_PASS_FORWARD,
                                                urb_net_get_forward_desc (slot->net, index, acts->n));
  UrbView x = acts->values[layer->input];
  UrbView w = urb_emit_param (slot, slot->params, layer->weight);
  UrbView b = urb_emit_param (slot, slot->params, layer->bias);

  switch (layer->kind)
    {
    case URB_LAYER_CONV:
      EMIT (self, instruction, x, w, b, y);
      break;
    case URB_LAYER_BATCH_NORM:
      urb_emit_norm_forward (self, acts, index, y, mode);
      break;
    case URB_LAYER_BIAS_ACT:
      EMIT (self, instruction, x, b, y);
      break;
    case URB_LAYER_UPSAMPLE:
    case URB_LAYER_DOWNSAMPLE:
      EMIT (self, instruction, x, y);
      break;
    case URB_LAYER_ADD:
      EMIT (self, instruction, x, acts->values[layer->input2], y);
      break;
    case URB_LAYER_DEPTHWISE:
      EMIT (self, instruction, x, w, y);
      break;
    }
}

UrbActivations *
urb_emit_forward (UrbEmitter *self, const UrbProgramNet *slot, gint64 n, int n_groups, UrbView input,
                  UrbView output, UrbBatchNormMode mode)
{
  UrbActivations *acts = urb_activations_new (slot, n, n_groups);
  int n_layers = urb_net_get_n_layers (slot->net);

  acts->values[0] = input;
  for (int i = 0; i < n_layers; i++)
    {
      gboolean last = i == n_layers - 1 && output.buffer >= 0;

      acts->values[i + 1] = last ? output
                                 : urb_emit_temp (self, slot, "act", i, UK_VALUE,
                                         count_elements (urb_net_get_layer (slot->net, i)->out, n));
      forward_layer (self, acts, i, acts->values[i + 1], mode);
    }
  return acts;
}

/* ------------------------------------------------------------------------ */
/* Backward                                                                  */

typedef struct
{
  UrbEmitter               *emitter;
  const UrbActivations     *acts;
  const UrbBackwardOptions *options;
  UrbView                  *grads; /* (n_layers + 1), of the values; buffer -1: none yet */
} Backward;

static UrbView
value_of (const Backward *self, int value)
{
  return urb_view_skip (self->acts->values[value],
                        urb_net_get_value_shape (self->acts->slot->net, value), self->options->first);
}

static UrbInstruction
backward_instruction (const Backward *self, int index, UkOpKind kind)
{
  UkOpDesc desc = urb_net_get_forward_desc (self->acts->slot->net, index, self->options->n);

  desc.kind = kind;
  desc.accumulate = self->options->accumulate;
  return urb_emit_instruction (self->emitter, self->acts->slot, index, URB_PASS_BACKWARD, desc);
}

static UrbView
grad_temp (Backward *self, const char *what, int index, UkShape shape)
{
  return urb_emit_temp (self->emitter, self->acts->slot, what, index, UK_VALUE,
                        count_elements (shape, self->options->n));
}

/* The gradient of a value that several layers read is the sum of theirs. */
static void
add_grad (Backward *self, int value, UrbView grad)
{
  UkShape shape = urb_net_get_value_shape (self->acts->slot->net, value);
  UkOpDesc desc = { .kind = UK_OP_ADD, .x = shape, .y = shape };
  UrbView sum;

  if (self->grads[value].buffer < 0)
    {
      self->grads[value] = grad;
      return;
    }
  desc.x.n = desc.y.n = self->options->n;
  sum = grad_temp (self, "grad-sum", value, shape);
  EMIT (self->emitter,
        urb_emit_instruction (self->emitter, self->acts->slot, -1, URB_PASS_BACKWARD, desc),
        self->grads[value], grad, sum);
  self->grads[value] = sum;
}

static UrbView
grad_param (const Backward *self, int param)
{
  return urb_emit_param (self->acts->slot, self->acts->slot->grads, param);
}

/* Back through the activation, including the bias's gradient; returns the delta. */
static UrbView
through_act (Backward *self, int index, UrbView dy)
{
  const UrbLayer *layer = urb_net_get_layer (self->acts->slot->net, index);
  UrbInstruction instruction = backward_instruction (self, index, UK_OP_ACT_GRAD);
  UrbView db = self->options->want_params ? grad_param (self, layer->bias) : URB_NO_VIEW;
  gboolean is_last = index == urb_net_get_n_layers (self->acts->slot->net) - 1;
  gboolean linear = layer->act == UK_ACT_NONE || (is_last && self->options->before_act);
  UrbView delta = URB_NO_VIEW;

  if (linear && db.buffer < 0)
    return dy;
  instruction.desc.x = instruction.desc.y;
  if (linear)
    instruction.desc.act = UK_ACT_NONE;
  else
    delta = grad_temp (self, "delta", index, layer->out);
  EMIT (self->emitter, instruction, linear ? URB_NO_VIEW : value_of (self, index + 1), dy,
        db.buffer < 0 ? URB_NO_VIEW : self->options->scale, db, delta);
  return linear ? dy : delta;
}

static void
backward_weights (Backward *self, int index, UkOpKind wgrad, UkOpKind dgrad, UrbView delta)
{
  const UrbProgramNet *slot = self->acts->slot;
  const UrbLayer *layer = urb_net_get_layer (slot->net, index);

  if (self->options->want_params && !self->options->only_biases)
    EMIT (self->emitter, backward_instruction (self, index, wgrad), value_of (self, layer->input),
          delta, grad_param (self, layer->weight));
  if (layer->input > 0 || self->options->want_input)
    {
      UrbView dx = grad_temp (self, "grad", index, layer->in);

      EMIT (self->emitter, backward_instruction (self, index, dgrad), delta,
            urb_emit_param (slot, slot->params, layer->weight), dx);
      add_grad (self, layer->input, dx);
    }
}

/* The adjoint of upsampling is 4 times downsampling, and vice versa a quarter (uk.h). */
static void
backward_resample (Backward *self, int index, UrbView dy)
{
  const UrbLayer *layer = urb_net_get_layer (self->acts->slot->net, index);
  gboolean up = layer->kind == URB_LAYER_UPSAMPLE;
  UrbInstruction instruction = backward_instruction (self, index,
                                                     up ? UK_OP_DOWNSAMPLE : UK_OP_UPSAMPLE);
  UrbView dx = grad_temp (self, "grad", index, layer->in);
  UkShape x = instruction.desc.x;

  instruction.desc.x = instruction.desc.y;
  instruction.desc.y = x;
  instruction.desc.scale = up ? 4.0f : 0.25f;
  EMIT (self->emitter, instruction, dy, dx);
  add_grad (self, layer->input, dx);
}

static void
backward_layer (Backward *self, int index)
{
  const UrbLayer *layer = urb_net_get_layer (self->acts->slot->net, index);
  UrbView dy = self->grads[index + 1], delta = dy, dx;

  switch (layer->kind)
    {
    case URB_LAYER_CONV:
      delta = through_act (self, index, dy);
      backward_weights (self, index, UK_OP_CONV_WGRAD, UK_OP_CONV_DGRAD, delta);
      break;
    case URB_LAYER_DEPTHWISE:
      backward_weights (self, index, UK_OP_DEPTHWISE_WGRAD, UK_OP_DEPTHWISE_DGRAD, delta);
      break;
    case URB_LAYER_BATCH_NORM:
      dx = grad_temp (self, "grad", index, layer->in);
      urb_emit_norm_backward (self->emitter, self->acts, index, self->options, dy, dx);
      add_grad (self, layer->input, dx);
      break;
    case URB_LAYER_BIAS_ACT:
      delta = through_act (self, index, dy);
      add_grad (self, layer->input, delta);
      break;
    case URB_LAYER_UPSAMPLE:
    case URB_LAYER_DOWNSAMPLE:
      backward_resample (self, index, dy);
      break;
    case URB_LAYER_ADD:
      add_grad (self, layer->input, dy);
      add_grad (self, layer->input2, dy);
      break;
    }
  if (self->options->deltas != NULL)
    self->options->deltas[index] = delta;
}

UrbView
urb_emit_backward (UrbEmitter *self, const UrbActivations *acts, UrbView dout,
                   const UrbBackwardOptions *options)
{
  int n_layers = urb_net_get_n_layers (acts->slot->net);
  g_autofree UrbView *grads = g_new (UrbView, n_layers + 1);
  Backward backward = { self, acts, options, grads };

  for (int i = 0; i < n_layers; i++)
    grads[i] = URB_NO_VIEW;
  grads[n_layers] = dout;
  for (int i = n_layers - 1; i >= 0; i--)
    backward_layer (&backward, i);
  return grads[0];
}

/* ------------------------------------------------------------------------ */
/* Tangent                                                                   */

typedef struct
{
  UrbEmitter           *emitter;
  const UrbActivations *acts;
  UrbView              *tangents; /* (n_layers + 1), of the values */
  UrbView               c, k;
  const UrbView        *deltas;
  gboolean              accumulate;
} Tangent;

static UrbInstruction
tangent_instruction (const Tangent *self, int index, UkOpDesc desc)
{
  return urb_emit_instruction (self->emitter, self->acts->slot, index, URB_PASS_TANGENT, desc);
}

static UrbView
tangent_temp (Tangent *self, const char *what, int index, UkShape shape)
{
  return urb_emit_temp (self->emitter, self->acts->slot, what, index, UK_VALUE,
                        count_elements (shape, self->acts->n));
}

/* u = act' (y) t, with act' derived from the stored output. */
static UrbView
mask (Tangent *self, int index, UrbView t)
{
  const UrbLayer *layer = urb_net_get_layer (self->acts->slot->net, index);
  UkOpDesc desc = urb_net_get_forward_desc (self->acts->slot->net, index, self->acts->n);
  UrbView u;

  if (layer->act == UK_ACT_NONE)
    return t;
  desc.kind = UK_OP_ACT_GRAD;
  desc.x = desc.y;
  u = tangent_temp (self, "tangent", index, layer->out);
  EMIT (self->emitter, tangent_instruction (self, index, desc), self->acts->values[index + 1], t,
        URB_NO_VIEW, URB_NO_VIEW, u);
  return u;
}

/* Pushes the tangent through the layer's linear map, then computes the weight gradient of
 * its combination with the activation. */
static void
tangent_weights (Tangent *self, int index, UkOpKind wgrad)
{
  const UrbProgramNet *slot = self->acts->slot;
  const UrbLayer *layer = urb_net_get_layer (slot->net, index);
  UkOpDesc desc = urb_net_get_forward_desc (slot->net, index, self->acts->n), axpby = desc;
  UrbView u = self->tangents[layer->input], w = urb_emit_param (slot, slot->params, layer->weight);
  UrbView t, x;

  desc.act = UK_ACT_NONE;
  if (index < urb_net_get_n_layers (slot->net) - 1)
    {
      t = tangent_temp (self, "push", index, layer->out);
      if (layer->kind == URB_LAYER_CONV)
        EMIT (self->emitter, tangent_instruction (self, index, desc), u, w, URB_NO_VIEW, t);
      else
        EMIT (self->emitter, tangent_instruction (self, index, desc), u, w, t);
      self->tangents[index + 1] = mask (self, index, t);
    }
  axpby.kind = UK_OP_AXPBY;
  axpby.y = axpby.x;
  x = tangent_temp (self, "mix", index, layer->in);
  EMIT (self->emitter, tangent_instruction (self, index, axpby), self->acts->values[layer->input],
        self->c, u, self->k, x);
  desc.kind = wgrad;
  desc.accumulate = self->accumulate;
  EMIT (self->emitter, tangent_instruction (self, index, desc), x, self->deltas[index],
        urb_emit_param (slot, slot->grads, layer->weight));
}

static void
tangent_layer (Tangent *self, int index)
{
  const UrbLayer *layer = urb_net_get_layer (self->acts->slot->net, index);
  UkOpDesc desc = urb_net_get_forward_desc (self->acts->slot->net, index, self->acts->n);
  UrbView u = self->tangents[layer->input], t;

  switch (layer->kind)
    {
    case URB_LAYER_CONV:
      tangent_weights (self, index, UK_OP_CONV_WGRAD);
      break;
    case URB_LAYER_DEPTHWISE:
      tangent_weights (self, index, UK_OP_DEPTHWISE_WGRAD);
      break;
    case URB_LAYER_BIAS_ACT:
      self->tangents[index + 1] = mask (self, index, u);
      break;
    case URB_LAYER_UPSAMPLE:
    case URB_LAYER_DOWNSAMPLE:
      t = tangent_temp (self, "tangent", index, layer->out);
      EMIT (self->emitter, tangent_instruction (self, index, desc), u, t);
      self->tangents[index + 1] = t;
      break;
    case URB_LAYER_ADD:
      t = tangent_temp (self, "tangent", index, layer->out);
      EMIT (self->emitter, tangent_instruction (self, index, desc), u,
            self->tangents[layer->input2], t);
      self->tangents[index + 1] = t;
      break;
    case URB_LAYER_BATCH_NORM:
      g_assert_not_reached (); /* it couples samples: see urb_program_new_gan */
    }
}

void
urb_emit_tangent (UrbEmitter *self, const UrbActivations *acts, UrbView v, UrbView c, UrbView k,
                  const UrbView *deltas, gboolean accumulate)
{
  int n_layers = urb_net_get_n_layers (acts->slot->net);
  g_autofree UrbView *tangents = g_new0 (UrbView, n_layers + 1);
  Tangent tangent = { self, acts, tangents, c, k, deltas, accumulate };

  tangents[0] = v;
  for (int i = 0; i < n_layers; i++)
    tangent_layer (&tangent, i);
}
