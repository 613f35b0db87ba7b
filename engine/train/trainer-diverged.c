/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trainer-diverged.c - after non-finite values: which tensor was the first?
 *
 * Detection is free: every step reads losses, logits and both gradient norms, and any non-finite
 * value reaches one of them.  Adam ignores such a gradient; the squares of any other fit into a
 * float, since the norm is a sum of them in single precision (kernels/cpu/simd/norm.c): so
 * the moments stay finite.  With loss scaling, a step whose gradients alone are not finite has failed only
 * at the lowest scale.
 *
 * At that moment most intermediate results are gone, since buffers share memory.  So a program
 * without collectives is run once more, without its updates, up to the first operation that writes
 * a non-finite value.  The second run may be finite (the discriminator has learned meanwhile), and
 * ranks that exchange data cannot run alone: then the remaining gradients are searched in the order
 * in which the step writes them, which is that of backward.  If a device had begun the next step, the
 * step is repeated first.  (The discriminator's are gone if the
 * generator's step used their memory; but if they were not finite, it has not learned, and the
 * second run gives the same.)
 */
#include <float.h>
#include <math.h>

#include "train/trainer-private.h"

static gint64
count_bad (const void *values, gint64 count, gsize element_size)
{
  const float *floats = values;
  const double *doubles = values;
  gint64 n = 0;

  if (element_size == sizeof (double))
    for (gint64 i = 0; i < count; i++)
      n += !isfinite (doubles[i]);
  else
    for (gint64 i = 0; i < count; i++)
      n += !isfinite (floats[i]);
  return n;
}

/* Values of the device, readable by this process. */
typedef struct
{
  const void *values;
  gsize       element_size;
  void       *copy; /* (nullable) owned */
} Numbers;

static void
numbers_clear (Numbers *self)
{
  g_free (self->copy);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Numbers, numbers_clear)

/* Elements of a buffer.  Values that cannot be read count as finite. */
static Numbers
fetch (UrbTrainer *self, UkArgType type, int buffer, gint64 first, gint64 count)
{
  gsize size = uk_type_size (self->backend, type);
  const char *from = (const char *) urb_interpreter_get_memory (self->interpreter, buffer)
                     + (gsize) first * size;
  Numbers numbers = { from, size, NULL };

  if (urb_trainer_is_outside (self, buffer))
    {
      numbers.values = numbers.copy = g_malloc0 ((gsize) count * size);
      urb_trainer_read_own (self, buffer, first, count, numbers.copy, NULL);
      return numbers;
    }
  if (self->backend->table->is_host)
    return numbers;
  numbers.values = numbers.copy = g_new0 (float, count);
  numbers.element_size = sizeof (float);
  self->backend->table->download (self->backend, type, numbers.copy, from, count);
  return numbers;
}

static gint64
count_bad_at (UrbTrainer *self, UkArgType type, int buffer, gint64 first, gint64 count)
{
  g_auto(Numbers) numbers = fetch (self, type, buffer, first, count);

  return count_bad (numbers.values, count, numbers.element_size);
}

/* Values of a tensor that are not finite, as far as this rank has it.  @runs: (nullable): the part of
 * the block that is in @buffer */
static gint64
count_bad_in (UrbTrainer *self, const UrbParam *param, const GArray *runs, int buffer)
{
  gint64 end = param->offset + param->count, n_bad = 0;

  for (gint64 at = param->offset, n; at < end; at += n)
    {
      gint64 local = urb_runs_find (runs, at, &n);

      n = MIN (n, end - at);
      if (local >= 0)
        n_bad += count_bad_at (self, UK_REAL, buffer, local, n);
    }
  return n_bad;
}

static char *
describe_tensor (const char *what, const UrbParam *param, gint64 n_bad)
{
  return g_strdup_printf ("%s %s (%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " values)", what,
                          param->name, n_bad, param->count);
}

/* "the gradient of d.3.weight (12 of 4608 values)", NULL if all of it is finite.  @buffer: has the
 * part @runs (nullable) of the block of @table; @from: an element: only tensors from there on */
static char *
describe_block (UrbTrainer *self, const char *what, const GArray *table, const GArray *runs, int buffer,
                gint64 from)
{
  for (guint i = 0; i < table->len; i++)
    {
      const UrbParam *param = &g_array_index (table, UrbParam, i);
      gint64 local = urb_runs_find (runs, param->offset, NULL);
      gint64 n = local >= 0 && local < from ? 0 : count_bad_in (self, param, runs, buffer);

      if (n > 0)
        return describe_tensor (what, param, n);
    }
  return NULL;
}

/* Looks at state from before this step, except batch-norm statistics, which the step may have
 * updated. */
