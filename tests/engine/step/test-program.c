/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-program.c - the step program as a whole.
 *
 * The gradients of one iteration are compared with finite differences of the losses
 * that the same program reports, in double precision, including the exact R1/R2
 * gradient, batch norm, augmentation and residual adds.  Further tests compare
 * microbatches with one batch, and the fast backend with the reference over whole
 * iterations, and check the planner's memory.
 */
#include <math.h>
#include <string.h>

#include "model/networks.h"
#include "model/streams.h"
#include "step/build.h"
#include "step/interpreter.h"
#include "step/plan-private.h"

#define HEAD "[preset]\nimage-size=8\nlatent=6\nbatch=4\nsteps=100\n"

/* Everything that occurs with r3: plain layers … */
static const char plain[] = HEAD
  "[generator]\n1=dense 8 4 bias lrelu\n2=tconv image bias head\n"
  "[discriminator]\n1=conv4 6 bias lrelu\n2=conv3 5 bias lrelu\n3=logit bias\n";

/* … residual blocks, resampling, depthwise … */
static const char residual[] = HEAD
  "[generator]\n1=dense 6 4 bias-each\n2=block\n3=up\n4=conv1 5\n5=block\n6=conv1 image bias head\n"
  "[discriminator]\n1=conv1 5\n2=block\n3=down\n4=conv1 6\n5=block\n6=depthwise\n7=logit\n";

/* … a refiner … */
static const char refined[] = HEAD "refined-size=16\n"
  "[generator]\n1=dense 8 4 bias lrelu\n2=tconv image bias head\n"
  "[refiner]\n1=conv3 4 bias\n2=block\n3=tconv image bias head\n"
  "[discriminator]\n1=conv4 6 bias lrelu\n2=logit bias\n";

/* … shares … */
static const char shared[] = HEAD "shares=true\n"
  "[generator]\n1=dense 8 4 bias lrelu\n2=tconv image bias head\n"
  "[discriminator]\n1=conv4 6 bias lrelu\n2=logit bias\n";

/* … shares and a refiner … */
static const char shared_refined[] = HEAD "refined-size=16\nshares=true\n"
  "[generator]\n1=dense 8 4 bias lrelu\n2=tconv image bias head\n"
  "[refiner]\n1=conv3 4 bias\n2=tconv image bias head\n"
  "[discriminator]\n1=conv4 6 bias lrelu\n2=logit bias\n";

/* … and batch norm in both networks, as in DCGAN. */
static const char classic[] = HEAD
  "[generator]\n1=dense 8 4 bn relu\n2=tconv 5 bn relu\n3=conv3 image bias head\n"
  "[discriminator]\n1=conv4 6 bias lrelu\n2=conv3 5 norm lrelu\n3=logit bias\n";

typedef struct
{
  const char *name, *preset;
  gboolean    relativistic, penalty, augment, first_moment;
  int         n_channels, n_microbatches, n_d_steps; /* 0: 1 */
  double      label_smoothing;
} Case;

static const Case cases[] = {
  { "plain-r3", plain, TRUE, TRUE, FALSE, FALSE, 3, 1 },
  { "plain-r3-augment", plain, TRUE, TRUE, TRUE, FALSE, 3, 1 },
  { "plain-r3-microbatches", plain, TRUE, TRUE, TRUE, FALSE, 3, 2 },
  { "plain-pair-only", plain, TRUE, FALSE, FALSE, FALSE, 1, 1 },
  { "residual-r3", residual, TRUE, TRUE, FALSE, FALSE, 3, 1 },
  { "residual-r3-grey", residual, TRUE, TRUE, TRUE, FALSE, 1, 1 },
  { "refined-r3", refined, TRUE, TRUE, TRUE, FALSE, 3, 1 },
  { "refined-r3-grey", refined, TRUE, TRUE, FALSE, FALSE, 1, 2 },
  { "shares-r3", shared, TRUE, TRUE, TRUE, FALSE, 3, 1 },
  { "shares-r3-grey", shared, TRUE, TRUE, FALSE, FALSE, 1, 2 },
  { "shares-refined-r3", shared_refined, TRUE, TRUE, TRUE, FALSE, 3, 2 },
  { "shares-dcgan", shared, FALSE, FALSE, FALSE, TRUE, 3, 1 },
  { "classic-dcgan", classic, FALSE, FALSE, FALSE, TRUE, 3, 1 },
  { "classic-dcgan-microbatches", classic, FALSE, FALSE, FALSE, TRUE, 1, 2 },
  { "plain-dcgan", plain, FALSE, FALSE, TRUE, TRUE, 3, 1 },
  { "plain-r3-d-steps", plain, TRUE, TRUE, TRUE, FALSE, 3, 2, 3 },
  { "shares-refined-r3-d-steps", shared_refined, TRUE, TRUE, TRUE, FALSE, 3, 1, 2 },
  { "plain-dcgan-smooth", plain, FALSE, FALSE, FALSE, TRUE, 3, 1, 1, 0.25 },
  { "classic-dcgan-smooth", classic, FALSE, FALSE, FALSE, TRUE, 1, 2, 1, 0.1 },
  { "classic-dcgan-d-steps", classic, FALSE, FALSE, FALSE, TRUE, 3, 1, 2 },
};

