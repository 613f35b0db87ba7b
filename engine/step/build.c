/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build.c - builds a GAN iteration as a program.
 *
 * Start reading at urb_program_new_gan () at the bottom: it is the iteration.
 */
#include "step/build.h"

#include <math.h>

#include "model/streams.h"
#include "step/emit.h"

typedef struct
{
  const UrbGanOptions *options;
  UrbProgram *program;
  UrbEmitter  emitter;
  int         d_step;  /* that is being built, or whose images G has */
  gint64      n;       /* samples of a microbatch */
  UkShape     image;   /* (n, s, s, c) */
  UrbProgramNet base;    /* g up to the image */
  UrbProgramNet refiner; /* the rest of g, for crops */
  UrbView     d_input; /* (2 n, s, s, c): reals, then fakes */
  UrbView     fake;    /* (n, s, s, c) as the generator wrote them */
  UrbView     shares;  /* (n, 3) of the reals; buffer -1: g is given none */
  UrbActivations *g_acts; /* owned; of the current microbatch */
} Gan;

static UrbView
view (int buffer)
{
  return (UrbView) { buffer, 0 };
}

/* Of the current microbatch among those of all steps of D. */
static int
get_row (const Gan *self)
{
  return self->d_step * self->program->n_microbatches + self->emitter.microbatch;
}

static UrbView
slot_view (const Gan *self, int slot)
{
  return (UrbView) { self->program->metrics, get_row (self) * URB_N_SLOTS + slot };
}

/* By which the gradient of a loss of the network is multiplied in this step. */
static UrbView
scale_of (const Gan *self, const UrbProgramNet *slot)
{
  int d_step = slot == &self->program->d ? self->d_step : 0;

  return (UrbView) { slot->hyper, d_step * UK_N_HYPER + UK_HYPER_LOSS_SCALE };
}

static UrbView
temp (Gan *self, const char *name, gint64 count)
{
  return urb_program_add_temp (self->program, g_strdup (name), UK_VALUE, count);
}

static void
emit (Gan *self, UrbPass pass, UkOpDesc desc, const UrbView *args)
{
  UrbInstruction instruction = urb_instruction_new (URB_DO_OP);

  instruction.desc = desc;
  instruction.pass = pass;
  instruction.microbatch = self->emitter.microbatch;
  for (int i = 0; i < uk_op_info (desc.kind)->n_args; i++)
    instruction.args[i] = args[i];
  urb_program_emit (self->program, instruction);
}

static UkOpDesc
random_desc (const Gan *self, UkOpKind kind, UkShape shape, guint32 stream)
{
  return (UkOpDesc) { .kind = kind, .x = shape, .y = shape, .stream = stream,
                      .first_sample = self->d_step * self->options->batch
                                      + urb_gan_options_get_first (self->options, self->emitter.microbatch) };
}

static UrbView
fake_half (const Gan *self)
{
  return urb_view_skip (self->d_input, self->image, self->n);
}

/* The generator up to the image that the discriminator judges. */
static const UrbNet *
get_base (const UrbGanOptions *options)
{
  return options->base != NULL ? options->base : options->g;
}

static int
n_ranks_of (const UrbGanOptions *options)
{
  return MAX (options->n_ranks, 1);
}

gint64
urb_gan_options_get_n (const UrbGanOptions *self)
{
  return self->batch / self->n_microbatches / n_ranks_of (self);
}

gint64
urb_gan_options_get_first (const UrbGanOptions *self, int microbatch)
{
  return urb_gan_options_get_n (self) * ((gint64) microbatch * n_ranks_of (self) + self->rank);
}

/* ------------------------------------------------------------------------ */

static void
augment (Gan *self, UrbView from, UrbView to, guint32 stream)
{
  emit (self, URB_PASS_LOAD, random_desc (self, UK_OP_AUGMENT, self->image, stream),
        (UrbView[]) { from, view (self->program->rng), view (self->program->augment), to });
}

/* Tiles or crops: those of one sample are turned alike. */
static UkOpDesc
load_desc (const Gan *self, UkShape shape, gboolean bits)
{
  UkOpDesc desc;

  shape.n = self->n;
  desc = random_desc (self, UK_OP_LOAD, shape, URB_STREAM_DIHEDRAL);
  desc.dihedral = TRUE;
  desc.bits = bits;
  return desc;
}

