/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hogwild.c - see hogwild.h.
 *
 * Parameters, their average, batch norm's running statistics, and usually the moments are shared.
 * The ranks' reads and writes of them race, on purpose.  Recht et al. (2011, 1106.5730) show that
 * gradient descent converges nevertheless if updates rarely collide; in a dense network they do
 * collide, and whether it trains well is measured (urb_shared_params_dup_json()).  The hardware's
 * guarantee suffices: aligned floats and doubles are read and written whole, so that every value
 * read was written by some rank.  The C standard gives none: a data race is undefined.  So races
 * are limited to three places where a compiler can conclude nothing from them, one pass over plain
 * arrays each: the backend's copy(), Adam, and batch norm's running statistics (each excluded from
 * ThreadSanitizer).  On a GPU the same three race, aligned floats are whole there too, and results
 * are visible to all processes after a wait (the interpreter waits before each note).
 *
 * Running statistics are shared because no computation reads them: training uses those of its
 * batch, and a generator measures its own.  Each update is a weighted mean of old and new, and so
 * is the result of any race.  In shared memory they survive their worker and reach the checkpoint.
 */
#include "parallel/hogwild.h"

#include <string.h>

/* Elements of a slice: large, so that canaries are rare in comparison; and a multiple of a cache
 * line, so that slices share none. */
enum { MIN_SLICE = 4096, SLICE_ALIGNMENT = 64 };

typedef enum { NOTE_READ, NOTE_BEGIN, NOTE_CANARY, NOTE_END } NoteKind;

void
urb_hogwild_note (gpointer worker, int note)
{
  UrbHogwildWorker *self = worker;
  int slice = note % URB_SHARED_MAX_SLICES;
  UrbSharedNet net = (UrbSharedNet) (note / URB_SHARED_MAX_SLICES % URB_SHARED_N_NETS);

  switch ((NoteKind) (note / URB_SHARED_MAX_SLICES / URB_SHARED_N_NETS))
    {
    case NOTE_READ:
      urb_shared_params_begin_read (self->shared, self->rank, net);
      break;
    case NOTE_BEGIN:
      urb_shared_params_begin_publish (self->shared, self->rank, net);
      break;
    case NOTE_CANARY:
      urb_shared_params_feed_canary (self->shared, self->rank, net, slice);
      break;
    case NOTE_END:
      urb_shared_params_end_publish (self->shared, self->rank, net);
      break;
    }
}

/* ------------------------------------------------------------------------ */
/* Rewriting                                                                 */

typedef struct
{
  GArray        *out; /* of UrbInstruction */
  UrbProgramNet *slots[URB_SHARED_N_NETS];
  int            snapshots[URB_SHARED_N_NETS];
} Rewrite;

static UrbInstruction
instruction_new (UrbInstructionKind kind, const UrbProgramNet *slot, UrbPass pass)
{
  UrbInstruction result = urb_instruction_new (kind);

  result.net = slot->net->name;
  result.pass = pass;
  return result;
}

static void
add_note (Rewrite *self, NoteKind kind, UrbSharedNet net, int slice)
{
  UrbInstruction instruction = instruction_new (URB_DO_NOTE, self->slots[net],
                                                kind == NOTE_READ ? URB_PASS_LOAD : URB_PASS_UPDATE);

  instruction.note = ((int) kind * URB_SHARED_N_NETS + (int) net) * URB_SHARED_MAX_SLICES + slice;
  g_array_append_val (self->out, instruction);
}

static void
add_snapshot (Rewrite *self, UrbSharedNet net)
{
  const UrbProgramNet *slot = self->slots[net];
  UrbInstruction copy = instruction_new (URB_DO_COPY, slot, URB_PASS_LOAD);

  add_note (self, NOTE_READ, net, 0);
  copy.count = slot->net->n_params;
  copy.args[0] = (UrbView) { slot->params, 0 };
  copy.args[1] = (UrbView) { self->snapshots[net], 0 };
  g_array_append_val (self->out, copy);
}

/* A canary follows each slice. */
static void
add_update (Rewrite *self, const UrbInstruction *adam, UrbSharedNet net)
{
  gint64 n = adam->desc.x.n;
  int n_slices = (int) CLAMP (n / MIN_SLICE, 1, URB_SHARED_MAX_SLICES);

  add_note (self, NOTE_BEGIN, net, 0);
  for (int i = 0; i < n_slices; i++)
    {
      gint64 begin = n * i / n_slices / SLICE_ALIGNMENT * SLICE_ALIGNMENT;
      gint64 end = i + 1 == n_slices
                     ? n : n * (i + 1) / n_slices / SLICE_ALIGNMENT * SLICE_ALIGNMENT;
      UrbInstruction slice = *adam;

      slice.desc.x.n = slice.desc.y.n = end - begin;
      for (int a = 0; a < 5; a++) /* w, g, m, v, ema */
        if (slice.args[a].buffer >= 0)
          slice.args[a].offset += begin;
      g_array_append_val (self->out, slice);
      add_note (self, NOTE_CANARY, net, i);
    }
  add_note (self, NOTE_END, net, 0);
}

