/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trainer-inputs.c - what a trainer's steps are given: tiles, seeds, and the rates and weights of the schedule.
 */
#include <math.h>

#include "train/device.h"
#include "train/trainer-private.h"

/* Of data order and random numbers: asynchronous ranks have their own. */
static guint64
get_seed (const UrbTrainer *self)
{
  return self->async != NULL ? self->async->seed : self->options.seed;
}

static gboolean
has_one_batch (const UrbTrainer *self)
{
  return self->options.overfit || self->tries_rates;
}

/* ------------------------------------------------------------------------ */
/* Products of the betas                                                     */

static void
include_betas (UrbTrainer *self, const UrbSchedule *schedule)
{
  self->beta1_product *= schedule->beta1;
  self->beta2_product *= schedule->beta2;
  self->product_steps++;
}

/* Computes the products of the betas of all steps before @step, in order; once 0 they stay 0, so
 * that a file's huge step count costs no time. */
static void
set_products (UrbTrainer *self, gint64 step)
{
  if (self->product_steps > step)
    {
      self->beta1_product = self->beta2_product = 1;
      self->product_steps = 0;
    }
  while (self->product_steps < step && (self->beta1_product != 0 || self->beta2_product != 0))
    {
      UrbSchedule schedule;

      urb_recipe_get_schedule (&self->options, self->product_steps, &schedule);
      include_betas (self, &schedule);
    }
  self->product_steps = step;
}

/* Local moments start when their rank does, shared ones with the run. */
static gboolean
has_own_products (const UrbTrainer *self)
{
  return self->async != NULL && self->options.local_moments;
}

void
urb_trainer_set_step (UrbTrainer *self, gint64 step)
{
  self->step = step;
  set_products (self, step);
}

void
urb_trainer_advance_products (UrbTrainer *self, const UrbSchedule *schedule)
{
  if (has_own_products (self))
    include_betas (self, schedule);
}

/* ------------------------------------------------------------------------ */
/* Tiles                                                                     */

gboolean
urb_trainer_open_loader (UrbTrainer *self, UrbDataset *dataset, GError **error)
{
  self->loader = urb_loader_new (dataset, get_seed (self), &self->shard, &self->tiles, error);
  for (int i = 0; i < 2 && self->loader != NULL && self->backend->table->pin != NULL; i++)
    {
      gsize n_bytes;
      void *room = urb_loader_get_room (self->loader, i, &n_bytes);

      self->backend->table->pin (self->backend, room, n_bytes); /* on failure copies are just slower */
    }
  return self->loader != NULL;
}

void
urb_trainer_close_loader (UrbTrainer *self)
{
  gsize n_bytes;

  for (int i = 0; i < 2 && self->loader != NULL && self->backend->table->pin != NULL; i++)
    self->backend->table->unpin (self->backend, urb_loader_get_room (self->loader, i, &n_bytes));
  g_clear_pointer (&self->loader, urb_loader_free);
}

/* The step whose images and random numbers @step has. */
static gint64
get_source (const UrbTrainer *self, gint64 step)
{
  return has_one_batch (self) ? 0 : step;
}

/* Sends the loader's tiles, in pinned memory if there is a device, to an unused buffer. */
static UkStatus
send_tiles (UrbTrainer *self, int buffer, const guint8 *tiles)
{
  const UkBackendTable *table = self->backend->table;
  void *to = urb_interpreter_get_memory (self->interpreter, buffer);
  gsize n_bytes = (gsize) urb_program_get_buffer (self->program, buffer)->count;

  return table->write_async != NULL ? table->write_async (self->backend, to, tiles, n_bytes)
                                     : table->write (self->backend, to, tiles, n_bytes);
}

/* Errors are ignored: they recur when the tiles are needed. */
void
urb_trainer_send_next_tiles (UrbTrainer *self, gint64 step)
{
  const guint8 *tiles;

  self->next_tiles_step = -1;
  if (self->program->next_tiles[0] < 0 || self->loader == NULL || has_one_batch (self)
      || (self->async == NULL && step >= self->options.n_steps))
    return;
  tiles = urb_loader_get (self->loader, step, NULL);
  if (tiles != NULL && send_tiles (self, self->program->next_tiles[step % 2], tiles) == UK_OK)
    self->next_tiles_step = step;
}

/* In order with the step; uploads that run meanwhile go to the other buffer. */
static gboolean
take_next_tiles (UrbTrainer *self, gint64 step, GError **error)
{
  int buffer = self->program->tiles;
  void *to = urb_interpreter_get_memory (self->interpreter, buffer);
  const void *from = urb_interpreter_get_memory (self->interpreter,
                                                 self->program->next_tiles[step % 2]);

  return urb_device_check (
    self->backend->table->copy (self->backend, to, from,
                                (gsize) urb_program_get_buffer (self->program, buffer)->count),
    error);
}