/* What the loader provides for a microbatch, in this order. */
enum { LOAD_TILES, LOAD_SPOILT, LOAD_CROPS, N_LOADS };

/* @offset: (out): of @load in the microbatch's bytes */
static UkOpDesc
load_get (const Gan *self, int load, gint64 *offset)
{
  const UrbNet *refiner = self->options->refiner;
  UkOpDesc descs[N_LOADS] = { load_desc (self, self->image, self->options->tile_bits) };

  if (refiner != NULL)
    {
      descs[LOAD_SPOILT] = load_desc (self, refiner->in, FALSE);
      descs[LOAD_CROPS] = load_desc (self, refiner->out, FALSE);
    }
  *offset = 0;
  for (int i = 0; i < load; i++)
    *offset += uk_op_arg_count (&descs[i], 0);
  return descs[load];
}

/* Bytes that the loader provides for each microbatch. */
static gint64
count_loaded (const Gan *self)
{
  gint64 offset;
  UkOpDesc last = load_get (self, self->options->refiner != NULL ? LOAD_CROPS : LOAD_TILES, &offset);

  return offset + uk_op_arg_count (&last, 0);
}

static void
emit_load (Gan *self, int load, UrbView to)
{
  gint64 offset;
  UkOpDesc desc = load_get (self, load, &offset);
  UrbView from = { self->program->tiles, get_row (self) * count_loaded (self) + offset };

  emit (self, URB_PASS_LOAD, desc, (UrbView[]) { from, view (self->program->rng), to });
}

/* Writes the mean squared norm of @v, samples of @shape, to @slot. */
static void
measure_norm (Gan *self, UkShape shape, UrbView v, int slot)
{
  UkOpDesc desc = { .kind = UK_OP_SQUARED_NORM, .x = shape, .y = shape };
  UrbView squares = urb_program_add_temp (self->program, g_strdup ("squares"), UK_REAL, self->n);

  emit (self, URB_PASS_LOSS, desc, (UrbView[]) { v, squares, slot_view (self, slot) });
}

/* ------------------------------------------------------------------------ */
/* Shares                                                                    */

static UkShape
shares_shape (const Gan *self)
{
  return (UkShape) { self->n, 1, 1, UK_N_SHARES };
}

static UkOpDesc
shares_desc (const Gan *self, UkOpKind kind)
{
  return (UkOpDesc) { .kind = kind, .x = self->image, .y = shares_shape (self),
                      .kernel = self->options->shares_box, .target = URB_SHARES_LEVEL };
}

/* Of images that are not augmented. */
static UrbView
measure_shares (Gan *self, UrbPass pass, const char *name, UrbView images)
{
  UrbView shares = temp (self, name, uk_shape_count (shares_shape (self)));

  emit (self, pass, shares_desc (self, UK_OP_SHARES),
        (UrbView[]) { images, view (self->program->shares), shares });
  return shares;
}

/* Adds the gradient of the loss on the fakes' shares to @dfake. */
static UrbView
add_shares_loss (Gan *self, UrbView dfake)
{
  UkShape shape = shares_shape (self), weights = { self->n, 1, 1, 1 };
  UrbView measured = measure_shares (self, URB_PASS_LOSS, "shares.fake", self->fake);
  UrbView weight = temp (self, "shares-weight", self->n);
  UrbView error = temp (self, "shares-error", uk_shape_count (shape));
  UrbView of_image = temp (self, "shares-grad", uk_shape_count (self->image));
  UrbView sum = temp (self, "fake-grad-sum", uk_shape_count (self->image));
  UrbView minus = { self->program->shares, 2 * UK_N_SHARES };

  emit (self, URB_PASS_LOSS,
        (UkOpDesc) { .kind = UK_OP_FILL, .x = weights, .y = weights,
                     .scale = (float) self->program->shares_weight },
        (UrbView[]) { scale_of (self, &self->program->g), weight });
  emit (self, URB_PASS_LOSS, (UkOpDesc) { .kind = UK_OP_AXPBY, .x = shape, .y = shape },
        (UrbView[]) { measured, weight, self->shares, minus, error });
  measure_norm (self, shape, error, URB_SLOT_SHARES);
  emit (self, URB_PASS_BACKWARD, shares_desc (self, UK_OP_SHARES_GRAD),
        (UrbView[]) { self->fake, error, view (self->program->shares), of_image });
  emit (self, URB_PASS_BACKWARD, (UkOpDesc) { .kind = UK_OP_ADD, .x = self->image, .y = self->image },
        (UrbView[]) { dfake, of_image, sum });
  return sum;
}

