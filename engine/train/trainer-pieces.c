/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trainer-pieces.c - the state of all ranks, in pieces.
 *
 * Rank 0 reads and writes checkpoints.  What it lacks comes from the lowest rank that has it, in pieces
 * that are small even if the networks are not.  Meanwhile the other ranks serve it: they obey its
 * requests until it ends them.
 */
#include <string.h>

#include "train/device.h"
#include "train/safetensors.h"
#include "train/trainer-private.h"

typedef enum { REQUEST_GATHER, REQUEST_SPREAD, REQUEST_END } RequestKind;

typedef struct
{
  gint64 kind; /* RequestKind */
  gint64 block, first, count;
  gint64 step; /* END */
  UrbLossScale loss_scale_g, loss_scale_d; /* END */
} Request;

static gsize
real_size (const UrbTrainer *self)
{
  return self->backend->table->element_size;
}

gint64
urb_trainer_count_piece (const UrbTrainer *self, const UrbParam *param)
{
  return urb_tensor_get_piece (param->n_dims, param->shape, real_size (self));
}

gsize
urb_trainer_get_piece_bytes (const UrbTrainer *self)
{
  UrbTrainerBlock block;
  gint64 most = 0;

  for (int id = 0; id < URB_TRAINER_MAX_BLOCKS; id++)
    {
      urb_trainer_get_block (self, id, &block);
      for (guint p = 0; p < block.table->len; p++)
        most = MAX (most, urb_trainer_count_piece (self, &g_array_index (block.table, UrbParam, p)));
    }
  return (gsize) most * real_size (self);
}

static UrbCollective
collective (const UrbTrainer *self, UrbCollectiveKind kind, gint64 count, int peer)
{
  return (UrbCollective) { .kind = kind, .count = count, .peer = peer,
                           .element = real_size (self) == 8 ? URB_ELEMENT_F64 : URB_ELEMENT_F32 };
}

static gboolean
broadcast (UrbTrainer *self, int root, void *bytes, gsize n_bytes, GError **error)
{
  UrbCollective what = { URB_COLLECTIVE_BROADCAST, URB_ELEMENT_U8, (gint64) n_bytes, root };

  return urb_comm_run (self->rank.comm, &what, bytes, bytes, error);
}

/* ------------------------------------------------------------------------ */
/* Who has what                                                              */

gboolean
urb_trainer_is_divided (UrbTrainer *self)
{
  return self->program->g.moment_runs != NULL;
}

static gboolean
share_table (UrbTrainer *self, int rank, GArray *runs, GError **error)
{
  guint length = runs->len;

  if (!broadcast (self, rank, &length, sizeof length, error))
    return FALSE;
  g_array_set_size (runs, length);
  return length == 0 || broadcast (self, rank, runs->data, length * sizeof (UrbRun), error);
}

gboolean
urb_trainer_share_runs (UrbTrainer *self, GError **error)
{
  const UrbProgram *program = self->program;
  GArray *const own[URB_TRAINER_N_TABLES] = {
    program->g.runs, program->g.moment_runs, program->g.state_runs,
    program->d.runs, program->d.moment_runs, program->d.state_runs };
  const UrbRun everything = { 0, 0, G_MAXINT64 };

  if (!urb_trainer_is_divided (self))
    return TRUE;
  self->runs = g_new0 (GArray *, self->rank.n_ranks * URB_TRAINER_N_TABLES);
  for (int rank = 0; rank < self->rank.n_ranks; rank++)
    for (int t = 0; t < URB_TRAINER_N_TABLES; t++)
      {
        GArray *runs = g_array_new (FALSE, FALSE, sizeof (UrbRun));

        self->runs[rank * URB_TRAINER_N_TABLES + t] = runs;
        if (rank == self->rank.rank && own[t] == NULL)
          g_array_append_val (runs, everything);
        else if (rank == self->rank.rank)
          g_array_append_vals (runs, own[t]->data, own[t]->len);
        if (!share_table (self, rank, runs, error))
          return FALSE;
      }
  return TRUE;
}

void
urb_trainer_free_runs (UrbTrainer *self)
{
  for (int i = 0; self->runs != NULL && i < self->rank.n_ranks * URB_TRAINER_N_TABLES; i++)
    if (self->runs[i] != NULL)
      g_array_unref (self->runs[i]);
  g_clear_pointer (&self->runs, g_free);
}

/* The lowest rank that has element @at of a block.
 * @count: (out): of how many elements from there on */