#define BATCH 4
#define GAMMA 3.0
#define SHARES_BOX 3
#define SHARES_WEIGHT 2.5

typedef struct
{
  UrbNet         *g, *d, *base, *refiner;
  UkBackend      *backend;
  UrbProgram     *program;
  UrbInterpreter *interpreter;
  gboolean        keeps_gradients, tile_bits; /* set before opening */
  float           scale;   /* of both losses, set before opening; 0: 1 */
  gboolean        is_part; /* has one step of D, which is number … */
  int             part;    /* … of a program with several */
} Fixture;

static void
upload (Fixture *self, int buffer, const float *values, gint64 count)
{
  g_assert_cmpint (self->backend->table->upload (
                     self->backend, urb_program_get_buffer (self->program, buffer)->type,
                     urb_interpreter_get_memory (self->interpreter, buffer), values,
                     count), ==, UK_OK);
}

static void
write_bytes (Fixture *self, int buffer, const void *bytes, gsize n_bytes)
{
  g_assert_cmpint (self->backend->table->write (
                     self->backend, urb_interpreter_get_memory (self->interpreter, buffer), bytes,
                     n_bytes), ==, UK_OK);
}

/* For @n updates, from number @first on. */
static void
set_hyper (Fixture *self, const UrbProgramNet *slot, int first, int n, float lr, gboolean first_moment)
{
  g_autofree float *hyper = g_new0 (float, n * UK_N_HYPER);

  for (int i = 0; i < n; i++)
    {
      float *of_update = hyper + i * UK_N_HYPER;

      of_update[UK_HYPER_LR] = lr;
      of_update[UK_HYPER_BETA1] = first_moment ? 0.5f : 0;
      of_update[UK_HYPER_BETA2] = 0.9f;
      of_update[UK_HYPER_EPS] = 1e-8f;
      of_update[UK_HYPER_CORRECTION1] = first_moment ? 1 - powf (0.5f, (float) (first + i + 1)) : 1;
      of_update[UK_HYPER_CORRECTION2] = 1 - powf (0.9f, (float) (first + i + 1));
      of_update[UK_HYPER_EMA_BETA] = 0.5f;
      of_update[UK_HYPER_LOSS_SCALE] = self->scale;
    }
  upload (self, slot->hyper, hyper, n * UK_N_HYPER);
}

static void
set_params (Fixture *self, const UrbProgramNet *slot, guint32 stream)
{
  const UrbNet *net = slot->net;
  g_autofree float *params = g_new (float, net->n_params);
  g_autofree float *state = g_new (float, MAX (net->n_state, 1));

  urb_net_init_values (net, 3, stream, params, state);
  /* No exact zeros, which would hide errors in biases and zero-initialized branches. */
  for (gint64 i = 0; i < net->n_params; i++)
    if (params[i] == 0)
      params[i] = 0.1f * sinf ((float) i * 1.7f + 0.3f);
  upload (self, slot->params, params, net->n_params);
  if (slot->ema >= 0)
    upload (self, slot->ema, params, net->n_params);
  if (slot->state >= 0)
    upload (self, slot->state, state, net->n_state);
}

/* Bytes of the tile (0), the spoilt crop (1) or the crop (2) of one image. */
static gint64
count_loaded (const Fixture *self, int kind)
{
  if (kind == 0)
    return uk_shape_count (self->base->out) / (self->tile_bits ? 8 : 1);
  if (self->refiner == NULL)
    return 0;
  return uk_shape_count (kind == 1 ? self->refiner->in : self->refiner->out);
}

/* The same images, however many microbatches there are. */
static void
fill_tiles (const Fixture *self, guint8 *tiles)
{
  int n = BATCH / self->program->n_microbatches, first = self->part * self->program->n_microbatches;

  for (int m = first; m < first + self->program->n_d_steps * self->program->n_microbatches; m++)
    for (int kind = 0; kind < 3; kind++)
      for (gint64 i = 0; i < n * count_loaded (self, kind); i++)
        *tiles++ = (guint8) (((m * n * count_loaded (self, kind) + i + 77 * kind) * 2654435761u) >> 24);
}

