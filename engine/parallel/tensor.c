/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensor.c - see tensor.h.
 *
 * A buffer of the arena is divided by samples or by channels; which, follows from what writes it.  By
 * channels, it has c / n_ranks channels of n_ranks times as many samples: as many elements.  The halves of a
 * discriminator's batch, reals and fakes, are gathered and reduced one by one, so that each half of all
 * samples is contiguous, and views of a half keep their offsets.
 */
#include "parallel/tensor.h"

#include "parallel/layout.h"
#include "parallel/rewrite-private.h"
#include "parallel/tensor-private.h"

/* How a buffer is divided. */
enum
{
  BY_SAMPLES,
  BY_CHANNELS,
  UNUSED,    /* batch norm over all ranks' samples, where each rank sees all of them */
  STATISTICS /* of batch norm, of this rank's channels: ranks along data have others of all samples */
};

typedef struct
{
  UrbProgramNet *slot;
  const UrbDivision *divisions;         /* (n_layers), borrowed */
  GArray        *slices, *state_slices; /* of UrbSlice, owned */
  GArray        *stretches;             /* of UrbStretch, owned */
  GArray        *buckets;               /* of UrbBucket, owned: gradients that are summed over the ranks */
  GArray        *divided;               /* of UrbBucket, owned: … over those along data only */
  int            squares;               /* a buffer, (n_params) for at most as many stretches */
} Net;

/* A value of all samples. */
typedef struct
{
  UrbView part;
  gint64  count; /* elements of the part */
  UrbView whole;
} Gathered;

/* Where a batch norm's gradients go, until its last operation. */
typedef struct
{
  UrbView  dgamma, dbeta;
  gboolean accumulate;
} NormGradients;

typedef struct
{
  UrbProgram             *program;
  const UrbTensorOptions *options;
  int                     rank, n_ranks; /* along tensor */
  UrbRewrite              rewrite;
  Net                     nets[2];
  gint64                  n;          /* this rank's samples of a microbatch */
  GByteArray             *layouts;    /* (n_buffers at least), owned */
  GArray                 *gathered;   /* of Gathered, owned: in this sweep */
  const UrbInstruction   *sweep;      /* (nullable) the last instruction of it */
  GHashTable             *dropped;    /* owned: requests + 1 */
  NormGradients           norm;
  UrbView                 factor;     /* of the update that is being emitted */
} Tensor;

/* ------------------------------------------------------------------------ */
/* Layouts                                                                   */

static int
get_layout (const Tensor *self, UrbView view)
{
  return view.buffer >= 0 && (guint) view.buffer < self->layouts->len ? self->layouts->data[view.buffer]
                                                                      : BY_SAMPLES;
}

static void
set_layout (Tensor *self, UrbView view, int layout)
{
  guint n = self->layouts->len;

  if (view.buffer < 0)
    return;
  if ((guint) view.buffer >= n)
    {
      g_byte_array_set_size (self->layouts, (guint) view.buffer + 1);
      memset (self->layouts->data + n, BY_SAMPLES, self->layouts->len - n);
    }
  self->layouts->data[view.buffer] = (guint8) layout;
}

static UrbDivision
get_division (const Tensor *self, const UrbInstruction *instruction)
{
  const UrbProgramNet *slot;
  int layer = urb_program_find_layer (self->program, instruction, self->options->n_base_layers, &slot);

  return layer < 0 ? URB_DIVISION_SAMPLES : self->nets[slot == self->nets[1].slot].divisions[layer];
}

/* ------------------------------------------------------------------------ */
/* Exchanges                                                                 */

static void
end_sweep (Tensor *self, const UrbInstruction *instruction)
{
  const UrbInstruction *last = self->sweep;

  if (last == NULL || last->pass != instruction->pass || last->microbatch != instruction->microbatch
      || g_strcmp0 (last->net, instruction->net) != 0)
    g_array_set_size (self->gathered, 0);
  self->sweep = instruction;
}