static int
find_owner (const UrbTrainer *self, const UrbTrainerBlock *block, gint64 at, gint64 *count)
{
  *count = G_MAXINT64;
  for (int rank = 0; self->runs != NULL && rank < self->rank.n_ranks; rank++)
    {
      gint64 n;
      gint64 local = urb_runs_find (self->runs[rank * URB_TRAINER_N_TABLES + block->which], at, &n);

      *count = MIN (*count, n);
      if (local >= 0)
        return rank;
    }
  g_assert (self->runs == NULL);
  return 0;
}

/* ------------------------------------------------------------------------ */
/* This rank's part                                                          */

gboolean
urb_trainer_is_outside (const UrbTrainer *self, int buffer)
{
  return urb_program_get_buffer (self->program, buffer)->store == URB_STORE_OUTSIDE;
}

/* In the storage. */
static gint64
get_position (const UrbTrainer *self, int buffer, gint64 first)
{
  return urb_program_get_buffer (self->program, buffer)->offset + first * (gint64) real_size (self);
}

static char *
get_memory (const UrbTrainer *self, int buffer, gint64 first)
{
  return (char *) urb_interpreter_get_memory (self->interpreter, buffer) + (gsize) first * real_size (self);
}

gboolean
urb_trainer_read_own (UrbTrainer *self, int buffer, gint64 first, gint64 count, void *values,
                      GError **error)
{
  gsize n_bytes = (gsize) count * real_size (self);

  if (urb_trainer_is_outside (self, buffer))
    return urb_storage_read (self->storage, get_position (self, buffer, first), values, n_bytes, error);
  return urb_device_check (self->backend->table->read (self->backend, values,
                                                       get_memory (self, buffer, first), n_bytes), error);
}

static gboolean
write_own (UrbTrainer *self, int buffer, gint64 first, gint64 count, const void *values, GError **error)
{
  gsize n_bytes = (gsize) count * real_size (self);

  if (urb_trainer_is_outside (self, buffer))
    return urb_storage_write (self->storage, get_position (self, buffer, first), values, n_bytes, error);
  return urb_device_check (self->backend->table->write (self->backend, get_memory (self, buffer, first),
                                                        values, n_bytes), error);
}

/* @beside: while another thread computes or records; nobody writes the block then */
static gboolean
read_own (UrbTrainer *self, const UrbTrainerBlock *block, gint64 first, gint64 count, gboolean beside,
          void *values, GError **error)
{
  const UkBackendTable *table = self->backend->table;

  if (beside && table->read_async != NULL && !urb_trainer_is_outside (self, block->buffer))
    return urb_device_check (table->read_async (self->backend, values,
                                                get_memory (self, block->buffer, first),
                                                (gsize) count * real_size (self)), error);
  return urb_trainer_read_own (self, block->buffer, first, count, values, error);
}

/* Consecutive elements of a rank's block, moved by one copy: slices of tensors are thousands of runs, but close up there. */
typedef struct
{
  gint64 first, count;
} Stretch;

/* Appends @count elements from @first on; FALSE: they are elsewhere. */
static gboolean
extend (Stretch *self, gint64 first, gint64 count)
{
  if (self->count > 0 && first != self->first + self->count)
    return FALSE;
  if (self->count == 0)
    self->first = first;
  self->count += count;
  return TRUE;
}

gboolean
urb_trainer_write_piece (UrbTrainer *self, const UrbTrainerBlock *block, gint64 first, gint64 count,
                         const void *values, GError **error)
{
  gsize size = real_size (self);
  gint64 n, local = urb_runs_find (block->runs, first, &n);
  g_autofree char *joined = NULL;
  Stretch stretch = { 0 };

  if (n >= count) /* all or nothing is here */
    return local < 0 || write_own (self, block->buffer, local, count, values, error);
  joined = g_malloc ((gsize) count * size);
  for (gint64 at = first; at < first + count; at += n)
    {
      local = urb_runs_find (block->runs, at, &n);
      n = MIN (n, first + count - at);
      if (local < 0)
        continue;
      if (!extend (&stretch, local, n))
        {
          if (!write_own (self, block->buffer, stretch.first, stretch.count, joined, error))
            return FALSE;
          stretch = (Stretch) { local, n };
        }
      memcpy (joined + (gsize) (stretch.count - n) * size, (const char *) values + (gsize) (at - first) * size,
              (gsize) n * size);
    }
  return stretch.count == 0 || write_own (self, block->buffer, stretch.first, stretch.count, joined, error);
}

/* ------------------------------------------------------------------------ */
/* All ranks together                                                        */

/* Elements of a piece that come from one rank. */
typedef struct
{
  gint64 at, count;
  int    owner;
} Segment;

/* (element-type Segment) (transfer full) */
static GArray *
find_segments (const UrbTrainer *self, const UrbTrainerBlock *block, gint64 first, gint64 count)
{
  GArray *segments = g_array_new (FALSE, FALSE, sizeof (Segment));
  Segment segment = { .at = first };

  for (; segment.at < first + count; segment.at += segment.count)
    {
      segment.owner = find_owner (self, block, segment.at, &segment.count);
      segment.count = MIN (segment.count, first + count - segment.at);
      g_array_append_val (segments, segment);
    }
  return segments;
}

