/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buckets.c - gradients that are exchanged together.
 *
 * A bucket is a range of the network's flat block of gradients, so nothing is copied.  Backward
 * completes the block from its end to its beginning, a tangent pass (R1 and R2) from its beginning
 * to its end: buckets are cut in that direction.
 */
#include "parallel/rewrite-private.h"

/* For each parameter the last of the instructions from @begin up to @end that writes its gradient, which is in
 * the last microbatch: partial sums are not exchanged. */
static guint *
find_writers (const UrbProgram *program, const UrbProgramNet *slot, guint begin, guint end)
{
  const GArray *params = slot->net->params;
  guint *last = g_new0 (guint, MAX (params->len, 1));
  g_autofree gint64 *at = g_new (gint64, MAX (params->len, 1));

  for (guint p = 0; p < params->len; p++)
    at[p] = urb_runs_find (slot->runs, g_array_index (params, UrbParam, p).offset, NULL);

  for (guint i = begin; i < end; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (program, i);
      const UkOpInfo *info = instruction->kind != URB_DO_OP ? NULL
                                                            : uk_op_info (instruction->desc.kind);

      for (int a = 0; info != NULL && a < info->n_args; a++)
        if (instruction->args[a].buffer == slot->grads && info->args[a].role == UK_OUT)
          for (guint p = 0; p < params->len; p++)
            if (at[p] == instruction->args[a].offset)
              last[p] = i;
    }
  return last;
}

guint *
urb_buckets_find_writers (const UrbProgram *program, const UrbProgramNet *slot)
{
  return find_writers (program, slot, 0, program->instructions->len);
}

static int
compare_ready (gconstpointer a, gconstpointer b)
{
  const UrbBucket *x = a, *y = b;

  if (x->ready != y->ready)
    return x->ready < y->ready ? -1 : 1;
  return x->first < y->first ? -1 : x->first > y->first;
}

void
urb_buckets_sort (GArray *buckets)
{
  g_array_sort (buckets, compare_ready);
}

static const UrbBucket *
get_bucket (const GArray *buckets, guint index)
{
  return &g_array_index (buckets, UrbBucket, index);
}

/* The tensors that the rank has, each up to the next one.  (element-type UrbBucket) (transfer full) */
static GArray *
list_held (const UrbProgram *program, const UrbProgramNet *slot, const guint *last)
{
  GArray *held = g_array_new (FALSE, FALSE, sizeof (UrbBucket));
  gint64 end = urb_program_get_buffer (program, slot->grads)->count;

  for (guint p = slot->net->params->len; p-- > 0;)
    {
      gint64 at = urb_runs_find (slot->runs, urb_net_get_param (slot->net, (int) p)->offset, NULL);
      UrbBucket tensor = { at, end - at, last[p] };

      if (at < 0)
        continue;
      g_array_prepend_val (held, tensor);
      end = at;
    }
  return held;
}

/* Adds those of one update, whose gradients the instructions from @begin up to @end write. */
static void
add_buckets (GArray *buckets, const UrbProgram *program, const UrbProgramNet *slot, gint64 n_elements, guint begin,
             guint end)
{
  g_autofree guint *last = find_writers (program, slot, begin, end);
  g_autoptr(GArray) held = list_held (program, slot, last);
  guint n = held->len;
  gboolean from_end = n > 0 && get_bucket (held, n - 1)->ready < get_bucket (held, 0)->ready;
  UrbBucket bucket = { 0 };

  for (guint k = 0; k < n; k++)
    {
      const UrbBucket *tensor = get_bucket (held, from_end ? n - 1 - k : k);

      if (bucket.count == 0 || from_end)
        bucket.first = tensor->first;
      bucket.count += tensor->count;
      bucket.ready = MAX (bucket.ready, tensor->ready);
      if (bucket.count < n_elements && k + 1 < n)
        continue;
      g_array_append_val (buckets, bucket);
      bucket = (UrbBucket) { 0 };
    }
}

static gboolean
is_update (const UrbInstruction *instruction, const UrbProgramNet *slot)
{
  return instruction->kind == URB_DO_OP && instruction->desc.kind == UK_OP_ADAM
         && instruction->args[0].buffer == slot->params;
}

GArray *
urb_buckets_find (const UrbProgram *program, const UrbProgramNet *slot, gint64 n_elements)
{
  GArray *buckets = g_array_new (FALSE, FALSE, sizeof (UrbBucket));
  guint begin = 0;

  for (guint i = 0; i < program->instructions->len; i++)
    if (is_update (urb_program_get_instruction (program, i), slot))
      {
        add_buckets (buckets, program, slot, n_elements, begin, i);
        begin = i + 1;
      }
  urb_buckets_sort (buckets);
  return buckets;
}

void
urb_buckets_collect (const GArray *buckets, UrbRewrite *rewrite, const UrbProgramNet *slot,
                     guint at, int root, gboolean is_root, const UrbInstruction *like)
{
  for (guint i = 0; i < buckets->len; i++)
    {
      const UrbBucket *bucket = &g_array_index (buckets, UrbBucket, i);
      UrbView range = { slot->grads, bucket->first };

      if (bucket->ready != at)
        continue;
      if (root < 0)
        urb_rewrite_collect (rewrite, URB_COLLECTIVE_ALL_REDUCE, bucket->count, 0, range, range, like);
      else
        urb_rewrite_collect (rewrite, URB_COLLECTIVE_REDUCE, bucket->count, root, range,
                             is_root ? range : URB_NO_VIEW, like);
    }
}

guint
urb_metrics_find_last (const UrbProgram *program)
{
  guint last = 0;

  for (guint i = 0; i < program->instructions->len; i++)
    for (int a = 0; a < UK_MAX_ARGS; a++)
      if (urb_program_get_instruction (program, i)->args[a].buffer == program->metrics)
        last = i;
  return last;
}

/* Not in place: slots that a rank does not write must stay 0. */
void
urb_metrics_collect (UrbRewrite *rewrite, const UrbInstruction *like)
{
  UrbProgram *program = rewrite->program;
  gint64 count = urb_program_get_buffer (program, program->metrics)->count;
  int sum = urb_program_add_buffer (program, g_strdup ("metrics.sum"), URB_STORE_OUTPUT, UK_REAL,
                                    count);
  guint axes = rewrite->axes;

  rewrite->axes = 0;
  urb_rewrite_collect (rewrite, URB_COLLECTIVE_ALL_REDUCE, count, 0,
                       (UrbView) { program->metrics, 0 }, (UrbView) { sum, 0 }, like);
  rewrite->axes = axes;
  program->metrics = sum;
}