/* ------------------------------------------------------------------------ */

/* z, with the shares of the reals after it. */
static UrbView
make_input (Gan *self)
{
  UkShape all = { self->n, 1, 1, self->options->g->in.c }, latent = all;
  UrbView z, input;

  latent.c -= self->shares.buffer >= 0 ? UK_N_SHARES : 0;
  z = temp (self, "z", uk_shape_count (latent));
  emit (self, URB_PASS_LOAD, random_desc (self, UK_OP_NOISE, latent, URB_STREAM_LATENT),
        (UrbView[]) { view (self->program->rng), z });
  if (self->shares.buffer < 0)
    return z;
  input = temp (self, "g-input", uk_shape_count (all));
  emit (self, URB_PASS_LOAD, (UkOpDesc) { .kind = UK_OP_CONCAT, .x = latent, .y = all },
        (UrbView[]) { z, self->shares, input });
  return input;
}

/* The generator's images, which follow the reals. */
static void
generate (Gan *self, UrbBatchNormMode mode)
{
  UrbView input = make_input (self);

  self->fake = self->options->augment ? temp (self, "fake", uk_shape_count (self->image))
                                      : fake_half (self);
  g_clear_pointer (&self->g_acts, urb_activations_free);
  self->g_acts = urb_emit_forward (&self->emitter, &self->base, self->n, 1, input, self->fake, mode);
  if (self->options->augment)
    augment (self, self->fake, fake_half (self), URB_STREAM_AUGMENT_FAKE);
}

/* Reals and fakes of a microbatch in one buffer. */
static void
prepare_batch (Gan *self, UrbBatchNormMode mode)
{
  UrbView real;

  self->d_input = temp (self, "d-input", 2 * uk_shape_count (self->image));
  real = self->options->augment ? temp (self, "real", uk_shape_count (self->image)) : self->d_input;
  emit_load (self, LOAD_TILES, real);
  self->shares = self->options->shares_box > 0
                   ? measure_shares (self, URB_PASS_LOAD, "shares", real) : URB_NO_VIEW;
  if (self->options->augment)
    augment (self, real, self->d_input, URB_STREAM_AUGMENT_REAL);
  generate (self, mode);
}

static UrbView
output_of (const UrbActivations *acts)
{
  return acts->values[urb_net_get_n_layers (acts->slot->net)];
}

/* @scale: of its gradient */
static void
loss (Gan *self, UkOpKind kind, gint64 n, float target, UrbView scale, UrbView logits, UrbView dlogits, int slot)
{
  UkShape shape = { n, 1, 1, 1 };
  UkOpDesc desc = { .kind = kind, .x = shape, .y = shape, .target = target,
                    .batch = self->options->batch };

  emit (self, URB_PASS_LOSS, desc, (UrbView[]) { logits, scale, dlogits, slot_view (self, slot) });
}

/* ------------------------------------------------------------------------ */
/* The discriminator's step                                                  */

/* One-sided: labels of fakes, and those of the generator's step, are hard (Salimans et al. 2016, 1606.03498). */
static float
real_label (const Gan *self)
{
  return (float) (1 - self->options->label_smoothing);
}

/* The exact gradient of loss + R1 + R2: see urb_program_new_gan().  Of the loss's scale s, the deltas have s / p
 * and what is combined with them p, a power of two close to the batch size: both then have values of the size
 * that 16 bits can hold, c p <= 1 among them. */
static void
backward_with_penalty (Gan *self, const UrbActivations *acts, UrbView c)
{
  UkShape logits = { 2 * self->n, 1, 1, 1 };
  UrbView ones = temp (self, "ones", 2 * self->n), v;
  g_autofree UrbView *deltas = g_new0 (UrbView, urb_net_get_n_layers (self->options->d));
  gboolean accumulate = self->emitter.microbatch > 0;
  UrbBackwardOptions backward = { .n = 2 * self->n, .want_params = TRUE, .only_biases = TRUE,
                                  .want_input = TRUE, .accumulate = accumulate, .scale = c,
                                  .deltas = deltas };

  emit (self, URB_PASS_BACKWARD,
        (UkOpDesc) { .kind = UK_OP_FILL, .x = logits, .y = logits, .scale = (float) (1 / self->program->penalty_scale) },
        (UrbView[]) { scale_of (self, &self->program->d), ones });
  v = urb_emit_backward (&self->emitter, acts, ones, &backward);
  measure_norm (self, self->image, v, URB_SLOT_R1);
  measure_norm (self, self->image, urb_view_skip (v, self->image, self->n), URB_SLOT_R2);
  urb_emit_tangent (&self->emitter, acts, v, c, view (self->program->penalty), deltas, accumulate);
}