static gint64
count_of_owner (const GArray *segments, int owner)
{
  gint64 sum = 0;

  for (guint i = 0; i < segments->len; i++)
    if (g_array_index (segments, Segment, i).owner == owner)
      sum += g_array_index (segments, Segment, i).count;
  return sum;
}

/* Reads what this rank has of a piece, in order. */
static gboolean
read_segments (UrbTrainer *self, const UrbTrainerBlock *block, const GArray *segments, gboolean beside, char *joined,
               GError **error)
{
  Stretch stretch = { 0 };

  for (guint i = 0; i < segments->len; i++)
    {
      const Segment *segment = &g_array_index (segments, Segment, i);
      gint64 local;

      if (segment->owner != self->rank.rank)
        continue;
      local = urb_runs_find (block->runs, segment->at, NULL);
      if (extend (&stretch, local, segment->count))
        continue;
      if (!read_own (self, block, stretch.first, stretch.count, beside, joined, error))
        return FALSE;
      joined += (gsize) stretch.count * real_size (self);
      stretch = (Stretch) { local, segment->count };
    }
  return stretch.count == 0 || read_own (self, block, stretch.first, stretch.count, beside, joined, error);
}

/* Puts what @owner has of a piece, in order in @joined, to its places in @values, of the piece from @first on. */
static void
place_segments (const UrbTrainer *self, const GArray *segments, int owner, gint64 first, const char *joined,
                char *values)
{
  for (guint i = 0; i < segments->len; i++)
    {
      const Segment *segment = &g_array_index (segments, Segment, i);
      gsize n_bytes = (gsize) segment->count * real_size (self);

      if (segment->owner != owner)
        continue;
      memcpy (values + (gsize) (segment->at - first) * real_size (self), joined, n_bytes);
      joined += n_bytes;
    }
}

static gboolean
send_segments (UrbTrainer *self, const UrbTrainerBlock *block, const GArray *segments, GError **error)
{
  gint64 n = count_of_owner (segments, self->rank.rank);
  UrbCollective send = collective (self, URB_COLLECTIVE_SEND, n, 0);
  g_autofree char *joined = g_malloc ((gsize) n * real_size (self));

  return n == 0
         || (read_segments (self, block, segments, FALSE, joined, error)
             && urb_comm_run (self->rank.comm, &send, joined, NULL, error));
}

/* @values: (nullable): of rank 0 */
static gboolean
gather (UrbTrainer *self, const UrbTrainerBlock *block, gint64 first, gint64 count, gboolean beside,
        void *values, GError **error)
{
  g_autoptr(GArray) segments = find_segments (self, block, first, count);
  g_autofree char *joined = NULL;

  if (values == NULL)
    return send_segments (self, block, segments, error);
  if (segments->len == 1 && g_array_index (segments, Segment, 0).owner == 0)
    return read_segments (self, block, segments, beside, values, error);
  joined = g_malloc ((gsize) count * real_size (self));
  for (int owner = 0; owner < self->rank.n_ranks; owner++)
    {
      gint64 n = count_of_owner (segments, owner);
      UrbCollective receive = collective (self, URB_COLLECTIVE_RECV, n, owner);

      if (n > 0 && !(owner == 0 ? read_segments (self, block, segments, beside, joined, error)
                                : urb_comm_run (self->rank.comm, &receive, NULL, joined, error)))
        return FALSE;
      place_segments (self, segments, owner, first, joined, values);
    }
  return TRUE;
}

/* @values: of rank 0, on all ranks room for @count */
static gboolean
spread (UrbTrainer *self, const UrbTrainerBlock *block, gint64 first, gint64 count, void *values,
        GError **error)
{
  UrbCollective what = collective (self, URB_COLLECTIVE_BROADCAST, count, 0);

  return (!self->is_served || urb_comm_run (self->rank.comm, &what, values, values, error))
         && (block->buffer < 0 || urb_trainer_write_piece (self, block, first, count, values, error));
}

/* ------------------------------------------------------------------------ */
/* Requests                                                                  */

static gboolean
request (UrbTrainer *self, const Request *what, GError **error)
{
  Request sent = *what;

  return !self->is_served || broadcast (self, 0, &sent, sizeof sent, error);
}

/* @beside: see read_own() */
static gboolean
request_piece (UrbTrainer *self, const UrbTrainerBlock *block, gint64 first, gint64 count, gboolean beside,
               void *values, GError **error)
{
  Request what = { .kind = REQUEST_GATHER, .block = block->id, .first = first, .count = count };

  return request (self, &what, error) && gather (self, block, first, count, beside, values, error);
}