static void
set_inputs (Fixture *self, guint64 step)
{
  const guint64 rng[2] = { 11, step };
  gint64 n_bytes = urb_program_get_buffer (self->program, self->program->tiles)->count;
  g_autofree guint8 *tiles = g_malloc (n_bytes);
  float scale = (float) self->program->penalty_scale, augment = 0.7f;
  float penalty[2] = { (float) (GAMMA / BATCH * scale * scale / self->scale), scale };
  float refine = (float) -self->program->refine_weight * self->scale;
  float shares[2 * UK_N_SHARES + 1] = { 0.5f, 0.4f, 0.05f, 9, 11, 14,
                                        (float) -self->program->shares_weight * self->scale };

  fill_tiles (self, tiles);
  write_bytes (self, self->program->tiles, tiles, n_bytes);
  write_bytes (self, self->program->rng, rng, sizeof rng);
  upload (self, self->program->penalty, penalty, 2);
  upload (self, self->program->augment, &augment, 1);
  if (self->program->refine >= 0)
    upload (self, self->program->refine, &refine, 1);
  if (self->program->shares >= 0)
    upload (self, self->program->shares, shares, 2 * UK_N_SHARES + 1);
}

/* The random numbers of step @part of D in a program with several. */
static void
move_samples (UrbProgram *program, int part)
{
  for (guint i = 0; i < program->instructions->len; i++)
    {
      UkOpDesc *desc = &urb_program_get_instruction (program, i)->desc;

      if (desc->kind == UK_OP_LOAD || desc->kind == UK_OP_NOISE || desc->kind == UK_OP_AUGMENT
          || desc->kind == UK_OP_AUGMENT_GRAD)
        desc->first_sample += part * BATCH;
    }
}

static void
fixture_open (Fixture *self, const Case *row, const UkBackendTable *table, int n_microbatches,
              float lr)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbPreset) preset = urb_preset_load_text (row->name, row->preset, &error);
  UkBackendConfig config = { .n_threads = 2 };

  g_assert_no_error (error);
  self->scale = self->scale == 0 ? 1 : self->scale;
  self->g = urb_preset_build_generator (preset, row->n_channels, preset->refined_px > 0, &error);
  g_assert_no_error (error);
  self->base = urb_preset_build_generator (preset, row->n_channels, FALSE, NULL);
  if (preset->refined_px > 0)
    self->refiner = urb_preset_build_refiner (preset, self->g, urb_preset_get_crop_px (preset), &error);
  g_assert_no_error (error);
  self->d = urb_preset_build_discriminator (preset, row->n_channels, !row->relativistic, &error);
  g_assert_no_error (error);
  g_assert_cmpint (table->open (&config, &self->backend), ==, UK_OK);
  self->program = urb_program_new_gan (&(UrbGanOptions) {
    .g = self->g, .d = self->d, .base = self->base, .refiner = self->refiner, .batch = BATCH, .n_microbatches = n_microbatches,
    .relativistic = row->relativistic, .penalty = row->penalty, .augment = row->augment,
    .n_d_steps = self->is_part ? 1 : row->n_d_steps, .label_smoothing = row->label_smoothing,
    .first_moment = row->first_moment, .tile_bits = self->tile_bits,
    .shares_box = preset->has_shares ? SHARES_BOX : 0, .shares_weight = SHARES_WEIGHT });
  self->program->keeps_gradients = self->keeps_gradients;
  move_samples (self->program, self->part);
  urb_program_plan (self->program, self->backend, &error);
  g_assert_no_error (error);
  self->interpreter = urb_interpreter_new (self->program, self->backend, NULL, NULL, &error);
  g_assert_no_error (error);
  set_params (self, &self->program->g, URB_STREAM_INIT_G);
  set_params (self, &self->program->d, URB_STREAM_INIT_D);
  set_hyper (self, &self->program->g, 0, 1, lr, row->first_moment);
  set_hyper (self, &self->program->d, self->part, self->program->n_d_steps, lr, row->first_moment);
  set_inputs (self, 5);
}

static void
fixture_close (Fixture *self)
{
  urb_interpreter_free (self->interpreter);
  urb_program_free (self->program);
  self->backend->table->close (self->backend);
  urb_net_free (self->g);
  urb_net_free (self->d);
  urb_net_free (self->base);
  urb_net_free (self->refiner);
}

static void
run (Fixture *self)
{
  g_autoptr(GError) error = NULL;

  urb_interpreter_run_prologue (self->interpreter, &error);
  g_assert_no_error (error);
  urb_interpreter_run (self->interpreter, &error);
  g_assert_no_error (error);
}

/* The memory as doubles; only on the reference backend. */
static double *
memory_of (Fixture *self, int buffer)
{
  return urb_interpreter_get_memory (self->interpreter, buffer);
}

/* Of the last step of D, and of G. */
static double
slot_sum (Fixture *self, int slot, gboolean is_mean)
{
  int n = self->program->n_microbatches;
  const double *metrics = memory_of (self, self->program->metrics);
  double sum = 0;

  for (int m = 0; m < n; m++)
    sum += metrics[((self->program->n_d_steps - 1) * n + m) * URB_N_SLOTS + slot];
  return is_mean ? sum / n : sum;
}

/* By how much the program's R1 and R2 are too large. */
static double
penalty_scale (const Fixture *self)
{
  return pow ((double) self->scale / self->program->penalty_scale, 2);
}