/* Reals and fakes in one pass.  DCGAN's batch norm sees them separately. */
static void
d_backward (Gan *self)
{
  int n_groups = self->options->relativistic ? 1 : 2;
  g_autoptr(UrbActivations) acts = urb_emit_forward (&self->emitter, &self->program->d, 2 * self->n,
                                                     n_groups, self->d_input, URB_NO_VIEW,
                                                     URB_BATCH_NORM_TRAIN);
  UrbView logits = output_of (acts), c = temp (self, "d-logits-grad", 2 * self->n);
  UrbView half = { logits.buffer, logits.offset + self->n }, c_half = { c.buffer, self->n };
  UrbView scale = self->options->penalty ? (UrbView) { self->program->penalty, 1 }
                                         : scale_of (self, &self->program->d);
  UrbBackwardOptions backward = { .n = 2 * self->n, .want_params = TRUE,
                                  .accumulate = self->emitter.microbatch > 0,
                                  .scale = URB_NO_VIEW };

  if (self->options->relativistic)
    loss (self, UK_OP_LOSS_PAIR_D, 2 * self->n, 0, scale, logits, c, URB_SLOT_PAIR_D);
  else
    {
      loss (self, UK_OP_LOSS_BCE, self->n, real_label (self), scale, logits, c, URB_SLOT_BCE_REAL);
      loss (self, UK_OP_LOSS_BCE, self->n, 0, scale, half, c_half, URB_SLOT_BCE_FAKE);
    }
  if (self->options->penalty)
    backward_with_penalty (self, acts, c);
  else
    urb_emit_backward (&self->emitter, acts, c, &backward);
}

/* ------------------------------------------------------------------------ */
/* The generator's step                                                      */

/* Back through D to its fakes, without gradients of D's parameters. */
static UrbView
g_loss (Gan *self)
{
  gboolean pair = self->options->relativistic;
  g_autoptr(UrbActivations) acts = urb_emit_forward (&self->emitter, &self->program->d,
                                                     pair ? 2 * self->n : self->n, 1,
                                                     pair ? self->d_input : fake_half (self),
                                                     URB_NO_VIEW, URB_BATCH_NORM_REPLAY);
  UrbView c = temp (self, "g-logits-grad", self->n), scale = scale_of (self, &self->program->g);
  UrbBackwardOptions backward = { .first = pair ? self->n : 0, .n = self->n, .want_input = TRUE,
                                  .scale = URB_NO_VIEW };

  if (pair)
    loss (self, UK_OP_LOSS_PAIR_G, 2 * self->n, 0, scale, output_of (acts), c, URB_SLOT_PAIR_G);
  else
    loss (self, UK_OP_LOSS_BCE, self->n, 1, scale, output_of (acts), c, URB_SLOT_BCE_G);
  return urb_emit_backward (&self->emitter, acts, c, &backward);
}

static void
g_step (Gan *self)
{
  UrbView dfake = g_loss (self);
  UrbBackwardOptions backward = { .n = self->n, .want_params = TRUE, .scale = URB_NO_VIEW,
                                  .accumulate = self->emitter.microbatch > 0 };

  if (self->options->augment)
    {
      UrbView before = temp (self, "fake-grad", uk_shape_count (self->image));

      emit (self, URB_PASS_BACKWARD,
            random_desc (self, UK_OP_AUGMENT_GRAD, self->image, URB_STREAM_AUGMENT_FAKE),
            (UrbView[]) { dfake, view (self->program->rng), view (self->program->augment), before });
      dfake = before;
    }
  if (self->shares.buffer >= 0)
    dfake = add_shares_loss (self, dfake);
  urb_emit_backward (&self->emitter, self->g_acts, dfake, &backward);
}