static void
rewrite_one (Rewrite *self, const UrbInstruction *instruction)
{
  UrbInstruction copy = *instruction;

  if (instruction->kind == URB_DO_OP && instruction->desc.kind == UK_OP_ADAM)
    {
      gboolean is_d = instruction->args[0].buffer == self->slots[URB_SHARED_D]->params;

      add_update (self, instruction, is_d ? URB_SHARED_D : URB_SHARED_G);
      if (is_d)
        add_snapshot (self, URB_SHARED_D); /* G learns from the D that has learnt */
      return;
    }
  /* Readers of the parameters read the snapshot instead. */
  for (int a = 0; a < UK_MAX_ARGS; a++)
    for (int net = 0; net < URB_SHARED_N_NETS; net++)
      if (copy.args[a].buffer == self->slots[net]->params)
        copy.args[a].buffer = self->snapshots[net];
  g_array_append_val (self->out, copy);
}

void
urb_program_make_hogwild (UrbProgram *self)
{
  Rewrite rewrite = { .slots = { &self->g, &self->d } };

  g_return_if_fail (!self->planned);

  rewrite.out = g_array_new (FALSE, TRUE, sizeof (UrbInstruction));
  for (int net = 0; net < URB_SHARED_N_NETS; net++)
    {
      const UrbProgramNet *slot = rewrite.slots[net];

      rewrite.snapshots[net] =
        urb_program_add_buffer (self, g_strdup_printf ("%s.snapshot", slot->net->name),
                                URB_STORE_PARAMS, UK_REAL, slot->net->n_params);
      add_snapshot (&rewrite, (UrbSharedNet) net);
    }
  for (guint i = 0; i < self->instructions->len; i++)
    rewrite_one (&rewrite, urb_program_get_instruction (self, i));
  g_array_set_size (self->instructions, 0);
  g_array_append_vals (self->instructions, rewrite.out->data, rewrite.out->len);
  g_array_unref (rewrite.out);
}

/* ------------------------------------------------------------------------ */
/* Blocks                                                                    */

static int
buffer_of (const UrbProgram *self, UrbSharedNet net, UrbSharedBlock block)
{
  const UrbProgramNet *slot = net == URB_SHARED_G ? &self->g : &self->d;
  const int buffers[URB_SHARED_N_BLOCKS] = {
    [URB_SHARED_PARAMS] = slot->params,   [URB_SHARED_MOMENT1] = slot->moment1,
    [URB_SHARED_MOMENT2] = slot->moment2, [URB_SHARED_EMA] = slot->ema,
    [URB_SHARED_STATE] = slot->state,
  };

  return buffers[block];
}

static void
hash_table (GChecksum *sum, const GArray *table)
{
  for (guint i = 0; i < table->len; i++)
    {
      const UrbParam *param = &g_array_index (table, UrbParam, i);

      g_checksum_update (sum, (const guchar *) param->name, (gssize) strlen (param->name) + 1);
      g_checksum_update (sum, (const guchar *) param->shape, sizeof param->shape);
      g_checksum_update (sum, (const guchar *) &param->offset, sizeof param->offset);
    }
}

void
urb_hogwild_get_layout (const UrbProgram *self, gboolean local_moments, const char *options,
                        UrbSharedLayout *out)
{
  g_autoptr(GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  gsize n_hash = sizeof out->hash;

  g_return_if_fail (self->planned);

  memset (out, 0, sizeof *out);
  for (int net = 0; net < URB_SHARED_N_NETS; net++)
    for (int block = 0; block < URB_SHARED_N_BLOCKS; block++)
      {
        int buffer = buffer_of (self, (UrbSharedNet) net, (UrbSharedBlock) block);
        gboolean is_moment = block == URB_SHARED_MOMENT1 || block == URB_SHARED_MOMENT2;

        if (buffer >= 0 && !(is_moment && local_moments))
          out->n_bytes[net][block] = urb_program_get_buffer (self, buffer)->n_bytes;
      }
  hash_table (sum, self->g.net->params);
  hash_table (sum, self->g.net->states);
  hash_table (sum, self->d.net->params);
  hash_table (sum, self->d.net->states);
  g_checksum_update (sum, (const guchar *) options, -1);
  g_checksum_get_digest (sum, out->hash, &n_hash);
}

void **
urb_hogwild_list_blocks (const UrbProgram *self, UrbSharedParams *shared)
{
  void **result = g_new0 (void *, self->buffers->len);

  for (int net = 0; net < URB_SHARED_N_NETS; net++)
    for (int block = 0; block < URB_SHARED_N_BLOCKS; block++)
      {
        int buffer = buffer_of (self, (UrbSharedNet) net, (UrbSharedBlock) block);

        if (buffer >= 0)
          result[buffer] = urb_shared_params_get_block (shared, (UrbSharedNet) net,
                                                        (UrbSharedBlock) block);
      }
  return result;
}

void
urb_hogwild_lend (const UrbProgram *self, UrbInterpreter *interpreter,
                  const UrbSharedLayout *layout, UrbSharedParams *shared)
{
  for (int net = 0; net < URB_SHARED_N_NETS; net++)
    for (int block = 0; block < URB_SHARED_N_BLOCKS; block++)
      {
        int buffer = buffer_of (self, (UrbSharedNet) net, (UrbSharedBlock) block);

        if (layout->n_bytes[net][block] > 0)
          urb_shared_params_lend (shared, (UrbSharedNet) net, (UrbSharedBlock) block,
                                  urb_interpreter_get_memory (interpreter, buffer));
      }
}