/* A rank without a loader gets its tiles from another rank. */
static gboolean
upload_tiles (UrbTrainer *self, gint64 step, GError **error)
{
  gint64 source = get_source (self, self->async != NULL ? self->async->position++ : step);
  const guint8 *tiles;

  if (self->loader == NULL)
    return TRUE;
  if (self->next_tiles_step == source)
    return take_next_tiles (self, source, error);
  tiles = urb_loader_get (self->loader, source, error);
  return tiles != NULL && urb_device_check (send_tiles (self, self->program->tiles, tiles), error);
}

/* ------------------------------------------------------------------------ */
/* All inputs                                                                */

static void
get_schedule (const UrbTrainer *self, gint64 step, UrbSchedule *schedule)
{
  urb_recipe_get_schedule (&self->options, step, schedule);
  schedule->augment = has_one_batch (self) ? 0 : schedule->augment;
  if (self->tries_rates)
    {
      schedule->lr_g = self->lr_g;
      schedule->lr_d = self->lr_d;
    }
  if (self->async != NULL)
    {
      schedule->lr_g *= self->async->rate;
      schedule->lr_d *= self->async->rate;
    }
}

/* What the two networks do not share. */
typedef struct
{
  const UrbProgramNet *slot;
  const UrbLossScale  *scale;
  int    n_updates; /* in each step of the run */
  double lr, clip_norm, weight_decay;
} Update;

static void
set_hyper (UrbTrainer *self, gint64 step, const Update *update, const UrbSchedule *schedule)
{
  int n_updates = update->n_updates;
  double product1 = pow (self->beta1_product, n_updates) / update->scale->beta1_skipped;
  double product2 = pow (self->beta2_product, n_updates) / update->scale->beta2_skipped;

  for (int i = 0; i < n_updates; i++)
    {
      float hyper[UK_N_HYPER] = {
        [UK_HYPER_LR] = (float) update->lr,
        [UK_HYPER_BETA1] = (float) schedule->beta1,
        [UK_HYPER_BETA2] = (float) schedule->beta2,
        [UK_HYPER_EPS] = (float) self->options.adam_epsilon,
        [UK_HYPER_CORRECTION1] = (float) (1 - (product1 *= schedule->beta1)),
        [UK_HYPER_CORRECTION2] = (float) (1 - (product2 *= schedule->beta2)),
        [UK_HYPER_EMA_BETA] = (float) schedule->ema_beta,
        [UK_HYPER_CLIP_NORM] = (float) update->clip_norm,
        [UK_HYPER_WEIGHT_DECAY] = (float) update->weight_decay,
        [UK_HYPER_LOSS_SCALE] = (float) update->scale->scale,
      };

      urb_step_ring_set_reals (self->ring, step, update->slot->hyper, i * UK_N_HYPER, hyper, UK_N_HYPER);
    }
}

/* Weights of the parts of G's loss that have no argument for its scale. */
static void
set_weights (UrbTrainer *self, gint64 step)
{
  const UrbProgram *program = self->program;
  float refine = (float) (-program->refine_weight * self->loss_scale_g.scale);
  float shares[2 * UK_N_SHARES + 1];

  if (program->refine >= 0)
    urb_step_ring_set_reals (self->ring, step, program->refine, 0, &refine, 1);
  if (program->shares < 0)
    return;
  urb_conditions_get_scale (self->conditions, shares);
  shares[2 * UK_N_SHARES] = (float) (-program->shares_weight * self->loss_scale_g.scale);
  urb_step_ring_set_reals (self->ring, step, program->shares, 0, shares, G_N_ELEMENTS (shares));
}

/* Sets everything but the tiles. */
static void
set_values (UrbTrainer *self, gint64 step, const UrbSchedule *schedule)
{
  const guint64 rng[2] = { get_seed (self), (guint64) get_source (self, step) };
  double of_penalty = self->program->penalty_scale, scale = self->loss_scale_d.scale;
  const float penalty[2] = { (float) (schedule->gamma / (double) self->options.batch * of_penalty * of_penalty / scale),
                             (float) of_penalty };
  float augment = (float) schedule->augment;
  const UrbTrainOptions *options = &self->options;
  const Update g = { &self->program->g, &self->loss_scale_g, 1, schedule->lr_g,
                     options->clip_norm_g, options->weight_decay_g };
  const Update d = { &self->program->d, &self->loss_scale_d, self->program->n_d_steps, schedule->lr_d,
                     options->clip_norm_d, options->weight_decay_d };

  urb_step_ring_set_words (self->ring, step, self->program->rng, rng, 2);
  urb_step_ring_set_reals (self->ring, step, self->program->penalty, 0, penalty, 2);
  urb_step_ring_set_reals (self->ring, step, self->program->augment, 0, &augment, 1);
  set_weights (self, step);
  set_hyper (self, step, &g, schedule);
  set_hyper (self, step, &d, schedule);
}

gboolean
urb_trainer_send_inputs (UrbTrainer *self, gint64 step, UrbSchedule *schedule, GError **error)
{
  get_schedule (self, step, schedule);
  if (!has_own_products (self))
    set_products (self, step);
  set_values (self, step, schedule);
  return upload_tiles (self, step, error) && urb_step_ring_send (self->ring, step, error);
}