static double
loss_of (Fixture *self, const Case *row, gboolean of_g)
{
  double loss, of_square = pow ((double) self->scale, 2);

  if (of_g) /* the program reports squares of weighted errors, and uses half their gradient */
    return slot_sum (self, row->relativistic ? URB_SLOT_PAIR_G : URB_SLOT_BCE_G, FALSE)
           + (self->refiner == NULL ? 0 : slot_sum (self, URB_SLOT_REFINE, TRUE) * BATCH
                                            / self->program->refine_weight / of_square / 2)
           + (self->program->shares < 0 ? 0 : slot_sum (self, URB_SLOT_SHARES, TRUE) * BATCH
                                              / self->program->shares_weight / of_square / 2);
  if (!row->relativistic)
    return slot_sum (self, URB_SLOT_BCE_REAL, FALSE) + slot_sum (self, URB_SLOT_BCE_FAKE, FALSE);
  loss = slot_sum (self, URB_SLOT_PAIR_D, FALSE);
  if (row->penalty)
    loss += GAMMA / 2 * (slot_sum (self, URB_SLOT_R1, TRUE) + slot_sum (self, URB_SLOT_R2, TRUE))
            / penalty_scale (self);
  return loss;
}

/* ------------------------------------------------------------------------ */
/* Gradients                                                                 */

static double
difference_of (Fixture *self, const Case *row, double *param, gboolean of_g, double eps)
{
  double kept = *param, above, below;

  *param = kept + eps;
  run (self);
  above = loss_of (self, row, of_g);
  *param = kept - eps;
  run (self);
  below = loss_of (self, row, of_g);
  *param = kept;
  return (above - below) / (2 * eps);
}

/* Leaky ReLU has kinks, and a difference across one is wrong even if the gradient is
 * right; a smaller step avoids the kink. */
static void
check_param (Fixture *self, const Case *row, const UrbProgramNet *slot, gboolean of_g,
             gint64 index, double gradient, double scale)
{
  static const double steps[] = { 1e-6, 1e-7, 1e-8 };
  double *params = memory_of (self, slot->params), difference = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      difference = difference_of (self, row, &params[index], of_g, steps[i]);
      if (fabs (difference - gradient) <= 1e-12 / steps[i] * (scale + fabs (gradient)))
        return;
    }
  g_error ("%s: parameter %d of %s: the program says %.12g, differences say %.12g", row->name,
           (int) index, slot->net->name, gradient, difference);
}

static void
check_net (Fixture *self, const Case *row, const UrbProgramNet *slot, gboolean of_g)
{
  const UrbNet *net = slot->net;
  g_autofree double *gradient = g_new (double, net->n_params);
  double scale = 0;

  run (self);
  memcpy (gradient, memory_of (self, slot->grads), sizeof (double) * (gsize) net->n_params);
  for (gint64 i = 0; i < net->n_params; i++)
    {
      gradient[i] /= (double) self->scale;
      scale = MAX (scale, fabs (gradient[i]));
    }
  g_assert_cmpfloat (scale, >, 1e-4); /* the gradients are not all zero */
  for (guint p = 0; p < net->params->len; p++)
    {
      const UrbParam *param = urb_net_get_param (net, (int) p);

      /* The first, the last, and some in between. */
      for (gint64 i = 0; i < param->count; i += MAX (1, (param->count - 1) / 3))
        check_param (self, row, slot, of_g, param->offset + i, gradient[param->offset + i], scale);
    }
}

static void
test_gradients (gconstpointer data)
{
  const Case *row = data;
  Fixture fixture = { .keeps_gradients = TRUE, .scale = 8 };

  fixture_open (&fixture, row, uk_backend_reference (), row->n_microbatches, 0);
  check_net (&fixture, row, &fixture.program->d, FALSE);
  check_net (&fixture, row, &fixture.program->g, TRUE);
  fixture_close (&fixture);
}

/* ------------------------------------------------------------------------ */

static void
compare_blocks (Fixture *a, int buffer_a, Fixture *b, int buffer_b, gint64 count)
{
  const double *x = memory_of (a, buffer_a), *y = memory_of (b, buffer_b);

  for (gint64 i = 0; i < count; i++)
    g_assert_cmpfloat_with_epsilon (x[i], y[i], 1e-9);
}

/* One batch and several microbatches give the same step. */
static void
test_microbatches (gconstpointer data)
{
  const Case *row = data;
  Fixture one = { 0 }, four = { 0 };

  fixture_open (&one, row, uk_backend_reference (), 1, 1e-3f);
  fixture_open (&four, row, uk_backend_reference (), 4, 1e-3f);
  for (int step = 0; step < 3; step++)
    {
      run (&one);
      run (&four);
    }
  compare_blocks (&one, one.program->d.params, &four, four.program->d.params, one.d->n_params);
  compare_blocks (&one, one.program->g.params, &four, four.program->g.params, one.g->n_params);
  compare_blocks (&one, one.program->g.ema, &four, four.program->g.ema, one.g->n_params);
  g_assert_cmpfloat_with_epsilon (loss_of (&one, row, FALSE), loss_of (&four, row, FALSE), 1e-12);
  g_assert_cmpint (four.program->store_bytes[URB_STORE_ARENA], <,
                   one.program->store_bytes[URB_STORE_ARENA]);
  fixture_close (&one);
  fixture_close (&four);
}