gboolean
urb_trainer_gather (UrbTrainer *self, const UrbTrainerBlock *block, gint64 first, gint64 count,
                    void *values, GError **error)
{
  return request_piece (self, block, first, count, FALSE, values, error);
}

gboolean
urb_trainer_spread (UrbTrainer *self, const UrbTrainerBlock *block, gint64 first, gint64 count,
                    const void *values, GError **error)
{
  Request what = { .kind = REQUEST_SPREAD, .block = block->id, .first = first, .count = count };

  return request (self, &what, error) && spread (self, block, first, count, (void *) values, error);
}

/* Elements [@first, @first + @count) of the average to @to, device memory.  @room: of the host; NULL: @to is,
 * too */
static gboolean
receive_average (UrbTrainer *self, gint64 first, gint64 count, char *to, void *room, GError **error)
{
  gint64 most = (gint64) urb_trainer_get_piece_bytes (self) / (gint64) real_size (self);
  UrbTrainerBlock blocks[URB_TRAINER_MAX_BLOCKS], *average = blocks;

  urb_trainer_list_blocks (self, blocks);
  while (average->buffer != self->program->g.ema)
    average++;
  for (gint64 end = first + count, n; first < end; first += n)
    {
      n = MIN (most, end - first);
      if (!request_piece (self, average, first, n, TRUE, room != NULL ? room : to, error)
          || (room != NULL
              && !urb_device_check (self->backend->table->write_async (self->backend, to, room,
                                                                       (gsize) n * real_size (self)),
                                    error)))
        return FALSE;
      to += (gsize) n * real_size (self);
    }
  return TRUE;
}

/* Of a transport: @in is a position in the average. */
static gboolean
run_average (gpointer data, const UrbCollective *what, guint axes, const void *in, void *out, GError **error)
{
  UrbTrainer *self = data;
  g_autofree void *room = self->backend->table->is_host ? NULL
                                                        : g_malloc (urb_trainer_get_piece_bytes (self));

  g_assert (what->kind == URB_COLLECTIVE_RECV);
  return receive_average (self, (gint64) (GPOINTER_TO_SIZE (in) / real_size (self)), what->count, out, room,
                          error);
}

UrbTransport
urb_trainer_get_average (UrbTrainer *self)
{
  return (UrbTransport) { .self = self, .n_ranks = 1, .run = run_average };
}

void
urb_trainer_begin_service (UrbTrainer *self)
{
  self->is_served = self->rank.comm != NULL;
}

gboolean
urb_trainer_end_service (UrbTrainer *self, gint64 step, GError **error)
{
  Request what = { .kind = REQUEST_END, .step = step, .loss_scale_g = self->loss_scale_g,
                   .loss_scale_d = self->loss_scale_d };
  gboolean good = request (self, &what, error);

  self->is_served = FALSE;
  return good;
}

/* Continues from the step that rank 0 has restored. */
static gboolean
take_step (UrbTrainer *self, const Request *what, GError **error)
{
  if (what->step < 0)
    return TRUE;
  if (self->watch != NULL && !urb_dataset_watch_settle (self->watch, error))
    return FALSE;
  urb_trainer_set_step (self, what->step);
  self->loss_scale_g = what->loss_scale_g;
  self->loss_scale_d = what->loss_scale_d;
  return urb_interpreter_run_prologue (self->interpreter, error);
}

/* @room: of urb_trainer_get_piece_bytes() */
static gboolean
obey (UrbTrainer *self, const Request *what, void *room, GError **error)
{
  UrbTrainerBlock block;

  g_assert (what->block >= 0 && what->block < URB_TRAINER_MAX_BLOCKS
            && (gsize) what->count * real_size (self) <= urb_trainer_get_piece_bytes (self));
  urb_trainer_get_block (self, (int) what->block, &block);
  return what->kind == REQUEST_GATHER
           ? gather (self, &block, what->first, what->count, FALSE, NULL, error)
           : spread (self, &block, what->first, what->count, room, error);
}

gboolean
urb_trainer_serve (UrbTrainer *self, GError **error)
{
  g_autofree void *room = g_malloc (urb_trainer_get_piece_bytes (self));
  Request what = { 0 };
  gboolean good = TRUE;

  self->is_served = TRUE; /* takes part in broadcasts */
  while (good && what.kind != REQUEST_END)
    {
      good = broadcast (self, 0, &what, sizeof what, error);
      if (good && what.kind == REQUEST_END)
        good = take_step (self, &what, error);
      else if (good)
        good = obey (self, &what, room, error);
    }
  self->is_served = FALSE;
  return good;
}