static char *
describe_state (UrbTrainer *self)
{
  UrbTrainerBlock blocks[URB_TRAINER_MAX_BLOCKS];
  guint n = urb_trainer_list_blocks (self, blocks);
  char *text = NULL;

  for (guint i = 0; i < n && text == NULL; i++)
    if (blocks[i].buffer != self->program->g.state && blocks[i].buffer != self->program->d.state)
      text = describe_block (self, blocks[i].what, blocks[i].table, blocks[i].runs,
                             blocks[i].buffer, 0);
  return text;
}

/* ------------------------------------------------------------------------ */
/* What an instruction wrote                                                 */

typedef struct
{
  UrbTrainer *trainer;
  char       *text; /* (nullable) owned */
} Search;

static const UrbProgramNet *
find_net_of_gradient (const UrbProgram *program, int buffer)
{
  return buffer == program->g.grads ? &program->g : buffer == program->d.grads ? &program->d : NULL;
}

static char *
describe_output (UrbTrainer *self, const UrbInstruction *instruction, int arg)
{
  const UrbView *view = &instruction->args[arg];
  const UrbProgramNet *net = find_net_of_gradient (self->program, view->buffer);
  gint64 count = uk_op_arg_count (&instruction->desc, arg);
  gint64 n = count_bad_at (self, uk_op_info (instruction->desc.kind)->args[arg].type, view->buffer,
                           view->offset, count);
  g_autofree char *label = NULL;

  if (n == 0)
    return NULL;
  if (net != NULL)
    return describe_block (self, "the gradient of", net->net->params, net->moment_runs, view->buffer,
                           view->offset);
  label = urb_instruction_dup_label (instruction);
  return g_strdup_printf ("the output %s of “%s” in %s (%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                          " values)", uk_op_info (instruction->desc.kind)->args[arg].name, label,
                          urb_pass_get_name (instruction->pass), n, count);
}

static gboolean
is_written (const UrbInstruction *instruction, int arg)
{
  const UkArgInfo *info = &uk_op_info (instruction->desc.kind)->args[arg];

  return instruction->args[arg].buffer >= 0 && info->role == UK_OUT
         && (info->type == UK_REAL || info->type == UK_VALUE);
}

static gboolean
check_cb (gpointer data, const UrbInstruction *instruction)
{
  Search *self = data;

  if (instruction->kind != URB_DO_OP)
    return TRUE;
  for (int a = 0; a < uk_op_info (instruction->desc.kind)->n_args && self->text == NULL; a++)
    if (is_written (instruction, a))
      self->text = describe_output (self->trainer, instruction, a);
  return self->text == NULL;
}

/* Whether @buffer still holds its last value at the end of a step. */
static gboolean
outlives_step (const UrbProgram *program, int buffer)
{
  const UrbBuffer *what = urb_program_get_buffer (program, buffer);
  gboolean outlives = TRUE;

  for (guint i = (guint) (what->last_use + 1); i < program->instructions->len; i++)
    outlives = outlives && urb_program_get_instruction (program, i)->pass == URB_PASS_UPDATE;
  return outlives || what->store != URB_STORE_ARENA;
}

/* The step's own gradients, if they outlive it. */
static char *
describe_gradient (UrbTrainer *self)
{
  Search search = { .trainer = self };

  for (guint i = 0; i < self->program->instructions->len && search.text == NULL; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (self->program, i);

      for (int a = 0; instruction->kind == URB_DO_OP && a < UK_MAX_ARGS && search.text == NULL; a++)
        if (find_net_of_gradient (self->program, instruction->args[a].buffer) != NULL
            && is_written (instruction, a)
            && outlives_step (self->program, instruction->args[a].buffer))
          search.text = describe_output (self, instruction, a);
    }
  return search.text;
}

/* FALSE: the next instruction computes the norm of the discriminator's gradient. */
static gboolean
before_norm_cb (gpointer data, const UrbInstruction *instruction)
{
  const UrbTrainer *self = data;
  const UrbInstruction *next = instruction + 1;
  const UrbInstruction *last = urb_program_get_instruction (self->program,
                                                            self->program->instructions->len - 1);

  return instruction == last || next->kind != URB_DO_OP || next->desc.kind != UK_OP_GRAD_SQUARES
         || next->args[0].buffer != self->program->d.grads;
}