/* A buffer for a value of all samples.  @like: the value of this rank's samples */
static UrbView
add_whole (Tensor *self, const char *what, UrbView like, gint64 count)
{
  const UrbBuffer *buffer = urb_program_get_buffer (self->program, like.buffer);

  return urb_program_add_temp (self->program, g_strdup_printf ("%s.%s", buffer->name, what), buffer->type,
                               count * self->n_ranks);
}

/* All ranks' samples of argument @arg, which is divided by samples. */
static UrbView
gather (Tensor *self, const UrbInstruction *instruction, int arg)
{
  Gathered all = { .part = instruction->args[arg], .count = uk_op_arg_count (&instruction->desc, arg) };
  gint64 n_halves = instruction->desc.x.n / self->n, count = all.count / n_halves;

  g_assert (get_layout (self, all.part) == BY_SAMPLES && instruction->desc.x.n % self->n == 0);
  for (guint i = 0; i < self->gathered->len; i++)
    {
      const Gathered *other = &g_array_index (self->gathered, Gathered, i);

      if (other->part.buffer == all.part.buffer && other->part.offset == all.part.offset
          && other->count == all.count)
        return other->whole;
    }
  all.whole = add_whole (self, "all", all.part, all.count);
  for (gint64 half = 0; half < n_halves; half++)
    urb_rewrite_collect (&self->rewrite, URB_COLLECTIVE_ALL_GATHER, count, 0,
                         (UrbView) { all.part.buffer, all.part.offset + half * count },
                         (UrbView) { all.whole.buffer, half * count * self->n_ranks }, instruction);
  g_array_append_val (self->gathered, all);
  return all.whole;
}

/* Sums @sum, of all samples, over the ranks, and keeps this rank's samples.  @like: it has the samples
 * of @to, with @count elements */
static void
reduce (Tensor *self, UrbView sum, UrbView to, gint64 count, const UrbInstruction *like)
{
  gint64 n_halves = like->desc.x.n / self->n;

  count /= n_halves;
  for (gint64 half = 0; half < n_halves; half++)
    urb_rewrite_collect (&self->rewrite, URB_COLLECTIVE_REDUCE_SCATTER, count, 0,
                         (UrbView) { sum.buffer, half * count * self->n_ranks },
                         (UrbView) { to.buffer, to.offset + half * count }, like);
}

/* ------------------------------------------------------------------------ */
/* Operations                                                                */

static void
move_view (const Net *net, UrbView *view)
{
  if (view->buffer < 0)
    return;
  if (view->buffer == net->slot->params || view->buffer == net->slot->grads)
    view->offset = urb_slices_get (net->slices, view->offset)->local;
  else if (view->buffer == net->slot->state)
    view->offset = urb_slices_get (net->state_slices, view->offset)->local;
}

/* With the rank's slices of parameters, gradients and statistics. */
static void
emit (Tensor *self, UrbInstruction instruction)
{
  for (int a = 0; a < UK_MAX_ARGS; a++)
    for (int n = 0; n < 2; n++)
      move_view (&self->nets[n], &instruction.args[a]);
  urb_rewrite_emit (&self->rewrite, &instruction);
}

static void
see_all_samples (const Tensor *self, UkOpDesc *desc)
{
  desc->x.n *= self->n_ranks;
  desc->y.n *= self->n_ranks;
}

/* The factor of each sample; -1: there is none. */
static int
find_factors (const UrbInstruction *instruction)
{
  int arg = instruction->desc.kind == UK_OP_ACT_GRAD ? 2 : instruction->desc.kind == UK_OP_AXPBY ? 1 : -1;

  return arg >= 0 && instruction->args[arg].buffer >= 0 ? arg : -1;
}