static void
copy_block (Fixture *from, int buffer_from, Fixture *to, int buffer_to)
{
  if (buffer_from >= 0)
    memcpy (memory_of (to, buffer_to), memory_of (from, buffer_from),
            sizeof (double) * (gsize) urb_program_get_buffer (from->program, buffer_from)->count);
}

/* The same losses of D, norm included, and in its last step of G. */
static void
compare_metrics (Fixture *whole, Fixture *part)
{
  int n = whole->program->n_microbatches * URB_N_SLOTS;
  const double *x = memory_of (whole, whole->program->metrics), *y = memory_of (part, part->program->metrics);

  for (int i = 0; i < n; i++)
    {
      gboolean is_of_d = i % URB_N_SLOTS < URB_SLOT_PAIR_G || i % URB_N_SLOTS == URB_SLOT_R1
                         || i % URB_N_SLOTS == URB_SLOT_BCE_FAKE || i % URB_N_SLOTS == URB_SLOT_NORM_D;

      if (is_of_d || part->part == whole->program->n_d_steps - 1)
        g_assert_cmpfloat_with_epsilon (x[part->part * n + i], y[i], 1e-12);
    }
}

/* Several steps of D and one of G are those of as many programs, of which the last alone trains G. */
static void
test_d_steps (gconstpointer data)
{
  const Case *row = data;
  Fixture whole = { 0 }, before = { 0 };

  fixture_open (&whole, row, uk_backend_reference (), row->n_microbatches, 1e-3f);
  run (&whole);
  for (int k = 0; k < row->n_d_steps; k++)
    {
      Fixture part = { .is_part = TRUE, .part = k };

      fixture_open (&part, row, uk_backend_reference (), row->n_microbatches, 1e-3f);
      if (k > 0)
        {
          copy_block (&before, before.program->d.params, &part, part.program->d.params);
          copy_block (&before, before.program->d.moment1, &part, part.program->d.moment1);
          copy_block (&before, before.program->d.moment2, &part, part.program->d.moment2);
          fixture_close (&before);
        }
      run (&part);
      compare_metrics (&whole, &part);
      before = part;
    }
  compare_blocks (&whole, whole.program->d.params, &before, before.program->d.params, whole.d->n_params);
  compare_blocks (&whole, whole.program->d.moment2, &before, before.program->d.moment2, whole.d->n_params);
  compare_blocks (&whole, whole.program->g.params, &before, before.program->g.params, whole.g->n_params);
  compare_blocks (&whole, whole.program->g.ema, &before, before.program->g.ema, whole.g->n_params);
  fixture_close (&before);
  fixture_close (&whole);
}

/* Tiles with values of 0 and 255 only. */
static void
set_binary_tiles (Fixture *self)
{
  const UrbBuffer *buffer = urb_program_get_buffer (self->program, self->program->tiles);
  gint64 n_values = self->program->n_d_steps * BATCH * self->base->out.h * self->base->out.w * self->base->out.c;
  g_autofree guint8 *tiles = g_malloc0 ((gsize) buffer->count);

  g_assert_cmpint (buffer->count, ==, self->tile_bits ? n_values / 8 : n_values);
  for (gint64 i = 0; i < n_values; i++)
    {
      guint value = (i * 2654435761u) >> 31 & 1;

      if (self->tile_bits)
        tiles[i / 8] |= (guint8) (value << i % 8);
      else
        tiles[i] = value ? 255 : 0;
    }
  write_bytes (self, self->program->tiles, tiles, (gsize) buffer->count);
}

static void
assert_same_bits (Fixture *a, Fixture *b, int buffer)
{
  gsize n_bytes = (gsize) urb_program_get_buffer (a->program, buffer)->count * sizeof (float);

  g_assert_cmpmem (urb_interpreter_get_memory (a->interpreter, buffer), n_bytes,
                   urb_interpreter_get_memory (b->interpreter, buffer), n_bytes);
}

/* Tiles as bits and as bytes give bit-identical steps. */
static void
test_tile_bits (gconstpointer data)
{
  const Case *row = data;
  Fixture bits = { .tile_bits = TRUE }, bytes = { 0 };

  fixture_open (&bits, row, uk_backend_cpu (), row->n_microbatches, 1e-3f);
  fixture_open (&bytes, row, uk_backend_cpu (), row->n_microbatches, 1e-3f);
  set_binary_tiles (&bits);
  set_binary_tiles (&bytes);
  for (int step = 0; step < 2; step++)
    {
      run (&bits);
      run (&bytes);
    }
  assert_same_bits (&bits, &bytes, bits.program->d.params);
  assert_same_bits (&bits, &bytes, bits.program->g.params);
  assert_same_bits (&bits, &bytes, bits.program->metrics);
  fixture_close (&bits);
  fixture_close (&bytes);
}