/* If only the norm is not finite: which parameter has the largest square, of those that this rank has? */
static char *
describe_norm (UrbTrainer *self, const UrbProgramNet *slot)
{
  g_auto(Numbers) numbers = fetch (self, UK_REAL, slot->grads, 0,
                                   urb_program_get_buffer (self->program, slot->grads)->count);
  const float *gradient = numbers.values;
  const UrbParam *worst = NULL;
  double sum = 0; /* exact where a float overflows */
  float largest = 0;

  if (numbers.element_size != sizeof (float))
    return NULL; /* no overflow in double precision */
  for (guint i = 0; i < slot->net->params->len; i++)
    {
      const UrbParam *param = urb_net_get_param (slot->net, (int) i);
      gint64 end = param->offset + param->count;

      for (gint64 at = param->offset, n; at < end; at += n)
        {
          gint64 local = urb_runs_find (slot->moment_runs, at, &n);

          n = MIN (n, end - at);
          for (gint64 e = local; local >= 0 && e < local + n; e++)
            {
              sum += (double) gradient[e] * (double) gradient[e];
              if (fabsf (gradient[e]) > largest)
                {
                  largest = fabsf (gradient[e]);
                  worst = param;
                }
            }
        }
    }
  if (!isfinite (sum) || sum <= (double) FLT_MAX)
    return NULL;
  return g_strdup_printf ("the square of the gradient of %s (up to %g)", worst->name, (double) largest);
}

static char *
describe_norms (UrbTrainer *self, const UrbStepMetrics *metrics)
{
  gboolean is_there_d = outlives_step (self->program, self->program->d.grads);

  /* Parts of the gradients that ranks divide are gone. */
  if (self->program->n_requests > 0 && !(is_there_d && outlives_step (self->program, self->program->g.grads)))
    return NULL;
  if (!isfinite (metrics->values[URB_METRIC_GRAD_NORM_D]) && !is_there_d)
    urb_interpreter_retrace (self->interpreter, before_norm_cb, self, NULL);
  if (!isfinite (metrics->values[URB_METRIC_GRAD_NORM_D]))
    return describe_norm (self, &self->program->d);
  return isfinite (metrics->values[URB_METRIC_GRAD_NORM_G]) ? NULL
                                                            : describe_norm (self, &self->program->g);
}

/* ------------------------------------------------------------------------ */

static char *
describe (UrbTrainer *self, const UrbStepMetrics *metrics)
{
  char *text = describe_state (self);
  char *gradient = text == NULL ? describe_gradient (self) : NULL;
  Search search = { .trainer = self };

  if (text == NULL && gradient == NULL)
    gradient = describe_norms (self, metrics);
  if (text == NULL && self->program->n_requests == 0) /* overwrites gradients */
    {
      urb_interpreter_retrace (self->interpreter, check_cb, &search, NULL);
      text = search.text;
    }
  if (text == NULL)
    text = g_steal_pointer (&gradient);
  g_free (gradient);
  for (int i = 0; i < URB_N_METRICS && text == NULL; i++)
    if (!isfinite (metrics->values[i]))
      text = g_strdup (urb_step_metric_names[i]);
  return text != NULL ? text : g_strdup ("?");
}

gboolean
urb_trainer_fail_diverged (UrbTrainer *self, const UrbStepMetrics *metrics, GError **error)
{
  g_autofree char *what = describe (self, metrics);
  g_autofree char *where = self->async != NULL ? g_strdup_printf (" of rank %d", self->rank.rank)
                                               : g_strdup ("");

  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED,
               "Non-finite values in step %" G_GINT64_FORMAT "%s, first in %s",
               self->step + 1, where, what);
  return FALSE;
}

static double
add_squares (const Numbers *numbers, gint64 count)
{
  const float *floats = numbers->values;
  const double *doubles = numbers->values;
  double sum = 0;

  for (gint64 i = 0; i < count; i++)
    {
      double value = numbers->element_size == sizeof (double) ? doubles[i] : (double) floats[i];

      sum += value * value;
    }
  return sum;
}

double
urb_trainer_measure_weights (UrbTrainer *self)
{
  const UrbProgramNet *nets[] = { &self->program->g, &self->program->d };
  double largest = 0;

  g_return_val_if_fail (!self->is_ahead, 0);

  for (gsize i = 0; i < G_N_ELEMENTS (nets); i++)
    {
      gint64 count = nets[i]->runs != NULL ? urb_runs_count (nets[i]->runs) : nets[i]->net->n_params;

      if (nets[i]->params >= 0 && count > 0)
        {
          g_auto(Numbers) numbers = fetch (self, UK_REAL, nets[i]->params, 0, count);

          largest = MAX (largest, sqrt (add_squares (&numbers, count) / (double) count));
        }
    }
  return largest;
}

gboolean
urb_trainer_check_piece (UrbTrainer *self, const UrbTrainerBlock *block, const UrbParam *param,
                         gint64 count, const void *values, GError **error)
{
  gint64 n_bad = count_bad (values, count, self->backend->table->element_size);
  g_autofree char *text = NULL;

  if (n_bad == 0)
    return TRUE;
  text = describe_tensor (block->what, param, n_bad);
  g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED,
               "No checkpoint of step %" G_GINT64_FORMAT " was saved, since it is not finite: first %s",
               urb_trainer_get_step (self), text);
  return FALSE;
}