/* On this rank's channels of all samples. */
static void
emit_by_channels (Tensor *self, const UrbInstruction *instruction)
{
  const UkOpInfo *info = uk_op_info (instruction->desc.kind);
  int factors = find_factors (instruction);
  UrbInstruction divided = *instruction;

  if (factors >= 0)
    divided.args[factors] = gather (self, instruction, factors);
  see_all_samples (self, &divided.desc);
  divided.desc.x.c /= self->n_ranks;
  divided.desc.y.c /= self->n_ranks;
  for (int a = 0; a < info->n_args; a++)
    {
      UrbView view = divided.args[a];
      UrbBuffer *buffer = view.buffer < 0 ? NULL : urb_program_get_buffer (self->program, view.buffer);

      if (buffer == NULL || buffer->store != URB_STORE_ARENA || a == factors)
        continue;
      if (info->args[a].type == UK_REAL) /* a number for each channel */
        buffer->count = uk_op_arg_count (&divided.desc, a);
      else if (info->args[a].role == UK_OUT)
        set_layout (self, view, BY_CHANNELS);
      else
        g_assert (get_layout (self, view) == BY_CHANNELS);
    }
  emit (self, divided);
}

static void
emit_column (Tensor *self, const UrbInstruction *instruction)
{
  UkOpKind kind = instruction->desc.kind;
  UrbInstruction divided = *instruction;
  gint64 count = uk_op_arg_count (&instruction->desc, 2);

  if (kind == UK_OP_CONV_DGRAD)
    divided.args[2] = add_whole (self, "sum", instruction->args[2], count);
  else
    divided.args[0] = gather (self, instruction, 0);
  if (kind == UK_OP_CONV)
    set_layout (self, instruction->args[3], BY_CHANNELS);
  else
    g_assert (get_layout (self, instruction->args[kind == UK_OP_CONV_DGRAD ? 0 : 1]) == BY_CHANNELS);
  see_all_samples (self, &divided.desc);
  divided.desc.y.c /= self->n_ranks;
  emit (self, divided);
  if (kind == UK_OP_CONV_DGRAD)
    reduce (self, divided.args[2], instruction->args[2], count, instruction);
}

/* Bias and activation follow when all ranks' contributions are summed. */
static void
emit_row_forward (Tensor *self, const UrbInstruction *instruction)
{
  UrbInstruction divided = *instruction, after = *instruction;
  UrbView y = instruction->args[3];
  gint64 count = uk_op_arg_count (&instruction->desc, 3);
  gboolean is_all = instruction->args[2].buffer < 0 && instruction->desc.act == UK_ACT_NONE;

  g_assert (get_layout (self, instruction->args[0]) == BY_CHANNELS);
  divided.args[2] = URB_NO_VIEW;
  divided.args[3] = add_whole (self, "sum", y, count);
  divided.desc.act = UK_ACT_NONE;
  see_all_samples (self, &divided.desc);
  divided.desc.x.c /= self->n_ranks;
  emit (self, divided);
  after.desc.kind = UK_OP_BIAS_ACT;
  after.desc.x = after.desc.y;
  after.args[0] = is_all ? y : urb_program_add_temp (self->program, g_strdup_printf (
                                 "%s.before", urb_program_get_buffer (self->program, y.buffer)->name),
                                                     UK_VALUE, count);
  after.args[1] = instruction->args[2];
  after.args[2] = y;
  after.args[3] = URB_NO_VIEW;
  reduce (self, divided.args[3], after.args[0], count, instruction);
  if (!is_all)
    emit (self, after);
}

static void
emit_row (Tensor *self, const UrbInstruction *instruction)
{
  UrbInstruction divided = *instruction;

  if (instruction->desc.kind == UK_OP_CONV)
    {
      emit_row_forward (self, instruction);
      return;
    }
  if (instruction->desc.kind == UK_OP_CONV_DGRAD)
    {
      divided.args[0] = gather (self, instruction, 0);
      set_layout (self, instruction->args[2], BY_CHANNELS);
    }
  else
    {
      g_assert (get_layout (self, instruction->args[0]) == BY_CHANNELS);
      divided.args[1] = gather (self, instruction, 1);
    }
  see_all_samples (self, &divided.desc);
  divided.desc.x.c /= self->n_ranks;
  emit (self, divided);
}