/* A scale that is a power of two, and small enough, changes no bit but of what is said to be scaled. */
static void
test_loss_scale (gconstpointer data)
{
  const Case *row = data;
  Fixture scaled = { .scale = 65536 }, unscaled = { 0 };
  const float *x, *y;

  fixture_open (&scaled, row, uk_backend_cpu (), row->n_microbatches, 1e-3f);
  fixture_open (&unscaled, row, uk_backend_cpu (), row->n_microbatches, 1e-3f);
  for (int step = 0; step < 3; step++)
    {
      run (&scaled);
      run (&unscaled);
    }
  assert_same_bits (&scaled, &unscaled, unscaled.program->d.params);
  assert_same_bits (&scaled, &unscaled, unscaled.program->g.params);
  assert_same_bits (&scaled, &unscaled, unscaled.program->d.moment2);
  assert_same_bits (&scaled, &unscaled, unscaled.program->g.moment2);
  assert_same_bits (&scaled, &unscaled, unscaled.program->g.ema);
  x = urb_interpreter_get_memory (scaled.interpreter, scaled.program->metrics);
  y = urb_interpreter_get_memory (unscaled.interpreter, unscaled.program->metrics);
  for (gint64 i = 0; i < urb_program_get_buffer (unscaled.program, unscaled.program->metrics)->count; i++)
    {
      int slot = (int) (i % URB_N_SLOTS);
      float factor = slot == URB_SLOT_R1 || slot == URB_SLOT_R2 || slot >= URB_SLOT_REFINE ? 65536.0f * 65536.0f
                     : slot == URB_SLOT_NORM_D + 1 || slot == URB_SLOT_NORM_G + 1          ? 1 / 65536.0f : 1;

      g_assert_cmpfloat (x[i], ==, y[i] * factor);
    }
  fixture_close (&scaled);
  fixture_close (&unscaled);
}

/* Bytes [begin, end) of the arena, and their lifetime. */
typedef struct
{
  gint64 begin, end;
  int    first_use, last_use;
} Span;

/* The lifetimes of @buffer, part by part if it has parts. */
static GArray *
list_spans (const UrbBuffer *buffer)
{
  GArray *spans = g_array_new (FALSE, FALSE, sizeof (Span));
  Span whole = { buffer->offset, buffer->offset + buffer->n_bytes, buffer->first_use,
                 buffer->last_use };

  if (buffer->parts == NULL)
    g_array_append_val (spans, whole);
  for (guint p = 0; buffer->parts != NULL && p < buffer->parts->len; p++)
    {
      const UrbPart *part = &g_array_index (buffer->parts, UrbPart, p);
      Span span = { buffer->offset + part->first * 4,
                    buffer->offset + (part->first + part->count) * 4, part->first_use,
                    part->last_use };

      g_array_append_val (spans, span);
    }
  return spans;
}

static void
assert_apart (const UrbBuffer *a, const UrbBuffer *b)
{
  g_autoptr(GArray) of_a = list_spans (a), of_b = list_spans (b);

  for (guint i = 0; i < of_a->len; i++)
    for (guint j = 0; j < of_b->len; j++)
      {
        const Span *x = &g_array_index (of_a, Span, i), *y = &g_array_index (of_b, Span, j);

        g_assert_true (x->first_use > y->last_use || y->first_use > x->last_use
                       || x->end <= y->begin || y->end <= x->begin);
      }
}

/* Buffers alive at the same time share no byte, every instruction's buffers are placed, and
 * the arena is hardly larger than the peak of live bytes. */
static void
test_memory (gconstpointer data)
{
  const Case *row = data;
  Fixture fixture = { 0 };
  const UrbProgram *program;

  fixture_open (&fixture, row, uk_backend_cpu (), row->n_microbatches, 0);
  program = fixture.program;
  for (guint i = 0; i < program->buffers->len; i++)
    {
      const UrbBuffer *a = urb_program_get_buffer (program, (int) i);

      if (a->store != URB_STORE_ARENA || a->first_use < 0)
        continue;
      g_assert_cmpint (a->offset, >=, 0);
      g_assert_cmpint (a->offset % 64, ==, 0);
      g_assert_cmpint (a->offset + a->n_bytes, <=, program->store_bytes[URB_STORE_ARENA]);
      for (guint j = 0; j < i && a->alias_of < 0; j++)
        {
          const UrbBuffer *b = urb_program_get_buffer (program, (int) j);

          if (b->store == URB_STORE_ARENA && b->first_use >= 0 && b->alias_of < 0)
            assert_apart (a, b);
        }
    }
  g_assert_cmpint (urb_program_get_buffer (program, program->d.grads)->store, ==, URB_STORE_ARENA);
  g_assert_cmpint (urb_program_get_buffer (program, program->g.grads)->store, ==, URB_STORE_ARENA);
  g_assert_cmpint (program->live_bytes, <=, program->store_bytes[URB_STORE_ARENA]);
  g_assert_cmpint (program->store_bytes[URB_STORE_ARENA], <=, program->live_bytes * 5 / 4);
  fixture_close (&fixture);
}