/* ------------------------------------------------------------------------ */
/* The refiner's step                                                        */

/* Half the gradient of the mean squared error; the factor would not change Adam's step. */
static void
refiner_step (Gan *self)
{
  const UrbNet *net = self->options->refiner;
  gint64 n_out = self->n * uk_shape_count (net->out);
  UrbView spoilt = temp (self, "spoilt", self->n * uk_shape_count (net->in));
  UrbView crops = temp (self, "crops", n_out), error = temp (self, "refine-error", n_out);
  UrbView weight = temp (self, "refine-weight", self->n);
  UkShape out = net->out, weights = { self->n, 1, 1, 1 };
  g_autoptr(UrbActivations) acts = NULL;
  UrbBackwardOptions backward = { .n = self->n, .want_params = TRUE, .scale = URB_NO_VIEW,
                                  .accumulate = self->emitter.microbatch > 0 };

  out.n = self->n;
  emit_load (self, LOAD_SPOILT, spoilt);
  emit_load (self, LOAD_CROPS, crops);
  acts = urb_emit_forward (&self->emitter, &self->refiner, self->n, 1, spoilt, URB_NO_VIEW,
                           URB_BATCH_NORM_TRAIN);
  emit (self, URB_PASS_LOSS,
        (UkOpDesc) { .kind = UK_OP_FILL, .x = weights, .y = weights,
                     .scale = (float) self->program->refine_weight },
        (UrbView[]) { scale_of (self, &self->program->g), weight });
  emit (self, URB_PASS_LOSS, (UkOpDesc) { .kind = UK_OP_AXPBY, .x = out, .y = out },
        (UrbView[]) { output_of (acts), weight, crops, view (self->program->refine), error });
  measure_norm (self, out, error, URB_SLOT_REFINE);
  urb_emit_backward (&self->emitter, acts, error, &backward);
}

/* ------------------------------------------------------------------------ */

/* @hyper: of this update */
static void
update (Gan *self, const UrbProgramNet *slot, UrbView hyper, int norm_slot)
{
  UkShape shape = { slot->net->n_params, 1, 1, 1 }, one = { 1, 1, 1, 1 };
  guint first = self->program->instructions->len;
  UrbView squares = urb_program_add_temp (self->program, g_strdup_printf ("%s.squares", slot->net->name),
                                          UK_REAL, 1);
  UrbView norm;

  self->emitter.microbatch = 0;
  norm = slot_view (self, norm_slot);
  emit (self, URB_PASS_UPDATE, (UkOpDesc) { .kind = UK_OP_GRAD_SQUARES, .x = shape, .y = shape },
        (UrbView[]) { view (slot->grads), squares });
  emit (self, URB_PASS_UPDATE, (UkOpDesc) { .kind = UK_OP_GRAD_FACTOR, .x = one, .y = one },
        (UrbView[]) { squares, hyper, norm });
  emit (self, URB_PASS_UPDATE, (UkOpDesc) { .kind = UK_OP_ADAM, .x = shape, .y = shape },
        (UrbView[]) { view (slot->params), view (slot->grads), view (slot->moment1),
                      view (slot->moment2), view (slot->ema), hyper, norm, URB_NO_VIEW });
  for (guint i = first; i < self->program->instructions->len; i++)
    urb_program_get_instruction (self->program, i)->net = slot->net->name;
}

static void
add_inputs (Gan *self)
{
  UrbProgram *program = self->program;

  program->tiles = urb_program_add_buffer (program, g_strdup ("tiles"), URB_STORE_INPUT, UK_U8,
                                           program->n_d_steps * program->n_microbatches * count_loaded (self));
  if (self->options->refiner != NULL)
    {
      program->refine_weight = 1.0 / (double) (self->options->batch
                                               * uk_shape_count (self->options->refiner->out));
      program->refine = urb_program_add_buffer (program, g_strdup ("refine"), URB_STORE_INPUT,
                                                UK_REAL, 1);
    }
  if (self->options->shares_box > 0)
    {
      program->shares_weight = 2 * self->options->shares_weight
                               / (double) (self->options->batch * UK_N_SHARES);
      program->shares = urb_program_add_buffer (program, g_strdup ("shares-scale"), URB_STORE_INPUT,
                                                UK_REAL, 2 * UK_N_SHARES + 1);
    }
  program->rng = urb_program_add_buffer (program, g_strdup ("rng"), URB_STORE_INPUT, UK_U64, 2);
  program->penalty = urb_program_add_buffer (program, g_strdup ("penalty"), URB_STORE_INPUT,
                                             UK_REAL, 2);
  program->penalty_scale = ldexp (1, ilogb ((double) self->options->batch));
  program->augment = urb_program_add_buffer (program, g_strdup ("augment"), URB_STORE_INPUT,
                                             UK_REAL, 1);
  program->metrics = urb_program_add_buffer (program, g_strdup ("metrics"), URB_STORE_OUTPUT,
                                             UK_REAL,
                                             (gint64) program->n_d_steps * program->n_microbatches * URB_N_SLOTS);
  urb_program_get_buffer (program, program->d.hyper)->count = program->n_d_steps * UK_N_HYPER;
}