/* ------------------------------------------------------------------------ */
/* Batch norm                                                                */

/* The two halves remain, since ranks along data have other samples of these channels. */
static void
emit_norm_over_data (Tensor *self, const UrbInstruction *instruction)
{
  if (instruction->desc.kind == UK_OP_BATCH_NORM_LOCAL)
    set_layout (self, instruction->args[1], STATISTICS);
  else if (instruction->desc.kind == UK_OP_BATCH_NORM_GRAD_LOCAL)
    set_layout (self, instruction->args[6], STATISTICS);
  emit_by_channels (self, instruction);
}

/* The two halves of a batch norm over all ranks' samples become one operation on a rank's channels. */
static void
emit_norm (Tensor *self, const UrbInstruction *instruction)
{
  const UrbView *args = instruction->args;
  UrbInstruction whole = *instruction;

  if (self->options->mesh->data > 1)
    {
      emit_norm_over_data (self, instruction);
      return;
    }
  for (int a = 0; a < UK_MAX_ARGS; a++)
    whole.args[a] = URB_NO_VIEW;
  whole.desc.batch = 0;
  switch (instruction->desc.kind)
    {
    case UK_OP_BATCH_NORM_LOCAL:
      set_layout (self, args[1], UNUSED);
      break;
    case UK_OP_BATCH_NORM_GLOBAL:
      whole.desc.kind = UK_OP_BATCH_NORM;
      whole.args[0] = args[0];
      for (int a = 1; a < 8; a++)
        whole.args[a] = args[a + 1];
      emit_by_channels (self, &whole);
      break;
    case UK_OP_BATCH_NORM_GRAD_LOCAL:
      set_layout (self, args[6], UNUSED);
      self->norm = (NormGradients) { args[7], args[8], instruction->desc.accumulate };
      break;
    case UK_OP_BATCH_NORM_GRAD_GLOBAL:
      whole.desc.kind = UK_OP_BATCH_NORM_GRAD;
      for (int a = 0; a < 6; a++)
        whole.args[a] = args[a];
      whole.args[6] = args[7];
      whole.desc.accumulate = self->norm.accumulate;
      whole.args[7] = self->norm.dgamma;
      whole.args[8] = self->norm.dbeta;
      for (int a = 7; a <= 8; a++)
        if (whole.args[a].buffer < 0) /* the operation writes them anyway */
          whole.args[a] = urb_program_add_temp (self->program, g_strdup ("unused"), UK_REAL, 1);
      emit_by_channels (self, &whole);
      break;
    default:
      emit_by_channels (self, instruction);
    }
}

static void
emit_operation (Tensor *self, const UrbInstruction *instruction)
{
  UkOpKind kind = instruction->desc.kind;
  gboolean is_conv = kind == UK_OP_CONV || kind == UK_OP_CONV_DGRAD || kind == UK_OP_CONV_WGRAD;
  gboolean by_channels = FALSE;
  UrbDivision division = is_conv ? get_division (self, instruction) : URB_DIVISION_SAMPLES;

  for (int a = 0; a < uk_op_info (kind)->n_args; a++)
    by_channels |= get_layout (self, instruction->args[a]) == BY_CHANNELS;
  if (division == URB_DIVISION_COLUMN)
    emit_column (self, instruction);
  else if (division == URB_DIVISION_ROW)
    emit_row (self, instruction);
  else if (by_channels)
    emit_norm (self, instruction);
  else
    emit (self, *instruction);
}

/* ------------------------------------------------------------------------ */
/* Updates                                                                   */

/* What all ranks have is counted by the first. */
static void
emit_squares (Tensor *self, const Net *net, const UrbInstruction *like)
{
  for (guint s = 0; s < net->stretches->len; s++)
    {
      const UrbStretch *stretch = &g_array_index (net->stretches, UrbStretch, s);
      UrbInstruction squares = urb_update_operation (like, UK_OP_GRAD_SQUARES, stretch->count);

      squares.args[0] = (UrbView) { net->slot->grads, stretch->local };
      squares.args[1] = (UrbView) { net->squares, s };
      if (stretch->is_divided || self->rank == 0)
        urb_rewrite_emit (&self->rewrite, &squares);
    }
}