/* A buffer's parts with lifetimes of their own, as ranges of its bytes; itself if it has none. */
static GArray *
list_parts (const UrbBuffer *buffer, gsize element_size)
{
  GArray *parts = g_array_new (FALSE, FALSE, sizeof (UrbPart));
  UrbPart whole = { 0, buffer->n_bytes, buffer->first_use, buffer->last_use };

  if (buffer->parts == NULL)
    g_array_append_val (parts, whole);
  for (guint p = 0; buffer->parts != NULL && p < buffer->parts->len; p++)
    {
      UrbPart part = g_array_index (buffer->parts, UrbPart, p);

      part.first *= (gint64) element_size;
      part.count *= (gint64) element_size;
      g_array_append_val (parts, part);
    }
  return parts;
}

/* Whether @a at @offset and @b in its place share a byte at some time. */
static gboolean
would_collide (const UrbBuffer *a, gint64 offset, const UrbBuffer *b, gsize element_size)
{
  g_autoptr(GArray) mine = list_parts (a, element_size), other = list_parts (b, element_size);

  for (guint i = 0; i < mine->len; i++)
    for (guint j = 0; j < other->len; j++)
      {
        const UrbPart *x = &g_array_index (mine, UrbPart, i), *y = &g_array_index (other, UrbPart, j);

        if (x->first_use <= y->last_use && y->first_use <= x->last_use
            && offset + x->first < b->offset + y->first + y->count
            && b->offset + y->first < offset + x->first + x->count)
          return TRUE;
      }
  return FALSE;
}

static gboolean
is_placed_before (const UrbBuffer *a, int index_a, const UrbBuffer *b, int index_b)
{
  return a->store == URB_STORE_ARENA && a->first_use >= 0 && a->alias_of < 0
         && (a->n_bytes > b->n_bytes || (a->n_bytes == b->n_bytes && index_a < index_b));
}

/* The largest buffer comes first, and each lies as low as possible: no buffer would fit at an end of
 * one placed before it that is lower than its place. */
static void
test_placing (gconstpointer data)
{
  const Case *row = data;
  gsize size = uk_backend_cpu ()->element_size;
  Fixture fixture = { 0 };
  int n;

  fixture_open (&fixture, row, uk_backend_cpu (), row->n_microbatches, 0);
  n = (int) fixture.program->buffers->len;
  for (int i = 0; i < n; i++)
    {
      const UrbBuffer *a = urb_program_get_buffer (fixture.program, i);

      for (int j = -1; j < n && a->store == URB_STORE_ARENA && a->first_use >= 0 && a->alias_of < 0; j++)
        {
          const UrbBuffer *b = j < 0 ? NULL : urb_program_get_buffer (fixture.program, j);
          gint64 lower = b == NULL ? 0 : b->offset + b->n_bytes;
          gboolean collides = FALSE;

          if ((b != NULL && !is_placed_before (b, j, a, i)) || lower >= a->offset)
            continue;
          for (int k = 0; k < n && !collides; k++)
            {
              const UrbBuffer *c = urb_program_get_buffer (fixture.program, k);

              collides = is_placed_before (c, k, a, i) && would_collide (a, lower, c, size);
            }
          g_assert_true (collides);
        }
    }
  fixture_close (&fixture);
}

/* A step reads only those bytes of the arena that it wrote itself. */
static void
test_no_stale_reads (gconstpointer data)
{
  const Case *row = data;
  Fixture fixture = { 0 };
  double *arena, before;
  gint64 bytes;

  fixture_open (&fixture, row, uk_backend_reference (), row->n_microbatches, 0);
  run (&fixture);
  before = loss_of (&fixture, row, TRUE);
  bytes = fixture.program->store_bytes[URB_STORE_ARENA];
  arena = NULL;
  for (guint i = 0; i < fixture.program->buffers->len && arena == NULL; i++)
    if (urb_program_get_buffer (fixture.program, (int) i)->offset == 0)
      arena = memory_of (&fixture, (int) i);
  for (gint64 i = 0; i < bytes / 8; i++)
    arena[i] = NAN;
  run (&fixture);
  g_assert_cmpfloat (loss_of (&fixture, row, TRUE), ==, before);
  fixture_close (&fixture);
}

/* ------------------------------------------------------------------------ */
/* The fast backend                                                          */

static double
distance (Fixture *fast, Fixture *exact, int buffer, gint64 count, double *moved)
{
  g_autofree float *x = g_new (float, count);
  const double *y = memory_of (exact, buffer);
  double difference = 0;

  fast->backend->table->download (fast->backend, UK_REAL, x,
                                  urb_interpreter_get_memory (fast->interpreter, buffer), count);
  for (gint64 i = 0; i < count; i++)
    {
      difference += (x[i] - y[i]) * (x[i] - y[i]);
      *moved += y[i] * y[i];
    }
  return difference;
}