static void
d_step (Gan *self, int index)
{
  const UrbGanOptions *options = self->options;

  self->d_step = index;
  for (int m = 0; m < options->n_microbatches; m++)
    {
      self->emitter.microbatch = m;
      prepare_batch (self, URB_BATCH_NORM_TRAIN);
      d_backward (self);
    }
  update (self, &self->program->d, (UrbView) { self->program->d.hyper, index * UK_N_HYPER }, URB_SLOT_NORM_D);
}

UrbProgram *
urb_program_new_gan (const UrbGanOptions *options)
{
  UrbProgram *program = urb_program_new ();
  Gan self = { .options = options, .program = program, .emitter = { .program = program },
               .n = urb_gan_options_get_n (options), .image = get_base (options)->out };
  int n_microbatches = options->n_microbatches;

  g_return_val_if_fail (options->batch % (n_microbatches * n_ranks_of (options)) == 0, NULL);
  g_return_val_if_fail (!options->penalty || !urb_net_has_batch_norm (options->d), NULL);

  self.image.n = self.n;
  self.emitter.sync_ranks = options->sync_ranks;
  self.emitter.sync_axes = options->sync_axes;
  program->n_microbatches = n_microbatches;
  program->n_d_steps = MAX (options->n_d_steps, 1);
  program->batch = program->n_d_steps * options->batch / n_ranks_of (options);
  urb_program_add_net (program, &program->g, options->g, TRUE, options->first_moment, TRUE);
  urb_program_add_net (program, &program->d, options->d, TRUE, options->first_moment, FALSE);
  self.base = self.refiner = program->g;
  self.base.net = get_base (options);
  self.refiner.net = options->refiner;
  add_inputs (&self);

  for (int k = 0; k < program->n_d_steps; k++)
    d_step (&self, k);
  for (int m = 0; m < n_microbatches; m++)
    {
      self.emitter.microbatch = m;
      /* The activations of a single microbatch are still there; with several, keeping
       * all of them would be too much, so they are recomputed from the same random numbers. */
      if (n_microbatches > 1)
        prepare_batch (&self, URB_BATCH_NORM_REPLAY);
      g_step (&self);
      if (options->refiner != NULL)
        refiner_step (&self);
    }
  update (&self, &program->g, view (program->g.hyper), URB_SLOT_NORM_G);
  g_clear_pointer (&self.g_acts, urb_activations_free);
  return program;
}

UrbProgram *
urb_program_new_generator (const UrbNet *g, gint64 n, UrbStatistics statistics)
{
  UrbProgram *program = urb_program_new ();
  UrbEmitter emitter = { .program = program };
  UkShape out = g->out;
  g_autoptr(UrbActivations) acts = NULL;

  out.n = n;
  program->batch = n;
  urb_program_add_net (program, &program->g, g, FALSE, FALSE, FALSE);
  program->z = urb_program_add_buffer (program, g_strdup ("z"), URB_STORE_INPUT, UK_VALUE,
                                       n * uk_shape_count (g->in));
  program->images = urb_program_add_buffer (program, g_strdup ("images"), URB_STORE_OUTPUT,
                                            UK_VALUE, uk_shape_count (out));
  acts = urb_emit_forward (&emitter, &program->g, n, 1, view (program->z), view (program->images),
                           statistics == URB_STATISTICS_GIVEN ? URB_BATCH_NORM_GIVEN
                                                              : URB_BATCH_NORM_TRAIN);
  return program;
}