static void
emit_update (Tensor *self, const UrbInstruction *instruction)
{
  const Net *net = &self->nets[g_strcmp0 (instruction->net, self->nets[1].slot->net->name) == 0];
  const UrbMesh *mesh = self->options->mesh;
  guint axes = mesh->pipe > 1 ? URB_AXIS_TENSOR | URB_AXIS_PIPE : URB_AXIS_TENSOR;
  UrbInstruction adam;

  switch (instruction->desc.kind)
    {
    case UK_OP_GRAD_SQUARES:
      emit_squares (self, net, instruction);
      break;
    case UK_OP_GRAD_FACTOR:
      self->factor = urb_update_emit_factor (&self->rewrite, (UrbView) { net->squares, 0 },
                                             net->slot->net->params->len,
                                             &(UrbHolders) { urb_mesh_count (mesh, axes),
                                                             urb_mesh_simplify (mesh, axes),
                                                             self->options->rank == 0 }, instruction);
      break;
    case UK_OP_ADAM:
      adam = urb_update_operation (instruction, UK_OP_ADAM, urb_runs_count (net->slot->runs));
      adam.args[6] = self->factor;
      if (adam.desc.x.n > 0)
        urb_rewrite_emit (&self->rewrite, &adam);
      break;
    default:
      g_assert_not_reached ();
    }
}

/* ------------------------------------------------------------------------ */

static gboolean
is_dropped (Tensor *self, const UrbInstruction *instruction)
{
  gpointer request = GINT_TO_POINTER (instruction->request + 1);

  if (instruction->kind == URB_DO_COLLECTIVE && get_layout (self, instruction->args[0]) == UNUSED)
    g_hash_table_add (self->dropped, request);
  return (instruction->kind == URB_DO_COLLECTIVE || instruction->kind == URB_DO_WAIT)
         && g_hash_table_contains (self->dropped, request);
}

/* What is between the halves of batch norm is exchanged for this rank's channels. */
static void
emit_exchange (Tensor *self, const UrbInstruction *instruction)
{
  UrbInstruction divided = *instruction;

  if (get_layout (self, instruction->args[0]) == STATISTICS)
    {
      divided.collective.count /= self->n_ranks;
      divided.n_parts = self->options->mesh->data;
      divided.axes = urb_mesh_simplify (self->options->mesh, URB_AXIS_DATA);
    }
  urb_rewrite_emit (&self->rewrite, &divided);
}

/* Of the ranks along @axes, after instruction @at. */
static void
sum_gradients (Tensor *self, const Net *net, const GArray *buckets, guint axes, guint at,
               const UrbInstruction *like)
{
  guint before = self->rewrite.axes;

  self->rewrite.axes = axes;
  urb_buckets_collect (buckets, &self->rewrite, net->slot, at, -1, FALSE, like);
  self->rewrite.axes = before;
}

static void
rewrite (Tensor *self)
{
  const UrbMesh *mesh = self->options->mesh;
  UrbProgram *program = self->program;
  guint last_metrics = urb_metrics_find_last (program);

  urb_rewrite_begin (&self->rewrite, program);
  self->rewrite.n_parts = self->n_ranks;
  self->rewrite.axes = urb_mesh_simplify (mesh, URB_AXIS_TENSOR);
  for (guint i = 0; i < program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (program, i);

      if (is_dropped (self, instruction))
        continue;
      end_sweep (self, instruction);
      if (instruction->kind != URB_DO_OP)
        emit_exchange (self, instruction);
      else if (instruction->pass == URB_PASS_UPDATE)
        emit_update (self, instruction);
      else
        emit_operation (self, instruction);
      for (int n = 0; n < 2; n++)
        {
          const Net *net = &self->nets[n];

          sum_gradients (self, net, net->buckets, urb_mesh_simplify (mesh, URB_AXES_SAMPLES), i, instruction);
          if (mesh->data > 1)
            sum_gradients (self, net, net->divided, urb_mesh_simplify (mesh, URB_AXIS_DATA), i, instruction);
        }
      if (i == last_metrics && mesh->pipe == 1)
        urb_metrics_collect (&self->rewrite, instruction);
    }
  urb_rewrite_finish (&self->rewrite);
}