/* The same trajectory over whole iterations, within float rounding.  eps in Adam's
 * denominator is small, so a parameter whose gradient is only rounding error may step
 * the other way; hence the bound is on the norm of all parameters, not on each. */
static void
test_trajectory (gconstpointer data)
{
  const Case *row = data;
  Fixture fast = { 0 }, exact = { 0 };
  double difference = 0, size = 0;

  fixture_open (&fast, row, uk_backend_cpu (), row->n_microbatches, 1e-3f);
  fixture_open (&exact, row, uk_backend_reference (), row->n_microbatches, 1e-3f);
  for (int step = 0; step < 4; step++)
    {
      set_inputs (&fast, (guint64) step);
      set_inputs (&exact, (guint64) step);
      run (&fast);
      run (&exact);
    }
  difference += distance (&fast, &exact, fast.program->g.params, fast.g->n_params, &size);
  difference += distance (&fast, &exact, fast.program->d.params, fast.d->n_params, &size);
  g_assert_cmpfloat (sqrt (difference / size), <, 2e-4);
  fixture_close (&fast);
  fixture_close (&exact);
}

/* ------------------------------------------------------------------------ */

static gint64 device_memory; /* of the backend below */

static UkStatus
tell_memory (UkBackend *backend, int64_t *n_free, int64_t *n_total)
{
  *n_free = *n_total = device_memory;
  return UK_OK;
}

static int
count_recomputed (const UrbProgram *program)
{
  int n = 0;

  for (guint i = 0; i < program->instructions->len; i++)
    n += urb_program_get_instruction (program, i)->desc.kind == UK_OP_BATCH_NORM_RECOMPUTE;
  return n;
}

/* The generator's six batch norms write 6.2 M values per image; a device keeps them if they are at most a
 * sixteenth of its memory. */
static void
test_short_memory (void)
{
  const UkBackendConfig config = { .n_threads = 1 };
  g_autoptr(UrbPreset) preset = urb_preset_load ("dcgan-32m", NULL);
  g_autoptr(UrbNet) g = urb_preset_build_generator (preset, 3, FALSE, NULL);
  g_autoptr(UrbNet) d = urb_preset_build_discriminator (preset, 3, TRUE, NULL);
  g_autoptr(UrbProgram) program = urb_program_new_gan (&(UrbGanOptions) {
    .g = g, .d = d, .batch = 4, .n_microbatches = 1, .first_moment = TRUE });
  UkBackend *backend;
  UkBackendTable device;
  gint64 n_values = 0;

  for (int i = 0; i < urb_net_get_n_layers (g); i++)
    {
      const UrbLayer *layer = urb_net_get_layer (g, i);
      gint64 count = 4 * uk_shape_count (layer->out);

      n_values += layer->kind == URB_LAYER_BATCH_NORM && count >= 1 << 18 ? count : 0;
    }
  g_assert_cmpint (n_values, >, 0);
  g_assert_cmpint (uk_backend_cpu ()->open (&config, &backend), ==, UK_OK);
  g_assert_true (urb_plan_is_memory_short (program, backend)); /* a host */
  device = *backend->table;
  device.memory = tell_memory;
  backend->table = &device;
  device_memory = 16 * 4 * n_values;
  g_assert_false (urb_plan_is_memory_short (program, backend));
  device_memory -= 16;
  g_assert_true (urb_plan_is_memory_short (program, backend));
  backend->table = uk_backend_cpu ();
  g_assert_cmpint (count_recomputed (program), ==, 0);
  urb_program_recompute_norms (program);
  g_assert_cmpint (count_recomputed (program), >=, 4);
  backend->table->close (backend);
}

static void
add (const char *what, const Case *row, GTestDataFunc test)
{
  g_autofree char *path = g_strdup_printf ("/program/%s/%s", what, row->name);

  g_test_add_data_func (path, row, test);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      add ("gradients", &cases[i], test_gradients);
      add ("memory", &cases[i], test_memory);
      add ("placing", &cases[i], test_placing);
      add ("no-stale-reads", &cases[i], test_no_stale_reads);
      add ("trajectory", &cases[i], test_trajectory);
      add ("loss-scale", &cases[i], test_loss_scale);
      if (cases[i].n_d_steps > 1)
        add ("d-steps", &cases[i], test_d_steps);
      if (cases[i].preset != refined && cases[i].preset != shared_refined) /* crops are cut from bytes */
        add ("tile-bits", &cases[i], test_tile_bits);
    }
  g_test_add_func ("/program/short-memory", test_short_memory);
  add ("microbatches", &cases[1], test_microbatches);
  add ("microbatches", &cases[6], test_microbatches);
  return g_test_run ();
}