static void
resize (Tensor *self, int buffer, const GArray *runs)
{
  if (buffer >= 0)
    urb_program_get_buffer (self->program, buffer)->count = urb_runs_count (runs);
}

static void
divide_blocks (Tensor *self, Net *net)
{
  UrbProgramNet *slot = net->slot;
  int rank = self->rank, n_ranks = self->n_ranks;

  g_clear_pointer (&slot->runs, g_array_unref);
  g_clear_pointer (&slot->moment_runs, g_array_unref);
  g_clear_pointer (&slot->state_runs, g_array_unref);
  slot->runs = urb_slices_make_runs (net->slices, rank, n_ranks);
  slot->moment_runs = g_array_ref (slot->runs);
  slot->state_runs = urb_slices_make_runs (net->state_slices, rank, n_ranks);
  resize (self, slot->params, slot->runs);
  resize (self, slot->grads, slot->runs);
  resize (self, slot->moment1, slot->runs);
  resize (self, slot->moment2, slot->runs);
  resize (self, slot->ema, slot->runs);
  resize (self, slot->state, slot->state_runs);
}

static void
net_init (Tensor *self, Net *net, UrbProgramNet *slot, const UrbDivision *divisions)
{
  const UrbTensorOptions *options = self->options;
  gint64 n_elements = (gint64) (options->bucket_mib * (1 << 20) / sizeof (float));

  net->slot = slot;
  net->divisions = divisions;
  net->slices = urb_slices_find (slot->net, FALSE, divisions, self->n_ranks, slot->runs);
  net->state_slices = urb_slices_find (slot->net, TRUE, divisions, self->n_ranks, slot->state_runs);
  net->stretches = urb_slices_make_stretches (net->slices);
  net->buckets = urb_slices_make_buckets (net->slices, FALSE, self->program, slot, n_elements);
  net->divided = urb_slices_make_buckets (net->slices, TRUE, self->program, slot, n_elements);
  net->squares = urb_program_add_buffer (self->program, g_strdup_printf ("%s.stretch-squares",
                                                                         slot->net->name),
                                         URB_STORE_INPUT, UK_REAL, slot->net->params->len);
}

static void
net_clear (Net *self)
{
  g_array_unref (self->slices);
  g_array_unref (self->state_slices);
  g_array_unref (self->stretches);
  g_array_unref (self->buckets);
  g_array_unref (self->divided);
}

void
urb_program_make_tensor (UrbProgram *program, const UrbTensorOptions *options)
{
  g_autoptr(GByteArray) layouts = g_byte_array_new ();
  g_autoptr(GArray) gathered = g_array_new (FALSE, FALSE, sizeof (Gathered));
  g_autoptr(GHashTable) dropped = g_hash_table_new (g_direct_hash, g_direct_equal);
  Tensor self = { .program = program, .options = options, .layouts = layouts, .gathered = gathered,
                  .dropped = dropped, .n = program->batch / program->n_microbatches,
                  .rank = urb_mesh_get_index (options->mesh, options->rank, URB_AXIS_TENSOR),
                  .n_ranks = options->mesh->tensor };

  net_init (&self, &self.nets[0], &program->g, options->g);
  net_init (&self, &self.nets[1], &program->d, options->d);
  divide_blocks (&self, &self.nets[0]);
  divide_blocks (&self, &self.nets[1]);
  rewrite (&self);
  for (int n = 0; n < 2; n++)
    net_clear (&self.nets[n]);
}
